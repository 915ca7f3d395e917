"""Every screen and every sheet is turned on its side and back while it is open, on the smallest phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import walk

SHOWN = (
    "tour",
    "tonight",
    "table",
    "player",
    "correct",
    "large",
    "question",
    "log",
    "event",
    "replay",
    "rules",
    "ask",
    "ledger",
    "deck",
    "more",
)
SIZES = ("640x360", "360x640")


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    return walk("turned", (360, 640))


@pytest.mark.parametrize("name", SHOWN)
def test_what_was_typed_chosen_and_scrolled_to_stays_when_the_phone_is_turned(
    name: str, seen: dict[str, Any]
) -> None:
    for size in SIZES:
        before, after = seen["turned"][f"{name} {size}"]["states"]
        assert after == before, size


@pytest.mark.parametrize("name", SHOWN)
def test_a_turned_screen_has_every_target_whole_inside_the_window_and_no_text_cut(
    name: str, seen: dict[str, Any]
) -> None:
    for size in SIZES:
        at = f"{name} {size}"
        assert seen["turned"][at]["misplaced"] == [], size
        measures = seen["measured"][at]
        assert small_targets(measures) == [], size
        assert measures["outside"] == [], size
        assert cut_texts(measures) == [], size
