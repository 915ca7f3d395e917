"""A pipe that is named where a file is read: read while somebody writes, given up where nobody does."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from pathlib import Path

import pytest

import companion
from companion.cli.main import main
from engine.files import bounded as capped_files

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
FILM = Path(companion.__file__).parent / "assets" / "sample.mp4"
SITUATION = {"rules": "shed", "players": ["Ann", "Bob", "Cat"], "ask": {"type": "deal"}}
PIPES = ("p", "p.toml", "p.npz", "p.jpg", "p.sqlite")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(capped_files, "PIPE_PATIENCE_S", 0.2)
    for name in PIPES:
        os.mkfifo(name)
    Path("events.jsonl").write_text("")
    Path("set").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "judge p",
        "record p",
        "record p --from-events winnersh --players Ann,Bob",
        "score p events.jsonl",
        "read p.jpg",
        "rules p.toml",
        "simulate --rules p.toml",
        f"watch {FILM} --headless --players Ann,Bob,Cat,Dan --layout p",
        "watch p --headless",
        f"watch {FILM} --headless --players Ann,Bob --store p.sqlite",
        "deck enrol mine p.npz",
        "tally --store p.sqlite",
        "restore p --store s.sqlite",
        "backup b.sqlite --store p.sqlite",
    ],
)
def test_a_pipe_to_which_nobody_writes_is_given_up_in_a_line(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    assert main(line.split()) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    (pipe,) = (word for word in line.split() if word in PIPES)
    if pipe != "p.sqlite" and "restore" not in line and "watch p" not in line:  # these are no file at all
        assert f"{pipe}: nothing was written to this pipe for 0.2 s" in said
    assert pipe in said
    assert "Error" not in said
    assert time.monotonic() - began < 60
    assert Path("p.sqlite").is_fifo(), "nothing was put in its place"


def written(path: str, *pieces: str, pause_s: float = 0.0) -> threading.Thread:
    def write() -> None:
        with contextlib.suppress(BrokenPipeError), open(path, "w") as pipe:
            for piece in pieces:
                pipe.write(piece)
                pipe.flush()
                time.sleep(pause_s)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.usefixtures("folder")
def test_what_another_command_writes_to_a_pipe_is_read_to_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = json.dumps(SITUATION)
    Path("s.json").write_text(text)
    assert main(["judge", "s.json"]) == 0
    wanted = capsys.readouterr().out
    writer = written("p", text[:20], text[20:], pause_s=0.05)
    assert main(["judge", "p"]) == 0
    writer.join()
    assert capsys.readouterr().out == wanted


@pytest.mark.usefixtures("folder")
def test_a_service_that_is_fed_by_a_pipe_waits_between_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    writer = written("p", *[json.dumps(SITUATION) + "\n"] * 3, pause_s=0.5)
    assert main(["judge", "--lines", "p"]) == 0
    writer.join()
    assert capsys.readouterr().out.count("\n") == 3


@pytest.mark.usefixtures("folder")
def test_a_pipe_without_an_end_is_read_up_to_what_makes_sense(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(capped_files, "MOST_BYTES", 1 << 20)
    written("p", *["x" * 4096] * 1000)
    assert main(["record", "p"]) == 2
    assert "is too large" in capsys.readouterr().err
