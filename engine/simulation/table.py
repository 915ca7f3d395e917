"""The table of a simulated game, with nothing hidden, as small immutable values.

Cards are small ints (`Pack` numbers them), and a hand is an int with one bit for each card. So an act takes
microseconds. `Pack.codes` converts cards to text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.cards import COLOUR_OF, JOKER, RANK_OF, RANKS, SUIT_OF, SUITS

PLAY, PICK_UP, SHOW, FLIP, TAKE_UP, TAKE_DOWN = range(6)


class Act(NamedTuple):
    """An act of a player. Sets of cards are bits. `kind` decides which fields matter."""

    kind: int
    """`PLAY`, `PICK_UP`, `SHOW`, `FLIP`, `TAKE_UP` or `TAKE_DOWN`."""
    player: int
    """The seat, from 0."""
    hand: int = 0
    """The cards from the hand."""
    up: int = 0
    """The up-cards."""
    down: int = -1
    """The number of the down-card that is flipped or taken; chosen blindly."""
    to: int = -1
    """The seat that a card is shown to."""
    answers: int = 0
    """How often the show is answered, in turns."""


class Table(NamedTuple):
    """The whole table. Fields in the plural have one entry for each seat, except `sets` and `acts`."""

    deck: tuple[int, ...]
    """The draw pile after the deal, in the order of drawing."""
    drawn: int
    """How many cards of `deck` have been drawn."""
    hands: tuple[int, ...]
    ups: tuple[int, ...]
    downs: tuple[int, ...]
    pile: tuple[int, ...]
    """Bottom first."""
    sets: tuple[int, ...]
    """The sizes of the sets on the pile, last set last."""
    demand: int
    """The index of the pile's demand in `engine.simulation.play.CompiledRules.demands`."""
    burned: int
    turn: int
    """The seat whose turn it is; -1 after the end of the game."""
    step: int
    """The direction of play: 1 clockwise, -1 anticlockwise."""
    out: int
    """The seats that have left the game, as bits."""
    since: tuple[int, ...]
    """For each seat that has left: the seats that have completed a turn since, as bits."""
    loser: int
    """The Shithead's seat, or -1."""
    acts: int
    """The number of acts so far."""


_MOST_TEXTS = 256
"""How many sets of cards a pack remembers as text."""


class Pack:
    """The cards of one or more packs, numbered so that cards of one rank have adjacent numbers.

    Args:
        packs: the number of packs of 52 cards.
        jokers: the number of jokers in all packs.
    """

    def __init__(self, packs: int, jokers: int) -> None:
        codes = [rank + suit for rank in RANKS for suit in SUITS for _ in range(packs)]
        self.codes: tuple[str, ...] = (*codes, *[JOKER] * jokers)
        """By number: the card as text."""
        self.ranks = tuple(RANK_OF[code] for code in self.codes)
        self.suits = tuple(SUIT_OF[code] for code in self.codes)
        self.colours = tuple(COLOUR_OF[code] for code in self.codes)
        self.bits = tuple(1 << card for card in range(len(self.codes)))
        self._texts: dict[int, tuple[str, ...]] = {}

    def rank_bits(self, rank: int) -> int:
        """Return all cards of a rank as bits."""
        return sum(bit for bit, other in zip(self.bits, self.ranks, strict=True) if other == rank)

    def text(self, cards: int) -> tuple[str, ...]:
        """Return a set of cards as text, lowest first.

        Results are cached, because each act at a table asks for the same sets.
        """
        text = self._texts.get(cards)
        if text is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            text = self._texts[cards] = self.texts(cards_of(cards))
        return text

    def texts(self, cards: Iterable[int]) -> tuple[str, ...]:
        """Return cards, given by number, as text in the same order."""
        return tuple(self.codes[card] for card in cards)


def cards_of(bits: int) -> Iterator[int]:
    """Yield the numbers of the cards in a set of bits, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def replaced(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    """Return the tuple with one entry changed."""
    return (*values[:place], value, *values[place + 1 :])
