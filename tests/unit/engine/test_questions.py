"""Who starts, who deals next, how the cards are dealt."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import BadInputError
from engine.judging.judge import judge

FOUR = ["P1", "P2", "P3", "P4"]


def ask(
    rules: str, kind: str, players: int = 4, options: tuple[str, ...] = (), **fields: Any
) -> dict[str, Any]:
    names = [f"P{number}" for number in range(1, players + 1)]
    return judge(
        {"rules": rules, "options": list(options), "players": names, "ask": {"type": kind, **fields}}
    )


def starter(rules: str, *hands: str, **fields: Any) -> str | None:
    dealt = {f"P{number}": hand.split() for number, hand in enumerate(hands, 1)}
    found: str | None = ask(rules, "who_starts", hands=dealt, **fields)["starter"]
    return found


@pytest.mark.parametrize(
    ("rules", "players", "options", "expected"),
    [
        ("winnersh", 2, (), (3, 3, 3, 34, 1, 0)),
        ("winnersh", 5, (), (3, 3, 3, 7, 1, 0)),
        ("jokers", 4, (), (3, 3, 3, 16, 1, 0)),
        ("jokers", 4, ("jokers",), (3, 3, 3, 18, 1, 2)),
        ("jokers", 5, (), (2, 2, 2, 22, 1, 0)),
        ("jokers", 8, (), (2, 2, 2, 4, 1, 0)),
        ("jokers", 5, ("jokers",), (3, 3, 3, 9, 1, 2)),
        ("jokers", 6, ("jokers",), (3, 3, 3, 0, 1, 2)),
        ("backpacker", 5, (), (3, 3, 3, 7, 1, 0)),
        ("backpacker", 6, (), (3, 3, 3, 50, 2, 0)),
        ("shed", 4, (), (3, 3, 7, 0, 1, 0)),
        ("shed", 5, (), (3, 3, 7, 39, 2, 0)),
        ("shed", 4, ("bastard-card",), (3, 3, 7, 2, 1, 2)),
        ("rulebook", 4, (), (3, 3, 3, 16, 1, 0)),
    ],
)
def test_setup_deal(rules: str, players: int, options: tuple[str, ...], expected: tuple[int, ...]) -> None:
    deal = ask(rules, "deal", players, options)
    assert tuple(deal[key] for key in ("down", "up", "hand", "draw_pile", "packs", "jokers")) == expected
    assert deal["quote"]


@pytest.mark.parametrize(("rules", "players"), [("winnersh", 6), ("jokers", 9), ("rulebook", 6)])
def test_setup_deal_of_too_few_cards(rules: str, players: int) -> None:
    with pytest.raises(BadInputError, match=f"{players} players"):
        ask(rules, "deal", players)


def test_start_weakest_card() -> None:
    assert starter("winnersh", "6H 9H KH", "5H QH AH", "7H 8H JH") == "P2"
    assert starter("winnersh", "2H 3H KH", "9H JH QH") == "P2"
    assert starter("winnersh", "2H 3H AH", "2S 2C 3S") == "P1"


def test_start_suit_breaks_ties() -> None:
    assert starter("winnersh", "4H 9H KH", "4D QH AH", "4S 8H JH", "4C 5H 6H") == "P4"
    assert starter("winnersh", "4H 9H KH", "4D QH AH") == "P2"
    assert starter("winnersh", "4H 9H KH", "9D QH AH", "4S 8H JH") == "P3"


def test_start_of_twos_and_threes_only() -> None:
    assert starter("winnersh", "2H 2S 3H", "2D 3S 3C", players=2) == "P1"  # the 2 of spades


def test_start_loser_in_jokers() -> None:
    assert starter("jokers", "4H 9H KH", "QH AH 9S", loser="P2") == "P2"


def test_start_closest_to_4() -> None:
    assert starter("jokers", "4C 9H KH", "4H QH AH") == "P2"
    assert starter("jokers", "3C 9H KH", "5H QH AH") == "P2"
    assert starter("jokers", "6C 9H KH", "3H QH AH") == "P2"
    assert starter("jokers", "6C 9H KH", "2H QH AH") == "P1"


def test_start_closest_to_4_between_equals() -> None:
    tie = ask("jokers", "who_starts", hands={"P1": ["4C"], "P3": ["4S"]})
    assert tie["starter"] is None
    assert tie["candidates"] == ["P1", "P3"]


def test_start_black_before_red() -> None:
    assert starter("backpacker", "3H 9H KH", "3S QH AH") == "P2"
    assert starter("backpacker", "4H 9H KH", "6S QH AH", "4C JH QS") == "P3"
    assert starter("backpacker", "2S 9H KH", "AH QH KS") == "P1"


def test_start_after_dealer_is_an_option() -> None:
    hands = {"P1": ["3C", "9H"], "P3": ["3S", "KH"]}
    assert ask("backpacker", "who_starts", hands=hands, dealer="P1")["starter"] is None
    with_option = ask("backpacker", "who_starts", options=("computer-start",), hands=hands, dealer="P1")
    assert with_option["starter"] == "P3"


def test_start_3d() -> None:
    assert starter("shed", "3C 9H", "3D KH") == "P2"
    assert starter("shed", "4C 9H", "5D KH") == "P1"
    assert starter("shed", "2C 9H", "AD KH") == "P1"
    assert ask("shed", "who_starts", hands={"P1": ["3C"], "P2": ["3S"]})["starter"] is None


def test_start_dealers_left() -> None:
    assert ask("rulebook", "who_starts", dealer="P4")["starter"] == "P1"
    assert ask("rulebook", "who_starts")["starter"] is None


def test_next_dealer() -> None:
    assert ask("winnersh", "next_dealer", dealer="P4", loser="P2")["dealer"] == "P1"
    assert ask("backpacker", "next_dealer", dealer="P4", loser="P2")["dealer"] == "P2"
    assert ask("rulebook", "next_dealer", dealer="P4", loser="P2")["dealer"] == "P2"
    assert ask("shed", "next_dealer", dealer="P4", loser="P2")["dealer"] is None


@pytest.mark.parametrize("question", ["sing", {"type": "sing"}, 7, {"type": "deal", "dealer": "Zoe"}])
def test_malformed_questions(question: str | dict[str, Any] | int) -> None:
    with pytest.raises(BadInputError):
        judge({"rules": "winnersh", "players": FOUR, "ask": question})


def test_a_question_may_be_asked_by_its_name_alone() -> None:
    assert judge({"rules": "winnersh", "players": FOUR, "ask": "deal"})["draw_pile"] == 16
