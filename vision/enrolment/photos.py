"""Enrolling from photos: the outline of the one card that a photo shows."""

from __future__ import annotations

from collections.abc import Sequence

from vision.geometry import intersection_over_smaller
from vision.recognition.classifier import CardClassifier
from vision.recognition.detector import CardDetector
from vision.recognition.reader import TableReader
from vision.types import CardReading, Image, Quad

_PRINT_OVERLAP = 0.5
"""An outline is print on a card if they share this much of the smaller one ..."""
_OTHER_CARD_P = 0.8
"""... unless another card is read in it with this probability."""


class SinglePhotoReader:
    """Finds the card in photos that show one card each. Its outlines are merged as when a table is read."""

    def __init__(self, classifier: CardClassifier) -> None:
        """Use a classifier without an enrolled deck, and the detector that ships.

        Raises:
            BadInputError: Weights are missing or broken.
        """
        self._reader, self._detector = TableReader(classifier=classifier), CardDetector()

    def find(self, image: Image, card: str) -> tuple[Quad | None, int]:
        """Return the outline of the one card in a photo, and how many face-up cards the photo shows.

        The outline is None unless the photo shows one card.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            card: Name of the card that the photo shows.
        """
        seen = [reading for reading in self._reader.read(image) if reading.face == "up"]
        if not seen:
            # The face of a strange deck may be unreadable, but an outline is enough to learn it.
            outlines = [outline.quad for outline in self._detector.detect(image) if outline.face == "up"]
            return (outlines[0] if len(outlines) == 1 else None), len(outlines)
        return outline_of(seen, card), len(seen)


def outline_of(seen: Sequence[CardReading], card: str) -> Quad | None:
    """Return the outline of the card in a photo of one card, if all other readings are print on it.

    Args:
        seen: The face-up cards that were read in the photo; at least one.
        card: Name of the card that the photo shows.
    """
    main = max(seen, key=lambda reading: (reading.card == card, reading.detection_confidence))
    prints = all(_is_print_on(main, other) for other in seen if other is not main)
    return main.quad if prints else None


def _is_print_on(main: CardReading, other: CardReading) -> bool:
    if other.card not in (None, main.card) and other.confidence >= _OTHER_CARD_P:
        return False
    return intersection_over_smaller(main.quad, other.quad) >= _PRINT_OVERLAP
