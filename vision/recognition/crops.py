"""The pieces of a picture that the face networks look at: a flattened card, its corners, its upper end."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_plane, quad_sides, rectify, transform
from vision.types import Image

WHOLE_WIDTH, WHOLE_HEIGHT = 80, 112
"""Pixels of a flattened card as the network sees it."""
CORNER_WIDTH, CORNER_HEIGHT = 36, 60
"""Pixels of a flattened index corner as the network sees it."""

MARGIN_MM = 1.5
"""Surroundings that are flattened with the card: outlines are seldom exact."""
CORNER_MM = (18.0, 30.0)
"""Width and height of an index corner, the margin included: exact for usual indices ..."""
WIDE_CORNER_MM = (24.0, 40.0)
"""... and of a second, wider cut that holds jumbo indices too."""

STRIP_WIDTH, STRIP_HEIGHT = 96, 64
"""Pixels of the upper end of a card as the network sees it."""
STRIP_MM = (-5.0, -6.0, 67.0, 42.0)
"""Left, top, right, bottom of it, from the card's corner. Of cards put down askew on one another hardly more
shows, but often more than the index: the pips beside it, or those of a court. An index alone tells its card's
place roughly: hence the surroundings."""

_FINE, _COARSE = 4, 2
"""Pixels per mm of the flattened card that all pieces are cut from."""

CORNERS = 4
"""Corner pieces of a card."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceCrops:
    """What the networks see of one card; BGR, 8 bit."""

    whole: NDArray[np.uint8]
    """WHOLE_HEIGHT x WHOLE_WIDTH x 3."""
    corners: tuple[NDArray[np.uint8], ...]
    """CORNERS pieces, CORNER_HEIGHT x CORNER_WIDTH x 3 each: top left and bottom right (turned by 180
    degrees), then the same two cut wider."""


def _with_margin(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the quad of the card and MARGIN_MM around it."""
    width, height, m = CARD_WIDTH_MM, CARD_HEIGHT_MM, MARGIN_MM
    wide = np.array([[-m, -m], [width + m, -m], [width + m, height + m], [-m, height + m]], np.float32)
    return transform(card_plane(quad), wide)


def _resized(picture: Image, width: int, height: int) -> Image:
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _corner(flat: Image, size_mm: tuple[float, float]) -> Image:
    height, width = flat.shape[:2]
    across = round(width * size_mm[0] / (CARD_WIDTH_MM + 2 * MARGIN_MM))
    down = round(height * size_mm[1] / (CARD_HEIGHT_MM + 2 * MARGIN_MM))
    return _resized(flat[:down, :across], CORNER_WIDTH, CORNER_HEIGHT)


def crops_of_flat(flat: Image) -> FaceCrops:
    """Return the pieces of a card that is already flattened, MARGIN_MM of its surroundings included."""
    turned = np.asarray(cv2.rotate(flat, cv2.ROTATE_180), np.uint8)
    corners = (_corner(side, size) for size in (CORNER_MM, WIDE_CORNER_MM) for side in (flat, turned))
    return FaceCrops(_resized(flat, WHOLE_WIDTH, WHOLE_HEIGHT), tuple(corners))


def face_crops(image: Image, quad: ArrayLike) -> FaceCrops:
    """Cut a card out of a picture at the picture's full resolution, and flatten it.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the picture are black.
    """
    wide = _with_margin(quad)
    pixels_per_mm = quad_sides(quad)[1] / CARD_HEIGHT_MM
    scale = _FINE if pixels_per_mm > 1.1 * _COARSE else _COARSE
    size = ((CARD_WIDTH_MM + 2 * MARGIN_MM) * scale, (CARD_HEIGHT_MM + 2 * MARGIN_MM) * scale)
    return crops_of_flat(rectify(image, wide, round(size[0]), round(size[1])))


def index_crops(image: Image, quad: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Cut out the index beside a card's first corner, once exactly and once wider.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the picture are black. Both pieces
    are CORNER_HEIGHT x CORNER_WIDTH x 3.
    """
    m = MARGIN_MM
    across, down = WIDE_CORNER_MM
    corner = np.array([[-m, -m], [across - m, -m], [across - m, down - m], [-m, down - m]], np.float32)
    size = (round(across * _FINE), round(down * _FINE))
    wide = rectify(image, transform(card_plane(quad), corner), *size)
    exact = wide[: round(CORNER_MM[1] * _FINE), : round(CORNER_MM[0] * _FINE)]
    return _resized(exact, CORNER_WIDTH, CORNER_HEIGHT), _resized(wide, CORNER_WIDTH, CORNER_HEIGHT)


def strip_crop(image: Image, quad: ArrayLike) -> NDArray[np.uint8]:
    """Cut out the upper end of a card, that of its quad's first two corners.

    `quad` is 4 x 2 px, clockwise, a short edge first. Parts outside the picture are black. The piece is
    STRIP_HEIGHT x STRIP_WIDTH x 3.
    """
    left, top, right, bottom = STRIP_MM
    end = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    size = (round((right - left) * _COARSE), round((bottom - top) * _COARSE))
    return _resized(rectify(image, transform(card_plane(quad), end), *size), STRIP_WIDTH, STRIP_HEIGHT)


def network_input(pieces: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return pieces (N x H x W x 3, BGR) as the networks take them: N x 3 x H x W, exposure taken out.

    One mean and one spread per piece, not per channel: brightness goes, hue stays.
    """
    values = pieces.astype(np.float32)
    values -= values.mean(axis=(1, 2, 3), keepdims=True)
    spread = np.sqrt(np.square(values).mean(axis=(1, 2, 3), keepdims=True))
    values /= spread + np.float32(8.0)
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))
