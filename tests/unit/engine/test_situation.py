"""Malformed input gets one clear line; incomplete input gets a ruling."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import BadInputError
from engine.judging.judge import judge

GOOD = {
    "rules": "winnersh",
    "players": ["P1", "P2"],
    "turn": "P1",
    "pile": ["4S"],
    "cards": {"P1": {"hand": ["9H"]}},
    "action": {"type": "play", "player": "P1", "cards": ["9H"], "source": "hand"},
}

MALFORMED = [
    ({"rules": "whist"}, "'whist' is not one of"),
    ({"rules": 7}, "ruleset"),
    ({"options": ["q-reverse"]}, "has no option 'q-reverse'"),
    ({"options": "q-reverse"}, "options"),
    ({"options": [[]]}, "options"),
    ({"players": None}, "players"),
    ({"players": ["P1"]}, "two different names"),
    ({"players": ["P1", "P1"]}, "two different names"),
    ({"players": ["P1", ""]}, "players"),
    ({"players": "P1,P2"}, "players"),
    ({"turn": "P9"}, "'P9' is not one of the players"),
    ({"turn": 1}, "turn"),
    ({"dealer": "P9"}, "'P9' is not one of the players"),
    ({"direction": "up"}, "direction"),
    ({"pile": ["1S"]}, "pile: '1S' is not a card"),
    ({"pile": "4S"}, "pile"),
    ({"pile": [None]}, "pile"),
    ({"pile": [["4S"]]}, "pile"),
    ({"draw_pile": -1}, "draw_pile"),
    ({"draw_pile": True}, "draw_pile"),
    ({"draw_pile": 2.5}, "draw_pile"),
    ({"burned": {"9H": 1}}, "burned"),
    ({"cards": []}, "cards"),
    ({"cards": {"P9": {}}}, "'P9' is not one of the players"),
    ({"cards": {"P1": ["9H"]}}, "P1's cards"),
    ({"cards": {"P1": {"hand": "9H"}}}, "P1's hand"),
    ({"cards": {"P1": {"down": "3"}}}, "P1's down"),
    ({"left": {"P9": {}}}, "'P9' is not one of the players"),
    ({"left": {"P2": {"turns_since": ["P9"]}}}, "'P9' is not one of the players"),
    ({"left": {"P2": {"turns_since": "P1"}}}, "turns_since"),
    ({"left": 3}, "left"),
    ({"opening": "yes"}, "opening"),
    ({"owed": {"P1": "two"}}, "owed"),
    ({"action": None}, "neither an action nor a question"),
    ({"action": "play"}, "action"),
    ({"action": {}}, "action type"),
    ({"action": {"type": "fly", "player": "P1"}}, "'fly' is not one of"),
    ({"action": {"type": ["play"], "player": "P1"}}, "action type"),
    ({"action": {"type": "play", "player": "P9", "cards": ["9H"]}}, "'P9' is not one of the players"),
    ({"action": {"type": "play", "player": "P1"}}, "must name its cards"),
    ({"action": {"type": "play", "player": "P1", "cards": []}}, "must name its cards"),
    ({"action": {"type": "play", "player": "P1", "cards": ["9X"]}}, "'9X' is not a card"),
    ({"action": {"type": "play", "player": "P1", "cards": ["9H"], "source": "sleeve"}}, "source"),
    ({"action": {"type": "draw", "player": "P1", "count": "1"}}, "count"),
    ({"action": {"type": "show", "player": "P1", "cards": ["3H"], "to": "P9"}}, "'P9' is not one of"),
    (
        {"action": {"type": "show", "player": "P1", "cards": ["3H"], "to": "P2", "answers": [["P2"]]}},
        "answers",
    ),
    (
        {"action": {"type": "show", "player": "P1", "cards": ["3H"], "to": "P2", "answers": [["P2", 1]]}},
        "answers",
    ),
    ({"action": {"type": "show", "player": "P1", "cards": ["3H"], "answered_from": "hat"}}, "answered_from"),
    ({"action": {"type": "exchange", "player": "P1", "hand_out": "5H"}}, "hand_out"),
]


@pytest.mark.parametrize(("change", "message"), MALFORMED, ids=[str(c)[:60] for c, _ in MALFORMED])
def test_malformed_gets_one_clear_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInputError) as error:
        judge({**GOOD, **change})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("situation", [None, [], "winnersh", 7])
def test_a_situation_is_an_object(situation: Any) -> None:
    with pytest.raises(BadInputError, match="must be an object"):
        judge(situation)


@pytest.mark.parametrize("name", [key for key in GOOD if key not in ("players", "action")])
def test_anything_else_may_be_unknown(name: str) -> None:
    absent = {key: value for key, value in GOOD.items() if key != name}
    assert judge(absent) == judge({**GOOD, name: None})
    assert judge(absent)["verdict"] in ("legal", "unproven")


def test_unknown_is_not_empty() -> None:
    pick_up = {"rules": "jokers", "players": ["P1", "P2"], "turn": "P1", "pile": ["KS"]}
    action = {"type": "pick_up", "player": "P1"}
    hidden = judge({**pick_up, "cards": {"P1": {"hand": None}}, "action": action})
    empty = judge({**pick_up, "cards": {"P1": {"hand": [], "up": ["4H"]}}, "action": action})
    assert (hidden["verdict"], empty["verdict"]) == ("unproven", "legal")
    assert hidden["needs"]


@pytest.mark.parametrize("spelling", ["10H", "10h", "TH", "th", " 10H "])
def test_cards_may_be_spelled_as_people_do(spelling: str) -> None:
    action = {"type": "play", "player": "P1", "cards": [spelling], "source": "hand"}
    assert judge({**GOOD, "cards": {"P1": {"hand": ["10H"]}}, "action": action})["effects"]["burn"] is True


def test_the_player_whose_turn_it_is_is_meant_where_none_is_named() -> None:
    action = {"type": "play", "cards": ["9H"]}
    assert judge({**GOOD, "action": action})["effects"]["next"] == "P2"


def test_who_left_may_be_a_list_of_names() -> None:
    three = {**GOOD, "players": ["P1", "P2", "P3"]}
    assert judge({**three, "left": ["P2"]})["effects"]["next"] == "P3"


def test_a_hand_may_be_given_by_its_size() -> None:
    cards = {"P1": {"hand": 3}}
    assert judge({**GOOD, "cards": cards, "draw_pile": 5})["effects"]["draw"] == 1
