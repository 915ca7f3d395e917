"""A drawn table under a camera, for sessions that follow one game after the other: see `drawn_film`.

As a program: dealt_table.py STORE plays a game of Ann and Bob to its end, deals the next, lets Ann play a
card in it, and kills itself as `kill -9` would.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import companion.game.starting
import vision.recognition.incremental
from companion.game.entry import entered_event
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from tests.e2e.films.drawn_film import FPS, Reader, Table
from vision.capture.sources import tell_nobody
from vision.types import Image

PATIENCE_S = 120.0
SECOND = {"Ann": ("KS", "2C", "7C"), "Bob": ("8D", "QC", "3D")}


class Camera(Table):
    """A source of pictures that shows what is laid out, as fast as that is looked at."""

    name, live, fps = "0", False, float(FPS)
    seconds: float | None = None

    def __init__(self) -> None:
        super().__init__()
        self._pictures: queue.Queue[tuple[float, Image]] = queue.Queue(maxsize=64)
        self._closed = threading.Event()
        self.tell: Callable[[str], None] = tell_nobody

    def put(self, picture: Image) -> None:
        self._pictures.put((len(self.said) / FPS, picture), timeout=PATIENCE_S)

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        while not self._closed.is_set():
            try:
                yield self._pictures.get(timeout=0.05)
            except queue.Empty:
                continue

    def close(self) -> None:
        self._closed.set()

    def looked_at(self, session: Session) -> None:
        """Wait until the session has looked at everything that was shown."""
        until(lambda: self._pictures.empty() and not session._frames)
        session.tell("looked at")
        until(lambda: session.snapshot.says == "looked at")


def look_through(camera: Camera) -> None:
    """Have every source be `camera`, and every reader know what it shows."""
    companion.game.starting.open_game_source = lambda *_args, **_kwargs: camera
    vision.recognition.incremental.game_reader = lambda *_: Reader(camera.said)


def setup_in(store: Path) -> GameSetup:
    return GameSetup("0", ("Ann", "Bob"), dealer="Ann", store=store)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.005)


def deal_first(camera: Camera, session: Session) -> None:
    """Show an empty table, and the deal of the first game."""
    camera.show(0.6)
    camera.deal()
    camera.show(2.0)
    until(lambda: any(line["event"] == "deal" for line in session.snapshot.lines))


def end_first(session: Session) -> None:
    """Say that Ann is out: Bob has lost."""
    session.enter(entered_event("out", "Ann"))
    until(lambda: session.snapshot.table.loser == "Bob")


def sweep(camera: Camera) -> None:
    """Let the table lie for as long as the end of a game must stand, then clear it."""
    camera.show(4.0)
    camera.cards = []
    camera.show(2.0)


def deal_second(camera: Camera) -> None:
    camera.deal(SECOND)
    camera.show(2.0)


def main() -> None:
    camera = Camera()
    look_through(camera)
    session = make_session(setup_in(Path(sys.argv[1])), realtime=False)
    session.start()
    deal_first(camera, session)
    end_first(session)
    sweep(camera)
    deal_second(camera)
    camera.reach(400, 320, 1, ("9S", 420, 300, 0.0))
    until(lambda: any(line["event"] == "play" for line in session.snapshot.lines))
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
