"""The Winnersh rules, rule by rule; each test is named after the rule it tests."""

from __future__ import annotations

from typing import Any

import pytest

from engine.judging.judge import judge
from engine.ruleset import build_variant
from tests.unit.engine.conftest import Rule

W = "winnersh"
HIGH_TO_LOW = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


@pytest.mark.parametrize("top", ["4", "8", "J", "A"])
@pytest.mark.parametrize("card", ["4", "8", "J", "A"])
def test_play_equal_or_higher(rule: Rule, top: str, card: str) -> None:
    ruling = rule(W, f"play {card}H", hand=f"{card}H QC QD", pile=f"{top}S")
    legal = HIGH_TO_LOW.index(card) >= HIGH_TO_LOW.index(top)
    assert ruling["verdict"] == ("legal" if legal else "illegal")
    assert legal or ruling["broken"] == ["play.equal-or-higher"]


def test_play_equal_or_higher_is_said_with_the_cards(rule: Rule) -> None:
    says = rule(W, "play 4H", hand="4H 8H JH", pile="8S")["breaches"][0]["says"]
    assert says == "The 4 of hearts cannot go on an 8: equal or higher is needed."


@pytest.mark.parametrize("card", ["2", "4", "5", "6", "7"])
def test_play_seven_or_lower_allows(rule: Rule, card: str) -> None:
    assert rule(W, f"play {card}H", hand=f"{card}H QC QD", pile="7S")["verdict"] == "legal"


@pytest.mark.parametrize("card", ["8", "9", "10", "J", "A"])
def test_play_seven_or_lower_forbids(rule: Rule, card: str) -> None:
    assert rule(W, f"play {card}H", hand=f"{card}H QC QD", pile="7S")["broken"] == ["play.seven-or-lower"]


def test_seven_in_sequence(rule: Rule) -> None:
    assert rule(W, "play 7H", hand="7H QC QD", pile="8S")["broken"] == ["seven.in-sequence"]


def test_burn_ten_in_sequence(rule: Rule) -> None:
    assert rule(W, "play 10H", hand="10H QC QD", pile="JS")["broken"] == ["burn.ten-in-sequence"]


def test_two_on_anything(rule: Rule) -> None:
    ruling = rule(W, "play 2H", hand="2H QC QD", pile="AS", draw=5)
    assert (ruling["verdict"], ruling["extra_turn"], ruling["next"], ruling["draw"]) == (
        "legal",
        True,
        "P1",
        1,
    )


def test_play_after_two_anything_but_a_three(rule: Rule) -> None:
    assert rule(W, "play 4H", hand="4H QC QD", pile="AS 2S")["verdict"] == "legal"
    assert rule(W, "play 3H", hand="3H QC QD", pile="AS 2S")["broken"] == ["three.never-played"]


def test_play_any_on_empty_except_3(rule: Rule) -> None:
    assert rule(W, "play 4H", hand="4H", pile="")["verdict"] == "legal"
    assert rule(W, "play 3H", hand="3H", pile="")["broken"] == ["play.any-on-empty-except-3"]


def test_play_from_hand_known_not_to_hold_it(rule: Rule) -> None:
    assert rule(W, "play 9H", hand="4H 5H 6H", pile="8S")["broken"] == ["play.from-hand"]
    assert rule(W, "play 9H 9S", hand="9H", pile="8S", draw=0)["broken"] == ["play.from-hand"]


def test_play_from_a_hidden_hand_is_legal_when_nothing_contradicts(rule: Rule) -> None:
    assert rule(W, "play 9H", pile="8S")["verdict"] == "legal"
    assert rule(W, "play 9H", hand="?? ?? ??", pile="8S")["verdict"] == "legal"
    assert rule(W, "play 4H", pile="8S")["verdict"] == "illegal"


def test_play_unproven_only_where_hidden_cards_decide(rule: Rule) -> None:
    assert rule(W, "play 9H", hand="9H", pile=None)["verdict"] == "unproven"
    assert rule(W, "play 2H", hand="2H", pile=None)["verdict"] == "legal"
    assert rule(W, "play 3H", hand="3H", pile=None)["verdict"] == "illegal"
    ruling = rule(W, "play 9H", hand="9H", pile="KS ??")
    assert ruling["verdict"] == "unproven"
    assert ruling["needs"] == ["what lies on top of the pile"]
    assert rule(W, "play ??", pile="2S")["verdict"] == "unproven"  # it could be a 3
    assert rule(W, "play ??", pile="8S")["needs"] == ["the card played, which nobody identified"]


