"""The 8-bit copy of a face network answers almost like the network, and names its fingerprint."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInputError
from vision.recognition.classifier import WEIGHTS
from vision.recognition.crops import CORNER_HEIGHT, CORNER_WIDTH, network_input
from vision.recognition.runtime import OnnxRuntimeNetwork, eight_bit_file, fingerprint_of, load_network

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def test_a_copy_answers_almost_like_its_network(tmp_path: Path) -> None:
    from models.faces.quantise import quantise

    path = Path(shutil.copy(WEIGHTS / "corner.onnx", tmp_path))
    rng = np.random.default_rng(4)
    rough = rng.integers(0, 256, (24, CORNER_HEIGHT // 6, CORNER_WIDTH // 6, 3), np.uint8)
    pieces = rough.repeat(6, axis=1).repeat(6, axis=2)
    assert quantise(path, pieces) == eight_bit_file(path)
    copy = OnnxRuntimeNetwork(eight_bit_file(path))
    assert copy.copy_of == fingerprint_of(path)
    exact, near = load_network(path).run(network_input(pieces)), copy.run(network_input(pieces))
    assert np.abs(near - exact).mean() < 0.1 * np.abs(exact).mean()
    assert eight_bit_file(path).stat().st_size < 0.7 * path.stat().st_size
    assert sorted(tmp_path.iterdir()) == [eight_bit_file(path), path]


def test_a_missing_network_is_named(tmp_path: Path) -> None:
    from models.faces.quantise import quantise

    with pytest.raises(BadInputError, match=r"corner\.onnx: .*missing"):
        quantise(tmp_path / "corner.onnx", np.zeros((1, CORNER_HEIGHT, CORNER_WIDTH, 3), np.uint8))
