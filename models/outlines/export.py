"""Writes the outline network as ONNX, for onnxruntime and the dnn module of OpenCV 5.

`models.outlines.one_size` turns that file into one for older versions of OpenCV.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from models.outlines.network import ExportedNet, OutlineNet
from models.shared.onnx_files import UNCALIBRATED, write_facts, write_onnx

INPUT_SIZE = 640


def export(
    net: OutlineNet,
    path: Path,
    size: int = INPUT_SIZE,
    confidence: Sequence[tuple[float, float]] = UNCALIBRATED,
) -> None:
    """Write `net` to `path` (.onnx), and its facts to `path` (.json).

    The input is `images`: 1 x 3 x H x W, RGB, 0..1, with H and W multiples of 32, the longer one best `size`.
    The output is `outlines`: 1 x A x 10. `confidence` holds pairs (score, probability of a card).
    """
    free = {"images": {2: "height", 3: "width"}, "outlines": {1: "candidates"}}
    write_onnx(ExportedNet(net), path, torch.zeros(1, 3, size, size), "outlines", free)
    write_facts(path, confidence, input_size=size)
