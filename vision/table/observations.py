"""Observations: the readings of cards in mm on the table, and their combination over several looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

from engine.cards import copies
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.plane import TablePlane
from vision.recognition.index_detector import INDEX_CENTRE_MM
from vision.types import CardReading, Face

SAME_PLACE_MM = 14.0
"""The greatest distance between two observations of one resting card."""
SAME_ANGLE_DEGREES = 14.0
"""The greatest angle between two observations of one resting card."""
_DUPLICATE_MM = 25.0
_SURE_DUPLICATE_P = 0.85
"""With several packs: the least probability of two readings with the same name that count as two cards."""
_HIDDEN_MM, _HIDDEN_DEGREES, _DOUBTFUL_P = 8.0, 8.0, 0.9
"""A card this near under another shows no index. A less probable name there duplicates the upper card."""
MIN_NAME_P = 0.4
"""The least probability of a name."""
_SURE_P, _NAMED_DISTANCE_FACTOR = 0.9, 1.5
"""If two looks read the same name with this probability, the greatest distance grows by this factor."""
_DOUBLE_DETECTION_P = 0.05
"""The probability that one card is outlined twice, with the same name."""
TAKEN_FACTOR = 0.02
"""The weight of a reading that names a card known to lie elsewhere."""
_PROBABILITY = itemgetter(1)


@dataclass(frozen=True, slots=True)
class Observation:
    """One card in one look, in table coordinates."""

    x: float
    """The centre of the card, in mm."""
    y: float
    angle: float
    """The direction of the long side, in degrees in [0, 180)."""
    face: Face
    probabilities: Mapping[str, float] = field(default_factory=dict)
    """The probability of each name; empty for a face-down card."""
    best: tuple[str | None, float] = field(init=False, repr=False, compare=False)
    """The most probable name and its probability; (None, 0) if there is no name."""

    def __post_init__(self) -> None:
        best = max(self.probabilities.items(), key=_PROBABILITY, default=(None, 0.0))
        object.__setattr__(self, "best", best)

    @property
    def place(self) -> tuple[float, float]:
        """The centre of the card, in mm."""
        return self.x, self.y

    def odds(self, name: str) -> float:
        """Return the probability of a name."""
        return self.probabilities.get(name, 0.0)

    def is_at(
        self, other: Observation, distance: float = SAME_PLACE_MM, turn: float = SAME_ANGLE_DEGREES
    ) -> bool:
        """Return whether both have one place (within `distance` mm) and angle (within `turn` degrees)."""
        return math.hypot(self.x - other.x, self.y - other.y) <= distance and (
            angle_between(self.angle, other.angle) <= turn
        )


@dataclass(frozen=True, slots=True)
class FusedObservation:
    """One resting card, combined from several looks."""

    observation: Observation
    """The place from the last look, with the probabilities averaged over all looks."""
    look_count: int
    """The number of looks that saw the card."""
    last_look: int
    """The number of the last look that saw it, from 0 for the oldest."""


def observe(readings: Iterable[CardReading], plane: TablePlane, packs: int = 1) -> list[Observation]:
    """Return the readings in table coordinates, without duplicate readings of one card.

    `packs` is the number of packs in the game.
    """
    cards = [_observe_one(reading, plane) for reading in readings]
    cards = [card for card in cards if np.isfinite([card.x, card.y, card.angle]).all()]
    return _without_duplicates(cards, packs)


def _observe_one(reading: CardReading, plane: TablePlane) -> Observation:
    corners = plane.to_mm(reading.quad)
    x, y = corners.mean(axis=0)
    # Sides 1-2 and 3-0 are the long ones.
    along = (corners[2] - corners[1]) + (corners[3] - corners[0])
    angle = math.degrees(math.atan2(along[1], along[0])) % 180.0
    return Observation(
        float(x), float(y), angle, reading.face, _name_probabilities(reading) if reading.face == "up" else {}
    )


def _name_probabilities(reading: CardReading) -> dict[str, float]:
    """Return the probability of each name.

    The confidence of the outline does not count: repeated looks show better whether there is a card.
    """
    odds = dict(reading.alternatives)
    if reading.card is not None:
        odds[reading.card] = reading.confidence
    total = sum(odds.values())
    return {card: p / max(1.0, total) for card, p in odds.items()}


def _without_duplicates(cards: Sequence[Observation], packs: int) -> list[Observation]:
    kept: list[Observation] = []
    for card in sorted(cards, key=lambda seen: -seen.best[1]):
        name, p = card.best
        # With several packs, two certain readings with the same name are two cards.
        one_card = p < _SURE_DUPLICATE_P or copies(str(name), packs) == 1
        duplicate = any(
            other.face == card.face
            and math.hypot(other.x - card.x, other.y - card.y) < _DUPLICATE_MM
            and (
                (one_card and other.best[0] == name)
                or other.is_at(card, 4.0, 5.0)
                or (card.best[1] < _DOUBTFUL_P and other.is_at(card, _HIDDEN_MM, _HIDDEN_DEGREES))
            )
            for other in kept
        )
        if not duplicate:
            kept.append(card)
    return kept


def fuse_looks(looks: Sequence[Sequence[Observation]]) -> list[FusedObservation]:
    """Combine the observations of the same resting cards by places and names; `looks` begins with the oldest.

    Frames of a resting scene repeat the same mistakes, so their probabilities are averaged and not
    multiplied.
    """
    groups: list[list[Observation]] = []
    last: list[int] = []
    for number, look in enumerate(looks):
        pairs = [
            (difference, i, k)
            for i, group in enumerate(groups)
            for k, card in enumerate(look)
            if (difference := _difference(group[-1], card)) is not None
        ]
        free, left = set(range(len(groups))), set(range(len(look)))
        for _, i, k in sorted(pairs):
            if i in free and k in left:
                groups[i].append(look[k])
                last[i] = number
                free.remove(i)
                left.remove(k)
        groups += [[look[k]] for k in sorted(left)]
        last += [number] * len(left)
    return [
        FusedObservation(_averaged(group), len(group), number)
        for group, number in zip(groups, last, strict=True)
    ]


def _averaged(group: Sequence[Observation]) -> Observation:
    last = group[-1]
    names = dict.fromkeys(name for card in group for name in card.probabilities)
    odds = {name: sum(card.probabilities.get(name, 0.0) for card in group) / len(group) for name in names}
    return Observation(last.x, last.y, last.angle, last.face, odds)


def assign_names(
    cards: Sequence[Observation], taken: Collection[str] = (), packs: int = 1
) -> list[tuple[str | None, float]]:
    """Return a name and its probability for each card, using no name more often than it has copies.

    Each physical card exists once per pack. If several cards claim one name, the most probable ones get it.
    The other names of the remaining cards then become more probable (Bayes). A card that no name fits gets
    None.

    Args:
        cards: The cards to name.
        taken: Names of cards that are known to lie elsewhere. Readings with these names get little weight.
        packs: The number of packs in the game.
    """
    left = [weighed(card, lambda name: TAKEN_FACTOR if name in taken else 1.0) for card in cards]
    named: list[tuple[str | None, float]] = [(None, 0.0)] * len(cards)
    used: dict[str, list[float]] = {}
    while claims := [(p, name, index) for index, odds in enumerate(left) for name, p in odds.items()]:
        p, name, index = max(claims)
        holders = used.get(name, [])
        if len(holders) < copies(name, packs):
            named[index] = name, p
            used[name] = [*holders, p]
            left[index] = {}
        else:
            others = {other: q for other, q in left[index].items() if other != name}
            rest = 1.0 - p * min(holders) * (1.0 - _DOUBLE_DETECTION_P)
            left[index] = {other: min(1.0, q / rest) for other, q in others.items()}
    return named


def weighed(card: Observation, weight: Callable[[str], float]) -> dict[str, float]:
    """Return the probabilities of a card's names, each multiplied by its weight and then scaled.

    The probability that it has none of these names keeps its weight.
    """
    odds = {name: p * weight(name) for name, p in card.probabilities.items() if p > 0}
    total = sum(odds.values()) + max(0.0, 1.0 - sum(card.probabilities.values()))
    return {name: p / total for name, p in odds.items()} if total > 0 else {}


def index_centres(card: Observation) -> list[tuple[float, float]]:
    """Return the centres of both indices of a card on the table, in mm."""
    turn = math.radians(card.angle)
    aside, up = CARD_WIDTH_MM / 2 - INDEX_CENTRE_MM[0], CARD_HEIGHT_MM / 2 - INDEX_CENTRE_MM[1]
    # An upright card (90 degrees: its long side points down the table) has them at top left and bottom right.
    x = up * math.cos(turn) + aside * math.sin(turn)
    y = up * math.sin(turn) - aside * math.cos(turn)
    return [(card.x - x, card.y - y), (card.x + x, card.y + y)]


def covers(card: Observation, place: tuple[float, float], margin: float = 0.0) -> bool:
    """Return whether a place (mm) lies under a card, or within a margin (mm) around it."""
    return max(_beyond_sides(card, place)) <= margin


def distance_to_card(card: Observation, place: tuple[float, float]) -> float:
    """Return the distance (mm) of a place from a card's edge; 0 under the card."""
    return math.hypot(*(max(beyond, 0.0) for beyond in _beyond_sides(card, place)))


