"""Cards of one deck, drawn as layers under the lamp."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.films.geometry import Camera, Points, Pose
from datasets.films.rendering.layers import Image, Layer, Rect, bounds_of, gray3
from datasets.films.rendering.light import Light
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM


class CardArtist:
    """Draws cards of one deck as layers."""

    def __init__(
        self, faces: dict[str, Image], back: Image, camera: Camera, light: Light, blur: float
    ) -> None:
        """Take the pictures of the deck (BGRA, upright), for the camera; `blur` is a sigma in pixels."""
        self._camera = camera
        self._light = light
        self._blur = blur
        self.scale = camera.scale()
        """Pixels per mm in the middle of the table."""
        height = max(24, round(CARD_HEIGHT_MM * self.scale * 2.0))
        self._size = (round(height * CARD_WIDTH_MM / CARD_HEIGHT_MM), height)
        self._faces = faces
        self._scaled: dict[str, Image] = {}
        self._back = _premultiplied(back, self._size)

    def layer(
        self,
        card: str,
        face_up: bool,
        pose: Pose,
        squeeze: float = 1.0,
        over: float = 1.0,
        shade: float = 1.0,
    ) -> Layer | None:
        """Return a card as a layer, or None if it is outside the picture.

        Args:
            card: The code of the card.
            face_up: Whether its face shows.
            pose: Its pose.
            squeeze: Share of its width that shows; below 1 while it is turned over.
            over: Height of the card over the surface below, mm, for its shadow.
            shade: Strength of its shadow; weaker on cards that cast one already.
        """
        camera, light = self._camera, self._light
        picture = self._face(card) if face_up else self._back
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

    def _face(self, card: str) -> Image:
        """Return the picture of a card, scaled when it is first shown: short films show few."""
        if card not in self._scaled:
            self._scaled[card] = _premultiplied(self._faces[card], self._size)
        return self._scaled[card]


def _premultiplied(picture: Image, size: tuple[int, int]) -> Image:
    """Return a BGRA picture at `size` (width, height), premultiplied by alpha."""
    alpha = picture[:, :, 3:].astype(np.float32) / 255.0
    whole = np.concatenate([picture[:, :, :3] * alpha, picture[:, :, 3:]], axis=2).astype(np.uint8)
    shrinking = picture.shape[0] > size[1]
    return np.asarray(
        cv2.resize(whole, size, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC),
        dtype=np.uint8,
    )


def _warp(picture: Image, pixels: Points, rect: Rect, blur: float) -> Image:
    """Return `picture` with its corners warped to `pixels`, clipped to `rect`; sampled twice as finely."""
    x0, y0, x1, y1 = rect
    height, width = picture.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    target = ((pixels - np.array([x0, y0])) * 2.0 - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    large = cv2.warpPerspective(picture, matrix, ((x1 - x0) * 2, (y1 - y0) * 2), flags=cv2.INTER_LINEAR)
    small = cv2.resize(large, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), blur) if blur > 0.05 else small, dtype=np.uint8)
