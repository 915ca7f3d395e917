"""The films of games in the window (see test_screens.py)."""

from __future__ import annotations

import pytest

from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import has, walk

SIZES = ((360, 640), (640, 360))


@pytest.mark.parametrize("size", SIZES)
def test_a_film_is_kept_only_when_wanted_and_deleted_with_one_tap(size: tuple[int, int]) -> None:
    seen = walk("film_kept", size)
    assert (seen["at first"], seen["on"], seen["people"]) == (False, [True, False], [True, True])
    assert has(seen["film on"], "It shows the table. Everything around it is blurred.")
    assert has(seen["film on"], "~/.local/share/shithead/evenings.films")
    assert has(seen["film with people"], "Everybody in the picture can be recognised. Ask them first.")
    assert seen["after deleting the running one"] == [True], "only the older one is left"
    assert seen["after deleting the older one"] == 0
    assert seen["told"] == "The film is deleted."


@pytest.mark.parametrize("size", SIZES)
def test_what_is_said_about_films_can_be_read_and_tapped(size: tuple[int, int]) -> None:
    measured = walk("film_kept", size)["measured"]
    for name in ("film on", "film with people", "films"):
        assert cut_texts(measured[name]) == [], name
        assert small_targets(measured[name]) == [], name
