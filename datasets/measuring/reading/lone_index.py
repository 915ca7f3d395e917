"""Reads pictures of one index corner without a card, as the reader names an index that it has found."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry import CARD_CORNERS_MM
from vision.recognition.classifier import CardClassifier
from vision.types import CardReading, Image, Mask, Region

_HEIGHT_MM = 24.6
"""Height of the card in such a picture: rank and suit, cut out closely from the corner of the card."""
_AROUND = 0.8
"""Margin of paper, as a share of the height of the picture. It repeats the edge of the picture."""


class LoneIndexReader:
    """A `CardReader` for pictures that one index corner fills."""

    def __init__(self, faces: CardClassifier) -> None:
        """Read with the networks of `faces`."""
        self._faces = faces

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> list[CardReading]:
        """Return the card of the index (height x width x 3, BGR); its quad is the border of the picture."""
        height, width = image.shape[:2]
        around = round(_AROUND * height)
        paper = cv2.copyMakeBorder(image, around, around, around, around, cv2.BORDER_REPLICATE)
        pixels_per_mm = height / _HEIGHT_MM
        quad = CARD_CORNERS_MM * np.float32(pixels_per_mm) + np.float32(around)
        # The margin is not real, so it must not affect the name.
        (name,) = self._faces.classify_indices(np.asarray(paper, np.uint8), [quad], index_only=True)
        border = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return [CardReading(border, "up", 1.0, name.card, name.confidence, name.alternatives)]
