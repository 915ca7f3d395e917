"""Tells at a glance whether a frame shows anything new: most frames of a game do not."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import reduced_size
from vision.types import Image

_WIDTH = 320
"""Pixels along the longer side of what is compared: single pixels of the frame, for an average costs more."""
_BLOCK = (3, 3)
_MARGIN, _LEVEL = 1.5, 2.0
"""A frame is new where a block differs by more than this many times what the camera's noise alone makes of
it, plus this level (0-255)."""
_LEARN = 0.1


class Glance:
    """Compares frames with the last one that was looked at in full."""

    def __init__(self) -> None:
        self._kept: NDArray[np.uint8] | None = None
        self._now: NDArray[np.uint8] | None = None
        self._change = np.inf
        self._usual = 0.0

    def is_new(self, frame: Image) -> bool:
        """Tell whether a frame (height x width x 3) shows anything that the last one kept did not."""
        size, _ = reduced_size(frame, _WIDTH)
        self._now = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        if self._kept is None or self._kept.shape != self._now.shape:
            self._change = np.inf
            return True
        blocks = cv2.blur(cv2.absdiff(self._now, self._kept), _BLOCK)
        self._change = cv2.norm(blocks, cv2.NORM_INF)
        return self._change > _MARGIN * self._usual + _LEVEL

    def keep(self, *, still: bool) -> None:
        """Compare with the last frame from now on; `still`: it was looked at, and nothing moved in it."""
        self._kept = self._now
        if still and np.isfinite(self._change):
            self._usual += _LEARN * (self._change - self._usual)
