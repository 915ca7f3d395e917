"""Numbers of the face networks' classes. Their order is part of the weights."""

from __future__ import annotations

from vision.decks.card_classes import RANKS, SUITS

JOKER = len(RANKS)
NONE = len(RANKS) + 1
"""A back, a covered card or no card."""
IGNORE = -1
"""The sample has no label of this kind."""


def rank_label(card: str) -> int:
    """Return the rank's class of `10H`, of a rank alone (`10`), of `JOKER` or of `BACK`."""
    if card in ("JOKER", "BACK"):
        return JOKER if card == "JOKER" else NONE
    return RANKS.index(card if card in RANKS else card[:-1])


def suit_label(card: str) -> int:
    """Return the suit's class, or IGNORE for a joker, a back or a rank alone."""
    if card in ("JOKER", "BACK") or card in RANKS:
        return IGNORE
    return SUITS.index(card[-1])
