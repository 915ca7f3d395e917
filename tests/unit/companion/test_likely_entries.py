"""The table and the play sheet offer first what is likely, as the engine knows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.entry import likely_cards, likely_source
from companion.i18n.wording import playable_text
from engine.events import Event
from engine.referee.referee import HandView, Referee


@pytest.mark.parametrize(
    ("rules", "card", "words"),
    [
        ("winnersh", "9S", "9 or higher, or a 2"),
        ("winnersh", "7S", "7 or lower"),
        ("winnersh", "2S", "anything"),
        ("jokers", "7S", "7 or lower, or a 10"),
        ("shed", "KS", "king or higher, or a 2 or a 7 or an 8 or a 10"),
    ],
)
def test_the_cards_that_go_besides_are_named(rules: str, card: str, words: str) -> None:
    referee = Referee(rules, ("Ann", "Bob"), dealer="Bob")
    referee.observe(Event(id=1, event="play", player="Ann", cards=(card,), source="hand"))
    table = referee.table
    assert set(table.also_playable) <= set(table.playable_ranks)
    assert playable_text(table.demand_in_words, table.also_playable) == words


def test_a_player_with_a_hand_plays_from_it_and_cards_seen_to_go_into_it_come_first() -> None:
    referee = Referee("winnersh", ("Ann", "Bob"), dealer="Bob")
    referee.observe(Event(id=1, event="deal", up={"Ann": ("KD", "2C", "QD"), "Bob": ("3H", "4H", "5H")}))
    assert likely_source(referee.table, "Ann") == "hand"
    assert likely_cards(referee.table, "Ann") == ()
    referee.observe(Event(id=2, event="play", player="Ann", cards=("9S",), source="hand", t=1.0))
    referee.observe(Event(id=3, event="pick_up", player="Bob", t=2.0))
    assert likely_cards(referee.table, "Bob") == ("9S",)


def test_a_player_without_a_hand_plays_from_the_known_up_cards_and_then_face_down() -> None:
    referee = Referee("winnersh", ("Ann", "Bob"), dealer="Bob")
    referee.observe(Event(id=1, event="deal", up={"Ann": ("4D", "4C", "4H"), "Bob": ("3H", "5H", "6H")}))
    table = referee.table
    bare = replace(table, hands={**table.hands, "Ann": HandView(0, ())})
    assert (likely_source(bare, "Ann"), likely_cards(bare, "Ann")) == ("up", ("4D", "4C", "4H"))
    gone = replace(bare, up={**table.up, "Ann": []})
    assert (likely_source(gone, "Ann"), likely_cards(gone, "Ann")) == ("down", ())
