"""The classes of the face networks. Their order is part of the weights."""

from __future__ import annotations

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The 52 cards, in the order of the outer product of rank and suit probabilities."""

RANK_OUTPUTS = len(RANKS) + 2
"""The number of rank logits: the ranks, then JOKER, then NONE (a back, a covered card, no card)."""
SUIT_OUTPUTS = len(SUITS)
OUTPUTS = RANK_OUTPUTS + SUIT_OUTPUTS
"""The number of logits per crop: first those of the rank, then those of the suit."""


def is_red(card: str) -> bool:
    """Return whether a card's suit is red."""
    return card[-1] in "DH"


def rank_of(card: str | None) -> str:
    """Return a card's rank as it is written. A joker, `??` and None have ranks of their own."""
    return str(card)[:-1]


def rank_and_colour(card: str) -> tuple[str, bool]:
    """Return a card's rank, and whether it is red: the parts of its name that are easiest to read."""
    return rank_of(card), is_red(card)
