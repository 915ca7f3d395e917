"""What the referee asks on the table screen, answered by touch in the real window (see drive_window.py)."""

from __future__ import annotations

import pytest

from tests.e2e.windows.driven import cut_texts, drive, small_targets

SIZES = ["360x640", "640x360", "412x892", "2560x1440", "3840x2160"]


def test_a_question_is_answered_by_one_tap_on_what_the_card_may_be() -> None:
    seen = drive("questions")
    asks, *chips = seen["asked"]["question"]
    assert asks == "Which card did Ann play?"
    assert chips == ["10H", "10D", "other", "done"]
    assert small_targets(seen["measures"]) == []
    action, number, event = seen["answered"]["asked"][-1]
    assert (action, number, event["cards"]) == ("correct", 1, ["10D"])
    assert seen["another card"]["sheet"]["heading"] == "Ann plays ?"


@pytest.mark.parametrize("size", ["360x640", "640x360"])
def test_a_question_leaves_the_picture_free_on_the_smallest_phone(size: str) -> None:
    """It stands beside the picture, which loses nothing, or takes one line below."""
    seen = drive("questions")
    for name in ("card", "rows"):
        found = seen[f"{name} {size}"]
        assert found["apart"], name
        named = found["picture"][1] > 160
        assert named or found["edge"][2] > 0, "whose turn it is is marked where names have no room"
        # What shows 16 by 9 is as large as it was, or has given the height of one target.
        (width, height), (_, free) = found["picture"], found["free"]
        assert height >= free - 60, name
        assert width * 9 / 16 >= min(height, 80) - 1, name
        assert small_targets(found) == [], name
        assert cut_texts(found) == [], name
        assert found["outside"] == [], name
    assert seen[f"answered {size}"][2]["cards"] == ["10D"]
    assert seen[f"done {size}"] == ["correct", 2, None]


@pytest.mark.parametrize("size", SIZES)
def test_every_answer_to_a_question_is_in_sight_on_phones_and_on_large_monitors(size: str) -> None:
    seen = drive("questions")
    for name in ("card", "rows"):
        found = seen[f"{name} {size}"]
        assert found["hidden"] == [], name
        assert found["apart"], name
        assert cut_texts(found) == [], name
    assert seen[f"answered {size}"][2]["cards"] == ["10D"]
    assert seen[f"done {size}"] == ["correct", 2, None]


@pytest.mark.parametrize("size", SIZES)
def test_in_german_too_and_none_lies_under_what_was_just_said(size: str) -> None:
    seen = drive("questions")
    for name in ("card", "rows"):
        found = seen[f"{name} {size} de"]
        assert found["toast"], name
        assert found["hidden"] == [], name
        assert found["under the toast"] == [], name
        assert cut_texts(found) == [], name
        assert small_targets(found) == [], name


def test_an_answered_question_is_closed_on_the_table_and_in_the_log() -> None:
    seen = drive("questions")
    assert "Tap to say what happened" in seen["asked"]["details"]
    assert "Tap to say what happened" not in seen["closed"]["details"]
    assert "Answered" in seen["closed"]["details"]
    assert seen["closed"]["question"] == [""]


def test_where_cards_lie_otherwise_it_is_shown_where_or_said_that_they_were_put_back() -> None:
    seen = drive("questions")
    assert seen["lies"]["question"] == ["The cards are not where they were.", "where", "done"]
    sheet = seen["lies"]["sheet"]
    assert (sheet["hint"], sheet["players"], sheet["strike"]) == ("", [], "Done")
    assert seen["done"]["asked"][-1] == ["correct", 9, None]


def test_a_question_leads_to_the_event_it_is_about() -> None:
    seen = drive("questions")
    assert seen["question"]["sheet"]["heading"] == "Ann plays ?"
    assert "This card was not recognised." in seen["question"]["sheet"]["hint"]
    assert seen["concerned"]["sheet"]["heading"] == "Ann picks up 1 card"
