"""The answers that the index network learns, made from scenes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

import torch

from models.indices.data import IndexTruth, index_truth
from models.indices.loss import index_loss
from models.indices.network import STRIDE, IndexNet
from models.shared.scene_data import Truth

CARD = np.array([[40, 30], [103, 30], [103, 118], [40, 118]], np.float32)
TOP = CARD + np.array([16, 0], np.float32)
"""A card on CARD that leaves a strip of 16 mm free at its left."""


def owner(*quads: np.ndarray) -> torch.Tensor:
    seen = torch.zeros(160, 192, dtype=torch.uint8)
    for number, quad in enumerate(quads, start=1):
        (x0, y0), (x1, y1) = quad[0].astype(int), quad[2].astype(int)
        seen[y0:y1, x0:x1] = number
    return seen


def truth_of(*quads: np.ndarray, face_up: bool = True) -> Truth:
    return Truth(torch.from_numpy(np.array(quads)), torch.tensor([face_up] * len(quads)), owner(*quads))


def places(answers: IndexTruth) -> list[tuple[float, float]]:
    """Return the middles of the groups of wanted cells that share a frame, rounded to 4 pixels."""
    rows, columns = np.nonzero(answers.wanted.numpy())
    frames = answers.frame.numpy()[2:, rows, columns].T
    found = []
    for frame in np.unique(frames, axis=0):
        own = (frames == frame).all(axis=1)
        found.append((float(columns[own].mean() * STRIDE), float(rows[own].mean() * STRIDE)))
    return found


def test_an_uncovered_card_has_two_indices() -> None:
    answers = index_truth(truth_of(CARD))
    assert len(places(answers)) == 2


def test_the_index_in_the_free_strip_of_a_covered_card_is_wanted() -> None:
    answers = index_truth(truth_of(CARD, TOP))
    column, row = int((40 + 8.5) / STRIDE), int((30 + 14) / STRIDE)
    assert answers.wanted[row, column] == 1
    frame = answers.frame[:, row, column].numpy()
    cell = np.array([column, row]) * STRIDE + (STRIDE - 1) / 2
    assert np.allclose(cell + frame[:2], CARD[0], atol=1e-3)
    assert np.allclose(frame[2:], [63, 0, 0, 88], atol=1e-3)


def test_the_covered_index_is_not_wanted() -> None:
    free = index_truth(truth_of(CARD)).wanted.sum()
    covered = index_truth(truth_of(CARD, TOP)).wanted
    lower_right = covered[int((118 - 14) / STRIDE), int((103 - 8.5) / STRIDE)]
    assert lower_right == 0
    assert 0 < free < covered.sum() < 2 * free


def test_a_face_down_card_has_no_index() -> None:
    assert index_truth(truth_of(CARD, face_up=False)).wanted.sum() == 0


def test_the_other_corners_are_ignored_because_some_decks_have_four_indices() -> None:
    judged = index_truth(truth_of(CARD)).judged
    assert not judged[int((30 + 14) / STRIDE), int((103 - 8.5) / STRIDE)]
    assert not judged[int((118 - 14) / STRIDE), int((40 + 8.5) / STRIDE)]
    assert judged[int(74 / STRIDE), int(71 / STRIDE)]


def test_a_network_that_knows_the_answers_has_almost_no_loss() -> None:
    answers = index_truth(truth_of(CARD, TOP))
    batch = type(answers)(
        answers.wanted[None], answers.judged[None], answers.frame[None], answers.framed[None]
    )
    logits = torch.where(batch.wanted > 0, 12.0, -12.0)[:, None]
    perfect, parts = index_loss(torch.cat([logits, batch.frame], 1), batch)
    assert float(perfect) < 1e-3
    assert parts["frame"] == 0
    blind, _ = index_loss(torch.cat([-logits, batch.frame + 20], 1), batch)
    assert float(blind) > 1


def test_the_network_gives_one_answer_for_each_cell() -> None:
    net = IndexNet().eval()
    with torch.no_grad():
        assert net(torch.zeros(1, 3, 64, 96)).shape == (1, 7, 16, 24)
