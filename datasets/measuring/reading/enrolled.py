"""Reads photos with their own deck enrolled, but never from the photo that is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.parallel import spread
from datasets.measuring.reading.evaluation import ReadPhotos, TimedReadings, timed
from datasets.photos import LabelledPhoto, card_named, load_set, photos_root, pictures_in
from datasets.progress import Progress
from engine.errors import BadInputError
from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck
from vision.decks.deck_head import DeckHead
from vision.enrolment.examples import augmented_features, card_template, with_templates
from vision.geometry import image_border, order_quad
from vision.recognition.classifier import CardClassifier
from vision.recognition.detector import CardDetector
from vision.recognition.reader import TableReader

LEAVE_ONE_OUT = ("vpo_table", "avgustine_quads", "yuchenrao_single")
"""Sets that show each card of one deck whole, several times."""
DECK_FOLDERS = {"bidly_fans": "bidly_deck"}
"""Folders with the decks of other sets: one flat picture of each card, with its name."""
ENROLLABLE = (*LEAVE_ONE_OUT, *DECK_FOLDERS)
_PICTURES = 3
"""Greatest number of pictures of a card for enrolment."""

Examples = list[tuple[str, NDArray[np.float32], NDArray[np.uint8]]]
"""The cards in one picture: name, features and small picture of each."""


def with_own_deck(
    name: str,
    root: Path | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> ReadPhotos:
    """Return a function that reads the photos of a set in `ENROLLABLE` with its deck enrolled.

    The deck is enrolled from other pictures than the photo that is read.

    Args:
        name: The set.
        root: The photo folder.
        jobs: See `companion.parallel.spread`.
        cluster: See `companion.parallel.spread`.
        progress: Counts the pictures for enrolment.

    Raises:
        BadInputError: the set, or the pictures of its deck, are missing.
    """
    shown: dict[Path, Examples] = {}
    pictures = _enrolment_photos(name, root)
    for number, (path, found) in enumerate(spread(_shown_in, pictures, jobs, cluster), start=1):
        shown[path] = found
        if progress is not None:
            progress(number, len(pictures))

    def pieces(photos: Sequence[LabelledPhoto]) -> Iterator[tuple[LabelledPhoto, Deck]]:
        for photo in photos:
            others = [example for path, found in shown.items() if path != photo.path for example in found]
            yield photo, _deck(name, others, _plain().fingerprint)

    return lambda photos: spread(_timed_with, pieces(photos), jobs, cluster)


def _enrolment_photos(name: str, root: Path | None) -> list[LabelledPhoto]:
    """Return the photos for the enrolment of the deck of a set; flat pictures of cards have no labels."""
    if name not in DECK_FOLDERS:
        return load_set(name, root)
    folder = (root or photos_root() or Path()) / DECK_FOLDERS[name]
    if not folder.is_dir():
        raise BadInputError(f"{folder}: the pictures of the deck are missing")
    return [LabelledPhoto(path, ()) for path in pictures_in(folder)]


@cache
def _plain() -> CardClassifier:
    return CardClassifier()


@cache
def _finder() -> CardDetector:
    return CardDetector()


@cache
def _reader() -> tuple[CardClassifier, TableReader]:
    faces = CardClassifier()
    return faces, TableReader(classifier=faces)


def _timed_with(piece: tuple[LabelledPhoto, Deck]) -> TimedReadings:
    photo, deck = piece
    faces, reader = _reader()
    faces.deck = DeckHead(deck)
    return timed(reader, photo)


def _shown_in(photo: LabelledPhoto) -> tuple[Path, Examples]:
    """Return the path of a picture, and its examples of cards."""
    image = photo.image()
    if not photo.labels:
        card = card_named(photo.path.stem)
        whole = image_border(image.shape[1], image.shape[0])
        quads = [(card, whole)] if card is not None else []
    elif by_quad := [label for label in photo.labels if label.kind == "quad"]:
        quads = [(label.card, order_quad(label.points)) for label in by_quad]
    else:
        # One card, somewhere. It is found as `deck enrol` finds the card of a photo, or left out.
        outlines = [outline for outline in _finder().detect(image) if outline.face == "up"]
        quads = [(photo.labels[0].card, outlines[0].quad)] if len(outlines) == 1 else []
    plain = _plain()
    return photo.path, [
        (card, augmented_features(image, quad, plain), card_template(image, quad, plain))
        for card, quad in quads
        if card in CARDS
    ]


def _deck(name: str, others: Examples, weights: str) -> Deck:
    """Return the deck from the first few pictures of each card."""
    counts: Counter[str] = Counter()
    cards: list[str] = []
    parts = []
    pictures: dict[str, NDArray[np.uint8]] = {}
    for card, features, seen in others:
        counts[card] += 1
        if counts[card] <= _PICTURES:
            cards += [card] * len(features)
            parts.append(features)
            pictures.setdefault(card, seen)
    return with_templates(Deck(name, weights, tuple(cards), np.concatenate(parts)), pictures)
