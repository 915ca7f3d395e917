"""Fine-tuning of shipped weights: the network is read back from its ONNX file.

In the file each normalisation is folded into the convolution before it. Here every normalisation gets numbers
that leave its input unchanged. They are measured on some pictures, so training continues where it stopped.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn
from torch.utils.data import Dataset

from engine.errors import BadInputError

Numbers = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weight and bias of a convolution."""


def module_of(node: str) -> str:
    """Return the name of the module in the network, by the name of its node in an exported graph."""
    parts = node.strip("/").split("/")[1:-1]
    # A module that runs its children stands before each of them, and they begin with its name.
    inner = zip_longest(parts, parts[1:], fillvalue="")
    return ".".join(part for part, after in inner if not after.startswith(f"{part}."))


def load_exported(net: nn.Module, path: Path, images: Tensor) -> None:
    """Load into `net` the weights of an ONNX file that was exported from the same network.

    Args:
        net: Its convolutions have the names of those in the file.
        path: The file.
        images: Pictures to measure on, like those for training: N x 3 x H x W, RGB, 0..1.

    Raises:
        BadInputError: the file belongs to another network.
    """
    convolutions = {name: module for name, module in net.named_modules() if isinstance(module, nn.Conv2d)}
    numbers = _convolutions(path)
    if {name: tuple(module.weight.shape) for name, module in convolutions.items()} != {
        name: weight.shape for name, (weight, _) in numbers.items()
    }:
        raise BadInputError("{path}: the weights of another network", path=path)
    norms = _norms_behind(net)
    with torch.no_grad():
        filled = [
            _fill(module, norm, numbers[name])
            for (name, module), norm in zip(convolutions.items(), norms, strict=True)
        ]
        _measure(net, [norm for norm in filled if norm is not None], images)


def first_pictures(data: Dataset[Any], count: int) -> Tensor:
    """Return the first `count` pictures of a dataset (3 x H x W, 0..255) as `load_exported` needs them."""
    return torch.stack([data[k][0] for k in range(count)]).float() / 255


def _convolutions(path: Path) -> dict[str, Numbers]:
    """Return weight and bias of each convolution, by the name of its module."""
    graph = onnx.load(str(path)).graph
    arrays = {array.name: numpy_helper.to_array(array).astype(np.float32) for array in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in arrays:  # weights stored as 16-bit floats
            arrays[node.output[0]] = arrays[node.input[0]]
    return {
        module_of(node.name): (arrays[node.input[1]], arrays[node.input[2]])
        for node in graph.node
        if node.op_type == "Conv"
    }


def _norms_behind(net: nn.Module) -> list[nn.BatchNorm2d | None]:
    """Return for each convolution the normalisation before the next convolution, if any."""
    norms: list[nn.BatchNorm2d | None] = []
    for module in net.modules():
        if isinstance(module, nn.Conv2d):
            norms.append(None)
        elif isinstance(module, nn.BatchNorm2d):
            norms[-1] = module
    return norms


def _fill(
    convolution: nn.Conv2d,
    norm: nn.BatchNorm2d | None,
    numbers: Numbers,
) -> nn.BatchNorm2d | None:
    weight, bias = (torch.from_numpy(array.copy()) for array in numbers)
    convolution.weight.copy_(weight)
    if norm is None:
        assert convolution.bias is not None
        convolution.bias.copy_(bias)
        return None
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.weight.fill_(1.0)
    norm.bias.copy_(bias)
    norm.running_mean.zero_()
    norm.running_var.fill_(1.0 - norm.eps)
    return norm


def _measure(net: nn.Module, norms: list[nn.BatchNorm2d], images: Tensor) -> None:
    """Give each normalisation the statistics of its input, and the scale and shift that undo them."""
    seen: dict[nn.BatchNorm2d, tuple[Tensor, Tensor]] = {}

    def note(norm: nn.BatchNorm2d, inputs: tuple[Tensor, ...]) -> None:
        seen[norm] = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3))

    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    training = net.training
    net.eval()(images)
    net.train(training)
    for hook in hooks:
        hook.remove()
    for norm, (mean, variance) in seen.items():
        assert norm.running_mean is not None
        assert norm.running_var is not None
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.add_(mean)
