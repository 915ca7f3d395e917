"""Enrolling a deck: from pictures of its cards to the examples that an enrolled deck consists of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from vision.decks import Deck
from vision.face_crops import FaceCrops, face_crops
from vision.faces import FaceReader
from vision.geometry import quad_sides
from vision.reading import Image, Quad

_SHIFTS = ((0.0, 0.0), (0.012, 0.008), (-0.012, 0.008), (0.012, -0.008), (-0.012, -0.008))
"""Errors of an outline, as shares of the card's sides, that the examples are made insensitive to."""


def _views(image: Image, quad: Quad) -> Iterator[FaceCrops]:
    """Yield one card as it is cut out with slightly wrong outlines, both ways up."""
    width, height = quad_sides(quad)
    across = (quad[1] - quad[0]) / max(float(np.linalg.norm(quad[1] - quad[0])), 1e-6) * width
    down = (quad[3] - quad[0]) / max(float(np.linalg.norm(quad[3] - quad[0])), 1e-6) * height
    for x, y in _SHIFTS:
        moved = quad + x * across + y * down
        yield face_crops(image, moved)
        yield face_crops(image, np.roll(moved, 2, axis=0))


def enrol(name: str, shown: Iterable[tuple[Image, Quad, str]], reader: FaceReader) -> Deck:
    """Return a deck learnt from cards that were shown: (picture, the card's quad, which card it is) each."""
    cards: list[str] = []
    features = []
    for image, quad, card in shown:
        found = reader.features(*reader.outputs(list(_views(image, quad))))
        features.append(found)
        cards += [card] * len(found)
    stacked = np.concatenate(features) if features else np.zeros((0, 0), np.float32)
    return Deck(name, reader.fingerprint, tuple(cards), stacked)
