"""Writes the outline network for pictures of one size, as a package for a phone needs it.

The network that ships takes pictures of any size: its grids are worked out from the picture's. OpenCV 5 reads
that, OpenCV 4.12 does not, and a phone has no onnxruntime. Here the size is put in, and all that follows from
it is computed once, by onnxruntime; the weights stay as they are. Needs no checkpoint and no torch.
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
"""Where a package for a phone has it; the detector takes it where the shipped one is not there."""
SIZE = (640, 640)
_MULTIPLE = 32


def write_one_size(source: Path, path: Path, size: tuple[int, int] = SIZE) -> None:
    """Write the network of `source` for pictures of `size` (width, height) to `path`, its facts beside it.

    Raises BadInputError when `source` is no outline network of free size, or the size is none that it takes.
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
    """Name the size of what goes in. Raises ValueError where the network has one already."""
    width, height = size
    sides = model.graph.input[0].type.tensor_type.shape.dim
    for side, length in ((sides[2], height), (sides[3], width)):
        if not side.dim_param:
            raise ValueError("the network has one size already")
        side.dim_value = length


def _folded(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with everything computed that depends on no picture."""
    import onnxruntime  # late, as in `runtime.py`: `vision` must have told it not to report home

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # "Basic" leaves standard operators only, which any runtime knows.
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
    """Write the network, and say where it is and how large."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m models.outlines.one_size")
    add = parser.add_argument
    add("--size", type=_width_and_height, default=SIZE, metavar="WxH", help="in pixels (default 640x640)")
    add("--source", type=Path, default=SHIPPED, metavar="FILE", help="the network of free size")
    add("--out", type=Path, default=PACKED, metavar="FILE", help="what is written")
    args = parser.parse_args(argv)
    write_one_size(args.source, args.out, args.size)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB, pictures of {args.size[0]}x{args.size[1]}")


if __name__ == "__main__":
    run_command(main, "run it again: what it writes may be unfinished")
