"""Writes the outline network as ONNX, readable by onnxruntime and by OpenCV's dnn module.

Weights are stored as 16-bit floats, which halves the file; each is turned back to 32 bits by a Cast node that
both runtimes compute once, when they load it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxslim  # type: ignore[import-untyped]
import torch
from onnx import TensorProto, helper, numpy_helper

from models.outlines.network import ExportedNet, OutlineNet

INPUT_SIZE = 640
_OPSET = 17


def export(
    net: OutlineNet,
    path: Path,
    size: int = INPUT_SIZE,
    confidence: Sequence[tuple[float, float]] = ((0.0, 0.0), (1.0, 1.0)),
) -> None:
    """Write `net` to `path` (.onnx) for pictures of size x size, and what goes with it to `path` (.json).

    Input `images` (1 x 3 x size x size, RGB, 0..1), output `outlines` (1 x A x 10). `confidence` holds pairs
    (score, probability that such a candidate is a card).
    """
    model = ExportedNet(net).float().eval()
    scratch = path.with_suffix(".new")
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, size, size),),
        str(scratch),
        input_names=["images"],
        output_names=["outlines"],
        opset_version=_OPSET,
        dynamo=False,
    )
    graph = onnxslim.slim(onnx.load(str(scratch)))
    scratch.unlink()
    onnx.save(halve_weights(graph), str(path))
    write_facts(path, size, confidence)


def write_facts(path: Path, size: int, confidence: Sequence[tuple[float, float]]) -> None:
    """Write the input size and the scores' calibration beside the weights at `path`."""
    facts = {"input_size": size, "confidence_of_score": [[round(s, 4), round(p, 4)] for s, p in confidence]}
    path.with_suffix(".json").write_text(json.dumps(facts) + "\n")


def halve_weights(model: onnx.ModelProto, least: int = 256) -> onnx.ModelProto:
    """Return the model with its weights of `least` numbers or more stored as 16-bit floats."""
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < least or np.abs(values).max() > 6e4:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}_half"))
        casts.append(helper.make_node("Cast", [f"{name}_half"], [name], f"{name}_cast", to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model
