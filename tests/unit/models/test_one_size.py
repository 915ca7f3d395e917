"""The outline network for pictures of one size, as in a package for a phone."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from engine.errors import BadInputError  # noqa: E402
from models.outlines.one_size import SHIPPED, main, write_one_size  # noqa: E402
from vision.recognition import runtime  # noqa: E402
from vision.recognition.detector import load_settings  # noqa: E402


@pytest.fixture(scope="module")
def one_size(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("phone") / "outlines.onnx"
    write_one_size(SHIPPED, path)
    return path


def test_both_runtimes_give_the_numbers_of_the_shipped_network(one_size: Path) -> None:
    inputs = np.random.default_rng(5).random((1, 3, 640, 640), np.float32)
    wanted = runtime.load_network(SHIPPED, "onnxruntime", 1).run(inputs)
    for backend in runtime.available_backends():
        found = runtime.load_network(one_size, backend, 1).run(inputs)
        assert np.abs(found[..., :2] - wanted[..., :2]).max() < 1e-3
        assert np.abs(found[..., 2:] - wanted[..., 2:]).max() < 0.05


def test_nothing_in_it_depends_on_the_size_of_the_picture(one_size: Path) -> None:
    """OpenCV 4.12 cannot read grids that are computed from the shape of the input."""
    shapes = {"Shape", "Range", "Expand", "ConstantOfShape"}
    assert not shapes & {node.op_type for node in onnx.load(str(one_size)).graph.node}
    assert shapes & {node.op_type for node in onnx.load(str(SHIPPED)).graph.node}


def test_another_shape_is_written_on_request(tmp_path: Path) -> None:
    path = tmp_path / "new" / "outlines.onnx"
    main(["--size", "640x384", "--out", str(path)])
    assert load_settings(path.with_suffix(".json")).one_size == (640, 384)
    assert runtime.load_network(path).run(np.zeros((1, 3, 384, 640), np.float32)).shape == (1, 5040, 10)
    with pytest.raises(BadInputError, match="does not take"):
        runtime.load_network(path).run(np.zeros((1, 3, 640, 640), np.float32))


@pytest.mark.parametrize("size", [(640, 333), (320, 320), (640, 0), (1280, 640)])
def test_a_size_that_the_network_does_not_take_is_refused(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(BadInputError, match=f"^{size[0]}x{size[1]}: .*multiples of 32"):
        write_one_size(SHIPPED, tmp_path / "outlines.onnx", size)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_network_for_any_size_is_refused(one_size: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no outline network that takes pictures of any size"):
        write_one_size(one_size, tmp_path / "again.onnx")
    spoilt = tmp_path / "spoilt.onnx"
    spoilt.write_bytes(SHIPPED.read_bytes()[:5000])
    shutil.copy(SHIPPED.with_suffix(".json"), spoilt.with_suffix(".json"))
    with pytest.raises(BadInputError, match=r"spoilt\.onnx: no outline network"):
        write_one_size(spoilt, tmp_path / "again.onnx")
    assert not (tmp_path / "again.onnx").exists()
