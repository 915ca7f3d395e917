"""Two games one after the other under the same camera, on drawn pictures."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.recording import RecordedGames
from companion.game.history import GameHistory
from companion.game.recorder import GameRecorder
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.scoring import read_events
from companion.game.series import NextGameFinder
from companion.game.setup import GameSetup
from companion.store.store import Store
from engine.events import Event
from tests.e2e.films.test_watch import STEP, Table
from vision.following.watcher import Watcher

FIRST = {"Ann": ["4S", "5C", "6C"], "Bob": ["9D", "JC", "AD"]}
SECOND = {"Ann": ["KS", "2C", "7C"], "Bob": ["8D", "QC", "3D"]}


class Evening:
    """A table, and what `shithead watch` makes of it."""

    def __init__(self, folder: Path, *, kept: bool = False) -> None:
        self.table, self.t = Table(), 0.0
        self.events = folder / "events.jsonl"
        self.store = folder / "s.sqlite"
        setup = GameSetup("0", ("Ann", "Bob"), dealer="Ann", store=self.store, kept=kept)
        self.opened: list[tuple[GameSetup, GameHistory]] = []
        recorder = None
        if kept:
            recorder = GameRecorder(Store.open(self.store), setup)
        self.following = NextGameFinder(setup, GameHistory(), self.open_game)
        self.game = RecordedGames(
            self.open_game(setup, GameHistory()),
            EventWriter(str(self.events)),
            None,
            recorder,
            self.following,
        )

    def waits(self) -> bool:
        return self.following.waiting is not None

    def open_game(self, setup: GameSetup, history: GameHistory) -> WatchedGame:
        self.opened.append((setup, history))
        watcher = Watcher(self.table, setup.players, row_length=3)
        return WatchedGame(
            watcher,
            lambda names: make_referee(setup.rules, names, dealer=setup.dealer, loser=history.loser),
            setup.players,
        )

    def deal(self, up: dict[str, list[str]]) -> None:
        self.table.cards = []
        for k, (ann, bob) in enumerate(zip(up["Ann"], up["Bob"], strict=True)):
            self.table.put(ann, 425 + 75 * k, 520)
            self.table.put(bob, 575 - 75 * k, 80)
        self.table.put(None, 580, 300)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.game.feed(self.table.frame(), self.t)
            self.t += STEP

    def play_first(self) -> None:
        self.run(0.6)
        self.deal(FIRST)
        self.run(2.0)
        over = Event(id=0, event="game_over", loser="Bob", t=self.t, decided_at=self.t)
        self.game.enter(over)

    def clear(self) -> None:
        """The cards are swept together, and lie about for a moment."""
        self.run(4.0)
        self.table.cards = [
            (name, 300 + 40 * k, 300.0, 20.0 * k) for k, (name, *_) in enumerate(self.table.cards)
        ]
        self.run(8.0)
        self.table.cards = []
        self.run(1.0)


def test_a_second_deal_under_the_same_camera_begins_the_next_game(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.play_first()
    evening.clear()
    assert evening.game.table.loser == "Bob"
    evening.deal(SECOND)
    evening.run(2.0)
    assert evening.game.table.loser is None
    assert [(line["event"], line["id"]) for line in evening.game.lines][-1][0] == "deal"
    evening.game.close()
    told = read_events(evening.events)
    assert [line["event"] for line in told] == ["deal", "game_over", "deal"]
    numbers = [json.loads(line)["id"] for line in evening.events.read_text().splitlines()]
    assert len(set(numbers)) == len(numbers), "every number is given once"
    (_, first), (setup, second) = evening.opened
    assert (first.loser, second.loser) == (None, "Bob")
    assert setup.dealer == "Bob", "by the rules of Winnersh whoever sits left of the last dealer"


def test_each_game_is_kept_as_its_own(tmp_path: Path) -> None:
    evening = Evening(tmp_path, kept=True)
    evening.play_first()
    evening.clear()
    evening.deal(SECOND)
    evening.run(2.0)
    evening.game.close()
    with Store.open(evening.store) as store:
        first, second = store.games()
        assert (first.loser, second.loser, second.finished) == ("Bob", None, None)
        assert [line["event"] for line in store.events(first.id)] == ["deal", "game_over"]
        assert [line["event"] for line in store.events(second.id)][-1] == "deal"
        assert second.dealer == "Bob"


def test_where_the_end_is_denied_the_game_goes_on(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.play_first()
    evening.run(4.0)
    assert evening.waits()
    evening.game.undo()
    evening.run(1.0)
    assert not evening.waits()
    evening.deal(SECOND)
    evening.run(3.0)
    assert len(evening.opened) == 2, "nothing was opened anew"


def test_who_deals_goes_by_who_is_said_to_have_lost_by_then(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.following.setup = replace(evening.following.setup, rules="backpacker")  # there the loser deals
    evening.play_first()
    evening.run(4.0)
    assert evening.opened[-1][0].dealer == "Bob"
    over = evening.game.lines[-1]
    evening.game.correct(over["id"], Event(id=0, event="game_over", loser="Ann", t=evening.t))
    evening.clear()
    evening.deal(SECOND)
    evening.run(2.0)
    assert evening.game.table.loser is None
    (setup, history) = evening.opened[-1]
    assert (setup.dealer, history.loser) == ("Ann", "Ann")


def test_what_was_learnt_in_a_game_is_kept_before_the_next_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(tmp_path)
    opened: list[int] = []
    monkeypatch.setattr(WatchedGame, "keep_learnt", lambda _game: opened.append(len(evening.opened)))
    evening.play_first()
    evening.run(4.0)
    assert (opened, len(evening.opened)) == ([1], 2)


def test_an_ended_game_is_freed_as_soon_as_the_next_begins(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    first = weakref.ref(evening.game._game)
    evening.play_first()
    evening.clear()
    gc.disable()
    try:
        assert first() is not None
        evening.deal(SECOND)
        evening.run(2.0)
        assert evening.game.table.loser is None
        assert first() is None
    finally:
        gc.enable()


def test_up_cards_of_one_who_is_out_by_word_of_mouth_are_no_deal(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.run(0.6)
    evening.deal(FIRST)
    evening.run(2.0)
    evening.game.enter(Event(id=0, event="out", player="Ann", t=evening.t, decided_at=evening.t))
    assert (evening.game.table.loser, evening.game.table.up["Ann"]) == ("Bob", [])
    evening.run(6.0)
    assert evening.game.table.loser == "Bob"


@pytest.mark.parametrize("rows", [{"Ann": ["KS", "2C", "7C"], "Bob": ["8D", "QC"]}, {"Ann": [], "Bob": []}])
def test_what_lies_about_after_a_game_is_no_deal(tmp_path: Path, rows: dict[str, list[str]]) -> None:
    evening = Evening(tmp_path)
    evening.play_first()
    evening.run(4.0)
    evening.table.cards = [(name, 425.0 + 75 * k, 520.0, 0.0) for k, name in enumerate(rows["Ann"])]
    evening.table.cards += [(name, 575.0 - 75 * k, 80.0, 0.0) for k, name in enumerate(rows["Bob"])]
    evening.run(5.0)
    assert evening.game.table.loser == "Bob"


def test_the_next_game_is_played_without_a_deck_that_was_forgotten_meanwhile(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.following.setup = replace(evening.following.setup, deck="mine")
    told: list[str] = []
    evening.following._tell = told.append
    evening.play_first()
    evening.run(5.0)
    assert evening.waits()
    assert evening.opened[-1][0].deck is None
    assert told[0].startswith("deck mine: not enrolled")
