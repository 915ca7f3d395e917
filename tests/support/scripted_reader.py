"""A card reader that sees nothing, and says what it was told."""

from __future__ import annotations

from collections.abc import Sequence

from vision.types import CardReading, Image, Mask


class ScriptedReader:
    """A reader that gives the readings it was told, whatever it sees."""

    def __init__(self) -> None:
        self.readings: list[CardReading] = []

    def read(
        self, image: Image, crowded: object = None, ignored: Mask | None = None
    ) -> Sequence[CardReading]:
        return self.readings
