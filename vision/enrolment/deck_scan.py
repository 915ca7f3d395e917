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
from vision.decks.deck import DECK_CARDS, Deck
from vision.enrolment.examples import enrol
from vision.enrolment.linear_assignment import linear_sum_assignment
from vision.geometry import intersection_area, polygon_area, quad_size
from vision.recognition.classifier import CardClassifier, Classification, fuse_frames
from vision.recognition.crops import face_crops
from vision.recognition.detector import Detection
from vision.types import Image, Quad

LOOK_SECONDS = 0.12
"""How often a film is looked at."""
SURE_P = 0.95
"""Probability from which a card is taken as told; jokers too."""

_MIN_STEADY_LOOKS = 3
_STILL_SHARE = 0.03
"""Of the card's height: how far its corners may move between two looks at a resting card."""
_SAME_CARD_CORRELATION = 0.85
"""Correlation of two flattened cards, a little blurred, from which they may be the same one."""
_PRINT_OVERLAP, _OTHER_CARD_P = 0.5, 0.8
"""An outline that shares so much of the smaller one's area, and is not read as another card this surely, is
printed on the same card."""
_MAX_READINGS = 8
_MAX_VIEWS = 2
_VIEW_HEIGHT_PX = 240.0
_THUMBNAIL_SIZE = (40, 56)
_MIN_P = 1e-4
_JOKER = DECK_CARDS.index(JOKER)

LookResult = Literal["nothing", "several", "hold", "taken", "seen"]
"""What was made of a look: no card, more than one, one not yet at rest, one just taken, or still that one."""


class Detector(Protocol):
    """Finds cards in a picture, as `vision.recognition.detector.CardDetector` does."""

    def detect(self, image: Image) -> Sequence[Detection]:
        """Return the cards in a picture."""
        ...


@dataclass
class ShownCard:
    """One card that was held still for a while."""

    t: float
    """When it first rested, seconds of the source."""
    quad: Quad
    thumbnail: NDArray[np.float32]
    """The flattened card, small and grey: tells whether another card now lies in its place."""
    look_count: int = 1
    readings: list[Classification] = field(default_factory=list)
    views: list[tuple[Image, Quad]] = field(default_factory=list)
    """The card cut out of its pictures with some surroundings, and its quad there."""

    def log_probabilities(self) -> NDArray[np.float64]:
        """Return the log-probability of each of KNOWN; what cannot be read may be any of them."""
        p = np.exp(fuse_frames(self.readings).log_probabilities)
        p = p[: len(DECK_CARDS)] + p[len(DECK_CARDS) :].sum() / len(DECK_CARDS) + _MIN_P
        return np.asarray(np.log(p / p.sum()))


@dataclass(frozen=True, slots=True)
class UnidentifiedCard:
    """A card that was shown and could not be told."""

    t: float
    """When it was shown, seconds of the source."""
    candidates: tuple[str, ...]
    """What it may be, likeliest first."""


@dataclass(frozen=True)
class EnrolmentResult:
    """Which card each showing was."""

    cards: tuple[tuple[str, ShownCard], ...]
    unidentified: tuple[UnidentifiedCard, ...]


