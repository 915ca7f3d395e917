"""Weights as 16-bit floats, which halves the file of a network.

A Cast node turns each weight back to 32 bits. Runtimes compute it once, when they load the network.
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

_LARGEST = 6e4
"""Beyond 65504 there is no 16-bit float."""


def halve_weights(model: onnx.ModelProto, least: int = 256, *, exactly: bool = False) -> onnx.ModelProto:
    """Return the model, changed in place, with weights of at least `least` numbers stored as 16-bit floats.

    With `exactly`, only weights that lose nothing are changed: those that were 16-bit floats before.
    """
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < least or np.abs(values).max() > _LARGEST:
            continue
        halved: NDArray[np.float16] = values.astype(np.float16)
        if exactly and not np.array_equal(halved.astype(np.float32), values):
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(halved, f"{name}_half"))
        casts.append(helper.make_node("Cast", [f"{name}_half"], [name], f"{name}_cast", to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model
