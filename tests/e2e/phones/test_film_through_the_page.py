"""The sample film through a browser's camera and the page: every event is told, and every screen shows it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.game.history import load_history
from companion.game.scoring import read_truth
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import open_game
from companion.phone.table import RefereedTable
from companion.sources.cameras import sample_film
from companion.sources.joined_phone import JOINED_PHONE, PhoneFrame, PhoneFrames, PhoneSource
from tests.support.chromium import camera_film, chromium
from tests.support.phones import addresses, serving
from tests.support.waiting import PATIENCE_S, until

MOST_GAP_S = 0.25
"""A card can be put down within it. Nobody can follow a film with a longer time without a picture."""


class EveryFrame(PhoneFrames):
    """Keeps every frame for a reader that is slower than the film, with the phone's own times.

    So a busy machine delays the events, and loses none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waiting: deque[PhoneFrame] = deque()
        self.longest_gap = 0.0
        """The longest time between two pictures, in seconds."""

    def put(self, jpeg: bytes, t: float) -> None:
        before = self.latest
        super().put(jpeg, t)
        assert self.latest is not None
        if before is not None:
            self.longest_gap = max(self.longest_gap, t - before.t)
        self.waiting.append(self.latest)

    def wait(self, after: int, seconds: float, ended: Callable[[], bool]) -> PhoneFrame | None:
        deadline = time.monotonic() + seconds
        while not self.waiting and not ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.waiting.popleft() if self.waiting and not ended() else None


def told(line: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what an event says happened."""
    cards = sorted(line.get("cards") or ()) if line["event"] != "deal" else ()
    return line["event"], line.get("player"), line.get("to"), cards, line.get("count")


def events(session: Session) -> list[tuple[Any, ...]]:
    """Return what the events say, in the order in which they happened."""
    return [told(line) for line in sorted(session.snapshot.lines, key=lambda line: float(line["t"]))]


@contextmanager
def closing_session(session: Session) -> Iterator[None]:
    try:
        yield
    finally:
        session.stop()


def test_every_event_of_the_sample_film_is_told_and_shown(tmp_path: Path) -> None:
    film = sample_film()
    truth = [line for line in read_truth(film.path.with_name("sample.truth.jsonl")) if "event" in line]
    setup = GameSetup(source=JOINED_PHONE, players=film.players, dealer=film.dealer, kept=False)
    frames = EveryFrame()
    source = PhoneSource(frames)
    source.live = False
    session = Session(lambda: source, lambda: open_game(setup, load_history(setup)), realtime=False)
    table = RefereedTable(lambda: session, lambda: setup, store=tmp_path / "none.sqlite")
    shown = camera_film(film.path, tmp_path / "film.mjpeg")
    session.start()
    with (
        closing_session(session),
        serving(tmp_path / "phones", table, frames, rate=10.0) as server,
        chromium(tmp_path / "camera", film=shown) as camera,
        chromium(tmp_path / "screen") as screen,
    ):
        screen.driver.get(addresses(server).view)
        camera.driver.get(addresses(server).join)
        camera.tap("#film")
        camera.tap("#start-film")
        until(lambda: frames.latest is not None)
        camera.until(lambda: camera.text("#sight").startswith("✓"))
        screen.until(lambda: "to play" in screen.text("#who"), patience=5 * PATIENCE_S)
        wanted = [told(line) for line in truth]
        screen.until(
            lambda: events(session) == wanted or len(session.snapshot.lines) > len(wanted),
            patience=10 * PATIENCE_S,
        )
        if events(session) != wanted and frames.longest_gap > MOST_GAP_S:
            pytest.skip(f"the browser was too slow to film: {frames.longest_gap:.1f} s without a picture")
        assert events(session) == wanted
        broken = [line["player"] for line in truth if line.get("legal") is False]
        screen.until(lambda: len(screen.script("return state.log")) == len(wanted))
        rows = screen.script("return state.log")
        assert [row["fix"]["player"] for row in rows if row["verdict"] == "illegal"] == broken
