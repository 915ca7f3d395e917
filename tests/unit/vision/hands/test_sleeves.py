"""How an arm looks where it crosses the picture's border."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.hands.sleeves import Sleeves, colour_of
from vision.motion.background import Limb
from vision.types import Image

HEIGHT, WIDTH = 120, 200


def arm(sleeve: tuple[int, int, int], *, long: int = 80) -> tuple[Limb, Image]:
    """Return an arm that comes in from above: the last third of it is a bare hand."""
    small = np.full((HEIGHT, WIDTH, 3), 40, np.uint8)
    mask = np.zeros((HEIGHT, WIDTH), np.bool_)
    mask[:long, 90:104] = True
    small[: 2 * long // 3, 90:104] = sleeve
    small[2 * long // 3 : long, 90:104] = (140, 170, 220)
    return Limb(mask, (96.5, 0.5)), small


def test_the_sleeve_is_looked_at_and_not_the_hand() -> None:
    long, short = (colour_of(*arm((30, 30, 200), long=n)) for n in (80, 50))
    assert long is not None
    assert short is not None
    assert long == pytest.approx(short)
    lab = cv2.cvtColor(np.array([[[30, 30, 200]]], np.uint8), cv2.COLOR_BGR2LAB)[0, 0].astype(np.float64)
    assert long == pytest.approx(lab * [0.5, 1, 1])


def test_of_what_hardly_comes_in_or_does_not_cross_the_border_no_colour_is_told() -> None:
    limb, small = arm((30, 30, 200), long=2)
    assert colour_of(limb, small) is None
    limb, small = arm((30, 30, 200))
    assert colour_of(Limb(limb.mask, None), small) is None


def test_another_colour_speaks_against_a_seat_and_a_shade_darker_does_not() -> None:
    sleeves = Sleeves()
    red, dark_red, blue = (colour_of(*arm(c)) for c in ((30, 30, 200), (24, 24, 165), (200, 60, 30)))
    assert sleeves.unlike(0, None) == 0
    unknown = sleeves.unlike(0, red)
    sleeves.learn(0, red)
    sleeves.learn(1, None)
    assert sleeves.unlike(0, red) == 0
    assert sleeves.unlike(0, dark_red) < unknown < sleeves.unlike(0, blue)
    assert sleeves.unlike(1, blue) == unknown
    for _ in range(30):
        sleeves.learn(0, blue)
    assert sleeves.unlike(0, blue) == pytest.approx(0, abs=1)
