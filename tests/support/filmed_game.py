"""A game that a `FilmKeeper` films: a table in the middle of a picture that is full of detail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from companion.game.places import Places
from companion.game.setup import GameSetup
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat
from vision.types import Image

SETUP = GameSetup(source="0", players=("Ann", "Bob"), rules="winnersh", dealer="Ann")
WIDTH, HEIGHT = 1280, 720
NOBODY: Any = None  # no person can move the places of these games


def table() -> Layout:
    """Two rows in the middle of the picture: the table reaches from x = 430 to 850."""
    seats = tuple(Seat(name, ((640.0, y),), (0.0, 1.0)) for name, y in (("Ann", 460.0), ("Bob", 260.0)))
    return Layout(TablePlane(np.eye(3)), WIDTH, HEIGHT, seats, play=(540.0, 360.0), draw=(740.0, 360.0))


def chequered() -> Image:
    """A picture full of detail, everywhere."""
    ys, xs = np.mgrid[:HEIGHT, :WIDTH]
    return np.repeat((((ys // 8 + xs // 8) % 2) * 255).astype(np.uint8)[..., None], 3, axis=2)


class Game:
    """Stands for a watched game, and for the series that leads to it."""

    def __init__(self) -> None:
        self.setup = SETUP
        self.table = SimpleNamespace(players=("Ann", "Bob"), dealer="Ann")
        self.lines: list[dict[str, Any]] = []
        self.awaits_deal = self.lost = False
        self.places: Places | None = None

    def feed(self, _frame: Image, _t: float) -> list[dict[str, Any]]:
        """Decide nothing."""
        return []

    def deal(self) -> None:
        """The places are known from now on."""
        self.places = Places(table(), NOBODY)
