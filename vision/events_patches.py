"""Small pictures of the zones: where they are cut out, and what they tell of a card's index."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vision.arms import disc
from vision.events_record import Patch
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.indices import INDEX_MM
from vision.layout import Layout, Zone
from vision.slots import Seen
from vision.stillness import SMALL_WIDTH

_PATCH_MM = 50.0
_INDEX_REACH_MM = (5.0, 10.0)
"""Half the width and height of an index."""
_CHANGED_LEVEL = 8.0
"""Mean change (0-255) from which another index is to be seen than before."""


def patch_box(layout: Layout, zone: Zone, scale: float) -> NDArray[np.int64]:
    """Return the corners (2 x 2: left top, right bottom) of a zone's patch in the small picture.

    `scale` is that of the small picture: its pixels per full pixel.
    """
    place = layout.place_of(zone)
    assert place is not None
    corners = layout.plane.pixels(disc(place, _PATCH_MM)) * scale
    low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0)) + 1
    return np.maximum(np.stack([low, high]).astype(np.int64), 0)


def lay_there_before(card: Seen, before: Patch | None, now: Patch | None, layout: Layout, zone: Zone) -> bool:
    """Tell whether one of a card's two indices is as it was: then the card lay there and was overlooked.

    What was just put down, or lies under it, has another index in both places. False where the patches, the
    zone's before and now, do not show that.
    """
    if before is None or now is None or before.shape != now.shape:
        return False
    scale = SMALL_WIDTH / max(layout.width, layout.height)
    low = patch_box(layout, zone, scale)[0]
    change = np.abs(before.astype(np.int16) - now.astype(np.int16)).max(axis=2)
    for corners in _index_corners(card):
        pixels = layout.plane.pixels(corners) * scale - low
        (left, top), (right, bottom) = np.round(pixels.min(axis=0)), np.round(pixels.max(axis=0))
        if left < 0 or top < 0 or right > change.shape[1] or bottom > change.shape[0]:
            continue
        part = change[int(top) : int(bottom), int(left) : int(right)]
        if part.size and float(part.mean()) < _CHANGED_LEVEL:
            return True
    return False


def _index_corners(card: Seen) -> list[NDArray[np.float64]]:
    """Return the corners (4 x 2, mm) of both indices of a card on the table."""
    angle = math.radians(card.angle)
    along, across = (
        np.array([math.cos(angle), math.sin(angle)]),
        np.array([-math.sin(angle), math.cos(angle)]),
    )
    middle = np.array([card.x, card.y])
    aside, up = CARD_WIDTH_MM / 2 - INDEX_MM[0], CARD_HEIGHT_MM / 2 - INDEX_MM[1]
    wide, high = _INDEX_REACH_MM
    # Of an upright card (90 degrees: `along` points down the table, `across` to the left) the indices
    # are at its top left and its bottom right.
    return [
        np.array(
            [
                middle + end * (up * along - aside * across) + i * high * along + j * wide * across
                for i, j in ((-1, -1), (-1, 1), (1, 1), (1, -1))
            ]
        )
        for end in (-1.0, 1.0)
    ]
