"""Showing 3s by the Winnersh rules; each test is named after the rule it tests."""

from __future__ import annotations

from typing import Any

import pytest

from engine.judging.judge import judge
from engine.ruleset import build_variant
from tests.unit.engine.conftest import Rule, situation

W = "winnersh"


def test_three_show_right_gives_the_turn_back(rule: Rule) -> None:
    ruling = rule(W, "show 3H P4", hand="3H 5H 6H", pile="9H KH", draw=0)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P4", "P1")


@pytest.mark.parametrize("pile", ["", "AH", "7H", "3C"])
def test_three_show_whatever_lies_there(rule: Rule, pile: str) -> None:
    assert rule(W, "show 3H P2", hand="3H 5H", pile=pile)["verdict"] == "legal"


def test_three_show_only_threes(rule: Rule) -> None:
    assert rule(W, "show 4H P2", hand="4H 5H", pile="9H")["broken"] == ["three.show"]


def test_three_show_not_to_oneself(rule: Rule) -> None:
    assert rule(W, "show 3H P1", hand="3H 5H", pile="9H")["broken"] == ["three.show"]


def test_three_show_out_of_turn(rule: Rule) -> None:
    assert rule(W, "show 3H P2", hand="3H 5H", pile="9H", turn="P3")["broken"] == ["turn.order"]


def test_three_one_per_show(rule: Rule) -> None:
    act = {"cards": ["3H", "3S"]}
    assert rule(W, "show 3H P2", hand="3H 3S", pile="9H", more=act)["broken"] == ["three.one-per-show"]


def test_three_backfire(rule: Rule) -> None:
    ruling = rule(W, "show 3H P3 P3>P1", hand="3H 5H 6H", pile="9H KH")
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P2")


def test_three_backfire_and_back_again(rule: Rule) -> None:
    ruling = rule(W, "show 3H P3 P3>P1 P1>P3", hand="3H 3S 6H", pile="9H KH")
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P3", "P4")


def test_three_backfire_needs_a_second_three(rule: Rule) -> None:
    ruling = rule(W, "show 3H P3 P3>P1 P1>P3", hand="3H 5S 6H", pile="9H KH")
    assert ruling["broken"] == ["three.backfire"]


def test_three_backfire_needs_a_three(rule: Rule) -> None:
    others = {"P3": {"hand": ["4H", "5C"]}}
    assert rule(W, "show 3H P3 P3>P1", hand="3H 5H", pile="9H", others=others)["broken"] == ["three.backfire"]


def test_three_backfire_goes_back_to_the_one_who_showed(rule: Rule) -> None:
    assert rule(W, "show 3H P3 P3>P4", hand="3H 5H", pile="9H")["broken"] == ["three.backfire"]


def test_three_answer_from_up(rule: Rule) -> None:
    up = {"P3": {"hand": [], "up": ["3S", "KH"], "down": 3}}
    full = {"P3": {"hand": ["KC"], "up": ["3S", "KH"], "down": 3}}
    show = {"hand": "3H 5H", "pile": "9H", "draw": 0, "more": {"answered_from": "up"}}
    assert rule(W, "show 3H P3 P3>P1", others=up, **show)["verdict"] == "legal"
    assert rule(W, "show 3H P3 P3>P1", others=full, **show)["broken"] == ["three.answer-from-up"]


def test_three_answer_from_down(rule: Rule) -> None:
    down = {"P3": {"hand": [], "up": [], "down": 2}}
    up = {"P3": {"hand": [], "up": ["KC"], "down": 2}}
    show = {"hand": "3H 5H", "pile": "9H", "draw": 0, "more": {"answered_from": "down"}}
    assert rule(W, "show 3H P3 P3>P1", others=down, **show)["verdict"] == "legal"
    assert rule(W, "show 3H P3 P3>P1", others=up, **show)["broken"] == ["three.answer-from-down"]


def test_three_show_back_in(rule: Rule) -> None:
    # P3 has left; P2 sits on P3's right.
    show = {"hand": "3H 5H", "pile": "9H", "draw": 0}
    open_way = rule(W, "show 3H P3", left={"P3": {"turns_since": ["P4"]}}, **show)
    assert (open_way["verdict"], open_way["back_in"], open_way["next"]) == ("legal", ["P3"], "P4")
    closed = rule(W, "show 3H P3", left={"P3": {"turns_since": ["P4", "P1", "P2"]}}, **show)
    assert closed["broken"] == ["three.show-back-in"]


