"""Every word on the smallest phone, in each language and with type as large as people set it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import walk
from tests.e2e.windows.word_plan import LARGEST, LOOKS, SHOWN, USUAL

WORDED = [(which, name) for which, names in LOOKS.items() if which != LARGEST for name in names]
TOASTED = [which for which, names in LOOKS.items() if "toast" in names]


def sizes_of(name: str) -> list[str]:
    """Return the languages and sizes of type in which a screen is looked at."""
    return [which for which, names in LOOKS.items() if name in names]


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    return walk("worded", (360, 640))


@pytest.fixture(scope="module")
def measured(seen: dict[str, Any]) -> dict[str, Any]:
    measures: dict[str, Any] = seen["measured"]
    return measures


@pytest.mark.parametrize(("which", "name"), WORDED)
def test_no_word_of_a_button_a_line_or_a_heading_is_cut(
    which: str, name: str, measured: dict[str, Any]
) -> None:
    """A path may be."""
    assert cut_texts(measured[f"{which} {name}"]) == []


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_sticks_out_or_becomes_too_small_to_touch_however_large_the_type(
    name: str, measured: dict[str, Any]
) -> None:
    for which in sizes_of(name):
        measures = measured[f"{which} {name}"]
        assert measures["outside"] == [], which
        assert small_targets(measures) == [], which


@pytest.mark.parametrize("name", SHOWN)
def test_no_text_is_smaller_at_the_largest_type_than_at_the_normal(
    name: str, measured: dict[str, Any]
) -> None:
    usual, largest = (measured[f"{which} {name}"]["sizes"] for which in (USUAL, LARGEST))
    rounded = 0.98  # of the steps in which sizes are tried
    smaller = {t: (usual[t], size) for t, size in largest.items() if size < rounded * usual.get(t, 0.0)}
    assert smaller == {}


@pytest.mark.parametrize("name", SHOWN)
def test_every_text_stands_out_from_what_it_is_drawn_on(name: str, measured: dict[str, Any]) -> None:
    for which in sizes_of(name):
        assert measured[f"{which} {name}"]["faint"] == [], which


@pytest.mark.parametrize("which", TOASTED)
def test_what_was_just_said_lies_over_nothing_to_touch_and_gives_way_to_a_touch(
    which: str, seen: dict[str, Any]
) -> None:
    assert seen[f"{which} under the toast"] == []
    assert seen[f"{which} toast was there"] == [1, 0]


def test_the_form_says_a_phones_whole_address_and_no_name_lies_over_a_hint(seen: dict[str, Any]) -> None:
    assert any(text.endswith("http://…:8080/video") for text in seen[f"{LARGEST} tonight"])
    assert seen["names over the hint"] == [[]] * 2 * len(LOOKS)


def test_who_plays_what_is_needed_and_the_ruling_grow_with_the_type_on_a_phones_table(
    seen: dict[str, Any],
) -> None:
    usual, larger, largest = (seen[f"de {scale} type"] for scale in (1.0, 1.3, 2.0))
    for name in ("who", "need", "says"):
        assert usual[name] < larger[name] <= largest[name], name
    assert usual["unit"] < larger["unit"] <= largest["unit"] + 0.0001
