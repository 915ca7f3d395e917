"""The network that is exported is the one that was trained, and training goes on where it stopped."""

# ruff: noqa: E402 (what needs torch is imported only where there is one)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the training extra is not installed")

from models.faces.export import export
from models.faces.network import build
from models.faces.train import Learner
from vision.face_classes import OUTPUTS
from vision.runtime import available_backends, load_network

torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["whole", "corner"])
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


def test_a_learner_learns_and_goes_on_where_it_stopped() -> None:
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
