"""Writes the index network as ONNX, for onnxruntime and the dnn module of OpenCV."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from models.indices.network import ExportedNet
from models.shared.onnx_files import UNCALIBRATED, write_facts, write_onnx

_EXAMPLE = 384


def export(net: nn.Module, path: Path) -> None:
    """Write `net` to `path` (.onnx) with weights as 16-bit floats, and an empty calibration beside it.

    The input is `images`: 1 x 3 x H x W, RGB, 0..1, with H and W multiples of 16. The output is `indices`:
    1 x 8 x H/4 x W/4.
    """
    write_onnx(
        ExportedNet(net),
        path,
        torch.zeros(1, 3, _EXAMPLE, _EXAMPLE),
        "indices",
        {"images": {2: "height", 3: "width"}, "indices": {2: "cells down", 3: "cells across"}},
    )
    write_facts(path, UNCALIBRATED)
