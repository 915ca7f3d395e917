"""The outline network: which points of a picture lie on a card, and where its four corners are.

Three grids have a cell every 8, 16 and 32 pixels. Each cell says whether the card seen there lies face up or
face down, and gives its quad. A card looks the same after half a turn, so none of its corners is the first. A
network that had to choose one would jump at some angle. So a quad is written as eight numbers that half a
turn leaves unchanged (`quad_to_code`):

    centre c, the long half-axis u and the short half-axis v as doubled-angle vectors |u|(cos 2t, sin 2t),
    and the perspective skew w.

The corners are c + u - v + w, c + u + v - w, c - u + v + w, c - u - v - w.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from models.shared.ultralytics_setup import detection_model

STRIDES = (8, 16, 32)
CLASSES = ("up", "down")
CODE = 8
"""Length of a code: centre (2), doubled long half-axis (2), doubled short half-axis (2), skew (2)."""


def _doubled(vector: Tensor) -> Tensor:
    """Return |v|(cos 2t, sin 2t) for v = |v|(cos t, sin t), which is the same for v and -v."""
    x, y = vector.unbind(-1)
    length = vector.norm(dim=-1).clamp(min=1e-6)
    return torch.stack([(x * x - y * y) / length, 2 * x * y / length], -1)


def quad_to_code(quads: Tensor) -> Tensor:
    """Return the codes (... x 8) of quads (... x 4 x 2) that run clockwise from a short edge; same unit."""
    p0, p1, p2, p3 = quads.unbind(-2)
    centre = (p0 + p1 + p2 + p3) / 4
    long_axis = (p0 + p1 - p2 - p3) / 4
    short_axis = (p1 + p2 - p0 - p3) / 4
    skew = (p0 - p1 + p2 - p3) / 4
    return torch.cat([centre, _doubled(long_axis), _doubled(short_axis), skew], -1)


def _conv(channels_in: int, channels_out: int, kernel: int, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, padding=kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(channels_out, eps=1e-3, momentum=0.03),
        nn.SiLU(inplace=True),
    )


class Head(nn.Module):
    """The output layers of one grid: class logits and the code of a quad for each cell."""

    def __init__(self, channels: int, width: int = 64) -> None:
        super().__init__()
        self.stem = _conv(channels, width, 3)
        self.classes = nn.Sequential(
            _conv(width, width, 3, groups=width), _conv(width, width, 1), nn.Conv2d(width, len(CLASSES), 1)
        )
        self.quads = nn.Sequential(_conv(width, width, 3), nn.Conv2d(width, CODE, 1))
        final = self.classes[-1]
        assert isinstance(final, nn.Conv2d)
        assert final.bias is not None
        nn.init.constant_(final.bias, -4.6)  # about 1 cell in 100 answers for a card

    def forward(self, features: Tensor) -> Tensor:
        """Return B x (2 + 8) x H x W for B x C x H x W."""
        shared = self.stem(features)
        return torch.cat([self.classes(shared), self.quads(shared)], 1)


class OutlineNet(nn.Module):
    """The backbone and neck of YOLO26n, with one `Head` for each grid."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[Any] = list(detection_model("yolo26n.yaml", len(CLASSES)).model)
        self.body = nn.ModuleList(layers[:-1])
        self.taps: list[int] = list(layers[-1].f)
        self.heads = nn.ModuleList(Head(channels) for channels in self._channels())
        self.frozen = 0

    @torch.no_grad()
    def _channels(self) -> list[int]:
        self.eval()
        widths = [feature.shape[1] for feature in self.features(torch.zeros(1, 3, 64, 64))]
        self.train()
        return widths

    def features(self, images: Tensor) -> list[Tensor]:
        """Return the three grids of the neck."""
        outputs: list[Tensor] = []
        x: Any = images
        for index, layer in enumerate(self.body):
            source: Any = layer.f
            if source != -1:
                # `f` names the layers whose output this one takes: -1 is the one before it.
                single = isinstance(source, int)
                chosen = [x if j == -1 else outputs[j] for j in ([source] if single else source)]
                x = chosen[0] if single else chosen
            x = layer(x)
            if index + 1 == getattr(self, "frozen", 0):
                x = x.detach()
            outputs.append(x)
        return [outputs[tap] for tap in self.taps]

    def forward(self, images: Tensor) -> Tensor:
        """Return B x A x 10 (two class logits, a code) for pictures B x 3 x H x W (RGB, 0..1).

        Codes are in pixels of the input; the centre is relative to the corner of the picture. A = HW/64 +
        HW/256 + HW/1024; H and W are multiples of 32.
        """
        return torch.cat(
            [
                self._decode(head(f), s)
                for head, f, s in zip(self.heads, self.features(images), STRIDES, strict=True)
            ],
            1,
        )

    @staticmethod
    def _decode(raw: Tensor, stride: int) -> Tensor:
        batch, channels, height, width = raw.shape
        cells = raw.view(batch, channels, height * width).transpose(1, 2).float()
        logits, code = cells[..., : len(CLASSES)], cells[..., len(CLASSES) :]
        grid = anchor_points(height, width, stride, raw.device)
        centre = grid + code[..., :2] * stride
        return torch.cat([logits, centre, code[..., 2:] * stride], -1)

    def _layers(self) -> list[nn.Module]:
        return list(self.body.children())

    def freeze(self, layers: int) -> None:
        """Freeze the first layers: they know edges and textures already, and cost the most to train."""
        self.frozen = layers
        for layer in self._layers()[:layers]:
            layer.requires_grad_(False)

    def train(self, mode: bool = True) -> OutlineNet:
        """Set training mode, except for frozen layers."""
        super().train(mode)
        for layer in self._layers()[: getattr(self, "frozen", 0)]:
            layer.eval()
        return self


def anchor_points(height: int, width: int, stride: int, device: torch.device | str = "cpu") -> Tensor:
    """Return the middles of the cells of a grid (HW x 2, pixels), row by row."""
    y, x = torch.meshgrid(
        torch.arange(height, device=device, dtype=torch.float32),
        torch.arange(width, device=device, dtype=torch.float32),
        indexing="ij",
    )
    return (torch.stack([x, y], -1).view(-1, 2) + 0.5) * stride


class ExportedNet(nn.Module):
    """The network as shipped, with probabilities instead of logits."""

    def __init__(self, net: OutlineNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> Tensor:
        """Return B x A x 10: P(face up), P(face down), code."""
        out = self.net(images)
        return torch.cat([out[..., :2].sigmoid(), out[..., 2:]], -1)
