"""The demand of a pile: the condition that the next card must meet.

This is the only module that knows which card goes on which. Judge, referee and simulation all ask it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
)
from engine.mechanics import Mechanics
from engine.unseen import UnseenCards

ANY, AT_LEAST, AT_MOST = 0, 1, 2
ALL_RANKS = range(2, JOKER_RANK)
"""Every rank but the joker's."""


class Demand(NamedTuple):
    """The condition that the next card must meet."""

    kind: int
    """`ANY`, `AT_LEAST` or `AT_MOST`."""
    rank: int = 0
    colour: int = 0
    """The colour bits that the next cards must have; 0: any colour."""
    suit: int = 0
    """With suit values: the value (1 to 4) of the suit that a card of equal rank must exceed; 0: none."""


ANYTHING = Demand(ANY)


def suit_value(mechanics: Mechanics, suit: str) -> int:
    """Return a suit's value from 1 (lowest), or 0 if suits do not matter or the suit is not known."""
    return mechanics.suit_order.index(suit) + 1 if mechanics.suit_order and suit else 0


def failures(mechanics: Mechanics, demand: Demand, rank: int, suit: int, colours: int) -> tuple[str, ...]:
    """Return the mechanisms that forbid a set of `rank` on this demand; empty if it may be played.

    Args:
        mechanics: the ruleset's mechanics.
        demand: the demand of the pile.
        rank: the set's rank.
        suit: the value of the set's best suit (`suit_value`).
        colours: the colour bits of all its cards.
    """
    if rank in mechanics.never_played:
        return ("never_played",)
    if rank == JOKER_RANK and not mechanics.plays_jokers:
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
    """Return the demand after a set of `rank` was played on the demand `before`.

    The arguments `rank`, `suit` and `colours` are those of `failures`.
    """
    if rank in mechanics.transparent:
        return before
    if rank in mechanics.resets:
        return ANYTHING
    if rank in mechanics.limits:
        return Demand(AT_MOST, rank)
    return Demand(AT_LEAST, rank, colours if rank in mechanics.colours else 0, suit)


def possible_demands(
    mechanics: Mechanics,
    pile: Sequence[str] | None,
    sets: Sequence[int] = (),
    unseen: UnseenCards | None = None,
) -> frozenset[Demand]:
    """Return every demand that the pile may make. There are several only if unidentified cards decide.

    Args:
        mechanics: the ruleset's mechanics.
        pile: bottom first; None: not known.
        sets: the sizes of the topmost sets of the pile, last set last. They matter if the colours or the best
            suit of a whole set count. Below these sets, adjacent cards of one rank count as one set.
        unseen: the cards that an unidentified card can be; None: any card.
    """
    plain = demand_of_top_card(mechanics, pile)
    if plain is not None:
        return plain
    if unseen is None:
        unseen = UnseenCards(_PLENTY, _PLENTY if mechanics.jokers else 0)
    return _Pile(mechanics, pile, sets, unseen).demands()


_NO_DEMAND = frozenset((ANYTHING,))


def demand_of_top_card(mechanics: Mechanics, pile: Sequence[str] | None) -> frozenset[Demand] | None:
    """Return the demand of a pile if its top card alone decides it, else None."""
    if not pile:
        return None if pile is None else _NO_DEMAND
    rank = RANK_OF[pile[-1]]
    if rank in (UNKNOWN_RANK, JOKER_RANK) or mechanics.suit_order:
        return None
    if rank in mechanics.transparent or rank in mechanics.colours:
        return None
    return frozenset((demand_after(mechanics, ANYTHING, rank, 0, 0),))


_PLENTY = 1000
"""A number of packs that holds more copies of each card than any pile."""


