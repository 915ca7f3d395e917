"""Fake quantisation of the outline network, and the 8-bit copy that is made with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.recognition.detector import WEIGHTS
from vision.recognition.runtime import OnnxRuntimeNetwork, eight_bit_file, fingerprint_of, load_network

pytest.importorskip("onnxruntime")
torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")


@pytest.fixture(scope="module")
def pictures() -> NDArray[np.float32]:
    """Two pictures with light cards on a dark table, as network input."""
    rng = np.random.default_rng(2)
    seen = np.full((2, 160, 192, 3), (40, 60, 50), np.uint8)
    for picture in seen:
        for _ in range(3):
            centre, angle = rng.uniform(40, 150, 2), float(rng.uniform(0, 180))
            box = cv2.boxPoints((centre.tolist(), (32.0, 45.0), angle))
            cv2.fillConvexPoly(picture, box.astype(np.int32), (235, 240, 245))
    noisy = seen + rng.normal(0, 4, seen.shape)
    return np.ascontiguousarray(noisy.clip(0, 255).transpose(0, 3, 1, 2) / 255, np.float32)


def answers(network: object, pictures: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.concatenate([network.run(picture[None]) for picture in pictures])  # type: ignore[attr-defined]


def test_the_network_from_the_file_answers_like_the_file(pictures: NDArray[np.float32]) -> None:
    from models.outlines.fake_quantisation import load_network as read_back
    from models.outlines.network import ExportedNet

    net, nodes = read_back(WEIGHTS)
    with torch.no_grad():
        mine = ExportedNet(net)(torch.from_numpy(pictures)).numpy()
    np.testing.assert_allclose(mine, answers(load_network(WEIGHTS), pictures), atol=2e-3)
    assert nodes[3].module == "body.2.m.0.cv1.conv"
    assert {node.module for node in nodes} >= {"heads.1.quads.0.0", "body.22.m.0.0.cv2.conv"}


def test_a_copy_answers_like_the_fake_quantised_network(
    pictures: NDArray[np.float32], tmp_path: Path
) -> None:
    from models.outlines.fake_quantisation import RoundedConv, is_rounded, rounded
    from models.outlines.fake_quantisation import load_network as read_back
    from models.outlines.network import ExportedNet
    from models.outlines.quantise import Imitation, write_trained

    path = Path(shutil.copy(WEIGHTS, tmp_path))
    net, nodes = read_back(path)
    rounded(net, nodes)
    assert sum(isinstance(module, RoundedConv) for module in net.modules()) == sum(map(is_rounded, nodes))
    images = torch.from_numpy(pictures)
    teacher, _ = read_back(path)
    loss, _ = Imitation(teacher)(net.train(), images)  # its ranges follow what passes
    loss.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters() if p.requires_grad)
    with torch.no_grad():
        sums = ExportedNet(net.eval())(images).numpy()
    assert write_trained(path, net) == eight_bit_file(path)
    copy = OnnxRuntimeNetwork(eight_bit_file(path))
    assert copy.copy_of == fingerprint_of(path)
    assert np.abs(answers(copy, pictures)[..., :2] - sums[..., :2]).mean() < 2e-3
    assert sorted(tmp_path.iterdir()) == sorted([eight_bit_file(path), path])


def test_a_network_with_the_answers_of_its_teacher_has_no_loss(pictures: NDArray[np.float32]) -> None:
    from models.outlines.fake_quantisation import load_network as read_back
    from models.outlines.quantise import Imitation

    teacher, _ = read_back(WEIGHTS)
    other, _ = read_back(WEIGHTS)
    loss, parts = Imitation(teacher)(other, torch.from_numpy(pictures))
    assert float(loss.detach()) == pytest.approx(0, abs=1e-4)
    assert set(parts) == {"scores", "quads"}
    with torch.no_grad():
        for weight in other.heads[0].quads[1].parameters():
            weight += 0.2
    assert Imitation(teacher)(other, torch.from_numpy(pictures))[1]["quads"] > 0


def test_the_shipped_copy_was_made_from_the_shipped_network() -> None:
    copy = OnnxRuntimeNetwork(eight_bit_file(WEIGHTS))
    assert copy.copy_of == fingerprint_of(WEIGHTS)
