"""What the arms of each player look like where they cross the picture's border: a sleeve, or a bare arm.

Nobody changes clothes in a game. Where people sit side by side the colour tells their arms apart, once it is
known; the light on a table is not the same everywhere, so lightness counts for less than hue.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion.background import Limb
from vision.types import Image

Colour = NDArray[np.float64]
"""CIE L*a*b* (as OpenCV scales it for 8 bit), lightness counted for less: three numbers."""

_NEAR_PIXELS, _LEAST_PIXELS = 14, 30
"""So near to where an arm crosses the border, in the small picture, it is looked at; at so many pixels."""
_LIGHTNESS = 0.5
_SAME_LEVELS = 10.0
"""Colours that differ by less than this, of 255, may be those of one sleeve in another light."""
_MM_PER_LEVEL, _MOST_MM = 3.0, 60.0
"""What a difference in colour counts for, beside how far a shoulder is from where it should be."""
_UNKNOWN_MM = 20.0
"""What it counts for that it is not known yet how somebody's arm looks."""
_NEWEST = 0.3
"""What the newest reach counts for in how somebody's arm looks."""


def colour_of(limb: Limb, small: Image) -> Colour | None:
    """Return the colour of a limb in the small picture, close to the border; None where too little shows."""
    if limb.contact is None:
        return None
    rows, columns = np.nonzero(limb.mask)
    near = np.hypot(columns - limb.contact[0], rows - limb.contact[1]) < _NEAR_PIXELS
    if int(near.sum()) < _LEAST_PIXELS:
        return None
    pixels = small[rows[near], columns[near]][None]
    colour = np.median(cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0].astype(np.float64), axis=0)
    return np.asarray(colour * [_LIGHTNESS, 1.0, 1.0], np.float64)


@dataclass(slots=True)
class Sleeves:
    """Knows the colours of the players' arms, as far as they have been seen."""

    _known: dict[int, Colour] = field(default_factory=dict)

    def learn(self, seat: int, colour: Colour | None) -> None:
        """Note the colour of an arm that surely is this seat's; None: it was not to be seen."""
        if colour is not None:
            before = self._known.get(seat, colour)
            self._known[seat] = before + _NEWEST * (colour - before)

    def unlike(self, seat: int, colour: Colour | None) -> float:
        """Return how much speaks against an arm of this colour being a seat's: mm of a shoulder's place."""
        if colour is None:
            return 0.0
        if seat not in self._known:
            return _UNKNOWN_MM
        apart = float(np.linalg.norm(colour - self._known[seat])) - _SAME_LEVELS
        return min(_MOST_MM, _MM_PER_LEVEL * max(0.0, apart))
