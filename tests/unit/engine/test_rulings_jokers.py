"""The rules with jokers, rule by rule; each test is named after the rule it tests."""

from __future__ import annotations

import pytest

from tests.unit.engine.conftest import Rule, Start
from tests.unit.engine.outcomes import broken, verdict

J = "jokers"


@pytest.mark.parametrize(
    ("card", "pile", "broken"),
    [
        ("KH", "KS", []),
        ("9H", "10S", ["play.equal-or-higher"]),
        ("2H", "AS", []),
        ("3H", "AS", []),
        ("10H", "AS", []),
        ("10H", "7S", []),
        ("JOKER", "AS", []),
        ("4H", "JOKER", []),
        ("4H", "2S", []),
        ("6H", "7S", []),
        ("8H", "7S", ["seven.or-lower"]),
        ("7H", "8S", ["seven.natural-order"]),
        ("8H", "9S", ["seven.natural-order"]),
        ("QH", "KS 3S", ["three.transparent"]),
        ("9H", "7S 3S", ["three.transparent"]),
        ("4H", "2S 3S", []),
        ("4H", "3S", []),
        ("4H", "8S 3S 3C", ["three.transparent"]),
    ],
)
def test_play_equal_or_higher_and_the_special_cards(
    rule: Rule, card: str, pile: str, broken: list[str]
) -> None:
    assert rule(J, f"play {card}", hand=f"{card} QC QD", pile=pile)["broken"] == broken


def test_joker_reverses(rule: Rule) -> None:
    ruling = rule(J, "play JOKER", hand="JOKER 9H", pile="AS")
    assert (ruling["direction"], ruling["next"]) == ("anticlockwise", "P4")
    back = rule(J, "play JOKER", hand="JOKER 9H", pile="AS", direction="anticlockwise")
    assert (back["direction"], back["next"]) == ("clockwise", "P2")


def test_joker_reverses_once_each(rule: Rule) -> None:
    two = rule(J, "play JOKER JOKER", hand="JOKER JOKER 9H", pile="AS")
    assert (two["direction"], two["next"]) == ("clockwise", "P2")
    option = rule(J, "play JOKER JOKER", hand="JOKER JOKER 9H", pile="AS", options=["set-reverses-once"])
    assert (option["direction"], option["next"]) == ("anticlockwise", "P4")


@pytest.mark.parametrize(
    ("eights", "players", "skipped", "next_player"),
    [
        (1, 4, ["P2"], "P3"),
        (2, 4, ["P2", "P3"], "P4"),
        (3, 4, ["P2", "P3", "P4"], "P1"),
        (3, 3, ["P2", "P3"], "P1"),
        (1, 2, ["P2"], "P1"),
    ],
)
def test_eight_skips(rule: Rule, eights: int, players: int, skipped: list[str], next_player: str) -> None:
    cards = " ".join(["8C", "8D", "8H"][:eights])
    ruling = rule(J, f"play {cards}", hand=f"{cards} 9H", pile="4S", players=players)
    assert (ruling["skipped"], ruling["next"]) == (skipped, next_player)


def test_eight_skips_nobody_when_four_burn(rule: Rule) -> None:
    ruling = rule(J, "play 8C 8D 8H 8S", hand="8C 8D 8H 8S 9H", pile="4S")
    assert (ruling["burn"], ruling["skipped"], ruling["next"]) == (True, [], "P1")


def test_eight_skips_again_through_a_three_never(rule: Rule) -> None:
    assert rule(J, "play 3H", hand="3H 9H", pile="8S")["skipped"] == []


def test_ten_burns(rule: Rule) -> None:
    ruling = rule(J, "play 10H", hand="10H 9H", pile="4S", draw=9)
    assert (ruling["burn"], ruling["next"], ruling["draw"]) == (True, "P1", 1)


def test_ten_burns_as_last_card(rule: Rule) -> None:
    ruling = rule(J, "play 10H", hand="10H", up="", down=0, pile="4S", draw=0)
    assert (ruling["burn"], ruling["left"], ruling["next"]) == (True, ["P1"], "P2")


def test_two_resets_without_another_turn(rule: Rule) -> None:
    ruling = rule(J, "play 2H", hand="2H 9H", pile="AS")
    assert (ruling["extra_turn"], ruling["next"]) == (False, "P2")


def test_four_run_is_broken_by_a_three(rule: Rule) -> None:
    play = {"hand": "6H 6S 9H", "pile": "6D 6C 3S"}
    assert rule(J, "play 6H 6S", **play)["burn"] is False
    assert rule(J, "play 6H 6S", options=["four-through-3s"], **play)["burn"] is True


def test_four_out_of_turn(rule: Rule) -> None:
    ruling = rule(J, "play KH KS", hand="KH KS 9H", pile="KC KD", player="P3")
    assert (ruling["verdict"], ruling["burn"], ruling["next"]) == ("legal", True, "P3")


