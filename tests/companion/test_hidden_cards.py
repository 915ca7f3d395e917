"""A squared stack shows its uppermost card alone: who draws more than that is asked for the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.refereeing import Refereeing, judge_of
from companion.rulings import likely_answers, open_questions
from engine.events import Event
from vision.questions import HIDDEN_CARD, asked
from vision.watch import TableView

FRAME = np.zeros((4, 4, 3), np.uint8)
UP = {"Ann": ("4S", "5C", "6C"), "Bob": ("9D", "JC", "AD"), "Cat": ("10H", "8C", "QD")}


@dataclass
class Watcher:
    """Tells one event a picture."""

    given: list[Event]
    view: TableView = field(default_factory=TableView)
    layout: Any = None
    looks: int = 0
    question: str | None = None
    lost: bool = False

    def feed(self, frame: Any, t: float) -> list[Event]:
        return [self.given.pop(0)]


def watched(*seen: dict[str, Any]) -> Refereeing:
    """Return a game of which a camera saw the deal and then these events."""
    events = [Event(id=1, event="deal", up=UP, confidence=0.95)]
    for number, fields in enumerate(seen, start=2):
        events.append(Event(**{"id": number, "t": float(number), "confidence": 0.95, **fields}))
    game = Refereeing(
        Watcher(list(events)),  # type: ignore[arg-type]
        lambda players: judge_of("winnersh", players, dealer="Cat"),
        tuple(UP),
    )
    for event in events:
        game.feed(FRAME, event.t)
    return game


PLAY = {"event": "play", "player": "Ann", "cards": ("4C",), "source": "hand"}
DRAW_TWO = {"event": "draw", "player": "Ann", "count": 2}


def test_who_draws_two_for_one_card_seen_is_asked_which_one_lay_under_it() -> None:
    game = watched(PLAY, DRAW_TWO)
    play, draw = game.lines[1:3]
    assert draw["ruling"]["verdict"] == "unproven"
    (question,) = open_questions(game.lines)
    assert question["says"] == asked(HIDDEN_CARD, "Ann", count=1)
    assert question["concerns"] == play["id"]
    assert question["cards"] == ["4D", "4H"], "4S lies before Ann, 4C was seen"


def test_the_answer_settles_the_draw() -> None:
    game = watched(PLAY, DRAW_TWO)
    (question,) = open_questions(game.lines)
    game.correct(game.lines[1]["id"], likely_answers(game.lines, question)[0])
    assert game.lines[1]["cards"] == ["4D", "4C"]
    assert game.lines[2]["ruling"]["verdict"] == "legal"
    assert open_questions(game.lines) == []


def test_it_is_asked_once_and_closes_when_the_card_is_seen_after_all() -> None:
    told_twice = {**DRAW_TWO, "revise": 3}
    game = watched(PLAY, DRAW_TWO, told_twice)
    assert len(open_questions(game.lines)) == 1
    seen = {**PLAY, "cards": ("4D", "4C"), "revise": 2}
    assert open_questions(watched(PLAY, DRAW_TWO, seen).lines) == []


def test_nothing_is_asked_about_what_is_due_or_about_another_players_play() -> None:
    assert open_questions(watched(PLAY, {**DRAW_TWO, "count": 1}).lines) == []
    by_bob = {**PLAY, "player": "Bob", "cards": ("5H",)}
    assert open_questions(watched(PLAY, by_bob, DRAW_TWO).lines) == []


def test_nothing_is_asked_where_all_cards_of_the_rank_are_seen() -> None:
    fours = {**PLAY, "cards": ("4C", "4D", "4H")}
    assert open_questions(watched(fours, {**DRAW_TWO, "count": 4}).lines) == []
