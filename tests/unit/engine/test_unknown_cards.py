"""Three-valued rulings: what every possible card decides alike is decided, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.conftest import Rule

W, J, B, S, R = "winnersh", "jokers", "backpacker", "shed", "rulebook"


# Burns, and the turn after them


@pytest.mark.parametrize(
    ("pile", "hand", "burn"),
    [
        ("4S ?? KS", "KH 5H 6H", False),  # at most three kings
        ("?? ?? KS", "KH 5H 6H", None),
        ("?? ?? KS", "KH 5H KD", False),  # one of the missing two is in the hand
        ("KD ?? KS", "KH 5H 6H", None),
        ("KD ?? KS KC", "KH 5H 6H", False),
        ("?? KD KS KC", "KH 5H 6H", True),
    ],
)
def test_burn_four_with_an_unread_card_in_the_pile(
    rule: Rule, pile: str, hand: str, burn: bool | None
) -> None:
    ruling = rule(W, "play KH", hand=hand, pile=pile, draw=0)
    assert ruling["burn"] is burn
    assert ruling["extra_turn"] is burn
    assert ruling["next"] == {True: "P1", False: "P2", None: None}[burn]


def test_burn_four_not_where_the_missing_card_is_known_elsewhere(rule: Rule) -> None:
    pile = {"hand": "KH 5H 6H", "pile": "?? ?? KS", "draw": 0}
    for known in (
        {"burned": ["KD"]},
        {"others": {"P3": {"up": ["KD"]}}},
        {"others": {"P3": {"hand": ["KD"]}}},
    ):
        assert rule(W, "play KH", **pile, **known)["burn"] is False


@pytest.mark.parametrize(("top", "burn"), [("?? 3S KS", False), ("KD ?? KS 3S KC", None)])
def test_burn_four_through_3s_with_an_unread_card(rule: Rule, top: str, burn: bool | None) -> None:
    ruling = rule(J, "play KH", hand="KH 5H 6H", pile=top, options=["four-through-3s"])
    assert ruling["burn"] is burn


@pytest.mark.parametrize(
    ("pile", "burn"), [("?? 9S KD KS", None), ("?? 9S 5D KS", False), ("KC 9S KD KS", True)]
)
def test_four_anywhere_with_an_unread_card(rule: Rule, pile: str, burn: bool | None) -> None:
    hand = "KH 5H 6H 6S 6D 6C 4H"
    assert rule(S, "play KH", hand=hand, pile=pile, options=["four-anywhere"])["burn"] is burn


def test_next_is_known_where_no_burn_gives_a_turn(rule: Rule) -> None:
    ruling = rule(R, "play KH", hand="KH 5H 6H", pile="?? ?? KS", draw=0)
    assert (ruling["burn"], ruling["next"], ruling["extra_turn"]) == (None, "P2", False)


def test_next_after_a_card_that_nobody_identified(rule: Rule) -> None:
    assert rule(R, "play ??", hand="?? ??", pile="KS")["next"] == "P2"
    assert rule(W, "play ??", hand="?? ??", pile="KS")["next"] is None
    twos_and_tens = ["2C", "2D", "2H", "2S", "10C", "10D", "10H", "10S"]
    ruling = rule(W, "play ??", hand="?? ??", pile="KS", burned=twos_and_tens)
    assert (ruling["verdict"], ruling["next"], ruling["burn"]) == ("unproven", "P2", False)


def test_next_after_a_set_of_which_one_card_was_not_read(rule: Rule) -> None:
    ruling = rule(W, "play KH ??", hand="?? ?? ??", pile="QS")
    assert (ruling["verdict"], ruling["next"], ruling["burn"]) == ("unproven", "P2", False)


def test_direction_after_a_card_that_nobody_identified(rule: Rule) -> None:
    assert rule(S, "play ??", hand="?? ??", pile="KS", players=2)["direction"] is None
    assert rule(W, "play ??", hand="?? ??", pile="KS")["direction"] == "clockwise"


# What may be played


@pytest.mark.parametrize(
    ("hand", "pile", "verdict"),
    [
        ("4H 5H 6H", "KS", "illegal"),  # it is one of these
        ("KH AH 2H", "KS", "legal"),
        ("4H 5H AH", "KS", "unproven"),
        ("4H ?? AH", "KS", "unproven"),
        ("4H 5H AH", "2S", "legal"),
    ],
)
def test_play_of_an_unread_card_out_of_a_hand(rule: Rule, hand: str, pile: str, verdict: str) -> None:
    ruling = rule(W, "play ??", hand=hand, pile=pile)
    assert ruling["verdict"] == verdict
    assert ruling["broken"] == (["play.equal-or-higher"] if verdict == "illegal" else [])


def test_play_sets_the_missing_card_of_a_set_is_known_elsewhere(rule: Rule) -> None:
    kings = {"burned": ["KD", "KC"], "pile": "KS"}
    assert rule(W, "play KH ??", hand="KH ??", **kings)["broken"] == ["play.sets-same-value"]
    assert rule(W, "play KH ??", hand="KH ??", pile="QS")["verdict"] == "unproven"
    assert rule(W, "play KH ??", hand="KH 5H 6H", pile="4S")["broken"] == ["play.sets-same-value"]
    assert rule(W, "play KH ??", hand="KH KD", pile="QS")["verdict"] == "legal"


@pytest.mark.parametrize(
    ("card", "pile", "burned", "verdict"),
    [
        ("9D", "9", "", "illegal"),  # no suit is lower than diamonds
        ("9H", "9", "", "unproven"),
        ("9H", "9", "9S", "legal"),  # the one that lies there is a diamond or a club
        ("9C", "9", "9S 9H", "legal"),
        ("9C", "9", "9D 9S", "illegal"),
        ("9H", "??", "", "unproven"),
        ("9S", "9 7D", "", "legal"),
    ],
)
def test_extreme_suits_with_a_suit_that_is_not_known(
    rule: Rule, card: str, pile: str, burned: str, verdict: str
) -> None:
    ruling = rule(
        S, f"play {card}", hand=f"{card} ??", pile=pile, burned=burned.split(), options=["suit-values"]
    )
    assert ruling["verdict"] == verdict


def test_extreme_suits_a_card_whose_suit_is_not_known(rule: Rule) -> None:
    nine = {"hand": "9 ??", "pile": "9H", "options": ["suit-values"]}
    assert rule(S, "play 9", **nine)["verdict"] == "unproven"
    assert rule(S, "play 9", burned=["9D", "9C"], **nine)["verdict"] == "legal"
    assert rule(S, "play 9", burned=["9S"], **nine)["broken"] == ["extreme.suits"]


def test_four_out_of_turn_with_an_unread_card(rule: Rule) -> None:
    play = {"hand": "KH 9H", "player": "P3", "turn": "P1"}
    assert rule(J, "play KH", pile="?? KS KC", **play)["verdict"] == "unproven"
    assert rule(J, "play KH", pile="?? ?? KS", burned=["KD"], **play)["broken"] == ["turn.order"]
    assert rule(J, "play KH", pile="4S ?? KS", **play)["broken"] == ["turn.order"]


# Whoever can play must play


@pytest.mark.parametrize(
    ("rules", "hand", "pile", "verdict"),
    [
        (R, "?? ?? ??", "3S", "illegal"),  # every card goes on a 3
        (R, "?? ?? ??", "4S", "unproven"),  # three 3s do not
        (R, "?? ?? ?? ?? ??", "4S", "illegal"),  # but there are only four of them
        (R, "3H ?? ?? ?? ??", "4S", "illegal"),
        (R, "3H 3D ??", "4S", "unproven"),
        (J, "5H KH", "??", "unproven"),
        (J, "4H ??", "KH", "unproven"),
    ],
)
def test_pickup_must_play_what_the_hidden_cards_can_be(
    rule: Rule, rules: str, hand: str, pile: str, verdict: str
) -> None:
    assert rule(rules, "pick_up", hand=hand, pile=pile)["verdict"] == verdict


def test_pickup_must_play_where_nothing_that_goes_is_left(rule: Rule) -> None:
    high = [rank + suit for rank in ("2", "A") for suit in "CDHS"]
    assert (
        rule(R, "pick_up", hand="?? ??", pile="AH", burned=[c for c in high if c != "AH"])["verdict"]
        == "legal"
    )
    assert (
        rule(R, "pick_up", hand=None, pile="AH", burned=[c for c in high if c != "AH"])["verdict"] == "legal"
    )


def test_pickup_must_play_a_card_for_each_thing_that_may_lie_there(rule: Rule) -> None:
    # On a 7 the 5 goes, on a queen the king: whichever card it is, one of the two could be played.
    low = [
        rank + suit for rank in ("2", "3", "4", "5", "6", "8", "9", "10", "J", "K", "A") for suit in "CDHS"
    ]
    burned = [card for card in low if card not in ("5H", "KH")]
    assert rule(R, "pick_up", hand="5H KH", pile="??", burned=burned)["broken"] == ["pickup.must-play"]


def test_pickup_must_play_with_face_down_cards_only(rule: Rule) -> None:
    down = {"hand": "", "up": "", "down": 1, "draw": 0}
    assert rule(R, "pick_up", pile="KS", **down)["verdict"] == "unproven"
    assert rule(R, "pick_up", pile="3S", **down)["broken"] == ["pickup.must-play"]


def test_the_ways_in_which_the_game_may_go_on_are_listed(rule: Rule) -> None:
    flip = rule(R, "flip 9H", hand="", up="", down=2, pile="??", draw=0)
    assert flip["possible"] == [
        {"next": "P2", "direction": "clockwise", "picks_up": None},
        {"next": "P2", "direction": "clockwise", "picks_up": "P1"},
    ]
    assert "possible" not in rule(R, "flip 9H", hand="", up="", down=2, pile="8H", draw=0)
    unread = rule(S, "play ??", hand="?? ??", pile="KS")
    assert {"next": "P4", "direction": "anticlockwise", "picks_up": None} in unread["possible"]


# Decided only where it can be proven


def test_up_place_then_pick_up_with_an_unread_card_beside_it(rule: Rule) -> None:
    place = {"hand": "", "pile": "9S", "down": 3, "draw": 0, "options": ["up-card-pick-up"]}
    unread = rule(B, "up 4H", up="4H ??", **place)
    assert (unread["verdict"], unread["next"], unread["picks_up"]) == ("unproven", "P2", None)
    assert rule(B, "up 4H", up="4H 5H", **place)["picks_up"] == "P1"
    assert rule(B, "up 4H", up="4H KH", **place)["broken"] == ["play.equal-or-higher"]
    assert rule(B, "up 4H", up=None, **place)["verdict"] == "unproven"
    assert rule(B, "up KH", up="KH ??", **place)["verdict"] == "legal"


@pytest.mark.parametrize(
    ("up", "played", "pile", "verdict"),
    [
        ("5H", "5H", "9S ??", "legal"),  # it goes, or it is placed
        ("5H", "5H", None, "legal"),
        ("5H 4H", "5H", "??", "legal"),  # what forbids the 5 forbids the 4
        ("5H 4H", "4H", "??", "unproven"),  # a 5 may lie there
        ("KH 4H", "4H", "??", "unproven"),
        ("??", "??", "9S", "legal"),
        ("??", "??", "9S ??", "legal"),
        ("KH ??", "??", "9S", "unproven"),
    ],
)
def test_up_place_then_pick_up_on_a_pile_that_was_not_read(
    rule: Rule, up: str, played: str, pile: str | None, verdict: str
) -> None:
    place = {"hand": "", "down": 3, "draw": 0, "options": ["up-card-pick-up"]}
    assert rule(B, f"up {played}", up=up, pile=pile, **place)["verdict"] == verdict


def test_up_place_then_pick_up_names_the_pile_that_was_not_read(rule: Rule) -> None:
    stuck = {"hand": "", "pile": "??", "down": 3, "draw": 0, "options": ["up-card-pick-up"]}
    for act in ("pick_up", "up 4H"):
        assert rule(B, act, up="KH 4H", **stuck)["needs"] == ["what lies on top of the pile"]


def test_up_place_then_pick_up_without_placing(rule: Rule) -> None:
    pick_up = {"hand": "", "pile": "9S", "down": 3, "draw": 0, "options": ["up-card-pick-up"]}
    assert rule(B, "pick_up", up="4H 5H", **pick_up)["broken"] == ["up.place-then-pick-up"]
    assert rule(B, "pick_up", up="4H KH", **pick_up)["verdict"] == "legal"
    assert rule(B, "pick_up", up="4H ??", **pick_up)["verdict"] == "unproven"


@pytest.mark.parametrize(
    ("rules", "count", "known", "verdict"),
    [
        (W, 2, {"hand": None, "draw": 9}, "unproven"),
        (W, 4, {"hand": None, "draw": 9}, "illegal"),  # never more than three
        (W, 1, {"hand": None, "draw": 0}, "illegal"),
        (W, 1, {"hand": "4H 5H", "draw": None}, "legal"),
        (W, 1, {"hand": "4H", "draw": None}, "unproven"),  # unless it was the last card
        (W, 2, {"hand": "4H", "draw": None}, "legal"),
        (W, 3, {"hand": "4H", "draw": None}, "illegal"),
        (W, 1, {"hand": "4H 5H 6H", "draw": None}, "illegal"),
        (J, 2, {"hand": "4H", "draw": 9}, "unproven"),  # as many as were played: how many is not said
        (J, 2, {"hand": "4H", "draw": 9, "owed": {"P1": 2}}, "legal"),
        (J, 10, {"hand": "4H", "draw": 9}, "illegal"),
    ],
)
def test_replenish_where_the_amount_due_is_not_known(
    rule: Rule, rules: str, count: int, known: dict[str, Any], verdict: str
) -> None:
    assert rule(rules, f"draw {count}", **known)["verdict"] == verdict


def test_down_only_when_up_empty_where_the_up_cards_are_not_known(rule: Rule) -> None:
    flip = {"hand": "", "down": 3, "pile": "9H", "draw": 0}
    assert rule(J, "flip KH", up=None, **flip)["verdict"] == "unproven"
    assert rule(W, "take_down 1", up=None, **flip)["verdict"] == "unproven"


def test_up_combo_deck_empty_where_the_draw_pile_is_not_known(rule: Rule) -> None:
    jacks = {"up": "JC 5H KH", "pile": "9H", "draw": None}
    assert rule(W, "hand+up JH JS JD JC", hand="JH JS JD", **jacks)["verdict"] == "unproven"
    # With fewer than three cards the hand would have been replenished.
    assert rule(W, "hand+up JH JC", hand="JH", **jacks)["verdict"] == "legal"


def test_set_with_an_unread_card_is_not_taken_for_one_that_lies_face_up(rule: Rule) -> None:
    both = {"hand": "?? ??", "up": "7C 8D", "players": 5, "burned": ["7D", "7D"]}
    assert rule(S, "play 7C ??", pile="2H", **both)["verdict"] != "illegal"  # two packs


def test_up_last_hand_combo_with_unread_up_cards(rule: Rule) -> None:
    aces = {"pile": "KH", "draw": 0, "down": 3}
    assert rule(B, "hand+up AD AH", hand="??", up="5H ?? ??", **aces)["verdict"] == "legal"
    assert rule(B, "hand+up AD AH", hand="AH", up="5H ??", **aces)["verdict"] == "legal"
    assert rule(B, "hand+up AD AH", hand="??", up="5H 6H", **aces)["broken"] == ["play.from-hand"]


def test_three_show_back_in_where_the_turns_since_are_not_known(rule: Rule) -> None:
    ruling = rule(W, "show 3H P3", hand="3H 5H", pile="9H", draw=0, left=["P3"])
    assert ruling["verdict"] == "unproven"


def test_down_flip_where_only_table_cards_may_be_left(rule: Rule) -> None:
    hidden = {"hand": None, "up": "", "down": 2, "pile": "9H"}
    assert rule(B, "pick_up", draw=0, **hidden)["verdict"] == "unproven"
    assert rule(B, "pick_up", draw=5, **hidden)["verdict"] == "legal"


def test_up_same_value_together_with_an_unread_card(rule: Rule) -> None:
    take = {"hand": "", "pile": "8H", "draw": 0, "down": 3}
    assert rule(W, "take_up 9H ??", up="9H ?? KC", **take)["verdict"] == "unproven"
    assert rule(W, "take_up 9H ??", up="9H KC", **take)["broken"] == ["up.same-value-together"]
    assert rule(W, "take_up 9H ??", up="9H 9C", **take)["verdict"] == "legal"
