"""Events in words."""

from __future__ import annotations

from typing import Any

import pytest

from companion.i18n.events import event_text
from companion.i18n.wording import card_label, card_name, cards_label, clock_text, split_card
from engine.events import EVENT_KINDS


@pytest.mark.parametrize(
    ("card", "parts", "sign", "words"),
    [
        ("10H", ("10", "H"), "10♥", "10 of hearts"),
        ("QS", ("Q", "S"), "Q♠", "queen of spades"),
        ("9", ("9", ""), "9", "9"),
        ("JOKER", ("JOKER", ""), "Joker", "joker"),
        ("??", ("??", ""), "?", "an unknown card"),
    ],
)
def test_cards(card: str, parts: tuple[str, str], sign: str, words: str) -> None:
    assert (split_card(card), card_label(card), card_name(card)) == (parts, sign, words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"event": "play", "player": "Bob", "cards": ["9S", "9D"], "source": "hand"}, "Bob plays 9♠ 9♦"),
        ({"event": "play", "player": "Bob", "cards": ["9S"], "source": "up"}, "Bob plays 9♠ from the table"),
        ({"event": "play", "cards": ["??"]}, "Somebody plays ?"),
        ({"event": "pick_up", "player": "Ann", "cards": ["9S"]}, "Ann picks up 1 card"),
        ({"event": "pick_up", "player": "Ann", "cards": [], "count": 4}, "Ann picks up 4 cards"),
        ({"event": "pick_up", "player": "Ann", "cards": []}, "Ann picks up"),
        ({"event": "show", "player": "Ann", "cards": ["3C"], "to": "Bob"}, "Ann shows 3♣ to Bob"),
        ({"event": "draw", "player": "Ann"}, "Ann draws 1 card"),
        ({"event": "burn", "cards": ["10C", "4S"]}, "2 cards burned"),
        ({"event": "game_over", "loser": "Ann"}, "Game over: Ann is the Shithead"),
        ({"event": "unclear", "says": "Who was it?"}, "Who was it?"),
    ],
)
def test_events(line: dict[str, Any], words: str) -> None:
    assert event_text(line) == words


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_of_event_has_words_of_its_own(kind: str) -> None:
    words = event_text({"event": kind})
    assert words
    assert words != kind


def test_long_rows_of_cards_are_cut_in_the_middle() -> None:
    assert cards_label(["4S", "5S", "6S", "7S", "8S", "9S", "10S"]) == "4♠ 5♠ 6♠ … 10♠"


def test_clock() -> None:
    assert [clock_text(t) for t in (-1, 0, 59.9, 61, 6000)] == ["0:00", "0:00", "0:59", "1:01", "100:00"]