def test_play_sets_same_value(rule: Rule) -> None:
    assert rule(W, "play 9H 9S", hand="9H 9S 4D", pile="8S")["verdict"] == "legal"
    assert rule(W, "play 9H 10H", hand="9H 10H 4D", pile="8S")["broken"] == ["play.sets-same-value"]


def test_all_breaches_are_listed(rule: Rule) -> None:
    ruling = rule(W, "play 4H 5H", hand="4H 5H QD", pile="KS", player="P1", turn="P3")
    assert set(ruling["broken"]) == {"turn.order", "play.sets-same-value", "play.equal-or-higher"}
    assert len(ruling["breaches"]) == 4  # both cards are too low


def test_turn_order(rule: Rule) -> None:
    assert rule(W, "play 9H", hand="9H QC QD", pile="8S", turn="P4")["broken"] == ["turn.order"]
    ruling = rule(W, "play 9H", hand="9H QC QD", pile="8S", turn=None)
    assert (ruling["verdict"], ruling["next"]) == ("legal", "P2")


def test_turn_order_anticlockwise_and_past_those_who_left(rule: Rule) -> None:
    assert rule(W, "play 9H", hand="9H QC QD", pile="8S", direction="anticlockwise")["next"] == "P4"
    assert rule(W, "play 9H", hand="9H QC QD", pile="8S", left={"P2": {}, "P3": None})["next"] == "P4"


def test_end_left_takes_no_turn(rule: Rule) -> None:
    assert rule(W, "play 9H", pile="8S", left={"P1": {}}, turn="P2")["broken"] == ["end.left"]


@pytest.mark.parametrize(
    ("hand", "played", "draw_pile", "due"),
    [("9H QC QD", 1, 5, 1), ("9H QC QD KD", 1, 5, 0), ("9H 9S QD", 2, 1, 1), ("9H QC QD", 1, 0, 0)],
)
def test_replenish_to_three(rule: Rule, hand: str, played: int, draw_pile: int, due: int) -> None:
    act = "play " + " ".join(hand.split()[:played])
    assert rule(W, act, hand=hand, pile="8S", draw=draw_pile)["draw"] == due


def test_replenish_to_three_counts_what_is_drawn(rule: Rule) -> None:
    assert rule(W, "draw 1", hand="9H QC", draw=5)["verdict"] == "legal"
    assert rule(W, "draw 2", hand="9H QC", draw=5)["broken"] == ["replenish.to-three"]
    assert rule(W, "draw 1", hand="9H QC QD", draw=5)["broken"] == ["replenish.to-three"]
    assert rule(W, "draw 1", hand="9H", draw=0)["broken"] == ["replenish.to-three"]
    assert rule(W, "draw 2", hand="9H", draw=5, owed={"P1": 2})["verdict"] == "legal"


def test_replenish_before_extra_turn(rule: Rule) -> None:
    again = {"hand": "5H 9H", "pile": "AS 2S"}
    assert rule(W, "play 5H", draw=4, **again)["broken"] == ["replenish.before-extra-turn"]
    assert rule(W, "play 5H", draw=0, **again)["verdict"] == "legal"
    assert rule(W, "play 5H", draw=4, left={"P4": {}}, **again)["verdict"] == "legal"
    assert (
        rule(W, "play 9H", hand="5H 9H", pile="8S", draw=4)["verdict"] == "legal"
    )  # a 3 may have been shown


def test_burn_ten(rule: Rule) -> None:
    ruling = rule(W, "play 10H", hand="10H QC QD QH", pile="4S 9S", draw=3)
    assert (ruling["burn"], ruling["extra_turn"], ruling["next"], ruling["draw"]) == (True, True, "P1", 0)


def test_burn_four_across_players(rule: Rule) -> None:
    assert rule(W, "play KH KS", hand="KH KS 4D", pile="9H KD KC")["burn"] is True


def test_burn_four_only_when_adjacent(rule: Rule) -> None:
    assert rule(W, "play KH KS", hand="KH KS 4D", pile="KD KC AH 2S")["burn"] is False


def test_burn_four_must_itself_be_playable(rule: Rule) -> None:
    assert rule(W, "play 4C 4D 4H 4S", hand="4C 4D 4H 4S", pile="9S")["verdict"] == "illegal"


