"""Whether a picture is good enough to referee by: light, distance, glare, and the whole table in sight.

It asks the picture and the cards found in it, and answers with names; the words are the screen's. Each limit
lies on the safe side of where readings of the sample film begin to fail when it is darkened (with noise of 4
grey levels, as a small camera has), shrunk or overexposed
(`pytest -m benchmark -s tests/benchmarks/test_sight.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import quad_sides
from vision.types import CardReading, Image, Quad

Fault = Literal["dark", "far", "glare", "cut", "nothing"]
"""Too little light; cards too small; light that a card or the table throws back; a card that the border cuts;
no card in sight, so that distance and border cannot be judged."""
FAULTS: tuple[Fault, ...] = ("nothing", "dark", "glare", "cut", "far")
"""The order in which they are told: what hides the others comes first."""

DARK_PAPER = 55.0
"""Grey level of a card's paper (of 255): first cards are lost at 28; half as bright again, twice, is safe."""
DARK_PICTURE = 40.0
"""Without a card: grey level that all but the brightest twentieth stay below. A dark cloth in fair light has
lamps, hands or an edge of the table that are brighter."""
SMALL_CARD = 34.0
"""Pixels of a card's short side, of the median card: at 31 the first cards go unnamed."""
_BLOWN = 250
"""From this level on in all three channels nothing printed is left: cameras clip at 255."""
WASHED_OUT = 0.7
"""Share of a card that is blown out when the light is too strong everywhere: 0.6 reads well, 0.8 does not."""
SPOT_ON_CARD = 0.3
"""The same for a spot of light, on one card where most cards have none: an index is a twentieth of a card."""
_NO_SPOT = 0.1
SPOT_ON_TABLE = 0.01
"""Share of the table between the cards: a spot as large as one card of the usual sixteen may hide one."""
_BORDER_PX = 2.0
_LIGHT_WIDTH = 960
"""Pixels: light is judged on a picture no wider than this."""
Mask = NDArray[np.bool_]


def sight_faults(image: Image, readings: Sequence[CardReading]) -> tuple[Fault, ...]:
    """Return what is wrong with a picture of the table, most important first; empty: nothing.

    Args:
        image: The picture.
        readings: The cards found in it.
    """
    small, scale = _shrunk(image)
    cards = [_filled(small, reading.quad * scale) for reading in readings]
    papers = [card for card, reading in zip(cards, readings, strict=True) if reading.face == "up"]
    found: set[Fault] = set()
    if _is_dark(small, papers):
        found.add("dark")
    if not readings:
        found.add("nothing")
        return tuple(fault for fault in FAULTS if fault in found)
    corners = np.concatenate([reading.quad for reading in readings])
    if _has_glare(small, cards, _filled(small, cv2.convexHull(corners * scale))):
        found.add("glare")
    if any(_is_cut(image, reading.quad) for reading in readings):
        found.add("cut")
    if float(np.median([min(quad_sides(reading.quad)) for reading in readings])) < SMALL_CARD:
        found.add("far")
    return tuple(fault for fault in FAULTS if fault in found)


def _shrunk(image: Image) -> tuple[Image, float]:
    """Return the picture small enough to judge its light quickly, and by how much it was shrunk."""
    scale = min(1.0, _LIGHT_WIDTH / image.shape[1])
    if scale == 1.0:
        return image, scale
    size = (round(image.shape[1] * scale), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def _is_dark(image: Image, papers: Sequence[Mask]) -> bool:
    """Judge by the paper of face-up cards, which is white whatever the table's colour."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    levels = [float(np.percentile(grey[paper], 80)) for paper in papers if paper.any()]
    if levels:
        return float(np.median(levels)) < DARK_PAPER
    return float(np.percentile(grey, 95)) < DARK_PICTURE


def _has_glare(image: Image, cards: Sequence[Mask], table: Mask) -> bool:
    """Judge by what is blown out: on all cards, on single ones, on the part of the table they enclose."""
    blown = image.min(axis=2) >= _BLOWN
    shares = [float(blown[card].mean()) for card in cards if card.any()]
    usual = float(np.median(shares)) if shares else 0.0
    cloth = table.copy()
    for card in cards:
        cloth &= ~card
    on_cloth = float(blown[cloth].mean()) if cloth.any() else 0.0
    spotted = usual < _NO_SPOT and max(shares, default=0.0) >= SPOT_ON_CARD
    return spotted or usual >= WASHED_OUT or on_cloth >= SPOT_ON_TABLE


def _is_cut(image: Image, quad: Quad) -> bool:
    """Return whether the picture's border cuts the card or touches it."""
    height, width = image.shape[:2]
    (left, top), (right, bottom) = quad.min(axis=0), quad.max(axis=0)
    least = min(left, top, width - 1 - right, height - 1 - bottom)
    return bool(least < _BORDER_PX)


def _filled(image: Image, points: ArrayLike) -> Mask:
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(np.asarray(points, np.float64)).astype(np.int32), 1)
    return mask.astype(bool)
