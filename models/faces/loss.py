"""The loss of the face networks: cross-entropy for the rank, and for the suit."""

from __future__ import annotations

from torch import Tensor, nn

from models.faces.labels import IGNORE
from vision.decks.card_classes import OUTPUTS, RANK_OUTPUTS


def face_losses(output: Tensor, rank: Tensor, suit: Tensor) -> tuple[Tensor, Tensor]:
    """Return the losses of the ranks and of the suits, for outputs N x (OUTPUTS + features)."""
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE, label_smoothing=0.02)
    logits = output.float()
    return criterion(logits[:, :RANK_OUTPUTS], rank), criterion(logits[:, RANK_OUTPUTS:OUTPUTS], suit)
