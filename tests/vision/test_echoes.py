"""Which outlines can be cards of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.echoes import can_lie_beside, is_framed_alike

QUAD = np.array([[300, 100], [360, 110], [350, 200], [288, 188]], np.float32)


@pytest.mark.parametrize(
    ("quad", "possible"),
    [
        (QUAD + np.array([2, 1], np.float32), False),  # the same card
        (np.roll(QUAD, 2, axis=0), False),  # the same card, half a turn on
        (QUAD + np.array([20, 5], np.float32), True),  # the next card of a fan
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.6) + QUAD.mean(axis=0), False),  # a court card's frame
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.6) + 900, True),  # a card further away
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.2) + 900, False),  # a key of a keyboard
    ],
)
def test_cards_of_one_table_are_of_one_size(quad: NDArray[np.float32], possible: bool) -> None:
    assert can_lie_beside(quad, [QUAD]) == possible


def stretched(sides: tuple[float, float], corner: int) -> NDArray[np.float32]:
    """Return the card with sides so many times as long, one corner and the directions kept."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    u, v = QUAD[1] - QUAD[0], QUAD[3] - QUAD[0]
    quad = np.array([(sides[0] * x) * u + (sides[1] * y) * v for x, y in unit], np.float32)
    return np.asarray(quad + QUAD[corner] - quad[corner], np.float32)


@pytest.mark.parametrize("corner", range(4))
def test_what_shows_of_one_card_framed_twice_is_one_card(corner: int) -> None:
    assert is_framed_alike(stretched((0.85, 0.8), corner), [QUAD + 500, QUAD])


def test_cards_that_lie_askew_or_aside_are_two() -> None:
    turn = np.radians(8)
    turned = (QUAD - QUAD[0]) @ np.array(
        [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    ) + QUAD[0]
    assert not is_framed_alike(turned, [QUAD])
    assert not is_framed_alike(QUAD + np.array([8, 2], np.float32), [QUAD])
