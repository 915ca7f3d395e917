"""Brightening the pictures of a dark room, as a camera does that sets its own exposure.

The thresholds for movement and for what differs from the table are levels (0-255). In a dark picture, an arm
differs from the table by less than these. Cards show how dark it is, because they are white.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry import rectify
from vision.types import CardReading, Image

_WHITE_LEVEL, _CLIPPED_LEVEL = 210.0, 252.0
"""Level (0-255) of the cards' white in a well exposed picture, and from which on it is overexposed."""
_LEAST_GAIN, _MAX_GAIN = 1.25, 4.0
"""A smaller gain than the first changes little. A larger one than the second shows the noise above all."""
_FALL = 0.5
"""Factor on the gain if the cards are overexposed: how much brighter they would be does not show."""
_PAPER_QUANTILE = 0.75
"""This share of a card's pixels are darker than its paper."""
_LEAST_CARDS = 4
"""Fewer cards may all lie in a shadow."""
_CLIPPED_LOOKS = 5
"""If the cards are overexposed in so many looks one after another, light has been switched on."""
_CARD_SIZE = (16, 22)
"""Width and height, in pixels, of the pictures of cards that are measured."""


class Exposure:
    """Multiplies the pictures of one camera by a gain that fits the light in the room."""

    def __init__(self) -> None:
        self._gain = self._fitting = 1.0
        """The present gain, and the one that fits the latest look."""
        self._clipped_looks = 0

    @property
    def brightens(self) -> bool:
        """Whether pictures are made brighter."""
        return self._gain > 1

    def measure(self, brightened: Image, readings: Sequence[CardReading]) -> None:
        """Take note of the face-up cards in a look.

        Args:
            brightened: Height x width x 3, with the present gain.
            readings: The cards in it.
        """
        papers = [_paper_level(brightened, card) for card in readings if card.face == "up"]
        if len(papers) < _LEAST_CARDS:
            return
        white = float(np.median(papers))
        clipped = white > _CLIPPED_LEVEL
        self._clipped_looks = self._clipped_looks + 1 if clipped else 0
        change = _FALL if clipped else _WHITE_LEVEL / max(1.0, white)
        gain = min(self._gain * change, _MAX_GAIN)
        self._fitting = gain if gain >= _LEAST_GAIN else 1.0

    def adapt(self, *, in_game: bool) -> bool:
        """Use the gain that fits if it is another one; return whether it is.

        During a game, the gain only falls: a new one makes the whole picture look different.
        """
        change = self._fitting / self._gain
        if in_game and self._clipped_looks < _CLIPPED_LOOKS:
            return False
        if 1 / _LEAST_GAIN < change < _LEAST_GAIN:
            return False
        self._gain, self._clipped_looks = self._fitting, 0
        return True

    def brighten(self, frame: Image) -> Image:
        """Return a frame with the present gain. It is the frame itself if the light is good."""
        if not self.brightens:
            return frame
        return np.asarray(cv2.convertScaleAbs(frame, alpha=self._gain), np.uint8)


def _paper_level(image: Image, card: CardReading) -> float:
    """Return the level (0-255) of a card's paper: coloured light makes one channel brighter than others."""
    return float(np.quantile(rectify(image, card.quad, *_CARD_SIZE).max(axis=2), _PAPER_QUANTILE))
