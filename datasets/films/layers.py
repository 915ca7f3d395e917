"""Layers: small pieces of picture that are laid over a larger one.

A layer keeps a share of what lies below and adds light of its own: `out = below * keep + add`. Shadows,
cards with round corners, blurred hands: all are the same two arrays, and all blur alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, Camera, Points, Pose

Image = NDArray[np.uint8]
Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two exclusive."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A piece of picture at a place."""

    x: int
    y: int
    keep: Image
    """h x w x 3: the share of what lies below, 255 is all of it."""
    add: Image
    """h x w x 3: what is added."""

    @property
    def rect(self) -> Rect:
        """The part of the picture that it touches."""
        return self.x, self.y, self.x + self.keep.shape[1], self.y + self.keep.shape[0]

    def streaked(self, kernel: NDArray[np.float32]) -> Layer:
        """Return the layer blurred by its motion."""
        # Beyond its edge a layer keeps all and adds nothing.
        half = kernel.shape[0] // 2
        border = (half, half, half, half, cv2.BORDER_CONSTANT)
        keep = cv2.filter2D(cv2.copyMakeBorder(self.keep, *border, value=(255, 255, 255)), -1, kernel)
        add = cv2.filter2D(cv2.copyMakeBorder(self.add, *border, value=(0, 0, 0)), -1, kernel)
        return Layer(
            self.x - half, self.y - half, np.asarray(keep, dtype=np.uint8), np.asarray(add, dtype=np.uint8)
        )

    def lay_on(self, canvas: Image, within: Rect | None = None) -> None:
        """Lay this layer over `canvas` in place, only inside `within` where given."""
        height, width = canvas.shape[:2]
        x0, y0, x1, y1 = clip(self.rect, within or (0, 0, width, height))
        if x0 >= x1 or y0 >= y1:
            return
        below = canvas[y0:y1, x0:x1]
        part = np.s_[y0 - self.y : y1 - self.y, x0 - self.x : x1 - self.x]
        cv2.multiply(below, self.keep[part], below, 1.0 / 255.0)
        cv2.add(below, self.add[part], below)


def clip(rect: Rect, bounds: Rect) -> Rect:
    """Return the part of `rect` inside `bounds`; x1 <= x0 or y1 <= y0 where there is none."""
    return (
        max(rect[0], bounds[0]),
        max(rect[1], bounds[1]),
        min(rect[2], bounds[2]),
        min(rect[3], bounds[3]),
    )


def bounds_of(points: Points, margin: float, width: int, height: int) -> Rect:
    """Return the smallest pixel rectangle around `points` (N x 2) and `margin` more, inside the picture."""
    low = np.floor(points.min(axis=0) - margin).astype(int)
    high = np.ceil(points.max(axis=0) + margin).astype(int) + 1
    return clip((int(low[0]), int(low[1]), int(high[0]), int(high[1])), (0, 0, width, height))


def streak_kernel(motion: tuple[float, float], length: float) -> NDArray[np.float32]:
    """Return a line-shaped averaging kernel for a motion in this direction, `length` pixels long."""
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


@dataclass(frozen=True)
class Light:
    """How the lamp falls on the table."""

    gain: Image
    """h x w x 3; 128 leaves a colour as it is."""
    shadow: tuple[float, float]
    """Where a shadow falls, mm per mm of height."""
    darkness: float
    """How dark a contact shadow is, 0 to 1."""
    softness: float
    """Blur of a shadow's edge per mm of height, in mm."""
    gloss: NDArray[np.uint8] | None = None
    """h x w: what a varnished card mirrors of the lamp, grey levels."""

    def lit(self, colours: Image, rect: Rect) -> Image:
        """Return `colours` (h x w x 3, for `rect` of the picture) under the lamp."""
        x0, y0, x1, y1 = rect
        return np.asarray(cv2.multiply(colours, self.gain[y0:y1, x0:x1], scale=1.0 / 128.0), dtype=np.uint8)


