"""The backpacker rules, rule by rule; each test is named after the rule it tests."""

from __future__ import annotations

import pytest

from tests.unit.engine.conftest import Rule

B = "backpacker"


@pytest.mark.parametrize(
    ("card", "pile", "broken"),
    [
        ("KH", "KS", []),
        ("9H", "10S", ["play.equal-or-higher"]),
        ("3H", "3S", []),
        ("3H", "4S", ["play.equal-or-higher"]),
        ("3H", "2S", []),
        ("3H", "", []),
        ("2H", "AS", []),
        ("10H", "AS", []),
        ("10H", "7S", []),
        ("8H", "7S", ["seven.or-lower"]),
        ("3H", "7S", []),
        ("7H", "8S", ["seven.on-seven-or-lower"]),
        ("7H", "7S", []),
    ],
)
def test_play_equal_or_higher_and_the_cards_with_power(
    rule: Rule, card: str, pile: str, broken: list[str]
) -> None:
    assert rule(B, f"play {card}", hand=f"{card} QC QD", pile=pile)["broken"] == broken


def test_two_gives_no_other_turn(rule: Rule) -> None:
    ruling = rule(B, "play 2H", hand="2H 9H", pile="AS")
    assert (ruling["extra_turn"], ruling["next"]) == (False, "P2")


def test_ten_clears_and_leads(rule: Rule) -> None:
    ruling = rule(B, "play 10H", hand="10H 9H 9S", pile="AS", draw=4)
    assert (ruling["burn"], ruling["next"], ruling["draw"]) == (True, "P1", 1)


def test_pickup_by_choice(rule: Rule) -> None:
    ruling = rule(B, "pick_up", hand="AH", pile="4S")
    assert (ruling["verdict"], ruling["next"]) == ("legal", "P2")
    assert rule(B, "pick_up", pile="4S")["verdict"] == "legal"


def test_pickup_of_nothing(rule: Rule) -> None:
    assert rule(B, "pick_up", hand="AH", pile="")["verdict"] == "illegal"


def test_up_only_when_deck_empty(rule: Rule) -> None:
    assert rule(B, "up KH", hand="", up="KH 4H", pile="9H", draw=2)["broken"] == ["up.only-when-deck-empty"]


def test_up_only_when_hand_empty(rule: Rule) -> None:
    early = rule(B, "up KH", hand="9S", up="KH 4H 5H", pile="9H", draw=0)
    assert early["broken"] == ["up.only-when-hand-empty"]


def test_up_empty_hand_again(rule: Rule) -> None:
    again = rule(B, "up KH", hand="9S", up="KH 4H", pile="9H", draw=0)
    assert again["broken"] == ["up.empty-hand-again"]


def test_up_is_played_from_the_table(rule: Rule) -> None:
    assert rule(B, "up KH", hand="", up="KH 4H", pile="9H", draw=0)["verdict"] == "legal"
    assert rule(B, "take_up KH", hand="", up="KH 4H", pile="9H", draw=0)["verdict"] == "illegal"


def test_up_place_then_pick_up(rule: Rule) -> None:
    game = {"hand": "", "up": "4H 5H", "down": 3, "pile": "KH", "draw": 0, "options": ["up-card-pick-up"]}
    placed = rule(B, "up 4H", **game)
    assert (placed["verdict"], placed["picks_up"], placed["next"]) == ("legal", "P1", "P2")
    assert rule(B, "pick_up", **game)["broken"] == ["up.place-then-pick-up"]
    without = {**game, "options": []}
    assert rule(B, "up 4H", **without)["broken"] == ["play.equal-or-higher"]
    assert rule(B, "pick_up", **without)["verdict"] == "legal"


def test_down_flip_that_is_valid(rule: Rule) -> None:
    ruling = rule(B, "flip KH", hand="", up="", down=2, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["next"], ruling["left"]) == ("legal", "P2", [])


