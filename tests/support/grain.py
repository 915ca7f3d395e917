"""The grain of a camera's picture, as a part of one large field of it: quicker than drawing it for each."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Image


@cache
def _field(height: int, width: int, level: float) -> NDArray[np.int16]:
    grain = level * np.random.default_rng(1).standard_normal((height, width, 3), np.float32)
    return np.round(grain).astype(np.int16)


def grainy(picture: Image, level: float, number: int) -> Image:
    """Return a picture (height x width x 3) with grain of a deviation `level`, another for each number."""
    height, width = picture.shape[:2]
    y, x = np.random.default_rng(number).integers((height // 2, width // 2), endpoint=True)
    field = _field(height + height // 2, width + width // 2, level)
    return np.asarray(cv2.add(picture, field[y : y + height, x : x + width], dtype=cv2.CV_8U), np.uint8)
