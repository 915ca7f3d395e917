"""The table before the game: its pattern, a beer mat or a magazine may look like cards."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import quad_size, rectify
from vision.types import Image, Quad

_COMPARED_SIZE = (32, 44)
"""Width and height, in pixels, of the compared pictures of a place."""
_SAME_CORRELATION = 0.85
"""The least correlation of two pictures of an unchanged place."""
_MIN_PATTERN_LEVEL = 3.0
"""The least standard deviation of grey levels (0 to 255) in a picture that can be compared."""


class BareTable:
    """Keeps one picture of the table from before the first play."""

    def __init__(self, frame: Image) -> None:
        """Keep the picture; the array is not copied."""
        self._first = frame

    def is_unchanged(self, frame: Image, quad: Quad) -> bool:
        """Return whether the place of a quad (4 x 2 pixels) is unchanged in `frame`.

        The correlation of grey levels decides, so brighter or dimmer light does not matter. The answer is
        False for plain places, places outside the picture, and pictures of another size.
        """
        if frame.shape != self._first.shape or min(quad_size(quad)) < 1.0:
            return False
        was, now = _thumbnail(self._first, quad), _thumbnail(frame, quad)
        if min(float(was.std()), float(now.std())) < _MIN_PATTERN_LEVEL:
            return False
        return float(cv2.matchTemplate(now, was, cv2.TM_CCOEFF_NORMED)[0, 0]) > _SAME_CORRELATION


def _thumbnail(frame: Image, quad: Quad) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(rectify(frame, quad, *_COMPARED_SIZE), cv2.COLOR_BGR2GRAY), np.uint8)
