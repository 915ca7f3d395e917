"""The *Join* screen by touch in the real window, with phones that are there."""

from __future__ import annotations

import pytest

from companion.settings import TYPE_SIZES
from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import SIZES, has, walk

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")


@pytest.mark.parametrize("size", SIZES)
def test_the_code_the_address_and_the_connected_phones_are_shown(size: tuple[int, int]) -> None:
    seen = walk("joined", size)
    assert has(seen["join"], "https://127.0.0.1:")
    assert has(seen["join"], "No phone films. 0 phones show the game.")
    assert has(seen["joined"], "Ann films. 1 phone shows the game: Bob.")
    assert seen["codes"] == [True, True]
    assert seen["scanned"] is True


@pytest.mark.parametrize("size", SIZES)
def test_everything_on_it_is_whole_and_large_enough_to_tap(size: tuple[int, int]) -> None:
    seen = walk("joined", size)
    for name in ("join", "joined", "join-de", "without the extra"):
        assert small_targets(seen["measured"][name]) == []
        assert cut_texts(seen["measured"][name]) == []


def test_phones_stay_connected_until_they_are_sent_away() -> None:
    seen = walk("joined")
    assert seen["source"] == "joined-phone"
    assert seen["still open"] is True
    assert seen["closed"] is True
    assert seen["new codes"] is True


def test_in_another_network_the_new_code_is_shown() -> None:
    assert walk("joined")["in another network"] is True


def test_without_the_extra_one_line_says_how_to_add_it() -> None:
    seen = walk("joined")
    assert has(seen["without the extra"], "pip install 'shithead-referee[phone]'")


def test_the_code_is_whole_in_sight_on_a_small_phone_with_the_largest_type() -> None:
    assert walk("joined", (360, 640), TYPE_SIZES["largest"])["scanned"] is True
