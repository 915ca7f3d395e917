"""The table as it was at first: its pattern, a beer mat or a magazine may look like cards, and are none."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import quad_size, rectify
from vision.types import Image, Quad

_COMPARED_SIZE = (32, 44)
"""Width and height, pixels, to which what seems to be a card is reduced to be compared."""
_SAME_CORRELATION = 0.85
"""Correlation from which two pictures of a place show the same."""
_MIN_PATTERN_LEVEL = 3.0
"""Standard deviation of grey levels (0-255) below which a place shows nothing that could be compared."""


class BareTable:
    """Knows one picture of the table, taken before anything was played."""

    def __init__(self, frame: Image) -> None:
        """Keep the picture (the array itself)."""
        self._first = frame

    def is_unchanged(self, frame: Image, quad: Quad) -> bool:
        """Tell whether the place of a quad (4 x 2 px) looks in `frame` as it did at first.

        Grey levels are compared by their correlation, so that brighter or dimmer light changes nothing. False
        where a place is plain or outside the picture, or the pictures differ in size.
        """
        if frame.shape != self._first.shape or min(quad_size(quad)) < 1.0:
            return False
        was, now = _thumbnail(self._first, quad), _thumbnail(frame, quad)
        if min(float(was.std()), float(now.std())) < _MIN_PATTERN_LEVEL:
            return False
        return float(cv2.matchTemplate(now, was, cv2.TM_CCOEFF_NORMED)[0, 0]) > _SAME_CORRELATION


def _thumbnail(frame: Image, quad: Quad) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(rectify(frame, quad, *_COMPARED_SIZE), cv2.COLOR_BGR2GRAY), np.uint8)
