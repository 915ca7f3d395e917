"""Weights that are missing, cut off, of another version or spoilt; a network that says nonsense."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.main import main
from companion.cli.recording import RecordedGames
from companion.cli.watch import follow
from companion.game.recorder import GameRecorder
from companion.game.refereeing import WatchedGame
from companion.game.setup import GameSetup
from companion.store.store import Store
from engine.errors import BadInputError
from tests.support.dealt_table_reader import Film, Table
from vision.following.watcher import Watcher
from vision.plane import TablePlane
from vision.recognition import classifier as faces
from vision.recognition import detector as outlines
from vision.recognition import index_detector as indices
from vision.recognition.classifier import CardClassifier
from vision.recognition.detector import CardDetector
from vision.recognition.index_detector import IndexDetector
from vision.recognition.reader import default_reader
from vision.recognition.runtime import OnnxRuntimeNetwork
from vision.table.layout import Layout, Seat
from vision.table.rescaling import rescale_layout

FILES = {
    "outlines.onnx": outlines.WEIGHTS,
    "outlines.json": outlines.WEIGHTS.with_suffix(".json"),
    "indices.onnx": indices.WEIGHTS,
    "indices.json": indices.WEIGHTS.with_suffix(".json"),
    **{name: faces.WEIGHTS / name for name in ("whole.onnx", "corner.onnx", "strip.onnx", "fusion.json")},
}
NETWORKS = [name for name in FILES if name.endswith(".onnx")]
NOTES = [name for name in FILES if name.endswith(".json")]
IMAGE = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
QUAD = np.array([[100, 50], [200, 50], [200, 190], [100, 190]], np.float32)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    for name, path in FILES.items():
        shutil.copy(path, tmp_path / name)
    return tmp_path


def use(folder: Path, name: str) -> object:
    """Run the network that `name` belongs to."""
    if name.startswith("outlines"):
        return CardDetector(folder / "outlines.onnx").detect(IMAGE)
    if name.startswith("indices"):
        return IndexDetector(folder / "indices.onnx").detect(IMAGE, 100.0)
    reader = CardClassifier(folder, threads=1)
    return reader.classify_indices(IMAGE, [QUAD]) if name == "strip.onnx" else reader.classify(IMAGE, [QUAD])


def fault(folder: Path, name: str) -> str:
    with pytest.raises(BadInputError) as error:
        use(folder, name)
    return str(error.value)


@pytest.mark.parametrize("name", list(FILES))
def test_a_missing_file_is_named(name: str, weights: Path) -> None:
    (weights / name).unlink()
    said = fault(weights, name)
    assert name in said
    assert "\n" not in said


@pytest.mark.parametrize("name", list(FILES))
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.95])
def test_a_file_that_is_cut_off_is_named(
    name: str, share: float, weights: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = weights / name
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    said = fault(weights, name)
    assert name in said
    assert "\n" not in said
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("other", NETWORKS)
def test_the_weights_of_another_network_are_refused(name: str, other: str, weights: Path) -> None:
    if name == other:
        return
    shutil.copy(FILES[other], weights / name)
    said = fault(weights, name)
    assert "does not take" in said or "weights of another version" in said


@pytest.mark.parametrize(
    "content", ["[]", "{}", "null", '{"format": 99}', "[" * 100_000, '{"input_size": 1e999}']
)
@pytest.mark.parametrize("name", NOTES)
def test_notes_of_another_version_are_named(name: str, content: str, weights: Path) -> None:
    (weights / name).write_text(content)
    assert name in fault(weights, name)


@pytest.mark.parametrize("name", NETWORKS)
def test_spoilt_weights_give_a_line_and_never_numbers_that_are_none(
    name: str, weights: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sound, rng, said = (weights / name).read_bytes(), np.random.default_rng(1), []
    for _ in range(6):
        spoilt = bytearray(sound)
        start = int(rng.integers(len(spoilt) // 4, len(spoilt) - 5000)) // 4 * 4
        spoilt[start : start + 4000] = np.full(1000, np.nan, np.float32).tobytes()
        (weights / name).write_bytes(spoilt)
        try:
            use(weights, name)
        except BadInputError as error:
            said.append(str(error))
    assert all(name in line and "\n" not in line for line in said)
    assert capfd.readouterr() == ("", "")


class Nonsense:
    """An onnxruntime session whose network answers with no numbers."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def get_inputs(self) -> list[Any]:
        return [type("Input", (), {"name": "in"})]

    def get_modelmeta(self) -> Any:
        return type("Meta", (), {"custom_metadata_map": {}})

    def run(self, _: object, inputs: dict[str, Any]) -> list[np.ndarray]:
        (given,) = inputs.values()
        if given.shape[1:] == (3, 640, 640):
            return [np.full((1, 8400, 10), np.nan, np.float32)]
        return [np.full((len(given), 200), np.nan, np.float32)]


