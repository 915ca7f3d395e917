"""Measures a reader on labelled photographs.

There are three kinds of truth: quads of cards, boxes around cards, and the set of cards in a photo. A card
with a quad counts as found if the quad of a reading overlaps it with an intersection over union of at least
0.5.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from companion.parallel import spread
from datasets.measuring.reading.lone_index import LoneIndexReader
from datasets.measuring.reading.matching import boxed
from datasets.measuring.reading.photo_sets import KNOWN_SETS, PhotoSet
from datasets.measuring.reading.scores import Score
from datasets.photos import LabelledPhoto, load_set
from datasets.progress import Progress
from models.onestage.reader import OneStageReader
from vision.decks.deck_files import load_deck
from vision.decks.deck_head import DeckHead
from vision.recognition import reader
from vision.recognition.classifier import CardClassifier
from vision.types import CardReader, CardReading

DETECTOR_SUFFIX = "+one-stage"
"""Suffix of the name of a set in the row of the one-stage detector."""
TimedReadings = tuple[Sequence[CardReading], float]
"""The readings of a photo, and the milliseconds that they took."""
ReadPhotos = Callable[[Sequence[LabelledPhoto]], Iterable[TimedReadings]]
"""Reads photos, and returns the readings in their order."""


def with_deck(deck: str | None, jobs: int = 1, cluster: str | None = None) -> ReadPhotos:
    """Return a function that reads photos with an enrolled deck, or without one for None.

    It reads several at a time (see `companion.parallel.spread`). That changes the milliseconds, not the
    readings.
    """
    return lambda photos: spread(partial(_timed_with_deck, deck), photos, jobs, cluster)


def with_detector(weights: Path, jobs: int = 1, cluster: str | None = None) -> ReadPhotos:
    """Return a function that reads photos with a one-stage detector (`models.onestage`).

    Its readings are upright, so they are measured with `boxes`.

    Raises:
        BadInputError: the weights are missing, or no network.
    """
    detector(weights)  # bad weights are reported before anything is read
    return lambda photos: spread(partial(_timed_with_detector, weights), photos, jobs, cluster)


def _timed_with_detector(weights: Path, photo: LabelledPhoto) -> TimedReadings:
    return timed(detector(weights), photo)


@cache
def detector(weights: Path) -> CardReader:
    """Return the one-stage detector with these weights, loaded once. Raises BadInputError for bad weights."""
    return OneStageReader(weights)


def _timed_with_deck(deck: str | None, photo: LabelledPhoto) -> TimedReadings:
    if photo.index_alone:
        return timed(_lone_index_reader(deck), photo)
    return timed(reader.reader_for_deck(None) if deck is None else _reader_for_deck(deck), photo)


@cache
def _lone_index_reader(deck: str | None) -> CardReader:
    return LoneIndexReader(CardClassifier(deck=None if deck is None else DeckHead(load_deck(deck))))


@cache
def _reader_for_deck(deck: str) -> CardReader:
    return reader.reader_for_deck(deck)


def evaluate_photos(
    read_photos: ReadPhotos,
    names: Iterable[str],
    root: Path | None = None,
    progress: Progress | None = None,
    boxes: bool = False,
    sets: Mapping[str, PhotoSet] = KNOWN_SETS,
) -> list[Score]:
    """Return a score for each named set.

    Args:
        read_photos: Reads the photos.
        names: Keys of `sets`.
        root: The photo folder.
        progress: Counts the photos of each set.
        boxes: Compare the readings with the upright boxes around the cards, not with quads.
        sets: The sets by name.

    Raises:
        BadInputError: a set is missing.
    """
    scores = []
    known: dict[Path, TimedReadings] = {}
    for name in names:
        folder, measure = sets[name]
        score = Score(name)
        photos = load_set(folder, root)
        fresh = [photo for photo in photos if photo.path not in known]
        for number, (photo, timed) in enumerate(zip(fresh, read_photos(fresh), strict=True), start=1):
            known[photo.path] = timed
            if progress is not None:
                progress(number, len(fresh))
        for photo in photos:
            readings, milliseconds = known[photo.path]
            measure(score, [boxed(label) for label in photo.labels] if boxes else photo.labels, readings)
            score.photos += 1
            score.milliseconds.append(milliseconds)
        scores.append(score)
    return scores


def timed(reader: CardReader, photo: LabelledPhoto) -> TimedReadings:
    """Return the readings of a photo, and the milliseconds that they took."""
    image = photo.image()
    start = time.perf_counter()
    readings = reader.read(image)
    return readings, 1000 * (time.perf_counter() - start)
