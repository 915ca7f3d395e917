"""Write 8-bit copies of the face networks: `python -m models.faces.quantise`.

Processors with instructions for 8-bit integers run them about twice as fast: see
`vision.recognition.runtime`. Everything else uses the files with floating-point weights. The range of each
layer comes from synthetic photographs of training decks, never of held-out ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod

from engine.errors import BadInputError
from models.faces.data import SampleMaker
from models.faces.styles import ArtFaces
from models.shared.commands import run_command
from models.shared.eight_bit_copy import write_copy
from vision.recognition.classifier import WEIGHTS
from vision.recognition.crops import network_input

SAMPLES = 512
_BATCH = 32
_SEED = 4711


class _Batches(CalibrationDataReader):  # type: ignore[misc]
    """Batches of network inputs."""

    def __init__(self, pieces: NDArray[np.uint8]) -> None:
        self._batches: Iterator[NDArray[np.uint8]] = iter(
            [pieces[start : start + _BATCH] for start in range(0, len(pieces), _BATCH)]
        )

    def get_next(self) -> dict[str, Any] | None:
        """Return the next batch under the name of the input, or None at the end."""
        batch = next(self._batches, None)
        return None if batch is None else {"pieces": network_input(batch)}


def quantise(path: Path, pieces: NDArray[np.uint8]) -> Path:
    """Write the 8-bit copy of a face network beside it, and return its path.

    The first layer, which sees the picture, and the last ones, which give the result, stay in floating point.

    Args:
        path: The network.
        pieces: Typical inputs, N x H x W x 3.

    Raises:
        BadInputError: there is no such network, or the copy cannot be written.
    """
    if not path.is_file():
        raise BadInputError("{path}: the network's weights are missing", path=path)
    return write_copy(path, _Batches(pieces), _to_round)


def _to_round(network: onnx.ModelProto) -> dict[str, Any]:
    first = next(node.name for node in network.graph.node if node.op_type == "Conv")
    return {
        "op_types_to_quantize": ["Conv", "Relu", "Add"],
        "nodes_to_exclude": [first],
        "calibrate_method": CalibrationMethod.MinMax,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description="Write 8-bit copies of the face networks.", prog="python -m models.faces.quantise"
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the networks")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="number of cards that give the ranges")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    maker = SampleMaker(ArtFaces("train"), _SEED)
    crops = [maker.sample().crops for _ in range(args.samples)]
    print(quantise(args.weights / "whole.onnx", np.stack([c.whole for c in crops])))
    print(quantise(args.weights / "corner.onnx", np.stack([piece for c in crops for piece in c.corners])))


if __name__ == "__main__":
    run_command(main, "the copies that are not listed above are unchanged")
