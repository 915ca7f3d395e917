"""A source's picture, made ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from vision.reading import Image

DISPLAY_WIDTH = 1280
"""Pictures are shrunk to this width before the screen gets them; reading uses the full picture."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The newest picture, ready to be shown."""

    serial: int
    rgb: bytes
    """Rows from the top, 8 bit RGB."""
    size: tuple[int, int]
    """Width and height of `rgb` in pixels."""
    source_size: tuple[int, int]
    """Width and height of the source's picture, which readings refer to."""
    t: float


def picture_of(frame: Image, t: float, serial: int) -> Picture:
    """Return a source's picture as a screen wants it."""
    height, width = frame.shape[:2]
    shown = frame
    if width > DISPLAY_WIDTH:
        smaller = (DISPLAY_WIDTH, max(1, round(height * DISPLAY_WIDTH / width)))
        shown = cv2.resize(frame, smaller, interpolation=cv2.INTER_AREA).astype(frame.dtype, copy=False)
    rgb = cv2.cvtColor(shown, cv2.COLOR_BGR2RGB)
    size = (int(shown.shape[1]), int(shown.shape[0]))
    return Picture(serial, rgb.tobytes(), size, (int(width), int(height)), t)
