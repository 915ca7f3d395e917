"""How the hand networks are converted: what is expressed by convolutions computes the same."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from models.hands import convert


def _network(pads: list[int], channels: int) -> onnx.ModelProto:
    """Return a network that applies PReLU and then pads."""
    graph = helper.make_graph(
        [
            helper.make_node("PRelu", ["picture", "slopes"], ["bent"]),
            helper.make_node("Pad", ["bent", "pads"], ["padded"]),
            helper.make_node("Add", ["padded", "one"], ["found"]),
        ],
        "small",
        [helper.make_tensor_value_info("picture", onnx.TensorProto.FLOAT, [1, 3, 4, 5])],
        [helper.make_tensor_value_info("found", onnx.TensorProto.FLOAT, [1, channels, None, 5])],
        [
            numpy_helper.from_array(np.array([0.25, -0.5, 1.5], np.float32).reshape(1, 3, 1, 1), "slopes"),
            numpy_helper.from_array(np.array(pads, np.int64), "pads"),
            numpy_helper.from_array(np.ones(1, np.float32), "one"),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _run(model: onnx.ModelProto, picture: NDArray[np.float32]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"picture": picture})[0])


def test_a_network_computes_the_same_with_convolutions() -> None:
    picture = np.random.default_rng(1).normal(size=(1, 3, 4, 5)).astype(np.float32)
    model = _network([0, 0, 0, 0, 0, 2, 0, 0], 5)
    before = _run(model, picture)
    after = convert.with_convolutions(model)
    assert not {node.op_type for node in after.graph.node} & {"PRelu", "Pad"}
    np.testing.assert_allclose(_run(after, picture), before, atol=1e-6)


def test_other_padding_than_of_channels_is_refused() -> None:
    with pytest.raises(ValueError, match="only channels"):
        convert.with_convolutions(_network([0, 0, 1, 0, 0, 0, 0, 0], 3))