def test_three_show_back_in_on_an_empty_pile(rule: Rule) -> None:
    ruling = rule(W, "show 3H P3", hand="3H 5H", up="", down=0, pile="", left={"P3": {"turns_since": ["P4"]}})
    assert (ruling["back_in"], ruling["picks_up"], ruling["shithead"]) == ([], None, None)


def test_three_last_card_shown_leaves(rule: Rule) -> None:
    ruling = rule(W, "show 3H P2", hand="3H", up="", down=0, pile="9S", draw=0, players=3)
    assert (ruling["left"], ruling["next"], ruling["shithead"]) == (["P1"], "P3", None)


def test_three_last_card_shown_of_two(rule: Rule) -> None:
    ruling = rule(W, "show 3H P2", hand="3H", up="", down=0, pile="9S", draw=0, players=2)
    assert (ruling["left"], ruling["shithead"]) == (["P1"], "P2")


@pytest.mark.parametrize("pile", ["", "9S"])
def test_three_last_card_answered_by_a_last_card(rule: Rule, pile: str) -> None:
    others = {"P2": {"hand": ["3S"], "up": [], "down": 0}}
    last = {"hand": "3H", "up": "", "down": 0, "draw": 0, "players": 2}
    ruling = rule(W, "show 3H P2 P2>P1", pile=pile, others=others, **last)
    assert (ruling["shithead"], ruling["left"]) == ("P1", ["P2"])


def test_three_draw_after_a_show_is_expected_and_never_called(rule: Rule) -> None:
    assert rule(W, "show 3H P2", hand="3H 5H 6H", pile="9S", draw=4)["draw"] == 1


def test_three_answer_from_down_not_with_cards_in_hand(rule: Rule) -> None:
    others = {"P2": {"hand": ["6D"], "up": [], "down": 2}}
    answer = {
        "others": others,
        "more": {"answered_from": "down"},
        "hand": "3H 5C 6H",
        "pile": "AH",
        "draw": 0,
    }
    assert rule("winnersh", "show 3H P2 P2>P1", **answer)["broken"] == ["three.answer-from-down"]


def test_three_answer_from_up_once_the_hand_is_empty(rule: Rule) -> None:
    # P3's last hand-card answers; shown a second 3, P3 brings in the one among the up-cards.
    others = {"P3": {"hand": ["3S"], "up": ["3C", "KC"], "down": 3}}
    chain = "show 3H P3 P3>P1 P1>P3 P3>P1"
    ruling = rule(W, chain, hand="3H 3D 6H", pile="9S", draw=0, others=others)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P2")
    without = {"P3": {"hand": ["3S"], "up": ["4C", "KC"], "down": 3}}
    assert rule(W, chain, hand="3H 3D 6H", pile="9S", draw=0, others=without)["broken"] == ["three.backfire"]


def test_three_answer_from_up_by_the_player_who_showed(rule: Rule) -> None:
    show = {"hand": "3H", "down": 3, "pile": "9S", "draw": 0, "others": {"P3": {"hand": ["3S", "5C"]}}}
    ruling = rule(W, "show 3H P3 P3>P1 P1>P3", up="3D KD", **show)
    assert (ruling["verdict"], ruling["picks_up"]) == ("legal", "P3")
    assert rule(W, "show 3H P3 P3>P1 P1>P3", up="4D KD", **show)["broken"] == ["three.backfire"]


def test_three_answer_from_down_once_all_else_is_gone(rule: Rule) -> None:
    only_down = {"P3": {"hand": [], "up": [], "down": 2}}
    show = {"hand": "3H 5H 6H", "pile": "9S", "draw": 0}
    assert rule(W, "show 3H P3 P3>P1", others=only_down, **show)["verdict"] == "legal"
    last_up = {"P3": {"hand": [], "up": ["3S"], "down": 2}}
    chain = {"hand": "3H 3D 6H", "pile": "9S", "draw": 0, "others": last_up}
    assert rule(W, "show 3H P3 P3>P1 P1>P3 P3>P1", **chain)["verdict"] == "legal"
    nothing = {"P3": {"hand": ["3S"], "up": [], "down": 0}}
    assert rule(W, "show 3H P3 P3>P1 P1>P3 P3>P1", **{**chain, "others": nothing})["broken"] == [
        "three.backfire"
    ]


def test_three_backfire_not_with_more_3s_than_there_are(rule: Rule) -> None:
    others = {"P3": {"hand": ["??", "??"]}}
    show = {"hand": "3H 5H", "pile": "9S", "others": others}
    assert rule(W, "show 3H P3 P3>P1", **show)["verdict"] == "legal"
    assert rule(W, "show 3H P3 P3>P1", burned=["3C", "3D", "3S"], **show)["broken"] == ["three.backfire"]


