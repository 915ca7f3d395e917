"""What a pile may ask for when some of its cards are unread: what the cards that are left allow, no more."""

from __future__ import annotations

import pytest

from engine.cards import BLACK, FULL_PACK, RED
from engine.demand import possible_demands
from engine.ruleset import load_ruleset
from engine.unseen import UnseenCards


def unseen(*left: str) -> UnseenCards:
    """Return what is left of one pack where every other card is known to lie elsewhere."""
    return UnseenCards(1, 0, [card for card in FULL_PACK if card not in left])


@pytest.mark.parametrize(("fours", "both"), [(("4H",), False), (("4H", "4D"), False), (("4H", "4S"), True)])
def test_a_pile_nobody_saw_asks_for_both_colours_only_if_4s_of_both_may_lie_on_it(
    fours: tuple[str, ...], both: bool
) -> None:
    mechanics = load_ruleset("jokers", ("4-colour",)).mechanics
    demands = possible_demands(mechanics, None, unseen=unseen(*fours, "9C", "KD"))
    assert any(demand.rank == 4 and demand.colour == RED | BLACK for demand in demands) is both


def test_a_4_of_a_suit_that_nobody_saw_is_one_4_less_that_may_lie_there() -> None:
    mechanics = load_ruleset("jokers", ("4-colour",)).mechanics
    known = [card for card in FULL_PACK if card not in ("4H", "4S", "9C")]
    demands = possible_demands(mechanics, None, unseen=UnseenCards(1, 0, [*known, "4"]))
    assert {demand.colour for demand in demands if demand.rank == 4} == {RED, BLACK}


@pytest.mark.parametrize(("left", "suits"), [(("9C",), {3}), (("9C", "AS"), {3, 4})])
def test_an_unread_card_of_a_set_has_no_suit_of_which_none_is_left(
    left: tuple[str, ...], suits: set[int]
) -> None:
    mechanics = load_ruleset("shed", ("suit-values",)).mechanics
    demands = possible_demands(mechanics, ["??", "AH"], (2,), unseen(*left))
    assert {demand.suit for demand in demands} == suits
