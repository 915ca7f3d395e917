"""The panels of the table screen, on every window there is."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.app.screens.arrangement import (
    ANSWER_DP,
    ANSWER_UNITS,
    PICTURE_UNITS,
    Box,
    around_table,
    arrange,
    beside_question,
    legible_dp,
    overlap,
    stacked,
    under_ruling,
)
from companion.app.screens.live import place_chip

windows = st.tuples(st.integers(320, 3840), st.integers(320, 2400))


@given(window=windows, players=st.integers(2, 6), type_scale=st.sampled_from([0.85, 1.0, 1.15, 1.3, 2.0]))
def test_panels_lie_inside_the_window_and_never_overlap(
    window: tuple[int, int], players: int, type_scale: float
) -> None:
    width, height = window
    panels = arrange(width, height, 1.0, players, type_scale).panels
    for name, box in panels.items():
        if name != "log" or box.height:
            assert min(box.width, box.height) > 20, name
        assert box.x >= -0.01, name
        assert box.x + box.width <= width + 0.01, name
        assert box.y >= -0.01, name
        assert box.y + box.height <= height + 0.01, name
    for (one, a), (other, b) in itertools.combinations(panels.items(), 2):
        shrunk = Box(a.x + 0.01, a.y + 0.01, a.width - 0.02, a.height - 0.02)
        assert not (shrunk.width > 0 and shrunk.height > 0 and overlap(shrunk, b)), (one, other)


@given(window=windows)
@example(window=(2560, 1440))
@example(window=(3840, 2160))
def test_a_question_and_the_picture_share_the_pictures_place_and_never_overlap(
    window: tuple[int, int],
) -> None:
    plan = arrange(*window)
    picture, question = beside_question(plan.live, plan.unit, 1.0)
    assert not overlap(
        Box(*picture), Box(question.x + 0.01, question.y, question.width, question.height - 0.01)
    )
    assert question.height >= 48
    three_cards = 3 * max(ANSWER_DP, ANSWER_UNITS * plan.unit) + (2 * 6 + 2 * 8) * plan.unit
    assert question.width >= min(three_cards, plan.live.width) - 0.01
    for box in (picture, question):
        assert plan.live.x <= box.x + 0.01
        assert box.x + box.width <= plan.live.x + plan.live.width + 0.01
        assert plan.live.y <= box.y + 0.01
        assert box.y + box.height <= plan.live.y + plan.live.height + 0.01


def test_buttons_keep_48_dp_on_any_density() -> None:
    for density in (1.0, 1.5, 2.75):
        for width, height in ((400, 860), (860, 400), (1280, 720)):
            plan = arrange(width * density, height * density, density)
            assert plan.bar.height >= 48 * density


@given(
    window=st.tuples(st.integers(320, 600), st.integers(380, 900)).filter(lambda size: size[0] < size[1]),
    players=st.integers(2, 6),
    type_scale=st.sampled_from([1.0, 1.3, 1.6]),
)
def test_a_player_can_be_tapped_in_any_upright_window(
    window: tuple[int, int], players: int, type_scale: float
) -> None:
    plan = arrange(*window, 1.0, players, type_scale)
    rows = 1 if plan.in_one_row else math.ceil(players / 2)
    assert (plan.players.height - 6 * plan.unit * (rows - 1)) / rows >= 48


def test_the_picture_is_as_wide_as_an_upright_phone() -> None:
    plan = arrange(400, 860)
    assert plan.portrait
    assert (plan.live.width, plan.live.height) == (400, 225)


def test_on_a_small_phone_the_picture_takes_the_room_of_a_log_that_would_show_less_than_a_row() -> None:
    small = arrange(360, 586, watched=False)  # 640, less the navigation
    assert small.log.height == 0
    assert small.live.height >= max(138, PICTURE_UNITS * small.unit - 0.02)
    turned = arrange(576, 360)
    assert turned.log.height == 0
    assert turned.turn.height > 178 * turned.unit + 30
    assert arrange(400, 806).log.height > 56


@pytest.mark.parametrize("players", [2, 3, 4])
def test_on_a_small_phone_the_picture_is_nearly_as_wide_as_the_phone(players: int) -> None:
    """Even while a breach asks for a decision, it is no stamp."""
    plan = arrange(360, 586, players=players)
    assert 16 / 9 * plan.live.height > 0.95 * 360
    picture, _ruling, _choices = under_ruling(plan.live, plan.banner, plan.unit, 1.0)
    assert 16 / 9 * picture.height > 0.7 * 360
    assert plan.players.height >= 48


@given(
    window=st.tuples(st.integers(900, 3840), st.integers(600, 2400)).filter(lambda size: size[0] >= size[1]),
    players=st.integers(2, 6),
    type_scale=st.sampled_from([1.0, 1.3, 1.6, 2.0]),
)
@example(window=(900, 894), players=3, type_scale=2.0)
def test_without_a_picture_the_table_fills_a_wide_window(
    window: tuple[int, int], players: int, type_scale: float
) -> None:
    plan = arrange(*window, 1.0, players, type_scale, watched=False)
    assert plan.around
    assert plan.live.height + plan.banner.height > 0.85 * window[1]
    seats, middle = around_table(plan.live, plan.unit, players)
    assert middle.width >= 0.25 * plan.live.width - 0.01
    assert middle.height >= 100 * plan.unit
    assert all(min(seat.width, seat.height) >= 48 for seat in seats)
    boxes = [Box(box.x + 0.01, box.y + 0.01, box.width - 0.02, box.height - 0.02) for box in (*seats, middle)]
    for one, other in itertools.combinations(boxes, 2):
        assert not overlap(one, other)
    for box in boxes:
        assert plan.live.x <= box.x
        assert box.x + box.width <= plan.live.x + plan.live.width
        assert plan.live.y <= box.y
        assert box.y + box.height <= plan.live.y + plan.live.height


@given(
    least=st.lists(st.floats(0, 300), min_size=4, max_size=4),
    room=st.floats(100, 1000),
)
def test_lines_of_large_type_share_the_height_and_none_gets_less_than_it_needs(
    least: list[float], room: float
) -> None:
    heights = stacked(least, [26, 24, 17, 22], room)
    assert all(height >= needed - 0.01 for height, needed in zip(heights, least, strict=True))
    assert all(height == 0 for height, needed in zip(heights, least, strict=True) if not needed)
    if any(least):
        assert sum(heights) == pytest.approx(max(room, sum(least)), abs=0.1)


def test_type_that_is_read_from_two_metres_spans_what_eyes_can_tell() -> None:
    """Capitals of 2.9 mm at 2 m are 5 minutes of arc: 20/20 eyes just tell them; 20/40 want twice that."""
    capitals_mm = legible_dp(2.0, acuity=1.0) * 0.711 * 25.4 / 160
    assert capitals_mm == pytest.approx(2.909, abs=0.001)
    assert legible_dp(2.0, acuity=0.5) == pytest.approx(51.5, abs=0.1)
    assert legible_dp(2.0, acuity=0.8) == pytest.approx(32.2, abs=0.1)


def test_type_grows_with_the_window() -> None:
    assert arrange(2560, 1440).unit == 2 * arrange(1280, 720).unit


def test_type_is_as_large_as_the_user_has_it_where_there_is_room_and_buttons_stay() -> None:
    plain, large = arrange(400, 860), arrange(400, 860, type_scale=1.3)
    assert large.unit == pytest.approx(1.3 * plain.unit, rel=0.06)
    assert arrange(1216, 656, type_scale=1.3).unit == pytest.approx(1.3 * arrange(1216, 656).unit)
    crowded = arrange(*SMALL_PHONE, type_scale=2.0)
    assert min(plan.bar.height for plan in (large, crowded)) >= 48


SMALL_PHONE = (360, 586)
"""What the table has of the smallest phone, upright: 640, less the navigation."""


@given(window=windows, players=st.integers(2, 6))
@example(window=SMALL_PHONE, players=4)
@example(window=(576, 360), players=4)
def test_larger_type_never_makes_anything_on_the_table_smaller(window: tuple[int, int], players: int) -> None:
    plans = [arrange(*window, 1.0, players, scale) for scale in (0.85, 1.0, 1.1, 1.15, 1.3, 1.6, 2.0)]
    for smaller, larger in itertools.pairwise(plans):
        assert larger.unit >= smaller.unit - 0.0001 * smaller.unit
        assert larger.main_unit >= smaller.main_unit - 0.0001 * smaller.unit


@pytest.mark.parametrize("window", [SMALL_PHONE, (360, 581.5), (576, 360), (412, 838)])
def test_on_a_phone_what_matters_most_grows_by_as_much_as_the_type(window: tuple[float, float]) -> None:
    """The log, part of the picture and what is said in passing give way."""
    usual = arrange(*window)
    for scale in (1.15, 1.3, 2.0):
        assert arrange(*window, type_scale=scale).main_unit >= 0.94 * scale * usual.unit
    assert arrange(*window, type_scale=1.3).unit > 1.15 * usual.unit
    if window[1] > window[0]:
        assert arrange(*window, type_scale=2.0).live.height >= 109


def test_names_wider_than_the_cards_they_stand_on_do_not_cover_each_other() -> None:
    """As on a phone that shows the picture beside a question."""
    taken: list[Box] = []
    for left, width in ((0.0, 52.0), (12.0, 17.0), (24.0, 30.0)):
        corners = [(left, 0.0), (left + 10, 0.0), (left + 10, 14.0), (left, 14.0)]
        place = place_chip(corners, width, 17, taken)
        assert place is not None
        taken.append(place)


def test_names_of_cards_on_top_of_each_other_do_not_cover_each_other() -> None:
    corners = [(0.0, 0.0), (40.0, 0.0), (40.0, 60.0), (0.0, 60.0)]
    taken: list[Box] = []
    for _ in range(7):
        place = place_chip(corners, 30, 14, taken)
        assert place is not None
        taken.append(place)
    assert place_chip(corners, 30, 14, taken) is None, "no more find a place"
    assert taken[0] == Box(5, 23, 30, 14)
    assert not any(overlap(a, b) for a, b in itertools.combinations(taken, 2))
