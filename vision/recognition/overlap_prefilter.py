"""A quick check whether a card sticks out from under another card, by the colours around it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_homography, rectify, transform_points
from vision.types import Image, Quad

_REACH_MM = 11
"""How far around a card to look. A lower card that sticks out less shows no index."""
_OUTLINE_ERROR_MM = 2.5
"""Largest error of an outline; this rim is left out, because it may show the card's own edge."""
_COLOUR_SHARE, _COLOUR_LEVEL = 0.25, 14.0
"""A pixel looks like the card's margin if each channel differs by less than this share of it plus this level
(0-255)."""
_MIN_AREA_MM2 = 60
"""Least area that counts as part of a card. A smaller one is a glint or a line."""


def _zones() -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where the margin and the surroundings of a card are when it is rectified at 1 px per mm.

    The first array holds the numbers of the margin's pixels, row by row. The second is a mask.
    """
    height, width = round(CARD_HEIGHT_MM) + 2 * _REACH_MM, round(CARD_WIDTH_MM) + 2 * _REACH_MM
    y, x = np.mgrid[0:height, 0:width]
    inside = np.minimum.reduce(
        [x - _REACH_MM, y - _REACH_MM, width - 1 - _REACH_MM - x, height - 1 - _REACH_MM - y]
    )
    return np.flatnonzero((inside >= 1) & (inside < 3)), inside < -_OUTLINE_ERROR_MM


_MARGIN, _RIM = _zones()


def card_sticks_out(image: Image, quad: Quad, known: Sequence[Quad]) -> bool:
    """Return whether something with the colour of the card's margin lies around it, except `known` cards.

    On a table as white as the cards the answer is always yes.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        quad: The card, 4 x 2 px, clockwise, a short edge first.
        known: Other cards, 4 x 2 px each.
    """
    plane = card_homography(quad)
    reach, width, height = _REACH_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM
    left, right, bottom = -float(reach), width + reach, height + reach
    around = np.array([[left, left], [right, left], [right, bottom], [left, bottom]])
    neighbourhood = transform_points(plane, around)
    flat = rectify(image, neighbourhood, _RIM.shape[1], _RIM.shape[0])
    hidden = np.zeros(_RIM.shape, np.uint8)
    back = np.asarray(np.linalg.inv(plane), np.float64)
    for other in _near(known, neighbourhood):
        corners = transform_points(back, other) + reach
        cv2.fillConvexPoly(hidden, np.round(_grown(corners)).astype(np.int32), (1,))
    rim = _RIM & _within_picture(image, plane, neighbourhood) & (hidden == 0)
    stock = np.median(flat.reshape(-1, 3)[_MARGIN], axis=0)
    unlike = _COLOUR_SHARE * stock + _COLOUR_LEVEL
    lowest, highest = np.ceil(stock - unlike), np.floor(stock + unlike)
    alike = cv2.inRange(flat, np.maximum(lowest, 0), np.minimum(highest, 255))
    return int(np.count_nonzero(alike[rim])) >= _MIN_AREA_MM2


def _near(quads: Sequence[Quad], place: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the quads (N x 4 x 2) whose bounding boxes, enlarged a little, meet an area (4 x 2)."""
    many = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    low, high = many.min(axis=1), many.max(axis=1)
    room = np.float32(0.1) * (high - low)
    meets = (low - room <= place.max(axis=0)) & (high + room >= place.min(axis=0))
    return np.asarray(many[meets.all(axis=1)])


def _within_picture(
    image: Image, plane: NDArray[np.float64], corners: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of the pixels of the rectified surroundings that lie inside the image."""
    size = np.array(image.shape[1::-1])
    if (corners >= 0).all() and (corners <= size - 1).all():
        return np.ones(_RIM.shape, np.bool_)
    y, x = np.mgrid[0 : _RIM.shape[0], 0 : _RIM.shape[1]]
    pixels = transform_points(plane, np.stack([x.ravel(), y.ravel()], axis=1) - float(_REACH_MM))
    return np.asarray(((pixels >= 0) & (pixels <= size - 1)).all(axis=1).reshape(_RIM.shape), np.bool_)


def _grown(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a quad enlarged by the largest error of an outline."""
    middle = corners.mean(axis=0)
    return np.asarray(middle + (corners - middle) * (1 + 2 * _OUTLINE_ERROR_MM / CARD_WIDTH_MM))
