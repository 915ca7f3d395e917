"""A source's picture, made ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from vision.types import Image

MAX_DISPLAY_WIDTH = 1280
"""Pictures are shrunk to this width before the screen gets them; reading uses the full picture."""
_WIDTH_STEP, _LEAST_WIDTH = 80, 320


@dataclass(frozen=True, slots=True)
class DisplayImage:
    """The newest picture, ready to be shown."""

    serial: int
    rgb: bytes
    """Rows from the top, 8 bit RGB."""
    size: tuple[int, int]
    """Width and height of `rgb` in pixels."""
    source_size: tuple[int, int]
    """Width and height of the source's picture, which readings refer to."""
    t: float


def display_width(pixels: float) -> int:
    """Return how wide a picture is made for a place of so many pixels: what nobody sees is not carried."""
    steps = -(-max(1, int(pixels)) // _WIDTH_STEP)
    return min(MAX_DISPLAY_WIDTH, max(_LEAST_WIDTH, steps * _WIDTH_STEP))


def to_display_image(frame: Image, t: float, serial: int, at_most: int = MAX_DISPLAY_WIDTH) -> DisplayImage:
    """Return a source's picture as a screen wants it, at most so many pixels wide."""
    height, width = frame.shape[:2]
    shown = frame
    if width > at_most:
        smaller = (at_most, max(1, round(height * at_most / width)))
        shown = cv2.resize(frame, smaller, interpolation=cv2.INTER_AREA).astype(frame.dtype, copy=False)
    rgb = cv2.cvtColor(shown, cv2.COLOR_BGR2RGB)
    size = (int(shown.shape[1]), int(shown.shape[0]))
    return DisplayImage(serial, rgb.tobytes(), size, (int(width), int(height)), t)
