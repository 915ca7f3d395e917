"""The crops of a card that the face networks classify: the whole card, its corners, its upper end."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    card_homography,
    quad_size,
    rectify,
    transform_points,
)
from vision.types import Image

WHOLE_WIDTH, WHOLE_HEIGHT = 80, 112
"""Size of a rectified card as input of its network, in pixels."""
CORNER_WIDTH, CORNER_HEIGHT = 36, 60
"""Size of a rectified index corner as input of its network, in pixels."""

MARGIN_MM = 1.5
"""Surroundings that are cropped with the card, because outlines are seldom exact."""
CORNER_MM = (18.0, 30.0)
"""Width and height of an index corner with the margin: an exact crop for usual indices ..."""
WIDE_CORNER_MM = (24.0, 40.0)
"""... and a wide crop that holds jumbo indices too."""

STRIP_WIDTH, STRIP_HEIGHT = 96, 64
"""Size of the upper end of a card as input of its network, in pixels."""
STRIP_MM = (-5.0, -6.0, 67.0, 42.0)
"""Left, top, right and bottom of the upper end, from the card's corner. In a crooked pile, a card often shows
little else, but more than its index: pips or part of a court. The crop has a margin because an index shows
only roughly where its card lies."""

_FINE_PX_PER_MM, _COARSE_PX_PER_MM = 4, 2
"""Resolution of the rectified card from which all crops are made; the coarse one is for small cards."""

CORNERS = 4
"""Corner crops per card."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceCrops:
    """The crops of one card, BGR, 8 bit."""

    whole: NDArray[np.uint8]
    """WHOLE_HEIGHT x WHOLE_WIDTH x 3."""
    corners: tuple[NDArray[np.uint8], ...]
    """CORNERS crops of CORNER_HEIGHT x CORNER_WIDTH x 3: top left and bottom right (turned by 180 degrees),
    exact, then the same two wide."""


def _with_margin(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the quad (4 x 2) of a card with MARGIN_MM around it."""
    width, height, m = CARD_WIDTH_MM, CARD_HEIGHT_MM, MARGIN_MM
    wide = np.array([[-m, -m], [width + m, -m], [width + m, height + m], [-m, height + m]], np.float32)
    return transform_points(card_homography(quad), wide)


def _resized(picture: Image, width: int, height: int) -> Image:
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _corner(flat: Image, size_mm: tuple[float, float]) -> Image:
    """Return the top left corner of a rectified card with its margin, as input of the network."""
    height, width = flat.shape[:2]
    across = round(width * size_mm[0] / (CARD_WIDTH_MM + 2 * MARGIN_MM))
    down = round(height * size_mm[1] / (CARD_HEIGHT_MM + 2 * MARGIN_MM))
    return _resized(flat[:down, :across], CORNER_WIDTH, CORNER_HEIGHT)


def crops_of_rectified(flat: Image) -> FaceCrops:
    """Return the crops of a card that is already rectified, with MARGIN_MM around it."""
    turned = np.asarray(cv2.rotate(flat, cv2.ROTATE_180), np.uint8)
    corners = (_corner(side, size) for size in (CORNER_MM, WIDE_CORNER_MM) for side in (flat, turned))
    return FaceCrops(_resized(flat, WHOLE_WIDTH, WHOLE_HEIGHT), tuple(corners))


def face_crops(image: Image, quad: ArrayLike) -> FaceCrops:
    """Return the crops of a card, rectified from the full resolution of the image.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the image are black.
    """
    wide = _with_margin(quad)
    pixels_per_mm = quad_size(quad)[1] / CARD_HEIGHT_MM
    scale = _FINE_PX_PER_MM if pixels_per_mm > 1.1 * _COARSE_PX_PER_MM else _COARSE_PX_PER_MM
    size = ((CARD_WIDTH_MM + 2 * MARGIN_MM) * scale, (CARD_HEIGHT_MM + 2 * MARGIN_MM) * scale)
    return crops_of_rectified(rectify(image, wide, round(size[0]), round(size[1])))


def index_crops(image: Image, quad: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the exact and the wide crop of the index beside a card's first corner.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the image are black. Both crops are
    CORNER_HEIGHT x CORNER_WIDTH x 3.
    """
    m = MARGIN_MM
    across, down = WIDE_CORNER_MM
    corner = np.array([[-m, -m], [across - m, -m], [across - m, down - m], [-m, down - m]], np.float32)
    size = (round(across * _FINE_PX_PER_MM), round(down * _FINE_PX_PER_MM))
    wide = rectify(image, transform_points(card_homography(quad), corner), *size)
    exact = wide[: round(CORNER_MM[1] * _FINE_PX_PER_MM), : round(CORNER_MM[0] * _FINE_PX_PER_MM)]
    return _resized(exact, CORNER_WIDTH, CORNER_HEIGHT), _resized(wide, CORNER_WIDTH, CORNER_HEIGHT)


def strip_crop(image: Image, quad: ArrayLike) -> NDArray[np.uint8]:
    """Return the crop of a card's upper end, at the first two corners of its quad.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the image are black. The crop is
    STRIP_HEIGHT x STRIP_WIDTH x 3.
    """
    left, top, right, bottom = STRIP_MM
    end = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    size = (round((right - left) * _COARSE_PX_PER_MM), round((bottom - top) * _COARSE_PX_PER_MM))
    return _resized(
        rectify(image, transform_points(card_homography(quad), end), *size), STRIP_WIDTH, STRIP_HEIGHT
    )


def network_input(pieces: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return crops (N x H x W x 3, BGR) as input of the networks: N x 3 x H x W, normalised.

    Each crop is normalised by one mean and one spread for all channels, which removes brightness and keeps
    hue.
    """
    values = pieces.astype(np.float32)
    values -= values.mean(axis=(1, 2, 3), keepdims=True)
    spread = np.sqrt(np.square(values).mean(axis=(1, 2, 3), keepdims=True))
    values /= spread + np.float32(8.0)
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))
