"""The names, size and rounded corners of all card faces in `datasets`, and the pictures of a deck."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Bgra = NDArray[np.uint8]
"""A card face or back, upright: CARD_HEIGHT x CARD_WIDTH x 4, blue green red alpha."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)

CARD_WIDTH = 378
CARD_HEIGHT = 528
"""A 63 x 88 mm poker card at 6 px/mm."""
CORNER_RADIUS = 20
"""About 3.3 mm, as on common decks."""


@dataclass(frozen=True)
class Deck:
    """The pictures of one deck of cards."""

    name: str
    licence: str
    faces: dict[str, Bgra]
    """`AS`, ... and `JOKER`, if the deck has one."""
    backs: list[Bgra]


@functools.lru_cache(maxsize=64)
def corner_mask(width: int = CARD_WIDTH, height: int = CARD_HEIGHT) -> NDArray[np.uint8]:
    """Return the coverage of a card with rounded corners, height x width, 0 to 255, read-only."""
    radius = CORNER_RADIUS * width / CARD_WIDTH
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) + 0.5
    dx = np.maximum(np.maximum(radius - x, x - (width - radius)), 0)
    dy = np.maximum(np.maximum(radius - y, y - (height - radius)), 0)
    mask = np.asarray(np.clip(radius + 0.5 - np.hypot(dx, dy), 0, 1) * 255, np.uint8)
    mask.setflags(write=False)
    return mask


def with_rounded_corners(face: NDArray[np.uint8]) -> Bgra:
    """Return `face` (h x w x 3, or x 4 over white) in the common size, with rounded corners."""
    if face.shape[2] == 4:
        # Some art is transparent inside the common corners. A card is paper there.
        share = face[:, :, 3:].astype(np.float32) / 255
        face = (face[:, :, :3] * share + 255 * (1 - share)).astype(np.uint8)
    if face.shape[:2] != (CARD_HEIGHT, CARD_WIDTH):
        shrinks = face.shape[0] > CARD_HEIGHT
        method = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
        face = np.asarray(cv2.resize(face, (CARD_WIDTH, CARD_HEIGHT), interpolation=method), np.uint8)
    return np.dstack([face, corner_mask()]).astype(np.uint8)
