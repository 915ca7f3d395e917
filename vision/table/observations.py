"""Cards as seen on the table, in millimetres, and how several looks at them vote on what they are."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.cards import copies
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.plane import TablePlane
from vision.recognition.index_finder import INDEX_MM
from vision.types import CardReading, Face

SAME_PLACE_MM = 14.0
"""Two looks at one resting card differ by less than this..."""
SAME_TURN_DEGREES = 14.0
"""... and by less than this."""
_DUPLICATE_MM = 25.0
_SURELY_ALIKE = 0.85
"""So surely each of two cards of one name must be read to be two, where there are several packs."""
_HIDDEN_MM, _HIDDEN_DEGREES, _DOUBTFUL = 8.0, 8.0, 0.9
"""A card this near under another shows no index: what is read there, not surely, is the upper one again."""
MIN_NAME = 0.4
"""A name less probable than this is no name."""
_SURE, _KNOWN_BY_NAME = 0.9, 1.5
"""A card whose name two looks read so surely is known again by it so many times as far off."""
_READ_TWICE = 0.05
"""How often one card is outlined as two, which then both bear its name."""
_TAKEN_FACTOR = 0.02
"""How much a reading is trusted that names a card which plainly lies elsewhere."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One card in one look, in table coordinates."""

    x: float
    y: float
    angle: float
    """Direction of the long side, degrees in [0, 180)."""
    face: Face
    odds: Mapping[str, float] = field(default_factory=dict)
    """Probability of each card it may be."""

    def is_at(self, other: Seen, distance: float = SAME_PLACE_MM, turn: float = SAME_TURN_DEGREES) -> bool:
        """Tell whether both lie in the same place in the same direction."""
        return math.hypot(self.x - other.x, self.y - other.y) <= distance and (
            turn_between(self.angle, other.angle) <= turn
        )

    @property
    def best(self) -> tuple[str | None, float]:
        """The likeliest card and its probability; (None, 0) when nothing is known."""
        if not self.odds:
            return None, 0.0
        card = max(self.odds, key=lambda name: self.odds[name])
        return card, self.odds[card]


@dataclass(frozen=True, slots=True)
class Settled:
    """One resting card as several looks together see it."""

    seen: Seen
    """Its place by the last look, its odds averaged over all looks at it."""
    looks: int
    """In how many looks it was seen."""


def see(readings: Iterable[CardReading], plane: TablePlane, packs: int = 1) -> list[Seen]:
    """Return the readings in table coordinates; one card read twice in one place counts once.

    The cards are of so many `packs`.
    """
    cards = [_see_one(reading, plane) for reading in readings]
    cards = [card for card in cards if np.isfinite([card.x, card.y, card.angle]).all()]
    return _without_duplicates(cards, packs)


def _see_one(reading: CardReading, plane: TablePlane) -> Seen:
    corners = plane.table(reading.quad)
    x, y = corners.mean(axis=0)
    # Sides 1-2 and 3-0 are the long ones.
    along = (corners[2] - corners[1]) + (corners[3] - corners[0])
    angle = math.degrees(math.atan2(along[1], along[0])) % 180.0
    return Seen(float(x), float(y), angle, reading.face, _odds(reading) if reading.face == "up" else {})


def _odds(reading: CardReading) -> dict[str, float]:
    """Return the probability of each card it may be.

    Whether a card lies there at all is told better by its being seen again and again than by one outline.
    """
    odds = dict(reading.alternatives)
    if reading.card is not None:
        odds[reading.card] = reading.confidence
    total = sum(odds.values())
    return {card: p / max(1.0, total) for card, p in odds.items()}


def _without_duplicates(cards: Sequence[Seen], packs: int) -> list[Seen]:
    kept: list[Seen] = []
    for card in sorted(cards, key=lambda seen: -seen.best[1]):
        name, p = card.best
        # With several packs the reader has told apart what lies together, where it was sure of both.
        one_card = p < _SURELY_ALIKE or copies(str(name), packs) == 1
        twin = any(
            other.face == card.face
            and math.hypot(other.x - card.x, other.y - card.y) < _DUPLICATE_MM
            and (
                (one_card and other.best[0] == name)
                or other.is_at(card, 4.0, 5.0)
                or (card.best[1] < _DOUBTFUL and other.is_at(card, _HIDDEN_MM, _HIDDEN_DEGREES))
            )
            for other in kept
        )
        if not twin:
            kept.append(card)
    return kept