def test_four_out_of_turn_only_if_complete(rule: Rule) -> None:
    assert rule(J, "play KH", hand="KH KS 9H", pile="KC KD", player="P3")["broken"] == ["turn.order"]
    assert rule(J, "play KH", hand="KH 9H", pile="KC KD KS 2S", player="P3")["broken"] == ["turn.order"]


def test_four_out_of_turn_only_with_cards_in_play(rule: Rule) -> None:
    early = rule(J, "up KH", hand="9H", up="KH 4H 5H", pile="KC KD KS", draw=0, player="P3")
    assert early["broken"] == ["up.only-when-hand-empty"]
    assert rule(J, "up KH", hand="", up="KH 4H", pile="KC KD KS", draw=0, player="P3")["verdict"] == "legal"


@pytest.mark.parametrize(
    ("hand", "verdict"),
    [
        ("4H 5H 6H", "legal"),
        ("4H 5H AH", "illegal"),
        ("4H 2H", "illegal"),
        ("4H 3H", "illegal"),
        ("4H ??", "unproven"),
        ("?? AH", "illegal"),
        (None, "unproven"),
    ],
)
def test_pickup_must_play(rule: Rule, hand: str | None, verdict: str) -> None:
    ruling = rule(J, "pick_up", hand=hand, pile="9H KH")
    assert ruling["verdict"] == verdict
    assert ruling["broken"] == (["pickup.must-play"] if verdict == "illegal" else [])
    assert ("needs" in ruling) == (verdict == "unproven")


def test_pickup_must_play_where_anything_goes(rule: Rule) -> None:
    assert rule(J, "pick_up", hand="?? ??", pile="2H")["broken"] == ["pickup.must-play"]


def test_pickup_must_play_from_the_up_cards(rule: Rule) -> None:
    assert rule(J, "pick_up", hand="", up="AH 4H", pile="KH", draw=0)["broken"] == ["pickup.must-play"]
    assert rule(J, "pick_up", hand="", up="4H 5H", pile="KH", draw=0)["verdict"] == "legal"


def test_pickup_of_nothing(rule: Rule) -> None:
    assert rule(J, "pick_up", hand="4H", pile="")["verdict"] == "illegal"


def test_pickup_loses_turn(rule: Rule) -> None:
    assert rule(J, "pick_up", hand="4H", pile="9H KH", direction="anticlockwise")["next"] == "P4"


def test_replenish_as_many_as_played(rule: Rule) -> None:
    assert rule(J, "play 9H 9S", hand="9H 9S 4H", pile="8S", draw=1)["draw"] == 1
    assert rule(J, "play 9H 9S", pile="8S", draw=10)["draw"] == 2
    assert rule(J, "draw 2", hand="4H", draw=9, owed={"P1": 1})["broken"] == ["replenish.as-many-as-played"]


def test_up_when_hand_empty_is_played_from_the_table(rule: Rule) -> None:
    assert rule(J, "take_up KH", hand="", up="KH 4H", pile="9H", draw=0)["broken"] == ["up.when-hand-empty"]


def test_up_last_hand_combo(rule: Rule) -> None:
    game = {"up": "JS 5H", "pile": "9H", "draw": 0}
    assert rule(J, "hand+up JH JS", hand="JH", **game)["verdict"] == "legal"
    assert rule(J, "hand+up JH JS", hand="JH 4H", **game)["broken"] == ["up.last-hand-combo"]


def test_down_only_when_up_empty(rule: Rule) -> None:
    assert rule(J, "flip KH", hand="", up="4H", down=3, pile="9H")["broken"] == ["down.only-when-up-empty"]


def test_down_no_look(rule: Rule) -> None:
    assert rule(J, "take_down 1", hand="", up="", down=3, pile="9H")["broken"] == ["down.no-look"]


def test_down_that_fails_is_picked_up_with_the_pile(rule: Rule) -> None:
    ruling = rule(J, "flip 4H", hand="", up="", down=3, pile="9H", draw=0)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P2")


def test_showing_is_no_action_here(rule: Rule) -> None:
    assert rule(J, "show 3H P2", hand="3H", pile="9H")["verdict"] == "illegal"


@pytest.mark.parametrize(
    ("card", "pile", "broken"),
    [
        ("9S", "4H", ["ext.four-colour"]),
        ("9D", "4H", []),
        ("4S", "4H", []),
        ("2S", "4H", []),
        ("3S", "4H", []),
        ("10S", "4H", []),
        ("JOKER", "4H", []),
        ("9S", "4H 3S", ["ext.four-colour"]),
        ("9S", "4H 2H", []),
        ("9S", "4D 9H", []),
    ],
)
def test_ext_four_colour(rule: Rule, card: str, pile: str, broken: list[str]) -> None:
    play = {"hand": f"{card} QC QD", "pile": pile}
    assert rule(J, f"play {card}", options=["4-colour"], **play)["broken"] == broken
    assert rule(J, f"play {card}", **play)["verdict"] == "legal"


