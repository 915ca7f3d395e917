"""The faults of a phone that films a table: drifting exposure and colour, breathing focus, hard knocks."""

from __future__ import annotations

import math
import random

import cv2
import numpy as np

from datasets.films.rendering.layers import Image
from datasets.films.rendering.sensor import Sensor

KBPS = 3500
"""Bit rate of the films of a phone."""
_RING_S = 1.6


class PhoneSensor(Sensor):
    """A sensor with the faults of a phone."""

    def __init__(
        self, width: int, height: int, strength: float, seconds: float, seed: int, sway: float = 0.0
    ) -> None:
        """Choose when what goes wrong; see `Sensor` for the arguments."""
        super().__init__(width, height, strength, seconds, seed, sway)
        rng = random.Random(f"phone {seed}")
        self._drift = [
            (rng.uniform(0.03, 0.08), rng.uniform(9.0, 30.0), rng.uniform(0, 6.28)) for _ in range(2)
        ]
        self._colour = [
            (rng.uniform(0.01, 0.035), rng.uniform(12.0, 40.0), rng.uniform(0, 6.28)) for _ in range(3)
        ]
        self._pixel = height / 1080.0
        times = [rng.uniform(4.0, max(seconds, 5.0)) for _ in range(max(1, round(seconds / 14.0)))]
        self._focus = [(moment, rng.uniform(1.0, 2.6), rng.uniform(0.4, 1.1)) for moment in times]
        self._hits = [
            (
                rng.uniform(5.0, max(seconds, 6.0)),
                rng.uniform(-9, 9),
                rng.uniform(-9, 9),
                rng.uniform(16.0, 30.0),
            )
            for _ in range(max(1, round(seconds / 20.0)))
        ]

    def expose(self, frame: Image, t: float, number: int) -> Image:
        """Return `frame` as the phone records it at time `t`. It may change `frame` in place."""
        blur = sum(size * math.exp(-(((t - moment) / wide) ** 2)) for moment, size, wide in self._focus)
        if blur * self._pixel > 0.15:
            frame = np.asarray(cv2.GaussianBlur(frame, (0, 0), blur * self._pixel), np.uint8)
        gain = 1.0 + sum(size * math.sin(t * 6.2832 / period + phase) for size, period, phase in self._drift)
        tint = [1.0 + size * math.sin(t * 6.2832 / period + phase) for size, period, phase in self._colour]
        table = np.clip(np.arange(256)[:, None] * gain * np.array(tint)[None, :], 0, 255).astype(np.uint8)
        frame = np.asarray(cv2.LUT(frame, table[None]), np.uint8)
        return super().expose(frame, t, number)

    def _shift(self, t: float) -> tuple[float, float]:
        x, y = super()._shift(t)
        for moment, right, down, rate in self._hits:
            since = t - moment
            if 0.0 <= since < _RING_S:
                ring = math.exp(-since * 3.5) * math.cos(since * rate) * self._pixel
                x, y = x + right * ring, y + down * ring
        return x, y