def test_burn_four_twos(rule: Rule) -> None:
    ruling = rule(W, "play 2H", hand="2H QC QD", pile="2C 2D 2S")
    assert (ruling["verdict"], ruling["burn"], ruling["next"]) == ("legal", True, "P1")


def test_burn_four_not_known_under_an_unidentified_card(rule: Rule) -> None:
    ruling = rule(W, "play KH KS", hand="KH KS 4D", pile="?? KC")
    assert (ruling["verdict"], ruling["burn"], ruling["next"]) == ("legal", None, None)


def test_burn_out_of_play(rule: Rule) -> None:
    assert rule(W, "play 9H", pile="8S", burned=["9H"])["broken"] == ["burn.out-of-play"]


@pytest.mark.parametrize(
    ("card", "pile", "burn"), [("2H", "KS", False), ("10H", "9S", True), ("KH", "KC KD KS", True)]
)
def test_burn_last_card(rule: Rule, card: str, pile: str, burn: bool) -> None:
    ruling = rule(W, f"play {card}", hand=card, up="", down=0, pile=pile, draw=0)
    assert (ruling["burn"], ruling["extra_turn"], ruling["left"], ruling["next"]) == (
        burn,
        False,
        ["P1"],
        "P2",
    )


def test_last_hand_card_is_not_the_last_card(rule: Rule) -> None:
    ruling = rule(W, "play 2H", hand="2H", up="4S", down=3, pile="KS", draw=0)
    assert (ruling["extra_turn"], ruling["left"], ruling["next"]) == (True, [], "P1")


def test_end_shithead(rule: Rule) -> None:
    ruling = rule(W, "play KH", hand="KH", up="", down=0, pile="9S", draw=0, players=2)
    assert (ruling["shithead"], ruling["next"], ruling["left"]) == ("P2", None, ["P1"])


def test_end_shithead_is_who_alone_holds_cards_though_nobody_is_said_to_have_left(rule: Rule) -> None:
    nothing = {"hand": [], "up": [], "down": 0}
    kept = {"hand": "9H QC", "up": "", "down": 0, "pile": "8S", "players": 3}
    ruling = rule(W, "play 9H", others={"P2": nothing, "P3": nothing}, **kept)
    assert [breach["says"] for breach in ruling["breaches"]] == ["The game is over: P1 is the Shithead."]
    still_in = {"hand": ["4C"], "up": [], "down": 0}
    assert rule(W, "play 9H", others={"P2": nothing, "P3": still_in}, **kept)["verdict"] == "legal"


def test_end_shithead_of_those_who_have_not_left(rule: Rule) -> None:
    left: dict[str, Any] = {"P2": {}, "P4": {}}
    assert rule(W, "play 2H", hand="2H", up="", down=0, pile="9S", draw=0, left=left)["shithead"] == "P3"


def test_pickup_by_choice_and_of_nothing(rule: Rule) -> None:
    assert rule(W, "pick_up", hand="AH", pile="4S")["verdict"] == "legal"
    assert rule(W, "pick_up", hand="AH", pile="")["verdict"] == "legal"


def test_pickup_next_left(rule: Rule) -> None:
    ruling = rule(W, "pick_up", hand="AH", pile="4S", player="P4", turn="P4")
    assert (ruling["picks_up"], ruling["next"]) == ("P4", "P1")


def test_pickup_whole_pile(rule: Rule) -> None:
    assert rule(W, "pick_up 1", hand="AH", pile="4S 5S")["broken"] == ["pickup.whole-pile"]
    assert rule(W, "pick_up 2", hand="AH", pile="4S 5S")["verdict"] == "legal"


def test_ritual_library(rule: Rule) -> None:
    pile = "4S 5S 6S 7S 7H 7D 7C"
    assert rule(W, "pick_up", hand="AH KH QH", pile=pile)["rituals"] == ["Library Boy"]
    assert rule(W, "pick_up", hand="AH KH", pile=pile)["rituals"] == []
    ten = "AH KH QH JH AD KD QD JD AS KS"
    assert rule(W, "pick_up", hand=ten, pile="4S")["rituals"] == []  # it was a library before


def test_ritual_library_of_the_recipient(rule: Rule) -> None:
    others = {"P2": {"hand": ["??"] * 9}}
    assert rule(W, "show 3H P2", hand="3H", pile="4S", others=others)["rituals"] == ["Library Boy"]


