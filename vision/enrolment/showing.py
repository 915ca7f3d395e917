"""Watching a pack being shown to the camera, one card after the other in any order, to enrol it.

A card counts once it has rested for a few looks. It is read in each of them; what the single readings leave
open is settled at the end, when all cards are known that may be meant: each card of a pack exists once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER
from vision.decks.backs import back_features
from vision.decks.card_classes import CARDS
from vision.decks.deck import KNOWN, Deck
from vision.enrolment.assignment import assign
from vision.enrolment.enrolment import enrol
from vision.geometry import polygon_area, polygon_overlap, quad_sides
from vision.recognition.classifier import FaceReader, FaceReading, fuse
from vision.recognition.crops import face_crops
from vision.recognition.detector import Outline
from vision.types import Image, Quad

LOOK_SECONDS = 0.12
"""How often a film is looked at."""
SURE = 0.95
"""Probability from which a card is taken as told; jokers too."""

_STEADY_LOOKS = 3
_STILL_SHARE = 0.03
"""Of the card's height: how far its corners may move between two looks at a resting card."""
_SAME_PRINT = 0.85
"""Correlation of two flattened cards, a little blurred, from which they may be the same one."""
_ON_IT, _TELLING = 0.5, 0.8
"""An outline that shares so much of the smaller one's area, and is not read as another card this surely, is
printed on the same card."""
_MOST_READINGS = 8
_VIEWS = 2
_VIEW_HEIGHT = 240.0
_PRINT_SIZE = (40, 56)
_FLOOR = 1e-4
_JOKER = KNOWN.index(JOKER)

Seen = Literal["nothing", "several", "hold", "taken", "seen"]
"""What was made of a look: no card, more than one, one not yet at rest, one just taken, or still that one."""


class Finder(Protocol):
    """Finds cards in a picture, as `vision.recognition.detector.OutlineFinder` does."""

    def find(self, image: Image) -> Sequence[Outline]:
        """Return the cards in a picture."""
        ...


@dataclass
class Showing:
    """One card that was held still for a while."""

    t: float
    """When it first rested, seconds of the source."""
    quad: Quad
    look: NDArray[np.float32]
    """The flattened card, small and grey: tells whether another card now lies in its place."""
    looks: int = 1
    readings: list[FaceReading] = field(default_factory=list)
    views: list[tuple[Image, Quad]] = field(default_factory=list)
    """The card cut out of its pictures with some surroundings, and its quad there."""

    def opinion(self) -> NDArray[np.float64]:
        """Return the log-probability of each of KNOWN; what cannot be read may be any of them."""
        p = np.exp(fuse(self.readings).log_probabilities)
        p = p[: len(KNOWN)] + p[len(KNOWN) :].sum() / len(KNOWN) + _FLOOR
        return np.asarray(np.log(p / p.sum()))


@dataclass(frozen=True, slots=True)
class Doubt:
    """A card that was shown and could not be told."""

    t: float
    """When it was shown, seconds of the source."""
    maybe: tuple[str, ...]
    """What it may be, likeliest first."""


@dataclass(frozen=True)
class Settled:
    """Which card each showing was."""

    cards: tuple[tuple[str, Showing], ...]
    doubts: tuple[Doubt, ...]


class PackShow:
    """Follows the pictures of a pack being shown."""

    def __init__(self, finder: Finder, faces: FaceReader) -> None:
        """`faces` should read without an enrolled deck."""
        self._finder, self._faces = finder, faces
        self._current: Showing | None = None
        self._back: tuple[Quad, int] | None = None
        self.showings: list[Showing] = []
        self.backs: list[NDArray[np.float32]] = []
        """What `vision.decks.backs` makes of the pack's back, if it was shown alone."""

    def look(self, image: Image, t: float) -> Seen:
        """Look at one picture."""
        outlines = self._finder.find(image)
        up = [outline.quad for outline in outlines if outline.face == "up"]
        down = [outline.quad for outline in outlines if outline.face == "down"]
        if up and (len(up) == 1 or self._is_one_card(image, up)):
            return self._look_at_card(image, up[0], t)
        self._current = None
        self._look_at_back(image, down if not up else [])
        return "several" if up else "nothing"

    def told(self) -> dict[str, Showing]:
        """Return the cards that are sure already, whatever else will be shown."""
        sure: dict[str, Showing] = {}
        for showing in self.showings:
            opinion = showing.opinion()
            if np.exp(opinion.max()) >= SURE:
                sure.setdefault(KNOWN[int(opinion.argmax())], showing)
        return sure

    def missing(self) -> tuple[str, ...]:
        """Return the cards of a pack that are not sure yet; jokers aside."""
        told = self.told()
        return tuple(card for card in CARDS if card not in told)

    def settled(self) -> Settled:
        """Return which card each showing was, now that all have been shown."""
        return settle(self.showings)

    def _is_one_card(self, image: Image, up: Sequence[Quad]) -> bool:
        """Tell whether all outlines but the first, surest one are lines of print on its card."""
        small = [min(abs(polygon_area(quad)), abs(polygon_area(up[0]))) for quad in up]
        if any(polygon_overlap(up[0], quad) < _ON_IT * area for quad, area in zip(up, small, strict=True)):
            return False
        names = [reading.card for reading in self._faces.read(image, up) if reading.confidence >= _TELLING]
        return len(set(names)) <= 1

    def _look_at_card(self, image: Image, quad: Quad, t: float) -> Seen:
        look = _print_of(image, quad)
        current = self._current
        if current is None or not _rests(current.quad, quad) or not _same_print(current.look, look):
            current = self._current = self._resumed(quad, look) or Showing(t, quad, look)
            if not current.readings:
                return "hold"
        current.quad = quad
        current.looks += 1
        if current.looks < _STEADY_LOOKS:
            return "hold"
        first = not current.readings
        if len(current.readings) < _MOST_READINGS:
            current.readings += self._faces.read(image, [quad])
            if len(current.readings) in (1, 3) and len(current.views) < _VIEWS:
                current.views.append(_cut_out(image, quad))
        if first:
            self.showings.append(current)
        return "taken" if first else "seen"

    def _resumed(self, quad: Quad, look: NDArray[np.float32]) -> Showing | None:
        """Return the last showing where a hand or a flicker only hid its card for a moment."""
        last = self.showings[-1] if self.showings else None
        if last is not None and _rests(last.quad, quad) and _same_print(last.look, look):
            return last
        return None

    def _look_at_back(self, image: Image, down: Sequence[Quad]) -> None:
        if len(down) != 1:
            self._back = None
            return
        before, looks = self._back or (down[0], 0)
        looks = looks + 1 if _rests(before, down[0]) else 1
        self._back = down[0], looks
        if looks == _STEADY_LOOKS and len(self.backs) < _VIEWS:
            self.backs.append(back_features(image, down[0]))