class DeckScan:
    """Follows the pictures of a pack being shown."""

    def __init__(self, detector: Detector, classifier: CardClassifier) -> None:
        """`faces` should read without an enrolled deck."""
        self._detector, self._classifier = detector, classifier
        self._current: ShownCard | None = None
        self._back: tuple[Quad, int] | None = None
        self.shown_cards: list[ShownCard] = []
        self.backs: list[NDArray[np.float32]] = []
        """What `vision.decks.backs` makes of the pack's back, if it was shown alone."""

    def look(self, image: Image, t: float) -> LookResult:
        """Look at one picture."""
        outlines = self._detector.detect(image)
        up = [outline.quad for outline in outlines if outline.face == "up"]
        down = [outline.quad for outline in outlines if outline.face == "down"]
        if up and (len(up) == 1 or self._is_one_card(image, up)):
            return self._look_at_card(image, up[0], t)
        self._current = None
        self._look_at_back(image, down if not up else [])
        return "several" if up else "nothing"

    def identified(self) -> dict[str, ShownCard]:
        """Return the cards that are sure already, whatever else will be shown."""
        sure: dict[str, ShownCard] = {}
        for shown_card in self.shown_cards:
            opinion = shown_card.log_probabilities()
            if np.exp(opinion.max()) >= SURE_P:
                sure.setdefault(DECK_CARDS[int(opinion.argmax())], shown_card)
        return sure

    def missing(self) -> tuple[str, ...]:
        """Return the cards of a pack that are not sure yet; jokers aside."""
        told = self.identified()
        return tuple(card for card in CARDS if card not in told)

    def result(self) -> EnrolmentResult:
        """Return which card each showing was, now that all have been shown."""
        return identify_cards(self.shown_cards)

    def _is_one_card(self, image: Image, up: Sequence[Quad]) -> bool:
        """Tell whether all outlines but the first, surest one are lines of print on its card."""
        small = [min(abs(polygon_area(quad)), abs(polygon_area(up[0]))) for quad in up]
        if any(
            intersection_area(up[0], quad) < _PRINT_OVERLAP * area
            for quad, area in zip(up, small, strict=True)
        ):
            return False
        names = [
            reading.card
            for reading in self._classifier.classify(image, up)
            if reading.confidence >= _OTHER_CARD_P
        ]
        return len(set(names)) <= 1

    def _look_at_card(self, image: Image, quad: Quad, t: float) -> LookResult:
        look = _thumbnail(image, quad)
        current = self._current
        if (
            current is None
            or not _is_at_rest(current.quad, quad)
            or not _is_same_card(current.thumbnail, look)
        ):
            current = self._current = self._resumed(quad, look) or ShownCard(t, quad, look)
            if not current.readings:
                return "hold"
        current.quad = quad
        current.look_count += 1
        if current.look_count < _MIN_STEADY_LOOKS:
            return "hold"
        first = not current.readings
        if len(current.readings) < _MAX_READINGS:
            current.readings += self._classifier.classify(image, [quad])
            if len(current.readings) in (1, 3) and len(current.views) < _MAX_VIEWS:
                current.views.append(_cut_out(image, quad))
        if first:
            self.shown_cards.append(current)
        return "taken" if first else "seen"

    def _resumed(self, quad: Quad, look: NDArray[np.float32]) -> ShownCard | None:
        """Return the last showing where a hand or a flicker only hid its card for a moment."""
        last = self.shown_cards[-1] if self.shown_cards else None
        if last is not None and _is_at_rest(last.quad, quad) and _is_same_card(last.thumbnail, look):
            return last
        return None

    def _look_at_back(self, image: Image, down: Sequence[Quad]) -> None:
        if len(down) != 1:
            self._back = None
            return
        before, looks = self._back or (down[0], 0)
        looks = looks + 1 if _is_at_rest(before, down[0]) else 1
        self._back = down[0], looks
        if looks == _MIN_STEADY_LOOKS and len(self.backs) < _MAX_VIEWS:
            self.backs.append(back_features(image, down[0]))


