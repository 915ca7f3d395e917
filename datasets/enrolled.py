"""Readers with an enrolled deck for sets of photos that show one deck: learnt from the other photos alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.photos import LabelledPhoto, load_set
from vision.decks import Deck, DeckHead
from vision.enrolment import examples
from vision.face_classes import CARDS
from vision.faces import FaceReader
from vision.geometry import order_quad
from vision.reader import TableReader
from vision.reading import CardReader

ENROLLABLE = ("vpo_table", "avgustine_quads")
"""Sets of `datasets.evaluation.MEASURES` that label whole cards of one deck by corners and name."""
_PICTURES = 3
"""Most pictures of a card that a deck is enrolled from."""

Examples = list[tuple[str, NDArray[np.float32]]]


def leave_one_out(
    name: str, root: Path | None = None, progress: Callable[[str], None] | None = None
) -> Callable[[LabelledPhoto], CardReader]:
    """Return what gives each photo of a set its reader: one that was shown the cards of all other photos.

    Raises:
        BadInputError: the set is missing.
    """
    faces, plain = FaceReader(), FaceReader()
    reader = TableReader(faces=faces)
    shown: dict[Path, Examples] = {}
    photos = load_set(name, root)
    for number, photo in enumerate(photos, start=1):
        shown[photo.path] = _shown_in(photo, plain)
        if progress is not None:
            progress(f"{name}: cards of {number}/{len(photos)} learnt")

    def reader_of(photo: LabelledPhoto) -> CardReader:
        others = [example for path, found in shown.items() if path != photo.path for example in found]
        faces.deck = DeckHead(_deck(name, others, plain.fingerprint))
        return reader

    return reader_of


def _shown_in(photo: LabelledPhoto, plain: FaceReader) -> Examples:
    image = photo.image()
    cards = [label for label in photo.labels if label.kind == "quad" and label.card in CARDS]
    return [(label.card, examples(image, order_quad(label.points), plain)) for label in cards]


def _deck(name: str, others: Sequence[tuple[str, NDArray[np.float32]]], weights: str) -> Deck:
    """Return the deck of the first few pictures of each card."""
    counts: Counter[str] = Counter()
    cards: list[str] = []
    parts = []
    for card, features in others:
        counts[card] += 1
        if counts[card] <= _PICTURES:
            cards += [card] * len(features)
            parts.append(features)
    return Deck(name, weights, tuple(cards), np.concatenate(parts))
