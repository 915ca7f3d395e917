"""Names in any script are drawn, or stand as plain signs, never as boxes."""

from __future__ import annotations

import pytest

from tests.e2e.windows.driven import cut_texts
from tests.e2e.windows.test_screens import PHONE, walk

pytest.importorskip("fontTools", reason="it comes with the packages for development")


def test_emoji_and_arabic_are_drawn_with_a_font_that_ships() -> None:
    emoji, _chinese, arabic, plain = walk("foreign_names", PHONE)["without"]
    assert emoji == [[None, "Zoë "], ["DejaVuSans", "😀"]]
    assert arabic == [["DejaVuSans", "\ufeae\ufee4\ufecb"]], "joined, and from right to left"
    assert plain == [[None, "Dan"]]


def test_a_character_that_no_font_has_is_a_plain_sign_and_a_damaged_font_does_no_harm() -> None:
    assert walk("foreign_names", PHONE)["without"][1] == [[None, "•••"]]


def test_a_font_of_the_system_draws_what_it_has() -> None:
    assert walk("foreign_names", PHONE)["with"] == [
        ["DroidSansFallback.ttf", "李"],
        [None, "••"],
        [None, " & Bob"],
    ]


def test_a_field_is_typed_in_the_font_that_its_name_needs() -> None:
    assert walk("foreign_names", PHONE)["fields"] == ["DejaVuSans", "Roboto", "DejaVuSans", "Roboto"]


@pytest.mark.parametrize("look", ["the form", "the table"])
def test_such_names_are_not_cut(look: str) -> None:
    assert cut_texts(walk("foreign_names", PHONE)["measured"][look]) == []
