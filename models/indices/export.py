"""Writes the index network as ONNX, readable by onnxruntime and by OpenCV's dnn module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import onnx
import onnxslim  # type: ignore[import-untyped]
import torch
from torch import nn

from models.indices.network import ExportedNet
from models.outlines.export import halve_weights

_OPSET = 17
_EXAMPLE = 384


def export(net: nn.Module, path: Path) -> None:
    """Write `net` to `path` (.onnx), its weights as 16-bit floats, and an empty calibration beside it.

    Input `images` (1 x 3 x H x W, RGB, 0..1; H and W multiples of 16), output `indices` (1 x 8 x H/4 x W/4).
    """
    model = ExportedNet(net).float().eval()  # type: ignore[arg-type]
    scratch = path.with_suffix(".new")
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, _EXAMPLE, _EXAMPLE),),
        str(scratch),
        input_names=["images"],
        output_names=["indices"],
        opset_version=_OPSET,
        dynamic_axes={
            "images": {2: "height", 3: "width"},
            "indices": {2: "cells down", 3: "cells across"},
        },
        dynamo=False,
    )
    graph = onnxslim.slim(onnx.load(str(scratch)))
    scratch.unlink()
    onnx.save(halve_weights(graph), str(path))
    write_facts(path, ((0.0, 0.0), (1.0, 1.0)))


def write_facts(path: Path, confidence: Sequence[tuple[float, float]]) -> None:
    """Write the scores' calibration, pairs (score, probability), beside the weights at `path`."""
    facts = {"confidence_of_score": [[round(s, 4), round(p, 4)] for s, p in confidence]}
    path.with_suffix(".json").write_text(json.dumps(facts) + "\n")
