"""`shithead read` and `shithead evaluate` on the command line, with a reader that needs no networks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

import vision.recognition.reader
from companion.cli.main import main
from datasets.measuring.reading.scores import Score
from engine.errors import BadInputError
from vision.types import CardReading, Image

QUAD = np.array([[10, 10], [40, 10], [40, 52], [10, 52]], np.float32)


class Told:
    def read(self, image: Image, crowded: object = None, ignored: object = None) -> Sequence[CardReading]:
        return [
            CardReading(QUAD, "up", 0.99, "9S", 0.987, (("8S", 0.006),)),
            CardReading(
                QUAD + np.array([50, 0], np.float32), "up", 0.9, None, 0.4, (("KD", 0.4), ("QD", 0.3))
            ),
            CardReading(QUAD + np.array([0, 50], np.float32), "down", 0.97, None, 0.97),
        ]


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vision.recognition.reader, "reader_for_deck", lambda name: Told())


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), np.full((120, 160, 3), 90, np.uint8))
    return path


def test_json_has_the_contracts_fields(picture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(picture), "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert (entry["image"], entry["width"], entry["height"]) == (str(picture), 160, 120)
    assert entry["ms"] >= 0
    first, untold, down = entry["cards"]
    assert first == {
        "face": "up",
        "card": "9S",
        "confidence": 0.987,
        "alternatives": [["8S", 0.006]],
        "quad": [[10.0, 10.0], [40.0, 10.0], [40.0, 52.0], [10.0, 52.0]],
    }
    assert untold["card"] is None
    assert (down["face"], down["card"]) == ("down", None)


def test_the_table_for_people(picture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "9S" in out
    assert "face down" in out
    assert "perhaps KD 0.40" in out


def test_a_bad_picture_among_good_ones_loses_nothing(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("this is no picture")
    empty = tmp_path / "empty.jpg"
    empty.touch()
    missing = tmp_path / "missing.jpg"
    names = [str(p) for p in (picture, text, empty, missing, tmp_path, picture)]
    assert main(["read", *names, "--json"]) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    lines = captured.err.splitlines()
    assert len(lines) == 4
    for line, path in zip(lines, (text, empty, missing, tmp_path), strict=True):
        assert str(path) in line


def test_save_draws_the_picture(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    assert main(["read", str(picture), "--save", str(out)]) == 0
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape == (120, 160, 3)
    assert (drawn != 90).any()


@pytest.mark.parametrize("name", ["out.nonsense", "no/such/folder/out.png"])
def test_save_where_nothing_can_be_written(
    picture: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", str(picture), "--save", str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err


def test_save_takes_one_picture(picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.png"
    assert main(["read", str(picture), str(picture), "--save", str(out)]) == 2
    assert not out.exists()
    assert "--save" in capsys.readouterr().err


def test_evaluate_prints_one_line_per_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "classes.txt").write_text("9S\n")
    for part in ("images", "labels"):
        (tmp_path / "rf100/valid" / part).mkdir(parents=True)
    cv2.imwrite(str(tmp_path / "rf100/valid/images/a.png"), np.zeros((100, 200, 3), np.uint8))
    (tmp_path / "rf100/valid/labels/a.txt").write_text("0 0.1 0.3 0.2 0.4\n")
    assert main(["evaluate", "--photos", str(tmp_path), "--sets", "rf100_valid", "--json"]) == 0
    (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (row["set"], row["precision"], row["recall"]) == ("rf100_valid", 1.0, 1.0)
    assert row["load"] is None or row["load"] >= 0


def test_all_sets_are_measured_and_then_decks_held_out_where_their_art_can_be_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("mine", "rf100/train"):
        for part in ("images", "labels"):
            (tmp_path / folder / part).mkdir(parents=True)
        cv2.imwrite(str(tmp_path / folder / "images/a.png"), np.zeros((100, 200, 3), np.uint8))
        (tmp_path / folder / "labels/a.txt").write_text("9S 0.1 0.3 0.2 0.4\n")
    rendered = [Score("held_out", cards=2, found=1), Score("held_out_jokers")]
    monkeypatch.setattr("datasets.art.decks.load_deck", lambda name: None)
    monkeypatch.setattr(
        "datasets.measuring.reading.held_out.evaluate_held_out", lambda *told, **named: rendered
    )
    assert main(["evaluate", "--photos", str(tmp_path), "--json"]) == 0
    told = capsys.readouterr()
    rows = [json.loads(line)["set"] for line in told.out.splitlines()]
    assert rows == ["mine", "held_out", "held_out_jokers"]
    assert "rf100/train" in told.err

    def no_art(name: str) -> None:
        raise BadInputError("no registry answers")

    monkeypatch.setattr("datasets.art.decks.load_deck", no_art)
    assert main(["evaluate", "--photos", str(tmp_path), "--json"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["set"] for line in told.out.splitlines()] == ["mine"]
    assert "held_out: left out; no registry answers" in told.err
    assert main(["evaluate", "--sets", "held_out"]) == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(["--photos", "/no/such/folder"], "/no/such/folder"), (["--sets", "moon"], "moon")],
)
def test_evaluate_names_what_is_wrong(
    arguments: list[str],
    named: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHITHEAD_PHOTOS", str(tmp_path))
    assert main(["evaluate", *arguments]) == 2
    assert named in capsys.readouterr().err
