"""The end of a card that sticks out from under another, by an outline about both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.recognition.protruding_ends import find_lower_card
from vision.types import Quad

CARD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)


def around_both(out: float, *, aside: float = 0.0, end: int = 2) -> Quad:
    """Return an outline about `CARD` and one that sticks out so far at its end (0: first, 2: second)."""
    quad = CARD.copy()
    quad[end : end + 2] += np.array([aside, out if end else -out], np.float32)
    return quad


@pytest.mark.parametrize("turned", [0, 2])
@pytest.mark.parametrize("end", [0, 2])
def test_the_lower_card_begins_where_the_outline_around_both_ends(end: int, turned: int) -> None:
    both = around_both(20.0, aside=3.0, end=end)
    lower = find_lower_card(CARD, np.roll(both, turned, axis=0))
    assert lower is not None
    assert np.allclose(lower[:2], both[end : end + 2]), "its first corner is at the end that shows"
    assert np.allclose(np.linalg.norm(lower[3] - lower[0]), 88)
    assert np.allclose(np.linalg.norm(lower[1] - lower[0]), 63)


@pytest.mark.parametrize("out", [0.0, 5.0, 50.0, -20.0])
def test_an_outline_as_long_as_the_card_or_shorter_or_twice_as_long_tells_of_none(out: float) -> None:
    assert find_lower_card(CARD, around_both(out)) is None


def test_an_outline_moved_as_a_whole_is_the_same_card_drawn_badly() -> None:
    assert find_lower_card(CARD, CARD + np.array([0, 20], np.float32)) is None
    assert find_lower_card(CARD, around_both(20.0, aside=30.0)) is None


@given(angle=st.floats(0, 6.28), scale=st.floats(0.3, 5.0), x=st.floats(-500, 500), y=st.floats(-500, 500))
def test_it_does_not_matter_how_the_cards_lie_in_the_picture(
    angle: float, scale: float, x: float, y: float
) -> None:
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    seen = [(quad @ turn.T + (x, y)).astype(np.float32) for quad in (CARD, around_both(20.0, aside=2.0))]
    lower, expected = find_lower_card(*seen), find_lower_card(CARD, around_both(20.0, aside=2.0))
    assert lower is not None
    assert expected is not None
    assert np.allclose(lower, expected @ turn.T + (x, y), atol=1e-2 * max(1.0, scale))
