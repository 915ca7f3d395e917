"""Makes the weights from the files that Google ships: `python -m models.hands.convert FOLDER`.

FOLDER holds `palm_detection_lite.onnx` and `hand_landmark_lite.onnx`, as tf2onnx writes them from the .tflite
files of the wheel `mediapipe==0.10.21`; MODEL_CARD.md names the commands. Here the outputs of each network
become one, as the app's runtimes want it. The weights are stored in 16 bits, as Google stores them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
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
    """Return a network that stores its large weights in 16 bits and computes in 32."""
    graph = model.graph
    for weights in list(graph.initializer):
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < 64:
            continue
        name = weights.name
        graph.initializer.remove(weights)
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), f"{name}/half"))
        cast = helper.make_node("Cast", [f"{name}/half"], [name], to=TensorProto.FLOAT)
        graph.node.insert(0, cast)
    return model


def main(folder: Path) -> None:
    """Write the weights beside this file."""
    for name, (source, outputs) in _NETWORKS.items():
        model = with_half_weights(with_one_output(onnx.load(folder / source), outputs))
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, HERE / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
