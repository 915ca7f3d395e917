"""Scenes on disk, so that training renders each scene only once: a JPEG with its truth beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scenes.scene import Scene


@dataclass(frozen=True, slots=True)
class StoredScene:
    """A scene from disk."""

    image: NDArray[np.uint8]
    """Height x width x 3, BGR."""
    quads: NDArray[np.float32]
    """N x 4 x 2, pixels."""
    face_up: NDArray[np.bool_]
    """N."""
    owner: NDArray[np.uint8]
    """Height x width, as in `Scene.owner`."""
    cards: tuple[str, ...] | None = None
    """N codes as in `SceneCard.card`; None if they were not stored."""


def write_scene(path: Path, scene: Scene, quality: int = 90) -> None:
    """Store a scene at `path` (.jpg) with its truth beside it (.npz).

    `quality` is the JPEG's, 1..100.
    """
    quads = np.array([card.quad for card in scene.cards], np.float32).reshape(-1, 4, 2)
    face_up = np.array([card.face_up for card in scene.cards], bool)
    cards = [card.card for card in scene.cards]
    write_scene_parts(path, scene.image, quads, face_up, scene.owner, quality, cards)


def write_scene_parts(
    path: Path,
    image: NDArray[np.uint8],
    quads: NDArray[np.float32],
    face_up: NDArray[np.bool_],
    owner: NDArray[np.uint8],
    quality: int = 90,
    cards: Sequence[str] | None = None,
) -> None:
    """Store a picture and its truth, as in `StoredScene`.

    The picture is written last, so a picture always has its truth.
    """
    packed = cv2.imencode(".png", owner)[1]
    truth: dict[str, Any] = {"quads": quads, "up": face_up, "owner": packed}
    if cards is not None:
        truth["cards"] = np.array(cards, np.str_)
    np.savez(path.with_suffix(".npz"), **truth)
    cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, quality])


def read_scene(path: Path) -> StoredScene:
    """Return the scene stored at `path` (.jpg)."""
    with np.load(path.with_suffix(".npz")) as truth:
        owner = cv2.imdecode(truth["owner"], cv2.IMREAD_GRAYSCALE)
        quads, face_up = truth["quads"], truth["up"]
        cards = tuple(map(str, truth["cards"])) if "cards" in truth else None
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None or owner is None:
        raise ValueError(f"{path}: the stored scene is damaged")
    return StoredScene(np.asarray(image, np.uint8), quads, face_up, np.asarray(owner, np.uint8), cards)
