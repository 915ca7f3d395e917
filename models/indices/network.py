"""The index network: where index corners are, and how the card of each lies.

An index is the rank and suit in the top left corner of a card and, turned by 180 degrees, in its bottom right
corner. A grid has a cell every 4 pixels. Each cell says whether it is the middle of an index. It gives the
frame of the card: the corner beside the index, and the two sides from there. So a card gets a place, a
direction and a size even if only a corner shows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE = 4
FRAME = 6
"""Length of a frame: the corner of the card (2), the side to its right (2), the side below it (2)."""
UNIT = 64.0
"""Pixels for the number 1 of a frame inside the network."""
_WIDTHS = (40, 64, 96)


def _conv(channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(channels_out, eps=1e-3, momentum=0.03),
        nn.SiLU(inplace=True),
    )


class _Block(nn.Module):
    """A residual block with half the channels inside."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(_conv(channels, channels // 2), _conv(channels // 2, channels))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


def _stage(channels_in: int, channels: int, blocks: int) -> nn.Sequential:
    return nn.Sequential(_conv(channels_in, channels, stride=2), *(_Block(channels) for _ in range(blocks)))


class IndexNet(nn.Module):
    """Features down to stride 16, and back up to stride 4."""

    def __init__(self) -> None:
        super().__init__()
        fine, middle, coarse = _WIDTHS
        self.stem = _conv(3, 24, stride=2)
        self.fine = _stage(24, fine, 2)
        self.middle = _stage(fine, middle, 3)
        self.coarse = _stage(middle, coarse, 3)
        self.to_middle = nn.Conv2d(coarse, middle, 1)
        self.mix_middle = _Block(middle)
        self.to_fine = nn.Conv2d(middle, fine, 1)
        self.mix_fine = _Block(fine)
        self.score = nn.Sequential(_conv(fine, 32), nn.Conv2d(32, 1, 1))
        self.frame = nn.Sequential(_conv(fine, 48), nn.Conv2d(48, FRAME, 1))
        final = self.score[-1]
        assert isinstance(final, nn.Conv2d)
        assert final.bias is not None
        nn.init.constant_(final.bias, -4.6)  # about 1 cell in 100 is the middle of an index

    def forward(self, images: Tensor) -> Tensor:
        """Return B x 7 x H/4 x W/4 (logit, frame) for pictures B x 3 x H x W (RGB, 0..1).

        Frames are in pixels; their corner is relative to the middle of the cell. H and W are multiples of 16.
        """
        fine = self.fine(self.stem(images))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        up = functional.interpolate(self.to_middle(coarse), scale_factor=2.0, mode="nearest")
        middle = self.mix_middle(middle + up)
        up = functional.interpolate(self.to_fine(middle), scale_factor=2.0, mode="nearest")
        fine = self.mix_fine(fine + up)
        return torch.cat([self.score(fine).float(), self.frame(fine).float() * UNIT], 1)


class ExportedNet(nn.Module):
    """The network as shipped, with probabilities instead of logits."""

    def __init__(self, net: IndexNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> Tensor:
        """Return B x 8 x H/4 x W/4: probability, probability at its local peaks (else 0), frame."""
        out = self.net(images)
        probability = out[:, :1].sigmoid()
        peak = functional.max_pool2d(probability, 3, 1, 1)
        return torch.cat([probability, probability * (probability >= peak), out[:, 1:]], 1)
