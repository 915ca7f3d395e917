"""Distinguishing a face-down card from an outline printed on the table, as on a playing mat."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_CORNERS_MM, CARD_HEIGHT_MM, CARD_WIDTH_MM, homography
from vision.types import Image, Quad

_MARGIN_MM = 9
"""Margin of the table that is rectified with the outline."""
_INSIDE_MM = (4, 13)
"""See `_OUTSIDE_MM`."""
_OUTSIDE_MM = (4, 8)
"""Bands along the outline that are compared, by their distance from it. They avoid the printed line, and
print in the middle of the outline."""
_SAME_COLOUR_DISTANCE = 9.0
"""Distance in CIE Lab (8 bit) below which two colours are the same cloth."""


def is_printed_outline(image: Image, quad: Quad) -> bool:
    """Return whether the table inside an outline has the same colour as outside, at all four sides.

    A card covers the table; a printed line does not.
    """
    shape = (int(CARD_WIDTH_MM) + 2 * _MARGIN_MM, int(CARD_HEIGHT_MM) + 2 * _MARGIN_MM)
    flat = cv2.warpPerspective(
        image,
        homography(quad, CARD_CORNERS_MM + np.float32(_MARGIN_MM)),
        shape,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    colours = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).astype(np.float32)
    sides = [np.rot90(colours, turn) for turn in range(4)]
    return all(_has_same_colour(side) for side in sides)


def _has_same_colour(side: NDArray[np.float32]) -> bool:
    """Return whether both bands along the top edge of a rectified outline have the same colour."""
    middle = slice(_MARGIN_MM + 12, side.shape[1] - _MARGIN_MM - 12)
    inside = side[_MARGIN_MM + _INSIDE_MM[0] : _MARGIN_MM + _INSIDE_MM[1], middle].reshape(-1, 3)
    outside = side[_MARGIN_MM - _OUTSIDE_MM[1] : _MARGIN_MM - _OUTSIDE_MM[0], middle].reshape(-1, 3)
    apart = np.linalg.norm(np.median(inside, axis=0) - np.median(outside, axis=0))
    return bool(apart < _SAME_COLOUR_DISTANCE)
