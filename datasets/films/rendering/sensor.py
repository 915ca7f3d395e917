"""Noise, drifting exposure and knocks: the marks of a phone camera on a picture."""

from __future__ import annotations

import math
import random

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.rendering.layers import Image

_TILE_MARGIN = 64


class Sensor:
    """Turns clean frames into those of a camera. The same seed gives the same frames."""

    def __init__(
        self, width: int, height: int, strength: float, seconds: float, seed: int, sway: float = 0.0
    ) -> None:
        """Make the noise tiles, and choose the moments of the knocks.

        Args:
            width: Width of the frames, pixels.
            height: Height of the frames, pixels.
            strength: Standard deviation of the noise, grey levels.
            seconds: Length of the film.
            seed: Decides everything.
            sway: Motion of the picture in a hand that holds the camera, pixels of a 1080p frame.
        """
        self._size, self._seed = (width, height), seed
        noise = np.random.default_rng(seed)
        shape = (height + _TILE_MARGIN, width + _TILE_MARGIN, 3)
        # After demosaicing, neighbouring pixels share noise.
        tile = cv2.GaussianBlur(noise.normal(0.0, strength, shape).astype(np.float32), (0, 0), 0.6) * 1.5
        self._plus = np.asarray(np.clip(np.round(tile), 0, 255), dtype=np.uint8)
        self._minus = np.asarray(np.clip(np.round(-tile), 0, 255), dtype=np.uint8)
        rng = random.Random(f"sensor {seed}")
        self._breath = [
            (rng.uniform(0.004, 0.014), rng.uniform(7.0, 40.0), rng.uniform(0, 6.28)) for _ in range(2)
        ]
        pixel = height / 1080.0
        self._knocks = [
            (rng.uniform(25.0, max(seconds, 26.0)), rng.uniform(-3, 3) * pixel, rng.uniform(-3, 3) * pixel)
            for _ in range(rng.choice([0, 0, 1, 2]))
        ]

        self._sway = sway * pixel
        self._waves = [
            [(rng.uniform(0.15, 0.9), rng.uniform(0, 6.28), rng.uniform(0.4, 1.0)) for _ in range(3)]
            for _ in range(4)
        ]

    def expose(self, frame: Image, t: float, number: int) -> Image:
        """Return `frame` as the camera records it at time `t`. It may change `frame` in place."""
        matrix = self.movement(t)
        if matrix is not None:
            frame = np.asarray(
                cv2.warpPerspective(frame, matrix, self._size, borderMode=cv2.BORDER_REPLICATE),
                dtype=np.uint8,
            )
        gain = 1.0 + sum(size * math.sin(t * 6.2832 / period + phase) for size, period, phase in self._breath)
        cv2.convertScaleAbs(frame, frame, gain)
        self._add_noise(frame, number)
        return frame

    def movement(self, t: float) -> NDArray[np.float64] | None:
        """Return the homography of the motion of the picture, or None without motion."""
        shift = self._shift(t)
        if not self._sway:
            return (
                None if shift == (0.0, 0.0) else np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1.0]])
            )
        right, down, turn, near = (
            sum(size * math.sin(6.2832 * rate * t + phase) for rate, phase, size in waves) / 2.1
            for waves in self._waves
        )
        width, height = self._size
        turn, near = turn * self._sway / width, 1 + near * self._sway / width
        middle = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1.0]])
        cos, sin = near * math.cos(turn), near * math.sin(turn)
        move = np.array(
            [
                [cos, -sin, self._sway * right + shift[0]],
                [sin, cos, self._sway * down + shift[1]],
                [0, 0, 1.0],
            ]
        )
        return np.asarray(middle @ move @ np.linalg.inv(middle))

    def _shift(self, t: float) -> tuple[float, float]:
        """Return the shift of the picture (pixels). Knocks fade, and leave a small shift."""
        x = y = 0.0
        for moment, right, down in self._knocks:
            since = t - moment
            if since < 0:
                continue
            ringing = math.exp(-since * 7.0) * math.cos(since * 38.0) if since < 1.0 else 0.0
            x += right * (0.4 + ringing)
            y += down * (0.4 + ringing)
        return x, y

    def _add_noise(self, frame: Image, number: int) -> None:
        width, height = self._size
        rng = random.Random(self._seed * 1_000_003 + number)
        x, y = rng.randrange(_TILE_MARGIN), rng.randrange(_TILE_MARGIN)
        cv2.add(frame, self._plus[y : y + height, x : x + width], frame)
        cv2.subtract(frame, self._minus[y : y + height, x : x + width], frame)
