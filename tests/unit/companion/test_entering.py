"""What is entered by touch, asked of the rule book, and offered for the next game."""

from __future__ import annotations

import pytest

from companion.game.entry import (
    answered_show,
    entered_event,
    has_begun,
    last_event_by_another,
    shown_rank,
    with_player,
)
from companion.game.event_log import ASSUMED, EventLog
from companion.game.next_game import next_game_setup
from companion.game.play_check import check_play
from companion.game.refereeing import make_referee
from companion.game.ruling_views import ruling_text
from companion.game.setup import GameSetup
from companion.game.touch_game import TouchGame
from companion.i18n.events import event_text
from engine.events import Event
from engine.ruleset import RULESET_NAMES

PLAYERS = ("Ann", "Bob", "Cat")


def game(rules: str = "winnersh") -> TouchGame:
    return TouchGame(EventLog(make_referee(rules, PLAYERS, dealer="Cat")))


def test_a_card_played_blindly_is_a_flip() -> None:
    assert entered_event("play", "Ann", ["9S"], "down").event == "flip"
    play = entered_event("play", "Ann", ["9S", "9"], "hand+up")
    assert (play.event, play.source, play.cards) == ("play", "hand+up", ("9S", "9"))
    assert entered_event("pick_up", "Ann", ["9S"]).cards == ()


def test_the_shown_rank_is_the_rulesets() -> None:
    assert [shown_rank(name) for name in RULESET_NAMES] == ["3", None, None, None, None]


def test_a_draw_that_is_due_is_taken_for_made_and_goes_with_its_play() -> None:
    scored = game()
    lines = scored.enter(entered_event("play", "Ann", ["4"]))
    assert [(line["event"], line.get("by")) for line in lines] == [("play", "hand"), ("draw", ASSUMED)]
    assert scored.table.hands["Ann"].size == 3
    assert scored.table.to_draw == {}
    undone = scored.undo()
    assert undone is not None
    assert undone["event"] == "play"
    assert list(scored.lines) == []
    assert scored.table.draw_pile == 52 - 27


def test_what_lies_face_up_is_named_after_the_deal_and_after_an_exchange() -> None:
    scored = game()
    scored.enter(entered_event("deal", "Ann", ["KD", "2", "9S"], face_up=3))
    scored.enter(entered_event("deal", "Bob", ["4"], face_up=3))
    assert list(scored.table.up["Ann"]) == ["KD", "2", "9S"]
    assert list(scored.table.up["Bob"]) == ["4", "??", "??"]
    assert event_text(scored.lines[0]) == "Ann has K♦ 2 9♠ face up"
    assert not has_begun(scored.lines)
    scored.enter(entered_event("exchange", "Ann", ["K", "2", "10"], face_up=3))
    assert list(scored.table.up["Ann"]) == ["K", "2", "10"]
    assert scored.table.hands["Ann"].known == ("9S",)
    scored.enter(entered_event("exchange", "Bob", face_up=3))
    assert list(scored.table.up["Bob"]) == ["??"] * 3
    assert [line["ruling"]["verdict"] for line in scored.lines[2:]] == ["legal", "legal"]
    assert not has_begun(scored.lines)
    scored.enter(entered_event("play", "Ann", ["4"]))
    assert has_begun(scored.lines)


def test_an_exchange_after_the_first_play_is_entered_like_any_and_ruled_illegal() -> None:
    scored = game()
    scored.enter(entered_event("play", "Ann", ["4"]))
    (line,) = scored.enter(entered_event("exchange", "Bob", ["K", "2", "10"], face_up=3))
    assert line["ruling"]["verdict"] == "illegal"
    assert line["ruling"]["breaches"][0]["rule"] == "setup.exchange-before"
    assert list(scored.table.up["Bob"]) == ["K", "2", "10"]


def test_an_exchange_that_was_another_players_lies_before_that_one() -> None:
    scored = game()
    (line,) = scored.enter(entered_event("exchange", "Ann", ["KD", "2", "10"], face_up=3))
    scored.correct(line["id"], with_player(Event.from_json(line), "Bob"))
    up = scored.table.up
    assert [list(up["Ann"]), list(up["Bob"])] == [["??"] * 3, ["KD", "2", "10"]]


def test_a_show_is_answered_by_whom_it_was_shown_to_and_backfires() -> None:
    scored = game()
    for player, card in (("Ann", "4"), ("Bob", "9")):
        scored.enter(entered_event("play", player, [card]))
    scored.enter(entered_event("show", "Cat", to="Ann", shown="3"))
    assert scored.table.hands["Ann"].size == 5
    assert answered_show(scored.lines, "Bob") is None
    reply = answered_show(scored.lines, "Ann")
    assert reply is not None
    assert reply.answers == (("Ann", "Cat"),)
    scored.correct(reply.id, reply)
    again = answered_show(scored.lines, "Cat")
    assert again is not None
    assert again.answers == (("Ann", "Cat"), ("Cat", "Ann"))
    assert answered_show(scored.lines, "Ann") is None


def test_it_was_bob_concerns_the_newest_act_of_somebody_else() -> None:
    scored = game()
    scored.enter(entered_event("play", "Ann", ["4"]))
    newest = last_event_by_another(scored.lines, "Bob")
    assert newest is not None
    assert newest["player"] == "Ann"
    assert last_event_by_another(scored.lines, "Ann") is None
    assert last_event_by_another([], "Bob") is None


@pytest.mark.parametrize(
    ("rules", "cards", "pile", "verdict", "words"),
    [
        ("winnersh", ["4"], ["9"], "illegal", "equal or higher is needed"),
        ("winnersh", ["9", "9"], ["9S"], "legal", ""),
        ("winnersh", ["3"], ["4"], "illegal", "shown, never played"),
        ("backpacker", ["10"], ["7"], "legal", ""),
        ("rulebook", ["9", "8"], [], "illegal", "a set has one rank"),
    ],
)
def test_may_i_play_is_answered_by_the_judge(
    rules: str, cards: list[str], pile: list[str], verdict: str, words: str
) -> None:
    ruling = check_play(cards, pile, rules=rules)
    says, quote = ruling_text(ruling)
    assert ruling["verdict"] == verdict
    assert words in says
    assert quote.startswith("“")


def test_house_options_count_when_one_asks() -> None:
    assert check_play(["10"], ["7"], rules="jokers")["verdict"] == "legal"
    assert check_play(["10"], ["7"], rules="jokers", options=["10-not-on-7"])["verdict"] == "illegal"


@pytest.mark.parametrize(
    ("rules", "dealer"), [("winnersh", "Ann"), ("rulebook", "Bob"), ("backpacker", "Bob"), ("jokers", None)]
)
def test_the_next_dealer_is_as_the_rules_say(rules: str, dealer: str | None) -> None:
    scored = game(rules)
    scored.enter(Event(id=0, event="game_over", loser="Bob"))
    last = GameSetup(source=None, players=PLAYERS, rules=rules, dealer="Cat", resume=7)
    following = next_game_setup(last, scored.table)
    assert (following.dealer, following.resume, following.players) == (dealer, None, PLAYERS)


def test_without_a_last_game_a_game_by_touch_is_offered() -> None:
    assert next_game_setup(None).source is None
