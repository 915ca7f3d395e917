"""Reads sets of photos that show one deck with that deck enrolled: never from the photo that is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.parallel import spread
from datasets.measuring.reading.evaluation import ReadAll, Timed, timed
from datasets.photos import LabelledPhoto, card_named, load_set, photos_root, pictures_in
from datasets.progress import Progress
from engine.errors import BadInputError
from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck, DeckHead
from vision.enrolment.enrolment import examples, picture, with_pictures
from vision.geometry import order_quad, upright_rectangle
from vision.recognition.classifier import FaceReader
from vision.recognition.detector import OutlineFinder
from vision.recognition.reader import TableReader

LEAVE_ONE_OUT = ("vpo_table", "avgustine_quads", "yuchenrao_single")
"""Sets that show each card of one deck whole, several times."""
SHOWN_APART = {"bidly_fans": "bidly_deck"}
"""Sets whose deck is shown in another folder: one flattened picture of each card, named after it."""
ENROLLABLE = (*LEAVE_ONE_OUT, *SHOWN_APART)
_PICTURES = 3
"""Most pictures of a card that a deck is enrolled from."""

Examples = list[tuple[str, NDArray[np.float32], NDArray[np.uint8]]]
"""Of each card that one picture shows: which one it is, its features, and the small picture kept of it."""


def with_own_deck(
    name: str,
    root: Path | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> ReadAll:
    """Return what reads the photos of one of `ENROLLABLE`, each with the deck learnt from other pictures.

    `jobs` and `cluster`: see `companion.parallel.spread`; `progress` is told pictures that were learnt from.

    Raises:
        BadInputError: the set, or the pictures of its deck, are missing.
    """
    shown: dict[Path, Examples] = {}
    pictures = _learnt_from(name, root)
    for number, (path, found) in enumerate(spread(_shown_in, pictures, jobs, cluster), start=1):
        shown[path] = found
        if progress is not None:
            progress(number, len(pictures))

    def pieces(photos: Sequence[LabelledPhoto]) -> Iterator[tuple[LabelledPhoto, Deck]]:
        for photo in photos:
            others = [example for path, found in shown.items() if path != photo.path for example in found]
            yield photo, _deck(name, others, _plain().fingerprint)

    return lambda photos: spread(_timed_with, pieces(photos), jobs, cluster)


def _learnt_from(name: str, root: Path | None) -> list[LabelledPhoto]:
    """Return the photos that a set's deck is learnt from; pictures of one flattened card have no labels."""
    if name not in SHOWN_APART:
        return load_set(name, root)
    folder = (root or photos_root() or Path()) / SHOWN_APART[name]
    if not folder.is_dir():
        raise BadInputError(f"{folder}: the pictures of the deck are not there")
    return [LabelledPhoto(path, ()) for path in pictures_in(folder)]


@cache
def _plain() -> FaceReader:
    return FaceReader()


@cache
def _finder() -> OutlineFinder:
    return OutlineFinder()


@cache
def _reader() -> tuple[FaceReader, TableReader]:
    faces = FaceReader()
    return faces, TableReader(faces=faces)


def _timed_with(piece: tuple[LabelledPhoto, Deck]) -> Timed:
    photo, deck = piece
    faces, reader = _reader()
    faces.deck = DeckHead(deck)
    return timed(reader, photo)


def _shown_in(photo: LabelledPhoto) -> tuple[Path, Examples]:
    """Return the examples that one picture gives of its cards."""
    image = photo.image()
    if not photo.labels:
        card = card_named(photo.path.stem)
        whole = upright_rectangle(image.shape[1], image.shape[0])
        quads = [(card, whole)] if card is not None else []
    elif by_quad := [label for label in photo.labels if label.kind == "quad"]:
        quads = [(label.card, order_quad(label.points)) for label in by_quad]
    else:
        # One card, somewhere: it is found as `deck enrol` finds the card of a photo, or left out.
        outlines = [outline for outline in _finder().find(image) if outline.face == "up"]
        quads = [(photo.labels[0].card, outlines[0].quad)] if len(outlines) == 1 else []
    plain = _plain()
    return photo.path, [
        (card, examples(image, quad, plain), picture(image, quad, plain))
        for card, quad in quads
        if card in CARDS
    ]


def _deck(name: str, others: Examples, weights: str) -> Deck:
    """Return the deck of the first few pictures of each card."""
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
    return with_pictures(Deck(name, weights, tuple(cards), np.concatenate(parts)), pictures)
