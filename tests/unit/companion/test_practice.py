"""The practice game: what it asks for, however its players go about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.game.practice import PLAYS, Practice, first_player, practice_session, practice_setup
from companion.game.session import Session
from companion.sources.cameras import sample_film
from engine.events import Event
from tests.support.waiting import until


@pytest.fixture
def session() -> Iterator[Session]:
    game = practice_session()
    game.start()
    until(lambda: game.snapshot.table is not None)
    yield game
    game.stop()


def play(session: Session, player: str, card: str) -> int:
    known = {line["id"] for line in session.snapshot.lines}
    session.enter(Event(id=0, event="play", player=player, cards=(card,), source="hand"))
    until(lambda: any(line["event"] == "play" and line["id"] not in known for line in session.snapshot.lines))
    return next(
        int(line["id"])
        for line in session.snapshot.lines
        if line["event"] == "play" and line["id"] not in known
    )


def test_it_is_the_sample_table_without_its_camera_and_kept_nowhere() -> None:
    setup, sample = practice_setup(), sample_film()
    assert (setup.players, setup.rules, setup.dealer) == (sample.players, sample.rules, sample.dealer)
    assert setup.source is None
    assert not setup.kept


def test_the_player_left_of_the_dealer_begins() -> None:
    setup = practice_setup()
    assert setup.dealer is not None
    seat = setup.players.index(setup.dealer)
    assert first_player(setup) == setup.players[(seat + 1) % len(setup.players)]


@pytest.mark.parametrize("choice", ["taken_back", "picked_up", "stands"])
def test_three_plays_lead_through_it_whatever_is_decided_about_the_mistake(
    session: Session, choice: str
) -> None:
    players = practice_setup().players
    starter = first_player(practice_setup())
    follower = players[(players.index(starter) + 1) % len(players)]
    practice = Practice(starter)
    plays = []

    def look() -> None:
        practice.look(session.snapshot)
        plays.append(practice.play)

    look()
    assert starter in practice.text
    play(session, starter, "9")
    look()
    assert follower in practice.text
    breach = play(session, follower, "5")
    look()
    session.settle(breach, choice)  # type: ignore[arg-type]
    until(lambda: any(line["event"] == "consequence" for line in session.snapshot.lines))
    look()
    assert session.snapshot.table is not None
    turn = session.snapshot.table.turn
    assert turn is not None
    assert turn in practice.text
    last = play(session, turn, "J")
    look()
    finished = [practice.is_done]
    session.correct(last, Event(id=0, event="play", player=turn, cards=("QH",), source="hand"))
    until(lambda: any(line.get("cards") == ["QH"] for line in session.snapshot.lines))
    look()
    finished.append(practice.is_done)
    assert finished == [False, True]
    assert practice.text == ""
    assert plays == [1, 2, 2, 3, 3, PLAYS]


def test_who_undoes_the_mistake_goes_on_too(session: Session) -> None:
    starter = first_player(practice_setup())
    practice = Practice(starter)
    first = play(session, starter, "9")
    practice.look(session.snapshot)
    play(session, str(session.snapshot.table.turn if session.snapshot.table else ""), "5")
    practice.look(session.snapshot)
    look_at_breach = practice.play
    session.undo_to(first)
    until(lambda: [line["id"] for line in session.snapshot.lines if line["event"] == "play"] == [first])
    practice.look(session.snapshot)
    assert (look_at_breach, practice.play) == (2, 3)


def test_a_skipped_task_does_not_hold_up_the_next_ones(session: Session) -> None:
    starter = first_player(practice_setup())
    practice = Practice(starter)
    play(session, starter, "3")
    practice.look(session.snapshot)
    assert practice.text.startswith("The referee says which rule it breaks"), "a breach at once will do"
