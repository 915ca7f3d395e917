"""A photo of one card is enrolled, whatever else was outlined in it; two cards are not."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.art.drawn import DrawnStyle, draw_face
from vision.enrolment.photos import SinglePhotoReader, outline_of
from vision.recognition.classifier import CardClassifier
from vision.types import CardReading, Image


def _reading(
    left: float, top: float, width: float, height: float, card: str | None, p: float, detected: float = 0.9
) -> CardReading:
    right, bottom = left + width, top + height
    quad = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return CardReading(quad, "up", detected, card, p)


CARD = _reading(100, 100, 400, 560, "7H", 0.99)


@pytest.mark.parametrize(
    "other",
    [
        _reading(150, 150, 300, 420, "7D", 0.6, 0.95),
        _reading(150, 150, 300, 420, None, 0.9),
        _reading(110, 105, 400, 560, "7H", 0.9),
    ],
)
def test_an_outline_on_the_card_is_print_on_it(other: CardReading) -> None:
    for seen in ([CARD, other], [other, CARD]):
        found = outline_of(seen, "7H")
        assert found is not None
        assert found is CARD.quad or other.card == "7H"


@pytest.mark.parametrize(
    "other",
    [
        _reading(600, 100, 400, 560, "8S", 0.99),
        _reading(600, 100, 400, 560, None, 0.3),
        _reading(200, 150, 400, 560, "8S", 0.95),
    ],
)
def test_a_second_card_is_in_the_way(other: CardReading) -> None:
    assert outline_of([CARD, other], "7H") is None


def _table(*cards: str) -> Image:
    table = np.full((800, 1200, 3), (60, 90, 50), np.uint8)
    for number, card in enumerate(cards):
        face = draw_face(card, DrawnStyle())[::2, ::2, :3]
        left = 80 + 560 * number
        table[60 : 60 + face.shape[0], left : left + face.shape[1]] = face
    return table


def test_the_card_in_a_photo_is_outlined_and_two_are_counted() -> None:
    reader = SinglePhotoReader(CardClassifier())
    quad, count = reader.find(_table("7H"), "7H")
    assert count == 1
    assert quad is not None
    assert reader.find(_table("7H", "9S"), "7H") == (None, 2)
    assert reader.find(_table(), "7H") == (None, 0)