def test_ext_four_colour_of_fours_played_together(rule: Rule) -> None:
    fours = {"pile": "4H 4S", "options": ["4-colour"]}
    assert rule(J, "play 9D", hand="9D", last_set=2, **fours)["verdict"] == "legal"
    assert rule(J, "play 9D", hand="9D", last_set=1, **fours)["broken"] == ["ext.four-colour"]


def test_ext_four_colour_unknown_suit(rule: Rule) -> None:
    assert rule(J, "play 9", hand="9 QC", pile="4H", options=["4-colour"])["verdict"] == "unproven"


def test_ext_queen_reverse(rule: Rule) -> None:
    queen = {"hand": "QH 9H", "pile": "4S"}
    assert rule(J, "play QH", **queen)["direction"] == "clockwise"
    assert rule(J, "play QH", options=["q-reverse"], **queen)["direction"] == "anticlockwise"


def test_ext_ten_not_on_seven(rule: Rule) -> None:
    for pile in ("7S", "7S 3S"):
        ten = {"hand": "10H 9H", "pile": pile, "options": ["10-not-on-7"]}
        assert rule(J, "play 10H", **ten)["broken"] == ["ext.ten-not-on-seven"]


@pytest.mark.parametrize(
    ("card", "pile", "sets", "broken"),
    [
        ("KH", "4H 4S 3D", None, []),  # the two 4s may have been played together
        ("KH", "4H 4S 3D", [2, 1], []),
        ("KH", "4H 4S 3D", [1, 1, 1], ["ext.four-colour"]),
        ("KS", "4S 4H 3C 3D", [1, 1, 2], ["ext.four-colour"]),
        ("KH", "4S 4H 3C 3D", [1, 1, 2], []),
        ("KS", "4S 4H 3C 3D", [2, 2], []),
        ("KH", "4H 3C 4S", None, ["ext.four-colour"]),  # the 3 parts them
        ("KH", "9S 4H 3C", [1, 2], []),  # a set of two ranks that stood: the 4 is red
    ],
)
def test_ext_four_colour_through_a_three_looks_at_the_set_below(
    rule: Rule, card: str, pile: str, sets: list[int] | None, broken: list[str]
) -> None:
    given = {} if sets is None else {"sets": sets}
    ruling = rule(J, f"play {card}", hand=f"{card} QC", pile=pile, options=["4-colour"], **given)
    assert ruling["broken"] == broken


def test_ext_four_colour_last_set_says_nothing_of_what_lies_under_the_threes(rule: Rule) -> None:
    fours = {"hand": "KH QC", "pile": "4H 4S 3D", "options": ["4-colour"]}
    assert rule(J, "play KH", last_set=1, **fours)["verdict"] == "legal"


def test_ext_four_colour_with_an_unread_card_under_the_four(rule: Rule) -> None:
    fours = {"hand": "KS QC", "options": ["4-colour"]}
    assert rule(J, "play KS", pile="?? 4H", **fours)["verdict"] == "unproven"  # it may be a black 4
    assert rule(J, "play KS", pile="?? 4H", last_set=1, **fours)["broken"] == ["ext.four-colour"]
    assert rule(J, "play KS", pile="?? 4H", burned=["4S", "4C"], **fours)["broken"] == ["ext.four-colour"]


def test_ext_four_colour_in_a_game(start: Start) -> None:
    game = start("jokers", options=["4-colour"], loser="Ann")
    game.play("Ann", "4S", draws=1)
    game.play("Bob", "4H", draws=1)
    game.play("Cat", "3H 3D", draws=2)
    assert broken(game.play("Ann", "KS", draws=1)) == ["ext.four-colour"]
    together = start("jokers", options=["4-colour"], loser="Ann")
    together.play("Ann", "4H 4S", draws=2)
    together.play("Bob", "3H", draws=1)
    assert verdict(together.play("Cat", "KH", draws=1)) == "legal"


@pytest.mark.parametrize(
    ("card", "pile", "says"),
    [
        ("QH", "KS 3S", "a king under the 3"),
        ("10H", "7S 3S", "a 7 under the 3"),
        ("9S", "4H 3S", "a red 4 under the 3"),
        ("9H", "4S 3S", "a black 4 under the 3"),
    ],
)
def test_three_transparent_the_words_name_what_lies_on_top(
    rule: Rule, card: str, pile: str, says: str
) -> None:
    options = ["4-colour", "10-not-on-7"]
    ruling = rule(J, f"play {card}", hand=f"{card} QC", pile=pile, options=options)
    (breach,) = ruling["breaches"]
    assert says in breach["says"]


def test_start_4h_and_the_steps_after_it_are_cited(rule: Rule) -> None:
    first = {"hand": "9H QH KH", "pile": "", "turn": None, "opening": True}
    for card, cited in (("4H", "start.4h"), ("4S", "start.any-4"), ("5S", "start.closest-to-4")):
        others = {"P2": {"hand": [card, "JD", "QD"]}}
        assert rule(J, "play 9H", others=others, **first)["broken"] == [cited]
