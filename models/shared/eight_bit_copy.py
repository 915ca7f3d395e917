"""Makes the 8-bit copy of a network. The copy lies beside the network and names its fingerprint."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from engine.errors import BadInputError
from vision.recognition.runtime import COPY_OF, eight_bit_file, fingerprint_of


def write_copy(
    path: Path, inputs: CalibrationDataReader, choose: Callable[[onnx.ModelProto], dict[str, Any]]
) -> Path:
    """Write the 8-bit copy of the network at `path` beside it, and return its path.

    Args:
        path: The network.
        inputs: Typical inputs. They show the library the range of each tensor.
        choose: Returns further arguments of `quantize_static`, which say what is rounded. It gets the network
            after preprocessing, and may change its weights.

    Raises:
        BadInputError: the copy cannot be written.
    """
    with tempfile.TemporaryDirectory() as scratch:
        ready, made = Path(scratch) / "ready.onnx", Path(scratch) / "made.onnx"
        # Symbolic shapes serve other kinds of networks, and would need one more package.
        quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
        model = onnx.load(str(ready))
        chosen = choose(model)
        onnx.save(model, str(ready))
        quantize_static(
            str(ready),
            str(made),
            inputs,
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            **chosen,
        )
        copy = onnx.load(str(made))
    return _keep(copy, path)


def _keep(copy: onnx.ModelProto, path: Path) -> Path:
    target = eight_bit_file(path)
    onnx.helper.set_model_props(copy, {COPY_OF: fingerprint_of(path)})
    try:
        # Elsewhere first: an interruption must not leave half a copy.
        scratch_file = target.with_suffix(".new")
        onnx.save(copy, str(scratch_file))
        scratch_file.replace(target)
    except OSError as error:
        raise BadInputError(
            "{path}: cannot be written ({reason})", path=target, reason=error.strerror
        ) from error
    return target
