"""Measures a reader against labelled photographs.

Three kinds of truth are met: card quads (a card counts as found when a reading's quad overlaps its own with
an intersection over union of at least 0.5), boxes around cards, and the mere set of cards in a photo.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from companion.parallel import spread
from datasets.measuring.reading.lone_index import IndexAloneReader
from datasets.measuring.reading.matching import Measure, boxed, face_down_places, face_up_places, set_of_cards
from datasets.measuring.reading.scores import Score
from datasets.photos import BACK, LabelledPhoto, card_folders, label_folders, load_set
from datasets.progress import Progress
from engine.errors import BadInputError
from models.onestage.reader import OneStageReader
from vision.decks.deck import DeckHead, load_deck
from vision.recognition import reader
from vision.recognition.classifier import FaceReader
from vision.types import CardReader, CardReading

BESIDE = "+one-stage"
"""Follows a set's name in the row of the detector that is measured beside."""


class PhotoSet(NamedTuple):
    """A set of photos, and what of it is measured."""

    folder: str
    """Below the photo folder; `.`: that folder itself."""
    measure: Measure


MEASURES: dict[str, PhotoSet] = {
    "vpo_table": PhotoSet("vpo_table", face_up_places),
    "vpo_table_down": PhotoSet("vpo_table", face_down_places),
    "rf100_valid": PhotoSet("rf100/valid", set_of_cards),
    "laptopcam_piles": PhotoSet("mix55/laptopcam_piles", set_of_cards),
    "bidly_fans": PhotoSet("bidly_fans", set_of_cards),
    "avgustine_quads": PhotoSet("avgustine_quads", face_up_places),
    "jaxon411": PhotoSet("jaxon411", face_up_places),
    "jaxon411_down": PhotoSet("jaxon411", face_down_places),
    "evan_backs": PhotoSet("evan_backs", face_down_places),
    "yuchenrao_single": PhotoSet("yuchenrao_single", set_of_cards),
    "alvaro_corners": PhotoSet("alvaro_corners", set_of_cards),
}
"""The sets that `shithead evaluate --photos` knows; any other folder with labels is one as well."""
INDEX_ALONE = "alvaro_corners"
"""Shows no cards but index corners, cut out, which the reader names as it names those that it finds."""
TRAINED_ON = (
    "rf100/train",
    "mix55/phone_single",
    "mix55/black_deck_phone",
    "mix55/other",
    "edje/train",
    "edje/test",
)
"""Networks that ship learnt from these: they are measured only where they are named."""
_DOWN = "_down"
"""Follows a set's name in the row of its face-down cards, where it has others as well."""
_KEPT_ASIDE = "sealed"
"""A folder of sets for measuring what is finished: never found by looking about, only where it is named."""


def photo_sets(root: Path, asked: Sequence[str] = ()) -> dict[str, PhotoSet]:
    """Return the sets of a folder that are asked for, in that order; where none is, all but `TRAINED_ON`.

    Raises:
        BadInputError: there is no such set, or none at all.
    """
    others = _other_folders(root)
    if not asked:
        there = {name: one for name, one in MEASURES.items() if (root / one.folder).is_dir()}
        for name, folder in others.items():
            there |= _measures_of(name, folder, root)
        if not there:
            raise BadInputError(f"{root}: none of the photo sets is there, nor images with labels")
        return there
    return {name: _asked_set(name, others, root) for name in asked}


def _asked_set(name: str, others: Mapping[str, str], root: Path) -> PhotoSet:
    if name in MEASURES:
        return MEASURES[name]
    folders = {**others, **{folder: folder for folder in TRAINED_ON if (root / folder).is_dir()}}
    whole = name if name in folders else name.removesuffix(_DOWN)
    rows = _measures_of(whole, folders[whole], root) if whole in folders else {}
    if name not in rows:
        there = ", ".join([*MEASURES, *folders])
        raise BadInputError(f"--sets {name}: no such set; there are {there}, held_out, held_out_jokers")
    return rows[name]


