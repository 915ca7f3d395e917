"""Each card is there once per pack: none is played, shown or held in two places."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ruleset import RULESET_NAMES
from tests.unit.engine.conftest import Rule, Start
from tests.unit.engine.outcomes import broken, notes, verdict

ELSEWHERE = ["physical.elsewhere"]
ANN, BOB, CAT = "Ann", "Bob", "Cat"


@pytest.mark.parametrize("rules", RULESET_NAMES)
@pytest.mark.parametrize(
    "place",
    [
        {"pile": "KS 5S"},
        {"others": {"P3": {"hand": ["KS", "??"]}}},
        {"others": {"P3": {"up": ["KS", "5D"]}}},
        {"up": "KS 5D"},
    ],
)
def test_elsewhere_a_card_that_is_known_to_lie_elsewhere_cannot_be_played(
    rule: Rule, rules: str, place: dict[str, Any]
) -> None:
    ruling = rule(rules, "play KS", **{"hand": "?? ?? ??", "pile": "5S", "draw": 9, **place})
    assert ruling["broken"] == ELSEWHERE
    (breach,) = ruling["breaches"]
    assert "king of spades" in breach["says"]
    assert breach["quote"]


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_elsewhere_a_card_twice_in_one_set(rule: Rule, rules: str) -> None:
    assert rule(rules, "play KS KS", hand="?? ?? ??", pile="5S")["broken"] == ELSEWHERE


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_burn_out_of_play_for_a_card_that_was_burned(rule: Rule, rules: str) -> None:
    ruling = rule(rules, "play KS", hand="?? ?? ??", pile="5S", burned=["KS"])
    assert [b["quote"] for b in ruling["breaches"]]
    assert len(ruling["broken"]) == 1
    assert "burned" in ruling["breaches"][0]["says"]


def test_burn_out_of_play_for_a_3_that_is_shown_again(rule: Rule) -> None:
    show = {"hand": "?? ?? ??", "pile": "9S", "burned": ["3H", "10S"]}
    assert rule("winnersh", "show 3H P3", **show)["broken"] == ["burn.out-of-play"]
    answer = {"cards": ["3D", "3H"]}
    assert rule("winnersh", "show 3D P3 P3>P1", more=answer, **show)["broken"] == ["burn.out-of-play"]


def test_elsewhere_a_3_that_another_player_holds_cannot_be_shown(rule: Rule) -> None:
    others = {"P3": {"hand": ["3H", "5C"]}}
    assert rule("winnersh", "show 3H P2", hand="?? ??", pile="9S", others=others)["broken"] == ELSEWHERE
    answered = {"hand": "3D 5D", "pile": "9S", "others": others, "more": {"cards": ["3D", "3H"]}}
    assert rule("winnersh", "show 3D P3 P3>P1", **answered)["verdict"] == "legal"


@pytest.mark.parametrize(
    ("act", "known"),
    [
        ("flip KS", {"hand": "", "up": "", "down": 2, "draw": 0, "pile": "KS 5S"}),
        ("take_up KS", {"hand": "", "up": "?? 5D", "draw": 0, "pile": "KS 5S"}),
        (
            "exchange KS/5D",
            {"hand": "?? ?? ??", "up": "5D 6D 7D", "pile": "", "others": {"P2": {"up": ["KS"]}}},
        ),
    ],
)
def test_elsewhere_however_the_card_is_moved(rule: Rule, act: str, known: dict[str, Any]) -> None:
    assert rule("winnersh", act, **known)["broken"] == ELSEWHERE


def test_elsewhere_more_of_a_rank_than_there_are(rule: Rule) -> None:
    kings = {"burned": ["KS", "KC"], "others": {"P2": {"up": ["KD"]}}, "hand": "?? ??", "pile": "5S"}
    assert rule("rulebook", "play K", **kings)["verdict"] == "legal"
    assert rule("rulebook", "play K K", **kings)["broken"] == ELSEWHERE


@pytest.mark.parametrize(("burned", "pile", "verdict"), [([], "9H", "legal"), (["9H"], "9H", "illegal")])
def test_elsewhere_with_two_packs_there_are_two(
    rule: Rule, burned: list[str], pile: str, verdict: str
) -> None:
    hand = "9H ?? ?? ?? ?? ?? ??"
    ruling = rule("shed", "play 9H", hand=hand, pile=pile, burned=burned, players=5)
    assert ruling["verdict"] == verdict


def test_elsewhere_a_card_held_in_two_places_is_noted_and_proves_nothing(rule: Rule) -> None:
    held = {"hand": "5H AH", "burned": ["AH"], "pile": "9S"}
    assert (
        "The ace of hearts is known in two places: one of them was misread."
        in rule("winnersh", "pick_up", **held)["notes"]
    )
    assert rule("rulebook", "pick_up", **held)["verdict"] == "unproven"
    assert rule("rulebook", "pick_up", hand="5H AH", pile="9S")["broken"] == ["pickup.must-play"]


def test_elsewhere_in_a_game(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("pick_up", CAT, "4H")
    assert broken(game.play(ANN, "4H", draws=1)) == ELSEWHERE


def test_burn_out_of_play_in_a_game_for_a_3_that_is_shown_again(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=BOB)
    game.play(CAT, "5H", draws=1)
    assert broken(game.tell("show", ANN, "3H", to=BOB)) == ["burn.out-of-play"]


def test_elsewhere_is_a_misreading_where_the_observer_may_err(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1, confidence=0.97)
    game.tell("pick_up", CAT, "4H")
    outcome = game.play(ANN, "4H", draws=1)
    assert verdict(outcome) == "unproven"
    assert outcome.ruling is not None
    assert outcome.ruling["needs"] == ["which of the two cards was misread"]
    assert not notes(outcome)
