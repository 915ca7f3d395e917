"""The computer's clock is set while people play: nothing is lost, and what happened keeps its order."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.game.evening import apply_revisions, store_tally
from companion.game.recorder import GameRecorder
from companion.game.replay import last_evening_games
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.store.store import Store
from tests.support.session_script import Film, Game
from tests.support.waiting import until
from vision.types import Image

PLAYERS = ("Ann", "Bob")
HOUR, YEAR = 3600.0, 365 * 24 * 3600.0
HAPPENS = (1, 2, 4, 5, 7, 9)
"""The pictures in which something happens."""


class Wall:
    """The clock on the wall, which people set."""

    def __init__(self) -> None:
        self.now = 1.8e9

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    clock = Wall()
    monkeypatch.setattr(time, "time", clock)
    return clock


class GameWhileClocksAreSet(Game):
    """At some of its pictures the clock leaps by so many seconds."""

    def __init__(self, wall: Wall, leaps: Mapping[int, float]) -> None:
        super().__init__(HAPPENS)
        self._wall, self._leaps = wall, leaps

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        self._wall.now += self._leaps.get(len(self.seen), 0.0)
        return super().feed(frame, t)


@pytest.mark.parametrize(
    "leaps",
    [{3: -HOUR}, {0: YEAR}, {2: YEAR, 6: -2 * YEAR, 8: YEAR}],
    ids=["an hour back", "a year on at once", "to and fro"],
)
def test_a_clock_that_is_set_in_mid_game_loses_no_line_and_keeps_their_order(
    leaps: dict[int, float], wall: Wall, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"

    def open_recorder(tell: Any) -> GameRecorder:
        recorder = GameRecorder(Store.open(path, clock=wall), GameSetup(source=None, players=PLAYERS), tell)
        recorder.begin()
        return recorder

    film, game = Film(12, fps=40.0), GameWhileClocksAreSet(wall, leaps)
    session = Session(lambda: film, lambda: game, open_recorder=open_recorder)
    began = time.monotonic()
    session.start()
    until(lambda: session.snapshot.phase == "ended")
    assert time.monotonic() - began > 0.25, "the film keeps its pace"
    assert game.seen == [number / 40 for number in range(12)]
    assert [line["id"] for line in session.snapshot.lines] == [*HAPPENS, 999]
    wall.now -= YEAR
    session.undo()
    until(lambda: session.snapshot.says.startswith("Undone"))
    session.stop()
    with Store.open(path, clock=wall) as store:
        lines = store.events(1)
        assert [line["id"] for line in lines] == [*HAPPENS, 999, 999]
        assert [line["t"] for line in apply_revisions(lines)] == [number / 40 for number in HAPPENS]
        broken_off = store.resumable_game()
        assert broken_off is not None, "it can be gone on with"
        assert broken_off.id == 1
    (replayed,) = last_evening_games(path)
    assert [line["id"] for line in replayed.lines] == list(HAPPENS)


@pytest.mark.parametrize("leap", [-HOUR, YEAR], ids=["an hour back", "a year on"])
def test_a_clock_that_is_set_in_mid_game_keeps_the_evening_whole(
    leap: float, wall: Wall, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.sqlite", clock=wall) as store:
        for loser in PLAYERS:
            store.start_game("winnersh", PLAYERS)
            store.append({"id": 1, "event": "draw", "player": "Ann"})
            wall.now += leap
            store.append({"id": 2, "event": "draw", "player": "Bob"})
            store.finish(loser)
        assert store_tally(store).losers == PLAYERS


def test_the_game_that_ended_last_is_told_by_its_place_and_not_by_the_clock(
    wall: Wall, tmp_path: Path
) -> None:
    """Else a game of a wrong clock would be the one whose loser is put right, for a year."""
    with Store.open(tmp_path / "s.sqlite", clock=wall) as store:
        for loser, leap in (("Ann", -HOUR), ("Bob", 0.0)):
            store.start_game("winnersh", PLAYERS)
            store.append({"id": 1, "event": "draw", "player": "Ann"})
            store.finish(loser)
            wall.now += leap
    with Store.open(tmp_path / "s.sqlite", clock=wall) as store:  # who has it open may still be playing
        last = store.last_finished_game()
        assert last is not None
        assert (last.id, last.loser) == (2, "Bob")
