"""One card as it was seen in one picture: the container that every step of `vision` passes on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER

Image = NDArray[np.uint8]
"""A picture: height x width x 3, BGR, 8 bit."""
Quad = NDArray[np.float32]
"""Four corners, 4 x 2 (x, y) in pixels, clockwise in the image; the first two end a short edge."""

UNKNOWN_CARD = "??"
Face = Literal["up", "down"]
_SEEN_ELSEWHERE = 0.1
"""Weight of a name that another card surely bears: it may be that one, too, told in a wrong place."""


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """A card found in a picture, and what it was read as."""

    quad: Quad
    """The whole card's corners, even where it is partly covered."""
    face: Face
    outline_confidence: float
    """Probability that a card lies here at all."""
    card: str | None = None
    """`9S`, `JOKER`, ... or None: face down, or not told with enough certainty."""
    confidence: float = 0.0
    """Calibrated probability that `card` is right; for a face-down card, that it is one."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Other cards it may be, most probable first."""

    def to_json(self) -> dict[str, Any]:
        """Return the entry of `cards` in the contract's `shithead read --json`."""
        return {
            "face": self.face,
            "card": self.card,
            "confidence": round(self.confidence, 4),
            "alternatives": [[card, round(p, 4)] for card, p in self.alternatives],
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in self.quad],
        }


def without_jokers(reading: CardReading) -> CardReading:
    """Return what a reading says where the pack has no jokers: what it may be besides, or nothing."""
    rest = tuple((card, p) for card, p in reading.alternatives if card != JOKER)
    if reading.card != JOKER:
        return replace(reading, alternatives=rest)
    return replace(reading, card=None, confidence=0.0, alternatives=rest)


def named_otherwise(reading: CardReading, seen: Collection[str], threshold: float) -> CardReading:
    """Return a reading weighed by which cards are `seen` elsewhere; it is named from the `threshold` on.

    It may be one of those all the same, told in a wrong place.
    """
    may_be = _names(reading)
    weighed = [(name, p * (_SEEN_ELSEWHERE if name in seen else 1.0)) for name, p in may_be]
    total = 1.0 - sum(p for _, p in may_be) + sum(p for _, p in weighed)
    odds = sorted(((name, p / total) for name, p in weighed), key=lambda pair: -pair[1])
    if not odds:
        return reading
    best, confidence = odds[0]
    if confidence < threshold:
        return replace(reading, card=None, confidence=confidence, alternatives=tuple(odds))
    return replace(reading, card=best, confidence=confidence, alternatives=tuple(odds[1:]))


def named_by_both(reading: CardReading, other: CardReading) -> CardReading:
    """Return a reading with the mean of its own opinion and that of `other`: both are of one named card."""
    odds: dict[str, float] = {}
    for name, p in (*_names(reading), *_names(other)):
        odds[name] = odds.get(name, 0.0) + p / 2
    (best, confidence), *others = sorted(odds.items(), key=lambda pair: -pair[1])
    return replace(reading, card=best, confidence=confidence, alternatives=tuple(others))


def _names(reading: CardReading) -> list[tuple[str, float]]:
    """Return what a reading may be, with its probabilities."""
    named = () if reading.card is None else ((reading.card, reading.confidence),)
    return [*named, *reading.alternatives]


Region = tuple[float, float, float, float]
"""Part of a picture: left, top, right, bottom, pixels."""


class CardReader(Protocol):
    """Anything that finds and names the cards in a picture."""

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> Sequence[CardReading]:
        """Return the cards in `image`, in no particular order.

        `crowded` are the parts of it where cards may lie half covered by others, which takes longer to look
        at; None: anywhere.
        """
        ...
