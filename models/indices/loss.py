"""The loss of the index network: a focal loss for the scores, an L1 loss for the frames."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from models.indices.data import IndexTruth
from models.indices.network import UNIT
from models.shared.trainer import Parts

_FOCUS = 2.0
"""Exponent of the focal loss (Lin et al., 2017), which makes easy cells count less."""
_FRAME_WEIGHT = 2.0


def index_loss(output: Tensor, truth: IndexTruth) -> tuple[Tensor, Parts]:
    """Return the loss of a batch and its parts, for outputs B x 7 x H/4 x W/4."""
    logits, frame = output[:, 0], output[:, 1:]
    count = truth.wanted.sum().clamp(min=1)
    raw = functional.binary_cross_entropy_with_logits(logits, truth.wanted, reduction="none")
    doubt = (logits.sigmoid() - truth.wanted).abs() ** _FOCUS
    score = (raw * doubt * truth.judged).sum() / count
    error = ((frame - truth.frame).abs().sum(1) * truth.framed).sum() / truth.framed.sum().clamp(min=1) / UNIT
    parts = {"score": float(score.detach()), "frame": float(error.detach())}
    return score + _FRAME_WEIGHT * error, parts
