"""What moves, what reaches in, and what belongs to the table."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.grain import grainy
from vision.motion.background import BackgroundSubtractor, MotionFrame, polygon_mask
from vision.motion.stabiliser import StabilisedFrame
from vision.types import Image

STEP = 1 / 15


def table(brightness: int = 90) -> Image:
    rng = np.random.default_rng(3)
    image = np.full((360, 640, 3), brightness, np.int16) + rng.integers(-6, 7, (360, 640, 1))
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def with_box(image: Image, x0: int, y0: int, x1: int, y1: int, level: int = 200) -> Image:
    out = image.copy()
    out[y0:y1, x0:x1] = level
    return out


def feed(gate: BackgroundSubtractor, frames: list[Image], start: float = 0.0) -> list[MotionFrame]:
    return [gate.feed(StabilisedFrame(frame), start + i * STEP) for i, frame in enumerate(frames)]


def noisy(image: Image, seed: int) -> Image:
    return grainy(image, 4.0, seed)


def test_a_noisy_picture_of_a_resting_table_is_still() -> None:
    motions = feed(BackgroundSubtractor(), [noisy(table(), i) for i in range(15)])
    assert all(motion.still and not motion.border_regions for motion in motions[1:])


def test_slow_change_of_the_light_is_no_movement() -> None:
    frames = [np.clip(table() * (1 + 0.02 * np.sin(i / 10)), 0, 255).astype(np.uint8) for i in range(60)]
    assert all(motion.still and not motion.border_regions for motion in feed(BackgroundSubtractor(), frames))


@pytest.mark.parametrize("level", [200, 20])
def test_an_arm_is_found_with_its_edge_and_its_tip(level: int) -> None:
    gate = BackgroundSubtractor()
    feed(gate, [table()] * 10)
    frames = [with_box(table(), 300, y, 340, 360, level) for y in (330, 290, 250, 210)]
    motion = feed(gate, frames, 1.0)[-1]
    (limb,) = motion.border_regions
    assert limb.contact is not None
    assert limb.contact[0] / motion.scale == pytest.approx(320, abs=8)
    assert limb.contact[1] / motion.scale == pytest.approx(358, abs=8)
    tip = limb.tip(limb.contact, motion.recently_moving)
    assert tip is not None
    assert tip[1] / motion.scale == pytest.approx(215, abs=12)


def test_a_resting_arm_is_still_an_arm() -> None:
    gate = BackgroundSubtractor()
    feed(gate, [table()] * 10)
    motions = feed(gate, [with_box(table(), 300, 200, 340, 360)] * 30, 1.0)
    assert motions[-1].still
    assert len(motions[-1].border_regions) == 1
    assert motions[-1].border_regions[0].tip((160.0, 179.0), motions[-1].recently_moving) is None, (
        "nothing moved just now"
    )


def test_a_card_that_was_put_down_becomes_part_of_the_table() -> None:
    gate = BackgroundSubtractor()
    feed(gate, [table()] * 10)
    motions = feed(gate, [with_box(table(), 300, 150, 340, 205)] * 30, 1.0)
    assert motions[0].foreground.any()
    assert not motions[0].border_regions
    assert not motions[-1].foreground.any()


def test_a_place_that_is_bare_again_is_no_arm() -> None:
    gate = BackgroundSubtractor()
    feed(gate, [table()] * 10)
    feed(gate, [with_box(table(), 300, 150, 340, 205)] * 30, 1.0)
    motions = feed(gate, [table()] * 3, 4.0)
    assert not motions[-1].foreground.any()


CARD = [[300, 150], [340, 150], [340, 205], [300, 205]]


@pytest.mark.parametrize("guessed", [False, True])
def test_a_place_never_seen_bare_is_no_arm_once_it_is_guessed(guessed: bool) -> None:
    gate = BackgroundSubtractor()
    feed(gate, [with_box(table(), 300, 150, 340, 205)] * 10)
    if guessed:
        gate.inpaint_cards([CARD])
    motions = feed(gate, [table()] * 3, 1.0)
    assert motions[-1].foreground.any() != guessed


def test_a_table_that_was_seen_bare_is_not_guessed_anew() -> None:
    gate = BackgroundSubtractor()
    printed = with_box(table(), 310, 165, 330, 190, 30)
    feed(gate, [printed] * 10)
    feed(gate, [with_box(printed, 300, 150, 340, 205)] * 30, 1.0)
    gate.inpaint_cards([CARD])
    motions = feed(gate, [printed] * 3, 4.0)
    assert not motions[-1].foreground.any()


def test_nothing_is_guessed_before_the_first_frame_or_outside_the_picture() -> None:
    gate = BackgroundSubtractor()
    gate.inpaint_cards([CARD])
    feed(gate, [table()] * 10)
    gate.inpaint_cards([[[900, 900], [950, 900], [950, 950], [900, 950]]])
    assert not feed(gate, [table()] * 3, 1.0)[-1].foreground.any()


def test_shares_of_polygons() -> None:
    gate = BackgroundSubtractor()
    feed(gate, [table()] * 10)
    motion = feed(gate, [with_box(table(), 300, 200, 340, 360)], 1.0)[0]
    inside = [[305, 220], [335, 220], [335, 340], [305, 340]]
    assert motion.covered_share(motion.border_mask(), inside) > 0.95
    assert motion.covered_share(motion.border_mask(), [[10, 10], [50, 10], [50, 50], [10, 50]]) == 0
    assert motion.covered_share(motion.border_mask(), [[-90, -90], [-50, -90], [-50, -50]]) == 0, (
        "outside the picture"
    )


def test_a_change_of_picture_size_starts_anew() -> None:
    gate = BackgroundSubtractor()
    gate.feed(StabilisedFrame(table()), 0.0)
    assert gate.feed(StabilisedFrame(np.zeros((100, 50, 3), np.uint8)), 0.1).still


def test_polygon_mask_outside_is_empty() -> None:
    assert not polygon_mask([[500, 500], [600, 500], [600, 600]], (100, 100)).any()


def test_a_camera_that_sways_makes_no_edge_move_but_a_hand_still_does() -> None:
    rng = np.random.default_rng(2)
    small = rng.integers(40, 200, (9, 16, 3), dtype=np.uint8)
    table: Image = np.asarray(cv2.resize(small, (320, 180), interpolation=0), np.uint8)
    off = np.concatenate([table[:, :1], table[:, :-1]], axis=1)
    gate = BackgroundSubtractor()
    gate.feed(StabilisedFrame(table), 0.0)
    assert gate.feed(StabilisedFrame(off), 0.1, camera_moving=True).moving_share == 0.0
    assert gate.feed(StabilisedFrame(table), 0.2).moving_share > 0.0, "on a stand the same would be told"
    gate.feed(StabilisedFrame(table), 0.3)
    hand = table.copy()
    hand[100:, 140:190] = (250, 250, 250)
    assert gate.feed(StabilisedFrame(hand), 0.4, camera_moving=True).moving_share > 0.03


def test_a_resting_arm_is_not_blended_into_the_table() -> None:
    """Of a sleeve much like the floor more and more would be lost."""
    gate, table = BackgroundSubtractor(), np.full((360, 640, 3), 90, np.uint8)
    sleeve, brighter = table.copy(), table.copy()
    sleeve[200:, 300:400], brighter[200:, 300:400] = 106, 116
    arm = np.zeros((180, 320), bool)
    arm[100:, 150:200] = True
    for number, frame in enumerate([table] * 3 + [sleeve] * 60 + [brighter] * 3):
        motion = gate.feed(StabilisedFrame(frame), number / 15)
        gate.protect_arms((arm,))
    assert motion.foreground[120:, 160:190].all()
