"""Hands are found in a picture: one of a person whom the program `shithead film --people` drew."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.hands.landmarks import MIDDLE_KNUCKLE, WRIST, HandDetector, square_of_landmarks
from vision.types import Image

FINGERTIPS = (4, 8, 12, 16, 20)
"""The tips of the thumb and of the four fingers."""
KNUCKLES = (240, 150)
"""Where the hand's knuckles are in the picture, by eye."""
HAND_WRIST = (225, 250)


@pytest.fixture(scope="module")
def picture() -> Image:
    read = cv2.imread(str(Path(__file__).parent / "pictures" / "hand.jpg"))
    assert read is not None
    return np.asarray(read, np.uint8)


@pytest.fixture(scope="module")
def detector() -> HandDetector:
    return HandDetector()


def whole(picture: Image) -> tuple[float, float, float]:
    height, width = picture.shape[:2]
    return width / 2, height / 2, float(max(width, height))


def test_the_hand_is_found_with_its_fingers_where_they_are(detector: HandDetector, picture: Image) -> None:
    (hand,) = detector.find(picture, whole(picture))
    assert hand.p > 0.9
    assert math.dist(hand.points[WRIST], HAND_WRIST) < 30
    assert math.dist(hand.points[MIDDLE_KNUCKLE], KNUCKLES) < 30
    for tip in FINGERTIPS:
        assert hand.points[tip][1] < hand.points[WRIST][1] - 40, "the fingers point up"


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_turned_picture_shows_the_same_hand_turned(
    detector: HandDetector, picture: Image, turns: int
) -> None:
    (upright,) = detector.find(picture, whole(picture))
    turned = np.ascontiguousarray(np.rot90(picture, turns))
    (hand,) = detector.find(turned, whole(turned))
    height, width = picture.shape[:2]
    corners = {1: lambda x, y: (y, width - x), 2: lambda x, y: (width - x, height - y)}
    corners[3] = lambda x, y: (height - y, x)
    for number in (WRIST, MIDDLE_KNUCKLE):
        assert math.dist(hand.points[number], corners[turns](*upright.points[number])) < 25


def test_a_table_without_hands_has_none(detector: HandDetector, picture: Image) -> None:
    assert detector.find(picture[:90].copy(), (240.0, 45.0, 480.0)) == []


def test_hands_smaller_than_asked_for_are_not_found(detector: HandDetector, picture: Image) -> None:
    (hand,) = detector.find(picture, whole(picture))
    span = float(np.ptp(hand.points, axis=0).max())
    assert len(detector.find(picture, whole(picture), least_size=span / 2)) == 1
    assert detector.find(picture, whole(picture), least_size=span * 2) == []


def test_a_known_hand_is_not_found_anew_but_again(detector: HandDetector, picture: Image) -> None:
    (hand,) = detector.find(picture, whole(picture))
    assert detector.find(picture, whole(picture), [hand]) == []
    moved = np.roll(picture, (12, -9), axis=(0, 1))
    (again,) = detector.redetect(moved, [hand])
    assert np.allclose(again.middle, hand.middle + np.array([-9, 12]), atol=8)


def test_a_known_hand_is_found_again_when_a_head_hides_its_fingers(
    detector: HandDetector, picture: Image
) -> None:
    (hand,) = detector.find(picture, whole(picture))
    hidden = picture.copy()
    hidden[:185] = (20, 16, 14)
    (again,) = detector.redetect(hidden, [hand])
    assert math.dist(again.middle, hand.middle) < 25


def test_a_hand_that_has_gone_is_not_found_again(detector: HandDetector, picture: Image) -> None:
    (hand,) = detector.find(picture, whole(picture))
    assert detector.redetect(np.full_like(picture, 120), [hand]) == []


def test_both_runtimes_see_the_same_hand(detector: HandDetector, picture: Image) -> None:
    (hand,) = detector.find(picture, whole(picture))
    (other,) = HandDetector("opencv").find(picture, whole(picture))
    assert np.abs(hand.points - other.points).max() < 1.0


def test_the_square_of_a_hand_turns_and_grows_with_it() -> None:
    points = np.zeros((21, 2))
    points[WRIST], points[MIDDLE_KNUCKLE] = (100, 200), (100, 100)
    points[5], points[13] = (80, 105), (120, 105)
    x, y, side, turn = square_of_landmarks(points)
    assert turn == pytest.approx(0.0, abs=0.05)
    about = points @ np.array([[0.0, 1.0], [-1.0, 0.0]]) * 2
    _, _, larger, right = square_of_landmarks(about)
    assert larger == pytest.approx(2 * side)
    assert right == pytest.approx(turn + math.pi / 2, abs=0.05)
    assert abs(x - 60) < 100
    assert y < 200
