"""Layers: small pictures that are laid over a larger one.

A layer keeps a share of the picture below and adds light: `out = below * keep + add`. Shadows, cards with
round corners and blurred hands are all such pairs of arrays, and blur in the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Points

Image = NDArray[np.uint8]
Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two exclusive."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A small picture and its position."""

    x: int
    y: int
    keep: Image
    """h x w x 3: the share of the picture below that is kept; 255 keeps all."""
    add: Image
    """h x w x 3: the light that is added."""

    @property
    def rect(self) -> Rect:
        """The rectangle that it covers in the picture."""
        return self.x, self.y, self.x + self.keep.shape[1], self.y + self.keep.shape[0]

    def motion_blurred(self, kernel: NDArray[np.float32]) -> Layer:
        """Return the layer blurred by its motion."""
        # Outside its edge a layer keeps everything and adds nothing.
        half = kernel.shape[0] // 2
        border = (half, half, half, half, cv2.BORDER_CONSTANT)
        keep = cv2.filter2D(cv2.copyMakeBorder(self.keep, *border, value=(255, 255, 255)), -1, kernel)
        add = cv2.filter2D(cv2.copyMakeBorder(self.add, *border, value=(0, 0, 0)), -1, kernel)
        return Layer(
            self.x - half, self.y - half, np.asarray(keep, dtype=np.uint8), np.asarray(add, dtype=np.uint8)
        )

    def lay_on(self, canvas: Image, within: Rect | None = None) -> None:
        """Lay this layer over `canvas`, in place, and only inside `within` if given."""
        height, width = canvas.shape[:2]
        x0, y0, x1, y1 = clip(self.rect, within or (0, 0, width, height))
        if x0 >= x1 or y0 >= y1:
            return
        below = canvas[y0:y1, x0:x1]
        part = np.s_[y0 - self.y : y1 - self.y, x0 - self.x : x1 - self.x]
        cv2.multiply(below, self.keep[part], below, 1.0 / 255.0)
        cv2.add(below, self.add[part], below)


def clip(rect: Rect, bounds: Rect) -> Rect:
    """Return the part of `rect` inside `bounds`. If there is none, x1 <= x0 or y1 <= y0."""
    return (
        max(rect[0], bounds[0]),
        max(rect[1], bounds[1]),
        min(rect[2], bounds[2]),
        min(rect[3], bounds[3]),
    )


def bounds_of(points: Points, margin: float, width: int, height: int) -> Rect:
    """Return the pixel rectangle around `points` (N x 2), widened by `margin`, inside the picture."""
    low = np.floor(points.min(axis=0) - margin).astype(int)
    high = np.ceil(points.max(axis=0) + margin).astype(int) + 1
    return clip((int(low[0]), int(low[1]), int(high[0]), int(high[1])), (0, 0, width, height))


def motion_blur_kernel(motion: tuple[float, float], length: float) -> NDArray[np.float32]:
    """Return a line-shaped averaging kernel in the direction of `motion`, `length` pixels long."""
    size = max(3, round(length)) | 1
    kernel = np.zeros((size, size), np.float32)
    norm = math.hypot(*motion)
    half = (size - 1) / 2.0
    dx, dy = motion[0] / norm * half, motion[1] / norm * half
    ends = [
        (round((half - dx) * 16), round((half - dy) * 16)),
        (round((half + dx) * 16), round((half + dy) * 16)),
    ]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(kernel / kernel.sum(), np.float32)


def gray3(mask: NDArray[np.uint8]) -> Image:
    """Return a one-channel mask as three equal channels."""
    return np.ascontiguousarray(cv2.merge([mask, mask, mask]))


def as_bytes(values: NDArray[np.floating]) -> Image:
    """Return values clipped to 0..255, as bytes."""
    return np.asarray(np.clip(values, 0, 255), dtype=np.uint8)