class CardArtist:
    """Draws cards of one deck as layers."""

    def __init__(
        self, faces: dict[str, Image], back: Image, camera: Camera, light: Light, blur: float
    ) -> None:
        """Prepare the deck's pictures (BGRA, upright) for the camera's scale; `blur` is a sigma in pixels."""
        self._camera = camera
        self._light = light
        self._blur = blur
        self.scale = camera.scale()
        """Pixels per mm in the middle of the table."""
        height = max(24, round(CARD_HEIGHT_MM * self.scale * 2.0))
        size = (round(height * CARD_WIDTH_MM / CARD_HEIGHT_MM), height)
        self._faces = {card: _premultiplied(face, size) for card, face in faces.items()}
        self._back = _premultiplied(back, size)

    def layer(
        self,
        card: str,
        face_up: bool,
        pose: Pose,
        squeeze: float = 1.0,
        over: float = 1.0,
        shade: float = 1.0,
    ) -> Layer | None:
        """Return a card as a layer, or None where nothing of it is in the picture.

        Args:
            card: Its code.
            face_up: Which side shows.
            pose: Where it lies.
            squeeze: Its visible width as a share, below 1 while it is being turned over.
            over: Height in mm over what lies below it, for its shadow.
            shade: How dark its shadow is, as a share: less where it lies on others that cast one already.
        """
        camera, light = self._camera, self._light
        picture = self._faces[card] if face_up else self._back
        corners = pose.corners(CARD_WIDTH_MM * max(squeeze, 0.04), CARD_HEIGHT_MM)
        pixels = camera.project(corners, pose.z)
        reach = over * light.softness + 0.8
        slide = np.array(light.shadow) * over
        shaded = camera.project(corners + slide, pose.z - over)
        margin = 3.0 * reach * self.scale + 3.0
        rect = bounds_of(np.r_[pixels, shaded], margin, camera.width, camera.height)
        x0, y0, x1, y1 = rect
        if x0 >= x1 or y0 >= y1:
            return None
        warped = _warp(picture, pixels, rect, self._blur)
        shadow = np.zeros((y1 - y0, x1 - x0), np.uint8)
        outline = np.round((shaded - np.array([x0, y0])) * 16.0).astype(np.int32)
        cv2.fillConvexPoly(shadow, outline, round(255 * light.darkness * shade), cv2.LINE_AA, 4)
        shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), reach * self.scale), dtype=np.uint8)
        keep = np.asarray(
            cv2.multiply(255 - warped[:, :, 3], 255 - shadow, scale=1.0 / 255.0), dtype=np.uint8
        )
        add = light.lit(np.ascontiguousarray(warped[:, :, :3]), rect)
        if light.gloss is not None:
            glare = cv2.multiply(light.gloss[y0:y1, x0:x1], warped[:, :, 3], scale=1.0 / 255.0)
            cv2.add(add, gray3(np.asarray(glare, np.uint8)), add)
        return Layer(x0, y0, gray3(keep), add)


def _premultiplied(picture: Image, size: tuple[int, int]) -> Image:
    """Return a BGRA picture at `size` (width, height) with its colours multiplied by its alpha."""
    alpha = picture[:, :, 3:].astype(np.float32) / 255.0
    whole = np.concatenate([picture[:, :, :3] * alpha, picture[:, :, 3:]], axis=2).astype(np.uint8)
    shrinking = picture.shape[0] > size[1]
    return np.asarray(
        cv2.resize(whole, size, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC),
        dtype=np.uint8,
    )


def _warp(picture: Image, pixels: Points, rect: Rect, blur: float) -> Image:
    """Return `picture` warped so that its corners come to `pixels`, cut to `rect`; sampled twofold."""
    x0, y0, x1, y1 = rect
    height, width = picture.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    target = ((pixels - np.array([x0, y0])) * 2.0 - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    large = cv2.warpPerspective(picture, matrix, ((x1 - x0) * 2, (y1 - y0) * 2), flags=cv2.INTER_LINEAR)
    small = cv2.resize(large, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), blur) if blur > 0.05 else small, dtype=np.uint8)
