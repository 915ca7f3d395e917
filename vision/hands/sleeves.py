"""The colours of the players' arms at the image border: a sleeve, or a bare arm.

Nobody changes clothes during a game. So colours distinguish the arms of neighbours once they are known. The
light differs over a table, so lightness counts less than hue.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion.background import ForegroundRegion
from vision.types import Image

Colour = NDArray[np.float64]
"""CIE L*a*b* as in 8-bit OpenCV, with a reduced weight of lightness: 3 numbers."""

_NEAR_BORDER_PX, _MIN_PIXELS = 14, 30
"""An arm's colour is measured within this distance of the border (pixels of the small image), on at least
this many pixels."""
_LIGHTNESS_WEIGHT = 0.5
"""Weight of lightness."""
_SAME_LEVELS = 10.0
"""Colours that differ by less than this (levels, 0-255) may be one sleeve in different light."""
_MM_PER_LEVEL, _MAX_MISMATCH_MM = 3.0, 60.0
"""Mismatch per level beyond that, and the largest mismatch, on the scale of shoulder positions."""
_UNKNOWN_MM = 20.0
"""Mismatch of a seat whose sleeve is still unknown."""
_LEARNING_RATE = 0.3
"""Weight of the newest arm in the estimate of a sleeve's colour."""


def sleeve_colour(region: ForegroundRegion, small_image: Image) -> Colour | None:
    """Return the colour of a region near the border of the small image; None if too little is visible."""
    if region.contact is None:
        return None
    rows, columns = np.nonzero(region.mask)
    near = np.hypot(columns - region.contact[0], rows - region.contact[1]) < _NEAR_BORDER_PX
    if int(near.sum()) < _MIN_PIXELS:
        return None
    pixels = small_image[rows[near], columns[near]][None]
    colour = np.median(cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0].astype(np.float64), axis=0)
    return np.asarray(colour * [_LIGHTNESS_WEIGHT, 1.0, 1.0], np.float64)


@dataclass(slots=True)
class SleeveColours:
    """Learns the colours of the players' arms."""

    _known: dict[int, Colour] = field(default_factory=dict)

    def learn(self, seat: int, colour: Colour | None) -> None:
        """Learn the colour of an arm that certainly belongs to a seat; None if it was not visible."""
        if colour is not None:
            before = self._known.get(seat, colour)
            self._known[seat] = before + _LEARNING_RATE * (colour - before)

    def mismatch_mm(self, seat: int, colour: Colour | None) -> float:
        """Return how badly an arm of this colour fits a seat, in mm on the scale of shoulder positions."""
        if colour is None:
            return 0.0
        if seat not in self._known:
            return _UNKNOWN_MM
        apart = float(np.linalg.norm(colour - self._known[seat])) - _SAME_LEVELS
        return min(_MAX_MISMATCH_MM, _MM_PER_LEVEL * max(0.0, apart))
