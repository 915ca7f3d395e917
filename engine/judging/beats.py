"""Whether cards go on the pile, and the words for it where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    a_rank,
    capital,
    card_name,
    card_names,
    rank_name,
    rank_plural,
)
from engine.demand import ANY, AT_LEAST, Demand, failures, suit_value
from engine.judging.case import Case
from engine.mechanics import Mechanics


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
            case.need("the card played, which nobody identified")
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
        case.need(f"the suit of {card_names(same)}" if one else "what lies on top of the pile")


def _breach_beats(case: Case, mechanism: str, demand: Demand, same: list[str], rank: int) -> None:
    """Word one way in which cards fail to go on the pile."""
    cards = capital(card_names(same))
    if mechanism == "never_played":
        on_empty = "never_played_on_empty" if case.situation.pile == () else mechanism
        case.breach(on_empty, f"{cards} cannot be played: {_shown_or_never(case.mechanics)}.", mechanism)
    elif mechanism == "no_joker":
        case.breach(mechanism, "There are no jokers in this game.")
    elif mechanism == "suit":
        best = case.mechanics.suit_order[demand.suit - 1]
        under = card_name(RANK_TEXTS[demand.rank] + best)
        case.breach(mechanism, f"{cards} cannot go on the {under}: an equal card needs a better suit.")
    elif mechanism == "colour":
        colour = "red" if demand.colour == RED else "black"
        says = f"{cards} cannot go on a {colour} {rank_name(demand.rank)}: a {colour} card is needed."
        case.breach(mechanism, says)
    elif mechanism == "not_on_limit":
        case.breach(mechanism, f"{cards} cannot go on {a_rank(demand.rank)}.", "too_high")
    else:
        need = "equal or higher" if mechanism == "too_low" else f"{demand.rank} or lower"
        through = _seen_through(case)
        covered = f" under the {rank_name(through)}" if through else ""
        says = f"{cards} cannot go on {a_rank(demand.rank)}{covered}: {need} is needed."
        slots = ([f"through.{through}"] if through else []) + [f"{mechanism}.{RANK_TEXTS[rank]}", mechanism]
        case.breach(slots[0], says, *slots[1:])


def _seen_through(case: Case) -> int:
    """The rank on top of the pile if it leaves in effect what lies under it, else 0."""
    pile = case.situation.pile
    top = RANK_OF[pile[-1]] if pile else 0
    return top if top in case.mechanics.transparent else 0


def _shown_or_never(mechanics: Mechanics) -> str:
    ranks = sorted(mechanics.never_played)
    names = " and ".join(rank_plural(rank) for rank in ranks)
    return f"{names} are shown, never played" if mechanics.shown else f"{names} are never played"


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
