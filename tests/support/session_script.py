"""A film and a game by hand for the tests of the session: no pictures of cards, no networks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from companion.game.places import Places
from companion.game.recorder import GameRecorder
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from tests.support.fake_source import FakeSource
from tests.support.waiting import PATIENCE_S
from vision.table.layout import Layout
from vision.types import Image

OpenKeeper = Callable[[Callable[[str], None]], GameRecorder]


class Film(FakeSource):
    """A source of numbered pictures; `error` breaks it off."""

    def __init__(
        self, frames: int, *, live: bool = False, error: str | None = None, fps: float = 10.0
    ) -> None:
        super().__init__()
        self.live, self.frames, self.error, self.fps = live, frames, error, fps

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        for number in range(self.frames):
            yield number / self.fps, np.full((90, 160, 3), (number % 256, 0, 200), np.uint8)
        if self.error:
            raise BadInputError(self.error)


class Game:
    """Decides one event for each picture in `events`, by its number."""

    def __init__(self, events: Iterable[int] = ()) -> None:
        self.events = set(events)
        self.lines: list[dict[str, Any]] = []
        self.table, self.readings, self.moving, self.lost = None, (), False, False
        self.awaits_deal = False
        self.arms = None
        self.layout: Layout | None = None
        self.started_at = 0.0
        self.setup: GameSetup | None = None
        self.places: Places | None = None
        self.seen: list[float] = []
        self.threads: set[int] = set()
        self.corrected: list[tuple[int, Event | None]] = []

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        self.threads.add(threading.get_ident())
        number = len(self.seen)
        self.seen.append(t)
        if number not in self.events:
            return []
        line = {"id": number, "event": "draw", "player": "Ann", "t": t}
        self.lines.append(line)
        return [line]

    def finish(self, t: float) -> list[dict[str, Any]]:
        line = {"id": 999, "event": "game_over", "loser": "Ann", "t": t}
        self.lines.append(line)
        return [line]

    def enter(self, event: Event) -> list[dict[str, Any]]:
        line = {**event.to_json(), "id": len(self.lines)}
        self.lines.append(line)
        return [line]

    def put_back(self, event: Event) -> list[dict[str, Any]]:
        return self.enter(event)

    def undo(self) -> dict[str, Any] | None:
        self.threads.add(threading.get_ident())
        return self.lines.pop() if self.lines else None

    def correct(self, event_id: int, event: Event | None) -> None:
        if event_id == 404:
            raise BadInputError("there is no event 404")
        self.corrected.append((event_id, event))


class Slow(Game):
    """Reads its first picture until `release` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.reading, self.release = threading.Event(), threading.Event()

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        self.reading.set()
        self.release.wait(PATIENCE_S)
        return super().feed(frame, t)


def keeper_in(store: Path, players: tuple[str, ...] = ("Ann", "Bob")) -> OpenKeeper:
    """Return what opens a store and begins a game in it, as a session wants it."""

    def open_recorder(tell: Callable[[str], None]) -> GameRecorder:
        recorder = GameRecorder(Store.open(store), GameSetup(source=None, players=players), tell)
        recorder.begin()
        return recorder

    return open_recorder


def watch(film: Film, game: Game, store: Path | None = None, *, keep_moments: bool = False) -> Session:
    recorder = keeper_in(store) if store is not None else None
    session = Session(lambda: film, lambda: game, open_recorder=recorder, realtime=False)
    session.picture_writer.enabled = keep_moments
    session.start()
    return session
