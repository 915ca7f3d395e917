"""The loss of the outline network, and which cells answer for which card.

The assignment is task-aligned (Feng et al., TOOD, 2021). A cell sees a card if the card is uppermost there.
The cells with the best combination of class probability and quad become the positives of the card they see.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from models.outlines.network import CLASSES, STRIDES, anchor_points, quad_to_code
from models.shared.scene_data import Truth

_TOP = 10
"""Most cells that answer for one card."""
_SHARPNESS = 6.0
"""How fast quality falls with error. An error of a tenth of the side gives quality exp(-0.6)."""


@dataclass(frozen=True)
class Grid:
    """All cells for one picture size."""

    points: Tensor
    """A x 2, pixels."""
    strides: Tensor
    """A."""

    @classmethod
    def of(cls, height: int, width: int, device: torch.device | str = "cpu") -> Grid:
        """Return the cells of the three grids, in the order of the network."""
        points = [anchor_points(height // s, width // s, s, device) for s in STRIDES]
        strides = [
            torch.full((len(p),), float(s), device=device) for p, s in zip(points, STRIDES, strict=True)
        ]
        return cls(torch.cat(points), torch.cat(strides))


def code_error(predicted: Tensor, target: Tensor) -> Tensor:
    """Return the error of codes (... x 8), relative to the card: 0.1 is about a tenth of its side."""
    size = 2 * (target[..., 2:4].norm(dim=-1) * target[..., 4:6].norm(dim=-1)).sqrt().clamp(min=1)
    weight = predicted.new_tensor([1, 1, 0.6, 0.6, 0.6, 0.6, 1, 1])
    error: Tensor = ((predicted - target).abs() * weight).sum(-1) / (2 * size)
    return error


@torch.no_grad()
def assign(output: Tensor, truth: Truth, grid: Grid) -> tuple[Tensor, Tensor, Tensor]:
    """Choose the positives of one picture.

    Returns:
        The class targets of the cells (A x 2). Then the index of the card that each cell answers for (A; -1
        for none). Then which cells count in the loss (A, bool).
    """
    rows = grid.points[:, 1].long()
    columns = grid.points[:, 0].long()
    owner = truth.owner[rows, columns].long()
    judged = owner != 255
    targets = torch.zeros(len(owner), len(CLASSES), device=owner.device)
    answers = torch.full((len(owner),), -1, device=owner.device)
    if not len(truth.quads):
        return targets, answers, judged
    code = quad_to_code(truth.quads)
    long_side = 2 * code[:, 2:4].norm(dim=-1)
    cells_across = long_side[:, None] / grid.strides[None]
    sees = owner[None] == torch.arange(1, len(code) + 1, device=owner.device)[:, None]
    fits = sees & (cells_across > 2.2) & (cells_across < 20)
    fits = torch.where(fits.any(1, keepdim=True), fits, sees)
    quality = torch.exp(-_SHARPNESS * code_error(output[None, :, 2:], code[:, None]))
    kind = (~truth.face_up).long()
    probability = output[:, :2].sigmoid().T[kind]
    alignment = probability.sqrt() * quality**3 * fits
    best, cells = alignment.topk(min(_TOP, alignment.shape[1]), dim=1)
    chosen = torch.zeros_like(alignment).scatter_(1, cells, (best > 0).float()) > 0
    share = alignment / alignment.amax(1, keepdim=True).clamp(min=1e-9)
    score = share * (quality * fits).amax(1, keepdim=True) * chosen
    strongest, card = score.max(0)
    positive = strongest > 0
    answers[positive] = card[positive]
    targets[positive, kind[card[positive]]] = strongest[positive]
    return targets, answers, judged


def outline_loss(output: Tensor, truths: list[Truth], grid: Grid) -> tuple[Tensor, dict[str, float]]:
    """Return the loss of a batch and its parts, for outputs B x A x 10."""
    class_loss, quad_loss = output.new_zeros(()), output.new_zeros(())
    total, quality_sum, count = 0.0, 0.0, 0
    for out, truth in zip(output, truths, strict=True):
        targets, answers, judged = assign(out, truth, grid)
        raw = functional.binary_cross_entropy_with_logits(out[:, :2], targets, reduction="none").sum(1)
        class_loss = class_loss + (raw * judged).sum()
        positive = answers >= 0
        if positive.any():
            code = quad_to_code(truth.quads)[answers[positive]]
            weight = targets[positive].sum(1)
            error = code_error(out[positive, 2:], code)
            quad_loss = quad_loss + (error * weight).sum()
            total += float(weight.sum())
            quality_sum += float(torch.exp(-_SHARPNESS * error.detach()).sum())
            count += int(positive.sum())
    scale = max(total, 1.0)
    parts = {
        "class": float(class_loss.detach()) / scale,
        "quad": float(quad_loss.detach()) / scale,
        "quality": quality_sum / max(count, 1),
    }
    return (class_loss + 8.0 * quad_loss) / scale, parts
