"""Measures a reader on held-out decks, in whole rendered frames.

Each frame is a scene as in training, with piles, fans, hands, glare and dim light, but of a held-out deck.
The reader must name each face-up card that is uncovered and at least `LEAST_HEIGHT` pixels tall. Jokers,
whose design varies most, count separately. A card that is not found counts as not named.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np

from companion.parallel import spread
from datasets.art.decks import deck_names, load_deck
from datasets.measuring.reading.evaluation import DETECTOR_SUFFIX, detector
from datasets.measuring.reading.matching import boxed, false_names, match_quads
from datasets.measuring.reading.scores import Score
from datasets.photos import BACK, Label, surfaces
from datasets.progress import Progress
from datasets.scenes.cards import CardStock
from datasets.scenes.scene import Scene, SceneMaker
from engine.cards import JOKER
from vision.decks.card_classes import CARDS
from vision.decks.deck_head import DeckHead
from vision.enrolment.deck_scan import DeckScan, build_deck
from vision.geometry import clip_to_image, polygon_area, quad_size
from vision.recognition.classifier import CardClassifier
from vision.recognition.detector import CardDetector
from vision.recognition.reader import TableReader, default_reader
from vision.types import CardReader, CardReading, Image

NAME, JOKERS = "held_out", "held_out_jokers"
_WITH_DECK = "+deck"
FRAMES = 220
"""Number of frames for each deck."""
LEAST_HEIGHT = 48.0
"""Least height of a card that must be named, pixels."""
LEAST_SEEN = 0.9
"""Least visible share of a card that must be named."""
SIZES = (576, 720, 1080)
"""Sides of the frames, pixels."""
_SHOWN_SIZE = 720
_LOOKS = 5
"""Pictures of each card for enrolment: `deck enrol` also reads a resting card a few times."""
_NOISE = 2.0
_SEED = 640_000
"""Seed of the first frame. Training scenes have small numbers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One rendered frame: its number, and the name of its deck."""

    deck: str
    number: int

    def scene(self) -> Scene:
        """Return the picture and truth of the frame."""
        seed = _SEED + 10_000 * deck_names("valid").index(self.deck) + self.number
        return _maker(self.deck, SIZES[self.number % len(SIZES)]).make(seed)


def frames(count: int = FRAMES) -> list[Frame]:
    """Return `count` frames of each held-out deck."""
    return [Frame(deck, number) for deck in deck_names("valid") for number in range(count)]


@cache
def _maker(deck: str, size: int) -> SceneMaker:
    # Almost covered cards are labelled too, because their names may be read beside the cover.
    return SceneMaker(CardStock([load_deck(deck)], real_share=1.0), surfaces(), size, min_visible=0.0)


def split_labels(scene: Scene) -> tuple[list[Label], list[Label]]:
    """Return the cards and jokers that must be named, and all other cards."""
    asked: list[Label] = []
    others: list[Label] = []
    for card in scene.cards:
        height, width = scene.image.shape[:2]
        inside = abs(polygon_area(clip_to_image(card.quad, width, height))) if card.face_up else 0.0
        whole = inside >= LEAST_SEEN * abs(polygon_area(card.quad)) and card.visible >= LEAST_SEEN
        tall = quad_size(card.quad)[1] >= LEAST_HEIGHT
        kind = asked if card.card in (*CARDS, JOKER) and whole and tall else others
        kind.append(Label(card.card, card.quad, "quad"))
    return asked, others


@dataclass(frozen=True, slots=True)
class _Mode:
    """How frames are read: without a deck, with their deck enrolled, or by a one-stage detector."""

    enrolled: bool = False
    detector: Path | None = None

    def reader(self, deck: str) -> CardReader:
        """Return the reader of the frames of a deck."""
        if self.detector is not None:
            return detector(self.detector)
        return TableReader(classifier=enrolled_classifier(deck)) if self.enrolled else default_reader()

    def name(self, of: str) -> str:
        """Return the name of a row."""
        return of + (_WITH_DECK if self.enrolled else DETECTOR_SUFFIX if self.detector is not None else "")


def evaluate_held_out(
    enrolled: bool = False,
    weights: Path | None = None,
    count: int = FRAMES,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> tuple[Score, Score]:
    """Return the scores of the cards and of the jokers of the held-out decks.

    Args:
        enrolled: Enrol each deck first, from rendered pictures of each card.
        weights: Weights of a one-stage detector that reads instead.
        count: Number of frames for each deck.
        jobs: See `companion.parallel.spread`.
        cluster: See `companion.parallel.spread`.
        progress: Counts frames.

    Raises:
        BadInputError: the art of a deck is not available, or there is no such detector.
    """
    mode = _Mode(enrolled, weights)
    scores = Score(mode.name(NAME)), Score(mode.name(JOKERS))
    todo = frames(count)
    for number, (scored, milliseconds) in enumerate(
        spread(partial(_read, mode), todo, jobs, cluster), start=1
    ):
        for score, of_frame in zip(scores, scored, strict=True):
            score.photos += 1
            score.milliseconds.append(milliseconds)
            score.add(of_frame)
        if progress is not None:
            progress(number, len(todo))
    return scores


def _read(mode: _Mode, frame: Frame) -> tuple[tuple[Score, Score], float]:
    scene = frame.scene()
    reader = mode.reader(frame.deck)
    start = time.perf_counter()
    readings = reader.read(scene.image)
    milliseconds = 1000 * (time.perf_counter() - start)
    asked, others = split_labels(scene)
    if mode.detector is not None:
        asked, others = [boxed(label) for label in asked], [boxed(label) for label in others]
    return score_frame(asked, others, readings), milliseconds


def score_frame(
    asked: Sequence[Label], others: Sequence[Label], readings: Sequence[CardReading]
) -> tuple[Score, Score]:
    """Return the counts of one frame, for its cards and for its jokers.

    Readings of other cards do not count. Readings without a labelled card do not count either, because the
    scene has no labels for almost covered cards. So there is no precision. A name is wrong if another card or
    a back lies there, and no card of that name.
    """
    up = [reading for reading in readings if reading.face == "up"]
    labels = [*asked, *others]
    of_jokers = [label.card == JOKER for label in asked]
    cards, jokers = Score("", cards=of_jokers.count(False)), Score("", cards=of_jokers.count(True))
    for i, j in match_quads(labels, up, len(asked)):
        if i >= len(asked):
            continue
        score = jokers if of_jokers[i] else cards
        score.found += 1
        card = up[j].card
        if card is not None:
            score.name_given(up[j].confidence, card == asked[i].card)
    backs, covered = ([one for one in others if (one.card == BACK) == down] for down in (True, False))
    for reading in false_names([*asked, *backs], readings, covered):
        (jokers if reading.card == JOKER else cards).name_given(reading.confidence, False)
    return cards, jokers


@cache
def enrolled_classifier(name: str) -> CardClassifier:
    """Return the classifier with a deck enrolled, as by `shithead deck enrol`."""
    faces, plain = CardClassifier(), CardClassifier()
    show = DeckScan(CardDetector(), plain)
    rng = np.random.default_rng(_SEED)
    for t, picture in enumerate(shown(name, rng)):
        show.look(picture, float(t))
    faces.deck = DeckHead(build_deck(name, show.result(), plain))
    return faces


def shown(name: str, rng: np.random.Generator) -> list[Image]:
    """Return a few pictures of each card of a deck, alone before the camera."""
    maker, pictures = _maker(name, _SHOWN_SIZE), []
    for number, card in enumerate(sorted(load_deck(name).faces)):
        picture = maker.make_alone(_SEED + number, card).image
        for _ in range(_LOOKS):
            noise = rng.normal(0, _NOISE, picture.shape).astype(np.float32)
            pictures.append(np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8))
    return pictures