def test_ritual_third_loss(rule: Rule) -> None:
    game = {"hand": "KH", "up": "", "down": 0, "pile": "9S", "draw": 0, "players": 2}
    third = rule(W, "play KH", losses={"P2": 2}, **game)
    assert third["rituals"] == ["Once, Twice, Three Times A Shithead"]
    assert rule(W, "play KH", losses={"P2": 3}, **game)["rituals"] == []


# Up-cards and down-cards


def test_up_only_when_deck_empty(rule: Rule) -> None:
    assert rule(W, "up KH", hand="", up="KH 6H", pile="9H", draw=5)["broken"] == ["up.only-when-deck-empty"]
    assert rule(W, "take_up KH", hand="", up="KH 6H", pile="9H", draw=5)["broken"] == [
        "up.only-when-deck-empty"
    ]


def test_up_only_when_hand_empty(rule: Rule) -> None:
    assert rule(W, "up KH", hand="4H", up="KH 6H 5H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]
    assert rule(W, "take_up KH", hand="4H", up="KH 6H", pile="9H", draw=0)["broken"] == [
        "up.only-when-hand-empty"
    ]


def test_up_enters_hand_is_noted_not_called(rule: Rule) -> None:
    ruling = rule(W, "up KH", hand="", up="KH 6H 5H", down=3, pile="9H", draw=0)
    assert ruling["verdict"] == "legal"
    assert ruling["notes"]


def test_up_enters_hand_playable_or_not(rule: Rule) -> None:
    assert rule(W, "take_up 4H", hand="", up="4H KH", pile="AS", draw=0)["verdict"] == "legal"


def test_up_same_value_together(rule: Rule) -> None:
    assert rule(W, "take_up JH JS", hand="", up="JH JS 6H", pile="8H", draw=0)["verdict"] == "legal"
    assert rule(W, "take_up JH 6H", hand="", up="JH JS 6H", pile="8H", draw=0)["broken"] == [
        "up.same-value-together"
    ]


def test_up_last_hand_combo(rule: Rule) -> None:
    mixed = {"up": "JS 5H KH", "down": 3, "pile": "9H"}
    assert rule(W, "hand+up JH JS", hand="JH", draw=0, **mixed)["verdict"] == "legal"
    assert rule(W, "hand+up JH JS", hand="JH 4H", draw=0, **mixed)["broken"] == ["up.last-hand-combo"]
    assert rule(W, "hand+up JH JS", hand="JH", draw=2, **mixed)["broken"] == ["up.combo-deck-empty"]
    assert "up.last-hand-combo" in rule(W, "hand+up JH KH", hand="JH", draw=0, **mixed)["broken"]
    assert rule(W, "hand+up JH JS", draw=0, **mixed)["verdict"] == "unproven"


def test_down_blind(rule: Rule) -> None:
    assert rule(W, "take_down 1", hand="", up="", down=3, pile="9H", draw=0)["verdict"] == "legal"
    assert rule(W, "take_down 1", hand="", up="KH", down=3, pile="9H", draw=0)["broken"] == ["down.blind"]
    assert rule(W, "take_down 1", hand="4H", up="", down=3, pile="9H", draw=0)["broken"] == ["down.blind"]
    assert rule(W, "take_down 2", hand="", up="", down=3, pile="9H", draw=0)["broken"] == ["down.no-change"]


def test_down_blind_may_be_taken_before_the_turn(rule: Rule) -> None:
    assert rule(W, "take_down 1", hand="", up="", down=3, pile="9H", draw=0, turn="P3")["verdict"] == "legal"


def test_down_blind_turned_up_is_no_breach(rule: Rule) -> None:
    game = {"hand": "", "up": "", "down": 3, "pile": "9H", "draw": 0}
    played = rule(W, "flip KH", **game)
    assert (played["verdict"], played["next"]) == ("legal", "P2")
    failed = rule(W, "flip 4H", **game)
    assert (failed["verdict"], failed["picks_up"], failed["next"]) == ("legal", "P1", "P2")
    three = rule(W, "flip 3H", **game)
    assert (three["verdict"], three["picks_up"], three["next"]) == ("legal", None, "P1")


def test_setup_exchange_before(rule: Rule) -> None:
    assert rule(W, "exchange 5H/9S", hand="5H 2C KD", up="9S 8S 3S", pile="", draw=16)["verdict"] == "legal"
    for begun in ({"pile": "4S", "draw": 15}, {"pile": "", "draw": 12}, {"pile": "", "burned": ["10S"]}):
        assert rule(W, "exchange 5H/9S", hand="5H", up="9S", **begun)["broken"] == ["setup.exchange-before"]


def test_setup_exchange_one_for_one_with_cards_that_are_there(rule: Rule) -> None:
    game = {"hand": "5H 2C KD", "up": "9S 8S 3S", "pile": ""}
    assert rule(W, "exchange 5H,2C/9S", **game)["verdict"] == "illegal"
    assert rule(W, "exchange AH/9S", **game)["verdict"] == "illegal"


def test_setup_pack_has_no_jokers(rule: Rule) -> None:
    assert rule(W, "play JOKER", hand="JOKER", pile="4S")["broken"] == ["setup.pack"]


def test_start_weakest_card_where_all_is_known(rule: Rule) -> None:
    others = {"P2": {"hand": ["4C", "KH", "KD"]}}
    opening = {"hand": "5H 6H 7H", "pile": "", "turn": None, "opening": True, "players": 2}
    assert rule(W, "play 5H", others=others, **opening)["broken"] == ["start.weakest-card"]


def test_start_weakest_card_where_the_4_of_clubs_lies_face_up(rule: Rule) -> None:
    others = {"P2": {"hand": ["4S", "??", "??"]}, "P3": {"up": ["4C", "9H", "9S"]}}
    first = {"hand": "?? ?? ??", "pile": "", "burned": [], "draw": 25, "turn": None, "players": 3}
    assert rule("winnersh", "play 5H", others=others, **first)["broken"] == ["start.weakest-card"]
    del others["P3"]
    assert rule("winnersh", "play 5H", others=others, **first)["broken"] == []  # may hold the 4 of clubs


NINE = "4S 5S 6S 7S 8S 9S JS QS KS"
LIBRARY = ["Library Boy"]


@pytest.mark.parametrize(
    ("act", "known", "rituals"),
    [
        ("pick_up", {"hand": "4H", "pile": NINE}, LIBRARY),
        ("pick_up", {"hand": "", "up": "KD", "down": 3, "draw": 0, "pile": NINE}, LIBRARY),  # it enters first
        ("pick_up", {"hand": "", "up": "", "down": 2, "draw": 0, "pile": NINE}, LIBRARY),
        ("pick_up", {"hand": "", "up": "KD", "down": 3, "draw": 0, "pile": NINE[9:]}, []),
        ("pick_up 7", {"hand": "4H 5H", "pile": NINE}, []),  # only seven were taken
        ("pick_up 8", {"hand": "4H 5H", "pile": NINE}, LIBRARY),
        ("flip 4H", {"hand": "", "up": "", "down": 2, "draw": 0, "pile": NINE}, LIBRARY),
        ("flip 4H", {"hand": "", "up": "", "down": 2, "draw": 0, "pile": NINE[9:]}, []),
        ("show 3H P2", {"hand": "3H 5H", "pile": NINE, "others": {"P2": {"hand": ["4C"]}}}, LIBRARY),
        ("show 3H P2", {"hand": "3H 5H", "pile": NINE, "others": {"P2": {"hand": []}}}, []),
        ("show 3H P2 P2>P1", {"hand": "3H 5H 6H 7H 8H", "pile": "4S 5S 6S 8S KS"}, []),  # the 3 is spent
        ("show 3H P2 P2>P1", {"hand": "3H 5H 6H 7H 8H 9H", "pile": "4S 5S 6S 8S KS"}, LIBRARY),
        (
            "show 3H P2 P2>P1 P1>P2",
            {"hand": "3H 3D 5H", "pile": NINE, "others": {"P2": {"hand": ["3S", "4C"]}}},
            LIBRARY,
        ),
        (
            "show 3H P2 P2>P1 P1>P2",
            {"hand": "3H 3D 5H", "pile": NINE, "others": {"P2": {"hand": ["3S"], "up": ["4C"], "down": 1}}},
            [],
        ),
        ("show 3H P3", {"hand": "3H 5H", "pile": f"{NINE} AS", "left": {"P3": {"turns_since": []}}}, LIBRARY),
        ("show 3H P3", {"hand": "3H 5H", "pile": NINE, "left": {"P3": {"turns_since": []}}}, []),
    ],
)
def test_ritual_library_counts_the_hand_as_it_is_after_the_pick_up(
    rule: Rule, act: str, known: dict[str, Any], rituals: list[str]
) -> None:
    ruling = rule(W, act, **known)
    assert ruling["rituals"] == rituals
    if ruling["verdict"] == "legal":
        cited = [entry["rule"] for entry in ruling["basis"]]
        assert ("ritual.library" in cited) == ("ritual.library-size" in cited) == bool(rituals)


def test_ritual_library_by_a_house_rule_on_placing_and_on_jokers() -> None:
    placing = build_variant(
        {
            "base": "backpacker",
            "options": ["up-card-pick-up"],
            "mechanics": {"library": 10, "library_title": "L"},
        },
        "House",
    )
    place = {"rules": placing, "players": ["P1", "P2"], "turn": "P1", "draw_pile": 0, "pile": NINE.split()}
    act = {"type": "play", "cards": ["4H"], "source": "up"}
    assert judge({**place, "cards": {"P1": {"hand": [], "up": ["4H"], "down": 1}}, "action": act})["effects"][
        "rituals"
    ] == ["L"]
    joker = build_variant(
        {"base": "shed", "options": ["bastard-card"], "mechanics": {"library": 10, "library_title": "L"}},
        "House",
    )
    cards = {"P1": {"hand": ["JOKER", "4H"]}, "P2": {"hand": ["5H"]}}
    act = {"type": "play", "cards": ["JOKER"], "source": "hand"}
    assert judge({**place, "rules": joker, "cards": cards, "action": act})["effects"]["rituals"] == ["L"]


def test_pickup_of_an_empty_pile_says_what_it_rests_on(rule: Rule) -> None:
    ruling = rule(W, "pick_up", hand="4H 5H 6H", pile="", draw=16, opening=True)
    assert (ruling["verdict"], ruling["next"]) == ("legal", "P2")
    assert "could be empty" in ruling["notes"][0]
    assert "Winnersh §4.3" in ruling["notes"][0]
    assert ruling["basis"][0]["rule"] == "pickup.empty-pile"
    assert "could be empty" in ruling["basis"][0]["quote"]


def test_setup_pack_a_stray_joker_does_not_block_the_pile(rule: Rule) -> None:
    assert rule(W, "play KH", hand="KH 4H", pile="9S JOKER")["verdict"] == "legal"
    assert rule(W, "play 5H", hand="5H 4H", pile="9S JOKER")["broken"] == ["play.equal-or-higher"]
    assert rule(W, "play 5H", hand="5H 4H", pile="JOKER")["verdict"] == "legal"


@pytest.mark.parametrize(
    ("rules", "broken"),
    [
        (W, "setup.pack"),
        ("backpacker", "setup.pack"),
        ("shed", "setup.no-jokers"),
        ("rulebook", "setup.pack"),
    ],
)
def test_setup_pack_a_stray_joker_turned_up_is_put_aside(rule: Rule, rules: str, broken: str) -> None:
    ruling = rule(rules, "flip JOKER", hand="", up="", down=2, pile="9S", draw=0)
    assert (ruling["broken"], ruling["picks_up"], ruling["next"]) == ([broken], None, "P2")


def test_end_shithead_nobody_acts_once_the_game_is_over(rule: Rule) -> None:
    over = {"players": 3, "left": {"P2": {"turns_since": []}, "P3": {"turns_since": []}}, "hand": "9H"}
    for act in ("play 9H", "pick_up", "draw 1", "show 3H P2"):
        ruling = rule(W, act, pile="4S", draw=3, **over)
        assert "end.shithead" in ruling["broken"]
        assert ruling["next"] is None
    said = rule(W, "play 9H", hand="9H 4H", pile="4S", shithead="P3")
    assert said["broken"] == ["end.shithead"]


@pytest.mark.parametrize(("losses", "sung"), [(2, True), (1, False), (3, False), (None, False)])
def test_ritual_third_loss_only_at_the_third(rule: Rule, losses: int | None, sung: bool) -> None:
    given = {} if losses is None else {"losses": {"P2": losses}}
    ruling = rule(W, "play KH", hand="KH", up="", down=0, pile="9S", draw=0, players=2, **given)
    assert (ruling["rituals"] == ["Once, Twice, Three Times A Shithead"]) == sung


def test_up_same_value_together_is_cited_only_where_several_are_taken(rule: Rule) -> None:
    for taken, cited in (("JH", False), ("JH JD", True)):
        ruling = rule(W, f"take_up {taken}", hand="", up="JH JD 4S", down=3, draw=0, pile="9S")
        assert ("up.same-value-together" in [entry["rule"] for entry in ruling["basis"]]) == cited
