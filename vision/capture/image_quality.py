"""Whether an image is good enough to referee by: light, distance, glare, and the whole table in view.

The checks look at the image and at the cards found in it. They return names; the screens have the words. The
limits come from darkening (with noise of 4 grey levels, as a small camera has), downscaling and overexposing
the sample film. Each lies on the safe side of the value at which readings begin to fail (`pytest -m benchmark
-s tests/benchmarks/test_sight.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.geometry import quad_size
from vision.types import CardReading, Image, Mask, Quad

QualityFault = Literal["dark", "far", "glare", "cut", "nothing"]
"""Too little light; cards too small; glare on a card or the table; a card cut by the image border; no card.
With no card in view, distance and border cannot be judged."""
QUALITY_FAULTS: tuple[QualityFault, ...] = ("nothing", "dark", "glare", "cut", "far")
"""All faults, most important first: a fault comes before those that it hides."""

MIN_PAPER_LEVEL = 55.0
"""Least grey level (0-255) of the paper of a card. Cards are first lost at 28; this is twice that."""
MIN_TABLE_LEVEL = 40.0
"""Least grey level (0-255) of the 95th percentile of an image without cards. Even a dark cloth in fair light
comes with brighter lamps, hands or table edges."""
MIN_CARD_WIDTH_PX = 34.0
"""Least short side of the median card, in pixels. At 31 the first cards lose their names."""
_CLIPPED_LEVEL = 250
"""Grey level (0-255) at which a channel counts as clipped. Cameras clip at 255; if all three channels are
clipped, no print can be seen."""
MAX_CLIPPED_SHARE = 0.7
"""Largest clipped share of the usual card. Cards read well at 0.6 and badly at 0.8."""
MAX_SPOT_ON_CARD = 0.3
"""Largest clipped share of a single card if the usual card has almost no clipping. An index covers a
twentieth of a card."""
_UNCLIPPED_CARD_SHARE = 0.1
"""Below this clipped share, a card has almost no clipping."""
MAX_SPOT_ON_TABLE = 0.01
"""Largest clipped share of the table between the cards. It is less than a card's share of a usual table with
16 cards, so a larger spot may hide a card."""
_BORDER_PX = 2.0
"""A card nearer to the image border than this counts as cut, in pixels."""
_EXPOSURE_WIDTH_PX = 960
"""Width in pixels of the copy on which the light is measured."""


def quality_faults(image: Image, readings: Sequence[CardReading]) -> tuple[QualityFault, ...]:
    """Return the faults of an image of the table, most important first.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        readings: The cards found in it.
    """
    small, scale = _downscaled(image)
    cards = [_polygon_mask(small, reading.quad * scale) for reading in readings]
    papers = [card for card, reading in zip(cards, readings, strict=True) if reading.face == "up"]
    found: set[QualityFault] = set()
    if _is_dark(small, papers):
        found.add("dark")
    if not readings:
        found.add("nothing")
        return tuple(fault for fault in QUALITY_FAULTS if fault in found)
    corners = np.concatenate([reading.quad for reading in readings])
    if _has_glare(small, cards, _polygon_mask(small, cv2.convexHull(corners * scale))):
        found.add("glare")
    if any(_is_cut(image, reading.quad) for reading in readings):
        found.add("cut")
    if float(np.median([min(quad_size(reading.quad)) for reading in readings])) < MIN_CARD_WIDTH_PX:
        found.add("far")
    return tuple(fault for fault in QUALITY_FAULTS if fault in found)


def _downscaled(image: Image) -> tuple[Image, float]:
    """Return a copy small enough to measure its light quickly, and its scale."""
    scale = min(1.0, _EXPOSURE_WIDTH_PX / image.shape[1])
    if scale == 1.0:
        return image, scale
    size = (round(image.shape[1] * scale), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def _is_dark(image: Image, papers: Sequence[Mask]) -> bool:
    """Return whether the picture is too dark, by the paper of face-up cards, which is always white."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    levels = [float(np.percentile(grey[paper], 80)) for paper in papers if paper.any()]
    if levels:
        return float(np.median(levels)) < MIN_PAPER_LEVEL
    return float(np.percentile(grey, 95)) < MIN_TABLE_LEVEL


def _has_glare(image: Image, cards: Sequence[Mask], table: Mask) -> bool:
    """Return whether too much is clipped on all cards, on a single card, or on the table between."""
    blown = image.min(axis=2) >= _CLIPPED_LEVEL
    shares = [float(blown[card].mean()) for card in cards if card.any()]
    usual = float(np.median(shares)) if shares else 0.0
    cloth = table.copy()
    for card in cards:
        cloth &= ~card
    on_cloth = float(blown[cloth].mean()) if cloth.any() else 0.0
    spotted = usual < _UNCLIPPED_CARD_SHARE and max(shares, default=0.0) >= MAX_SPOT_ON_CARD
    return spotted or usual >= MAX_CLIPPED_SHARE or on_cloth >= MAX_SPOT_ON_TABLE


def _is_cut(image: Image, quad: Quad) -> bool:
    """Return whether the image border cuts or touches a card."""
    height, width = image.shape[:2]
    (left, top), (right, bottom) = quad.min(axis=0), quad.max(axis=0)
    least = min(left, top, width - 1 - right, height - 1 - bottom)
    return bool(least < _BORDER_PX)


def _polygon_mask(image: Image, points: ArrayLike) -> Mask:
    """Return the inside of a convex polygon (N x 2 px) as a mask of the image's size."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(np.asarray(points, np.float64)).astype(np.int32), 1)
    return mask.astype(bool)
