"""The short rulebook, rule by rule; each test is named after the rule it tests."""

from __future__ import annotations

import pytest

from tests.unit.engine.conftest import Rule

R = "rulebook"


@pytest.mark.parametrize(
    ("card", "pile", "broken"),
    [
        ("KH", "KS", []),
        ("9H", "JS", ["play.equal-or-higher"]),
        ("2H", "AS", []),
        ("3H", "2S", []),
        ("3H", "4S", ["play.equal-or-higher"]),
        ("7H", "8S", ["seven.normally"]),
        ("7H", "7S", []),
        ("8H", "7S", ["seven.or-lower"]),
        ("10H", "7S", ["seven.or-lower"]),
        ("10H", "9S", []),
        ("10H", "JS", ["ten.normal-order"]),
        ("4H", "7S 5S", ["play.equal-or-higher"]),
        ("9H", "7S 5S", []),
    ],
)
def test_play_equal_or_higher_and_the_wildcards(rule: Rule, card: str, pile: str, broken: list[str]) -> None:
    assert rule(R, f"play {card}", hand=f"{card} QC QD", pile=pile)["broken"] == broken


def test_ten_burns_and_the_next_player_leads(rule: Rule) -> None:
    ten = {"hand": "10H 9H", "pile": "4S", "draw": 0}
    ruling = rule(R, "play 10H", **ten)
    assert (ruling["burn"], ruling["extra_turn"], ruling["next"]) == (True, False, "P2")
    option = rule(R, "play 10H", options=["burn-again"], **ten)
    assert (option["extra_turn"], option["next"]) == (True, "P1")


def test_four_in_a_row(rule: Rule) -> None:
    ruling = rule(R, "play KH KS", hand="KH KS 4D", pile="KD KC")
    assert (ruling["burn"], ruling["next"]) == (True, "P2")


def test_two_on_any_gives_no_other_turn(rule: Rule) -> None:
    assert rule(R, "play 2H", hand="2H 9H", pile="AS")["next"] == "P2"


def test_pickup_must_play(rule: Rule) -> None:
    assert rule(R, "pick_up", hand="4H 5H", pile="KS")["next"] == "P2"
    assert rule(R, "pick_up", hand="4H AH", pile="KS")["broken"] == ["pickup.must-play"]
    assert rule(R, "pick_up", hand="", up="", down=2, pile="KS", draw=0)["verdict"] == "unproven"


def test_up_only_when_hand_empty(rule: Rule) -> None:
    assert rule(R, "up KH", hand="9S", up="KH 4H 5H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]
    assert rule(R, "hand+up KC KH", hand="KC", up="KH 4H 5H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]


def test_up_picked_up_first(rule: Rule) -> None:
    assert rule(R, "up KH", hand="9S", up="KH 4H", pile="9H", draw=0)["broken"] == ["up.picked-up-first"]


def test_down_only_when_up_empty(rule: Rule) -> None:
    assert rule(R, "flip", hand="", up="KH", down=3, pile="9H", draw=0)["broken"] == [
        "down.only-when-up-empty"
    ]


def test_down_no_look(rule: Rule) -> None:
    assert rule(R, "take_down 1", hand="", up="", down=3, pile="9H", draw=0)["broken"] == ["down.no-look"]


def test_end_shithead(rule: Rule) -> None:
    ruling = rule(R, "flip KH", hand="", up="", down=1, pile="9H", draw=0, players=2)
    assert (ruling["left"], ruling["shithead"], ruling["rituals"]) == (["P1"], "P2", [])


def test_start_dealers_left_where_no_turn_is_given(rule: Rule) -> None:
    first = {"hand": "5H 6H KH", "pile": "", "draw": 16, "dealer": "P4", "opening": True}
    third = rule(R, "play 5H", player="P3", turn=None, **first)
    assert third["broken"] == ["start.dealers-left"]
    assert rule(R, "play 5H", player="P1", turn=None, **first)["verdict"] == "legal"
    assert rule(R, "play 5H", player="P3", turn="P1", **first)["broken"] == ["start.dealers-left"]
    unsaid = {**first, "opening": None, "burned": []}
    assert rule(R, "play 5H", player="P3", turn=None, **unsaid)["broken"] == ["start.dealers-left"]
    later = {**first, "opening": False}
    assert rule(R, "play 5H", player="P3", turn=None, **later)["verdict"] == "legal"


def test_down_that_fails_is_cited(rule: Rule) -> None:
    ruling = rule(R, "flip 4H", hand="", up="", down=2, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P2")
    assert [entry["rule"] for entry in ruling["basis"]] == ["pickup.must-play", "down.only-when-up-empty"]


def test_down_flip_of_an_unread_card(rule: Rule) -> None:
    ruling = rule(R, "flip", hand="", up="", down=2, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["next"], ruling["burn"]) == ("legal", "P2", None)
