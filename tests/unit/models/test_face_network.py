"""The exported face network is the trained one, and training continues where it stopped."""

# ruff: noqa: E402 (modules that need torch are imported only if it is installed)

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the training extra is not installed")

from models.faces.export import export
from models.faces.labels import IGNORE, NONE
from models.faces.network import build
from models.faces.strip.data import StripSample
from models.faces.strip.train import batch_of, mistakes, strip_loss
from models.faces.train import Learner
from vision.decks.card_classes import OUTPUTS, RANK_OUTPUTS
from vision.recognition.crops import STRIP_HEIGHT, STRIP_WIDTH
from vision.recognition.runtime import available_backends, load_network

torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["whole", "corner", "strip"])
def test_the_exported_network_is_the_trained_one(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = build(name).eval()
    inputs = torch.randn(3, 3, network.shape.height, network.shape.width)
    with torch.no_grad():
        expected = network(inputs).numpy()
    path = export(network, name, tmp_path)
    assert expected.shape == (3, OUTPUTS + network.shape.features)
    for backend in available_backends():
        assert np.abs(load_network(path, backend).run(inputs.numpy()) - expected).max() < 1e-3


def test_a_learner_learns_and_continues_where_it_stopped() -> None:
    torch.manual_seed(0)
    learner = Learner("corner", torch.device("cpu"))
    batch = torch.randn(16, 3, 60, 36)
    rank, suit = torch.arange(16) % 13, torch.arange(16) % 4
    losses = [learner.step(batch, rank, suit, 1e-3) for _ in range(8)]
    assert losses[-1] < losses[0] * 0.9
    again = Learner("corner", torch.device("cpu"))
    again.restore(learner.state())
    assert again.steps == 8
    with torch.no_grad():
        assert torch.equal(again.average(batch), learner.average(batch))


def test_a_strip_without_a_label_counts_neither_as_right_nor_as_wrong() -> None:
    strip = np.zeros((STRIP_HEIGHT, STRIP_WIDTH, 3), np.uint8)
    labels = ((4, 2), (4, 1), (7, 2), (NONE, IGNORE), (IGNORE, IGNORE))
    batch = batch_of([StripSample(strip, rank, suit) for rank, suit in labels])

    def says(pieces: Any) -> Any:
        logits = torch.zeros(len(pieces), OUTPUTS)
        logits[:, 4] = logits[:, RANK_OUTPUTS + 2] = 9.0
        return logits

    assert mistakes(cast(Any, says), batch) == {"wrong rank": 0.5, "wrong suit": pytest.approx(1 / 3)}
    loss, parts = strip_loss(build("strip"), batch)
    assert float(loss.detach()) == pytest.approx(parts["rank"] + parts["suit"], rel=1e-5)
    assert torch.isfinite(loss)
