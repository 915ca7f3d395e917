"""Writes the outline network as ONNX, readable by onnxruntime and by the dnn module of OpenCV 5.

`models/outlines/one_size.py` makes of it what older versions of OpenCV read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import onnx
import onnxslim  # type: ignore[import-untyped]
import torch
from torch import Tensor, nn

from models.outlines.network import ExportedNet, OutlineNet
from models.shared.half_precision import halve_weights

INPUT_SIZE = 640
_OPSET = 17


def export(
    net: OutlineNet,
    path: Path,
    size: int = INPUT_SIZE,
    confidence: Sequence[tuple[float, float]] = ((0.0, 0.0), (1.0, 1.0)),
) -> None:
    """Write `net` to `path` (.onnx), and what goes with it to `path` (.json).

    Input `images` (1 x 3 x H x W, RGB, 0..1; H and W multiples of 32, the longer one best `size`), output
    `outlines` (1 x A x 10). `confidence` holds pairs (score, probability that such a candidate is a card).
    """
    free = {"images": {2: "height", 3: "width"}, "outlines": {1: "candidates"}}
    write_onnx(ExportedNet(net), path, torch.zeros(1, 3, size, size), "outlines", free)
    write_facts(path, confidence, input_size=size)


def write_onnx(
    model: nn.Module,
    path: Path,
    example: Tensor,
    output: str,
    free: dict[str, dict[int, str]] | None = None,
) -> None:
    """Write `model` to `path` (.onnx), its weights as 16-bit floats.

    Args:
        model: What takes `images`.
        path: The file.
        example: Such images.
        output: What the output is called.
        free: Of inputs and outputs the axes whose length is free, by number and name.
    """
    scratch = path.with_suffix(".new")
    torch.onnx.export(
        deepcopy(model).cpu().float().eval(),
        (example,),
        str(scratch),
        input_names=["images"],
        output_names=[output],
        opset_version=_OPSET,
        dynamic_axes=free,
        dynamo=False,
    )
    graph = onnxslim.slim(onnx.load(str(scratch)))
    scratch.unlink()
    onnx.save(halve_weights(graph), str(path))


def write_facts(path: Path, confidence: Sequence[tuple[float, float]], **others: int) -> None:
    """Write the scores' calibration, pairs (score, probability), and `others` beside the weights."""
    facts = others | {"confidence_of_score": [[round(s, 4), round(p, 4)] for s, p in confidence]}
    path.with_suffix(".json").write_text(json.dumps(facts) + "\n")
