"""People are told from what lies on the table, so that no time is spent on reading them."""

from __future__ import annotations

import numpy as np
import pytest

from vision.following.regions import is_beside_people, people
from vision.motion.background import BackgroundSubtractor, MotionFrame
from vision.motion.stabiliser import StabilisedFrame
from vision.plane import TablePlane
from vision.table.layout import DRAW, Layout, Seat
from vision.types import Mask

LAYOUT = Layout(
    TablePlane(np.array([[2.0, 0, -640], [0, 2.0, -360], [0, 0, 1]])),
    640,
    360,
    (
        Seat("Ann", ((-75, 180), (0, 180), (75, 180)), (0.0, 1.0)),
        Seat("Bob", ((75, -180), (0, -180), (-75, -180)), (0.0, -1.0)),
    ),
    draw=(-60, 0),
    play=(60, 0),
)
TABLE = np.full((360, 640, 3), 90, np.uint8)


def motion_of(left: int, top: int, right: int, bottom: int) -> MotionFrame:
    """Return the motion as something comes into the picture (px)."""
    gate, body = BackgroundSubtractor(), TABLE.copy()
    body[top:bottom, left:right] = 200
    for k in range(10):
        gate.feed(StabilisedFrame(TABLE), k / 15)
    return gate.feed(StabilisedFrame(body), 1.0)


def is_person(mask: Mask, x: float, y: float) -> bool:
    """Return whether a place on the table (mm) is a person's."""
    column, row = (LAYOUT.plane.to_pixels([(x, y)])[0] * mask.shape[1] / 640).astype(int)
    return bool(mask[row, column])


def test_only_people_are_behind_the_rows() -> None:
    mask = people(LAYOUT, motion_of(0, 0, 0, 0), [], [])
    assert is_person(mask, 0, 330)
    assert is_person(mask, 300, -330)
    assert not any(is_person(mask, x, y) for x, y in [(0, 180), (75, -180), (60, 0), (500, 0), (0, 240)])


@pytest.mark.parametrize("reaches_in", [False, True])
def test_a_head_over_a_row_is_a_person_and_a_hand_that_reaches_in_may_hold_a_card(reaches_in: bool) -> None:
    motion = motion_of(380, 220, 460, 360)  # over Ann's right end of the row
    (region,) = motion.border_regions
    mask = people(LAYOUT, motion, [region.mask] if reaches_in else [], [])
    assert is_person(mask, 190, 170) is not reaches_in


def test_what_comes_in_over_the_piles_may_be_a_hand_that_was_not_found() -> None:
    mask = people(LAYOUT, motion_of(330, 170, 370, 360), [], [])
    assert not is_person(mask, 60, 20)


def test_a_hand_that_rests_is_a_person() -> None:
    motion = motion_of(0, 0, 0, 0)
    hand = np.zeros_like(motion.moving)
    hand[88:96, 158:166] = True
    assert is_person(people(LAYOUT, motion, [], [hand]), 8, 10)


@pytest.mark.parametrize(("top", "beside"), [(200, True), (230, False)])
def test_a_body_that_only_touches_the_picture_of_a_pile_shades_the_pile(top: int, beside: bool) -> None:
    """The draw pile's picture ends 50 mm from its middle, at the 205th row of pixels."""
    assert is_beside_people(DRAW, LAYOUT, motion_of(250, top, 330, 360)) is beside
