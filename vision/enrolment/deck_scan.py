"""Scanning a pack to enrol it: somebody shows its cards to the camera one by one, in any order.

A card counts after it has rested for a few looks, and it is read in several of them. At the end, the readings
of all cards are compared, because each card of a pack exists once. That settles doubtful readings.
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
"""Seconds between two looks at a film."""
SURE_P = 0.95
"""The least probability of an identified card, jokers included."""

_MIN_STEADY_LOOKS = 3
_STILL_SHARE = 0.03
"""The most that the corners of a resting card move between two looks, as a share of its height."""
_SAME_CARD_CORRELATION = 0.85
"""The least correlation of two flattened, slightly blurred pictures of the same card."""
_PRINT_OVERLAP, _OTHER_CARD_P = 0.5, 0.8
"""An outline is print on another card if it overlaps that card by the first share of the smaller area.
An outline that is read as a different card with the second probability is not print."""
_MAX_READINGS = 8
_MAX_VIEWS = 2
_VIEW_HEIGHT_PX = 240.0
_THUMBNAIL_SIZE = (40, 56)
_MIN_P = 1e-4
_JOKER = DECK_CARDS.index(JOKER)

LookResult = Literal["nothing", "several", "hold", "taken", "seen"]
"""The result of a look: no card, several, a card not yet at rest, one just accepted, or the same one."""


class Detector(Protocol):
    """Finds cards in a picture, as `vision.recognition.detector.CardDetector` does."""

    def detect(self, image: Image) -> Sequence[Detection]:
        """Return the outlines of the cards in a picture, most confident first."""
        ...


@dataclass
class ShownCard:
    """One card that was held still for a while."""

    t: float
    """The time when it first rested, in seconds of the source."""
    quad: Quad
    thumbnail: NDArray[np.float32]
    """The flattened card, small and grey. It shows whether another card now lies in its place."""
    look_count: int = 1
    readings: list[Classification] = field(default_factory=list)
    views: list[tuple[Image, Quad]] = field(default_factory=list)
    """Cut-outs of the card with some surroundings, each with the card's quad in it."""

    def log_probabilities(self) -> NDArray[np.float64]:
        """Return the log-probability of each of `DECK_CARDS`. An unreadable card may be any of them."""
        p = np.exp(fuse_frames(self.readings).log_probabilities)
        p = p[: len(DECK_CARDS)] + p[len(DECK_CARDS) :].sum() / len(DECK_CARDS) + _MIN_P
        return np.asarray(np.log(p / p.sum()))


@dataclass(frozen=True, slots=True)
class UnidentifiedCard:
    """A shown card that could not be identified."""

    t: float
    """The time when it was shown, in seconds of the source."""
    candidates: tuple[str, ...]
    """The cards that it may be, most probable first."""


@dataclass(frozen=True)
class EnrolmentResult:
    """The identified and unidentified cards of a scan."""

    cards: tuple[tuple[str, ShownCard], ...]
    unidentified: tuple[UnidentifiedCard, ...]


class DeckScan:
    """Follows the pictures of a pack being shown."""

    def __init__(self, detector: Detector, classifier: CardClassifier) -> None:
        """Prepare a scan. The `classifier` should have no enrolled deck."""
        self._detector, self._classifier = detector, classifier
        self._current: ShownCard | None = None
        self._back: tuple[Quad, int] | None = None
        self.shown_cards: list[ShownCard] = []
        self.backs: list[NDArray[np.float32]] = []
        """Features of the pack's back (`vision.decks.backs`), if it was shown alone."""

    def look(self, image: Image, t: float) -> LookResult:
        """Take in one picture at `t` seconds of the source."""
        outlines = self._detector.detect(image)
        up = [outline.quad for outline in outlines if outline.face == "up"]
        down = [outline.quad for outline in outlines if outline.face == "down"]
        if up and (len(up) == 1 or self._is_one_card(image, up)):
            return self._look_at_card(image, up[0], t)
        self._current = None
        self._look_at_back(image, down if not up else [])
        return "several" if up else "nothing"

    def identified(self) -> dict[str, ShownCard]:
        """Return the cards that are already certain, independent of later ones."""
        sure: dict[str, ShownCard] = {}
        for shown_card in self.shown_cards:
            opinion = shown_card.log_probabilities()
            if np.exp(opinion.max()) >= SURE_P:
                sure.setdefault(DECK_CARDS[int(opinion.argmax())], shown_card)
        return sure

    def missing(self) -> tuple[str, ...]:
        """Return the cards of a pack that are not certain yet, without jokers."""
        identified = self.identified()
        return tuple(card for card in CARDS if card not in identified)

    def result(self) -> EnrolmentResult:
        """Identify all shown cards together."""
        return identify_cards(self.shown_cards)

    def _is_one_card(self, image: Image, up: Sequence[Quad]) -> bool:
        """Return whether all outlines except the first, most confident one are print on its card."""
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
        """Return the last shown card if it is still there: a hand or a flicker only hid it for a moment."""
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
    """Identify shown cards together: the most probable choice in which only the joker comes more than once.

    A card stays unidentified if a different choice for it would be almost as probable.
    """
    shown = _merged(shown_cards)
    if not shown:
        return EnrolmentResult((), ())
    opinions = np.array([shown_card.log_probabilities() for shown_card in shown])
    # If more cards are shown than a pack has, the extra columns leave some without a name.
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
    """Return the deck learnt from a scan.

    Args:
        name: The name of the deck.
        result: The identified cards.
        classifier: Makes the features.
        backs: Features of the back (`vision.decks.backs`).
        progress: Gets the number of finished pictures and the number of all pictures.
    """
    shown = [(image, quad, card) for card, shown_card in result.cards for image, quad in shown_card.views]

    def counted() -> Iterator[tuple[Image, Quad, str]]:
        for number, view in enumerate(shown):
            if progress is not None:
                progress(number, len(shown))
            yield view

    return enrol(name, counted(), classifier, backs)


def _merged(shown_cards: Sequence[ShownCard]) -> list[ShownCard]:
    """Merge the entries of a card that was surely shown twice."""
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
    """Return the flattened card, small and grey, with mean 0 and standard deviation 1."""
    grey = cv2.cvtColor(cv2.resize(face_crops(image, quad).whole, _THUMBNAIL_SIZE), cv2.COLOR_BGR2GRAY)
    values = cv2.GaussianBlur(grey, (0, 0), 1.0).astype(np.float32)
    return np.asarray((values - values.mean()) / (values.std() + 1e-3), np.float32)


def _is_same_card(first: NDArray[np.float32], second: NDArray[np.float32]) -> bool:
    return float((first * second).mean()) >= _SAME_CARD_CORRELATION


def _cut_out(image: Image, quad: Quad) -> tuple[Image, Quad]:
    """Return a cut-out of a card with some surroundings, scaled down if it is large, and the quad in it."""
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
