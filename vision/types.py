"""The types that every step of `vision` shares: images, quads, and the reading of one card."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER

Image = NDArray[np.uint8]
"""An image: height x width x 3, BGR, 8 bit."""
Mask = NDArray[np.bool_]
"""Booleans, height x width."""
Quad = NDArray[np.float32]
"""Four corners of a card: 4 x 2 (x, y) in pixels, clockwise in the image, a short edge first."""

UNKNOWN_CARD = "??"
"""A card that nobody has identified, as `docs/files.md` writes it."""
Face = Literal["up", "down"]
"""Which side of a card the camera sees: its face (`up`) or its back (`down`)."""
_SEEN_ELSEWHERE_FACTOR = 0.1
"""Factor on the probability of a name that another card surely bears. Above 0, as that card may be
misread."""


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """One card in one image: where it was detected, and how it was classified."""

    quad: Quad
    """The corners of the whole card, even where other cards cover it."""
    face: Face
    detection_confidence: float
    """Probability, 0..1, that a card lies here at all."""
    card: str | None = None
    """`9S`, `JOKER`, ...; None if the card lies face down, or if no name is probable enough."""
    confidence: float = 0.0
    """Calibrated probability that `card` is right. For a face-down card: that it is one."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Other cards that this may be, with their probabilities, most probable first."""

    def to_json(self) -> dict[str, Any]:
        """Return the reading as an entry of `cards` in a line of `shithead read --json`."""
        return {
            "face": self.face,
            "card": self.card,
            "confidence": round(self.confidence, 4),
            "alternatives": [[card, round(p, 4)] for card, p in self.alternatives],
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in self.quad],
        }


def without_jokers(reading: CardReading) -> CardReading:
    """Return a reading for a pack without jokers: the joker is dropped from its name and its alternatives."""
    rest = tuple((card, p) for card, p in reading.alternatives if card != JOKER)
    if reading.card != JOKER:
        return replace(reading, alternatives=rest)
    return replace(reading, card=None, confidence=0.0, alternatives=rest)


def discount_seen_cards(reading: CardReading, seen: Collection[str], threshold: float) -> CardReading:
    """Return a reading whose names lose probability if they are `seen` on other cards.

    The likeliest name is kept if its probability reaches `threshold`. Names in `seen` are not ruled out,
    because the other card may be the one misread.

    Args:
        reading: The reading to weigh again.
        seen: Names that other cards of the image surely bear.
        threshold: Least probability, 0..1, of a name.
    """
    may_be = _probabilities(reading)
    weighed = [(name, p * (_SEEN_ELSEWHERE_FACTOR if name in seen else 1.0)) for name, p in may_be]
    total = 1.0 - sum(p for _, p in may_be) + sum(p for _, p in weighed)
    odds = sorted(((name, p / total) for name, p in weighed), key=lambda pair: -pair[1])
    if not odds:
        return reading
    best, confidence = odds[0]
    if confidence < threshold:
        return replace(reading, card=None, confidence=confidence, alternatives=tuple(odds))
    return replace(reading, card=best, confidence=confidence, alternatives=tuple(odds[1:]))


def open_suits(reading: CardReading) -> tuple[str, ...]:
    """Return the two cards that an unnamed reading may be, if only its suit is open; else nothing."""
    likely = [card for card, _ in reading.alternatives[:2]]
    alike = len({(card[:-1], card[-1] in "DH") for card in likely}) == 1
    return tuple(likely) if reading.card is None and len(likely) == 2 and alike else ()


def average_names(reading: CardReading, other: CardReading) -> CardReading:
    """Return the first reading with the mean probabilities of both, which are named and of one card."""
    odds: dict[str, float] = {}
    for name, p in (*_probabilities(reading), *_probabilities(other)):
        odds[name] = odds.get(name, 0.0) + p / 2
    (best, confidence), *others = sorted(odds.items(), key=lambda pair: -pair[1])
    return replace(reading, card=best, confidence=confidence, alternatives=tuple(others))


def _probabilities(reading: CardReading) -> list[tuple[str, float]]:
    """Return each card that a reading may be with its probability, the reading's own name first."""
    named = () if reading.card is None else ((reading.card, reading.confidence),)
    return [*named, *reading.alternatives]


Region = tuple[float, float, float, float]
"""Part of an image: left, top, right, bottom in pixels."""


class CardReader(Protocol):
    """A reader that finds and names the cards in an image."""

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> Sequence[CardReading]:
        """Return the cards in an image, in no particular order.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            crowded: Regions in which to search for partly covered cards too, which takes longer. None: the
                whole image.
            ignored: Where nothing needs to be read, at any resolution: people, and what is not the table.
                Cards there may be missing, or be those of an earlier image.
        """
        ...
