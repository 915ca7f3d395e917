"""`shithead watch` on the command line, with a reader that sees nothing or a scripted game."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import cv2
import pytest

from companion.cli import watch
from companion.cli.event_writer import line_text
from companion.cli.main import main
from companion.settings import Settings
from tests.support.noise_film import noise_film


class NoReader:
    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
        return []


@pytest.fixture(autouse=True)
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: NoReader())


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return noise_film(tmp_path / "film.avi", 40)


def test_a_film_without_a_game_yields_no_events(film: Path, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    assert main(["watch", str(film), "--headless", "--events", str(events)]) == 0
    assert events.read_text() == ""


def test_the_annotated_film_has_every_frame(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "annotated.mp4"
    assert main(["watch", str(film), "--headless", "--save", str(out)]) == 0
    capture = cv2.VideoCapture(str(out))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 40


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.mp4"], "missing.mp4: no such file"),
        (["{film}", "--rules", "whist"], "whist"),
        (["{film}", "--players", "Ann"], "at least two"),
        (["{film}", "--layout", "{text}"], "not a layout"),
        (["{text}"], "not a film"),
        (["98"], "camera 98"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    arguments: list[str], says: str, film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.mp4"
    text.write_text("hello\n")
    events = tmp_path / "events.jsonl"
    filled = [a.format(film=film, text=text) for a in arguments]
    assert main(["watch", *filled, "--headless", "--events", str(events)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not events.exists()


def test_a_film_that_breaks_off_keeps_what_was_seen(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.avi"
    cut.write_bytes(film.read_bytes()[: film.stat().st_size // 2])
    events = tmp_path / "events.jsonl"
    assert main(["watch", str(cut), "--headless", "--events", str(events)]) == 2
    assert "breaks off after" in capsys.readouterr().err
    assert events.exists()


def test_without_a_display_it_goes_on_headless(
    film: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    assert main(["watch", str(film), "--events", "-"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "without a window" in told.err


def test_lines_in_words() -> None:
    line = {
        "t": 61.5,
        "event": "play",
        "player": "Ann",
        "cards": ["4H"],
        "ruling": {
            "verdict": "illegal",
            "breaches": [{"says": "The 4 cannot go on an 8.", "cite": "Winnersh §5", "quote": "equal to"}],
        },
    }
    words = line_text(line)
    assert words.startswith("1:01  Ann plays 4")
    assert "ILLEGAL" in words
    assert "Winnersh §5" in words
    withdrawn = {"t": 3, "event": "draw", "player": "Ann", "revise": 2, "withdrawn": True}
    assert line_text(withdrawn).endswith("taken back")
    assert line_text({**line, "player": "\x1b[2JAnn"}).startswith("1:01  \\x1b[2JAnn plays")


@pytest.mark.parametrize(
    ("arguments", "setting", "learns"),
    [
        (["0"], True, True),
        (["0"], False, False),
        (["http://phone/video"], True, True),
        (["film.mp4"], True, False),
        (["film.mp4", "--learn"], False, True),
        (["0", "--no-learn"], True, False),
    ],
)
def test_a_deck_is_learnt_from_a_camera_unless_that_is_switched_off(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], setting: bool, learns: bool
) -> None:
    monkeypatch.setattr("companion.settings.load_settings", lambda: Settings(learn_deck=setting))
    parser = argparse.ArgumentParser()
    watch.add_parser(parser.add_subparsers())
    args = parser.parse_args(["watch", *arguments])
    assert watch.learns_deck(args, watch.setup_from_arguments(args)) is learns
