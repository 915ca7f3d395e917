"""The Shed rules, rule by rule; each test is named after the rule it tests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.conftest import Rule

S = "shed"


@pytest.mark.parametrize(
    ("card", "pile", "broken"),
    [
        ("KH", "KS", []),
        ("9H", "JS", ["play.equal-or-higher"]),
        ("3H", "2S", []),
        ("3H", "", []),
        ("2H", "AS", []),
        ("7H", "AS", []),
        ("8H", "AS", []),
        ("10H", "AS", []),
        ("10H", "7S", []),
        ("4H", "5S 7S", ["seven.glass"]),
        ("KH", "5S 7S", []),
        ("9H", "JS 7S 8S", ["eight.mirror"]),
        ("9H", "JS 8S 7S", ["seven.glass"]),
        ("3H", "7S", []),
        ("3H", "8S 7S", []),
        ("3H", "2S 7S", []),
        ("3H", "KS 2S 8S", []),
    ],
)
def test_magic_on_anything_and_what_must_be_beaten(
    rule: Rule, card: str, pile: str, broken: list[str]
) -> None:
    assert rule(S, f"play {card}", hand=f"{card} QC QD", pile=pile)["broken"] == broken


def test_eight_mirror_turns_the_direction(rule: Rule) -> None:
    ruling = rule(S, "play 8H", hand="8H 9H", pile="AS")
    assert (ruling["direction"], ruling["next"]) == ("anticlockwise", "P4")
    two = rule(S, "play 8H 8S", hand="8H 8S 9H", pile="AS")
    assert (two["direction"], two["next"]) == ("clockwise", "P2")
    assert rule(S, "play 8H", hand="8H 9H", pile="AS", players=2)["next"] == "P2"


def test_ten_burns(rule: Rule) -> None:
    ruling = rule(S, "play 10H", hand="10H 9H", pile="AS", draw=0)
    assert (ruling["burn"], ruling["extra_turn"], ruling["next"]) == (True, True, "P1")


def test_four_too_hot(rule: Rule) -> None:
    assert rule(S, "play KH", hand="KH 9H", pile="KS KD KC")["next"] == "P1"
    scattered = {"hand": "KH 9H", "pile": "KS KD 2S KC"}
    assert rule(S, "play KH", **scattered)["burn"] is False
    assert rule(S, "play KH", options=["four-anywhere"], **scattered)["burn"] is True


def test_pickup_must_play(rule: Rule) -> None:
    assert rule(S, "pick_up", hand="4H 5H", pile="KS")["verdict"] == "legal"
    assert rule(S, "pick_up", hand="4H 7H", pile="KS")["broken"] == ["pickup.must-play"]
    assert rule(S, "pick_up", hand="4H ??", pile="KS")["verdict"] == "unproven"


def test_pickup_picker_leads(rule: Rule) -> None:
    ruling = rule(S, "pick_up", hand="4H 5H", pile="KS")
    assert (ruling["picks_up"], ruling["next"]) == ("P1", "P1")
    assert rule(S, "play 4H", hand="4H", pile="", player="P2")["broken"] == ["pickup.picker-leads"]
    burned = rule(S, "play 4H", hand="4H", pile="", player="P2", burned=["9S", "10H"])
    assert burned["broken"] == ["turn.order"]  # the one to move may have burned the pile


def test_replenish_to_seven(rule: Rule) -> None:
    seven = "9H 9S 4H 4S 5H 5S 6H"
    assert rule(S, "play 9H 9S", hand=seven, pile="8S", draw=10)["draw"] == 2
    assert rule(S, "play 9H", hand=f"{seven} 6S", pile="8S", draw=10)["draw"] == 0


def test_up_only_when_deck_empty(rule: Rule) -> None:
    assert rule(S, "up KH", hand="", up="KH 4H", pile="9H", draw=2)["broken"] == ["up.only-when-deck-empty"]


def test_up_only_when_hand_empty(rule: Rule) -> None:
    assert rule(S, "up KH", hand="9S", up="KH 4H 5H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]
    assert rule(S, "hand+up KC KH", hand="KC", up="KH 4H 5H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]


def test_up_not_picked_up(rule: Rule) -> None:
    assert rule(S, "take_up KH", hand="", up="KH 4H", pile="9H", draw=0)["broken"] == ["up.not-picked-up"]


def test_down_random(rule: Rule) -> None:
    only_down = {"hand": "", "up": "", "down": 2, "pile": "QH", "draw": 0}
    assert rule(S, "pick_up", **only_down)["broken"] == ["down.random"]
    assert rule(S, "take_down 1", **only_down)["broken"] == ["down.no-look"]


def test_down_fail_leads(rule: Rule) -> None:
    ruling = rule(S, "flip 5H", hand="", up="", down=3, pile="QH", draw=0)
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"]) == ("legal", "P1", "P1")


def test_start_with_that_card(rule: Rule) -> None:
    opening = {"hand": "3D 5H 6H", "pile": "", "opening": True}
    assert rule(S, "play 3D", **opening)["verdict"] == "legal"
    assert rule(S, "play 5H", **opening)["broken"] == ["start.with-that-card"]


def test_start_with_that_card_where_it_can_only_be_the_start(rule: Rule) -> None:
    full = "3D 5H 6H 9H 9C QH KH"
    start = {"hand": full, "pile": "", "burned": [], "draw": 0}
    assert rule(S, "play 5H", **start)["broken"] == ["start.with-that-card"]
    assert rule(S, "play 5H", **{**start, "burned": ["10H"]})["verdict"] == "legal"
    assert rule(S, "play 5H", **{**start, "hand": full + " KS"})["verdict"] == "legal"


def test_setup_no_jokers(rule: Rule) -> None:
    assert rule(S, "play JOKER", hand="JOKER", pile="4S")["broken"] == ["setup.no-jokers"]


@pytest.mark.parametrize(
    ("cards", "pile", "legal"),
    [
        ("9S", "9H", True),
        ("9H", "9S", False),
        ("9D", "9C", False),
        ("9C", "9D", True),
        ("10D", "KS", True),
        ("7D", "7S", True),
        ("9D 9S", "9H", True),
        ("9D 9C", "9H", False),
        ("9C", "9D 7S", True),
        ("9D", "9C 7S", False),
        ("KD", "9S", True),
        ("9H", "9S 2H", True),
        ("9H", "9S 9D", False),
    ],
)
def test_extreme_suits(rule: Rule, cards: str, pile: str, legal: bool) -> None:
    ruling = rule(S, f"play {cards}", hand=f"{cards} 4H", pile=pile, options=["suit-values"])
    assert ruling["broken"] == ([] if legal else ["extreme.suits"])


def test_extreme_suits_unknown(rule: Rule) -> None:
    assert rule(S, "play 9", hand="9", pile="9H", options=["suit-values"])["verdict"] == "unproven"
    assert rule(S, "play 9H", hand="9H", pile="9", options=["suit-values"])["verdict"] == "unproven"
    assert rule(S, "play K", hand="K", pile="9H", options=["suit-values"])["verdict"] == "legal"


def test_extreme_joker(rule: Rule) -> None:
    ruling = rule(S, "play JOKER", hand="JOKER 4H", pile="9H AH", options=["bastard-card"])
    assert (ruling["verdict"], ruling["picks_up"], ruling["next"], ruling["burn"]) == (
        "legal",
        "P2",
        "P2",
        False,
    )


def test_extreme_joker_as_last_card(rule: Rule) -> None:
    last = {"hand": "JOKER", "up": "", "down": 0, "pile": "9H", "draw": 0, "options": ["bastard-card"]}
    ruling = rule(S, "play JOKER", **last)
    assert (ruling["left"], ruling["picks_up"], ruling["next"]) == (["P1"], "P2", "P2")


@pytest.mark.parametrize(
    ("pile", "legal"), [("9S", True), ("9S 7S", True), ("8S", True), ("10S", False), ("JS", False)]
)
def test_extreme_flange(rule: Rule, pile: str, legal: bool) -> None:
    ruling = rule(S, "play 6H", hand="6H 4H", pile=pile, options=["flange-card"])
    assert (ruling["verdict"] == "legal") == legal
    assert rule(S, "play 6H", hand="6H 4H", pile="9S")["verdict"] == "illegal"


def test_start_3d_seen_in_another_hand_of_one_pack(rule: Rule) -> None:
    others = {"P2": {"hand": ["3D", "??"]}}
    seven = "?? ?? ?? ?? ?? ?? ??"
    first: dict[str, Any] = {
        "hand": seven,
        "pile": "",
        "burned": [],
        "turn": None,
        "others": others,
        "opening": True,
    }
    assert rule("shed", "play 3S", draw=0, **first)["broken"] == ["start.3d"]
    # With two packs the starter may hold the other 3 of diamonds, but then has to start with it.
    assert rule("shed", "play 3S", draw=39, players=5, **first)["broken"] == ["start.3d"]
    assert rule("shed", "play 3D", draw=39, players=5, **first)["verdict"] == "legal"


@pytest.mark.parametrize(
    ("card", "pile", "sets", "broken"),
    [
        ("5C", "5S 5D", None, ["extreme.suits"]),  # one set: its best suit counts
        ("5C", "5S 5D", [1, 1], []),  # the 5 of diamonds was not allowed, and stood
        ("5H", "5C 5D 7S 8S", None, []),
        ("5C", "5C 5S 7S", [2, 1], ["extreme.suits"]),
    ],
)
def test_extreme_suits_looks_at_the_set_below(
    rule: Rule, card: str, pile: str, sets: list[int] | None, broken: list[str]
) -> None:
    given = {} if sets is None else {"sets": sets}
    hand = "?? ?? ?? ?? ?? ?? ??"
    ruling = rule(S, f"play {card}", hand=hand, pile=pile, options=["suit-values"], **given)
    assert [broke for broke in ruling["broken"] if broke != "physical.elsewhere"] == broken


def test_extreme_suits_under_glass_is_worded_with_the_glass(rule: Rule) -> None:
    ruling = rule(S, "play 9D", hand="9D 4H", pile="9S 7H", options=["suit-values"])
    (breach,) = ruling["breaches"]
    assert "9 of spades under the 7" in breach["says"]


def test_extreme_flange_is_cited(rule: Rule) -> None:
    ruling = rule(S, "play 6H", hand="6H 4H", pile="9S", options=["flange-card"])
    assert ruling["basis"][0]["rule"] == "extreme.flange"


def test_extreme_joker_is_cited_however_it_is_played(rule: Rule) -> None:
    joker = {"pile": "9H AH", "options": ["bastard-card"], "draw": 0}
    played = rule(S, "play JOKER", hand="JOKER 4H", **joker)
    flipped = rule(S, "flip JOKER", hand="", up="", down=2, **joker)
    for ruling in (played, flipped):
        cited = [entry["rule"] for entry in ruling["basis"]]
        assert {"extreme.joker-magic", "extreme.joker"} <= set(cited)
        assert "down.fail" not in cited
        assert ruling["picks_up"] == "P2"


def test_start_any_3_and_the_steps_after_it_are_cited(rule: Rule) -> None:
    first = {"hand": "KH QH JH 10H 9H 8H 6H", "pile": "", "turn": None, "opening": True}
    for card, cited in (
        ("3D", "start.3d"),
        ("3S", "start.any-3"),
        ("4S", "start.any-4"),
        ("5S", "start.any-4"),
    ):
        others = {"P2": {"hand": [card, "JD"]}}
        assert rule(S, "play 6H", others=others, **first)["broken"] == [cited]


def test_start_with_that_card_where_a_better_one_is_known(rule: Rule) -> None:
    first = {"pile": "", "turn": None, "opening": True}
    assert rule(S, "play 4S", hand="4S 3H ?? ?? ?? ?? ??", **first)["broken"] == ["start.with-that-card"]
    assert rule(S, "play 4S", hand="4S ?? ?? ?? ?? ?? ??", **first)["verdict"] == "legal"


def test_start_any_3_not_where_the_starter_may_hold_a_better_card(rule: Rule) -> None:
    others = {"P2": {"hand": ["3S", "JD"]}}
    first = {"hand": "?? ?? ?? ?? ?? ?? ??", "pile": "", "turn": None, "opening": True, "others": others}
    assert rule(S, "play 3C", **first)["verdict"] == "legal"
    # With the other 3s seen elsewhere, nobody but P2 can start.
    burned = {"P3": {"up": ["3D", "3C", "3H"]}}
    assert rule(S, "play 4C", **{**first, "others": {**others, **burned}})["broken"] == ["start.any-3"]


def test_pickup_of_the_pile_by_a_starter_who_cannot_lead(rule: Rule) -> None:
    lead = {"hand": "KH ?? ?? ?? ?? ?? ??", "pile": "", "turn": "P2", "opening": False}
    assert rule(S, "play KH", **lead)["broken"] == ["pickup.picker-leads"]


def test_start_3d_by_either_of_two_players_who_hold_one_of_two_packs(rule: Rule) -> None:
    others = {"P2": {"hand": ["3D", *["??"] * 6]}}
    first: dict[str, Any] = {"turn": None, "pile": "", "burned": [], "opening": True, "players": 5}
    hidden = " ".join(["??"] * 7)
    assert rule(S, "play 3D 3S", hand=hidden, others=others, **first)["verdict"] == "legal"
    assert rule(S, "play 3S", hand=hidden, others=others, **first)["broken"] == ["start.3d"]


def test_start_any_3_where_the_starter_must_play_whatever_comes_first(rule: Rule) -> None:
    """Whether the starter holds a hidden 3 or not, a 4 cannot start: another hand is known to hold a 3."""
    first = {"hand": "?? ?? ?? ?? ?? ?? ??", "pile": "", "turn": None, "opening": True}
    held = {"P2": {"hand": ["3S", "JD"]}}
    ruling = rule(S, "play 4C", others=held, **first)
    assert ruling["broken"] == ["start.any-3"]
    assert "P2 held the 3 of spades" in ruling["breaches"][0]["says"]
    assert rule(S, "play 4C", others={"P2": {"hand": ["4S", "JD"]}}, **first)["verdict"] == "legal"
    assert rule(S, "play ??", others=held, **first)["verdict"] == "unproven"
    own = {**first, "hand": "3C 4C ?? ?? ?? ?? ??"}  # the right player, with the wrong card
    assert rule(S, "play 4C", others=held, **own)["broken"] == ["start.with-that-card"]


def test_extreme_joker_on_the_pile_must_be_picked_up(rule: Rule) -> None:
    joker = {"hand": "2H KH 4H", "pile": "9S AS JOKER", "options": ["bastard-card"], "draw": 0}
    taken = rule(S, "pick_up", **joker)
    assert (taken["verdict"], taken["picks_up"], taken["next"]) == ("legal", "P1", "P1")
    assert [entry["rule"] for entry in taken["basis"]] == ["extreme.joker", "pickup.picker-leads"]
    assert rule(S, "pick_up 2", **joker)["verdict"] == "legal"  # the joker itself is burned
    assert rule(S, "pick_up 1", **joker)["broken"] == ["pickup.whole-pile"]
    for act in ("play KH", "play 4H"):
        assert rule(S, act, **joker)["broken"] == ["extreme.joker"]
    assert rule(S, "play 2H", **joker)["verdict"] == "legal"  # "onto anything, including other magic cards"


@pytest.mark.parametrize("pile", ["9S ??", "?? ??", None])
def test_extreme_joker_may_be_the_unseen_card_that_is_picked_up(rule: Rule, pile: str | None) -> None:
    """A 2 may be played on a joker, too, but need not be."""
    situation = {"hand": "2H KH 4H", "pile": pile, "options": ["bastard-card"], "draw": 0}
    assert rule(S, "pick_up", **situation)["verdict"] == "unproven"
    assert rule(S, "pick_up", **{**situation, "options": []})["broken"] == ["pickup.must-play"]
    assert rule(S, "play 2H", **situation)["verdict"] == "legal"


def test_extreme_joker_under_other_cards_counts_no_more(rule: Rule) -> None:
    under = {"hand": "KH 4H", "pile": "9S JOKER 7S", "options": ["bastard-card"], "draw": 0}
    assert rule(S, "play KH", **under)["verdict"] == "legal"
    assert rule(S, "play 4H", **under)["broken"] == ["seven.glass"]
