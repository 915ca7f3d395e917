"""What the face networks tell apart: the order of their outputs is part of the weights."""

from __future__ import annotations

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The 52 cards, in the order of the outer product of rank and suit probabilities."""

RANK_OUTPUTS = len(RANKS) + 2
"""The ranks, then JOKER, then NONE (a back, a covered card, no card)."""
SUIT_OUTPUTS = len(SUITS)
OUTPUTS = RANK_OUTPUTS + SUIT_OUTPUTS
"""Logits per piece: first those of the rank, then those of the suit."""


def is_red(card: str) -> bool:
    """Tell whether a card is of a red suit."""
    return card[-1] in "DH"


def rank_and_colour(card: str) -> tuple[str, bool]:
    """Return what of a card's name can be told apart best: its rank, and whether it is red."""
    return card[:-1], is_red(card)
