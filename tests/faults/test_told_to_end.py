"""A program that is told to end by a signal finishes its files, or removes them, as after Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest

from tests.faults.conftest import PictureServer
from tests.support.waiting import PATIENCE_S, until

HEADER_BYTES = 4096
"""More than a film has in its file before its first picture."""


def end_once(
    begun: Callable[[], bool], number: int, arguments: list[str], env: dict[str, str]
) -> tuple[int, str]:
    """Run a command and send it a signal once it has `begun`; returns its status and what it said."""
    with subprocess.Popen(
        [sys.executable, "-m", "companion.cli", *arguments], stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        try:
            until(lambda: begun() or process.poll() is not None)
        except AssertionError:
            process.kill()  # else nobody could wait for its end
            raise
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_watching_that_is_told_to_end_leaves_a_whole_film_and_nothing_else(
    server: PictureServer, tmp_path: Path, as_program: dict[str, str], number: int
) -> None:
    """Half a film would be pictures of people in a hidden file."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run where this signal is ignored")
    film = tmp_path / "game.mp4"
    server.grainy = True  # so that the file grows with its first picture: without one there is no film
    arguments = ["watch", f"{server.address}/video", "--headless", "--no-learn", "--save", str(film)]

    def begun() -> bool:
        return any(part.stat().st_size > HEADER_BYTES for part in tmp_path.iterdir())

    status, said = end_once(begun, number, arguments, as_program)
    assert (status, "Traceback" in said) == (130, False), said
    assert list(tmp_path.iterdir()) == [film]
    assert cv2.VideoCapture(str(film)).read()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_signal_that_is_ignored_stays_so(tmp_path: Path, as_program: dict[str, str]) -> None:
    """As under `nohup`: whoever closes the terminal then wants the game to be followed further."""
    code = (
        "import os, signal, sys; from companion.cli.main import main; from companion.cli import rules;"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "rules.run = lambda _: os.kill(os.getpid(), signal.SIGHUP) or 0; sys.exit(main(['rules']))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=as_program, check=False)
    assert done.returncode == 0
