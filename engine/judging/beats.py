"""Whether cards may be played on the pile, and the sentence that explains why not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

from engine.cards import (
    COLOUR_OF,
    JOKER_RANK,
    RANK_OF,
    RANK_TEXTS,
    RED,
    SUIT_OF,
    UNKNOWN,
    UNKNOWN_RANK,
    rank_name,
)
from engine.demand import ANY, ANYTHING, AT_LEAST, Demand, failures, suit_value
from engine.judging.case import Case
from engine.mechanics import Mechanics
from engine.sentences import Said, say


def _set_failures(case: Case, demand: Demand, cards: Sequence[str], rank: int) -> list[tuple[str, ...]]:
    """Return the mechanisms that forbid cards of one rank on a demand, as in `engine.demand.failures`.

    If suits matter, the list has one entry for each way to fill in missing suits. Otherwise it has one entry.
    """
    mechanics = case.mechanics
    if not (demand.suit or demand.colour) or rank == JOKER_RANK:
        return [failures(mechanics, demand, rank, 0, 0)]
    known = [card for card in cards if SUIT_OF[card]]
    found = []
    for chosen in _suitings(case, rank, len(cards) - len(known)):
        suited = (*known, *chosen)
        best = max(suit_value(mechanics, SUIT_OF[card]) for card in suited)
        colours = 0
        for card in suited:
            colours |= COLOUR_OF[card]
        found.append(failures(mechanics, demand, rank, best, colours))
    return found


def _suitings(case: Case, rank: int, count: int) -> Iterable[tuple[str, ...]]:
    """Return each choice of `count` cards that may stand for cards of `rank` without a suit."""
    if not count:
        return [()]
    cards = [RANK_TEXTS[rank] + suit for suit in case.unseen.suits(rank)]
    if case.unseen.packs == 1:
        return combinations(cards, min(count, len(cards)))
    return combinations_with_replacement(cards, min(count, len(cards)))


def may_be_played(case: Case, card: str) -> bool | None:
    """Return whether a single card may be played on the pile; None if unidentified cards decide."""
    answers = {
        not wrong
        for demand in case.demands()
        for wrong in _set_failures(case, demand, (card,), RANK_OF[card])
    }
    return answers.pop() if len(answers) == 1 else None


def can_play(case: Case, known: Iterable[str], hidden: int) -> bool | None:
    """Return whether at least one of several cards may be played on the pile; None if hidden cards decide.

    Args:
        case: the case, with the pile.
        known: the known cards; unidentified ones are ignored.
        hidden: the least number of further cards, which nobody has identified.
    """
    answers = {_can_play_on(case, demand, known, hidden) for demand in case.demands()}
    return answers.pop() if len(answers) == 1 else None


def _can_play_on(case: Case, demand: Demand, known: Iterable[str], hidden: int) -> bool | None:
    in_doubt = False
    for card in known:
        if card == UNKNOWN:
            continue
        wrong = _set_failures(case, demand, (card,), RANK_OF[card])
        if not any(wrong):
            return True
        in_doubt = in_doubt or not all(wrong)
    if hidden:
        stuck = 0
        for card in case.unseen.cards():
            suit = suit_value(case.mechanics, SUIT_OF[card])
            if failures(case.mechanics, demand, RANK_OF[card], suit, COLOUR_OF[card]):
                stuck += case.unseen.of_card(card)
        if hidden > stuck:
            return True
        in_doubt = in_doubt or stuck < case.unseen.total()
    return None if in_doubt else False


def may_be_played_on_all(mechanics: Mechanics, demands: Iterable[Demand], card: str) -> bool:
    """Return whether an identified card may be played on each of the demands."""
    suit = suit_value(mechanics, SUIT_OF[card])
    return all(not failures(mechanics, d, RANK_OF[card], suit, COLOUR_OF[card]) for d in demands)


def check_beats(case: Case, cards: Sequence[str]) -> None:
    """Record a breach for every rank among the cards that may not be played on the pile."""
    ranks = {RANK_OF[card] for card in cards}
    for rank in sorted(ranks - {UNKNOWN_RANK}):
        same = [card for card in cards if RANK_OF[card] == rank]
        demands = case.demands()
        wrong = [(found, demand) for demand in demands for found in _set_failures(case, demand, same, rank)]
        if any(found for found, _ in wrong):
            _rule_on_failures(case, same, rank, wrong)


def _rule_on_failures(
    case: Case, same: list[str], rank: int, wrong: Sequence[tuple[tuple[str, ...], Demand]]
) -> None:
    """Record a breach for the cards of one rank, or the missing knowledge if not all demands forbid them."""
    if all(found for found, _ in wrong):
        found, demand = min(wrong, key=lambda pair: (len(pair[0]), pair[1]))
        for mechanism in found:
            _breach_beats(case, mechanism, demand, same, rank)
    else:
        suits = say("the suit of {cards:the}", cards=same)
        case.need(suits if len(case.demands()) == 1 else say("what lies on top of the pile"))


def _breach_beats(case: Case, mechanism: str, demand: Demand, same: list[str], rank: int) -> None:
    """Record the breach for one mechanism that forbids the cards."""
    rules = [f"{mechanism}.{RANK_TEXTS[rank]}", mechanism]
    if mechanism == "never_played":
        says = _shown_or_never(case.mechanics, same)
        if case.situation.pile == ():
            rules.insert(0, f"never_played_on_empty.{RANK_TEXTS[rank]}")
    elif mechanism == "no_joker":
        says = say("There are no jokers in this game.")
        case.note(say("The joker is put aside, and the pile stays as it is."))
    elif case.forced_by():
        text = RANK_TEXTS[case.forced_by()]
        says = say("{who} must pick up the pile: {rank:a} lies on it.", who=case.player, rank=text)
        rules = [f"forces_pick_up.{text}"]
    elif len(case.demands()) > 1:
        says = say("{cards:The} cannot go on the pile, whatever the unidentified cards are.", cards=same)
        rules = _rules_on(mechanism, demand, rank)
    else:
        covered = _seen_through(case)
        says = _cannot_go(case.mechanics, mechanism, demand, same, covered)
        rules = _rules_on(mechanism, demand, rank)
        if covered and mechanism in ("too_low", "too_high"):
            rules.insert(0, f"through.{RANK_TEXTS[covered]}")
    case.breach(rules[0], says, *rules[1:])


def _rules_on(mechanism: str, demand: Demand, rank: int) -> list[str]:
    """Return the names of the mechanism that forbids a rank on a demand, most specific first."""
    played, lying = RANK_TEXTS[rank], RANK_TEXTS[demand.rank]
    if mechanism == "too_low":
        return [f"too_low.{played}", "too_low"]
    if mechanism == "not_on_limit":
        return [f"not_on_limit.{played}.{lying}"]
    return ["suit"] if mechanism == "suit" else [f"{mechanism}.{lying}"]


def _seen_through(case: Case) -> int:
    """Return the rank on top of the pile if it is transparent, else 0."""
    pile = case.situation.pile
    top = RANK_OF[pile[-1]] if pile else 0
    return top if top in case.mechanics.transparent else 0


def _cannot_go(
    mechanics: Mechanics, mechanism: str, demand: Demand, cards: Sequence[str], covered: int
) -> Said:
    """Return the sentence why cards may not be played on the pile; `covered`: the transparent rank on top."""
    facts: dict[str, Any] = {"cards": cards, "rank": RANK_TEXTS[demand.rank]}
    if covered:
        facts["over"] = RANK_TEXTS[covered]
    if mechanism == "suit":
        facts["under"] = facts.pop("rank") + mechanics.suit_order[demand.suit - 1]
        if covered:
            return say(
                "{cards:The} cannot go on {under:the} under the {over:rank}: "
                "an equal card needs a better suit.",
                **facts,
            )
        return say("{cards:The} cannot go on {under:the}: an equal card needs a better suit.", **facts)
    if mechanism == "colour":
        return _wrong_colour(demand, facts)
    if mechanism == "not_on_limit":
        if covered:
            return say("{cards:The} cannot go on {rank:a} under the {over:rank}.", **facts)
        return say("{cards:The} cannot go on {rank:a}.", **facts)
    if mechanism == "too_low":
        if covered:
            return say(
                "{cards:The} cannot go on {rank:a} under the {over:rank}: equal or higher is needed.", **facts
            )
        return say("{cards:The} cannot go on {rank:a}: equal or higher is needed.", **facts)
    if covered:
        return say(
            "{cards:The} cannot go on {rank:a} under the {over:rank}: {rank} or lower is needed.", **facts
        )
    return say("{cards:The} cannot go on {rank:a}: {rank} or lower is needed.", **facts)


def _wrong_colour(demand: Demand, facts: dict[str, Any]) -> Said:
    if demand.colour == RED:
        if "over" in facts:
            return say(
                "{cards:The} cannot go on a red {rank:rank} under the {over:rank}: a red card is needed.",
                **facts,
            )
        return say("{cards:The} cannot go on a red {rank:rank}: a red card is needed.", **facts)
    if "over" in facts:
        return say(
            "{cards:The} cannot go on a black {rank:rank} under the {over:rank}: a black card is needed.",
            **facts,
        )
    return say("{cards:The} cannot go on a black {rank:rank}: a black card is needed.", **facts)


def _shown_or_never(mechanics: Mechanics, cards: Sequence[str]) -> Said:
    ranks = [RANK_TEXTS[rank] for rank in sorted(mechanics.never_played)]
    if mechanics.shown:
        return say(
            "{cards:The} cannot be played: {ranks:plural} are shown, never played.", cards=cards, ranks=ranks
        )
    return say("{cards:The} cannot be played: {ranks:plural} are never played.", cards=cards, ranks=ranks)


def anything_goes(case: Case) -> bool:
    """Return whether any card at all may be played on the pile."""
    return case.demands() == {ANYTHING} and not case.mechanics.never_played


def demand_in_words(demand: Demand) -> str:
    """Return a demand in words: `9 or higher`, `7 or lower`, `anything`."""
    if demand.kind == ANY:
        return "anything"
    words = f"{rank_name(demand.rank)} or {'higher' if demand.kind == AT_LEAST else 'lower'}"
    if demand.colour and demand.colour.bit_count() == 1:
        words += f", {'red' if demand.colour == RED else 'black'}"
    if demand.suit:
        words += ", of a better suit if equal"
    return words
