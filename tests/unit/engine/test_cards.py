"""Cards: how many copies of each there are."""

from __future__ import annotations

import pytest

from engine.cards import all_copies_among, copies


@pytest.mark.parametrize(
    ("card", "packs", "count"), [("9S", 1, 1), ("9S", 2, 2), ("JOKER", 1, 2), ("JOKER", 2, 4)]
)
def test_a_pack_holds_each_card_once_and_two_jokers(card: str, packs: int, count: int) -> None:
    assert copies(card, packs) == count


def test_of_a_card_seen_once_in_two_packs_another_copy_is_left() -> None:
    assert all_copies_among(["9S", "9S", "4C", "JOKER", "JOKER"], 2) == {"9S"}
    assert all_copies_among(["9S", "JOKER"], 1) == {"9S"}
