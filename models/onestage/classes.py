"""What the one-stage detector tells apart: the order of its outputs."""

from __future__ import annotations

from vision.decks.card_classes import CARDS

CLASSES = (*CARDS, "JOKER")
"""The 52 cards, then the joker, which the rendered scenes show as well."""
