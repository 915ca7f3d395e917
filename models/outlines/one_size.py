"""Writes the outline network for pictures of one size, as a package for a phone needs it.

The shipped network takes pictures of any size. OpenCV 5 can read it, OpenCV 4.12 cannot, and a phone has no
onnxruntime. This module fixes the size, and onnxruntime computes everything that follows from it. The weights
stay the same. It needs no checkpoint and no torch.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx

from engine.errors import BadInputError
from models.shared.commands import run_command
from models.shared.half_precision import halve_weights
from vision.recognition.detector import load_facts

SHIPPED = Path(__file__).with_name("outlines.onnx")
PACKED = Path(__file__).with_name("phone") / "outlines.onnx"
"""The file in a package for a phone. The detector takes it if the shipped file is missing."""
SIZE = (640, 640)
_MULTIPLE = 32


def write_one_size(source: Path, path: Path, size: tuple[int, int] = SIZE) -> None:
    """Write the network of `source` for pictures of `size` (width, height) to `path`, its facts beside it.

    Raises:
        BadInputError: `source` is no outline network for any size, or does not take this size, or `path`
            cannot be written.
    """
    facts = load_facts(source.with_suffix(".json"))
    if max(size) != facts.input_size or any(side < _MULTIPLE or side % _MULTIPLE for side in size):
        longer = f"the longer one {facts.input_size}"
        raise BadInputError(
            f"{size[0]}x{size[1]}: the network takes sides that are multiples of {_MULTIPLE}, {longer}"
        )
    try:
        model = onnx.load(str(source))
        _set_size(model, size)
        written = halve_weights(_folded(model), exactly=True)
    except OSError as error:
        raise BadInputError(f"{source}: cannot be read ({error.strerror})") from error
    except Exception as error:  # protobuf's and onnxruntime's exceptions have no common type
        raise BadInputError(f"{source}: no outline network that takes pictures of any size") from error
    kept = json.loads(source.with_suffix(".json").read_bytes())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(written, str(path))
        path.with_suffix(".json").write_text(json.dumps(kept | {"one_size": list(size)}) + "\n")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written ({error.strerror})") from error


def _set_size(model: onnx.ModelProto, size: tuple[int, int]) -> None:
    """Fix the size of the input. Raises ValueError if it is fixed already."""
    width, height = size
    sides = model.graph.input[0].type.tensor_type.shape.dim
    for side, length in ((sides[2], height), (sides[3], width)):
        if not side.dim_param:
            raise ValueError("the network has one size already")
        side.dim_value = length


def _folded(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with everything computed that does not depend on a picture."""
    import onnxruntime  # late, as in `runtime.py`: `vision` first turns off its reports

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # "Basic" leaves only standard operators, which any runtime knows.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "folded.onnx"
        options.optimized_model_filepath = str(written)
        onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"], enable_fallback=0
        )
        return onnx.load(str(written))


def _width_and_height(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a size such as 640x480") from None


def main(argv: Sequence[str] | None = None) -> None:
    """Write the network, and print its path and size."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m models.outlines.one_size")
    add = parser.add_argument
    add("--size", type=_width_and_height, default=SIZE, metavar="WxH", help="in pixels (default 640x640)")
    add("--source", type=Path, default=SHIPPED, metavar="FILE", help="the network for pictures of any size")
    add("--out", type=Path, default=PACKED, metavar="FILE", help="the file to write")
    args = parser.parse_args(argv)
    write_one_size(args.source, args.out, args.size)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB, pictures of {args.size[0]}x{args.size[1]}")


if __name__ == "__main__":
    run_command(main, "run it again: its files may be incomplete")