def _other_folders(root: Path) -> dict[str, str]:
    """Return the sets in or below `root` that are neither known nor learnt from: by name their folders."""
    known = {one.folder for one in MEASURES.values()} | set(TRAINED_ON)
    inside = [path for path in sorted(root.iterdir()) if path.is_dir() and path.name != _KEPT_ASIDE]
    below = [path for folder in inside for path in sorted(folder.iterdir()) if path.is_dir()]
    folders = [path.relative_to(root).as_posix() for path in (root, *inside, *below) if _is_set(path)]
    return {root.resolve().name if name == "." else name: name for name in folders if name not in known}


def _is_set(folder: Path) -> bool:
    if (folder / "images").is_dir():
        return bool(label_folders(folder)) or (folder / "quads.json").is_file()
    return bool(card_folders(folder))


def _measures_of(name: str, folder: str, root: Path) -> dict[str, PhotoSet]:
    """Return what of a set that nothing else is known of can be measured, by its labels."""
    labels = [label for photo in load_set(folder, root) for label in photo.labels]
    up = [label for label in labels if label.card != BACK]
    found: dict[str, PhotoSet] = {}
    if up:
        places = any(label.kind == "quad" for label in up)
        found[name] = PhotoSet(folder, face_up_places if places else set_of_cards)
    if len(up) < len(labels):
        found[name + _DOWN if up else name] = PhotoSet(folder, face_down_places)
    return found


Timed = tuple[Sequence[CardReading], float]
"""What was read in a photo, and in how many milliseconds."""
ReadAll = Callable[[Sequence[LabelledPhoto]], Iterable[Timed]]


def each_by(readers: Callable[[LabelledPhoto], CardReader]) -> ReadAll:
    """Read photos one after another, each with the reader that `readers` returns for it."""
    return lambda photos: (timed(readers(photo), photo) for photo in photos)


def with_deck(deck: str | None, jobs: int = 1, cluster: str | None = None) -> ReadAll:
    """Read photos with an enrolled deck (None: without), several at a time (see `companion.parallel.spread`).

    Readings do not depend on how many; milliseconds do.
    """
    return lambda photos: spread(partial(_timed_with_deck, deck), photos, jobs, cluster)


def with_detector(weights: Path, jobs: int = 1, cluster: str | None = None) -> ReadAll:
    """Read photos with a one-stage detector (`models.onestage`), to be measured with `boxes`."""
    detector(weights)  # a bad file is told of before anything is read
    return lambda photos: spread(partial(_timed_with_detector, weights), photos, jobs, cluster)


def _timed_with_detector(weights: Path, photo: LabelledPhoto) -> Timed:
    return timed(detector(weights), photo)


@cache
def detector(weights: Path) -> CardReader:
    """Return the one-stage detector with these weights, loaded once; BadInputError where it is none."""
    return OneStageReader(weights)


def _timed_with_deck(deck: str | None, photo: LabelledPhoto) -> Timed:
    if photo.index_alone:
        return timed(_of_indices(deck), photo)
    return timed(reader.reader_for_deck(None) if deck is None else _with_deck(deck), photo)


@cache
def _of_indices(deck: str | None) -> CardReader:
    return IndexAloneReader(FaceReader(deck=None if deck is None else DeckHead(load_deck(deck))))


@cache
def _with_deck(deck: str) -> CardReader:
    return reader.reader_for_deck(deck)


def evaluate_photos(
    read_all: ReadAll,
    names: Iterable[str],
    root: Path | None = None,
    progress: Progress | None = None,
    boxes: bool = False,
    sets: Mapping[str, PhotoSet] = MEASURES,
) -> list[Score]:
    """Return one score per named one of `sets`. Raises BadInputError when a set is missing.

    `progress` is told photos of each set. `boxes`: the readings' quads are upright boxes and are held against
    the upright boxes around the cards.
    """
    scores = []
    known: dict[Path, Timed] = {}
    for name in names:
        folder, measure = sets[name]
        score = Score(name)
        photos = load_set(folder, root)
        fresh = [photo for photo in photos if photo.path not in known]
        for number, (photo, timed) in enumerate(zip(fresh, read_all(fresh), strict=True), start=1):
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


def timed(reader: CardReader, photo: LabelledPhoto) -> Timed:
    """Return what a reader reads in a photo, and how long it took."""
    image = photo.image()
    start = time.perf_counter()
    readings = reader.read(image)
    return readings, 1000 * (time.perf_counter() - start)
