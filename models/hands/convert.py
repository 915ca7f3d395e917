"""Makes the weights from the files that Google ships: `python -m models.hands.convert FOLDER`.

FOLDER holds `palm_detection_lite.onnx` and `hand_landmark_lite.onnx`, as tf2onnx writes them from the .tflite
files of the wheel `mediapipe==0.10.21`; MODEL_CARD.md names the commands. Here the outputs of each network
become one, as the app's runtimes want it. The weights are stored in 16 bits, as Google stores them.
Operations that the runtimes compute slowly are expressed by convolutions.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).parent
_NETWORKS = {
    "palms.onnx": ("palm_detection_lite.onnx", ("Identity", "Identity_1")),
    "landmarks.onnx": ("hand_landmark_lite.onnx", ("Identity", "Identity_1", "Identity_2")),
}
"""By file: its source, and the outputs that are kept."""


def with_one_output(model: onnx.ModelProto, names: tuple[str, ...]) -> onnx.ModelProto:
    """Return a network whose one output, `found`, holds the given outputs side by side in its last axis."""
    graph = model.graph
    shapes = {
        output.name: [d.dim_value for d in output.type.tensor_type.shape.dim] for output in graph.output
    }
    graph.node.append(helper.make_node("Concat", list(names), ["found"], axis=-1))
    del graph.output[:]
    shape = [*shapes[names[0]][:-1], sum(shapes[name][-1] for name in names)]
    graph.output.append(helper.make_tensor_value_info("found", TensorProto.FLOAT, shape))
    return model


def with_half_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a network that stores its large weights in 16 bits and computes in 32.

    Weights that 16 bits do not hold, as no weights of Google's are, stay as they are.
    """
    graph = model.graph
    for weights in list(graph.initializer):
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < 64:
            continue
        name, half = weights.name, values.astype(np.float16)
        if not np.array_equal(half, values):
            continue
        graph.initializer.remove(weights)
        graph.initializer.append(numpy_helper.from_array(half, f"{name}/half"))
        cast = helper.make_node("Cast", [f"{name}/half"], [name], to=TensorProto.FLOAT)
        graph.node.insert(0, cast)
    return model


def with_convolutions(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a network that computes PReLU, and adds empty channels, by convolutions.

    Both runtimes keep the numbers between two convolutions in an order of their own. For PReLU and for
    padding they bring them into the usual order and back, which takes as long as the convolutions.
    """
    graph = model.graph
    channels = {
        value.name: value.type.tensor_type.shape.dim[1].dim_value
        for value in onnx.shape_inference.infer_shapes(model).graph.value_info
        if len(value.type.tensor_type.shape.dim) == 4
    }
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "PRelu":
            x, slopes = node.input
            nodes += _prelu(graph, x, slopes, node.output[0])
        elif node.op_type == "Pad":
            x, pads = node.input[:2]
            nodes += _more_channels(graph, x, pads, node.output[0], channels[x])
        else:
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    stored = [weights for weights in graph.initializer if weights.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(stored)
    return model


def _prelu(graph: onnx.GraphProto, x: str, slopes: str, out: str) -> list[onnx.NodeProto]:
    """Return nodes that compute `x + (1 - slope) * relu(-x)`, which is PReLU."""
    values = _values(graph, slopes).reshape(-1, 1, 1, 1)
    return [
        *_convolution(graph, x, np.full_like(values, -1), f"{out}/negative", groups=len(values)),
        helper.make_node("Relu", [f"{out}/negative"], [f"{out}/below"]),
        *_convolution(graph, f"{out}/below", 1 - values, f"{out}/raised", groups=len(values)),
        helper.make_node("Add", [f"{out}/raised", x], [out]),
    ]


def _more_channels(
    graph: onnx.GraphProto, x: str, pads: str, out: str, channels: int
) -> list[onnx.NodeProto]:
    """Return nodes that add empty channels behind the given number of channels.

    Raises:
        ValueError: Something else is padded.
    """
    more = _values(graph, pads).astype(int)
    if np.delete(more, 5).any():  # before and behind each of four axes; the second axis holds the channels
        raise ValueError(f"pads {more.tolist()}: only channels can be added")
    kernel = np.eye(channels + more[5], channels, dtype=np.float32)[..., None, None]
    return _convolution(graph, x, kernel, out)


def _convolution(
    graph: onnx.GraphProto, x: str, kernel: NDArray[np.float32], out: str, groups: int = 1
) -> list[onnx.NodeProto]:
    """Return the node of a convolution, and store its kernel."""
    graph.initializer.append(numpy_helper.from_array(kernel, f"{out}/kernel"))
    return [helper.make_node("Conv", [x, f"{out}/kernel"], [out], group=groups)]


def _values(graph: onnx.GraphProto, name: str) -> NDArray[np.float32]:
    """Return the values of a weight, or of a constant."""
    stored = next(weights for weights in graph.initializer if weights.name == name)
    return np.asarray(numpy_helper.to_array(stored), np.float32)


def main(folder: Path) -> None:
    """Write the weights beside this file."""
    for name, (source, outputs) in _NETWORKS.items():
        model = with_convolutions(with_one_output(onnx.load(folder / source), outputs))
        model = with_half_weights(model)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, HERE / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
