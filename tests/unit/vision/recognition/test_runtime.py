"""Both backends run the same file to the same numbers, and say in one line what is wrong with a bad one."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInputError
from vision.recognition.classifier import WEIGHTS
from vision.recognition.runtime import (
    QUANTISED_FROM_KEY,
    Backend,
    OnnxRuntimeNetwork,
    available_backends,
    file_fingerprint,
    load_fastest_network,
    load_network,
    quantised_path,
)

BACKENDS: tuple[Backend, ...] = ("onnxruntime", "opencv")


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param not in available_backends():
        pytest.skip(f"{request.param} is not installed")
    chosen: Backend = request.param
    return chosen


def constant_network(path: Path, operation: str) -> Path:
    """Write a network that applies one operation to what it is given."""
    onnx = pytest.importorskip("onnx")
    shape = ["count", 3]
    node = onnx.helper.make_node(operation, ["in"], ["out"])
    graph = onnx.helper.make_graph(
        [node],
        "one",
        [onnx.helper.make_tensor_value_info("in", onnx.TensorProto.FLOAT, shape)],
        [onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, shape)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(path))
    return path


@pytest.mark.parametrize(
    ("name", "shape"),
    [("whole.onnx", (5, 3, 112, 80)), ("corner.onnx", (5, 3, 60, 36)), ("strip.onnx", (5, 3, 64, 96))],
)
def test_both_backends_give_the_same_numbers(name: str, shape: tuple[int, ...]) -> None:
    inputs = np.random.default_rng(0).normal(0, 1, shape).astype(np.float32)
    outputs = [load_network(WEIGHTS / name, backend).run(inputs) for backend in available_backends()]
    for output in outputs[1:]:
        assert np.abs(output - outputs[0]).max() < 1e-3


def test_a_batch_gives_what_its_parts_give(backend: Backend) -> None:
    network = load_network(WEIGHTS / "corner.onnx", backend)
    inputs = np.random.default_rng(1).normal(0, 1, (4, 3, 60, 36)).astype(np.float32)
    together = network.run(inputs)
    for one, row in zip(inputs, together, strict=True):
        assert np.abs(network.run(one[None])[0] - row).max() < 1e-3


def test_an_output_is_not_overwritten_by_the_next_run(backend: Backend) -> None:
    network = load_network(WEIGHTS / "corner.onnx", backend)
    first = network.run(np.zeros((1, 3, 60, 36), np.float32))
    kept = first.copy()
    network.run(np.ones((1, 3, 60, 36), np.float32))
    assert np.array_equal(first, kept)


def test_two_threads_may_run_one_network(backend: Backend) -> None:
    network = load_network(WEIGHTS / "corner.onnx", backend)
    inputs = np.random.default_rng(1).normal(0, 1, (2, 8, 3, 60, 36)).astype(np.float32)
    alone = [network.run(batch) for batch in inputs]
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(network.run, [*inputs] * 20))
    assert all(np.array_equal(output, alone[k % 2]) for k, output in enumerate(together))


def test_missing_weights_are_named(backend: Backend, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"nothing\.onnx: .*missing"):
        load_network(tmp_path / "nothing.onnx", backend)


def test_a_folder_may_have_a_name_that_is_no_text(backend: Backend, tmp_path: Path) -> None:
    folder = tmp_path / "odd\udcff"  # what Python makes of the byte 0xFF in a file's name
    try:
        folder.mkdir()
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    path = Path(shutil.copy(WEIGHTS / "corner.onnx", folder))
    inputs = np.random.default_rng(2).normal(0, 1, (2, 3, 60, 36)).astype(np.float32)
    wanted = load_network(WEIGHTS / "corner.onnx", backend).run(inputs)
    assert np.array_equal(load_network(path, backend).run(inputs), wanted)
    assert load_fastest_network(path, backend).run(inputs).shape == wanted.shape


@pytest.mark.parametrize("content", [b"", b"this is no network", bytes(4000)])
def test_a_file_that_is_no_network_is_named(backend: Backend, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.onnx"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=r"bad\.onnx") as error:
        load_network(path, backend).run(np.zeros((1, 3, 60, 36), np.float32))
    assert "\n" not in str(error.value)


def test_an_output_that_is_no_number_is_refused(backend: Backend, tmp_path: Path) -> None:
    network = load_network(constant_network(tmp_path / "log.onnx", "Log"), backend)
    assert np.allclose(network.run(np.ones((2, 3), np.float32)), 0, atol=1e-6)
    with pytest.raises(BadInputError, match=r"log\.onnx: .*not a number"):
        network.run(np.full((2, 3), -1, np.float32))


def test_inputs_of_a_wrong_shape_are_refused() -> None:
    with pytest.raises(BadInputError, match="does not take"):
        load_network(WEIGHTS / "corner.onnx").run(np.zeros((1, 3, 20, 20), np.float32))


@pytest.fixture
def with_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A network that gives its input back, and as its 8-bit copy one that gives the opposite."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("cv2.checkHardwareSupport", lambda feature: True)
    path = constant_network(tmp_path / "one.onnx", "Identity")
    copy = onnx.load(str(constant_network(quantised_path(path), "Neg")))
    onnx.helper.set_model_props(copy, {QUANTISED_FROM_KEY: file_fingerprint(path)})
    onnx.save(copy, str(quantised_path(path)))
    return path


def _answer(path: Path, backend: Backend | None = None) -> float:
    return float(load_fastest_network(path, backend).run(np.ones((1, 3), np.float32))[0, 0])


def test_where_the_processor_is_made_for_it_the_eight_bit_copy_runs(with_copy: Path) -> None:
    assert _answer(with_copy) == -1
    assert _answer(with_copy, "opencv") == 1


def test_elsewhere_the_network_itself_runs(with_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cv2.checkHardwareSupport", lambda feature: False)
    assert _answer(with_copy) == 1


def test_a_copy_of_other_weights_or_a_damaged_one_is_passed_over(with_copy: Path) -> None:
    constant_network(with_copy, "Abs")
    assert _answer(with_copy) == 1
    quantised_path(with_copy).write_bytes(b"no network")
    assert _answer(with_copy) == 1


@pytest.mark.parametrize("name", ["whole.onnx", "corner.onnx"])
def test_the_copies_that_ship_belong_to_the_networks_that_ship(name: str) -> None:
    pytest.importorskip("onnxruntime")
    copy = OnnxRuntimeNetwork(quantised_path(WEIGHTS / name))
    assert copy.quantised_from == file_fingerprint(WEIGHTS / name)