class _Pile:
    """A pile, and the search for its demands from the top down."""

    def __init__(
        self, mechanics: Mechanics, pile: Sequence[str] | None, sets: Sequence[int], unseen: UnseenCards
    ) -> None:
        self._mechanics, self._unseen, self._sets = mechanics, unseen, sets
        self._pile = pile if pile is not None else ()
        self._known = pile is not None
        self._seen: dict[tuple[int, tuple[int, ...]], frozenset[Demand]] = {}
        self._of_cards: dict[tuple[int, str], frozenset[Demand]] = {}

    def demands(self) -> frozenset[Demand]:
        """Return every demand that the pile may make."""
        if self._known:
            return self._below(len(self._pile) - 1, ())
        colours = self._mechanics.colours
        both = {Demand(AT_LEAST, rank, RED | BLACK) for rank in colours if self._both_colours_left(rank)}
        return self._any_card(()) | both | {ANYTHING}

    def _both_colours_left(self, rank: int) -> bool:
        """Return whether a set of this rank that nobody saw may have a red and a black card."""
        left = {COLOUR_OF[card] for card in self._unseen.cards(rank)}
        return left == {RED, BLACK} and self._unseen.of_rank(rank) > 1

    def _below(self, depth: int, taken: tuple[int, ...]) -> frozenset[Demand]:
        """Return the demands of the pile up to index `depth`; unidentified cards above have ranks `taken`."""
        mechanics = self._mechanics
        while depth >= 0:
            card = self._pile[depth]
            if card == UNKNOWN:
                return self._of_unknown(depth, taken)
            rank = RANK_OF[card]
            stray = rank == JOKER_RANK and not mechanics.plays_jokers
            # A card that forces a pick-up is burned then: under others, it no longer counts.
            stray = stray or (rank in mechanics.forces_pick_up and depth < len(self._pile) - 1)
            if rank not in mechanics.transparent and not stray:
                return self._of_card(depth, card)
            depth -= 1
        return _NO_DEMAND

    def _of_unknown(self, depth: int, taken: tuple[int, ...]) -> frozenset[Demand]:
        found = self._seen.get((depth, taken))
        if found is None:
            transparent = self._mechanics.transparent
            found = self._any_card(taken, depth)
            for rank in self._ranks_left(taken):
                if rank in transparent:
                    found |= self._below(depth - 1, tuple(sorted((*taken, rank))))
            self._seen[depth, taken] = found
        return found

    def _ranks_left(self, taken: tuple[int, ...]) -> list[int]:
        unseen = self._unseen
        return [rank for rank in unseen.ranks() if unseen.of_rank(rank) > taken.count(rank)] or [*ALL_RANKS]

    def _any_card(self, taken: tuple[int, ...], depth: int | None = None) -> frozenset[Demand]:
        """Return the demands of an unidentified, not transparent card at index `depth`, or without a pile."""
        found: set[Demand] = set()
        for rank in self._ranks_left(taken):
            if rank in self._mechanics.transparent:
                continue
            if not self._suited(rank):
                found.add(demand_after(self._mechanics, ANYTHING, rank, 0, 0))
                continue
            text = RANK_TEXTS[rank]
            for suit in self._unseen.suits(rank):
                if depth is not None:
                    found |= self._of_card(depth, text + suit)
                    continue
                value = suit_value(self._mechanics, suit)
                found.add(demand_after(self._mechanics, ANYTHING, rank, value, COLOUR_OF[text + suit]))
        return frozenset(found)

    def _suited(self, rank: int) -> bool:
        """Return whether the suit of a card of this rank decides which cards go on it."""
        return rank != JOKER_RANK and (rank in self._mechanics.colours or bool(self._mechanics.suit_order))

    def _of_card(self, depth: int, card: str) -> frozenset[Demand]:
        """Return the demands of the set whose topmost card is `card`, at index `depth`."""
        found = self._of_cards.get((depth, card))
        if found is None:
            found = self._of_cards[depth, card] = self._demands_of_set(depth, card)
        return found

    def _demands_of_set(self, depth: int, card: str) -> frozenset[Demand]:
        rank = RANK_OF[card]
        if not self._suited(rank):
            return frozenset((demand_after(self._mechanics, ANYTHING, rank, 0, 0),))
        first, whole = self._set_around(depth)
        cards = [card, *reversed(self._pile[first:depth])]
        assumed = (card,) if self._pile[depth] == UNKNOWN else ()
        return frozenset(
            demand_after(self._mechanics, ANYTHING, rank, suit, colours)
            for suit, colours in self._of_set(cards, rank, whole, (0, 0), assumed)
        )

    def _set_around(self, depth: int) -> tuple[int, bool]:
        """Return the index where the set around index `depth` begins, and whether that index is known."""
        top = len(self._pile)
        for size in reversed(self._sets):
            first = max(0, top - size)
            if first <= depth < top:
                return first, True
            top = first
        return 0, False

    def _of_set(
        self, cards: Sequence[str], rank: int, whole: bool, so_far: tuple[int, int], taken: tuple[str, ...]
    ) -> set[tuple[int, int]]:
        """Return the possible pairs of best suit value and colour bits of a set of `rank`.

        Args:
            cards: the cards that may belong to the set, top card first.
            rank: the set's rank.
            whole: whether the cards are known to be one set. If not, the first card of another rank ends it.
            so_far: the best suit value and the colour bits of the cards before these.
            taken: the cards that unidentified cards before these stand for.
        """
        if not cards:
            return {so_far}
        card, rest = cards[0], cards[1:]
        found: set[tuple[int, int]] = set()
        if RANK_OF[card] != rank:
            found |= self._of_set(rest, rank, whole, so_far, taken) if whole else {so_far}
            if card != UNKNOWN or self._unseen.of_rank(rank) <= len(taken):
                return found
        text = RANK_TEXTS[rank]
        choices = [card] if SUIT_OF[card] else [text + suit for suit in self._unseen.suits(rank)]
        for choice in [one for one in choices if one not in taken] or choices:
            suit = max(so_far[0], suit_value(self._mechanics, SUIT_OF[choice]))
            more = taken if SUIT_OF[card] else (*taken, choice)
            found |= self._of_set(rest, rank, whole, (suit, so_far[1] | COLOUR_OF[choice]), more)
        return found


