"""The bar of long work: where it is drawn, what it says, and that nothing remains of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.cli.main import main
from companion.cli.progress import Bar, bar_line
from tests.support.noise_film import noise_film
from tests.support.shown_cards import Camera, Show, learns
from tests.support.terminal import Terminal

PATIENCE_S = 120.0
SIMULATE = ("simulate", "--games", "150", "--players", "2", "--policy", "random")


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the terminal be one that can draw."""
    monkeypatch.setenv("TERM", "xterm")


class Blind:
    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
        return []


@pytest.fixture
def film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a film of noise that breaks off after two thirds, in which no card is looked for."""
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: Blind())
    path = noise_film(tmp_path / "film.avi", 60)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    return path


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.cli.progress.REDRAW_S", 0.0)


@pytest.mark.parametrize(
    "says", ["", "1:20 left", "12 shown; missing: 4C 9H QC JOKER AC AD AH AS 2C 2D 2H 2S"]
)
@pytest.mark.parametrize("room", [197, 77, 37, 17, 4, 1, 0, -2])
def test_the_bar_fits_the_terminal(room: int, says: str) -> None:
    for done in (0, 0.5, 47.2, 106, 107):
        assert len(bar_line("watch", "s", done, 106.0, says, room)) <= max(0, room)
        assert len(bar_line("watch", "s", done, None, says, room)) <= max(0, room)


def test_the_bar_says_the_share_the_count_and_the_time_left() -> None:
    line = bar_line("watch", "s", 53.9, 106.0, "1:20 left", 77)
    assert line == "watch  50 %  ###############...............  53 of 106 s  1:20 left"
    assert bar_line("watch", "s", 53, 106.0, "1:20 left", 37) == "watch  50 %  ######.......  1:20 left"
    assert bar_line("watch", "s", 53, 106.0, "1:20 left", 22) == "watch  50 %  1:20 left"
    assert bar_line("watch", "s", 200, 106.0, "", 40) == "watch 100 %  #############  106 of 106 s"
    assert bar_line("watch", "s", 53, None, "", 77) == "watch  53 s"


def test_a_name_breaks_no_line() -> None:
    assert bar_line("扑克\n\x1b[2J", "photos", 1, 2, "", 77).startswith("???")
    assert bar_line("扑克\n\x1b[2J", "photos", 1, 2, "", 77).isprintable()


def test_the_time_left_is_reckoned_from_where_the_work_began(
    monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    """A game that goes on begins in the middle of its film."""
    now = iter([10.0, 10.5, 20.0, 4000.0])
    monkeypatch.setattr("companion.cli.progress.time", SimpleNamespace(monotonic=lambda: next(now)))
    with Terminal() as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        with Bar("watch", "s") as bar:
            for done in (600.0, 601.0, 605.0, 606.0):
                bar.show(done, 665.0)
        terminal.end()
    lines = [stroke.rstrip() for stroke in terminal.strokes if stroke.strip()]
    told = [line.partition(" of 665 s")[2].strip() for line in dict.fromkeys(lines)]
    assert told == ["", "", "2:00 left", "10:53:55 left"]


def test_nothing_is_drawn_but_on_a_terminal(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(film), "--headless"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("shithead watch: ")
    assert (error.count("\n"), "\r" in error) == (1, False)
    command = [sys.executable, "-m", "companion.cli", *SIMULATE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert done.stderr == ""


def test_no_bar_is_drawn_where_a_program_reads(monkeypatch: pytest.MonkeyPatch, at_once: None) -> None:
    with Terminal() as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        with Bar("evaluate", "photos", wanted=False) as bar:
            bar.show(1, 2)
        terminal.end()
    assert terminal.said == ""


@pytest.mark.parametrize("columns", [40, 80])
def test_a_film_that_breaks_off_ends_with_its_line_alone(
    columns: int, film: Path, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    monkeypatch.chdir(film.parent)
    with Terminal(columns) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        assert main(["watch", film.name, "--headless"]) == 2
        terminal.end()
    *bars, wiped, last = terminal.strokes
    assert any(stroke.startswith("watch") and "#" in stroke for stroke in bars)
    assert max(map(len, bars)) < columns
    assert wiped.strip() == ""
    assert last.startswith("shithead watch: film.avi: ")
    assert terminal.screen == [last.rstrip("\n"), ""]


def test_whatever_else_is_written_comes_above_the_bar(monkeypatch: pytest.MonkeyPatch, at_once: None) -> None:
    with Terminal(40) as terminal:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, terminal.stream)
        with Bar("measure", "films") as bar:
            bar.show(1, 8)
            print("1 of 8: a.mp4")
            bar.show(1, 8)
            print("2 of 8: b.mp4", file=sys.stderr)
            terminal.resize(20)
            bar.show(2, 8)
            terminal.resize(40)
        print("done", flush=True)
        terminal.end()
    assert terminal.screen == ["1 of 8: a.mp4", "2 of 8: b.mp4", "done", ""]
    assert "measure  25 %" in terminal.strokes


def test_of_a_pack_being_shown_the_bar_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: None
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("vision.capture.sources.open_source", lambda _: Camera(pictures=20))
    monkeypatch.setattr("vision.decks.deck_head.DeckHead", lambda _deck: None)
    monkeypatch.setattr(
        "companion.game.enrolling.open_enrolment", lambda name: (Show("KD", "2C"), learns(name))
    )
    with Terminal(80) as terminal:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, terminal.stream)
        assert main(["deck", "enrol", "mine", "0"]) == 0
        terminal.end()
    bars = [stroke.rstrip() for stroke in terminal.strokes]
    assert "deck   3 %  #.....................  2 of 52 cards  2 shown; missing: 50 cards" in bars
    assert any(bar.startswith("learning  50 %") and bar.endswith("1 of 2 pictures") for bar in bars)
    assert terminal.screen[0] == "deck mine: 2 cards enrolled"


def test_a_command_on_a_terminal_leaves_its_result_alone() -> None:
    with Terminal(40) as terminal:
        status = terminal.run(*SIMULATE)
        terminal.end()
    assert status == 0
    assert "simulate  66 %" in terminal.said
    assert [line.partition(" ")[0] for line in terminal.screen][:2] == ["150", "ended"]
    assert not any("%" in line for line in terminal.screen)
    assert "\x1b" not in terminal.said


def test_ctrl_c_leaves_an_empty_line() -> None:
    with Terminal(40) as terminal:

        def interrupt() -> None:
            terminal.wait_for("left", PATIENCE_S)
            terminal.press(b"\x03")

        status = terminal.run("simulate", "--games", "10000000", then=interrupt)
        terminal.end()
    assert status == 130
    assert terminal.screen == [""]
    assert "\x1b" not in terminal.said
