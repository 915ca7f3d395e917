"""Training data for the index network: stored scenes, and the answer for each cell of its grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from models.indices.network import FRAME, STRIDE
from models.shared.scene_data import SceneDataset, Truth
from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    card_homography,
    rectangle_corners,
    transform_points,
)
from vision.recognition.index_detector import INDEX_BOX_MM, INDEX_CENTRE_MM, RANK_BOX_MM

_SEEN = 0.75
"""An index counts if at least this share of it shows."""
_SEEN_BELOW_RANK, _RANK_SEEN = 0.5, 0.85
"""It also counts if the first share of it shows and the second share of its rank.

A set that is laid askew often shows only the ranks and a part of each suit.
"""
_HIDDEN = 0.3
"""An index with less than this share showing is no index."""
_STRETCH = 1.9
"""A little more than 16:9 squeezed to a square."""
_CENTRE_MM, _AROUND_MM, _OTHER_CORNER_MM = 4.0, 9.0, 14.0
"""Cells up to the first distance from an index must find it, and cells up to the second are ignored.

Cells up to the third distance from the other two corners are ignored too: some decks have four indices.
"""


@dataclass(frozen=True)
class IndexTruth:
    """The true answers for a picture or a batch: (B x) H/4 x W/4 cells."""

    wanted: Tensor
    """1 at the middle of an index, else 0; float."""
    judged: Tensor
    """Whether the score of a cell counts in the loss."""
    frame: Tensor
    """(B x) 6 x H/4 x W/4: the frame of the card at cells with an index, pixels."""
    framed: Tensor
    """1 if the frame is known, else 0; float."""


def index_truth(truth: Truth) -> IndexTruth:
    """Return the answers for the cards of a picture; their quads run clockwise from their top left."""
    owner = truth.owner.numpy()
    half = STRIDE // 2
    cells = owner[half::STRIDE, half::STRIDE]
    shape = cells.shape
    points = cell_centres(shape)
    wanted = np.zeros(shape, np.float32)
    judged = cells != 255
    frame = np.zeros((FRAME, *shape), np.float32)
    nearest = np.full(shape, np.inf)
    for number, (quad, up) in enumerate(
        zip(truth.quads.numpy(), truth.face_up.numpy(), strict=True), start=1
    ):
        if not up:
            continue
        for turn in range(4):
            corners = np.roll(quad, -turn, axis=0)
            if turn in (1, 3):  # the card from a long side, to find its other corners
                judged &= ~_near_other_corner(corners, points, cells == number)
                continue
            plane = card_homography(corners)
            place, pixels = _index_place(plane)
            seen = _share_seen(plane, INDEX_BOX_MM, owner, number)
            distance = np.linalg.norm(points - place, axis=-1) / pixels
            on_card = cells == number
            ranked = seen >= _SEEN_BELOW_RANK and (
                seen >= _SEEN or _share_seen(plane, RANK_BOX_MM, owner, number) >= _RANK_SEEN
            )
            if not ranked:
                if seen > _HIDDEN:
                    judged &= ~(on_card & (distance < _AROUND_MM))
                continue
            here = on_card & (distance < _CENTRE_MM) & (distance < nearest)
            nearest[here] = distance[here]
            judged &= ~(on_card & (distance >= _CENTRE_MM) & (distance < _AROUND_MM))
            wanted[here] = 1
            corner, right, below = corners[0], corners[1] - corners[0], corners[3] - corners[0]
            frame[0:2, here] = (corner - points[here]).T
            frame[2:4, here], frame[4:6, here] = right[:, None], below[:, None]
    judged |= wanted > 0
    known = torch.from_numpy(wanted)
    return IndexTruth(known, torch.from_numpy(judged), torch.from_numpy(frame), known)


def cell_centres(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the middles of the cells, rows x columns x 2 (x, y) in pixels, for a grid of `shape`."""
    return np.stack(np.meshgrid(*(np.arange(n) * STRIDE + (STRIDE - 1) / 2 for n in shape[::-1])), axis=-1)


def _index_place(plane: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the middle (pixels) of the index of a card, and the pixels per millimetre there."""
    x, y = INDEX_CENTRE_MM
    place, aside = transform_points(plane, [[x, y], [x, y + 5]])
    return place, float(np.linalg.norm(aside - place)) / 5


def _share_seen(
    plane: NDArray[np.float64], box_mm: tuple[float, ...], owner: NDArray[np.uint8], number: int
) -> float:
    """Return the visible share of a box on card `number`, whose plane this is."""
    box = transform_points(plane, rectangle_corners(*box_mm))
    low = np.floor(box.min(axis=0)).astype(int)
    high = np.ceil(box.max(axis=0)).astype(int) + 1
    if (high <= 0).any() or (low >= owner.shape[::-1]).any() or (high - low > 600).any():
        return 0.0
    mask = np.zeros(tuple((high - low)[::-1]), np.uint8)
    cv2.fillConvexPoly(mask, np.round(box - low).astype(np.int32), (1,))
    inside = mask.sum()
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, owner.shape[::-1])
    part = mask[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]]
    shown = ((owner[y0:y1, x0:x1] == number) & (part > 0)).sum()
    return float(shown) / max(float(inside), 1.0)


def _near_other_corner(
    corners: NDArray[np.float32], points: NDArray[np.float64], on_card: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the cells of a card beside its first corner, where a four-index deck has an index."""
    right, below = corners[1] - corners[0], corners[3] - corners[0]
    # The corner is seen from a long side, so the width of the card runs down from it.
    pixels = np.linalg.norm(below) / CARD_WIDTH_MM
    middle = corners[0] + right * (14 / CARD_HEIGHT_MM) + below * (8.5 / CARD_WIDTH_MM)
    return np.asarray(on_card & (np.linalg.norm(points - middle, axis=-1) < _OTHER_CORNER_MM * pixels))


def _blurred(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture as if enlarged from a smaller one, as from a poor camera or far away."""
    height, width = picture.shape[:2]
    share = rng.uniform(0.4, 1.0)
    small = cv2.resize(picture, (round(width * share), round(height * share)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


class IndexDataset(Dataset[tuple[Tensor, IndexTruth]]):
    """Stored scenes with the true answers of the index network."""

    def __init__(
        self,
        paths: Sequence[Path],
        size: int,
        seed: int = 0,
        zoom: tuple[float, float] = (1.25, 2.1),
        augment: bool = True,
    ) -> None:
        self.scenes = SceneDataset(paths, size, seed, zoom, augment, _STRETCH)

    def __len__(self) -> int:
        return len(self.scenes)

    def __getitem__(self, index: int) -> tuple[Tensor, IndexTruth]:
        """Return the picture (3 x size x size, RGB, uint8) and the answers."""
        picture, truth = self.scenes[index]
        rng = np.random.default_rng([self.scenes.seed, index, 7])
        if self.scenes.augment and rng.random() < 0.5:
            blurred = _blurred(np.ascontiguousarray(picture.numpy().transpose(1, 2, 0)), rng)
            picture = torch.from_numpy(np.ascontiguousarray(blurred.transpose(2, 0, 1)))
        return picture, index_truth(truth)


def collate(samples: list[tuple[Tensor, IndexTruth]]) -> tuple[Tensor, IndexTruth]:
    """Return a batch."""
    parts = ([getattr(truth, part.name) for _, truth in samples] for part in fields(IndexTruth))
    return torch.stack([image for image, _ in samples]), IndexTruth(*map(torch.stack, parts))
