"""Plain pictures, quickly: numpy takes milliseconds to fill one with a colour, and films need thousands."""

from __future__ import annotations

import functools

import numpy as np

from vision.types import Image


def plain(width: int, height: int, colour: tuple[int, int, int]) -> Image:
    """Return a new picture of one colour, BGR."""
    return _filled(width, height, colour).copy()


@functools.cache
def _filled(width: int, height: int, colour: tuple[int, int, int]) -> Image:
    return np.full((height, width, 3), colour, np.uint8)