def identify_cards(shown_cards: Sequence[ShownCard]) -> EnrolmentResult:
    """Return which card each showing was: the likeliest choice in which no card but the joker comes twice.

    A card whose other choice would be nearly as likely is left open.
    """
    shown = _merged(shown_cards)
    if not shown:
        return EnrolmentResult((), ())
    opinions = np.array([shown_card.log_probabilities() for shown_card in shown])
    # More showings than a pack has cards: some stay without a name, at the cost of the least likely card.
    spare = np.full((len(shown), len(shown)), np.log(_MIN_P / 10))
    costs = -np.hstack([opinions, np.tile(opinions[:, [_JOKER]], (1, len(shown) - 1)), spare])
    names = (*DECK_CARDS, *[JOKER] * (len(shown) - 1), *[""] * len(shown))
    rows = np.arange(len(shown))
    chosen = linear_sum_assignment(costs)
    least = costs[rows, chosen].sum()
    cards, doubts = [], []
    for row, shown_card in enumerate(shown):
        name = names[chosen[row]]
        others = costs.copy()
        others[row, [column for column, other in enumerate(names) if other == name]] = 1e6
        second = linear_sum_assignment(others)
        p = 1 / (1 + np.exp(-min(others[rows, second].sum() - least, 50.0)))
        if name and p >= SURE_P:
            cards.append((name, shown_card))
        else:
            maybe = dict.fromkeys((name, names[second[row]]))
            doubts.append(UnidentifiedCard(shown_card.t, tuple(card for card in maybe if card)))
    return EnrolmentResult(tuple(cards), tuple(doubts))


def build_deck(
    name: str,
    result: EnrolmentResult,
    classifier: CardClassifier,
    backs: Sequence[NDArray[np.float32]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Deck:
    """Return the deck learnt from what was shown; `progress` is told (pictures done, of how many)."""
    shown = [(image, quad, card) for card, shown_card in result.cards for image, quad in shown_card.views]

    def counted() -> Iterator[tuple[Image, Quad, str]]:
        for number, view in enumerate(shown):
            if progress is not None:
                progress(number, len(shown))
            yield view

    return enrol(name, counted(), classifier, backs)


def _merged(shown_cards: Sequence[ShownCard]) -> list[ShownCard]:
    """Join the showings that surely are of one and the same card: somebody showed it twice."""
    kept: dict[str, ShownCard] = {}
    merged = []
    for shown_card in shown_cards:
        opinion = shown_card.log_probabilities()
        name = DECK_CARDS[int(opinion.argmax())]
        if np.exp(opinion.max()) < SURE_P or name == JOKER:
            merged.append(shown_card)
        elif name in kept:
            kept[name].readings += shown_card.readings
        else:
            kept[name] = ShownCard(shown_card.t, shown_card.quad, shown_card.thumbnail, shown_card.look_count)
            kept[name].readings, kept[name].views = list(shown_card.readings), list(shown_card.views)
            merged.append(kept[name])
    return merged


def _is_at_rest(before: Quad, now: Quad) -> bool:
    height = quad_size(before)[1]
    return float(np.abs(before - now).max()) < _STILL_SHARE * height


def _thumbnail(image: Image, quad: Quad) -> NDArray[np.float32]:
    """Return the flattened card, small, grey, with mean 0 and spread 1."""
    grey = cv2.cvtColor(cv2.resize(face_crops(image, quad).whole, _THUMBNAIL_SIZE), cv2.COLOR_BGR2GRAY)
    values = cv2.GaussianBlur(grey, (0, 0), 1.0).astype(np.float32)
    return np.asarray((values - values.mean()) / (values.std() + 1e-3), np.float32)


def _is_same_card(first: NDArray[np.float32], second: NDArray[np.float32]) -> bool:
    return float((first * second).mean()) >= _SAME_CARD_CORRELATION


def _cut_out(image: Image, quad: Quad) -> tuple[Image, Quad]:
    """Return a card's part of a picture with some surroundings, made no larger than needed, and its quad."""
    margin = 0.2 * quad_size(quad)[1]
    low = np.maximum(np.floor(quad.min(axis=0) - margin), 0).astype(int)
    high = np.ceil(quad.max(axis=0) + margin).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    inside = (quad - low.astype(np.float32)).astype(np.float32)
    factor = _VIEW_HEIGHT_PX / max(quad_size(quad)[1], 1.0)
    if factor >= 1:
        return part.copy(), inside
    size = (max(1, round(part.shape[1] * factor)), max(1, round(part.shape[0] * factor)))
    scale = np.array([size[0] / part.shape[1], size[1] / part.shape[0]], np.float32)
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return small, ((inside + np.float32(0.5)) * scale - np.float32(0.5)).astype(np.float32)
