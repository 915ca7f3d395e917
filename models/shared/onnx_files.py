"""Writes networks as ONNX, and the facts that belong to them as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import onnx
import onnxslim  # type: ignore[import-untyped]
import torch
from torch import Tensor, nn

from models.shared.half_precision import halve_weights

_OPSET = 17
UNCALIBRATED = ((0.0, 0.0), (1.0, 1.0))
"""Pairs (score, probability) that leave a score as it is."""


def write_onnx(
    model: nn.Module,
    path: Path,
    example: Tensor,
    output: str,
    free: dict[str, dict[int, str]] | None = None,
) -> None:
    """Write `model` to `path` (.onnx) with weights as 16-bit floats.

    Args:
        model: A module whose input is called `images`.
        path: The file.
        example: An example of the input.
        output: Name of the output.
        free: The axes of any length, by number and name, for inputs and outputs.
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
    """Write the calibration of the scores, pairs (score, probability), and `others` beside the weights."""
    facts = others | {"confidence_of_score": [[round(s, 4), round(p, 4)] for s, p in confidence]}
    path.with_suffix(".json").write_text(json.dumps(facts) + "\n")
