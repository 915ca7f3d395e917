"""Names that are not UTF-8 text, as Linux lets them be: refused in one line; OpenCV would crash."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.game.refereeing import WatchedGame
from datasets.films.rendering.video import FilmWriter
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from engine.referee.referee import Referee
from vision.capture.sources import open_source

SAMPLE = Path(__file__).parents[2] / "companion" / "assets" / "sample.mp4"
ODD = "odd\udcff"
"""What Python makes of the byte 0xFF in an argument or a file's name."""


def odd_path(folder: Path, suffix: str) -> Path:
    path = folder / f"{ODD}{suffix}"
    try:
        path.touch()
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    return path


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(list(args)) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line


@pytest.mark.parametrize("below", [False, True])
def test_a_film_of_such_a_name_or_in_such_a_folder(tmp_path: Path, below: bool) -> None:
    path = odd_path(tmp_path, "" if below else ".mp4")
    if below:
        path.unlink()
        path.mkdir()
        path = path / "film.mp4"
    shutil.copy(SAMPLE, path)
    with pytest.raises(BadInputError, match=r"^'.*odd\\udcff.*': the name is not UTF-8 text; rename it$"):
        open_source(str(path))


def test_a_stream_of_such_an_address() -> None:
    with pytest.raises(BadInputError, match="not UTF-8 text"):
        open_source(f"http://127.0.0.1:9/{ODD}")


def test_a_film_that_is_to_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = odd_path(tmp_path, ".mp4")
    with pytest.raises(BadInputError, match="not UTF-8 text"):
        FilmWriter(path, 5, (64, 48))
    said = refused(capsys, "watch", str(SAMPLE), "--headless", "--save", str(path))
    assert said.endswith("the name is not UTF-8 text; rename it")


def test_a_picture_that_is_to_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import cv2
    import numpy as np

    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), np.zeros((90, 120, 3), np.uint8))
    said = refused(capsys, "read", str(picture), "--save", str(odd_path(tmp_path, ".png")))
    assert said.endswith("the name is not UTF-8 text; rename it")


def test_players_of_such_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = tmp_path / "events.jsonl"
    events.touch()
    names = ("Ann", ODD)
    for opened in (lambda: Referee("winnersh", names), lambda: WatchedGame.open(players=names)):
        with pytest.raises(BadInputError, match=r"players: 'odd\\udcff' is not UTF-8 text"):
            opened()
    said = refused(capsys, "record", str(events), "--from-events", "winnersh", "--players", f"Ann,{ODD}")
    assert said.endswith("is not UTF-8 text")


@pytest.mark.parametrize(
    "text", ['["\\ud800"]', '["\\uDFFF"]', b'["\xed\xa0\x80"]', b'["\xff"]', '["\ud800"]', '{"\\ud8ab": 1}']
)
def test_json_with_half_a_character_is_none(text: str | bytes) -> None:
    with pytest.raises(json.JSONDecodeError, match="not UTF-8"):
        parse_json(text)


@pytest.mark.parametrize("text", ['["\\ud83c\\udca1"]', '["\\\\ud800"]', '["🂡"]'])
def test_json_with_whole_characters_is_read(text: str) -> None:
    assert parse_json(text) == json.loads(text) == parse_json(text.encode())


def test_a_question_about_such_a_player(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = '{"players": ["\\ud800", "B"], "ask": "next_dealer", "dealer": "B", "loser": "\\ud800"}'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(asked.encode())))
    assert refused(capsys, "judge") == "shithead judge: stdin: not JSON: not UTF-8 text (column 1)"