def test_three_answer_noted_as_from_the_up_cards_may_be_any_of_several(rule: Rule) -> None:
    others = {"P3": {"hand": ["3S"], "up": ["3C", "KC"], "down": 3}}
    chain = {"hand": "3H 3D 6H", "pile": "9S", "draw": 0, "others": others, "more": {"answered_from": "up"}}
    assert rule(W, "show 3H P3 P3>P1 P1>P3 P3>P1", **chain)["verdict"] == "legal"
    assert rule(W, "show 3H P3 P3>P1", **chain)["broken"] == ["three.answer-from-up"]


def test_three_show_of_an_unread_up_card(rule: Rule) -> None:
    show = {"hand": "", "down": 3, "pile": "9S", "draw": 0}
    assert rule(W, "show 3H P2", up="?? KD", **show)["verdict"] == "legal"
    assert rule(W, "show 3H P2", up="4D KD", **show)["broken"] == ["three.show"]


@pytest.mark.parametrize(
    ("hand", "verdict"), [("?? ??", "unproven"), ("4H 5H", "illegal"), ("3H 5H", "unproven")]
)
def test_three_show_of_a_card_that_nobody_identified(rule: Rule, hand: str, verdict: str) -> None:
    ruling = rule(W, "show ?? P2", hand=hand, pile="9S")
    assert ruling["verdict"] == verdict
    assert ruling["broken"] == (["three.show"] if verdict == "illegal" else [])


def test_three_show_back_in_not_once_the_game_is_over(rule: Rule) -> None:
    left: dict[str, Any] = {"P2": {"turns_since": []}}
    ruling = rule(W, "show 3H P2", hand="3H 5H", pile="9S", draw=0, players=2, left=left)
    assert ruling["broken"] == ["end.shithead"]
    assert ruling["next"] is None


def test_three_backfire_and_back_in_are_cited(rule: Rule) -> None:
    backfire = rule(W, "show 3H P3 P3>P1", hand="3H 5H 6H", pile="9H KH")
    assert "three.backfire" in [entry["rule"] for entry in backfire["basis"]]
    plain = rule(W, "show 3H P3", hand="3H 5H 6H", pile="9H KH")
    assert [entry["rule"] for entry in plain["basis"]] == ["three.show", "three.recipient-picks-up"]
    left = {"P3": {"turns_since": ["P4"]}}
    back = rule(W, "show 3H P3", hand="3H 5H", pile="9H", draw=0, left=left)
    assert "three.show-back-in" in [entry["rule"] for entry in back["basis"]]


def test_three_backfire_by_the_known_3_after_a_hidden_one_was_shown(rule: Rule) -> None:
    """The shown 3 was hidden in the hand, so the 3 that everybody saw enter it is left for the answer."""
    others = {"P2": {"hand": ["??", "??", "??"]}, "P3": {"up": ["3D", "8C", "2H"]}}
    shown = rule(W, "show 3H P2 P2>P1 P1>P2", hand="3S 4C ??", pile="9S", others=others)
    assert (shown["verdict"], shown["picks_up"]) == ("legal", "P2")
    # All four 3s are spoken for: the hidden card of P2 was the last one.
    once_more = rule(W, "show 3H P2 P2>P1 P1>P2 P2>P1", hand="3S 4C ??", pile="9S", others=others)
    assert once_more["broken"] == ["three.backfire"]


@pytest.mark.parametrize(
    ("up", "cited"), [(["3C", "KC"], "three.answer-from-up"), ([], "three.answer-from-down")]
)
def test_three_answer_from_the_table_is_cited(rule: Rule, up: list[str], cited: str) -> None:
    others = {"P3": {"hand": [], "up": up, "down": 2}}
    ruling = rule(W, "show 3H P3 P3>P1", hand="3H 6H 7H", pile="9S", draw=0, others=others)
    assert cited in [entry["rule"] for entry in ruling["basis"]]


def test_three_show_back_in_is_over_where_a_variant_has_no_way_back(rule: Rule) -> None:
    rules = build_variant({"base": W, "mechanics": {"back_in": False}}, "House")
    left: dict[str, Any] = {"P2": {"turns_since": []}}
    shown = situation(W, "show 3H P2", hand="3H 4S", pile="JS", draw=0, left=left)
    ruling = judge({**shown, "rules": rules})
    assert [breach["says"] for breach in ruling["breaches"]] == [
        "P2 has left the game, and nobody is shown back in here."
    ]
