"""Measures a reader against labelled photographs.

Three kinds of truth are met: card quads (a card counts as found when a reading's quad overlaps its own with
an intersection over union of at least 0.5), boxes around cards, and the mere set of cards in a photo.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from datasets.parallel import spread
from datasets.photos import BACK, Label, LabelledPhoto, load_set
from models.onestage.reader import OneStageReader
from vision import reader
from vision.geometry import bounding_box, polygon_iou
from vision.reading import CardReader, CardReading, Quad

FOUND_IOU = 0.5
"""Overlap from which a reading counts as the labelled card."""
SURE = 0.9
"""Confidence from which a wrong name counts as confidently wrong."""
BESIDE = "+one-stage"
"""Follows a set's name in the row of the detector that is measured beside."""
_BINS = 10


@dataclass
class Score:
    """Counts over one set of photos."""

    name: str
    photos: int = 0
    cards: int = 0
    """Cards in the truth."""
    readings: int = 0
    """Cards reported: of the kind the truth speaks of."""
    found: int = 0
    """Cards of the truth that a reading matches."""
    named_right: int = 0
    confidently_wrong: int = 0
    milliseconds: list[float] = field(default_factory=list)
    certainty: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence and rightness of every name given."""

    def add(self, other: Score) -> None:
        """Count what another score of the same set counted as well; photos and times aside."""
        self.cards += other.cards
        self.readings += other.readings
        self.found += other.found
        self.named_right += other.named_right
        self.confidently_wrong += other.confidently_wrong
        self.certainty += other.certainty

    def calibration_error(self) -> float | None:
        """Return the expected calibration error (Naeini et al., 2015) over ten equal bins, or None."""
        if not self.certainty:
            return None
        confidence = np.array([c for c, _ in self.certainty])
        right = np.array([r for _, r in self.certainty], float)
        bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
        gaps = [
            abs(confidence[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in np.unique(bins)
        ]
        return float(sum(gaps))

    def to_json(self) -> dict[str, Any]:
        """Return the row as printed: rates 0..1, None where the set says nothing about them."""
        return {
            "set": self.name,
            "photos": self.photos,
            "cards": self.cards,
            "precision": _ratio(self.found, self.readings),
            "recall": _ratio(self.found, self.cards),
            "identity_right": _ratio(self.named_right, self.cards)
            if self.certainty or self.named_right
            else None,
            "confidently_wrong": self.confidently_wrong,
            "calibration_error": _rounded(self.calibration_error()),
            "ms": _rounded(float(np.median(self.milliseconds)), 1) if self.milliseconds else None,
        }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)


Measure = Callable[[Score, Sequence[Label], Sequence[CardReading]], None]


def match_quads(labels: Sequence[Label], readings: Sequence[CardReading]) -> list[tuple[int, int]]:
    """Return pairs (label, reading) by falling overlap, each used once.

    Labelled quads are compared with the readings' quads, labelled boxes with the boxes around them.
    """
    overlaps = [
        (_overlap(label, reading), i, j)
        for i, label in enumerate(labels)
        for j, reading in enumerate(readings)
    ]
    pairs: list[tuple[int, int]] = []
    used_labels: set[int] = set()
    used_readings: set[int] = set()
    for overlap, i, j in sorted(overlaps, reverse=True):
        if overlap < FOUND_IOU:
            break
        if i not in used_labels and j not in used_readings:
            used_labels.add(i)
            used_readings.add(j)
            pairs.append((i, j))
    return pairs


def _boxed(label: Label) -> Label:
    """Return the label as the upright box around it."""
    left, top, right, bottom = bounding_box(label.points)
    points = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return replace(label, points=points, kind="box")


def _overlap(label: Label, reading: CardReading) -> float:
    if label.kind == "quad":
        return polygon_iou(_clockwise(label.points), reading.quad)
    left, top, right, bottom = bounding_box(reading.quad)
    return polygon_iou(label.points, np.array([[left, top], [right, top], [right, bottom], [left, bottom]]))


def _clockwise(points: Quad) -> Quad:
    """Return the corners clockwise in the picture: labels run either way round."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turn = float((edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]).sum())
    return points if turn > 0 else points[::-1]


def _same_card(truth: str, read: str) -> bool:
    """Compare names; a truth that is a rank alone (`K`) asks for the rank only."""
    return read == truth or (truth[-1] not in "CDHS" and read[:-1] == truth)


