"""`shithead watch --store`: the game goes into the evening as it is decided."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.recording import RecordedGames
from companion.game.entry import entered_event
from companion.game.evening import apply_revisions, store_tally
from companion.game.event_log import EventLog
from companion.game.recorder import GameRecorder
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.setup import GameSetup
from companion.game.touch_game import TouchGame
from companion.store.store import Store
from engine.events import Event

LINES: tuple[tuple[dict[str, Any], ...], ...] = (
    (),
    ({"id": 1, "event": "deal", "t": 1.0},),
    ({"id": 2, "event": "game_over", "loser": "Bob", "t": 2.0},),
    ({"id": 3, "event": "game_over", "revise": 2, "withdrawn": True, "t": 2.0},),
    ({"id": 4, "event": "game_over", "loser": "Ann", "t": 4.0},),
)


class Game:
    table = SimpleNamespace(players=("Ann", "Bob"))
    layout = None

    def __init__(self) -> None:
        self._coming = iter(LINES)
        self._told: list[dict[str, Any]] = []

    @property
    def lines(self) -> Any:
        return apply_revisions(self._told)

    def feed(self, frame: Any, t: float) -> list[dict[str, Any]]:
        told = list(next(self._coming))
        self._told += told
        return told

    def finish(self, t: float) -> list[dict[str, Any]]:
        return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


def watch(path: Path, pictures: int) -> None:
    setup = GameSetup("a.mp4", (), options=("x",), dealer="Bob")
    recorder = GameRecorder(Store.open(path), setup)
    game = RecordedGames(cast(WatchedGame, Game()), EventWriter(None), None, recorder)
    for t in range(pictures):
        game.feed(np.zeros((9, 16, 3), np.uint8), float(t))
    game.finish(float(pictures))
    game.close()


@pytest.mark.parametrize(("pictures", "losers"), [(3, ("Bob",)), (4, ()), (5, ("Ann",))])
def test_the_last_word_on_who_lost_counts(path: Path, pictures: int, losers: tuple[str, ...]) -> None:
    watch(path, pictures)
    with Store.open(path) as store:
        (game,) = store.games()
        assert (game.rules, game.options, game.players) == ("winnersh", ("x",), ("Ann", "Bob"))
        assert (game.dealer, game.source) == ("Bob", "a.mp4")
        assert [line["id"] for line in store.events(game.id)] == list(range(1, pictures))
        assert store_tally(store).losers == losers


def test_a_source_in_which_nothing_happens_leaves_no_game(path: Path) -> None:
    watch(path, 1)
    with Store.open(path) as store:
        assert store.games() == []


def test_what_people_enter_put_right_and_take_back_in_its_window_is_written_as_it_happens(
    path: Path, tmp_path: Path
) -> None:
    setup = GameSetup("a.mp4", ("Ann", "Bob"), dealer="Bob")
    recorder, events = GameRecorder(Store.open(path), setup), tmp_path / "events.jsonl"
    scored = TouchGame(EventLog(make_referee(setup.rules, setup.players, dealer=setup.dealer)))
    game = RecordedGames(cast(WatchedGame, scored), EventWriter(str(events)), None, recorder)

    def written() -> list[dict[str, Any]]:
        return [json.loads(line) for line in events.read_text().splitlines()]

    play, draw = game.enter(entered_event("play", "Ann", ["4C"]))
    game.correct(play["id"], Event.from_json({**play, "cards": ["5C"]}))
    assert [line.get("revise") for line in written()[2:]] == [play["id"]]
    assert apply_revisions(written())[0]["cards"] == ["5C"]
    bobs, *_ = game.enter(entered_event("play", "Bob", ["3H"]))
    assert bobs["ruling"]["verdict"] == "illegal"
    game.undo()
    assert [line["id"] for line in apply_revisions(written())] == [play["id"], draw["id"]]
    game.close()
    with Store.open(path) as store:
        assert apply_revisions(store.events(1)) == apply_revisions(written())
        assert [number for number, _line in store.corrections(1)] == [play["id"], bobs["id"]]
