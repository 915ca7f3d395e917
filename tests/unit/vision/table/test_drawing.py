"""The annotated picture."""

from __future__ import annotations

import numpy as np

from vision.table.drawing import draw_readings, draw_table, label_of
from vision.types import CardReading, Quad


def quad(x: float, y: float) -> Quad:
    return np.array([[x, y], [x + 60, y], [x + 60, y + 90], [x, y + 90]], np.float32)


def test_draws_on_a_copy_and_only_around_the_cards() -> None:
    image = np.full((400, 600, 3), 90, np.uint8)
    drawn = draw_readings(image, [CardReading(quad(100, 100), "up", 0.9, "10H", 0.99)])
    assert (image == 90).all()
    assert (drawn != image).any()
    assert (drawn[:, 300:] == 90).all()


def test_labels_say_what_the_colours_say() -> None:
    assert label_of(CardReading(quad(0, 0), "down", 0.9)) == "down"
    assert label_of(CardReading(quad(0, 0), "up", 0.9)) == "??"
    assert label_of(CardReading(quad(0, 0), "up", 0.9, "9S", 0.99)) == "9S"
    assert label_of(CardReading(quad(0, 0), "up", 0.9, "9S", 0.7)) == "9S 70%"


def test_a_card_outside_the_picture_and_a_tiny_picture_do_no_harm() -> None:
    tiny = np.zeros((1, 1, 3), np.uint8)
    assert draw_readings(tiny, [CardReading(quad(-500, -500), "up", 0.9, "9S", 0.9)]).shape == (1, 1, 3)


def test_a_long_line_of_words_is_broken_and_not_cut() -> None:
    image = np.full((360, 640, 3), 90, np.uint8)
    short = draw_table(image, [], None, [], "Ann plays 9S")
    long = draw_table(image, [], None, [], "Ann plays 9S. " * 20)
    assert (short[:338] == 90).all()
    assert (long[:338] != 90).any()
    assert (long[:, :5] == 90).all(), "nothing runs over the picture's edge"