def _face_up_places(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Every face-up card where it lies, and its name."""
    truth = [label for label in labels if label.card != BACK]
    up = [reading for reading in readings if reading.face == "up"]
    score.cards += len(truth)
    score.readings += len(up)
    for i, j in match_quads(truth, up):
        score.found += 1
        card = up[j].card
        if card is None:
            continue
        right = _same_card(truth[i].card, card)
        score.named_right += right
        score.confidently_wrong += not right and up[j].confidence >= SURE
        score.certainty.append((up[j].confidence, right))


def _face_down_places(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Every face-down card or pile where it lies."""
    truth = [label for label in labels if label.card == BACK]
    down = [reading for reading in readings if reading.face == "down"]
    score.cards += len(truth)
    score.readings += len(down)
    score.found += len(match_quads(truth, down))


def _set_of_cards(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Which cards are in the photo, wherever they lie: a card named is found."""
    truth = {label.card for label in labels} - {BACK}
    named: dict[str, float] = {}
    for reading in readings:
        if reading.card is not None:
            named[reading.card] = max(named.get(reading.card, 0.0), reading.confidence)
    score.cards += len(truth)
    score.readings += len(named)
    score.found += len(truth & set(named))
    score.named_right += len(truth & set(named))
    score.confidently_wrong += sum(
        confidence >= SURE for card, confidence in named.items() if card not in truth
    )
    score.certainty += [(confidence, card in truth) for card, confidence in named.items()]


MEASURES: dict[str, tuple[str, Measure]] = {
    "vpo_table": ("vpo_table", _face_up_places),
    "vpo_table_down": ("vpo_table", _face_down_places),
    "rf100_valid": ("rf100/valid", _set_of_cards),
    "laptopcam_piles": ("mix55/laptopcam_piles", _set_of_cards),
    "bidly_fans": ("bidly_fans", _set_of_cards),
    "avgustine_quads": ("avgustine_quads", _face_up_places),
    "evan_backs": ("evan_backs", _face_down_places),
}
"""What `shithead evaluate --photos` measures: name, folder of the set, how."""


Timed = tuple[Sequence[CardReading], float]
"""What was read in a photo, and in how many milliseconds."""
ReadAll = Callable[[Sequence[LabelledPhoto]], Iterable[Timed]]


def each_by(readers: Callable[[LabelledPhoto], CardReader]) -> ReadAll:
    """Read photos one after another, each with the reader that `readers` returns for it."""
    return lambda photos: (_timed(readers(photo), photo) for photo in photos)


def with_deck(deck: str | None, jobs: int = 1, cluster: str | None = None) -> ReadAll:
    """Read photos with an enrolled deck (None: without), several at a time (see `datasets.parallel.spread`).

    Readings do not depend on how many; milliseconds do.
    """
    return lambda photos: spread(partial(_timed_with_deck, deck), photos, jobs, cluster)


def with_detector(weights: Path, jobs: int = 1, cluster: str | None = None) -> ReadAll:
    """Read photos with a one-stage detector (`models.onestage`), to be measured with `boxes`."""
    _detector(weights)  # a bad file is told of before anything is read
    return lambda photos: spread(partial(_timed_with_detector, weights), photos, jobs, cluster)


def _timed_with_detector(weights: Path, photo: LabelledPhoto) -> Timed:
    return _timed(_detector(weights), photo)


@cache
def _detector(weights: Path) -> CardReader:
    return OneStageReader(weights)


def _timed_with_deck(deck: str | None, photo: LabelledPhoto) -> Timed:
    return _timed(reader.reader_for_deck(None) if deck is None else _with_deck(deck), photo)


@cache
def _with_deck(deck: str) -> CardReader:
    return reader.reader_for_deck(deck)


def evaluate_photos(
    read_all: ReadAll,
    names: Iterable[str],
    root: Path | None = None,
    progress: Callable[[str], None] | None = None,
    boxes: bool = False,
) -> list[Score]:
    """Return one score per named set of `MEASURES`. Raises BadInputError when a set is missing.

    `boxes`: the readings' quads are upright boxes and are held against the upright boxes around the cards.
    """
    scores = []
    known: dict[Path, Timed] = {}
    for name in names:
        folder, measure = MEASURES[name]
        score = Score(name)
        photos = load_set(folder, root)
        fresh = [photo for photo in photos if photo.path not in known]
        for number, (photo, timed) in enumerate(zip(fresh, read_all(fresh), strict=True), start=1):
            known[photo.path] = timed
            if progress is not None:
                progress(f"{name}: {number}/{len(fresh)}")
        for photo in photos:
            readings, milliseconds = known[photo.path]
            measure(score, [_boxed(label) for label in photo.labels] if boxes else photo.labels, readings)
            score.photos += 1
            score.milliseconds.append(milliseconds)
        scores.append(score)
    return scores


def _timed(reader: CardReader, photo: LabelledPhoto) -> Timed:
    image = photo.image()
    start = time.perf_counter()
    readings = reader.read(image)
    return readings, 1000 * (time.perf_counter() - start)
