"""Outlines that were drawn through several cards, and bear the name of none of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_plane, on_card, transform
from vision.recognition.index_owners import (
    PLAIN,
    SURELY_OTHER,
    Told,
    in_one_place,
    index_stands_on,
    named_in_corners,
)
from vision.types import CardReading, Quad

_WITHIN_MM = 6.0
"""An index so far within an outline is not just beside a card that was outlined a little too large."""
_SHOWS = 0.4
"""Of a card that is read by its pips more than this share is to be seen."""
_COLUMNS, _ROWS = 8, 11
"""So many places of a card, across and along, are asked whether others lie upon them."""


def is_blend(card: CardReading, cards: Sequence[CardReading], told: Sequence[Told]) -> bool:
    """Tell whether an outline was drawn through other cards than the one it seems to be.

    No index confirms its name, and either two cards lie almost on one another in its place, or others lie
    upon it that leave too little of it to be seen: it is their pips that were read as its own.

    Args:
        card: The card as it was outlined.
        cards: All cards that were outlined.
        told: What all indices tell, surest name first.
    """
    if any(reading.card is not None and reading.card == card.card for _, reading in told):
        return False
    return _is_of_two_in_one_place(card, told) or _is_hidden(card, cards, told)


def _is_of_two_in_one_place(card: CardReading, told: Sequence[Told]) -> bool:
    """Tell whether an outline was drawn through two cards that lie almost on one another.

    In the same place indices surely tell of two other cards, or of one more surely than the outline does: an
    index alone is sooner misread than a whole card. Or each of the corners in which it would have its own
    indices bears another card's.
    """
    others = {
        reading.card: reading.confidence
        for _, reading in reversed(told)
        if reading.card is not None and reading.confidence >= SURELY_OTHER and in_one_place(reading, card)
    }
    if len(others) > 1 or any(surely > card.confidence for surely in others.values()):
        return True
    corners = named_in_corners(card, told)
    names = {reading.card for reading in corners}
    return len(names) == 2 and max(reading.confidence for reading in corners) >= SURELY_OTHER


def _is_hidden(card: CardReading, cards: Sequence[CardReading], told: Sequence[Told]) -> bool:
    """Tell whether cards lie upon an outline and leave too little of it for its face to be read.

    A card whose index is seen within the outline lies upon it.
    """
    upper = [
        other.quad
        for other in cards
        if other is not card
        and other.card not in (None, card.card)
        and any(
            reading.card == other.card
            and max(reading.confidence, other.confidence) >= PLAIN
            and index_stands_on(index, card, -_WITHIN_MM)
            and index_stands_on(index, other)
            for index, reading in told
        )
    ]
    return len(upper) > 1 and _share_seen(card.quad, upper) < _SHOWS


def _share_seen(quad: Quad, upper: Sequence[Quad]) -> float:
    """Return what share of a card others that lie upon it leave to be seen."""
    across = (np.arange(_COLUMNS) + 0.5) / _COLUMNS * CARD_WIDTH_MM
    along = (np.arange(_ROWS) + 0.5) / _ROWS * CARD_HEIGHT_MM
    places = transform(card_plane(quad), np.stack(np.meshgrid(across, along), axis=-1).reshape(-1, 2))
    covered = np.zeros(len(places), np.bool_)
    for other in upper:
        covered |= on_card(other, places)
    return 1.0 - float(covered.mean())
