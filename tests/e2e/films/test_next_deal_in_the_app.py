"""The app goes on with the next deal: sessions that follow one game after the other on drawn pictures."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import companion.game.starting
import vision.recognition.incremental
from companion.files.lock import games_being_played
from companion.game.entry import entered_event
from companion.game.evening import apply_revisions, store_tally
from companion.game.event_log import EventLine
from companion.game.history import find_last_finished, find_resumable_game
from companion.game.series import GameSeries
from companion.game.session import Session
from companion.game.setup import stored_setup
from companion.game.starting import make_session
from companion.store.store import Store
from tests.e2e.films.dealt_table import (
    Camera,
    deal_first,
    deal_second,
    end_first,
    look_through,
    setup_in,
    sweep,
)
from tests.support.waiting import PATIENCE_S, until
from vision.types import Image


@pytest.fixture(autouse=True)
def _eyes_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put back what `look_through` changes, for the tests that follow."""
    for module, name in (
        (companion.game.starting, "open_game_source"),
        (vision.recognition.incremental, "game_reader"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))


@pytest.fixture
def camera() -> Iterator[Camera]:
    camera = Camera()
    look_through(camera)
    yield camera
    camera.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


@pytest.fixture
def session(camera: Camera, path: Path) -> Iterator[Session]:
    """A session in which the first game is over and nothing has been dealt since."""
    session = make_session(setup_in(path), realtime=False)
    session.start()
    deal_first(camera, session)
    end_first(session)
    yield session
    session.stop()


def said_by(session: Session, part: str) -> bool:
    return part in session.snapshot.says


def awaits_deal(session: Session) -> bool:
    return session.snapshot.awaits_deal


def kept(path: Path, game: int) -> list[str]:
    """Return what stands of a game in the store."""
    with Store.open(path) as store:
        return [str(line["event"]) for line in apply_revisions(store.events(game))]


def next_game(session: Session, camera: Camera) -> None:
    """Sweep up after the first game, and deal the second."""
    sweep(camera)
    deal_second(camera)
    until(lambda: session.snapshot.game == 2)


def test_the_next_deal_begins_the_next_game_with_the_dealer_by_the_rules(
    session: Session, camera: Camera, path: Path
) -> None:
    camera.show(4.0)
    until(lambda: said_by(session, "the next deal starts a new game: Bob deals"))
    assert (session.snapshot.game, session.snapshot.table.loser) == (1, "Bob")
    assert awaits_deal(session)
    assert session.event_pictures, "pictures of the first game's moments"
    camera.cards = []
    camera.show(2.0)
    deal_second(camera)
    until(lambda: session.snapshot.game == 2)
    until(lambda: said_by(session, "a new game has begun: Bob deals"))
    assert [line["event"] for line in session.snapshot.lines] == ["deal"]
    table = session.snapshot.table
    assert not awaits_deal(session)
    assert (table.loser, table.dealer, list(table.up["Ann"])) == (None, "Bob", ["KS", "2C", "7C"])
    assert session.setup == replace(setup_in(path), dealer="Bob")
    (deal,) = session.snapshot.lines
    assert set(session.event_pictures) == {deal["id"]}
    assert games_being_played(path) == [2]
    session.stop()
    with Store.open(path) as store:
        first, second = store.games()
        assert (first.loser, first.finished is not None) == ("Bob", True)
        assert (second.loser, second.finished, second.dealer) == (None, None, "Bob")
        assert (second.players, second.rules, second.source) == (first.players, first.rules, first.source)
        assert second.layout is not None
        tally = store_tally(store)
    assert (tally.losers, tally.unfinished) == (("Bob",), 0), "of the second game nothing was played"
    assert kept(path, 1) == ["deal", "out", "game_over"]
    assert kept(path, 2) == ["deal"]


def test_undo_and_what_is_entered_concern_the_game_that_is_on(
    session: Session, camera: Camera, path: Path
) -> None:
    next_game(session, camera)
    session.enter(entered_event("pick_up", "Bob"))
    until(lambda: len(session.snapshot.lines) == 2)
    assert kept(path, 2) == ["deal", "pick_up"]
    session.undo()
    until(lambda: len(session.snapshot.lines) == 1)
    assert kept(path, 2) == ["deal"]
    session.undo()
    until(lambda: not session.snapshot.lines)
    session.undo()
    until(lambda: said_by(session, "There is nothing to undo"))
    assert kept(path, 1) == ["deal", "out", "game_over"]
    assert (kept(path, 2), session.snapshot.game) == ([], 2)


