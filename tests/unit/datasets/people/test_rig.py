"""A skeleton bends, its skin follows, and arms reach for points over the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.films.people.rig import Skeleton, Skin, bend, frame_of, normals_of, reach, turn_about

EDGE = 300.0
UPPER, LOWER = 300.0, 250.0
STICK = Skeleton(
    names=("upper", "lower"),
    parents=(-1, 0),
    heads=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -100.0]]),
    tails=np.array([[0.0, 0.0, -100.0], [0.0, 0.0, -200.0]]),
)


def test_a_turn_leads_from_the_first_axis_to_the_second() -> None:
    turn = turn_about(np.array([0.0, 0.0, 1.0]), 90.0)
    assert turn @ np.array([1.0, 0.0, 0.0]) == pytest.approx(np.array([0.0, 1.0, 0.0]), abs=1e-9)


def test_a_bone_without_a_turn_follows_its_parent() -> None:
    bent = bend(STICK, {"upper": turn_about(np.array([1.0, 0.0, 0.0]), 90.0)}, np.zeros(3))
    assert bent.heads[1] == pytest.approx(np.array([0.0, 100.0, 0.0]), abs=1e-9)
    assert bent.place(STICK, "lower", STICK.tail("lower")) == pytest.approx(
        np.array([0.0, 200.0, 0.0]), abs=1e-9
    )


def test_skin_between_two_bones_moves_by_half() -> None:
    points = np.array([[0.0, 0.0, -50.0], [0.0, 0.0, -150.0], [0.0, 0.0, -150.0]], np.float32)
    bones = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], np.int32)
    weights = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0]], np.float32)
    skin = Skin(points, np.tile(np.array([[1.0, 0, 0]], np.float32), (3, 1)), bones, weights, STICK.heads)
    bent = bend(STICK, {"lower": turn_about(np.array([1.0, 0.0, 0.0]), 90.0)}, np.zeros(3))
    moved, normals = skin.follow(bent)
    assert moved[0] == pytest.approx([0.0, 0.0, -50.0], abs=1e-4)
    assert moved[1] == pytest.approx([0.0, 50.0, -100.0], abs=1e-4)
    assert moved[2] == pytest.approx((moved[1] + points[2]) / 2.0, abs=1e-4)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_the_normal_of_a_triangle_seen_anticlockwise_from_above_points_up() -> None:
    # y runs down the picture, so this is anticlockwise for somebody who looks at the table.
    points = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]], np.float32)
    assert normals_of(points, np.array([[0, 1, 2]], np.int32))[0] == pytest.approx([0.0, 0.0, 1.0])


@settings(max_examples=80, deadline=None)
@given(x=st.floats(-250, 250), y=st.floats(-80, 330), z=st.floats(50, 200))
def test_an_arm_that_is_long_enough_reaches_and_keeps_its_lengths(x: float, y: float, z: float) -> None:
    shoulder, wrist = np.array([170.0, 520.0, 240.0]), np.array([x, y, z])
    found = reach(shoulder, wrist, UPPER, LOWER, np.array([0.75, 0.35, -0.75]), EDGE)
    elbow, end = np.array(found.elbow), np.array(found.wrist)
    assert np.linalg.norm(elbow - shoulder) == pytest.approx(UPPER, abs=1e-6)
    assert np.linalg.norm(end - elbow) == pytest.approx(LOWER, abs=1e-6)
    if found.short == 0.0:
        assert end == pytest.approx(wrist, abs=1e-6)


@settings(max_examples=80, deadline=None)
@given(x=st.floats(-150, 250), y=st.floats(0, 250), z=st.floats(60, 160))
def test_no_elbow_sinks_into_the_table(x: float, y: float, z: float) -> None:
    found = reach(
        np.array([170.0, 450.0, 220.0]),
        np.array([x, y, z]),
        UPPER,
        LOWER,
        np.array([0.75, 0.35, -0.75]),
        EDGE,
    )
    if found.elbow[1] < EDGE:
        assert found.elbow[2] > 20.0


def test_an_arm_that_is_too_short_says_by_how_much() -> None:
    found = reach(np.zeros(3), np.array([0.0, -1000.0, 0.0]), UPPER, LOWER, np.array([0, 0, -1.0]), -5000.0)
    assert found.short == pytest.approx(1000.0 - 0.998 * (UPPER + LOWER))


def test_a_frame_is_a_rotation() -> None:
    frame = frame_of(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0]))
    assert frame.T @ frame == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(frame) == pytest.approx(1.0)
