"""The code for quads in the outline network, and the assignment of cells to cards."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

import torch

from models.outlines.loss import Grid, assign, code_error, outline_loss
from models.outlines.network import quad_to_code
from models.shared.scene_data import Truth
from vision.geometry import corner_distance
from vision.recognition.detector import decode_quads

QUADS = torch.tensor(
    [
        [[40.0, 40], [100, 44], [96, 130], [36, 120]],
        [[60.0, 50], [124, 54], [112, 136], [54, 130]],
    ]
)


def owner() -> torch.Tensor:
    """The second card covers all of the first except its left strip."""
    seen = torch.zeros(160, 160, dtype=torch.uint8)
    seen[44:120, 40:56] = 1
    seen[54:130, 58:110] = 2
    seen[140:150, 0:20] = 255
    return seen


TRUTH = Truth(QUADS, torch.tensor([True, False]), owner())
GRID = Grid.of(160, 160)


def perfect_output() -> torch.Tensor:
    """The right answer for every cell that sees a card."""
    output = torch.full((len(GRID.points), 10), -8.0)
    card = owner()[GRID.points[:, 1].long(), GRID.points[:, 0].long()].long()
    for number, kind in ((1, 0), (2, 1)):
        output[card == number, kind] = 8.0
        output[card == number, 2:] = quad_to_code(QUADS[number - 1])
    return output


def test_the_program_decodes_the_codes_of_training() -> None:
    rng = np.random.default_rng(0)
    quads = (QUADS.numpy()[0] + rng.normal(0, 6, (50, 4, 2))).astype(np.float32)
    decoded = decode_quads(quad_to_code(torch.from_numpy(quads)).numpy())
    distances = [corner_distance([a], b)[0] for a, b in zip(decoded, quads, strict=True)]
    assert max(distances) < 1e-2


def test_half_a_turn_does_not_change_the_code() -> None:
    assert torch.allclose(quad_to_code(QUADS), quad_to_code(QUADS.roll(2, 1)), atol=1e-3)


def test_the_error_is_relative_to_the_size_of_the_card() -> None:
    code = quad_to_code(QUADS)
    moved = quad_to_code(QUADS + 7.0)
    assert (code_error(code, code) == 0).all()
    assert torch.allclose(
        code_error(moved, code), code_error(quad_to_code(QUADS * 2 + 14), quad_to_code(QUADS * 2))
    )
    assert 0.05 < float(code_error(moved, code)[0]) < 0.15


def test_only_cells_that_see_a_card_answer_for_it() -> None:
    targets, answers, judged = assign(perfect_output(), TRUTH, GRID)
    seen = TRUTH.owner[GRID.points[:, 1].long(), GRID.points[:, 0].long()].long()
    for card in (0, 1):
        cells = answers == card
        assert 0 < int(cells.sum()) <= 10
        assert (seen[cells] == card + 1).all()
    assert (targets[answers == 0, 0] > 0.9).all()
    assert (targets[answers == 1, 1] > 0.9).all()
    assert (targets[answers < 0] == 0).all()
    assert not judged[seen == 255].any()
    assert judged[seen != 255].all()


def test_the_loss_rewards_the_truth_and_has_a_gradient() -> None:
    poor = torch.zeros(1, len(GRID.points), 10, requires_grad=True)
    loss, parts = outline_loss(poor, [TRUTH], GRID)
    loss.backward()
    assert poor.grad is not None
    assert poor.grad.abs().sum() > 0
    good, good_parts = outline_loss(perfect_output()[None], [TRUTH], GRID)
    assert float(good) < float(loss.detach()) / 10
    assert good_parts["quality"] == pytest.approx(1)
    assert parts["quality"] < 0.2


def test_a_picture_without_cards_has_only_negatives() -> None:
    empty = Truth(
        torch.zeros(0, 4, 2), torch.zeros(0, dtype=torch.bool), torch.zeros(160, 160, dtype=torch.uint8)
    )
    loss, _ = outline_loss(perfect_output()[None], [empty], GRID)
    assert float(loss) > 0
    targets, answers, _ = assign(perfect_output(), empty, GRID)
    assert not targets.any()
    assert (answers == -1).all()
