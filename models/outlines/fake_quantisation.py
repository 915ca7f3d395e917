"""Fake quantisation: the outline network with the rounding of 8-bit integers, but in floating point.

The weights of most convolutions, their inputs and outputs, and the outputs of their activations are rounded
to 256 steps. The gradient passes through a rounding unchanged, except outside its range. This is the
straight-through estimator of Jacob et al. (2018), "Quantization and training of neural networks for efficient
integer-arithmetic-only inference".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from models.outlines.network import OutlineNet
from models.shared.fine_tuning import module_of

_STEPS = 255
_LEARNT = 0.02
"""Share by which one batch moves the running range."""


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution of the ONNX graph, and the tensors around it."""

    name: str
    before: str | None
    """The input tensor; None if it is already rounded where it is made."""
    after: str
    activation: tuple[str, str, str] | None
    """The SiLU behind it: the node that multiplies, the tensor of the sigmoid, the tensor of the product."""
    kernel: str
    bias: str

    @property
    def module(self) -> str:
        """Name of the module in `OutlineNet`."""
        return module_of(self.name)


def convolutions(graph: onnx.GraphProto) -> list[Convolution]:
    """Return all convolutions in the graph of the outline network, rounded or not (see `is_rounded`)."""
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for tensor in node.input:
            users.setdefault(tensor, []).append(node)
    found: list[Convolution] = []
    rounded: set[str] = set()
    for node in graph.node:
        if node.op_type != "Conv":
            continue
        entry, kernel, bias = node.input
        after = node.output[0]
        sigmoid = next((user for user in users[after] if user.op_type == "Sigmoid"), None)
        activation = None
        if sigmoid is not None:
            product = users[sigmoid.output[0]][0]
            activation = (product.name, sigmoid.output[0], product.output[0])
        found.append(
            Convolution(node.name, None if entry in rounded else entry, after, activation, kernel, bias)
        )
        if is_rounded(found[-1]):
            rounded.add(activation[2] if activation else after)
    return found


def is_rounded(node: Convolution) -> bool:
    """Whether a convolution is computed with integers.

    Four kinds are not, because they lose most and cost little: the first one, attention, the class branches,
    and the last ones.
    """
    apart = ("/body.0/", "/attn/", "/ffn/", "/classes/", "/quads.1/")
    return not any(part in node.name for part in apart)


class Rounding(nn.Module):
    """Rounds values to 256 steps over their running range; 0 stays 0."""

    low: Tensor
    high: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.zeros(()))

    def forward(self, values: Tensor) -> Tensor:
        """Return the values rounded, in the same shape. In training they move the range."""
        values = values.float()
        if self.training:
            self._follow(values.detach())
        scale = ((self.high - self.low) / _STEPS).clamp(min=1e-8)
        zero = (-self.low / scale).round().clamp(0, _STEPS).to(torch.int32)
        return torch.fake_quantize_per_tensor_affine(values, scale, zero, 0, _STEPS)

    def _follow(self, values: Tensor) -> None:
        low, high = torch.aminmax(values)
        share = _LEARNT if self.high > self.low else 1.0
        self.low.lerp_(low.clamp(max=0), share)
        self.high.lerp_(high.clamp(min=0), share)


class RoundedConv(nn.Module):
    """A convolution of rounded values, with weights in 255 steps for each output channel."""

    def __init__(self, conv: nn.Conv2d, before: Rounding | None, after: Rounding) -> None:
        super().__init__()
        self.conv, self.before, self.after = conv, before, after

    def forward(self, values: Tensor) -> Tensor:
        """Return the rounded result for B x C x H x W."""
        weight, conv = self.conv.weight, self.conv
        scale = (weight.detach().abs().amax((1, 2, 3)) / 127).clamp(min=1e-8)
        zero = torch.zeros_like(scale, dtype=torch.int32)
        rounded = torch.fake_quantize_per_channel_affine(weight, scale, zero, 0, -127, 127)
        entry = values if self.before is None else self.before(values)
        sums = functional.conv2d(
            entry, rounded, conv.bias, conv.stride, conv.padding, conv.dilation, conv.groups
        )
        result: Tensor = self.after(sums)
        return result


