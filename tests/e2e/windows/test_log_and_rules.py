"""The log and the rule book in the window, driven by touch (see test_screens.py)."""

from __future__ import annotations

import pytest

from engine.ruleset import load_ruleset
from tests.e2e.windows.test_screens import SIZES, has, walk


@pytest.mark.parametrize("size", SIZES)
def test_any_event_of_the_log_is_put_right_by_two_taps(size: tuple[int, int]) -> None:
    """A small phone's table lists no events: all but the newest are put right in the log."""
    action, number, event = walk("screens", size)["two taps in the log"]
    assert (action, number, event["cards"]) == ("correct", 3, ["8S", "9D"])


def test_an_event_of_a_game_that_is_not_played_says_why_it_cannot_be_put_right() -> None:
    shown = walk("broken")["event of a game that is not played"]
    assert has(shown, "Ann plays 4♣")
    assert has(shown, "This game is not running. To correct an event, continue or reopen the game")
    assert not has(shown, "Correct")


def test_an_event_of_the_log_shows_its_sentence_and_leads_to_the_correction() -> None:
    seen = walk("screens")
    assert has(seen["event"], "A playable card is one with")
    assert has(seen["correct"], "Read as the 7 of hearts")
    action, number, event = seen["corrected"]
    assert (action, number, event["cards"]) == ("correct", 8, ["8S"])


def test_the_picture_of_a_moment_becomes_a_file_only_when_asked_for() -> None:
    (name,) = walk("screens")["kept pictures"]
    assert name.endswith("-8.jpg")


def test_house_options_in_force_stand_over_the_rules_in_the_language_of_the_app() -> None:
    seen = walk("house_options", (360, 640))
    assert (seen["title en"], seen["title de"]) == ("Rules: Jokers", "Regeln: Jokers")
    option = load_ruleset("jokers").available["4-colour"].text
    assert has(seen["house options en"], f"House options: {option}")
    assert has(seen["house options de"], "Hausregeln: ")
    assert not has(seen["house options de"], option), "it is translated"
    assert not has(seen["searched"], "Hausregeln: "), "only what was looked for"
    for name in ("house options en", "house options de"):
        assert (seen["measured"][name]["cut"], seen["measured"][name]["outside"]) == ([], []), name


def test_the_rules_are_those_in_force_and_can_be_searched() -> None:
    seen = walk("screens")
    assert has(seen["rules"], "Rules: Winnersh")
    assert has(seen["rules-found"], "2 rules found")
    assert has(seen["rules-found"], "Library Boy")
    assert has(seen["rules nothing"], "No rule found.")


def test_the_first_rules_are_there_at_once_and_the_others_follow() -> None:
    seen = walk("screens")
    assert 3 <= seen["rules listed at once"] < len(load_ruleset("winnersh").rules) / 2
