"""Stored scenes as training pictures: they are moved, turned and tinted differently each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from datasets.scenes.store import StoredScene, read_scene
from vision.geometry import transform


@dataclass(frozen=True)
class Truth:
    """The cards of one training picture."""

    quads: Tensor
    """G x 4 x 2, pixels."""
    face_up: Tensor
    """G, bool."""
    owner: Tensor
    """H x W, uint8: 1 + index of the card seen, 0 for none, 255 to be ignored."""


Sample = tuple[Tensor, Truth]


def random_view(
    rng: np.random.Generator,
    shape: Sequence[int],
    size: int,
    zoom: tuple[float, float],
    stretch: float,
) -> NDArray[np.float64]:
    """Return the affine map (3 x 3) of a random cut-out: zoom, quarter turns, a small turn and a shift.

    `stretch` is the largest factor by which the picture becomes wider or narrower, as with some cameras.
    """
    height, width = shape[:2]
    scale = size / max(height, width) * np.exp(rng.uniform(*np.log(zoom)))
    angle = rng.integers(4) * np.pi / 2 + (rng.normal(0, 0.12) if rng.random() < 0.5 else 0.0)
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    matrix = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    if stretch > 1 and rng.random() < 0.4:
        factor = np.sqrt(np.exp(rng.uniform(-np.log(stretch), np.log(stretch))))
        matrix = np.diag([factor, 1 / factor, 1.0]) @ matrix
    middle = transform(matrix, [[width / 2, height / 2]])[0]
    room = abs(scale * max(height, width) - size) / 2 + 0.06 * size
    matrix[:2, 2] = size / 2 - middle + rng.uniform(-room, room, 2)
    return matrix


def tinted(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture with other brightness, contrast, saturation and hue."""
    hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV).astype(np.float32)
    hsv[..., 0] = (hsv[..., 0] + rng.normal(0, 4)) % 180
    hsv[..., 1] *= rng.uniform(0.6, 1.4)
    hsv[..., 2] = hsv[..., 2] * rng.uniform(0.7, 1.3) + rng.uniform(-12, 12)
    return np.asarray(cv2.cvtColor(np.clip(hsv, 0, 255).astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)


def _keep_seen(scene: StoredScene, quads: NDArray[np.float64], owner: NDArray[np.uint8]) -> Truth:
    """Return the truth of a cut-out, without the cards that are outside or barely inside."""
    seen = np.bincount(owner.ravel(), minlength=256)
    relabel = np.zeros(256, np.uint8)
    relabel[255] = 255
    kept: list[int] = []
    for index in range(len(quads)):
        if seen[index + 1] >= 24:
            kept.append(index)
            relabel[index + 1] = len(kept)
        else:
            relabel[index + 1] = 255
    return Truth(
        torch.from_numpy(quads[kept].astype(np.float32)).view(-1, 4, 2),
        torch.from_numpy(scene.face_up[kept]),
        torch.from_numpy(relabel[owner]),
    )


class SceneDataset(Dataset[Sample]):
    """Stored scenes as network inputs of `size` x `size` pixels."""

    def __init__(
        self,
        paths: Sequence[Path],
        size: int,
        seed: int = 0,
        zoom: tuple[float, float] = (0.8, 1.3),
        augment: bool = True,
        stretch: float = 1.0,
    ) -> None:
        self.paths, self.size, self.seed, self.zoom, self.augment = list(paths), size, seed, zoom, augment
        self.stretch = stretch

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Sample:
        """Return the picture (3 x size x size, RGB, uint8) and its truth."""
        rng = np.random.default_rng([self.seed, index])
        scene = read_scene(self.paths[index])
        image = scene.image
        if self.augment:
            matrix = random_view(rng, image.shape, self.size, self.zoom, self.stretch)
            image = tinted(image, rng) if rng.random() < 0.7 else image
        else:
            scale = self.size / max(image.shape[:2])
            matrix = np.diag([scale, scale, 1.0])
        size = (self.size, self.size)
        shrink = abs(matrix[0, 0]) + abs(matrix[0, 1]) < 0.75
        picture = cv2.warpAffine(
            cv2.GaussianBlur(image, (3, 3), 0) if shrink else image,
            matrix[:2],
            size,
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(114, 114, 114),
        )
        owner = cv2.warpAffine(scene.owner, matrix[:2], size, flags=cv2.INTER_NEAREST)
        quads = transform(matrix, scene.quads.reshape(-1, 2)).reshape(-1, 4, 2)
        truth = _keep_seen(scene, quads, np.asarray(owner, np.uint8))
        return torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1))), truth


def collate(samples: list[Sample]) -> tuple[Tensor, list[Truth]]:
    """Return a batch: pictures stacked, truths in a list."""
    return torch.stack([image for image, _ in samples]), [truth for _, truth in samples]
