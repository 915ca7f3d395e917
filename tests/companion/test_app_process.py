"""`shithead app` as a process of its own: with a window, without one, and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.store import Store

PATIENCE_S = 60.0


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Return a film of an empty green table, two seconds long."""
    path = tmp_path / "table.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (320, 180))
    assert writer.isOpened()
    for _ in range(20):
        writer.write(np.full((180, 320, 3), (60, 90, 40), np.uint8))
    writer.release()
    return path


def environment(**changes: str) -> dict[str, str]:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    return {key: value for key, value in os.environ.items() if key not in hidden} | changes


@contextmanager
def start(folder: Path, *arguments: str, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program in `folder`; it does not outlive the block."""
    command = [sys.executable, "-m", "companion.cli", "app", *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def has_game(path: Path) -> bool:
    if not path.exists():
        return False
    with Store.open(path) as store:
        return bool(store.games())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_closes_the_window_and_the_store(
    film: Path, tmp_path: Path, number: signal.Signals
) -> None:
    store = tmp_path / "s.sqlite"
    arguments = (str(film), "--players", "Ann,Bob", "--store", str(store))
    with start(tmp_path, *arguments, SDL_VIDEODRIVER="offscreen") as process:
        deadline = time.monotonic() + PATIENCE_S
        while not has_game(store) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if process.poll() is not None and "no window can be opened" in (errors := process.communicate()[1]):
            pytest.skip(f"no OpenGL here: {errors.strip()}")
        assert has_game(store)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "Traceback" in errors) == (0, False), errors
    with Store.open(store) as opened:
        (game,) = opened.games()
        assert (game.players, game.finished) == (("Ann", "Bob"), None)


def test_without_a_display_it_says_so_and_writes_the_annotated_film(film: Path, tmp_path: Path) -> None:
    with start(tmp_path, str(film), "--players", "Ann,Bob") as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert errors.splitlines()[0].startswith("shithead app: no display here")
    written = cv2.VideoCapture(str(tmp_path / "out" / "annotated.mp4"))
    assert written.get(cv2.CAP_PROP_FRAME_COUNT) == 20


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("no-such-film.mp4", "--players", "Ann,Bob"), "no-such-film.mp4: no such file"),
        (("film", "--players", "Ann,Bob", "--rules", "poker"), "'poker'"),
        (("film", "--players", "Ann"), "at least two"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(
    film: Path, tmp_path: Path, arguments: tuple[str, ...], fault: str
) -> None:
    """Without a display; in a window the same line stands where the picture would be."""
    given = [str(film) if argument == "film" else argument for argument in arguments]
    with start(tmp_path, *given) as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    lines = [line for line in errors.splitlines() if "no display here" not in line]
    assert len(lines) == 1
    assert fault in lines[0]
    assert not (tmp_path / "out" / "annotated.mp4").exists()
