"""The face networks: small convolutional networks for a whole card, a corner, and an upper end."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from vision.decks.card_classes import OUTPUTS
from vision.recognition.crops import (
    CORNER_HEIGHT,
    CORNER_WIDTH,
    STRIP_HEIGHT,
    STRIP_WIDTH,
    WHOLE_HEIGHT,
    WHOLE_WIDTH,
)


class Shape(NamedTuple):
    """The numbers in which the networks differ."""

    height: int
    width: int
    channels: tuple[int, ...]
    """Number of channels after each halving of the resolution."""
    squeezed: int
    """Channels that are flattened at the end, which keeps their positions."""
    features: int


SHAPES = {
    "whole": Shape(WHOLE_HEIGHT, WHOLE_WIDTH, (24, 32, 64, 96), 44, 144),
    "corner": Shape(CORNER_HEIGHT, CORNER_WIDTH, (24, 48, 80), 32, 112),
    "strip": Shape(STRIP_HEIGHT, STRIP_WIDTH, (24, 32, 64, 96), 44, 144),
}


def _convolution(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class _Residual(nn.Module):
    """A residual block of two convolutions (He et al., 2015)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _convolution(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class FaceNetwork(nn.Module):
    """N x 3 x H x W in, N x (OUTPUTS + features) out: logits of rank and suit, then the features."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        layers: list[nn.Module] = []
        inside = 3
        for k, outside in enumerate(shape.channels):
            layers.append(_convolution(inside, outside, 2))
            if k > 0:
                layers.append(_Residual(outside))
            inside = outside
        layers.append(nn.Conv2d(inside, shape.squeezed, 1))
        self.trunk = nn.Sequential(*layers)
        with torch.no_grad():
            cells = self.trunk(torch.zeros(1, 3, shape.height, shape.width)).numel()
        self.dropout = nn.Dropout(0.15)
        self.features = nn.Linear(cells, shape.features)
        self.logits = nn.Linear(shape.features, OUTPUTS)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits and features of a batch."""
        flat = torch.flatten(self.trunk(x), 1)
        features = torch.relu(self.features(self.dropout(flat)))
        return torch.cat([self.logits(features), features], dim=1)


def build(name: str) -> FaceNetwork:
    """Return the untrained network `whole`, `corner` or `strip`."""
    return FaceNetwork(SHAPES[name])
