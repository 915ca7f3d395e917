"""A fast check whether a frame shows anything new, because most frames do not."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import downscaled_size
from vision.types import Image

_WIDTH_PX = 320
"""Longer side of the compared copy, in pixels. It samples single pixels, because averages take longer."""
_BLOCK_PX = (3, 3)
"""Blocks over which differences are averaged."""
_NOISE_FACTOR, _LEVEL = 1.5, 2.0
"""A frame is new if the difference of a block exceeds this many times the usual noise plus this level
(0-255)."""
_LEARNING_RATE = 0.1
"""Weight of each new frame in the estimate of the noise."""


class ChangeDetector:
    """Compares frames with the last one that was processed."""

    def __init__(self) -> None:
        self._reference: NDArray[np.uint8] | None = None
        self._now: NDArray[np.uint8] | None = None
        self._change = np.inf
        self._noise = 0.0

    def is_new(self, frame: Image) -> bool:
        """Return whether a frame (height x width x 3) shows anything that the reference does not."""
        size, _ = downscaled_size(frame, _WIDTH_PX)
        self._now = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        if self._reference is None or self._reference.shape != self._now.shape:
            self._change = np.inf
            return True
        blocks = cv2.blur(cv2.absdiff(self._now, self._reference), _BLOCK_PX)
        self._change = cv2.norm(blocks, cv2.NORM_INF)
        return self._change > _NOISE_FACTOR * self._noise + _LEVEL

    def set_reference(self, *, still: bool) -> None:
        """Make the last frame the reference; `still` is whether it was processed and nothing moved in it."""
        self._reference = self._now
        if still and np.isfinite(self._change):
            self._noise += _LEARNING_RATE * (self._change - self._noise)
