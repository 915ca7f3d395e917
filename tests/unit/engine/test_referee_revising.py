"""What was seen is revised, corrected, taken back, or decided late."""

from __future__ import annotations

import pytest

from engine.errors import BadInputError
from engine.events import Event
from engine.referee.referee import Outcome
from tests.unit.engine.conftest import Start
from tests.unit.engine.outcomes import verdict

ANN, BOB, CAT = "Ann", "Bob", "Cat"


def test_a_revision_replays_the_game(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.play(CAT, "6H", draws=1)  # events 4 and 5: too low
    outcome = game.tell("play", BOB, "5H", source="hand", revise=2)
    assert verdict(outcome) == "legal"
    assert verdict(game.referee.outcomes[4]) == "legal"
    assert game.table.pile == ["5H", "6H"]
    assert [event.id for event in game.referee.events] == [1, 2, 3, 4, 5]


def test_the_last_word_on_an_event_counts(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.tell("play", BOB, "5H", source="hand", revise=2)
    game.tell("play", BOB, "6H", source="hand", revise=4)  # names the revision
    game.tell("play", BOB, "7H", source="hand", revise=2)
    assert game.table.pile == ["7H"]


def test_a_revision_of_nothing_known_is_taken_as_it_is(start: Start) -> None:
    game = start()
    assert verdict(game.tell("play", BOB, "9H", source="hand", revise=77)) == "legal"
    assert game.tell("play", BOB, revise=78, withdrawn=True) == Outcome()


def test_correct(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.referee.correct(2, Event(id=50, event="play", player=BOB, cards=("6H",), source="hand"))
    assert game.table.pile == ["6H"]
    with pytest.raises(BadInputError, match="no event 99"):
        game.referee.correct(99, Event(id=51, event="play", player=BOB))


def test_correct_strikes_out(start: Start) -> None:
    game = start()
    game.play(BOB, "9H")
    game.play(CAT, "4H")
    game.referee.correct(3, None)
    assert (game.table.pile, game.table.turn) == (["9H"], CAT)


def test_undo_to_the_beginning(start: Start) -> None:
    game = start()
    fresh = game.table
    tables = [fresh]
    for player, card in ((BOB, "4H"), (CAT, "10H"), (CAT, "5H")):
        game.play(player, card)
        tables.append(game.table)
    for table in reversed(tables):
        assert game.table == table
        assert game.referee.undo() is not None
    assert game.referee.undo() is None


def test_an_event_decided_late_is_put_where_it_happened(start: Start) -> None:
    game = start()
    game.tell("play", BOB, "4H", source="hand", t=40.0)
    late = game.tell("exchange", ANN, count=1, up={ANN: ("4C", "9S", "AH")}, t=30.0)
    assert verdict(late) == "legal"
    assert [event.event for event in game.referee.events] == ["deal", "exchange", "play"]
    undone = game.referee.undo()
    assert undone is not None
    assert undone.event == "exchange"  # what was reported last, not what happened last
    assert game.table.pile == ["4H"]


def test_an_event_told_late_comes_after_those_of_its_own_time(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", t=1.0)
    game.play(CAT, "JH", t=3.0)
    game.tell("draw", BOB, count=1, t=1.0)
    assert [event.id for event in game.referee.events] == [1, 2, 4, 3]


def test_a_conclusion_that_a_revision_brings_is_told_once(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    game.play(CAT, "8H")  # event 9: it would not have gone on the 9
    revised = game.tell("play", CAT, "QH", source="hand", revise=9)
    assert [(event.event, event.concerns) for event in revised.follow_ups] == [("late_breach", 4)]
    again = game.tell("draw", BOB, count=1, revise=8)
    assert again.follow_ups == ()