def vote(looks: Sequence[Sequence[Seen]]) -> list[Settled]:
    """Join looks at the same resting cards (oldest look first): places and names are matched, odds averaged.

    Frames of a resting scene repeat the same mistakes, so their odds are averaged and not multiplied.
    """
    groups: list[list[Seen]] = []
    for look in looks:
        pairs = [
            (_difference(group[-1], card), i, k)
            for i, group in enumerate(groups)
            for k, card in enumerate(look)
            if _may_be_one(group[-1], card)
        ]
        free, left = set(range(len(groups))), set(range(len(look)))
        for _, i, k in sorted(pairs):
            if i in free and k in left:
                groups[i].append(look[k])
                free.remove(i)
                left.remove(k)
        groups += [[look[k]] for k in sorted(left)]
    return [Settled(_averaged(group), len(group)) for group in groups]


def _averaged(group: Sequence[Seen]) -> Seen:
    last = group[-1]
    names = {name for card in group for name in card.odds}
    odds = {name: sum(card.odds.get(name, 0.0) for card in group) / len(group) for name in names}
    return Seen(last.x, last.y, last.angle, last.face, odds)


def name_cards(
    cards: Sequence[Seen], taken: Collection[str] = (), packs: int = 1
) -> list[tuple[str | None, float]]:
    """Return a name and its probability for each card, no name more often than there are copies of it.

    Each physical card exists once: a reading that names one of `taken` (cards that are known to lie
    elsewhere) is trusted little, and of those that claim one name the likeliest have it. As likely as they
    are it, the others are not: that makes what else these may be likelier (Bayes). Where
    nothing fits the name is None.
    """
    left = [_weighed(card, taken) for card in cards]
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
            rest = 1.0 - p * min(holders) * (1.0 - _READ_TWICE)
            left[index] = {other: min(1.0, q / rest) for other, q in others.items()}
    return named


def _weighed(card: Seen, taken: Collection[str]) -> dict[str, float]:
    """Return the probability of each card that one may be, where `taken` ones are believed little."""
    weighed = {name: p * (_TAKEN_FACTOR if name in taken else 1.0) for name, p in card.odds.items() if p > 0}
    total = sum(weighed.values()) + max(0.0, 1.0 - sum(card.odds.values()))
    return {name: p / total for name, p in weighed.items()} if total > 0 else {}


def index_places(card: Seen) -> list[tuple[float, float]]:
    """Return where both indices of a card on the table are, mm."""
    turn = math.radians(card.angle)
    aside, up = CARD_WIDTH_MM / 2 - INDEX_MM[0], CARD_HEIGHT_MM / 2 - INDEX_MM[1]
    # Of an upright card (90 degrees: its long side points down the table) they are at its top left and its
    # bottom right.
    x = up * math.cos(turn) + aside * math.sin(turn)
    y = up * math.sin(turn) - aside * math.cos(turn)
    return [(card.x - x, card.y - y), (card.x + x, card.y + y)]


def covers(card: Seen, place: tuple[float, float], margin: float = 0.0) -> bool:
    """Tell whether a place (mm) lies under a card, or within a margin (mm) beside it."""
    return max(_beyond_sides(card, place)) <= margin


def gap(card: Seen, place: tuple[float, float]) -> float:
    """Return how far (mm) a place lies from a card's edge; 0 under it."""
    return math.hypot(*(max(beyond, 0.0) for beyond in _beyond_sides(card, place)))


def _beyond_sides(card: Seen, place: tuple[float, float]) -> tuple[float, float]:
    """Return how far (mm) a place lies beyond a card's ends and beyond its long sides; below 0 within."""
    turn = math.radians(card.angle)
    x, y = place[0] - card.x, place[1] - card.y
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return abs(along) - CARD_HEIGHT_MM / 2, abs(across) - CARD_WIDTH_MM / 2


def turn_between(first: float, second: float) -> float:
    """Return the angle between two undirected lines given in degrees, 0..90."""
    return abs((first - second + 90.0) % 180.0 - 90.0)


def _may_be_one(first: Seen, second: Seen) -> bool:
    """Tell whether two looks may have seen one resting card; a sure name tells it a little further off."""
    if first.face != second.face or not first.is_at(second, SAME_PLACE_MM * _KNOWN_BY_NAME):
        return False
    return first.is_at(second) or _names(first, second) == 1


def _difference(first: Seen, second: Seen) -> tuple[int, float]:
    """Return what tells two looks at a card apart: what they read first, then how far apart it lies, mm.

    What they read is 0 where it is likeliest the same, 2 where each is surely read, as another card.
    """
    (one, p), (other, q) = first.best, second.best
    alike = one is not None and one == other and min(p, q) >= MIN_NAME
    names = 0 if alike else 1 + (_names(first, second) > 1)
    return names, math.hypot(first.x - second.x, first.y - second.y)


def _names(first: Seen, second: Seen) -> int:
    """Return how many different names two looks surely read; 0 where one of them is not sure."""
    read = [card.best for card in (first, second)]
    return len({name for name, _ in read}) if all(p >= _SURE for _, p in read) else 0