def test_down_flip_that_is_not_valid(rule: Rule) -> None:
    ruling = rule(B, "flip 4H", hand="", up="", down=2, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P2")


def test_down_flip_must_be_made(rule: Rule) -> None:
    only_down = {"hand": "", "up": "", "down": 2, "pile": "9H", "draw": 0}
    assert rule(B, "pick_up", **only_down)["broken"] == ["down.flip"]
    assert rule(B, "pick_up", options=["down-pick-up"], **only_down)["verdict"] == "legal"


def test_down_flip_one_at_a_time(rule: Rule) -> None:
    two = {"cards": ["KH", "KS"]}
    ruling = rule(B, "flip", hand="", up="", down=2, pile="9H", draw=0, more=two)
    assert "down.flip" in ruling["broken"]


def test_down_flip_of_an_unseen_card(rule: Rule) -> None:
    ruling = rule(B, "flip", hand="", up="", down=2, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["next"], ruling["burn"]) == ("legal", None, None)


def test_end_out_and_ritual_i_am(rule: Rule) -> None:
    ruling = rule(B, "flip KH", hand="", up="", down=1, pile="9H", draw=0, players=2)
    assert (ruling["left"], ruling["shithead"]) == (["P1"], "P2")
    assert ruling["rituals"] == ["I am the Shithead!"]


def test_several_packs_have_a_card_twice(rule: Rule) -> None:
    assert rule(B, "play 9H", hand="9H", pile="9H", players=6)["verdict"] == "legal"
    third = rule(B, "play 9H", hand="9H", pile="9H", burned=["9H"], players=6)
    assert third["broken"] == ["physical.elsewhere"]


@pytest.mark.parametrize(
    ("card", "cited"),
    [
        ("3S", "start.black-three"),
        ("3H", "start.red-three"),
        ("4S", "start.black-before-red"),
        ("4H", "start.black-before-red"),
    ],
)
def test_start_each_step_is_cited(rule: Rule, card: str, cited: str) -> None:
    others = {"P2": {"hand": [card, "JD", "QD"]}}
    first = {"hand": "9H 10H KH", "pile": "", "turn": None, "opening": True}
    assert rule(B, "play 9H", others=others, **first)["broken"] == [cited]
    computer = rule(B, "play 9H", others=others, options=["computer-start"], **first)
    assert computer["broken"] == ["start.lowest-card"]


def test_start_after_dealer_breaks_ties(rule: Rule) -> None:
    others = {"P2": {"hand": ["3S", "JD", "QD"]}}
    first = {"hand": "3C 10H KH", "pile": "", "turn": None, "opening": True, "options": ["computer-start"]}
    tied = rule(B, "play 3C", others=others, dealer="P1", **first)
    assert tied["broken"] == ["start.after-dealer"]
    assert rule(B, "play 3C", others=others, dealer="P4", **first)["verdict"] == "legal"
    assert rule(B, "play 3C", others=others, **first)["verdict"] == "legal"


def test_down_flip_that_fails_is_cited(rule: Rule) -> None:
    ruling = rule(B, "flip 4H", hand="", up="", down=2, pile="9H", draw=0)
    assert [entry["rule"] for entry in ruling["basis"]][:2] == ["down.fail", "down.flip"]


def test_pickup_keeps_up_cards_is_cited(rule: Rule) -> None:
    ruling = rule(B, "pick_up", hand="", up="4H 5H", down=3, pile="9H", draw=0)
    assert "up.pickup-keeps-up" in [entry["rule"] for entry in ruling["basis"]]


def test_pickup_of_nothing_says_what_may_be_played(rule: Rule) -> None:
    assert rule(B, "pick_up", hand="4H 5H", pile="")["broken"] == ["play.any-on-empty"]
    assert rule(B, "pick_up", hand="4H 5H", pile=None)["verdict"] == "unproven"
    assert rule(B, "pick_up 3", hand="4H 5H", pile=None)["verdict"] == "legal"
