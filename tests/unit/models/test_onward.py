"""Fine-tuning: a network with the weights of an exported file answers like it, and learns from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadInputError

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

import torch

from models.indices.export import export
from models.indices.network import ExportedNet, IndexNet
from models.outlines.network import ExportedNet as ExportedOutlines
from models.outlines.network import OutlineNet
from models.shared.fine_tuning import load_exported
from vision.recognition.detector import WEIGHTS as OUTLINES
from vision.recognition.index_finder import WEIGHTS
from vision.recognition.runtime import load_network


def pictures(count: int) -> torch.Tensor:
    return torch.rand(count, 3, 64, 64, generator=torch.Generator().manual_seed(1))


def test_the_index_network_answers_like_its_file() -> None:
    net = IndexNet()
    load_exported(net, WEIGHTS, pictures(8))
    images = pictures(2)
    with torch.no_grad():
        ours = ExportedNet(net).eval()(images).numpy()
    for image, our in zip(images, ours, strict=True):
        assert load_network(WEIGHTS).run(image[None].numpy())[0] == pytest.approx(our, abs=2e-3)


def test_in_training_it_answers_almost_alike() -> None:
    net = IndexNet()
    load_exported(net, WEIGHTS, pictures(32))
    with torch.no_grad():
        scores = [each(pictures(32))[:, 0].sigmoid() for each in (net.eval(), net.train())]
    assert float((scores[0] - scores[1]).abs().mean()) < 0.01


def test_a_file_of_another_network_is_refused(tmp_path: Path) -> None:
    export(torch.nn.Conv2d(3, 7, 3, 4, 1), tmp_path / "other.onnx")
    with pytest.raises(BadInputError, match=r"other\.onnx: the weights of another network"):
        load_exported(IndexNet(), tmp_path / "other.onnx", pictures(1))


def test_the_outline_network_answers_like_its_file() -> None:
    net = OutlineNet()
    load_exported(net, OUTLINES, pictures(8))
    images = pictures(1)
    with torch.no_grad():
        ours = ExportedOutlines(net).eval()(images).numpy()
    theirs = load_network(OUTLINES).run(images.numpy())
    assert theirs[..., :2] == pytest.approx(ours[..., :2], abs=2e-3)
    assert theirs[..., 2:] == pytest.approx(ours[..., 2:], abs=0.05), "pixels"
