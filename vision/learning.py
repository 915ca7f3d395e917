"""Learning a deck during play, without being asked, from cards that were read with certainty.

A deck that is learnt wrongly would read worse than none, so much more is asked of an example than of a
ruling: the networks alone (never a deck that was learnt from them) must be all but certain, no other face may
lie on the card, it must have been read so at several moments, and its examples must be alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.decks import Deck, DeckHead
from vision.enrolment import examples
from vision.faces import FaceReader
from vision.geometry import polygon_overlap, quad_sides
from vision.reader import TableReader
from vision.reading import CardReader, CardReading, Image, Quad, Region

CERTAIN = 0.995
"""Confidence from which a reading may become an example."""
OUTLINED = 0.9
"""Confidence that its outline must have."""
LEAST_HEIGHT = 60.0
"""Pixels: smaller cards teach little."""
MOMENT_LOOKS = 10
"""So many looks at the table lie between two moments ..."""
MOMENTS = 2
"""... and so many moments make a card's examples count."""
CARD_EXAMPLES = 3
"""Pictures kept of each card."""
LEAST_CARDS = 26
"""So many different cards must be known before the deck is used at all."""
RENEWED = 6
"""The head is fitted again when so many more cards are known."""

_VIEWS = 8
"""Variants of each picture: play goes on while they are made."""
_A_LOOK = 2
"""Pictures taken in a look at the table, for the same reason."""
_ALONE = 0.02
"""Share of a card that another face may lie on or under."""
_ALIKE = 0.55
"""Cosine of two pictures' features, about the mean of all, below which they are not of one card."""


@dataclass
class _Known:
    """The examples of one card."""

    moments: list[int] = field(default_factory=list)
    """Numbers of the looks."""
    features: list[NDArray[np.float32]] = field(default_factory=list)


class LearntHead(DeckHead):
    """A deck that was learnt unasked: it may confirm what the networks think likeliest, no more."""

    def refine(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the log-probabilities (N x classes), changed only where that makes their best card surer."""
        refined = super().refine(log_probabilities, features)
        rows, best = np.arange(len(refined)), log_probabilities.argmax(axis=1)
        surer = refined[rows, best] > log_probabilities[rows, best]
        confirmed = surer & (refined.argmax(axis=1) == best)
        return np.asarray(np.where(confirmed[:, None], refined, log_probabilities))


class DeckLearner:
    """Collects examples and fits a head from them."""

    def __init__(self, faces: FaceReader, name: str = "learnt") -> None:
        """`faces` makes the features; its deck, if any, is not asked."""
        self._faces, self._name = faces, name
        self._known: dict[str, _Known] = {}
        self._fitted = 0

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards that are known well enough to be part of the deck."""
        return tuple(card for card, known in self._known.items() if len(known.moments) >= MOMENTS)

    def wants(self, card: str, look: int) -> bool:
        """Tell whether this card, seen in look number `look`, would teach anything."""
        known = self._known.get(card)
        if known is None:
            return True
        return len(known.moments) < CARD_EXAMPLES and look - known.moments[-1] >= MOMENT_LOOKS

    def add(self, card: str, look: int, image: Image, quad: Quad) -> None:
        """Take in a card that was read with certainty in look number `look`."""
        known = self._known.setdefault(card, _Known())
        known.moments.append(look)
        known.features.append(examples(image, quad, self._faces, _VIEWS))

    def deck(self) -> Deck:
        """Return what has been learnt so far; cards whose examples disagree are left out."""
        cards: list[str] = []
        parts = []
        for card in self._agreeing():
            for features in self._known[card].features:
                parts.append(features)
                cards += [card] * len(features)
        stacked = np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
        return Deck(self._name, self._faces.fingerprint, tuple(cards), stacked)

    def head(self) -> LearntHead | None:
        """Return a new head when enough more has been learnt since the last one; else None."""
        if len(self.cards) < max(LEAST_CARDS, self._fitted + RENEWED):
            return None
        deck = self.deck()
        if len(set(deck.cards)) < LEAST_CARDS:
            return None
        self._fitted = len(self.cards)
        return LearntHead(deck)

    def _agreeing(self) -> list[str]:
        """Return the cards whose pictures are more like one another than like another card's."""
        means = {card: np.array([f.mean(axis=0) for f in self._known[card].features]) for card in self.cards}
        if not means:
            return []
        middle = np.concatenate(list(means.values())).mean(axis=0)
        agreeing = []
        for card, pictures in means.items():
            centred = pictures - middle
            unit = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
            if float((unit @ unit.T).min()) >= _ALIKE:
                agreeing.append(card)
        return agreeing


class LearningReader:
    """A card reader that learns the deck it reads; implements `vision.reading.CardReader`."""

    def __init__(self, reader: CardReader | None = None, faces: FaceReader | None = None) -> None:
        """Wrap a reader.

        Args:
            reader: What reads; None: the reader with the weights that ship.
            faces: The face reader inside `reader`, which is given the deck that is learnt.
        """
        self._faces = faces or FaceReader()
        self._reader = reader or TableReader(faces=self._faces)
        self._plain = FaceReader()
        self._looks = 0
        self.learner = DeckLearner(self._plain)

    @property
    def learnt(self) -> bool:
        """Whether readings are helped by a deck that was learnt."""
        return self._faces.deck is not None

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the cards in a picture, as `TableReader.read` does, and learn from the surest."""
        readings = list(self._reader.read(image, crowded))
        self._looks += 1
        for reading in [r for r in readings if self._teaches(r, readings)][:_A_LOOK]:
            self._learn(image, reading)
        head = self.learner.head()
        if head is not None:
            self._faces.deck = head
        return readings

    def _teaches(self, reading: CardReading, all_readings: Sequence[CardReading]) -> bool:
        return (
            reading.face == "up"
            and reading.card is not None
            and reading.confidence >= CERTAIN
            and reading.outline_confidence >= OUTLINED
            and quad_sides(reading.quad)[1] >= LEAST_HEIGHT
            and self.learner.wants(reading.card, self._looks)
            and _lies_alone(reading, all_readings)
            and sum(other.card == reading.card for other in all_readings) == 1
        )

    def _learn(self, image: Image, reading: CardReading) -> None:
        """Take the card in if the networks alone are as sure of it as the deck made them."""
        assert reading.card is not None
        (plain,) = self._plain.read(image, [reading.quad])
        if plain.card == reading.card and plain.confidence >= CERTAIN:
            self.learner.add(reading.card, self._looks, image, reading.quad)


def _lies_alone(reading: CardReading, others: Sequence[CardReading]) -> bool:
    width, height = quad_sides(reading.quad)
    return all(
        other is reading
        or other.face == "down"
        or polygon_overlap(reading.quad, other.quad) < _ALONE * width * height
        for other in others
    )
