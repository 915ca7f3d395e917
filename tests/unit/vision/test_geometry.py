"""Quads in order, overlap, flattening."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.geometry import (
    are_convex,
    clip_to_picture,
    corner_distance,
    homography,
    is_convex,
    order_quad,
    polygon_area,
    polygon_areas,
    polygon_iou,
    quad_sides,
    rectify,
    start_at_top,
    transform,
)

CARD = np.array([[100, 50], [163, 50], [163, 138], [100, 138]], np.float32)


def turned(angle: float, centre: tuple[float, float] = (131.5, 94.0)) -> NDArray[np.float64]:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray((CARD - centre) @ np.array([[cos, sin], [-sin, cos]]) + centre)


@given(st.floats(-7, 7), st.permutations(range(4)))
def test_order_quad_runs_clockwise_from_a_short_edge_whatever_the_order_given(
    angle: float, order: list[int]
) -> None:
    quad = order_quad(turned(angle)[order])
    assert is_convex(quad)
    width, height = quad_sides(quad)
    assert width == pytest.approx(63, abs=0.01)
    assert height == pytest.approx(88, abs=0.01)


@given(st.floats(-7, 7))
def test_order_quad_starts_at_the_upper_short_edge(angle: float) -> None:
    quad = order_quad(turned(angle))
    assert quad[:2, 1].sum() <= quad[2:, 1].sum() + 1e-3


def test_start_at_top_only_ever_turns_by_half() -> None:
    upside_down = np.roll(CARD, 2, axis=0)
    assert start_at_top(upside_down) == pytest.approx(CARD)
    assert start_at_top(CARD) == pytest.approx(CARD)


def test_area_is_signed_by_direction() -> None:
    assert polygon_area(CARD) == pytest.approx(63 * 88)
    assert polygon_area(CARD[::-1]) == pytest.approx(-63 * 88)
    assert not is_convex(CARD[::-1])


def test_a_bow_tie_and_a_dent_are_not_convex() -> None:
    assert not is_convex(CARD[[0, 2, 1, 3]])
    assert not is_convex([(0, 0), (10, 0), (3, 3), (0, 10)])
    assert not is_convex([(0, 0), (np.nan, 0), (3, 3), (0, 10)])


def test_many_quads_are_judged_as_each_would_be_alone() -> None:
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    bow_tie, nowhere = square[[0, 2, 1, 3]], np.where(square > 5, np.float32(np.nan), square)
    rng = np.random.default_rng(3)
    several = np.stack([square, square[::-1], bow_tie, nowhere, *(square + rng.normal(0, 6, (40, 4, 2)))])
    convex = are_convex(several)
    assert convex.tolist() == [is_convex(quad) for quad in several]
    assert convex[:4].tolist() == [True, False, False, False]
    assert 0 < convex[4:].sum() < 40
    alone = [polygon_area(quad) for quad in several]
    assert polygon_areas(several) == pytest.approx(alone, rel=1e-9, nan_ok=True)
    assert polygon_areas(several)[0] == 100


def test_iou_of_known_overlaps() -> None:
    shifted = CARD + np.array([31.5, 0], np.float32)
    assert polygon_iou(CARD, CARD) == pytest.approx(1)
    assert polygon_iou(CARD, shifted) == pytest.approx(1 / 3, abs=1e-3)
    assert polygon_iou(CARD, CARD + np.float32(500)) == 0


@given(st.floats(0.2, 3), st.floats(-50, 50), st.floats(-0.4, 0.4))
def test_homography_takes_corners_where_it_should_and_back(scale: float, shift: float, shear: float) -> None:
    target = CARD * np.float32(scale) + np.array([shift, -shift], np.float32)
    target[0, 0] -= np.float32(shear * 20)
    matrix = homography(CARD, target)
    assert transform(matrix, CARD) == pytest.approx(target, abs=1e-2)
    assert transform(np.asarray(np.linalg.inv(matrix), np.float64), target) == pytest.approx(CARD, abs=1e-2)


def test_corner_distance_ignores_half_a_turn() -> None:
    assert corner_distance([np.roll(CARD, 2, axis=0)], CARD)[0] == pytest.approx(0)
    assert corner_distance([np.roll(CARD, 1, axis=0)], CARD)[0] > 50
    assert corner_distance([CARD + np.array([3, 4], np.float32)], CARD)[0] == pytest.approx(5)


def test_rectify_brings_each_corner_to_its_place() -> None:
    image = np.zeros((300, 300, 3), np.uint8)
    quad = np.array([[200, 60], [220, 150], [90, 180], [70, 90]], np.float32)
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)]
    for (x, y), colour in zip(quad.astype(int), colours, strict=True):
        image[y - 8 : y + 9, x - 8 : x + 9] = colour
    flat = rectify(image, quad, 63, 88)
    assert flat.shape == (88, 63, 3)
    seen = [tuple(int(v) for v in flat[y, x]) for x, y in ((1, 1), (61, 1), (61, 86), (1, 86))]
    assert seen == colours


def test_rectify_of_a_quad_outside_the_picture_is_black() -> None:
    white = np.full((20, 20, 3), 255, np.uint8)
    assert rectify(white, CARD + np.float32(500), 10, 14).max() == 0


def test_rectify_keeps_fine_lines_grey_when_it_shrinks() -> None:
    image = np.zeros((880, 630, 3), np.uint8)
    image[:, ::4] = 255
    flat = rectify(image, [[0, 0], [629, 0], [629, 879], [0, 879]], 63, 88)
    assert flat[10:-10, 10:-10].std() < 25
    assert 40 < flat[10:-10, 10:-10].mean() < 90


def test_clip_to_picture() -> None:
    part = clip_to_picture(CARD, 131, 1000)
    assert polygon_area(part) == pytest.approx(31 * 88, rel=0.01)
    assert len(clip_to_picture(CARD, 50, 50)) == 0
