"""The cards that nobody has seen: what an unidentified card can be.

Each physical card exists once per pack. Whatever is known to lie in one place cannot be the unidentified card
in another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine.cards import FULL_PACK, JOKER, JOKER_RANK, RANK_OF, RANK_TEXTS, SUITS, UNKNOWN


class UnseenCards:
    """Counts the cards of the game that no place is known to hold.

    Args:
        packs: how many packs of 52 are played with.
        jokers: how many jokers altogether.
        known: every card that is known somewhere; unidentified ones are passed over, and of a card without a
            suit only the rank is used up.
    """

    def __init__(self, packs: int, jokers: int, known: Iterable[str] = ()) -> None:
        self.packs = packs
        self._known = Counter(known)
        del self._known[UNKNOWN]
        of_rank: Counter[int] = Counter()
        for card, count in self._known.items():
            of_rank[RANK_OF[card]] += count
        self._left = {rank: 4 * packs - of_rank[rank] for rank in range(2, JOKER_RANK)}
        self._left[JOKER_RANK] = jokers - of_rank[JOKER_RANK]

    def of_rank(self, rank: int) -> int:
        """Return how many cards of a rank are left."""
        return max(0, self._left[rank])

    def overdrawn(self, rank: int) -> bool:
        """Return whether more cards of a rank are known than there are."""
        return self._left[rank] < 0

    def of_card(self, card: str) -> int:
        """Return how many copies of one card can be left."""
        rank = RANK_OF[card]
        if rank == JOKER_RANK:
            return self.of_rank(rank)
        return max(0, min(self.packs - self._known[card], self._left[rank]))

    def ranks(self) -> Iterator[int]:
        """Yield the ranks of which a card is left, lowest first; a joker comes last."""
        return (rank for rank, count in self._left.items() if count > 0)

    def cards(self, rank: int | None = None) -> Iterator[str]:
        """Yield each card that may be left once, those of one rank or all."""
        for card in (*FULL_PACK, JOKER):
            if (rank is None or RANK_OF[card] == rank) and self.of_card(card):
                yield card

    def suits(self, rank: int) -> list[str]:
        """Return the suits that a card known by its rank alone may have; all where none seems to be left."""
        text = RANK_TEXTS[rank]
        return [suit for suit in SUITS if self.packs > self._known[text + suit]] or list(SUITS)

    def total(self) -> int:
        """Return how many cards are left altogether."""
        return sum(count for count in self._left.values() if count > 0)
