"""The full reader: finds the cards in a picture, cuts each one out, and names it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from vision.decks import DeckHead, load_deck
from vision.faces import FaceReader
from vision.geometry import polygon_area, polygon_overlap
from vision.outlines import Outline, OutlineFinder
from vision.reading import CardReading, Image

_ONE_CARD = 0.5
"""Two readings of the same card that share this much of the smaller quad are one card seen twice."""


class TableReader:
    """Reads every card in a picture; implements `vision.reading.CardReader`.

    A face-up card's `confidence` is the probability that the card is there and bears that name; below `least`
    its name is withheld and kept among the alternatives.
    """

    def __init__(
        self, finder: OutlineFinder | None = None, faces: FaceReader | None = None, *, least: float = 0.5
    ) -> None:
        self._finder = finder or OutlineFinder()
        self._faces = faces or FaceReader()
        self._least = least

    def read(self, image: Image) -> list[CardReading]:
        """Return the cards in a picture (height x width x 3, BGR), surest outline first."""
        outlines = self._finder.find(image)
        face_up = [outline for outline in outlines if outline.face == "up"]
        names = iter(self._faces.read(image, [outline.quad for outline in face_up]))
        readings = []
        for outline in outlines:
            if outline.face == "down":
                readings.append(
                    CardReading(outline.quad, "down", outline.confidence, None, outline.confidence)
                )
                continue
            name = next(names)
            readings.append(self._reading(outline, name.card, name.confidence, name.alternatives))
        return _seen_once(readings)

    def _reading(
        self,
        outline: Outline,
        card: str | None,
        confidence: float,
        alternatives: Sequence[tuple[str, float]],
    ) -> CardReading:
        sure = confidence * outline.confidence
        others = tuple(alternatives)
        if card is not None and sure < self._least:
            others = tuple(sorted([(card, sure), *others], key=lambda entry: -entry[1]))
            card = None
        return CardReading(outline.quad, "up", outline.confidence, card, sure, others)


def _seen_once(readings: Sequence[CardReading]) -> list[CardReading]:
    """Drop the weaker of two readings that name the same card and lie on one another: it is one card."""
    kept: list[CardReading] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        twin = reading.card is not None and any(
            other.card == reading.card and _share(other, reading) > _ONE_CARD for other in kept
        )
        if not twin:
            kept.append(reading)
    return sorted(kept, key=lambda r: -r.outline_confidence)


def _share(first: CardReading, second: CardReading) -> float:
    smaller = min(abs(polygon_area(first.quad)), abs(polygon_area(second.quad)))
    return polygon_overlap(first.quad, second.quad) / smaller if smaller > 0 else 0.0


@cache
def default_reader() -> TableReader:
    """Return the reader with the weights that ship, loaded once."""
    return TableReader()


def reader_for_deck(name: str | None) -> TableReader:
    """Return the reader for an enrolled deck, or the default one for None.

    Raises BadInputError when no such deck is enrolled.
    """
    if name is None:
        return default_reader()
    return TableReader(faces=FaceReader(deck=DeckHead(load_deck(name))))