def test_what_is_asked_while_the_deal_is_recognised_is_not_done_to_the_new_game(
    session: Session, camera: Camera, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealt, go_on = threading.Event(), threading.Event()
    feed = GameSeries.feed

    def slowly(self: GameSeries, frame: Image, t: float) -> list[EventLine]:
        before = self.setup
        lines = feed(self, frame, t)
        if self.setup is not before:
            dealt.set()
            go_on.wait(PATIENCE_S)
        return lines

    monkeypatch.setattr(GameSeries, "feed", slowly)
    sweep(camera)
    deal_second(camera)
    assert dealt.wait(PATIENCE_S)
    first_of_both = session.snapshot.lines[0]["id"]
    session.correct(first_of_both, None)
    session.undo()
    go_on.set()
    until(lambda: said_by(session, "That game is over, and a new one has begun."))
    camera.looked_at(session)
    assert [line["event"] for line in session.snapshot.lines] == ["deal"]
    assert kept(path, 1) == ["deal", "out", "game_over"]
    assert kept(path, 2) == ["deal"]


def test_where_the_end_is_denied_the_game_goes_on(session: Session, camera: Camera, path: Path) -> None:
    camera.show(4.0)
    until(lambda: said_by(session, "the next deal starts"))
    session.undo()
    until(lambda: session.snapshot.table.loser is None)
    assert not session.snapshot.awaits_deal
    deal_second(camera)
    camera.show(4.0)
    camera.looked_at(session)
    assert session.snapshot.game == 1
    with Store.open(path) as store:
        (game,) = store.games()
    assert (game.finished, game.loser) == (None, None)


def test_of_a_game_that_was_not_over_nothing_was_missed(session: Session, camera: Camera, path: Path) -> None:
    camera.show(4.0)
    until(lambda: said_by(session, "the next deal starts"))
    camera.reach(400, 320, 1, ("9S", 420, 300, 0.0))
    camera.looked_at(session)
    assert [line["event"] for line in session.snapshot.lines] == ["deal", "out", "game_over"]
    asked = len(camera.said) / camera.fps
    session.correct(session.snapshot.lines[1]["id"], None)
    until(lambda: session.snapshot.table.loser is None)
    camera.show(1.0)
    until(lambda: any(line["event"] == "play" for line in session.snapshot.lines))
    play = session.snapshot.lines[-1]
    assert (play["player"], play["cards"]) == ("Ann", ["9S"])
    assert play["decided_at"] < asked
    assert kept(path, 1) == ["deal", "play"]


def test_a_game_that_was_opened_again_is_ended_by_no_deal_before_somebody_put_it_right(
    session: Session, camera: Camera, path: Path
) -> None:
    next_game(session, camera)
    session.stop()
    first = find_last_finished(path)
    assert first is not None
    assert first.id == 1
    again = Camera()
    look_through(again)
    opened = make_session(stored_setup(first, store=path), realtime=False)
    opened.start()
    again.deal({"Ann": ("KS", "2C", "7C"), "Bob": ("8D", "QC", "3D")})
    again.show(8.0)
    again.looked_at(opened)
    assert (opened.snapshot.game, opened.snapshot.table.loser) == (1, "Bob")
    over = next(line for line in opened.snapshot.lines if line["event"] == "out")
    opened.correct(over["id"], entered_event("out", "Bob"))
    until(lambda: opened.snapshot.table.loser == "Ann")
    opened.stop()
    with Store.open(path) as store:
        assert [game.loser for game in store.games()] == ["Ann", None]


def test_killed_in_the_second_game_it_is_that_which_goes_on(path: Path) -> None:
    program = Path(__file__).with_name("dealt_table.py")
    done = subprocess.run(
        [sys.executable, str(program), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr[-3000:]
    game, notice = find_resumable_game(path)
    assert notice is None
    assert game is not None
    assert (game.id, game.dealer) == (2, "Bob")
    with Store.open(path) as store:
        assert [game.loser for game in store.games()] == ["Bob", None]
    camera = Camera()
    look_through(camera)
    session = make_session(stored_setup(game, store=path), realtime=False)
    session.start()
    until(lambda: session.snapshot.phase == "watching")
    assert [line["event"] for line in session.snapshot.lines] == ["deal", "play"]
    assert (list(session.snapshot.table.pile), session.game_id) == (["9S"], 2)
    session.stop()


def test_a_second_app_is_told_that_the_new_game_is_being_played(
    session: Session, camera: Camera, path: Path
) -> None:
    next_game(session, camera)
    with Store.open(path) as store:
        second = store.games()[-1]
    other = make_session(replace(stored_setup(second, store=path), source=None))
    other.start()
    until(lambda: other.snapshot.phase == "failed")
    other.stop()
    assert other.snapshot.says == "game 2 is being played in another window"
