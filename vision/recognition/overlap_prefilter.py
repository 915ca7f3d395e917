"""Does something like a card stick out from under a card? A cheap look at the rim around it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_plane, rectify, transform
from vision.types import Image, Quad

_REACH_MM = 11
"""How far around a card is looked. A card under it that sticks out less shows no index."""
_LOOSE_MM = 2.5
"""An outline is off by less than this; its own edge is not looked at."""
_ALIKE_SHARE, _ALIKE_LEVEL = 0.25, 14.0
"""A pixel is like the card's margin when each colour differs by less than this share of it and this level."""
_LEAST_MM2 = 60
"""So much like a card is something sticking out; less is a glint or a line."""


def _zones() -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where, in a flattened card with its surroundings at 1 px per mm, its margin and the rim are.

    The margin's pixels are told by their numbers, row by row.
    """
    height, width = round(CARD_HEIGHT_MM) + 2 * _REACH_MM, round(CARD_WIDTH_MM) + 2 * _REACH_MM
    y, x = np.mgrid[0:height, 0:width]
    inside = np.minimum.reduce(
        [x - _REACH_MM, y - _REACH_MM, width - 1 - _REACH_MM - x, height - 1 - _REACH_MM - y]
    )
    return np.flatnonzero((inside >= 1) & (inside < 3)), inside < -_LOOSE_MM


_MARGIN, _RIM = _zones()


def something_sticks_out(image: Image, quad: Quad, known: Sequence[Quad]) -> bool:
    """Tell whether something with the colour of a card's margin lies around it, other than `known` cards.

    `quad` is 4 x 2 px, clockwise, a short edge first. On a table as white as the cards the answer is yes.
    """
    plane = card_plane(quad)
    reach, width, height = _REACH_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM
    left, right, bottom = -float(reach), width + reach, height + reach
    around = np.array([[left, left], [right, left], [right, bottom], [left, bottom]])
    neighbourhood = transform(plane, around)
    flat = rectify(image, neighbourhood, _RIM.shape[1], _RIM.shape[0])
    hidden = np.zeros(_RIM.shape, np.uint8)
    back = np.asarray(np.linalg.inv(plane), np.float64)
    for other in _near(known, neighbourhood):
        corners = transform(back, other) + reach
        cv2.fillConvexPoly(hidden, np.round(_grown(corners)).astype(np.int32), (1,))
    rim = _RIM & _within_picture(image, plane, neighbourhood) & (hidden == 0)
    stock = np.median(flat.reshape(-1, 3)[_MARGIN], axis=0)
    unlike = _ALIKE_SHARE * stock + _ALIKE_LEVEL
    lowest, highest = np.ceil(stock - unlike), np.floor(stock + unlike)
    alike = cv2.inRange(flat, np.maximum(lowest, 0), np.minimum(highest, 255))
    return int(np.count_nonzero(alike[rim])) >= _LEAST_MM2


def _near(quads: Sequence[Quad], place: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return, quickly, those of many quads that, grown a little, may share something with a place (4 x 2)."""
    many = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    low, high = many.min(axis=1), many.max(axis=1)
    room = np.float32(0.1) * (high - low)
    meets = (low - room <= place.max(axis=0)) & (high + room >= place.min(axis=0))
    return np.asarray(many[meets.all(axis=1)])


def _within_picture(
    image: Image, plane: NDArray[np.float64], corners: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which pixels of the flattened neighbourhood with these corners the picture shows."""
    size = np.array(image.shape[1::-1])
    if (corners >= 0).all() and (corners <= size - 1).all():
        return np.ones(_RIM.shape, np.bool_)
    y, x = np.mgrid[0 : _RIM.shape[0], 0 : _RIM.shape[1]]
    pixels = transform(plane, np.stack([x.ravel(), y.ravel()], axis=1) - float(_REACH_MM))
    return np.asarray(((pixels >= 0) & (pixels <= size - 1)).all(axis=1).reshape(_RIM.shape), np.bool_)


def _grown(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a quad moved outwards by what its outline may be off."""
    middle = corners.mean(axis=0)
    return np.asarray(middle + (corners - middle) * (1 + 2 * _LOOSE_MM / CARD_WIDTH_MM))
