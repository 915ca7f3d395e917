"""A frame of the source, converted for the screen."""

from __future__ import annotations

from dataclasses import dataclass

import cv2

from vision.types import Image

MAX_DISPLAY_WIDTH = 1280
"""Frames are reduced to this width for the screen. Cards are read in the full frame."""
_WIDTH_STEP, _LEAST_WIDTH = 80, 320


@dataclass(frozen=True, slots=True)
class DisplayImage:
    """A frame converted for the screen."""

    serial: int
    rgb: bytes
    """Rows from the top, 8 bit RGB."""
    size: tuple[int, int]
    """Width and height of `rgb` in pixels."""
    source_size: tuple[int, int]
    """Width and height in pixels of the source's frame, to which readings refer."""
    t: float


def display_width(pixels: float) -> int:
    """Return the image width for a widget of that many pixels: no wider than can be seen."""
    steps = -(-max(1, int(pixels)) // _WIDTH_STEP)
    return min(MAX_DISPLAY_WIDTH, max(_LEAST_WIDTH, steps * _WIDTH_STEP))


def to_display_image(frame: Image, t: float, serial: int, at_most: int = MAX_DISPLAY_WIDTH) -> DisplayImage:
    """Return a frame converted for the screen, at most `at_most` pixels wide."""
    height, width = frame.shape[:2]
    shown = frame
    if width > at_most:
        smaller = (at_most, max(1, round(height * at_most / width)))
        shown = cv2.resize(frame, smaller, interpolation=cv2.INTER_AREA).astype(frame.dtype, copy=False)
    rgb = cv2.cvtColor(shown, cv2.COLOR_BGR2RGB)
    size = (int(shown.shape[1]), int(shown.shape[0]))
    return DisplayImage(serial, rgb.tobytes(), size, (int(width), int(height)), t)
