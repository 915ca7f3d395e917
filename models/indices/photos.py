"""Photographs with boxes around index corners, as training pictures for the index network.

A box shows where an index is, but not how its card lies. Such pictures teach only the score.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from datasets.photos import BACK, LabelledPhoto, load_set, photos_root
from models.indices.data import IndexTruth, cell_centres
from models.indices.network import FRAME, STRIDE
from models.shared.scene_data import tinted
from vision.recognition.index_detector import INPUT_CARD_HEIGHT

TRAINING_SETS = ("mix55/phone_single", "mix55/black_deck_phone", "mix55/other")
"""Licensed under CC BY 4.0. `mix55/laptopcam_piles` is kept for measuring."""
_INDEX_SHARE = 0.27
"""Length of the box of an index as a share of the height of its card."""
_CENTRE, _AROUND = 0.24, 0.75
"""Cells up to the first distance from a box must find it; cells up to the second are ignored.

Both are shares of the length of the box.
"""
_ZOOM = (0.6, 1.5)


@dataclass(frozen=True)
class _Boxes:
    """The labelled boxes of a picture, in pixels."""

    centres: NDArray[np.float64]
    lengths: NDArray[np.float64]
    unclear: NDArray[np.bool_]
    """Whether the label of a box is no index."""


def _boxes(photo: LabelledPhoto) -> _Boxes:
    low = np.array([label.points.min(axis=0) for label in photo.labels]).reshape(-1, 2)
    high = np.array([label.points.max(axis=0) for label in photo.labels]).reshape(-1, 2)
    unclear = np.array([label.card == BACK for label in photo.labels], bool)
    return _Boxes((low + high) / 2, (high - low).max(axis=1, initial=1.0), unclear)


class IndexPhotoDataset(Dataset[tuple[Tensor, IndexTruth]]):
    """A cut-out around an index of each photo, in quarter turns.

    Its cards are about `INPUT_CARD_HEIGHT` pixels tall.
    """

    def __init__(self, photos: list[LabelledPhoto], size: int, seed: int = 0) -> None:
        self.photos = [photo for photo in photos if any(label.card != BACK for label in photo.labels)]
        self.size, self.seed = size, seed

    def __len__(self) -> int:
        return len(self.photos)

    def __getitem__(self, number: int) -> tuple[Tensor, IndexTruth]:
        """Return the picture (3 x size x size, RGB, uint8) and the answers."""
        rng = np.random.default_rng([self.seed, number, 11])
        photo = self.photos[number]
        boxes, image = _boxes(photo), photo.image()
        around = int(rng.choice(np.flatnonzero(~boxes.unclear)))
        scale = INPUT_CARD_HEIGHT * _INDEX_SHARE / boxes.lengths[around] * np.exp(rng.uniform(*np.log(_ZOOM)))
        turn = int(rng.integers(4)) * np.pi / 2
        cos, sin = scale * np.cos(turn), scale * np.sin(turn)
        matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
        target = rng.uniform(0.15, 0.85, 2) * self.size
        matrix[:, 2] = target - matrix[:, :2] @ boxes.centres[around]
        if scale < 0.75:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.35 / scale), np.uint8)
        view = cv2.warpAffine(
            image, matrix, (self.size, self.size), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114)
        )
        view = tinted(np.asarray(view, np.uint8), rng) if rng.random() < 0.7 else np.asarray(view, np.uint8)
        outside = cv2.warpAffine(np.ones(image.shape[:2], np.uint8), matrix, (self.size, self.size)) == 0
        truth = _truth(boxes, matrix, scale, outside[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE])
        return torch.from_numpy(np.ascontiguousarray(view[..., ::-1].transpose(2, 0, 1))), truth


def _truth(
    boxes: _Boxes, matrix: NDArray[np.float64], scale: float, outside: NDArray[np.bool_]
) -> IndexTruth:
    down, across = outside.shape
    points = cell_centres(outside.shape)
    wanted, judged = np.zeros((down, across), np.float32), ~outside
    centres = boxes.centres @ matrix[:, :2].T + matrix[:, 2]
    for centre, length, unclear in zip(centres, boxes.lengths * scale, boxes.unclear, strict=True):
        distance = np.linalg.norm(points - centre, axis=-1) / length
        judged &= distance >= _AROUND
        if not unclear:
            wanted[distance < _CENTRE] = 1
    judged |= wanted > 0
    frame = np.zeros((FRAME, down, across), np.float32)
    return IndexTruth(
        torch.from_numpy(wanted),
        torch.from_numpy(judged),
        torch.from_numpy(frame),
        torch.zeros(down, across),
    )


def training_photos() -> list[LabelledPhoto]:
    """Return the photos with index boxes that allow training, or none without the photo folder."""
    if photos_root() is None:
        return []
    return [photo for name in TRAINING_SETS for photo in load_set(name)]
