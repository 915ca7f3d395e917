"""Writes a face network as ONNX, the format that both inference runtimes load."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import onnx
import torch

from models.faces.network import FaceNetwork
from models.shared.half_precision import halve_weights

FOLDER = Path(__file__).parent
OPSET = 17
HALVED = ("strip",)
"""Networks whose weights are written as 16-bit floats, to keep the download for a phone small."""


def export(network: FaceNetwork, name: str, folder: Path = FOLDER) -> Path:
    """Write the network `whole`, `corner` or `strip` to `folder`, and return the file.

    Any batch size fits.
    """
    path = folder / f"{name}.onnx"
    frozen = deepcopy(network).eval()
    example = torch.zeros(2, 3, network.shape.height, network.shape.width)
    torch.onnx.export(
        frozen,
        (example,),
        str(path),
        input_names=["pieces"],
        output_names=["outputs"],
        opset_version=OPSET,
        dynamic_axes={"pieces": {0: "count"}, "outputs": {0: "count"}},
        dynamo=False,
    )
    if name in HALVED:
        onnx.save(halve_weights(onnx.load(str(path))), str(path))
    return path
