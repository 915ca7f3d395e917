"""The session's threads: nothing is lost, nothing blocks, everything is stored."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.game.display_image import MAX_DISPLAY_WIDTH
from companion.game.evening import apply_revisions
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.store import outbox
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from tests.support.session_script import Film, Game, Slow, keeper_in, watch
from tests.support.waiting import PATIENCE_S, until
from vision.types import Image


def test_every_picture_of_a_film_is_read_in_order_and_every_event_shown() -> None:
    film, game = Film(100), Game([3, 50, 99])
    session = watch(film, game)
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert game.seen == [number / 10 for number in range(100)]
    assert [line["id"] for line in session.snapshot.lines] == [3, 50, 99, 999]
    assert session.picture is not None
    assert session.picture.t == pytest.approx(9.9)
    assert film.closed


def test_the_picture_arrives_upright_in_rgb_and_shrunk() -> None:
    film, game = Film(1), Game()
    wide = np.zeros((900, 2 * MAX_DISPLAY_WIDTH, 3), np.uint8)
    wide[:450] = (255, 0, 0)  # blue above, in OpenCV's order
    film.__class__ = type("Wide", (Film,), {"__iter__": lambda self: iter([(0.0, wide)])})
    session = watch(film, game)
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    picture = session.picture
    assert picture is not None
    assert picture.size == (MAX_DISPLAY_WIDTH, 450)
    assert picture.source_size == (2 * MAX_DISPLAY_WIDTH, 900)
    assert tuple(picture.rgb[:3]) == (0, 0, 255)
    assert tuple(picture.rgb[-3:]) == (0, 0, 0)


def test_events_and_the_loser_are_stored(tmp_path: Path) -> None:
    session = watch(Film(20), Game([1, 2]), tmp_path / "s.sqlite")
    until(lambda: session.snapshot.phase == "ended")
    with Store.open(tmp_path / "s.sqlite") as store:
        assert [game.loser for game in store.games()] == ["Ann"]
    session.undo()
    until(lambda: session.snapshot.says.startswith("Undone"))
    session.stop()
    with Store.open(tmp_path / "s.sqlite") as store:
        (game,) = store.games()
        # The end was taken back, and with it the loss.
        assert (game.loser, game.finished) == (None, None)
        assert [line["id"] for line in store.events(game.id)] == [1, 2, 999, 999]
        assert [line["id"] for line in apply_revisions(store.events(game.id))] == [1, 2]
        assert store.corrections(game.id) == [(999, None)]


def test_requests_are_carried_out_in_the_thread_that_reads() -> None:
    game = Game([0])
    session = watch(Film(5), game)
    until(lambda: session.snapshot.phase == "ended")
    event = Event(id=0, event="draw", player="Bob")
    session.correct(0, event)
    session.correct(0, None)
    until(lambda: len(game.corrected) == 2)
    session.undo()
    session.undo()
    until(lambda: not session.snapshot.lines)
    session.undo()
    until(lambda: session.snapshot.says == "There is nothing to undo")
    session.stop()
    assert game.corrected == [(0, event), (0, None)]
    assert len(game.threads) == 1


def test_a_correction_that_cannot_be_made_is_said_and_nothing_breaks() -> None:
    session = watch(Film(1), Game([0]))
    until(lambda: session.snapshot.phase == "ended")
    session.correct(404, None)
    until(lambda: session.snapshot.says == "there is no event 404")
    assert [line["id"] for line in session.snapshot.lines] == [0, 999]
    session.stop()


def test_a_film_that_breaks_off_keeps_what_was_seen() -> None:
    session = watch(Film(10, error="film: breaks off after 1.0 s"), Game([9]))
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert session.snapshot.says == "film: breaks off after 1.0 s"
    assert [line["id"] for line in session.snapshot.lines] == [9, 999]


def test_a_source_that_cannot_be_opened_is_said() -> None:
    def no_source() -> Film:
        raise BadInputError("camera 7: cannot be opened")

    session = Session(no_source, Game)
    session.start()
    until(lambda: session.snapshot.phase == "failed")
    session.stop()
    assert session.snapshot.says == "camera 7: cannot be opened"


def test_a_mistake_of_the_program_is_said_and_not_swallowed(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Game):
        def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
            raise ZeroDivisionError("by nought")

    session = watch(Film(5), Broken())
    until(lambda: session.snapshot.phase == "failed")
    session.stop()
    assert "ZeroDivisionError: by nought" in session.snapshot.says
    assert "Traceback" in caplog.text


def test_a_live_source_never_queues_old_pictures() -> None:
    """While one picture is being read the last half second is kept and the rest dropped."""
    game = Slow()
    session = watch(Film(200, live=True), game)
    assert game.reading.wait(PATIENCE_S)
    until(lambda: session.picture is not None and session.picture.serial == 200)
    game.release.set()
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert len(game.seen) <= 7
    assert game.seen[-6:] == pytest.approx([19.4, 19.5, 19.6, 19.7, 19.8, 19.9])


def test_a_hand_that_comes_while_cards_are_read_is_seen() -> None:
    """Of a camera's pictures those just before the newest wait too, as the reading takes several's time."""
    game = Slow()

    class Camera(Film):
        def __iter__(self) -> Iterator[tuple[float, Image]]:
            for number in range(8):
                yield number / 30, np.zeros((9, 16, 3), np.uint8)
                assert game.reading.wait(PATIENCE_S)

    session = watch(Camera(8, live=True), game)
    until(lambda: session.picture is not None and session.picture.serial == 8)
    game.release.set()
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert game.seen == pytest.approx([number / 30 for number in range(8)])


def test_a_source_that_fails_in_a_way_nobody_thought_of_is_said(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Film):
        def __iter__(self) -> Iterator[tuple[float, Image]]:
            yield 0.0, np.zeros((9, 16, 3), np.uint8)
            raise ZeroDivisionError("by nought")

    session = watch(Broken(1), Game())
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert session.snapshot.says == "The program has failed (ZeroDivisionError: by nought)"
    assert "Traceback" in caplog.text
    assert "Traceback" not in capsys.readouterr().err


def test_stopping_in_mid_film_ends_both_threads() -> None:
    before = threading.active_count()
    session = watch(Film(1_000_000), Game())
    until(lambda: session.picture is not None)
    session.stop()
    until(lambda: threading.active_count() == before)


def test_without_a_source_what_people_enter_is_ruled_on_and_stored(tmp_path: Path) -> None:
    session = Session(None, Game, open_recorder=keeper_in(tmp_path / "s.sqlite"))
    session.start()
    until(lambda: session.snapshot.phase == "watching")
    session.enter(Event(id=0, event="pick_up", player="Bob"))
    until(lambda: len(session.snapshot.lines) == 1)
    session.stop()
    assert session.snapshot.says == "Entered: Bob picks up"
    assert not session.watches
    with Store.open(tmp_path / "s.sqlite") as store:
        (line,) = store.events(1)
        assert (line["event"], line["player"]) == ("pick_up", "Bob")


def test_an_entry_with_which_storing_works_again_does_not_hide_that_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, append = threading.Event(), Store.append
    full.set()

    def append_if_there_is_room(store: Store, *lines: dict[str, Any]) -> None:
        if full.is_set():
            raise BadInputError("the disk is full")
        append(store, *lines)

    class Freeing(Game):
        def enter(self, event: Event) -> list[dict[str, Any]]:
            if self.lines:
                full.clear()
            return super().enter(event)

    monkeypatch.setattr(Store, "append", append_if_there_is_room)
    monkeypatch.setattr(outbox, "RETRY_S", 0.0)
    session = Session(None, Freeing, open_recorder=keeper_in(tmp_path / "s.sqlite"))
    session.start()
    session.enter(Event(id=0, event="pick_up", player="Bob"))
    until(lambda: session.snapshot.requests_done == 1)
    assert session.snapshot.says.startswith("the disk is full; the game goes on")
    session.enter(Event(id=0, event="pick_up", player="Bob"))
    until(lambda: session.snapshot.requests_done == 2)
    assert session.snapshot.says == "the game is being stored again"
    session.stop()


def test_a_film_whose_clock_leaps_ahead_goes_on_at_once() -> None:
    times = [0.0, 0.01, 40_000.0, 40_000.01, 40_000.02, 40_000.03]

    class Leaping(Film):
        def __iter__(self) -> Iterator[tuple[float, Image]]:
            return ((t, np.zeros((9, 16, 3), np.uint8)) for t in times)

    film, game = Leaping(6), Game([5])
    session = Session(lambda: film, lambda: game)
    session.start()
    until(lambda: session.snapshot.phase == "ended")
    session.stop()
    assert game.seen == times


def test_a_reader_that_fails_ends_the_watching_and_nothing_else(tmp_path: Path) -> None:
    """What was decided stands, what was open is decided, and people may still put things right."""

    class Spoilt(Game):
        def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
            if t > 0.95:
                raise BadInputError(
                    "corner.onnx: the network's output is not a number; its weights are damaged"
                )
            return super().feed(frame, t)

    game = Spoilt([3])
    session = watch(Film(50), game, tmp_path / "s.sqlite")
    until(lambda: session.snapshot.phase == "ended")
    assert "weights are damaged" in session.snapshot.says
    assert [line["id"] for line in session.snapshot.lines] == [3, 999]
    session.undo()
    until(lambda: len(session.snapshot.lines) == 1)
    session.stop()
    assert game.lines[-1]["id"] == 3
    with Store.open(tmp_path / "s.sqlite") as store:
        assert [line["id"] for line in apply_revisions(store.events(1))] == [3]


def test_a_source_that_is_lost_and_back_is_said(tmp_path: Path) -> None:
    class Lost(Film):
        def __iter__(self) -> Iterator[tuple[float, Image]]:
            yield 0.0, np.zeros((9, 16, 3), np.uint8)
            self.on_status("camera 0: no picture for 3 s; it is tried again")
            yield 1.0, np.zeros((9, 16, 3), np.uint8)
            said.wait(PATIENCE_S)

    said = threading.Event()
    session = watch(Lost(2), Game())
    until(lambda: session.snapshot.says.startswith("camera 0: no picture"))
    said.set()
    until(lambda: session.snapshot.phase == "ended")
    session.stop()


def test_pausing_holds_the_film_and_going_on_resumes_it() -> None:
    session = watch(Film(1_000_000), Game())
    until(lambda: session.picture is not None)
    session.pause(True)
    until(lambda: session.snapshot.phase == "paused")
    until(lambda: _stands_still(session))
    session.pause(False)
    until(lambda: session.snapshot.phase == "watching")
    held = session.picture.serial if session.picture else 0
    until(lambda: session.picture is not None and session.picture.serial > held)
    session.stop()


def _stands_still(session: Session) -> bool:
    assert session.picture is not None
    before = session.picture.serial
    time.sleep(0.05)
    return session.picture.serial == before


def _playing(tmp_path: Path) -> Session:
    setup = GameSetup(source=None, players=("Ann", "Bob", "Cat"), store=tmp_path / "s.sqlite")
    session = make_session(setup)
    session.start()
    for player, card in (("Ann", "4C"), ("Bob", "7S"), ("Cat", "10H")):
        session.enter(Event(id=0, event="play", player=player, cards=(card,), source="hand"))
    until(lambda: len(_played(session)) == 3)
    return session


def _played(session: Session) -> list[tuple[Any, Any, Any]]:
    plays = [line for line in session.snapshot.lines if line["event"] == "play"]
    return [(line["player"], line["cards"], line["t"]) for line in plays]


def test_what_was_undone_can_be_redone_at_its_own_time_and_is_stored_so(tmp_path: Path) -> None:
    session = _playing(tmp_path)
    before, rulings = _played(session), [line.get("ruling") for line in session.snapshot.lines]
    for _ in range(3):
        session.undo()
    until(lambda: not _played(session))
    assert session.snapshot.redoes == 3
    for _ in range(3):
        session.redo()
    until(lambda: len(_played(session)) == 3)
    assert _played(session) == before
    assert [line.get("ruling") for line in session.snapshot.lines] == rulings
    assert session.snapshot.redoes == 0
    session.stop()
    with Store.open_to_read(tmp_path / "s.sqlite") as store:
        kept = apply_revisions(store.events(1))
    assert [(line["player"], line["cards"], line["t"]) for line in kept if line["event"] == "play"] == before


def test_the_log_is_undone_to_any_line_and_a_new_event_ends_what_can_be_redone(tmp_path: Path) -> None:
    session = _playing(tmp_path)
    first = next(line["id"] for line in session.snapshot.lines if line["event"] == "play")
    session.undo_to(first)
    until(lambda: len(_played(session)) == 1)
    assert session.snapshot.redoes == 2
    assert session.snapshot.table.turn == "Bob"
    session.enter(Event(id=0, event="play", player="Bob", cards=("KS",), source="hand"))
    until(lambda: len(_played(session)) == 2)
    assert session.snapshot.redoes == 0
    session.redo()
    until(lambda: session.snapshot.says == "There is nothing to redo")
    assert [player for player, _cards, _t in _played(session)] == ["Ann", "Bob"]
    session.stop()
