"""Light and lens of a scene: uneven and coloured light, glare, blur, noise, compression."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""Height x width x 3, BGR, 0..255."""


def _smooth_field(rng: np.random.Generator, size: int, cells: int) -> Picture:
    """Return a smooth random field, size x size, about -1..1."""
    field = rng.normal(0, 0.6, (cells, cells)).astype(np.float32)
    return np.asarray(cv2.resize(field, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)


def light_up(picture: Picture, rng: np.random.Generator) -> Picture:
    """Return the picture in uneven, perhaps dim and coloured light, with shadows from outside."""
    size = picture.shape[0]
    gain = 1 + rng.uniform(0, 0.35) * _smooth_field(rng, size, int(rng.integers(2, 4)))
    ramp = np.linspace(-1, 1, size, dtype=np.float32)
    gain = gain + rng.uniform(-0.3, 0.3) * ramp + rng.uniform(-0.3, 0.3) * ramp[:, None]
    if rng.random() < 0.25:  # a hard-edged shadow across the table
        mask: Picture = np.ones((size, size), np.float32)
        points = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * size
        cv2.fillPoly(mask, [cv2.convexHull(points.astype(np.int32))], (rng.uniform(0.3, 0.8),))
        gain = gain * cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 15))
    exposure = rng.uniform(0.35, 0.75) if rng.random() < 0.25 else rng.uniform(0.75, 1.2)
    tint = 1 + rng.normal(0, 0.06, 3) if rng.random() < 0.8 else rng.uniform(0.6, 1.2, 3)
    return np.asarray(picture * np.clip(gain, 0.15, 2)[..., None] * (exposure * tint), np.float32)


def add_glare(picture: Picture, glossy: NDArray[np.bool_], rng: np.random.Generator) -> Picture:
    """Return the picture with reflections of lamps: strong on glossy parts (cards), weak elsewhere."""
    size = picture.shape[0]
    glare = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre, axes = (
            (rng.uniform(0, 1, 2) * size).astype(int),
            (rng.uniform(0.02, 0.25, 2) * size).astype(int),
        )
        strength = rng.uniform(40, 230)
        cv2.ellipse(glare, centre.tolist(), (axes + 1).tolist(), rng.uniform(0, 180), 0, 360, (strength,), -1)
    soft = cv2.GaussianBlur(glare, (0, 0), rng.uniform(0.01, 0.06) * size)
    share = np.where(glossy, 1.0, rng.uniform(0, 0.4)).astype(np.float32)
    return picture + (soft * share)[..., None]


def motion_kernel(rng: np.random.Generator, length: int) -> NDArray[np.float32]:
    """Return an averaging kernel, `length` x `length`, for a motion in a random direction."""
    kernel: NDArray[np.float32] = np.zeros((length, length), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = np.array([np.cos(angle), np.sin(angle)]) * (length - 1) / 2
    ends = np.round((length - 1) / 2 + np.stack([-reach, reach])).astype(int).tolist()
    cv2.line(kernel, ends[0], ends[1], (1.0,))
    return np.asarray(kernel / kernel.sum(), np.float32)


def through_lens(picture: Picture, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture as a phone camera takes it, with blur, tone curve and noise, in 8 bits."""
    if rng.random() < 0.7:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.3)), np.float32)
    if rng.random() < 0.08:
        kernel = motion_kernel(rng, int(rng.integers(3, 9)))
        picture = np.asarray(cv2.filter2D(picture, -1, kernel), np.float32)
    picture = np.float32(255) * (np.clip(picture, 0, 255) / np.float32(255)) ** np.float32(
        rng.uniform(0.75, 1.35)
    )
    if rng.random() < 0.3:
        grey = picture.mean(axis=-1, keepdims=True)
        picture = grey + (picture - grey) * np.float32(rng.uniform(0.2, 1.6))
    if rng.random() < 0.25:  # the sharpening of a phone, with its halos
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + (picture - soft) * np.float32(rng.uniform(0.5, 2))
    noise = rng.normal(0, 1, (*picture.shape[:2], 1 if rng.random() < 0.4 else 3)).astype(np.float32)
    picture = picture + noise * np.float32(rng.uniform(0, 4) if rng.random() < 0.7 else rng.uniform(4, 16))
    if rng.random() < 0.03:
        picture[rng.random(picture.shape[:2]) < 0.004] = 255
    return np.clip(picture, 0, 255).astype(np.uint8)
