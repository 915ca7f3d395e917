"""Whether a card that comes to light lay there before, by small pictures of its place."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.events_patches import lay_there_before, patch_box
from vision.layout import PLAY, Layout, Seat
from vision.plane import TablePlane
from vision.slots import Seen

LAYOUT = Layout(
    TablePlane(np.array([[1.0, 0, -160], [0, 1, -100], [0, 0, 1]])),
    320,
    200,
    (Seat("Ann", ((-75, 90), (0, 90), (75, 90)), (0.0, 1.0)),),
    play=(0.0, 0.0),
)
"""One pixel is a millimetre, and the small picture is the picture."""
UPRIGHT = Seen(0.0, 0.0, 90.0, "up", {"5D": 0.95})
LEFT, TOP = (int(value) for value in patch_box(LAYOUT, PLAY, 1.0)[0])
INDEX = {"top left": (-23, -30), "bottom right": (23, 30), "top right": (23, -30), "bottom left": (-23, 30)}


def pile() -> NDArray[np.uint8]:
    (left, top), (right, bottom) = patch_box(LAYOUT, PLAY, 1.0)
    return np.full((bottom - top, right - left, 3), 200, np.uint8)


def changed_at(*places: str) -> NDArray[np.uint8]:
    """Return the pile with other ink where a card at its middle has (or has no) index."""
    patch = pile()
    for place in places:
        x, y = INDEX[place][0] + 160 - LEFT, INDEX[place][1] + 100 - TOP
        patch[y - 10 : y + 10, x - 5 : x + 5] = 90
    return patch


def test_a_card_both_of_whose_indices_are_other_than_before_is_new() -> None:
    now = changed_at("top left", "bottom right")
    assert not lay_there_before(UPRIGHT, pile(), now, LAYOUT, PLAY)


@pytest.mark.parametrize("place", ["top left", "bottom right"])
def test_a_card_one_of_whose_indices_is_as_it_was_lay_there_before(place: str) -> None:
    assert lay_there_before(UPRIGHT, pile(), changed_at(place), LAYOUT, PLAY)


def test_what_changes_in_the_corners_without_index_tells_nothing() -> None:
    now = changed_at("top left", "bottom right", "top right", "bottom left")
    assert not lay_there_before(UPRIGHT, pile(), now, LAYOUT, PLAY)
    assert lay_there_before(UPRIGHT, pile(), changed_at("top right", "bottom left"), LAYOUT, PLAY)


def test_a_turned_card_is_looked_at_where_its_indices_are() -> None:
    turned = Seen(0.0, 0.0, 0.0, "up", {"5D": 0.95})
    patch = pile()
    for x, y in ((30, -23), (-30, 23)):  # top right and bottom left of what lies on its side
        patch[y + 100 - TOP - 5 : y + 100 - TOP + 5, x + 160 - LEFT - 10 : x + 160 - LEFT + 10] = 90
    assert not lay_there_before(turned, pile(), patch, LAYOUT, PLAY)


def test_without_pictures_nothing_is_said() -> None:
    assert not lay_there_before(UPRIGHT, None, pile(), LAYOUT, PLAY)
    assert not lay_there_before(UPRIGHT, pile(), None, LAYOUT, PLAY)


def test_an_index_beyond_the_small_picture_tells_nothing() -> None:
    far = Seen(70.0, 0.0, 90.0, "up", {"5D": 0.95})
    assert not lay_there_before(far, pile(), pile(), LAYOUT, PLAY)