def completes_four(
    mechanics: Mechanics, pile: Sequence[str] | None, rank: int, count: int, unseen: UnseenCards
) -> bool | None:
    """Return whether `count` more cards of `rank` complete four of a kind on the pile; None: not known."""
    if pile is None:
        least, most = 0, unseen.of_rank(rank)
    elif mechanics.four_anywhere:
        blank, left = pile.count(UNKNOWN), unseen.of_rank(rank)
        known = sum(RANK_OF[card] == rank for card in pile)
        least, most = known + max(0, blank - (unseen.total() - left)), known + min(blank, left)
    else:
        least, most = _run_on_top(mechanics, pile, rank, unseen)
    if least + count >= mechanics.four:
        return True
    return False if most + count < mechanics.four else None


def _run_on_top(mechanics: Mechanics, pile: Sequence[str], rank: int, unseen: UnseenCards) -> tuple[int, int]:
    """Return the least and the most cards of `rank` that the top of the pile adds to four of a kind."""
    through = mechanics.four_through
    least, most, certain, blanks = 0, 0, True, 0
    for card in reversed(pile):
        found = RANK_OF[card]
        if found == rank:
            least, most = least + certain, most + 1
        elif found == UNKNOWN_RANK:
            blanks += 1
            others = {other for other in unseen.ranks() if other != rank}
            if blanks <= unseen.of_rank(rank):
                most += 1
            elif through.isdisjoint(others):
                break
            certain = certain and others <= through
            least += certain and not others
        elif found not in through:
            break
    return least, most


def run_on_top(mechanics: Mechanics, pile: Sequence[str], rank: int) -> int:
    """Return how many identified cards of `rank` the pile adds to four of a kind."""
    if mechanics.four_anywhere:
        return sum(RANK_OF[card] == rank for card in pile)
    count = 0
    for card in reversed(pile):
        found = RANK_OF[card]
        if found == rank:
            count += 1
        elif found not in mechanics.four_through:
            break
    return count
