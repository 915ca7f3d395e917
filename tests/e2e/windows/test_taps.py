"""How many taps the acts of every evening take, by touch in a process of its own."""

from __future__ import annotations

import pytest

from tests.e2e.windows.driven import cut_texts, small_targets
from tests.e2e.windows.test_screens import PHONE, walk

SIZES = (PHONE, (860, 400))


@pytest.mark.parametrize("size", SIZES)
def test_a_play_takes_three_taps_and_a_pick_up_a_correction_and_a_rematch_two(size: tuple[int, int]) -> None:
    seen = walk("counted_taps", size)
    assert seen["play"] <= 3
    assert seen["pick-up"] <= 2
    assert seen["correction"] <= 2
    assert seen["rematch"] <= 2


def test_known_cards_and_legal_ranks_come_first_and_there_is_no_joker_where_none_is_played() -> None:
    seen = walk("counted_taps", PHONE)
    assert seen["known"] == ["6S"], "Bob has picked it up before everybody's eyes"
    assert seen["taken"] == ["6S"]
    assert "JOKER" not in seen["keys"]
    assert seen["first ranks"] == ["2", "K", "A"], "after a king"


def test_that_a_player_is_out_is_asked_for_twice() -> None:
    seen = walk("counted_taps", PHONE)
    assert seen["after one tap on out"] == 0
    assert seen["asked again"] == "Tap again: out"


@pytest.mark.parametrize("size", SIZES)
def test_the_sheet_with_known_cards_can_be_touched_and_read(size: tuple[int, int]) -> None:
    measured = walk("counted_taps", size)["measured"]["sheet with known cards"]
    assert small_targets(measured) == []
    assert cut_texts(measured) == []