def _beyond_sides(card: Observation, place: tuple[float, float]) -> tuple[float, float]:
    """Return how far (mm) a place lies beyond a card's short and long sides; negative inside the card."""
    turn = math.radians(card.angle)
    x, y = place[0] - card.x, place[1] - card.y
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return abs(along) - CARD_HEIGHT_MM / 2, abs(across) - CARD_WIDTH_MM / 2


def angle_between(first: float, second: float) -> float:
    """Return the angle between two undirected lines, all in degrees; the result is from 0 to 90."""
    return abs((first - second + 90.0) % 180.0 - 90.0)


def _difference(first: Observation, second: Observation) -> tuple[int, float] | None:
    """Return how different two observations of one resting card are, or None if they show two cards.

    The same certain name allows more distance. The result is a number for the names, then the distance in mm.
    The number is 0 for the same name, 2 for two certain but different names, and 1 otherwise.
    """
    distance = math.hypot(first.x - second.x, first.y - second.y)
    if (
        first.face != second.face
        or distance > SAME_PLACE_MM * _NAMED_DISTANCE_FACTOR
        or angle_between(first.angle, second.angle) > SAME_ANGLE_DEGREES
    ):
        return None
    (one, p), (other, q) = first.best, second.best
    same_name, surely = one is not None and one == other, min(p, q) >= _SURE_P
    if distance > SAME_PLACE_MM and not (same_name and surely):
        return None
    return 0 if same_name and min(p, q) >= MIN_NAME_P else 1 + (surely and not same_name), distance
