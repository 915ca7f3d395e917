"""The whole table with nothing hidden, as small immutable values: what a simulated game is played on.

Cards are small ints here (`Pack` numbers them) and a hand is a set of bits, so that an act costs
microseconds. Text stays at the border (`Pack.codes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.cards import COLOUR_OF, JOKER, RANK_OF, RANKS, SUIT_OF, SUITS

PLAY, PICK_UP, SHOW, FLIP, TAKE_UP, TAKE_DOWN = range(6)


class Act(NamedTuple):
    """What a player does. Cards are bits; which of the fields matter depends on `kind`."""

    kind: int
    player: int
    """Seat, from 0."""
    hand: int = 0
    """Cards out of the hand."""
    up: int = 0
    """Cards out of the up-cards."""
    down: int = -1
    """The down-card that is turned or taken, by its number; chosen blindly."""
    to: int = -1
    """Whom a card is shown to."""
    answers: int = 0
    """How often the show was answered, by turns."""


class Table(NamedTuple):
    """Everything on the table. One tuple entry for each seat where there are several."""

    deck: tuple[int, ...]
    """The draw pile as it was after the deal, in the order of drawing."""
    drawn: int
    """How many of `deck` have been drawn."""
    hands: tuple[int, ...]
    ups: tuple[int, ...]
    downs: tuple[int, ...]
    pile: tuple[int, ...]
    """Bottom first."""
    sets: tuple[int, ...]
    """How many cards of the pile were played together each time, the last set last."""
    demand: int
    """What has to be beaten, as `engine.simulation.play.Game` numbers it."""
    burned: int
    turn: int
    """The seat whose turn it is; -1 when the game is over."""
    step: int
    """Direction of play: 1 clockwise, -1 anticlockwise."""
    out: int
    """Seats that have left the game, as bits."""
    since: tuple[int, ...]
    """For each seat that has left: the seats that have completed a turn since, as bits."""
    loser: int
    """The Shithead's seat, or -1."""
    acts: int
    """How many acts led here."""


class Pack:
    """The cards of one or more packs, numbered so that cards of one rank lie next to each other.

    Args:
        packs: how many packs of 52.
        jokers: how many jokers altogether.
    """

    def __init__(self, packs: int, jokers: int) -> None:
        self.stride = 4 * packs
        """Numbers set aside for each rank."""
        codes = [rank + suit for rank in RANKS for suit in SUITS for _ in range(packs)]
        self.codes: tuple[str, ...] = (*codes, *[JOKER] * jokers)
        """The card's text, by its number."""
        self.ranks = tuple(RANK_OF[code] for code in self.codes)
        self.suits = tuple(SUIT_OF[code] for code in self.codes)
        self.colours = tuple(COLOUR_OF[code] for code in self.codes)
        self.bits = tuple(1 << card for card in range(len(self.codes)))
        self.all = (1 << len(self.codes)) - 1

    def rank_bits(self, rank: int) -> int:
        """Return all cards of a rank as bits."""
        return sum(bit for bit, other in zip(self.bits, self.ranks, strict=True) if other == rank)

    def text(self, cards: int) -> tuple[str, ...]:
        """Return a set of cards as text, lowest first."""
        return tuple(self.codes[card] for card in cards_of(cards))

    def texts(self, cards: Iterable[int]) -> tuple[str, ...]:
        """Return numbered cards as text, in their order."""
        return tuple(self.codes[card] for card in cards)


def cards_of(bits: int) -> Iterator[int]:
    """Yield the numbers of the cards in a set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def replaced(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    """Return the tuple with one entry changed."""
    return (*values[:place], value, *values[place + 1 :])
