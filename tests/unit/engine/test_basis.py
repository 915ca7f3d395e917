"""A legal ruling names the sentence it rests on."""

from typing import Any

import pytest

from engine.judging.judge import judge


def ruling(
    rules: str, pile: list[str], hand: list[str], action: dict[str, Any], **more: Any
) -> dict[str, Any]:
    cards = {"P1": {"hand": hand, "up": more.pop("up", ["5C"]), "down": more.pop("down", 3)}}
    table = {
        "rules": rules,
        "players": ["P1", "P2", "P3"],
        "turn": "P1",
        "draw_pile": more.pop("draw_pile", 9),
    }
    return judge({**table, "pile": pile, "cards": cards, "action": {"player": "P1", **action}, **more})


def play(*cards: str, source: str = "hand") -> dict[str, Any]:
    return {"type": "play", "cards": list(cards), "source": source}


@pytest.mark.parametrize(
    ("rules", "pile", "hand", "action", "rule"),
    [
        ("winnersh", ["8S"], ["9H", "4C"], play("9H"), "play.equal-or-higher"),
        ("winnersh", ["7S"], ["6H", "4C"], play("6H"), "play.seven-or-lower"),
        ("winnersh", [], ["6H", "4C"], play("6H"), "play.any-on-empty-except-3"),
        ("winnersh", ["AS"], ["2H", "4C"], play("2H"), "two.on-anything"),
        ("winnersh", ["AS", "2D"], ["4H", "4C", "6D"], play("4H"), "two.resets"),
        ("winnersh", ["9S"], ["10H", "4C"], play("10H"), "burn.ten"),
        ("winnersh", ["KS", "KD"], ["KH", "KC"], play("KH", "KC"), "burn.four"),
        ("winnersh", ["9S"], ["4H"], {"type": "pick_up"}, "pickup.whole-pile"),
        ("winnersh", ["9S"], ["3H"], {"type": "show", "cards": ["3H"], "to": "P2"}, "three.show"),
        ("jokers", ["9S"], ["3H", "4C"], play("3H"), "three.transparent"),
        ("jokers", ["KS"], ["4H"], {"type": "pick_up"}, "pickup.loses-turn"),
        ("backpacker", ["4S"], ["9H"], {"type": "pick_up"}, "pickup.by-choice"),
        ("backpacker", ["AS"], ["10H", "4C"], play("10H"), "ten.any-card"),
        ("shed", ["AS"], ["8H", "4C"], play("8H"), "magic.on-anything"),
        ("rulebook", ["6S", "6D"], ["6H", "6C"], play("6H", "6C"), "four.in-a-row"),
    ],
)
def test_a_legal_ruling_rests_first_on(
    rules: str, pile: list[str], hand: list[str], action: dict[str, Any], rule: str
) -> None:
    found = ruling(rules, pile, hand, action)
    assert found["verdict"] == "legal"
    assert found["basis"][0]["rule"] == rule
    assert found["basis"][0]["quote"]
    assert found["basis"][0]["cite"]


def test_a_set_rests_on_the_rule_on_sets_too() -> None:
    found = ruling("winnersh", ["8S"], ["9H", "9C"], play("9H", "9C"))
    assert [entry["rule"] for entry in found["basis"]] == ["play.equal-or-higher", "play.sets-same-value"]


def test_a_face_down_card_that_fails_rests_on_the_rule_on_failing() -> None:
    found = ruling("shed", ["QH"], [], {"type": "flip", "card": "5H"}, up=[], draw_pile=0)
    assert found["basis"][0]["rule"] == "down.fail"


@pytest.mark.parametrize("verdict", ["illegal", "unproven"])
def test_only_legal_rulings_have_a_basis(verdict: str) -> None:
    top = {"illegal": "KS", "unproven": "??"}[verdict]
    found = ruling("winnersh", [top], ["9H", "4C"], play("9H"))
    assert found["verdict"] == verdict
    assert "basis" not in found
