"""What looked like a card before anything was played is none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.table.bare_table import BareTable
from vision.types import Image

QUAD = np.array([[80, 60], [143, 60], [143, 148], [80, 148]], np.float32)


def table(seed: int = 1, *, low: int = 60, high: int = 140) -> Image:
    """A cloth with blots of some millimetres."""
    coarse = np.random.default_rng(seed).integers(low, high, (24, 32, 3), np.uint8)
    return np.asarray(cv2.resize(coarse, (320, 240), interpolation=cv2.INTER_CUBIC), np.uint8)


def with_card(image: Image) -> Image:
    image = image.copy()
    cv2.fillConvexPoly(image, QUAD.astype(np.int32), (235, 235, 235))
    cv2.putText(image, "9S", (90, 110), 0, 0.9, (20, 20, 20), 2)
    return image


@pytest.mark.parametrize("light", [0.4, 1.0, 1.6])
def test_a_place_that_is_as_it_was_shows_the_table_in_any_light(light: float) -> None:
    noise = np.random.default_rng(2).normal(0, 3, (240, 320, 3))
    now = np.clip(table() * light + noise, 0, 255).astype(np.uint8)
    assert BareTable(table()).is_unchanged(now, QUAD)


def test_a_card_hides_the_table() -> None:
    assert not BareTable(table()).is_unchanged(with_card(table()), QUAD)
    assert not BareTable(with_card(table())).is_unchanged(table(), QUAD)


def test_what_has_lain_there_from_the_first_is_the_table() -> None:
    assert BareTable(with_card(table())).is_unchanged(with_card(table()), QUAD)


def test_a_plain_table_tells_nothing() -> None:
    plain = np.full((240, 320, 3), 90, np.uint8)
    assert not BareTable(plain).is_unchanged(plain.copy(), QUAD)


@pytest.mark.parametrize("quad", [QUAD + 1000, QUAD * 0, QUAD - 200])
def test_outside_the_picture_there_is_no_table(quad: np.ndarray) -> None:
    assert not BareTable(table()).is_unchanged(table(), quad.astype(np.float32))


def test_a_picture_of_another_size_is_of_another_table() -> None:
    assert not BareTable(table()).is_unchanged(table()[:200], QUAD)
