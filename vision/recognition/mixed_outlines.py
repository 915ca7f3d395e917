"""Outlines that pass through several cards, and whose name belongs to none of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_homography, lie_on_card, transform_points
from vision.recognition.index_owners import (
    SURE_CARD_P,
    SURE_INDEX_P,
    IndexReading,
    corner_readings,
    index_lies_on,
    is_same_place,
)
from vision.types import CardReading, Quad

_WITHIN_MM = 6.0
"""An index at least this far inside an outline does not lie just beside the card."""
_MIN_VISIBLE_SHARE = 0.4
"""A card can be read by its pips if more than this share of it is visible."""
_GRID_COLUMNS, _GRID_ROWS = 8, 11
"""Grid of points on which the visible share is measured: columns, rows."""


def is_mixed_outline(
    card: CardReading, cards: Sequence[CardReading], index_readings: Sequence[IndexReading]
) -> bool:
    """Return whether an outline passes through other cards than the one that it seems to be.

    No index confirms its name, and one of two things holds. Either two cards lie almost exactly on each other
    in its place. Or other cards leave too little of it visible, and their pips were read as its own.

    Args:
        card: The card as it was outlined.
        cards: All outlined cards.
        index_readings: All index readings, surest name first.
    """
    if any(reading.card is not None and reading.card == card.card for _, reading in index_readings):
        return False
    return _is_of_two_in_one_place(card, index_readings) or _is_hidden(card, cards, index_readings)


def _is_of_two_in_one_place(card: CardReading, index_readings: Sequence[IndexReading]) -> bool:
    """Return whether an outline passes through two cards that lie almost exactly on each other.

    Indices in that place surely show two other cards, or one other card more surely than the outline does. An
    index alone is misread more often than a whole card. Or the indices in the outline's own two corners
    belong to two other cards.
    """
    others = {
        reading.card: reading.confidence
        for _, reading in reversed(index_readings)
        if reading.card is not None and reading.confidence >= SURE_INDEX_P and is_same_place(reading, card)
    }
    if len(others) > 1 or any(surely > card.confidence for surely in others.values()):
        return True
    corners = corner_readings(card, index_readings)
    names = {reading.card for reading in corners}
    return len(names) == 2 and max(reading.confidence for reading in corners) >= SURE_INDEX_P


def _is_hidden(
    card: CardReading, cards: Sequence[CardReading], index_readings: Sequence[IndexReading]
) -> bool:
    """Return whether other cards leave too little of an outline visible to read its face.

    A card lies on the outline if its index is seen inside the outline.
    """
    upper = [
        other.quad
        for other in cards
        if other is not card
        and other.card not in (None, card.card)
        and any(
            reading.card == other.card
            and max(reading.confidence, other.confidence) >= SURE_CARD_P
            and index_lies_on(index, card, -_WITHIN_MM)
            and index_lies_on(index, other)
            for index, reading in index_readings
        )
    ]
    return len(upper) > 1 and _visible_share(card.quad, upper) < _MIN_VISIBLE_SHARE


def _visible_share(quad: Quad, upper: Sequence[Quad]) -> float:
    """Return the share of a card that the cards on top of it leave visible."""
    across = (np.arange(_GRID_COLUMNS) + 0.5) / _GRID_COLUMNS * CARD_WIDTH_MM
    along = (np.arange(_GRID_ROWS) + 0.5) / _GRID_ROWS * CARD_HEIGHT_MM
    places = transform_points(
        card_homography(quad), np.stack(np.meshgrid(across, along), axis=-1).reshape(-1, 2)
    )
    covered = np.zeros(len(places), np.bool_)
    for other in upper:
        covered |= lie_on_card(other, places)
    return 1.0 - float(covered.mean())
