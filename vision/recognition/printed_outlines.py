"""Tells a face-down card from an outline printed on the table, such as the places marked on a playing mat."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_MM, CARD_WIDTH_MM, homography
from vision.types import Image, Quad

_ROOM_MM = 9
_INSIDE_MM = (4, 13)
_OUTSIDE_MM = (4, 8)
"""Bands along the outline that are compared, in mm from it: clear of a printed line and of what is printed in
the middle of the place."""
_ALIKE = 9.0
"""Colours nearer than this (CIE Lab, 8 bit) are the same cloth."""


def is_printed_outline(image: Image, quad: Quad) -> bool:
    """Tell whether the table shows through: inside the outline the same colour as outside, all round.

    A card covers the table; a printed line does not. Each side is compared by itself and all four must agree.
    """
    shape = (int(CARD_WIDTH_MM) + 2 * _ROOM_MM, int(CARD_HEIGHT_MM) + 2 * _ROOM_MM)
    flat = cv2.warpPerspective(
        image,
        homography(quad, CARD_MM + np.float32(_ROOM_MM)),
        shape,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    colours = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).astype(np.float32)
    sides = [np.rot90(colours, turn) for turn in range(4)]
    return all(_alike(side) for side in sides)


def _alike(side: NDArray[np.float32]) -> bool:
    """Compare the bands on both sides of the outline along the picture's top edge."""
    middle = slice(_ROOM_MM + 12, side.shape[1] - _ROOM_MM - 12)
    inside = side[_ROOM_MM + _INSIDE_MM[0] : _ROOM_MM + _INSIDE_MM[1], middle].reshape(-1, 3)
    outside = side[_ROOM_MM - _OUTSIDE_MM[1] : _ROOM_MM - _OUTSIDE_MM[0], middle].reshape(-1, 3)
    apart = np.linalg.norm(np.median(inside, axis=0) - np.median(outside, axis=0))
    return bool(apart < _ALIKE)
