"""What has to be beaten: read off the pile, and compared with what is played.

This is the one place that knows which card goes on which: judge, referee and simulation all ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.cards import BLACK, COLOUR_OF, JOKER_RANK, RANK_OF, RANK_VALUES, RED, SUIT_OF, UNKNOWN_RANK
from engine.mechanics import Mechanics

ANY, AT_LEAST, AT_MOST = 0, 1, 2


class Demand(NamedTuple):
    """What the next card has to satisfy."""

    kind: int
    """`ANY`, `AT_LEAST` or `AT_MOST`."""
    rank: int = 0
    colour: int = 0
    """The colour bits that must be followed; 0: none."""
    suit: int = 0
    """With suit values: the place (1 to 4) of the suit that an equal card must better; 0: none."""


ANYTHING = Demand(ANY)


def suit_value(mechanics: Mechanics, suit: str) -> int:
    """Return a suit's place from 1 (lowest), or 0 where suits do not matter or it is not known."""
    return mechanics.suit_order.index(suit) + 1 if mechanics.suit_order and suit else 0


def failures(mechanics: Mechanics, demand: Demand, rank: int, suit: int, colours: int) -> tuple[str, ...]:
    """Return what is wrong with a set of `rank` on this demand, by mechanism; empty if it may be played.

    Args:
        mechanics: the ruleset's switches.
        demand: what has to be beaten.
        rank: the set's rank.
        suit: place of the set's best suit (`suit_value`).
        colours: the colour bits of its cards together.
    """
    if rank in mechanics.never_played:
        return ("never_played",)
    if rank == RANK_VALUES["JOKER"] and not mechanics.plays_jokers:
        return ("no_joker",)
    if rank in mechanics.on_anything:
        forbidden = demand.kind == AT_MOST and rank in mechanics.not_on_limit
        return ("not_on_limit",) if forbidden else ()
    if demand.kind == AT_MOST:
        return ("too_high",) if rank > demand.rank else ()
    if demand.kind == ANY:
        return ()
    wrong = []
    if rank < demand.rank and mechanics.also_beaten_by.get(demand.rank) != rank:
        wrong.append("too_low")
    if rank == demand.rank and demand.suit and suit <= demand.suit:
        wrong.append("suit")
    if demand.colour and rank != demand.rank and colours & ~demand.colour:
        wrong.append("colour")
    return tuple(wrong)


def demand_after(mechanics: Mechanics, before: Demand, rank: int, suit: int, colours: int) -> Demand:
    """Return the demand once a set of `rank` lies on what demanded `before` (arguments as in `failures`)."""
    if rank in mechanics.transparent:
        return before
    if rank in mechanics.resets:
        return ANYTHING
    if rank in mechanics.limits:
        return Demand(AT_MOST, rank)
    if before.kind == AT_LEAST and before.rank == rank:
        suit = max(suit, before.suit)
    return Demand(AT_LEAST, rank, colours if rank in mechanics.colours else 0, suit)


def possible_demands(
    mechanics: Mechanics, pile: Sequence[str] | None, last_set: int | None = None
) -> frozenset[Demand]:
    """Return every demand that the pile may make: one, unless cards that matter are not identified.

    Args:
        mechanics: the ruleset's switches.
        pile: bottom first; None: not known.
        last_set: how many cards were played last, where that is known (it matters for colours: 4s of both
            colours allow either only when played together).
    """
    if pile is None:
        return _demands_of_ranks(mechanics, range(2, 15)) | {ANYTHING}
    transparent = mechanics.transparent
    for depth in range(len(pile) - 1, -1, -1):
        rank = RANK_OF[pile[depth]]
        if rank == UNKNOWN_RANK:
            solid = _demands_of_ranks(mechanics, (r for r in range(2, 15) if r not in transparent))
            under = possible_demands(mechanics, pile[:depth]) if transparent else frozenset()
            return solid | under
        if rank not in transparent:
            return _demands_of_card(mechanics, pile, depth, rank, last_set)
    return frozenset((ANYTHING,))


def _demands_of_ranks(mechanics: Mechanics, ranks: Iterable[int]) -> frozenset[Demand]:
    """The demands of cards of which only the rank is supposed."""
    suits = range(1, 5) if mechanics.suit_order else (0,)
    return frozenset(
        demand_after(mechanics, ANYTHING, rank, suit, colour)
        for rank in ranks
        for suit in suits
        for colour in (RED, BLACK)
    )


def _demands_of_card(
    mechanics: Mechanics, pile: Sequence[str], depth: int, rank: int, last_set: int | None
) -> frozenset[Demand]:
    """The demand of the card at `depth`, the topmost one that is not transparent."""
    if rank == JOKER_RANK or (rank not in mechanics.colours and not mechanics.suit_order):
        return frozenset((demand_after(mechanics, ANYTHING, rank, 0, 0),))
    run = list(_run(pile[: depth + 1], rank, mechanics.transparent))
    if mechanics.suit_order:
        if any(not SUIT_OF[card] for card in run):
            return _demands_of_ranks(mechanics, (rank,))
        best = max(suit_value(mechanics, SUIT_OF[card]) for card in run)
        return frozenset((demand_after(mechanics, ANYTHING, rank, best, 0),))
    together = run if last_set is None else run[: max(1, last_set)]
    colours = [COLOUR_OF[card] for card in together]
    if not all(colours):
        return _demands_of_ranks(mechanics, (rank,))
    bits = RED | BLACK if len(set(colours)) > 1 else colours[0]
    return frozenset((demand_after(mechanics, ANYTHING, rank, 0, bits),))


def _run(pile: Sequence[str], rank: int, through: frozenset[int]) -> Iterable[str]:
    """The cards of `rank` that lie on each other at the top, top first, looking `through` some ranks."""
    for card in reversed(pile):
        if RANK_OF[card] == rank:
            yield card
        elif RANK_OF[card] not in through:
            return


def run_on_top(mechanics: Mechanics, pile: Sequence[str] | None, rank: int) -> tuple[int, bool]:
    """Return how many cards of `rank` the pile adds to a four of a kind, and whether that is sure."""
    if pile is None:
        return 0, False
    if mechanics.four_anywhere:
        return sum(RANK_OF[card] == rank for card in pile), not any(card == "??" for card in pile)
    count = 0
    for card in reversed(pile):
        found = RANK_OF[card]
        if found == rank:
            count += 1
        elif found == UNKNOWN_RANK:
            return count, False
        elif found not in mechanics.four_through:
            break
    return count, True
