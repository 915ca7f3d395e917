"""The fields of events and situations: their limits, and how an event is written."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import BadInputError
from engine.events import Event, EventLineReader
from engine.fields import (
    MOST_CARDS,
    MOST_PLAYERS,
    PlayerNameReader,
    read_cards,
    read_count,
    read_number,
    read_players,
)


@pytest.mark.parametrize(
    ("count", "fits"), [(0, True), (MOST_CARDS, True), (MOST_CARDS + 1, False), (-1, False)]
)
def test_a_count_goes_from_none_to_all_cards(count: int, fits: bool) -> None:
    if fits:
        assert read_count(count, "count") == count
    else:
        with pytest.raises(BadInputError, match="count"):
            read_count(count, "count")


@pytest.mark.parametrize(("value", "fits"), [(0, True), (1, True), (1.01, False), (-0.01, False)])
def test_a_number_may_be_as_large_and_as_small_as_its_limits(value: float, fits: bool) -> None:
    if fits:
        assert read_number(value, "confidence", 0, 1) == value
    else:
        with pytest.raises(BadInputError, match="confidence"):
            read_number(value, "confidence", 0, 1)


def test_a_list_of_cards_holds_at_most_all_of_them() -> None:
    assert len(read_cards(["9S"] * MOST_CARDS, "pile") or ()) == MOST_CARDS
    with pytest.raises(BadInputError, match="pile"):
        read_cards(["9S"] * (MOST_CARDS + 1), "pile")


def test_players_are_told_apart_and_are_not_too_many() -> None:
    names = [f"P{number}" for number in range(MOST_PLAYERS)]
    assert read_players(names) == tuple(names)
    with pytest.raises(BadInputError):
        read_players([*names, "one more"])
    with pytest.raises(BadInputError, match="twice"):
        read_players(["Ann", "Bob", "Ann"])


def test_as_many_answers_are_read_as_there_are_cards() -> None:
    answers = [["Ann", "Bob"]] * MOST_CARDS
    assert len(PlayerNameReader(("Ann", "Bob")).pairs(answers, "answers")) == MOST_CARDS
    with pytest.raises(BadInputError, match="answers"):
        PlayerNameReader(None).pairs([*answers, ["Ann", "Bob"]], "answers")


@pytest.mark.parametrize(
    ("event", "written"),
    [
        ({"event": "play"}, {"cards": []}),
        ({"event": "show"}, {"cards": [], "answers": []}),
        ({"event": "draw"}, {}),
        ({"event": "draw", "cards": ("9S",)}, {"cards": ["9S"]}),
        ({"event": "deal", "t": 1.23456, "confidence": 0.123456}, {"t": 1.235, "confidence": 0.1235}),
        ({"event": "out", "decided_at": 9.87654}, {"decided_at": 9.877}),
    ],
)
def test_an_event_is_written_without_fields_that_say_nothing(
    event: dict[str, Any], written: dict[str, Any]
) -> None:
    usual = {"t": 0.0, "event": event["event"], "confidence": 1.0, "decided_at": 0.0, "id": 7}
    assert Event(id=7, **event).to_json() == usual | written


def test_an_id_comes_once_unless_its_event_is_revised_under_it() -> None:
    lines = EventLineReader(("Ann",))
    first = Event(id=5, event="play", player="Ann", cards=("9S",))
    lines.take(first)
    lines.take(Event(id=5, event="play", player="Ann", cards=("8S",), revise=5))
    with pytest.raises(BadInputError, match="event 5 appears twice"):
        lines.take(first)
