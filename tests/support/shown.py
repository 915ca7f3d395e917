"""A film in which a pack is shown card by card, for the tests of enrolment."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import corner_mask
from datasets.films.rendering.video import FilmWriter
from datasets.surfaces import drawn_surface
from vision.geometry import homography, image_border

WIDTH, HEIGHT, FPS = 640, 480, 10
Picture = NDArray[np.uint8]


@functools.cache
def table(seed: int = 3) -> Picture:
    """Return a bare table, HEIGHT x WIDTH x 3, read-only."""
    surface = drawn_surface(np.random.default_rng(seed))
    bare = np.asarray(cv2.resize(surface, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR), np.uint8)
    bare.setflags(write=False)
    return bare


def quad_at(rng: np.random.Generator, height: float = 190.0) -> NDArray[np.float32]:
    """Return where a card lies that somebody put down without care."""
    width = height * 63 / 88
    flat = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    angle = rng.normal(0, 0.15) + (np.pi if rng.random() < 0.5 else 0.0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.array([WIDTH, HEIGHT]) / 2 + rng.normal(0, 20, 2)
    lean = 1 + 0.0004 * (flat[:, 1:] + 0.3 * flat[:, :1])  # the camera looks from a side
    return np.asarray(flat @ turn.T * lean + middle, np.float32)


def lay(picture: Picture, face: Picture, quad: NDArray[np.float32]) -> Picture:
    """Return the picture with a card on it."""
    tall = float(np.linalg.norm(quad[0] - quad[3]))
    size = (round(tall * 63 / 88), round(tall))
    small = cv2.resize(face[:, :, :3], size, interpolation=cv2.INTER_AREA)
    matrix = homography(image_border(*size), quad)
    card = cv2.warpPerspective(small, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    share = cv2.warpPerspective(corner_mask(*size), matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    weight = share[:, :, None].astype(np.float32) / 255
    return np.asarray(card * weight + picture * (1 - weight), np.uint8)


def arm(picture: Picture) -> Picture:
    """Return the picture with an arm across it that hides the card."""
    hidden = picture.copy()
    cv2.line(hidden, (WIDTH // 2 + 60, HEIGHT), (WIDTH // 2, HEIGHT // 2), (110, 140, 190), 130, cv2.LINE_AA)
    return hidden


def show_pack(
    path: Path,
    cards: Sequence[str],
    faces: Mapping[str, Picture],
    *,
    still: int = 7,
    seed: int = 1,
    back: Picture | None = None,
) -> None:
    """Write a film: each card rests for `still` frames, then an arm changes it for the next one."""
    rng = np.random.default_rng(seed)
    bare = table()
    with FilmWriter(path, FPS, (WIDTH, HEIGHT)) as film:
        for face in [*(faces[card] for card in cards), *([back] if back is not None else [])]:
            lying = lay(bare, face, quad_at(rng))
            light = rng.uniform(0.75, 1.05)
            for frame in [*[lying] * still, arm(lying), arm(bare)]:
                noise = rng.normal(0, 3, frame.shape)
                film.write(np.clip(frame * light + noise, 0, 255).astype(np.uint8))
