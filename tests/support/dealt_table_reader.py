"""A dealt table for two that is read without fault, and a film of it. It needs no networks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.errors import BadInputError
from tests.support.fake_source import FakeSource
from tests.support.plain import plain
from vision.geometry import order_quad
from vision.types import CardReading, Image

UP = {"Ann": ["4S", "5C", "6C"], "Bob": ["9D", "JC", "AD"]}
CARD = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])


class Table:
    """Reads a dealt table without fault, until it fails."""

    def __init__(self) -> None:
        self.fails = False

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        if self.fails:
            raise BadInputError("corner.onnx: the network's output is not a number; its weights are damaged")
        rows = [(name, 425 + 75 * k, 520) for k, name in enumerate(UP["Ann"])]
        rows += [(name, 575 - 75 * k, 80) for k, name in enumerate(UP["Bob"])]
        found = [
            CardReading(order_quad(CARD + np.array([x, y])), "up", 0.95, name, 0.93) for name, x, y in rows
        ]
        return [*found, CardReading(order_quad(CARD + np.array([580, 300])), "down", 0.95, None, 0.9)]


class Film(FakeSource):
    name, fps = "film.mp4", 15.0

    def __init__(self, table: Table, breaks_at: int) -> None:
        super().__init__()
        self.table, self.breaks_at = table, breaks_at

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        for number in range(200):
            self.table.fails = number >= self.breaks_at
            yield number / 15, plain(1000, 600, (60, 90, 50))