def settle(showings: Sequence[Showing]) -> Settled:
    """Return which card each showing was: the likeliest choice in which no card but the joker comes twice.

    A card whose other choice would be nearly as likely is left open.
    """
    shown = _merged(showings)
    if not shown:
        return Settled((), ())
    opinions = np.array([showing.opinion() for showing in shown])
    # More showings than a pack has cards: some stay without a name, at the cost of the least likely card.
    spare = np.full((len(shown), len(shown)), np.log(_FLOOR / 10))
    costs = -np.hstack([opinions, np.tile(opinions[:, [_JOKER]], (1, len(shown) - 1)), spare])
    names = (*KNOWN, *[JOKER] * (len(shown) - 1), *[""] * len(shown))
    rows = np.arange(len(shown))
    chosen = assign(costs)
    least = costs[rows, chosen].sum()
    cards, doubts = [], []
    for row, showing in enumerate(shown):
        name = names[chosen[row]]
        others = costs.copy()
        others[row, [column for column, other in enumerate(names) if other == name]] = 1e6
        second = assign(others)
        p = 1 / (1 + np.exp(-min(others[rows, second].sum() - least, 50.0)))
        if name and p >= SURE:
            cards.append((name, showing))
        else:
            maybe = dict.fromkeys((name, names[second[row]]))
            doubts.append(Doubt(showing.t, tuple(card for card in maybe if card)))
    return Settled(tuple(cards), tuple(doubts))


def deck_of(
    name: str,
    settled: Settled,
    faces: FaceReader,
    backs: Sequence[NDArray[np.float32]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Deck:
    """Return the deck learnt from what was shown; `progress` is told (pictures done, of how many)."""
    shown = [(image, quad, card) for card, showing in settled.cards for image, quad in showing.views]

    def counted() -> Iterator[tuple[Image, Quad, str]]:
        for number, view in enumerate(shown):
            if progress is not None:
                progress(number, len(shown))
            yield view

    return enrol(name, counted(), faces, backs)


def _merged(showings: Sequence[Showing]) -> list[Showing]:
    """Join the showings that surely are of one and the same card: somebody showed it twice."""
    kept: dict[str, Showing] = {}
    merged = []
    for showing in showings:
        opinion = showing.opinion()
        name = KNOWN[int(opinion.argmax())]
        if np.exp(opinion.max()) < SURE or name == JOKER:
            merged.append(showing)
        elif name in kept:
            kept[name].readings += showing.readings
        else:
            kept[name] = Showing(showing.t, showing.quad, showing.look, showing.looks)
            kept[name].readings, kept[name].views = list(showing.readings), list(showing.views)
            merged.append(kept[name])
    return merged


def _rests(before: Quad, now: Quad) -> bool:
    height = quad_sides(before)[1]
    return float(np.abs(before - now).max()) < _STILL_SHARE * height


def _print_of(image: Image, quad: Quad) -> NDArray[np.float32]:
    """Return the flattened card, small, grey, with mean 0 and spread 1."""
    grey = cv2.cvtColor(cv2.resize(face_crops(image, quad).whole, _PRINT_SIZE), cv2.COLOR_BGR2GRAY)
    values = cv2.GaussianBlur(grey, (0, 0), 1.0).astype(np.float32)
    return np.asarray((values - values.mean()) / (values.std() + 1e-3), np.float32)


def _same_print(first: NDArray[np.float32], second: NDArray[np.float32]) -> bool:
    return float((first * second).mean()) >= _SAME_PRINT


def _cut_out(image: Image, quad: Quad) -> tuple[Image, Quad]:
    """Return a card's part of a picture with some surroundings, made no larger than needed, and its quad."""
    margin = 0.2 * quad_sides(quad)[1]
    low = np.maximum(np.floor(quad.min(axis=0) - margin), 0).astype(int)
    high = np.ceil(quad.max(axis=0) + margin).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    inside = (quad - low.astype(np.float32)).astype(np.float32)
    factor = _VIEW_HEIGHT / max(quad_sides(quad)[1], 1.0)
    if factor >= 1:
        return part.copy(), inside
    size = (max(1, round(part.shape[1] * factor)), max(1, round(part.shape[0] * factor)))
    scale = np.array([size[0] / part.shape[1], size[1] / part.shape[0]], np.float32)
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return small, ((inside + np.float32(0.5)) * scale - np.float32(0.5)).astype(np.float32)
