"""Writes the outline network as ONNX, readable by onnxruntime and by OpenCV's dnn module."""

from __future__ import annotations

from pathlib import Path

import torch

from models.outlines.network import ExportedNet, OutlineNet

INPUT_SIZE = 640


def export(net: OutlineNet, path: Path, size: int = INPUT_SIZE) -> None:
    """Write `net` to `path` for pictures of size x size: input `images`, output `outlines` (1 x A x 10)."""
    model = ExportedNet(net).float().eval()
    example = torch.zeros(1, 3, size, size)
    torch.onnx.export(
        model,
        (example,),
        str(path),
        input_names=["images"],
        output_names=["outlines"],
        opset_version=17,
        dynamo=False,
    )
    import onnx
    import onnxslim

    onnx.save(onnxslim.slim(onnx.load(str(path))), str(path))
