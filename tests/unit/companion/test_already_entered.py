"""What a person has entered is not told once more by the camera."""

from __future__ import annotations

from typing import Any

import pytest

from companion.game.event_log import EventLog
from engine.events import Event
from engine.referee.referee import Referee

DEAL = Event(
    id=1,
    event="deal",
    up={"Ann": ("4S", "8D", "KD"), "Bob": ("5C", "9H", "AC")},
)


def game() -> EventLog:
    log = EventLog(Referee("winnersh", ["Ann", "Bob"], dealer="Bob"))
    log.add([DEAL])
    return log


def acts(log: EventLog) -> list[tuple[str, str | None, Any]]:
    return [
        (line["event"], line.get("player"), line.get("cards") or line.get("count")) for line in log.lines[1:]
    ]


def event(kind: Any, number: int, t: float, player: str | None, **fields: Any) -> Event:
    return Event(id=number, event=kind, t=t, decided_at=t + 0.5, player=player, **fields)


def entered(kind: Any, t: float, player: str, **fields: Any) -> Event:
    return event(kind, 0, t, player, **fields)


@pytest.mark.parametrize("player", ["Ann", None])
def test_a_play_that_was_entered_is_not_played_again(player: str | None) -> None:
    log = game()
    log.enter(entered("play", 10.0, "Ann", cards=("7H",), source="hand"))
    assert log.add([event("play", 2, 9.0, player, cards=("7H",), source="hand")]) == []
    assert acts(log) == [("play", "Ann", ["7H"])]


def test_a_later_form_of_it_changes_nothing() -> None:
    log = game()
    log.enter(entered("play", 10.0, "Ann", cards=("7H",), source="hand"))
    log.add([event("play", 2, 9.0, "Ann", cards=("7H",), source="hand")])
    assert log.add([event("play", 3, 9.0, "Ann", cards=("7D",), source="hand", revise=2)]) == []
    assert log.add([event("play", 4, 9.0, "Ann", cards=("7H",), revise=2, withdrawn=True)]) == []
    assert acts(log) == [("play", "Ann", ["7H"])]


def test_a_card_that_was_picked_up_since_is_played_again() -> None:
    log = game()
    log.enter(entered("play", 10.0, "Ann", cards=("7H",), source="hand"))
    log.add([event("pick_up", 2, 12.0, "Bob", cards=("7H",))])
    assert len(log.add([event("play", 3, 15.0, "Bob", cards=("7H",), source="hand")])) == 1


def test_a_draw_that_was_entered_is_not_drawn_again() -> None:
    log = game()
    log.add([event("play", 2, 9.0, "Ann", cards=("7H",), source="hand")])
    log.enter(entered("draw", 11.0, "Ann", count=1))
    assert log.add([event("draw", 3, 10.5, "Ann", count=1)]) == []
    assert acts(log) == [("play", "Ann", ["7H"]), ("draw", "Ann", 1)]


def test_a_second_draw_is_one() -> None:
    log = game()
    log.enter(entered("draw", 11.0, "Ann", count=1))
    log.add([event("draw", 2, 10.5, "Ann", count=1)])
    assert len(log.add([event("draw", 3, 12.5, "Ann", count=1)])) == 1


@pytest.mark.parametrize(
    "other",
    [
        event("draw", 3, 10.5, "Bob", count=1),
        event("draw", 3, 60.0, "Ann", count=1),
        event("play", 3, 10.5, "Ann", cards=("7D",), source="hand"),
    ],
    ids=["another player", "a minute later", "another act"],
)
def test_another_act_is_told(other: Event) -> None:
    log = game()
    log.enter(entered("draw", 11.0, "Ann", count=1))
    assert len(log.add([other])) == 1


def test_after_the_players_next_act_a_draw_is_another_one() -> None:
    log = game()
    log.enter(entered("draw", 11.0, "Ann", count=1))
    log.add([event("play", 2, 14.0, "Ann", cards=("7H",), source="hand")])
    assert len(log.add([event("draw", 3, 15.0, "Ann", count=1)])) == 1


def test_a_game_that_is_taken_up_again_knows_what_was_entered() -> None:
    log = game()
    written = [dict(line) for line in log.lines]
    written += log.enter(entered("play", 10.0, "Ann", cards=("7H",), source="hand"))
    again = EventLog(Referee("winnersh", ["Ann", "Bob"], dealer="Bob"))
    again.resume(written)
    assert again.add([event("play", 1, 9.0, "Ann", cards=("7H",), source="hand")]) == []
