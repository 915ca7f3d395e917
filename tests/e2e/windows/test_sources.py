"""Sources that a person types, and what the form remembers, by touch in a process of its own."""

from __future__ import annotations

import pytest

from companion.settings import TYPE_SIZES
from engine.ruleset import RULESET_NAMES
from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.source_scenarios import DEAD, MENDED
from tests.e2e.windows.test_screens import PHONE, has, walk
from vision.capture.addresses import without_password


def test_an_address_that_failed_stays_in_the_field_and_is_mended() -> None:
    seen = walk("typed_sources", PHONE)
    text, says, waits, disabled = seen["failed"]
    assert text == without_password(DEAD), "completed, and still there"
    assert not any("secret" in text for text in seen["failed shown"])
    assert "nothing listens there" in says
    assert waits.startswith("No picture.")
    assert disabled
    assert DEAD in seen["failed list"]
    text, source, waits, chips = seen["mended"]
    assert (text, source, waits) == ("", MENDED, "")
    assert MENDED in chips
    assert DEAD not in chips


def test_a_game_starts_only_with_a_picture_or_by_touch() -> None:
    seen = walk("typed_sources", PHONE)
    assert seen["by touch"] == ["", False]
    assert seen["begun on a dead source"] == 0
    assert seen["begun"] == [MENDED]


def test_an_address_that_worked_is_offered_again_and_can_be_removed() -> None:
    seen = walk("typed_sources", PHONE)
    assert seen["remembered"] == [[MENDED], ["Ann", "Bob", "Cat", "Dan"]]
    assert seen["offered again"] == ["", MENDED]
    assert seen["removed"] == [[""], []]


def test_players_who_have_played_before_are_seated_renamed_and_removed() -> None:
    seen = walk("known_players")
    assert seen["known"] == ["Zoe", "Yann"], "who sits already is not offered"
    assert seen["seated"] == ["Ann", "Zoe"]
    assert seen["renamed"] == ["Yannick"]
    assert seen["left"] == [[], ["Zoe", "Ann"]]


def test_a_dealer_who_is_not_seated_is_asked_for() -> None:
    seen = walk("known_players")
    assert seen["asked"] == ["Zed is not seated. Tap the dealer.", False]
    assert seen["answered"] == ["", "Zoe"]


def test_a_stored_game_with_a_dead_camera_is_shown_and_another_source_asked_for() -> None:
    seen = walk("resumed_without_camera")
    assert has(seen["dead camera"], "cannot be opened")
    assert has(seen["dead camera"], "Choose a source")
    assert seen["pile"] == ["4C", "9S"]
    assert seen["undo"] is True
    assert seen["asks"] == ["SetupScreen", True]
    assert seen["goes on"] == [None, ["4C", "9S"]]


def test_the_film_waits_behind_the_first_steps() -> None:
    seen = walk("film_behind_tour")
    assert seen["asked behind the tour"][-1] == ["pause", True]
    assert seen["asked after it"] == ["pause", False]


def test_each_ruleset_says_in_one_line_how_it_differs() -> None:
    differs = walk("differing_rules")["differs"]
    assert list(differs) == list(RULESET_NAMES)
    assert len(set(differs.values())) == len(RULESET_NAMES)
    assert all(0 < len(line) < 160 for line in differs.values())


def test_three_questions_lead_to_the_ruleset_of_the_table() -> None:
    seen = walk("which_rules", PHONE)
    assert seen["fits"] == ["shed", "shed"]
    assert has(seen["result fits"], "These rules fit your answers.")
    assert seen["taps"] == 5, "one opens, three answer, one takes"


def test_answers_of_no_ruleset_lead_to_the_closest_and_say_what_differs() -> None:
    seen = walk("which_rules", PHONE)
    assert seen["closest"] == ["jokers", "jokers"]
    assert has(seen["result closest"], "Different from your answer: Who begins?")
    assert seen["open"] == ["winnersh", "winnersh"]


def test_house_rules_are_made_named_changed_and_removed_in_the_app() -> None:
    seen = walk("house_rules_made", PHONE)
    published = ["Winnersh", "Jokers", "Backpacker", "Shed", "Rulebook"]
    assert seen["unnamed"] == "a name has 1 to 40 letters"
    assert seen["taken"] == "there are rules called Shed already"
    chips, file, options, differs = seen["made"]
    assert (chips, file, options) == ([*published, "Friday rules"], "friday-rules.toml", [])
    assert differs == (
        "Jokers, with house options: A queen reverses the direction. After a breach: The pile is picked up."
    )
    assert seen["after a breach"] == seen["kept"] == [True, False, False]
    assert seen["own words"] == [False, False, False]
    assert seen["sentence"] == "They sing."
    assert "q-reverse" not in seen["left to switch"]
    assert "10-not-on-7" in seen["left to switch"]
    assert seen["typed"], "the command line takes the name"
    assert seen["changed"] == [
        [*published, "Saturday rules"],
        "Saturday rules",
        ["10-not-on-7", "q-reverse"],
    ]
    assert "Saturday rules" in seen["played"]
    assert seen["removed"] == [published, "jokers", []]


@pytest.mark.parametrize(
    "look", ["house rules", "a name that is taken", "after a breach", "with house rules"]
)
def test_the_house_rules_can_be_read_and_switched(look: str) -> None:
    measured = walk("house_rules_made", PHONE)["measured"][look]
    assert small_targets(measured) == []
    assert cut_texts(measured) == []


@pytest.mark.parametrize("type_size", ["normal", "larger"])
@pytest.mark.parametrize("look", ["question 1 fits", "question 2 fits", "result fits", "result closest"])
def test_the_questions_can_be_read_and_answered(look: str, type_size: str) -> None:
    measured = walk("which_rules", PHONE, TYPE_SIZES[type_size])["measured"][look]
    assert small_targets(measured) == []
    assert cut_texts(measured) == []


@pytest.mark.parametrize("look", ["failed source", "source sheet"])
def test_what_can_be_touched_is_large_enough(look: str) -> None:
    measured = walk("typed_sources", PHONE)["measured"][look]
    assert small_targets(measured) == []
    assert cut_texts(measured) == []
