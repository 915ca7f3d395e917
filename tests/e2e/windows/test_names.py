"""Names in any script are drawn, or stand as plain signs, never as boxes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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


MEASURED_BY_KIVY = """
import json
from kivy.core.text import Label

def size(font_size):
    label = Label(font_size=font_size)
    label.resolve_font_name()
    return label.get_extents("Wie viele Karten sind es?")

print(json.dumps([size(font_size) for font_size in (20, 20.5, 20.99, 21)]))
"""


def test_kivy_itself_measures_type_in_whole_pixels() -> None:
    """So labels whose sizes differ by less can share a font (`companion/app/screens/fonts.py`)."""
    alone = {"KIVY_NO_ARGS": "1", "KIVY_NO_CONFIG": "1", "KIVY_NO_FILELOG": "1"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED_BY_KIVY],
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    whole, half, nearly, next_size = json.loads(done.stdout.splitlines()[-1])
    assert whole == half == nearly != next_size
