"""Whether cards go on the pile, and the words for it where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.cards import (
    BLACK,
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
from engine.demand import ANY, AT_LEAST, Demand, failures, suit_value
from engine.judging.case import Case
from engine.mechanics import Mechanics
from engine.sentences import Said, say


def _set_failures(
    mechanics: Mechanics, demand: Demand, cards: Sequence[str], rank: int
) -> list[tuple[str, ...]]:
    """Return what is wrong with the cards of one rank on a demand, by mechanism.

    One entry for each way in which cards written without a suit may be suited, where that matters.
    """
    suit = colours = 0
    for card in cards:
        colours |= COLOUR_OF[card]
        if demand.suit:
            suit = max(suit, suit_value(mechanics, SUIT_OF[card]))
    if not (demand.suit or demand.colour) or rank == JOKER_RANK or all(SUIT_OF[card] for card in cards):
        return [failures(mechanics, demand, rank, suit, colours)]
    return [
        failures(mechanics, demand, rank, max(suit, better), colours | colour)
        for better in range(1, 5)
        for colour in (RED, BLACK)
    ]


def may_be_played(case: Case, card: str) -> bool | None:
    """Return whether a single card goes on the pile; None where unidentified cards decide it."""
    answers: set[bool] = set()
    ranks: Iterable[int] = range(2, 15) if card == UNKNOWN else (RANK_OF[card],)
    for demand in case.demands():
        for rank in ranks:
            answers.update(not wrong for wrong in _set_failures(case.mechanics, demand, (card,), rank))
        if len(answers) > 1:
            return None
    return answers.pop()


def set_goes_everywhere(mechanics: Mechanics, demands: Iterable[Demand], card: str) -> bool:
    """Return whether one identified card goes on each of the demands."""
    suit = suit_value(mechanics, SUIT_OF[card])
    return all(not failures(mechanics, d, RANK_OF[card], suit, COLOUR_OF[card]) for d in demands)


def check_beats(case: Case, cards: Sequence[str]) -> None:
    """Breach for every rank among the cards that cannot go on the pile."""
    ranks = sorted({RANK_OF[card] for card in cards})
    if ranks == [UNKNOWN_RANK]:
        if may_be_played(case, UNKNOWN) is not True:
            case.need(say("the card played, which nobody identified"))
        return
    for rank in ranks:
        if rank != UNKNOWN_RANK:
            _check_rank(case, [card for card in cards if RANK_OF[card] == rank], rank)


def _check_rank(case: Case, same: list[str], rank: int) -> None:
    """Breach, or say what is missing, for the cards of one rank."""
    wrong = [
        (found, demand)
        for demand in case.demands()
        for found in _set_failures(case.mechanics, demand, same, rank)
    ]
    if all(found for found, _ in wrong):
        found, demand = min(wrong, key=lambda pair: (len(pair[0]), pair[1]))
        for mechanism in found:
            _breach_beats(case, mechanism, demand, same, rank)
    elif any(found for found, _ in wrong):
        one = len(case.demands()) == 1
        what = say("the suit of {cards:the}", cards=same) if one else say("what lies on top of the pile")
        case.need(what)


def _breach_beats(case: Case, mechanism: str, demand: Demand, same: list[str], rank: int) -> None:
    """Word one way in which cards fail to go on the pile."""
    lying = RANK_TEXTS.get(demand.rank, "")
    if mechanism == "never_played":
        on_empty = "never_played_on_empty" if case.situation.pile == () else mechanism
        case.breach(on_empty, _shown_or_never(case.mechanics, same), mechanism)
    elif mechanism == "no_joker":
        case.breach(mechanism, say("There are no jokers in this game."))
    elif mechanism == "suit":
        best = case.mechanics.suit_order[demand.suit - 1]
        under = RANK_TEXTS[demand.rank] + best
        says = say(
            "{cards:The} cannot go on {under:the}: an equal card needs a better suit.",
            cards=same,
            under=under,
        )
        case.breach(mechanism, says)
    elif mechanism == "colour":
        red = say("{cards:The} cannot go on a red {rank:rank}: a red card is needed.", cards=same, rank=lying)
        black = say(
            "{cards:The} cannot go on a black {rank:rank}: a black card is needed.", cards=same, rank=lying
        )
        says = red if demand.colour == RED else black
        case.breach(mechanism, says)
    elif mechanism == "not_on_limit":
        case.breach(mechanism, say("{cards:The} cannot go on {rank:a}.", cards=same, rank=lying), "too_high")
    else:
        through = _seen_through(case)
        says = _too_low_or_high(mechanism, same, lying, through)
        slots = ([f"through.{through}"] if through else []) + [f"{mechanism}.{RANK_TEXTS[rank]}", mechanism]
        case.breach(slots[0], says, *slots[1:])


def _seen_through(case: Case) -> int:
    """The rank on top of the pile if it leaves in effect what lies under it, else 0."""
    pile = case.situation.pile
    top = RANK_OF[pile[-1]] if pile else 0
    return top if top in case.mechanics.transparent else 0


def _too_low_or_high(mechanism: str, cards: Sequence[str], lying: str, through: int) -> Said:
    """Word that cards are lower, or higher, than what lies there or is seen through what covers it."""
    facts: dict[str, Any] = {"cards": cards, "rank": lying}
    if through:
        facts["over"] = RANK_TEXTS[through]
        higher = say(
            "{cards:The} cannot go on {rank:a} under the {over:rank}: equal or higher is needed.", **facts
        )
        lower = say(
            "{cards:The} cannot go on {rank:a} under the {over:rank}: {rank} or lower is needed.", **facts
        )
    else:
        higher = say("{cards:The} cannot go on {rank:a}: equal or higher is needed.", **facts)
        lower = say("{cards:The} cannot go on {rank:a}: {rank} or lower is needed.", **facts)
    return higher if mechanism == "too_low" else lower


def _shown_or_never(mechanics: Mechanics, cards: Sequence[str]) -> Said:
    ranks = [RANK_TEXTS[rank] for rank in sorted(mechanics.never_played)]
    if mechanics.shown:
        return say(
            "{cards:The} cannot be played: {ranks:plural} are shown, never played.", cards=cards, ranks=ranks
        )
    return say("{cards:The} cannot be played: {ranks:plural} are never played.", cards=cards, ranks=ranks)


def effect_in_words(demand: Demand) -> str:
    """Return what a demand asks for, in words: `9 or higher`, `7 or lower`, `anything`."""
    if demand.kind == ANY:
        return "anything"
    words = f"{rank_name(demand.rank)} or {'higher' if demand.kind == AT_LEAST else 'lower'}"
    if demand.colour in (RED, BLACK):
        words += f", {'red' if demand.colour == RED else 'black'}"
    if demand.suit:
        words += ", of a better suit if equal"
    return words
