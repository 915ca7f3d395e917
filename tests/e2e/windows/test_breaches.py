"""What the table does about a breach, by touch in a process of its own."""

from __future__ import annotations

import re

import pytest

from companion.game.clips import CLIP_S
from engine.files.atomic import NO_FOLDER
from tests.e2e.windows.breach_scenarios import HOUSE_RULE
from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import SIZES, has, walk


def test_under_a_breach_stand_the_choices_of_a_real_table() -> None:
    seen = walk("breached")
    assert seen["choices"] == ["taken_back", "picked_up", "stands"]
    for words in ("Take it back", "Pick up the pile", "Let it stand"):
        assert has(seen["asked"], words)


def test_a_play_that_is_taken_back_leaves_the_table_as_before_it_and_is_recorded() -> None:
    events, turn, pile = walk("breached")["was taken back"]
    assert events[-1] == ["consequence", "Bob", "taken_back"]
    assert ["play", "Bob", None] not in events
    assert (turn, pile) == ("Bob", ["9"])


def test_an_undone_consequence_brings_the_breach_back() -> None:
    pile, choices = walk("breached")["undone"]
    assert pile == ["9", "5"]
    assert choices == ["taken_back", "picked_up", "stands"]


def test_a_pile_that_is_picked_up_goes_to_the_hand_and_the_next_player_plays() -> None:
    seen = walk("breached")
    event, turn, pile, in_hand = seen["picked up"]
    assert event == ["consequence", "Bob", "picked_up"]
    assert (turn, pile) == ("Cat", [])
    assert in_hand == 5, "the pile of two, and three as before"
    assert seen["gone"] == 0, "it is decided"


def test_a_breach_that_stands_stays_on_the_pile_and_in_the_banner() -> None:
    seen = walk("breached")
    event, turn, pile = seen["stands"]
    assert event == ["consequence", "Dan", "stands"]
    assert (turn, pile) == ("Ann", ["K", "6"])
    assert seen["banner"] == "Illegal"


def test_every_consequence_is_spoken() -> None:
    assert walk("breached")["spoken"] == [
        "Bob takes 5 back.",
        "Bob picks up the pile after a breach.",
        "Dan’s breach stands.",
    ]


def test_once_the_next_player_acts_nothing_is_asked_any_more() -> None:
    assert walk("breached")["moved on"] == 0


def test_a_finger_chooses_about_the_breach_that_it_was_laid_on() -> None:
    assert walk("moved_under_a_finger")["chosen"] == [
        [1, "stands"],
        [2, "stands"],
        [1, "by_rule"],
        [2, "by_rule"],
    ]


def test_the_last_five_seconds_are_shown_within_two_seconds_of_the_tap_with_the_card_outlined() -> None:
    seen = walk("clipped")
    assert seen["seconds to the clip"] < 2.0
    assert seen["outlined"] == ["7H"]
    assert CLIP_S - 0.3 <= seen["length"] <= CLIP_S
    assert seen["took"] >= seen["length"], "at its own pace"
    assert seen["again"] is True
    assert seen["asked"] == ["settle", 8, "stands"]


def test_a_clip_becomes_a_film_only_when_asked_and_its_place_is_said() -> None:
    seen = walk("clipped")
    folder, existed = seen["films"]
    assert existed is False
    assert seen["refused"] == f"{folder}: {NO_FOLDER}"
    assert re.fullmatch(r"Saved as ~/VIDEOS_DIR/shithead-\d{8}-\d{6}-8\.mp4", seen["kept"])
    assert seen["film"] == [1, 41, True]


@pytest.mark.parametrize("size", [*SIZES, (860, 400)])
@pytest.mark.parametrize(
    ("scenario", "look"),
    [("breached", "asked"), ("clipped", "with a clip"), ("clipped", "clip"), ("clipped", "kept clip")],
)
def test_the_choices_can_be_touched_and_read(scenario: str, look: str, size: tuple[int, int]) -> None:
    measured = walk(scenario, size)["measured"][look]
    assert small_targets(measured) == []
    assert cut_texts(measured) == []


@pytest.mark.parametrize("size", SIZES)
def test_with_several_breaches_the_reasons_stay_larger_than_the_quotation(size: tuple[int, int]) -> None:
    seen = walk("screens", size)
    reasons, quotation = seen["reasons and quotation"]
    assert reasons > quotation
    assert cut_texts(seen["measured"]["three breaches"]) == []


def test_a_film_is_walked_through_with_every_consequence_taken_once() -> None:
    seen = walk("film_consequences")
    assert seen["film choices"] == ["show", "taken_back", "picked_up", "stands", "by_rule"]
    assert has(seen["film asks"], HOUSE_RULE)
    pile = seen["film pile"]
    assert pile == ["9S", "5H"]
    said = {
        "taken_back": "Bob takes 5♥ back",
        "picked_up": "Bob picks up the pile after a breach",
        "stands": "Bob’s breach stands",
        "by_rule": "Bob does what the house rule says about a breach",
    }
    for choice, words in said.items():
        step = seen[f"film {choice}"]
        assert step["recorded"] == ["consequence", "Bob", choice]
        assert step["spoken"].startswith(f"{words}.")
        assert re.sub(r"\[[^]]*]", "", step["log"]) == words
        assert step["asked"] == 0, "it is decided"
        assert step["plays of Bob"] == (choice != "taken_back")
        assert step["turn"] == ("Bob" if choice == "taken_back" else "Ann")
        assert step["pile"] == {"taken_back": pile[:-1], "picked_up": []}.get(choice, pile)
        assert step["banner"][0] == ("Legal" if choice == "taken_back" else "Illegal")
    phase, events = seen["film end"]
    assert phase == "ended"
    assert ["play", "Ann", None] in events[events.index(["consequence", "Bob", "by_rule"]) :]


def test_the_seconds_before_a_ruling_without_a_breach_are_shown_too() -> None:
    seen = walk("film_consequences")
    assert seen["lawful"] == "Legal"
    assert seen["seconds to the lawful clip"] < 2.0
    is_its_own, outlines_its_cards, length, kept = seen["its seconds"]
    assert is_its_own
    assert outlines_its_cards
    assert CLIP_S - 0.5 <= length <= CLIP_S
    assert kept is False, "nothing is written unless it is asked for"
    for look in ("lawful ruling", "lawful clip", "film asks"):
        assert small_targets(seen["measured"][look]) == []
        assert cut_texts(seen["measured"][look]) == []
