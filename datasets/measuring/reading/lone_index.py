"""Reads pictures that show nothing but one index corner: as the reader names an index that it has found."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry import CARD_MM
from vision.recognition.classifier import FaceReader
from vision.types import CardReading, Image, Region

_HEIGHT_MM = 24.6
"""Such a picture begins at the card's corner and shows so much of its height: rank and suit, cut close."""
_AROUND = 0.8
"""The paper around is made by repeating the picture's rim: so much of its height on every side."""


class IndexAloneReader:
    """A `CardReader` of one index corner that fills the picture."""

    def __init__(self, faces: FaceReader) -> None:
        """Take over the networks."""
        self._faces = faces

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the card whose index is seen (height x width x 3, BGR); its quad is the picture's border."""
        height, width = image.shape[:2]
        around = round(_AROUND * height)
        paper = cv2.copyMakeBorder(image, around, around, around, around, cv2.BORDER_REPLICATE)
        pixels_per_mm = height / _HEIGHT_MM
        quad = CARD_MM * np.float32(pixels_per_mm) + np.float32(around)
        # What lies beside the index is made up, and tells nothing of the card.
        (name,) = self._faces.read_indices(np.asarray(paper, np.uint8), [quad], alone=True)
        border = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return [CardReading(border, "up", 1.0, name.card, name.confidence, name.alternatives)]
