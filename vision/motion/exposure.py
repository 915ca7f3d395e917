"""Keeping the pictures of one camera equally bright, in a dark room and if light is switched on or off.

The thresholds for movement and for what differs from the table are levels (0-255). In a dark picture, an arm
differs from the table by less than these. If light is switched on, everything differs from the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rectify
from vision.images import downscaled_size
from vision.types import CardReading, Image

_WHITE_LEVEL, _CLIPPED_LEVEL = 210.0, 252.0
"""Level (0-255) of the cards' paper in a well exposed picture, and from which on it is overexposed."""
_LEAST_CHANGE, _MAX_GAIN = 1.25, 4.0
"""A gain changes by at least the first factor. A larger one than the second shows the noise above all."""
_OVEREXPOSED_CHANGE = 0.5
"""Factor on the gain if the cards are overexposed: how much brighter they would be does not show."""
_PAPER_QUANTILE = 0.75
"""This share of a card's pixels are darker than its paper."""
_BRIGHTEST_QUANTILE = 0.95
"""The brightest blocks above this share count as white, too: there are decks with black paper."""
_LEAST_CARDS = 4
"""Fewer cards may all lie in a shadow."""
_CARD_SIZE = (16, 22)
"""Width and height, in pixels, of the pictures of cards that are measured."""
_SAMPLED_PX, _BLOCKS_PX = 160, 32
"""Longer side of the sampled copy of a frame, and of that of its blocks. A block averages the noise."""
_LIT_LEVELS = (4.0, 250.0)
"""A block shows a change of the light if its level is between these."""
_LEAST_LIT_SHARE = 0.25
"""Fewer lit blocks show nothing."""
_SAME_CHANGE, _SAME_CHANGE_SHARE = 0.15, 0.6
"""Light has changed if this share of the blocks changes by the same factor, up to this error. If the camera
moves, each block changes by another one."""
_LEARNING_RATE = 0.07
"""Weight of each new frame in the blocks it is compared with: what changes slowly is no switch."""

_UNCHANGED = np.ones(3)
"""The factor, by colour channel, if the light is the same."""


class Exposure:
    """Multiplies the pictures of one camera by a gain that fits the light in the room."""

    def __init__(self) -> None:
        self._gain = np.ones(3)
        """By colour channel."""
        self._fitting = 1.0
        """Factor on the gain that fits the cards of the latest look."""
        self._blocks: NDArray[np.float32] | None = None
        """The latest frames of the game, as they came: mean levels of blocks (N x 3)."""

    def measure(self, brightened: Image, readings: Sequence[CardReading]) -> None:
        """Take note of the face-up cards in a look before the game. They show how dark it is: paper is white.

        Args:
            brightened: Height x width x 3, with the present gain.
            readings: The cards in it.
        """
        papers = [_paper_level(brightened, card) for card in readings if card.face == "up"]
        if len(papers) < _LEAST_CARDS:
            return
        brightest = float(np.quantile(_block_levels(brightened).max(axis=1), _BRIGHTEST_QUANTILE))
        white = max(float(np.median(papers)), brightest)
        self._fitting = _OVEREXPOSED_CHANGE if white > _CLIPPED_LEVEL else _WHITE_LEVEL / max(1.0, white)

    def adapt(self, frame: Image, *, in_game: bool) -> bool:
        """Change the gain if the light demands it; return whether it has changed.

        Before the game, the cards of the latest look decide. During a game, each frame is compared with
        earlier ones, so it must stay as bright. Then only light that is switched on or off changes the gain.

        Args:
            frame: Height x width x 3, as it came.
            in_game: Whether a game is followed.
        """
        if in_game:
            gain = self._gain / self._change_of_light(frame)
        else:
            gain, self._blocks = np.maximum(self._gain * self._fitting, 1.0), None
        gain = np.clip(gain, 1 / _MAX_GAIN, _MAX_GAIN)
        self._fitting = 1.0
        if _is_small(gain / self._gain):
            return False
        self._gain = gain
        return True

    def brighten(self, frame: Image) -> Image:
        """Return a frame with the present gain. It is the frame itself if the light is good."""
        if (self._gain == 1).all():
            return frame
        levels = np.clip(np.arange(256)[:, np.newaxis] * self._gain, 0, 255)
        return np.asarray(cv2.LUT(frame, np.round(levels).astype(np.uint8)[:, np.newaxis]), np.uint8)

    def _change_of_light(self, frame: Image) -> NDArray[np.float64]:
        """Return by how much the light in the room has suddenly become brighter, by colour channel."""
        now, before = _block_levels(frame), self._blocks
        if before is None or before.shape != now.shape:  # the first frame, or one of another size
            self._blocks = now
            return _UNCHANGED
        change = _common_change(before, now)
        if change is None:  # something else is in the picture for a moment, or the camera was moved
            return _UNCHANGED
        if _is_small(change):
            self._blocks = before + np.float32(_LEARNING_RATE) * (now - before)
            return _UNCHANGED
        self._blocks = now
        return change


def _common_change(before: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float64] | None:
    """Return the factor, by colour channel, by which most blocks (N x 3) have changed; None if none."""
    darkest, brightest = _LIT_LEVELS
    lit = ((np.minimum(now, before) > darkest) & (np.maximum(now, before) < brightest)).all(axis=1)
    if lit.mean() < _LEAST_LIT_SHARE:
        return None
    ratios = (now[lit] / before[lit]).astype(np.float64)
    change = np.asarray(np.median(ratios, axis=0), np.float64)
    alike = (np.abs(ratios / change - 1) < _SAME_CHANGE).all(axis=1)
    return change if alike.mean() >= _SAME_CHANGE_SHARE else None


def _is_small(change: NDArray[np.float64]) -> bool:
    """Return whether a factor is too small in all channels to change the gain."""
    return bool(np.abs(np.log(change)).max() < np.log(_LEAST_CHANGE))


def _paper_level(image: Image, card: CardReading) -> float:
    """Return the level (0-255) of a card's paper: coloured light makes one channel brighter than others."""
    return float(np.quantile(rectify(image, card.quad, *_CARD_SIZE).max(axis=2), _PAPER_QUANTILE))


def _block_levels(frame: Image) -> NDArray[np.float32]:
    """Return the mean levels of blocks of a frame (N x 3)."""
    sampled = cv2.resize(frame, downscaled_size(frame, _SAMPLED_PX)[0], interpolation=cv2.INTER_NEAREST)
    size, _ = downscaled_size(np.asarray(sampled, np.uint8), _BLOCKS_PX)
    blocks = cv2.resize(sampled.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(blocks, np.float32).reshape(-1, 3)
