"""Values of a ruleset file: what is allowed, at its limits, and what holds if a file says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import BadInputError
from engine.mechanics import Deal, mechanic_value, read_mechanics

DEAL = {"down": 3, "up": 3, "hand": 3}


def test_a_file_that_says_nothing_burns_at_four_and_replenishes_nothing() -> None:
    mechanics = read_mechanics({"deal": DEAL})
    assert (mechanics.four, mechanics.min_hand, mechanics.burns) == (4, 0, frozenset())


def test_a_deal_holds_from_two_players_on_unless_it_says_otherwise() -> None:
    assert mechanic_value("deal", DEAL).from_players == 2
    assert mechanic_value("small_deal", DEAL | {"from": 5}).from_players == 5


@pytest.mark.parametrize(
    ("counts", "cards"),
    [((0, 0, 1), 1), ((3, 0, 0), 3), ((0, 3, 0), 3), ((0, 0, 1000), 1000), ((500, 250, 250), 1000)],
)
def test_a_deal_may_leave_rows_out_but_gives_each_player_a_card(
    counts: tuple[int, int, int], cards: int
) -> None:
    deal = mechanic_value("deal", dict(zip(("down", "up", "hand"), counts, strict=True)))
    assert isinstance(deal, Deal)
    assert deal.each == cards


@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 0, 1001), (-1, 3, 3), (3, -1, 3), (3.0, 3, 3)])
def test_a_deal_of_no_cards_of_too_many_or_of_less_than_none_is_refused(counts: tuple[Any, ...]) -> None:
    with pytest.raises(BadInputError, match="mechanism 'deal': "):
        mechanic_value("deal", dict(zip(("down", "up", "hand"), counts, strict=True)))


@pytest.mark.parametrize(("name", "least"), [("four", 2), ("min_hand", 0)])
def test_a_number_of_cards_has_a_least_and_a_greatest_value(name: str, least: int) -> None:
    assert mechanic_value(name, least) == least
    assert mechanic_value(name, 1000) == 1000
    for number in (least - 1, 1001):
        with pytest.raises(BadInputError, match=f"mechanism '{name}': {number} is out of range"):
            mechanic_value(name, number)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("burns", ["1" * 60], "1" * 30), ("four", "1" * 60, "1" * 30), ("burns" * 20, 1, "burns" * 8)],
)
def test_a_refusal_quotes_only_the_beginning_of_a_long_value(name: str, value: Any, told: str) -> None:
    with pytest.raises(BadInputError) as refused:
        mechanic_value(name, value)
    assert f"'{told}'" in str(refused.value)
