"""Measures a reader on decks that no network was trained on, in whole rendered frames.

Each frame is a scene as in training (`datasets.scenes.scene`: piles, fans, hands, glare, dim light), of one
of the held-out decks. Every face-up card is asked for that is at least `LEAST_HEIGHT` pixels tall and lies
free: a card of which another one hides the indices cannot be told. Jokers, which bear whatever their maker
likes, are counted by themselves. A card that is not found is not named.
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
from datasets.measuring.reading.evaluation import BESIDE, detector
from datasets.measuring.reading.matching import boxed, match_quads, names_of_none
from datasets.measuring.reading.scores import Score
from datasets.photos import BACK, Label, surfaces
from datasets.progress import Progress
from datasets.scenes.cards import CardStock
from datasets.scenes.scene import Scene, SceneMaker
from engine.cards import JOKER
from vision.decks.card_classes import CARDS
from vision.decks.deck import DeckHead
from vision.enrolment.showing import PackShow, deck_of
from vision.geometry import clip_to_picture, polygon_area, quad_sides
from vision.recognition.classifier import FaceReader
from vision.recognition.detector import OutlineFinder
from vision.recognition.reader import TableReader, default_reader
from vision.types import CardReader, CardReading, Image

NAME, JOKERS = "held_out", "held_out_jokers"
_WITH_DECK = "+deck"
FRAMES = 220
"""Frames of each deck."""
LEAST_HEIGHT = 48.0
"""Pixels."""
LEAST_SEEN = 0.9
"""Share of a card that must be seen for it to be asked for."""
SIZES = (576, 720, 1080)
"""Sides of the frames, pixels."""
_SHOWN_SIZE = 720
_LOOKS = 5
"""Pictures of each card that is shown: `deck enrol` reads one that rests a few times."""
_NOISE = 2.0
_SEED = 640_000
"""Scenes used in training have small numbers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One rendered frame, by its number and its deck's name."""

    deck: str
    number: int

    def scene(self) -> Scene:
        """Return the frame's picture and truth."""
        seed = _SEED + 10_000 * deck_names("valid").index(self.deck) + self.number
        return _maker(self.deck, SIZES[self.number % len(SIZES)]).make(seed)


def frames(count: int = FRAMES) -> list[Frame]:
    """Return `count` frames of each held-out deck."""
    return [Frame(deck, number) for deck in deck_names("valid") for number in range(count)]


@cache
def _maker(deck: str, size: int) -> SceneMaker:
    # A card of which hardly anything shows is labelled, too: its name may be read beside what covers it.
    return SceneMaker(CardStock([load_deck(deck)], real_share=1.0), surfaces(), size, min_visible=0.0)


def asked_for(scene: Scene) -> tuple[list[Label], list[Label]]:
    """Return the face-up cards, jokers among them, that are to be named, and all others."""
    asked: list[Label] = []
    others: list[Label] = []
    for card in scene.cards:
        height, width = scene.image.shape[:2]
        inside = abs(polygon_area(clip_to_picture(card.quad, width, height))) if card.face_up else 0.0
        whole = inside >= LEAST_SEEN * abs(polygon_area(card.quad)) and card.visible >= LEAST_SEEN
        tall = quad_sides(card.quad)[1] >= LEAST_HEIGHT
        kind = asked if card.card in (*CARDS, JOKER) and whole and tall else others
        kind.append(Label(card.card, card.quad, "quad"))
    return asked, others


@dataclass(frozen=True, slots=True)
class _Way:
    """How frames are read: without a deck, with each one's own, or by a one-stage detector."""

    enrolled: bool = False
    beside: Path | None = None

    def reader(self, deck: str) -> CardReader:
        """Return what reads the frames of a deck."""
        if self.beside is not None:
            return detector(self.beside)
        return _reader_of(deck) if self.enrolled else default_reader()

    def name(self, of: str) -> str:
        """Return the name of a row."""
        return of + (_WITH_DECK if self.enrolled else BESIDE if self.beside is not None else "")


def evaluate_held_out(
    enrolled: bool = False,
    beside: Path | None = None,
    count: int = FRAMES,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> tuple[Score, Score]:
    """Return how the cards of the held-out decks are read, and how their jokers are.

    Args:
        enrolled: Each deck is enrolled beforehand, from rendered pictures of each card.
        beside: Weights of the one-stage detector that reads instead.
        count: Frames of each deck.
        jobs: See `companion.parallel.spread`.
        cluster: Likewise.
        progress: Is told frames.

    Raises:
        BadInputError: a deck's art cannot be had, or there is no such detector.
    """
    way = _Way(enrolled, beside)
    scores = Score(way.name(NAME)), Score(way.name(JOKERS))
    todo = frames(count)
    for number, (scored, milliseconds) in enumerate(
        spread(partial(_read, way), todo, jobs, cluster), start=1
    ):
        for score, of_frame in zip(scores, scored, strict=True):
            score.photos += 1
            score.milliseconds.append(milliseconds)
            score.add(of_frame)
        if progress is not None:
            progress(number, len(todo))
    return scores


def _read(way: _Way, frame: Frame) -> tuple[tuple[Score, Score], float]:
    scene = frame.scene()
    reader = way.reader(frame.deck)
    start = time.perf_counter()
    readings = reader.read(scene.image)
    milliseconds = 1000 * (time.perf_counter() - start)
    asked, others = asked_for(scene)
    if way.beside is not None:
        asked, others = [boxed(label) for label in asked], [boxed(label) for label in others]
    return score_frame(asked, others, readings), milliseconds


def score_frame(
    asked: Sequence[Label], others: Sequence[Label], readings: Sequence[CardReading]
) -> tuple[Score, Score]:
    """Count one frame: its cards, and its jokers. Readings of what is not asked for count neither way.

    Nor are readings counted that lie on no labelled card: they may be right, for of a card of which hardly
    anything is seen the scene tells nothing. So there is no precision. But a name that is read where another
    card lies, or a back, and no card of that name, is wrong.
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
    for reading in names_of_none([*asked, *backs], readings, covered):
        (jokers if reading.card == JOKER else cards).name_given(reading.confidence, False)
    return cards, jokers


@cache
def _reader_of(name: str) -> CardReader:
    """Return the reader with the deck enrolled as `shithead deck enrol` does it."""
    faces, plain = FaceReader(), FaceReader()
    show = PackShow(OutlineFinder(), plain)
    rng = np.random.default_rng(_SEED)
    for t, picture in enumerate(shown(name, rng)):
        show.look(picture, float(t))
    faces.deck = DeckHead(deck_of(name, show.settled(), plain))
    return TableReader(faces=faces)


def shown(name: str, rng: np.random.Generator) -> list[Image]:
    """Return a few pictures of each card of a deck, which lies alone before the camera."""
    maker, pictures = _maker(name, _SHOWN_SIZE), []
    for number, card in enumerate(sorted(load_deck(name).faces)):
        picture = maker.make_alone(_SEED + number, card).image
        for _ in range(_LOOKS):
            noise = rng.normal(0, _NOISE, picture.shape).astype(np.float32)
            pictures.append(np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8))
    return pictures
