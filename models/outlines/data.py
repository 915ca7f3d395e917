"""Pictures without labels, from which the 8-bit copy learns to answer like the outline network.

The network itself learns from the scenes of `models.shared.scene_data`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from models.shared.scene_data import random_view, tinted
from vision.images import read_image

SIZE = 416
_ZOOM = (0.75, 1.8)
_LONGEST = 640
"""The long side to which photos are reduced, pixels. Cards are then about as large as in scenes."""


class UnlabelledPictures(Dataset[Tensor]):
    """Pictures as network inputs, 3 x SIZE x SIZE, RGB, 0..1; each `epoch` shows other parts of them."""

    def __init__(self, paths: Sequence[Path], epoch: int) -> None:
        self.paths, self.epoch = list(paths), epoch

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Tensor:
        rng = np.random.default_rng([self.epoch, index])
        image = read_image(self.paths[index])
        shrink = min(1.0, _LONGEST / max(image.shape[:2]))
        small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        image = np.asarray(small, np.uint8)
        matrix = random_view(rng, image.shape, SIZE, _ZOOM, 1.0)
        image = tinted(image, rng) if rng.random() < 0.5 else image
        seen = cv2.warpAffine(
            image, matrix[:2], (SIZE, SIZE), borderMode=cv2.BORDER_CONSTANT, borderValue=(114, 114, 114)
        )
        return torch.from_numpy(np.ascontiguousarray(seen[..., ::-1].transpose(2, 0, 1))).float() / 255
