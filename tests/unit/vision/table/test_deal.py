"""Several looks at a table that rests: which cards lie there."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry import CARD_CORNERS_MM, order_quad
from vision.plane import TablePlane
from vision.table.deal import settled_cards
from vision.types import CardReading

TABLE = TablePlane(np.eye(3))


def lying(x: float, name: str, p: float) -> CardReading:
    quad = order_quad(np.asarray(CARD_CORNERS_MM, np.float64) + np.array([x, 0]))
    return CardReading(quad, "up", 0.9, name if p > 0.5 else None, p, ((name, p),))


@pytest.mark.parametrize(
    ("x", "p", "cards"),
    [
        (30, 0.25, {"10S"}),  # the pattern beside a card, outlined half over it
        (65, 0.25, {"10S", "9H"}),  # its neighbour, badly seen
        (30, 0.99, {"10S", "9H"}),  # a card that lies half on it
        (10, 0.99, {"10S"}),  # the same card under another name
    ],
)
def test_a_doubtful_card_does_not_lie_on_a_sure_one(x: float, p: float, cards: set[str]) -> None:
    look = [lying(0, "10S", 0.999), lying(x, "9H", p)]
    assert {card.best[0] for card in settled_cards([look] * 3, TABLE)} == cards


def test_what_one_look_alone_shows_is_not_there() -> None:
    looks = [[lying(0, "10S", 0.999)]] * 2 + [[lying(0, "10S", 0.999), lying(70, "9H", 0.8)]]
    assert [card.best[0] for card in settled_cards(looks, TABLE)] == ["10S"]
