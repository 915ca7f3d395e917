"""Write 8-bit copies of the face networks: `python -m models.quantise`.

Processors with instructions for 8-bit integers run them about twice as fast (`vision.runtime` says where);
the files with floating-point weights stay, and are what everything else uses. Each layer's range is taken
from made-up photographs as in training, of decks that the networks know: no held-out deck is asked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from engine.errors import BadInputError
from models.commands import run_command
from models.faces.samples import SampleMaker
from models.faces.styles import ArtFaces
from vision.face_crops import network_input
from vision.faces import WEIGHTS
from vision.runtime import COPY_OF, eight_bit_file, fingerprint_of

SAMPLES = 512
_BATCH = 32
_SEED = 4711


class _Batches(CalibrationDataReader):  # type: ignore[misc]
    """What the networks see, a batch at a time."""

    def __init__(self, pieces: NDArray[np.uint8]) -> None:
        self._batches: Iterator[NDArray[np.uint8]] = iter(
            [pieces[start : start + _BATCH] for start in range(0, len(pieces), _BATCH)]
        )

    def get_next(self) -> dict[str, Any] | None:
        """Return the next batch by the input's name, None at the end."""
        batch = next(self._batches, None)
        return None if batch is None else {"pieces": network_input(batch)}


def quantise(path: Path, pieces: NDArray[np.uint8]) -> Path:
    """Write the 8-bit copy of a face network beside it; `pieces` (N x H x W x 3) are what it may see.

    The first layer, which sees the picture itself, and the last ones, whose numbers are used as they are,
    stay in floating point. Raises BadInputError when there is no such network or the copy cannot be written.
    """
    if not path.is_file():
        raise BadInputError("{path}: the network's weights are missing", path=path)
    target = eight_bit_file(path)
    with tempfile.TemporaryDirectory() as scratch:
        ready, made = Path(scratch) / "ready.onnx", Path(scratch) / "made.onnx"
        # Shapes by symbols are for other kinds of networks, and would need one more package.
        quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
        first = next(node.name for node in onnx.load(str(ready)).graph.node if node.op_type == "Conv")
        quantize_static(
            str(ready),
            str(made),
            _Batches(pieces),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Relu", "Add"],
            nodes_to_exclude=[first],
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
        )
        copy = onnx.load(str(made))
    onnx.helper.set_model_props(copy, {COPY_OF: fingerprint_of(path)})
    try:
        # Elsewhere first: what an interruption leaves half done must not lie in place of a copy.
        scratch_file = target.with_suffix(".new")
        onnx.save(copy, str(scratch_file))
        scratch_file.replace(target)
    except OSError as error:
        raise BadInputError(
            "{path}: cannot be written ({reason})", path=target, reason=error.strerror
        ) from error
    return target


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description="Write 8-bit copies of the face networks.", prog="python -m models.quantise"
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the networks")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="cards that the ranges are taken from")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    maker = SampleMaker(ArtFaces("train"), _SEED)
    crops = [maker.sample().crops for _ in range(args.samples)]
    print(quantise(args.weights / "whole.onnx", np.stack([c.whole for c in crops])))
    print(quantise(args.weights / "corner.onnx", np.stack([piece for c in crops for piece in c.corners])))


if __name__ == "__main__":
    run_command(main, "the copies that it has not named yet are as they were")
