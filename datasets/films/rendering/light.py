"""The lamp over the table: how bright each part of the picture is, and where shadows fall."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Camera
from datasets.films.rendering.layers import Image, Rect, as_bytes

LIGHTS = ("day", "lamp", "evening", "dim")


@dataclass(frozen=True, slots=True)
class LightSpec:
    """One kind of light."""

    level: float
    """Brightness; at 1 a white card is just below white."""
    warmth: float
    """0 is daylight, 1 is candle light."""
    fall_off: float
    """Loss of light at the far corner of the table, as a share."""
    darkness: float
    softness: float
    noise: float
    """Standard deviation of the sensor noise in grey levels."""
    gloss: float
    """Greatest reflection of the lamp on a card, grey levels."""


LIGHT_SPECS = {
    "day": LightSpec(1.0, 0.05, 0.18, 0.34, 0.55, 1.6, 18.0),
    "lamp": LightSpec(0.92, 0.35, 0.36, 0.55, 0.22, 2.2, 60.0),
    "evening": LightSpec(0.8, 0.55, 0.42, 0.48, 0.35, 3.4, 40.0),
    "dim": LightSpec(0.62, 0.4, 0.40, 0.40, 0.45, 5.5, 15.0),
}


@dataclass(frozen=True)
class Light:
    """The light of the lamp on the table."""

    gain: Image
    """h x w x 3; 128 leaves a colour unchanged."""
    shadow: tuple[float, float]
    """Shift of a shadow, mm per mm of height."""
    darkness: float
    """Darkness of a contact shadow, 0 to 1."""
    softness: float
    """Blur of the edge of a shadow, mm per mm of height."""
    gloss: NDArray[np.uint8] | None = None
    """h x w: reflection of the lamp on a varnished card, grey levels."""

    def lit(self, colours: Image, rect: Rect) -> Image:
        """Return `colours` (h x w x 3, at `rect` of the picture) under the lamp."""
        x0, y0, x1, y1 = rect
        return np.asarray(cv2.multiply(colours, self.gain[y0:y1, x0:x1], scale=1.0 / 128.0), dtype=np.uint8)


def make_light(name: str, camera: Camera, table: tuple[float, float], rng: random.Random) -> Light:
    """Return the light of a random lamp: a smooth gain over the picture, shadows and gloss."""
    spec = LIGHT_SPECS[name]
    width, height = camera.width, camera.height
    lamp_x, lamp_y = rng.uniform(-0.4, 0.4) * table[0], rng.uniform(-0.6, 0.3) * table[1]
    step = 8
    ys, xs = np.mgrid[0 : height : step * 1.0, 0 : width : step * 1.0]
    inverse = np.linalg.inv(camera.plane(0.0))
    points = np.stack([xs, ys, np.ones_like(xs)], axis=-1) @ inverse.T
    points = points[..., :2] / points[..., 2:]
    away = ((points[..., 0] - lamp_x) / table[0]) ** 2 + ((points[..., 1] - lamp_y) / table[1]) ** 2
    gain = 1.0 / (1.0 + spec.fall_off * away * 1.6)
    corner = ((xs / width - 0.5) ** 2 + (ys / height - 0.5) ** 2) / 0.5
    gain *= 1.0 - 0.16 * corner
    level = spec.level * rng.uniform(0.93, 1.05)
    warm = spec.warmth * rng.uniform(0.7, 1.2)
    colour = np.array([1.0 - 0.34 * warm, 1.0 - 0.10 * warm, 1.0 + 0.02 * warm])
    small = np.clip(gain[..., None] * colour * level * 128.0, 0, 255).astype(np.float32)
    full = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    lean = np.array([-lamp_x, -lamp_y]) / 700.0
    return Light(
        gain=as_bytes(np.round(full)),
        gloss=_gloss(spec, camera, rng),
        shadow=(float(lean[0]), float(lean[1])),
        darkness=spec.darkness,
        softness=spec.softness,
    )


def _gloss(spec: LightSpec, camera: Camera, rng: random.Random) -> Image | None:
    """Return the reflection of the lamp on a varnished card (h x w grey levels), or None for a matt card."""
    x, y, size = (rng.uniform(0.25, 0.75), rng.uniform(0.2, 0.8), rng.uniform(0.08, 0.2))
    strength = rng.uniform(0.3, 1.0) * spec.gloss
    if rng.random() < 0.4 or strength < 1.0:
        return None
    ys, xs = np.mgrid[0.0 : camera.height : 8.0, 0.0 : camera.width : 8.0]
    away = (
        (xs / camera.width - x) ** 2 + ((ys / camera.width) - y * camera.height / camera.width) ** 2
    ) / size**2
    spot = (strength * np.exp(-away)).astype(np.float32)
    return as_bytes(cv2.resize(spot, (camera.width, camera.height), interpolation=cv2.INTER_LINEAR))
