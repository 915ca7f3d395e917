"""The sheet that puts an event right, on every window there is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.app.screens.arrangement import Box, base_unit, overlap
from companion.app.screens.correct_plan import Parts, plan_sheet

windows = st.one_of(
    st.tuples(st.integers(360, 2400), st.integers(640, 3840)).filter(lambda size: size[1] > size[0]),
    st.tuples(st.integers(640, 3840), st.integers(360, 2400)).filter(lambda size: size[0] >= size[1]),
)
"""From the smallest phone, upright and on its side, to 4K."""
events = st.builds(
    Parts,
    cards=st.just(True),
    several=st.booleans(),
    ruling=st.booleans(),
    hint=st.just(True),
    players=st.booleans(),
    question=st.just(False),
    edit_width=st.just(172.0),
)


@given(window=windows, parts=events, type_scale=st.sampled_from([0.85, 1.0, 1.3]))
def test_each_of_the_52_cards_is_a_whole_target_inside_the_window(
    window: tuple[int, int], parts: Parts, type_scale: float
) -> None:
    width, height = window
    plan = plan_sheet(width, height, base_unit(width, height, 1.0, type_scale), 1.0, parts)
    assert min(plan.cell()) >= 48 - 0.02
    assert plan.columns * plan.rows >= 52
    assert plan.width <= width
    assert plan.height <= height + 0.02


@given(window=windows, parts=events, type_scale=st.sampled_from([0.85, 1.0, 1.3]))
def test_its_parts_lie_inside_the_sheet_and_never_overlap(
    window: tuple[int, int], parts: Parts, type_scale: float
) -> None:
    plan = plan_sheet(*window, base_unit(*window, 1.0, type_scale), 1.0, parts)
    assert {"heading", "hint", "cards", "bar", "edit"} <= set(plan.boxes)
    assert ("strip" in plan.boxes) == parts.several
    for name, box in plan.boxes.items():
        assert min(box.x, box.y) >= -0.02, name
        assert min(box.width, box.height) > 15, name
        assert box.x + box.width <= plan.width + 0.02, name
        assert box.y + box.height <= plan.height + 0.02, name
    for (one, a), (other, b) in itertools.combinations(plan.boxes.items(), 2):
        shrunk = Box(a.x + 0.02, a.y + 0.02, a.width - 0.04, a.height - 0.04)
        assert not overlap(shrunk, b), (one, other)


@pytest.mark.parametrize("dp", [1.0, 1.5, 2.75])
def test_targets_are_48_dp_on_any_density(dp: float) -> None:
    for width, height in ((360, 640), (640, 360), (412, 915), (915, 412)):
        plan = plan_sheet(width * dp, height * dp, 0.9 * dp, dp, Parts(several=True, edit_width=108 * dp))
        assert (
            min(*plan.cell(), *(plan.boxes[name].height for name in ("players", "bar", "edit"))) >= 47.9 * dp
        )


def test_an_upright_phone_with_room_has_the_four_suits_side_by_side() -> None:
    assert plan_sheet(412, 915, 0.95, 1.0, Parts(edit_width=108)).columns == 4


def test_what_has_no_cards_is_no_larger_than_its_rows() -> None:
    plan = plan_sheet(400, 860, 1.0, 1.0, Parts(cards=False))
    assert set(plan.boxes) == {"heading", "hint", "players", "bar"}
    assert plan.height < 250


def test_in_a_window_smaller_than_any_phone_the_cards_give_way_and_the_buttons_do_not() -> None:
    plan = plan_sheet(320, 480, 0.9, 1.0, Parts(several=True, edit_width=108))
    assert plan.height <= 480
    assert plan.boxes["cards"].height < 8 * 48
    assert min(plan.boxes[name].height for name in ("players", "bar", "edit")) >= 48
