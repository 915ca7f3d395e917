"""Whether something like a card sticks out from under a card."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.overlap_prefilter import card_sticks_out
from vision.types import Image, Quad

CARD = np.array([[150, 100], [276, 100], [276, 276], [150, 276]], np.float32)


def table(*cards: Quad, light: float = 1.0) -> Image:
    """Draw white cards on dark felt, the first one lowest, each with a grey seam."""
    picture = np.full((400, 500, 3), (40, 70, 30), np.uint8)
    for card in cards:
        corners = np.round(card).astype(np.int32)
        cv2.fillConvexPoly(picture, corners, (235, 240, 240))
        cv2.polylines(picture, [corners], True, (150, 150, 150), 1)
    return (picture * light).astype(np.uint8)


def moved(x: float, y: float = 0.0) -> Quad:
    return CARD + np.array([x, y], np.float32)


@pytest.mark.parametrize("light", [1.0, 0.35])
def test_nothing_sticks_out_from_under_a_card_that_lies_alone(light: float) -> None:
    assert not card_sticks_out(table(CARD, light=light), CARD, [])


@pytest.mark.parametrize("light", [1.0, 0.35])
def test_a_strip_of_a_card_below_sticks_out(light: float) -> None:
    assert card_sticks_out(table(moved(-24), CARD, light=light), CARD, [])


def test_a_card_that_is_known_does_not_count() -> None:
    below = moved(-24)
    assert not card_sticks_out(table(below, CARD), CARD, [below])


def test_a_third_card_beside_a_known_one_counts() -> None:
    below = moved(-24)
    assert card_sticks_out(table(moved(5, 30), below, CARD), CARD, [below])


def test_on_a_table_as_white_as_the_card_it_cannot_be_ruled_out() -> None:
    assert card_sticks_out(np.full((400, 500, 3), 235, np.uint8), CARD, [])


def test_a_card_at_the_edge_of_the_picture_is_looked_at_as_far_as_it_goes() -> None:
    assert not card_sticks_out(table(moved(-180, -120)), moved(-180, -120), [])
