"""The unseen cards: the candidates for an unidentified card.

Each physical card exists once per pack. A card that is known to lie in one place cannot be the unidentified
card in another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engine.cards import FULL_PACK, JOKER, JOKER_RANK, RANK_OF, RANK_TEXTS, SUITS, UNKNOWN


class UnseenCards:
    """Counts the cards of the game that are not known to lie anywhere.

    Args:
        packs: the number of packs of 52 cards.
        jokers: the number of jokers in all packs.
        known: every card that is known somewhere. Unidentified cards are ignored, and a card without a suit
            only uses up its rank.
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
        """Return whether more cards of a rank are known than the packs hold."""
        return self._left[rank] < 0

    def of_card(self, card: str) -> int:
        """Return how many copies of one card can be left."""
        rank = RANK_OF[card]
        if rank == JOKER_RANK:
            return self.of_rank(rank)
        return max(0, min(self.packs - self._known[card], self._left[rank]))

    def ranks(self) -> Iterator[int]:
        """Yield the ranks with at least one card left, lowest first; the joker comes last."""
        return (rank for rank, count in self._left.items() if count > 0)

    def cards(self, rank: int | None = None) -> Iterator[str]:
        """Yield once each card that may be left, of one rank or of all."""
        for card in (*FULL_PACK, JOKER):
            if (rank is None or RANK_OF[card] == rank) and self.of_card(card):
                yield card

    def suits(self, rank: int) -> list[str]:
        """Return the suits that a card of this rank without a suit may have; all if none seems to be left."""
        text = RANK_TEXTS[rank]
        return [suit for suit in SUITS if self.packs > self._known[text + suit]] or list(SUITS)

    def total(self) -> int:
        """Return how many cards are left in all."""
        return sum(count for count in self._left.values() if count > 0)
