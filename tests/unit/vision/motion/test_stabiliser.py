"""The table is held still whatever the camera does."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.surfaces import drawn_surface
from tests.support.grain import grainy
from vision.geometry import transform_points
from vision.images import downscale
from vision.motion.stabiliser import Stabiliser
from vision.types import Image, Mask

HEIGHT, WIDTH = 540, 960
SURFACE = drawn_surface(np.random.default_rng(3))
CORNERS = np.array([[80, 60], [880, 60], [880, 480], [80, 480]], np.float64)


def table() -> Image:
    """Return a table with white cards whose pips are points to go by."""
    picture = np.asarray(cv2.resize(SURFACE, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
    rng = np.random.default_rng(8)
    for x in range(120, 860, 90):
        for y in (90, 380):
            cv2.rectangle(picture, (x, y), (x + 50, y + 70), (240, 240, 240), -1)
            for px, py in rng.integers((x + 8, y + 8), (x + 42, y + 62), (5, 2)):
                cv2.circle(picture, (int(px), int(py)), 4, (40, 30, 160), -1)
    return picture


TABLE = table()
BARE = np.asarray(cv2.resize(SURFACE, (WIDTH, HEIGHT)), np.uint8)


def movement(
    right: float, down: float, turn: float = 0.0, near: float = 1.0, keystone: float = 0.0
) -> NDArray[np.float64]:
    """Return how the picture moves when the camera does: about its middle, in pixels and radians."""
    cos, sin = near * math.cos(turn), near * math.sin(turn)
    middle = np.array([[1, 0, WIDTH / 2], [0, 1, HEIGHT / 2], [0, 0, 1.0]])
    move = np.array([[cos, -sin, right], [sin, cos, down], [keystone, 0, 1.0]])
    return np.asarray(middle @ move @ np.linalg.inv(middle))


def seen(move: NDArray[np.float64], noise: int = 0) -> Image:
    frame = np.asarray(
        cv2.warpPerspective(TABLE, move, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    return grainy(frame, 2.0, noise) if noise else frame


def off(steadier: Stabiliser, move: NDArray[np.float64]) -> float:
    """Return how far from its place the table is after steadying, pixels, at worst."""
    back = transform_points(steadier.to_reference, transform_points(move, CORNERS))
    return float(np.linalg.norm(back - CORNERS, axis=1).max())


def test_a_view_from_a_stand_is_left_as_it_is() -> None:
    steadier = Stabiliser()
    for number in range(6):
        frame = seen(np.eye(3), noise=number + 1)
        assert steadier.feed(frame).image is frame
    assert not steadier.moved


@pytest.mark.parametrize(
    "last",
    [
        movement(9, -6),
        movement(4, 3, turn=math.radians(1.2), near=1.01),
        movement(6, -4, turn=math.radians(0.6), keystone=2e-5),
    ],
    ids=["shifted", "turned and nearer", "tilted"],
)
def test_a_camera_that_sways_is_followed(last: NDArray[np.float64]) -> None:
    steadier = Stabiliser()
    steadier.feed(seen(np.eye(3)))
    for number in range(1, 9):
        move = np.eye(3) + (last - np.eye(3)) * number / 8
        steady = steadier.feed(seen(move, noise=number))
        assert off(steadier, move) < 1.0
    inside = np.s_[60:-60, 60:-60]
    assert float(np.abs(steady.image[inside].astype(float) - TABLE[inside]).mean()) < 6.0


def test_a_small_picture_is_steadied_as_the_whole_one_is() -> None:
    steadier = Stabiliser()
    steadier.feed(TABLE)
    steady = steadier.feed(seen(movement(9, -6, turn=math.radians(0.6))))
    small, scale = steady.downscaled(320)
    expected, same_scale = downscale(steady.image, 320)
    assert (small.shape, scale) == (expected.shape, same_scale)
    inside = np.s_[20:-20, 20:-20]
    assert float(cv2.absdiff(small, expected)[inside].mean()) < 1.5
    unsteadied, _ = downscale(seen(movement(9, -6, turn=math.radians(0.6))), 320)
    assert float(cv2.absdiff(unsteadied, expected)[inside].mean()) > 4.0


def test_a_hand_over_the_table_moves_no_camera() -> None:
    steadier = Stabiliser()
    steadier.feed(TABLE)
    for reach in range(40, 460, 30):
        frame = TABLE.copy()
        cv2.rectangle(frame, (420, HEIGHT - reach), (560, HEIGHT), (90, 120, 190), -1)
        assert steadier.feed(frame).image is frame


def test_a_leap_is_found_again() -> None:
    steadier = Stabiliser()
    steadier.feed(TABLE)
    moved = movement(140, 70, turn=math.radians(9))
    for _ in range(12):
        steadier.feed(seen(moved))
    assert off(steadier, moved) < 3.0
    assert steadier.lost_frames == 0


def test_a_camera_that_comes_back_leaves_the_frames_alone_again() -> None:
    steadier = Stabiliser()
    steadier.feed(TABLE)
    for move in (movement(5, 2), movement(9, 5), movement(4, 2), np.eye(3)):
        frame = seen(move)
        steady = steadier.feed(frame)
    assert steady.image is frame


def test_where_there_is_nothing_to_go_by_nothing_moves() -> None:
    steadier = Stabiliser()
    bare = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
    for number in range(1, 5):
        steadier.feed(grainy(bare, 2.0, number))
    assert not steadier.moved


def test_points_too_few_to_tell_how_a_camera_moves_do_not_lose_the_table_for_long() -> None:
    # Nothing but the grain of a dark picture, or a few cards before the deal.
    steadier = Stabiliser()
    lost = []
    for number in range(100):
        frame = np.full((HEIGHT, WIDTH, 3), 12, np.uint8)
        for x in range(5):
            left, top = 60 + 150 * x + 40 * (number % 5), 60 + (61 * number) % 400
            cv2.rectangle(frame, (left, top), (left + 40, top + 60), (240, 240, 240), -1)
        steadier.feed(frame)
        lost.append(steadier.lost_frames)
    assert 0 < max(lost) < 50


def test_a_dim_table_of_which_something_covers_a_part_is_not_lost() -> None:
    # In the grain of a dim picture each point goes its own little way, but together they go nowhere.
    steadier = Stabiliser()
    for number in range(12):
        frame = 20 + TABLE * 0.12 + np.random.default_rng(number).normal(0, 12.0, TABLE.shape)
        if number > 5:
            frame[:, : int(0.3 * WIDTH)] = 40
        steadier.feed(np.clip(frame, 0, 255).astype(np.uint8))
        assert steadier.lost_frames == 0
    assert not steadier.moved


def test_a_table_out_of_focus_over_which_people_move_is_not_lost() -> None:
    # Each point of a blurred card is found a pixel here or there. What is sharp are the people.
    steadier, places = Stabiliser(), np.random.default_rng(3)
    sharp = np.full((HEIGHT, WIDTH, 3), 150, np.uint8)
    for x in range(8):
        left, top = 100 + 95 * x, 60 + 40 * (x % 3)
        cv2.rectangle(sharp, (left, top), (left + 50, top + 70), (235, 235, 235), -1)
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 7.0), np.uint8)
    for number in range(30):
        frame = grainy(blurred if number > 5 else sharp, 3.0, number + 1)
        if number > 5:
            for x, y in places.integers((40, 300), (920, 520), (16, 2)):
                cv2.circle(frame, (int(x), int(y)), 14, (30, 40, 60), -1)
        steadier.feed(frame)
        assert steadier.lost_frames == 0
    assert not steadier.moved


def dim(move: NDArray[np.float64], number: int) -> Image:
    """Return a bare table in the dark: its marks are hardly more than the coarse grain of the picture."""
    frame = cv2.warpPerspective(BARE, move, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    grain = np.random.default_rng(number).normal(0, 6.0, (HEIGHT // 4, WIDTH // 4, 3))
    seen_so = 10 + 0.3 * frame + cv2.resize(grain, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(seen_so, 0, 255), np.uint8)


def test_points_in_the_grain_of_a_dim_picture_move_no_camera() -> None:
    # Many are found a little away in every picture, and some of these agree on a movement by chance.
    steadier = Stabiliser()
    for number in range(20):
        steadier.feed(dim(np.eye(3), number))
        assert not steadier.moved, number


def test_a_camera_that_moves_is_followed_in_a_dim_picture_too() -> None:
    steadier = Stabiliser()
    for number in range(6):
        steadier.feed(dim(movement(2.0 * number, -1.5 * number), number))
    assert off(steadier, movement(10.0, -7.5)) < 3.0


def test_a_table_that_is_found_again_where_it_was_has_not_moved() -> None:
    steadier = Stabiliser()
    lost = []
    for number in range(30):
        frame = seen(np.eye(3), noise=number + 1)
        if 3 <= number < 14:  # something large is carried across most of it
            blobs = np.random.default_rng(number).integers(0, 255, (HEIGHT // 12, 65, 3), np.uint8)
            frame[:, :850] = cv2.resize(blobs, (850, HEIGHT), interpolation=cv2.INTER_CUBIC)
        steadier.feed(frame)
        lost.append(steadier.lost_frames)
        assert not steadier.moved, number
    assert max(lost) > 0
    assert lost[-1] == 0


def with_head(frame: Image, right: int) -> tuple[Image, Mask]:
    """Return a frame with a head of rough hair, and where the head is in a small copy of it."""
    hair = np.random.default_rng(7).integers(0, 255, (HEIGHT // 6, 60, 3), np.uint8)
    frame, hidden = frame.copy(), np.zeros((HEIGHT, WIDTH), np.uint8)
    frame[:, right : right + 360] = cv2.resize(hair, (360, HEIGHT), interpolation=cv2.INTER_CUBIC)
    hidden[:, right : right + 360] = 1
    return frame, cv2.resize(hidden, (320, 180), interpolation=cv2.INTER_NEAREST) > 0


@pytest.mark.parametrize("leaves", [8, 20], ids=["slowly", "fast"])
def test_a_head_that_leans_in_and_moves_away_moves_no_camera(leaves: int) -> None:
    steadier, right, people = Stabiliser(), 240, None
    steadier.feed(TABLE)
    for number in range(40):
        right += leaves if number > 10 else 0
        frame, hidden = with_head(seen(np.eye(3), noise=number + 1), min(right, WIDTH - 360))
        steadier.feed(frame, people)
        people = hidden
        if number == 8:
            steadier.confirm()
        assert not steadier.moved, number
        assert steadier.lost_frames == 0, number


def test_a_knock_leaves_the_table_exactly_where_it_was() -> None:
    steadier = Stabiliser()
    for number in range(60):
        ringing = 7.0 * math.exp(-number / 5) * math.cos(1.7 * number) if number > 4 else 0.0
        steadier.feed(seen(movement(ringing, -0.8 * ringing), noise=number + 1))
        assert not steadier.hand_held
    assert not steadier.moved
    assert not steadier.swaying


def test_a_camera_that_sways_on_and_on_is_held_in_a_hand() -> None:
    steadier = Stabiliser()
    views = [seen(movement(3 * math.cos(0.7 * k), 3 * math.sin(0.7 * k)), noise=k) for k in range(9)]
    for number in range(90):
        steadier.feed(views[number % 9])
    assert steadier.hand_held


def test_another_size_begins_anew() -> None:
    steadier = Stabiliser()
    steadier.feed(TABLE)
    steadier.feed(seen(movement(9, 5)))
    moved_before = steadier.moved
    smaller = np.asarray(cv2.resize(TABLE, (640, 480)), np.uint8)
    assert steadier.feed(smaller).image is smaller
    assert (moved_before, steadier.moved) == (True, False)
    for size in ((1, 1), (2, 3), (1, 40)):
        tiny = np.zeros((*size, 3), np.uint8)
        assert steadier.feed(tiny).image is tiny
        assert steadier.feed(tiny).image is tiny