def test_a_network_that_says_nan_ends_a_command_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("onnxruntime.InferenceSession", Nonsense)
    cv2.imwrite(str(tmp_path / "table.png"), IMAGE)
    # The reader is loaded once a process: this one is to load the spoilt weights, and nobody after it.
    default_reader.cache_clear()
    try:
        assert main(["read", str(tmp_path / "table.png")]) == 2
    finally:
        default_reader.cache_clear()
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "not a number" in told.err


def test_an_output_of_nan_is_refused(monkeypatch: pytest.MonkeyPatch, weights: Path) -> None:
    monkeypatch.setattr("onnxruntime.InferenceSession", Nonsense)
    with pytest.raises(BadInputError, match="not a number"):
        OnnxRuntimeNetwork(weights / "whole.onnx").run(np.zeros((1, 3, 112, 80), np.float32))


# --- in mid-game --------------------------------------------------------------------------------------


def test_what_was_decided_before_a_network_fails_is_kept(tmp_path: Path) -> None:
    from companion.game.refereeing import make_referee

    table = Table()
    game = WatchedGame(
        Watcher(table, ("Ann", "Bob")), lambda names: make_referee("winnersh", names), ("Ann", "Bob")
    )
    events, store = tmp_path / "events.jsonl", tmp_path / "s.sqlite"
    recorder = GameRecorder(Store.open(store), GameSetup("film.mp4", ()))
    recorded = RecordedGames(game, EventWriter(str(events)), None, recorder)
    with pytest.raises(BadInputError, match="weights are damaged"):
        follow(Film(table, 60), recorded)
    recorded.close()
    written = [json.loads(line) for line in events.read_text().splitlines()]
    assert [line["event"] for line in written] == ["deal"]
    with Store.open(store) as opened:
        assert [line["event"] for line in opened.events(1)] == ["deal"]


# --- a layout that was found at another resolution ----------------------------------------------------


def layout(width: int, height: int) -> Layout:
    seats = (Seat("Ann", ((500.0, 520.0),), (0.0, 1.0)), Seat("Bob", ((500.0, 80.0),), (0.0, -1.0)))
    return Layout(
        TablePlane(np.diag([1000 / width, 600 / height, 1.0])), width, height, seats, draw=(580, 300)
    )


def test_a_layout_holds_at_another_resolution_of_the_same_camera() -> None:
    smaller = rescale_layout(layout(1000, 600), 500, 300)
    assert (smaller.width, smaller.height) == (500, 300)
    np.testing.assert_allclose(smaller.plane.to_pixels([(580, 300)]), [(290, 150)])
    assert rescale_layout(smaller, 500, 300) is smaller


def test_a_layout_for_pictures_of_another_shape_is_refused() -> None:
    watcher = Watcher(Table(), ("Ann", "Bob"), layout(1000, 600))
    upright = np.full((1000, 600, 3), (60, 90, 50), np.uint8)
    with pytest.raises(BadInputError, match="layout: it is for pictures of 1000 x 600, these are 600 x 1000"):
        list(map(watcher.feed, [upright] * 60, np.arange(60) / 15))