class RoundedSiLU(nn.Module):
    """x * sigmoid(x), with rounded factors and a rounded product."""

    def __init__(self, sigmoid: Rounding, product: Rounding) -> None:
        super().__init__()
        self.sigmoid, self.product = sigmoid, product

    def forward(self, values: Tensor) -> Tensor:
        """Return the rounded product for rounded values."""
        result: Tensor = self.product(values * self.sigmoid(torch.sigmoid(values)))
        return result


def load_network(path: Path) -> tuple[OutlineNet, list[Convolution]]:
    """Return the network of a file from `models.outlines.export`, with the norms folded into the weights.

    Its convolutions come with it, under the names in the graph of the file.
    """
    graph = onnx.load(str(path)).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    casts = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}
    net, nodes = OutlineNet(), convolutions(graph)
    for node in nodes:
        parent, name = _place(net, node.module)
        kernel, bias = (
            torch.from_numpy(numpy_helper.to_array(tensors[casts.get(key, key)]).copy()).float()
            for key in (node.kernel, node.bias)
        )
        old = getattr(parent, name)
        conv = nn.Conv2d(
            old.in_channels, old.out_channels, old.kernel_size, old.stride, old.padding, groups=old.groups
        )
        conv.weight.data, conv.bias.data = kernel, bias  # type: ignore[union-attr]
        setattr(parent, name, conv)
    for parent in net.modules():
        for name, child in parent.named_children():
            if isinstance(child, nn.BatchNorm2d):
                setattr(parent, name, nn.Identity())
    return net.eval(), nodes


def rounded(net: OutlineNet, nodes: list[Convolution]) -> None:
    """Make `net` round, in place. A tensor that several nodes take is rounded alike for all of them."""
    roundings: dict[str, Rounding] = {}

    def of(tensor: str) -> Rounding:
        return roundings.setdefault(tensor, Rounding())

    for node in filter(is_rounded, nodes):
        parent, name = _place(net, node.module)
        before = None if node.before is None else of(node.before)
        setattr(parent, name, RoundedConv(getattr(parent, name), before, of(node.after)))
        if node.activation is not None:
            _, sigmoid, product = node.activation
            setattr(parent, _activation(parent), RoundedSiLU(of(sigmoid), of(product)))


def ranges(net: OutlineNet, nodes: list[Convolution]) -> dict[str, tuple[float, float]]:
    """Return the range of each rounded tensor, by its name in the graph."""
    found: dict[str, Rounding] = {}
    for node in filter(is_rounded, nodes):
        parent, name = _place(net, node.module)
        conv = getattr(parent, name)
        found[node.after] = conv.after
        if node.before is not None:
            found[node.before] = conv.before
        if node.activation is not None:
            silu = getattr(parent, _activation(parent))
            found |= {node.activation[1]: silu.sigmoid, node.activation[2]: silu.product}
    return {tensor: (float(rounding.low), float(rounding.high)) for tensor, rounding in found.items()}


def _activation(parent: nn.Module) -> str:
    """Return the name of the activation behind a convolution, in the parent of both."""
    return "2" if isinstance(parent, nn.Sequential) else "act"


def kernels(net: OutlineNet, nodes: list[Convolution]) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights and biases of all convolutions, by the names of their tensors in the graph."""
    for node in nodes:
        parent, name = _place(net, node.module)
        module = getattr(parent, name)
        conv = module.conv if isinstance(module, RoundedConv) else module
        yield node.kernel, conv.weight.detach()
        yield node.bias, conv.bias.detach()


def _place(net: nn.Module, path: str) -> tuple[nn.Module, str]:
    """Return the parent of a module, and the name of the module in it."""
    parent, _, name = path.rpartition(".")
    return net.get_submodule(parent), name
