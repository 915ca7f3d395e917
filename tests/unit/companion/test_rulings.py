"""Rulings as a screen shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from companion.game.ruling_views import (
    effect_texts,
    likely_answers,
    line_to_correct,
    newest_ruling,
    open_questions,
    pick_ups_and_burns,
    present_ruling,
    ruling_of,
    ruling_text,
)
from engine.judging.judge import judge
from vision.questions import HIDDEN_CARD, TABLE_CHANGED, UNREAD_CARD, format_question


def line(number: int, event: str, verdict: str | None = None, **fields: Any) -> dict[str, Any]:
    ruled = {} if verdict is None else {"ruling": {"verdict": verdict}}
    return {"id": number, "event": event, "player": "Ann", **ruled, **fields}


def test_a_legal_draw_leaves_the_ruling_on_the_play_standing() -> None:
    play, draw = line(1, "play", "illegal"), line(2, "draw", "legal")
    assert newest_ruling([play, draw, line(3, "burn")]) is play
    wrong_draw = line(4, "draw", "illegal")
    assert newest_ruling([play, wrong_draw]) is wrong_draw
    assert newest_ruling([line(0, "deal"), draw]) is draw
    assert newest_ruling([line(0, "deal")]) is None


def test_a_breach_proven_late_counts_as_a_ruling() -> None:
    breach = {"says": "Ann could have played.", "quote": "words", "cite": "Jokers §3"}
    late = line(5, "late_breach", breach=breach, concerns=1)
    assert ruling_of(late) == {"verdict": "illegal", "breaches": [breach]}
    assert newest_ruling([line(1, "pick_up", "legal"), late]) is late
    assert ruling_text(ruling_of(late) or {}) == ("Ann could have played.", "“words” — Jokers §3")


def test_questions_and_late_breaches_lead_to_what_they_are_about() -> None:
    unread = line(1, "play", cards=["??"])
    other = line(2, "play", cards=["9S"], player="Bob")
    question, late = line(3, "unclear"), line(4, "late_breach", concerns=2)
    lines = [unread, other, question, late]
    assert line_to_correct(lines, 3) is unread
    assert line_to_correct(lines, 4) is other
    assert line_to_correct(lines, 2) is other
    assert line_to_correct(lines, 99) is None
    assert line_to_correct([other, question], 3) is question


UNREAD = format_question(UNREAD_CARD, "Ann")


def test_a_question_is_open_until_its_card_is_known_or_its_event_struck_out() -> None:
    unread = line(1, "play", cards=["9S", "??"])
    question = line(2, "unclear", says=UNREAD, concerns=1, cards=["9S", "9H", "6H"])
    by_bob = {**unread, "player": "Bob"}
    assert open_questions([unread, question]) == [question]
    assert open_questions([by_bob, question]) == [question], "whose card it was does not matter"
    assert open_questions([{**unread, "cards": ["9S", "9H"]}, question]) == []
    assert open_questions([question]) == []
    old = line(2, "unclear", says=UNREAD)
    assert open_questions([unread, old]) == [old], "kept before questions said what they are about"
    assert open_questions([{**unread, "cards": ["9S"]}, old]) == []


def test_the_best_readings_of_an_unread_card_answer_its_question() -> None:
    unread = line(1, "play", cards=["9S", "??"], confidence=0.4)
    question = line(2, "unclear", says=UNREAD, concerns=1, cards=["9S", "9H", "6H"])
    answers = likely_answers([unread, question], question)
    assert [(event.id, event.cards, event.confidence) for event in answers] == [
        (1, ("9S", "9H"), 1.0),
        (1, ("9S", "6H"), 1.0),
    ]
    assert likely_answers([{**unread, "cards": ["9S", "9H"]}, question], question) == []


def test_a_card_that_lay_hidden_is_asked_for_until_the_play_has_another() -> None:
    play = line(1, "play", cards=["9S"])
    question = line(
        2, "unclear", says=format_question(HIDDEN_CARD, "Ann", count=1), concerns=1, cards=["9D", "9H"]
    )
    assert open_questions([play, question]) == [question]
    assert [event.cards for event in likely_answers([play, question], question)] == [
        ("9D", "9S"),
        ("9H", "9S"),
    ]
    more = {**play, "cards": ["9D", "9S"]}
    assert open_questions([more, question]) == []
    assert likely_answers([more, question], question) == []


def test_a_question_that_asks_for_no_card_is_open_until_it_is_struck_out() -> None:
    lies = line(1, "unclear", player=None, says=format_question(TABLE_CHANGED))
    assert open_questions([lies]) == [lies]
    assert likely_answers([lies], lies) == []
    assert line_to_correct([lies], 1) is lies


def situation(**changes: Any) -> dict[str, Any]:
    action = {"type": "play", "player": "Ann", "cards": ["7H"], "source": "hand"}
    return {
        "rules": "winnersh",
        "players": ["Ann", "Bob"],
        "turn": "Ann",
        "pile": ["KH"],
        "action": action,
    } | changes


def test_the_words_of_a_real_breach() -> None:
    says, quote = ruling_text(judge(situation()))
    assert "king" in says
    assert quote.startswith("“")
    assert "Winnersh §5" in quote


def test_the_sources_marks_of_emphasis_are_not_shown() -> None:
    _, quote = ruling_text(judge(situation(pile=["7S"], action={**situation()["action"], "cards": ["JH"]})))
    assert "equal to or lower." in quote


def test_a_legal_play_says_what_follows() -> None:
    says, _ = ruling_text(judge(situation(pile=["4S"])))
    assert "Next: Bob." in says


def test_an_unproven_pick_up_says_what_is_missing() -> None:
    action = {"type": "pick_up", "player": "Ann"}
    cards = {"Ann": {"hand": ["??", "??"]}}
    ruling = judge(situation(rules="rulebook", action=action, cards=cards))
    assert ruling["verdict"] == "unproven"
    says, _ = ruling_text(ruling)
    assert "This depends on hidden cards:" in says
    assert "[" not in says


def test_effects_in_words() -> None:
    effects = {"burn": True, "extra_turn": True, "next": "Ann", "draw": 2, "left": ["Bob"]}
    assert effect_texts(effects) == ["The pile burns.", "Bob is out.", "Draws 2.", "Ann plays again."]
    assert effect_texts({"picks_up": "Cat", "rituals": ["Library Boy"]}) == [
        "Cat picks up the pile.",
        "Sing “Library Boy” for Cat.",
    ]
    assert effect_texts({"draw": 2, "next": "Dan"}, "Ann") == ["Ann draws 2.", "Next: Dan."]
    assert effect_texts({"shithead": "Dan", "next": None}) == ["Dan is the Shithead."]


def test_a_song_stands_beside_a_breach_and_beside_what_hidden_cards_decide() -> None:
    effects = {"picks_up": "Cat", "rituals": ["Library Boy"]}
    illegal = {"verdict": "illegal", "breaches": [{"says": "Cat could play."}], "effects": effects}
    assert ruling_text(illegal)[0] == "Cat could play. Sing “Library Boy” for Cat."
    unproven = {"verdict": "unproven", "needs": ["Cat's hand"], "effects": effects}
    assert ruling_text(unproven)[0].endswith("Cat's hand Sing “Library Boy” for Cat.")


def test_backpackers_loser_says_the_sentence_and_nobody_sings_it() -> None:
    last = {"Ann": {"hand": ["KS"], "up": [], "down": []}, "Bob": {"hand": ["4C"], "up": [], "down": []}}
    action = {"type": "play", "player": "Ann", "cards": ["KS"], "source": "hand"}
    ruling = judge(situation(rules="backpacker", pile=["4S"], draw_pile=0, cards=last, action=action))
    says, _ = ruling_text(ruling)
    assert says == "Ann is out. Bob is the Shithead. Bob says: “I am the Shithead!”"


def test_pick_ups_and_burns_are_counted() -> None:
    burn = line(1, "play", player="Bob", ruling={"effects": {"burn": True}})
    lines = [burn, line(2, "pick_up"), line(3, "pick_up"), line(4, "burn", player=None)]
    picked_up, burnt = pick_ups_and_burns(lines)
    assert (dict(picked_up), dict(burnt)) == ({"Ann": 2}, {"Bob": 1})


@dataclass(frozen=True)
class _Table:
    turn: str | None
    loser: str | None = None


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (_Table("Bob"), "Ann draws 1. Next: Bob."),
        (_Table("Cat"), "Ann draws 1. Next: Cat."),
        (_Table(None, "Cat"), "Ann draws 1."),
        (None, "Ann draws 1. Next: Bob."),
    ],
)
def test_the_newest_ruling_names_who_is_next_by_now(table: _Table | None, says: str) -> None:
    """Bob may have gone out after Ann's play, or the game be over."""
    line = {
        "event": "play",
        "player": "Ann",
        "ruling": {"verdict": "legal", "effects": {"next": "Bob", "draw": 1}},
    }
    assert ruling_text(present_ruling(line, table) or {}, "Ann")[0] == says
