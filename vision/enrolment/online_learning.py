"""Learning a deck during play, without being asked, from cards that were read with certainty.

In one game few cards lie free at more than one moment: what was collected is kept for the next games, and
counts there once it is sure to be of the same deck. A deck that is learnt wrongly would read worse than none,
so much more is asked of an example than of a ruling: the networks alone (never a deck that was learnt from
them) must be all but certain, no other face may lie on the card, it must have been read so at several
moments, and its examples must be alike.

Nothing is learnt while a ruling may be waited for: a look at the table only notes what would teach, and
whoever runs the game says when there is time to learn from it (`LearningReader.spare_time`).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck import Deck, DeckHead
from vision.enrolment.enrolment import examples
from vision.geometry import bounding_box, polygon_overlap, quad_sides
from vision.recognition.classifier import FaceReader
from vision.types import CardReader, CardReading, Image, Quad, Region

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

AGREED = 12
"""So many cards of the game a deck that is known from earlier must tell rightly before it helps."""

_VIEWS = 8
"""Variants of each picture: play goes on while they are made."""
_EARLIER = -MOMENT_LOOKS
"""Stands for the number of any look of an earlier game."""
_KEPT_EVERY = 12
"""What was collected is kept whenever there are so many more pictures."""
_WAITING = 8
"""So many pictures may wait to be learnt from."""
_MARGIN = 0.15
"""Of a card's height: how much of the table about a card is kept of its picture."""
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
    """A deck that nobody named: it may confirm what the networks think likeliest, no more."""

    def refine(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the log-probabilities (N x classes), changed only where that makes their best card surer."""
        return _confirmed(log_probabilities, super().refine(log_probabilities, features))

    def refine_index(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the same for lone indices."""
        return _confirmed(log_probabilities, super().refine_index(log_probabilities, features))


def _confirmed(plain: NDArray[np.float64], refined: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the refined rows where they make the networks' own best class surer; else the plain ones."""
    if not len(plain):
        return plain
    rows, best = np.arange(len(plain)), plain.argmax(axis=1)
    confirmed = (refined[rows, best] > plain[rows, best]) & (refined.argmax(axis=1) == best)
    return np.asarray(np.where(confirmed[:, None], refined, plain))


def known_cards(collected: Deck) -> tuple[str, ...]:
    """Return the cards of a collection that were seen at enough moments."""
    return tuple(card for card, pictures in _pictures_of(collected).items() if len(pictures) >= MOMENTS)


def _pictures_of(collected: Deck) -> dict[str, list[NDArray[np.float32]]]:
    """Return the features of each card's pictures (_VIEWS x their number), in their order."""
    names = np.array(collected.cards)
    found = {}
    for card in dict.fromkeys(collected.cards):
        features = collected.features[names == card]
        found[card] = [features[k : k + _VIEWS] for k in range(0, len(features), _VIEWS)]
    return found


class Agreement:
    """Whether a deck that was learnt or enrolled earlier is the one that lies on the table."""

    def __init__(self, deck: Deck, allowed: int = 0) -> None:
        """Ask nothing of `deck` yet; `allowed`: of so many cards it may be wrong."""
        self.deck, self.head, self._allowed = deck, LearntHead(deck), allowed
        self._told: dict[str, bool] = {}

    def compare(self, card: str, features: NDArray[np.float32]) -> None:
        """Take in features (views x their number) of a card that was read with certainty."""
        if card in self.head.enrolled and card not in self._told:
            self._told[card] = self.head.tells(features) == card

    def asks_for(self, card: str) -> bool:
        """Tell whether this card would say anything new."""
        return card in self.head.enrolled and card not in self._told

    @property
    def holds(self) -> bool | None:
        """Whether it agrees; None while that is open."""
        if list(self._told.values()).count(False) > self._allowed:
            return False
        return True if len(self._told) >= AGREED else None


class DeckLearner:
    """Collects examples and fits a head from them."""

    def __init__(self, faces: FaceReader, name: str = "learnt") -> None:
        """`faces` makes the features; its deck, if any, is not asked."""
        self._faces, self._name = faces, name
        self._known: dict[str, _Known] = {}
        self._fitted = self._tried = 0

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards that are known well enough to be part of the deck."""
        return tuple(card for card, known in self._known.items() if len(known.moments) >= MOMENTS)

    def wants(self, card: str, look: int) -> bool:
        """Tell whether this card, seen in look number `look`, would teach anything."""
        known = self._known.get(card)
        if known is None:
            return True
        return (
            len(known.moments) < CARD_EXAMPLES and look - max(known.moments, default=_EARLIER) >= MOMENT_LOOKS
        )

    def features(self, image: Image, quad: Quad) -> NDArray[np.float32]:
        """Return what would be learnt of a card: the features of several views of it."""
        return examples(image, quad, self._faces, _VIEWS)

    def add(self, card: str, look: int, features: NDArray[np.float32]) -> None:
        """Take in a card that was read with certainty in look number `look`."""
        known = self._known.setdefault(card, _Known())
        known.moments.append(look)
        known.features.append(features)

    def include(self, deck: Deck) -> None:
        """Take in what was collected of the same deck in earlier games."""
        for card, earlier in _pictures_of(deck).items():
            known = self._known.setdefault(card, _Known())
            taken = earlier[: max(0, CARD_EXAMPLES - len(known.features))]
            known.features += taken
            known.moments += [_EARLIER] * len(taken)

    def exclude_earlier(self) -> None:
        """Forget what `include` took in: it was of another deck."""
        for card, known in list(self._known.items()):
            own = [k for k, look in enumerate(known.moments) if look != _EARLIER]
            self._known[card] = _Known([known.moments[k] for k in own], [known.features[k] for k in own])
        self._fitted = self._tried = 0

    @property
    def pictures(self) -> int:
        """How many examples there are, of all cards."""
        return sum(len(known.features) for known in self._known.values())

    def collected(self) -> Deck:
        """Return all examples, also those of cards that were seen at too few moments yet."""
        return self._deck_of(tuple(self._known))

    def deck(self) -> Deck:
        """Return what has been learnt so far; cards whose examples disagree are left out."""
        return self._deck_of(self._agreeing())

    def _deck_of(self, known: Sequence[str]) -> Deck:
        parts = [(card, features) for card in known for features in self._known[card].features]
        cards = tuple(card for card, features in parts for _ in features)
        stacked = np.concatenate([f for _, f in parts]) if parts else np.zeros((0, 0), np.float32)
        return Deck(self._name, self._faces.fingerprint, cards, stacked)

    def renewed(self) -> Deck | None:
        """Return the deck when enough more has been learnt since the last time; else None."""
        count = len(self.cards)
        if count < max(LEAST_CARDS, self._fitted + RENEWED) or count == self._tried:
            return None
        self._tried = count
        deck = self.deck()
        if len(set(deck.cards)) < LEAST_CARDS:
            return None
        self._fitted = count
        return deck

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


@dataclass(frozen=True, eq=False)
class _Noted:
    """A card that would teach something, cut out of its picture."""

    card: str
    look: int
    image: Image
    quad: Quad


class LearningReader:
    """A card reader that learns the deck it reads; implements `vision.types.CardReader`."""

    def __init__(
        self,
        reader: CardReader,
        faces: FaceReader,
        before: Deck | None = None,
        keep: Callable[[Deck], object] | None = None,
    ) -> None:
        """Wrap a reader.

        Args:
            reader: What reads whole pictures.
            faces: The face reader inside `reader`, which is given the deck that is learnt. Where another deck
                is put into it, nothing more is learnt.
            before: What was collected in earlier games, if anything. It counts once it agrees with this deck,
                and as long as it does.
            keep: Given what was collected now and then; raises OSError where it cannot be kept.
        """
        self._faces, self._reader, self._keep = faces, reader, keep
        self._plain = copy(faces)  # the same networks
        self._plain.deck = None
        self._looks = 0
        self._kept = 0
        """So many pictures have been kept."""
        self._head: LearntHead | None = None
        self._noted: deque[_Noted] = deque()
        self._before = Agreement(before) if before is not None else None
        self.learner = DeckLearner(self._plain)

    @property
    def learnt(self) -> bool:
        """Whether readings are helped by a deck that was learnt."""
        return self._head is not None and self._faces.deck is self._head

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the cards in a picture, as the reader does, and note the surest to learn from."""
        readings = list(self._reader.read(image, crowded))
        self._looks += 1
        if self._faces.deck is self._head:
            for reading in readings:
                if len(self._noted) < _WAITING and self._teaches(reading, readings, image):
                    self._noted.append(_cut_out(image, reading, self._looks))
        return readings

    def spare_time(self) -> bool:
        """Learn a little from what was noted; returns whether there was anything to do."""
        if self._faces.deck is not self._head:
            self._noted.clear()
            return False
        if self._noted:
            self._learn(self._noted.popleft())
            return True
        deck = self.learner.renewed()
        if deck is None:
            return self._keep_collected(_KEPT_EVERY)
        self._head = LearntHead(deck)
        self._faces.deck = self._head
        return True

    def finish(self) -> None:
        """Keep what was collected, whoever has the deck told."""
        self._keep_collected(1)

    def _keep_collected(self, least: int) -> bool:
        """Keep what was collected if at least so many pictures are new; returns whether they were.

        While it is open whether an earlier game's deck is this one, nothing is put in its place.
        """
        pictures, undecided = self.learner.pictures, self._before is not None and self._before.holds is None
        if self._keep is None or undecided or pictures < max(AGREED, self._kept + least):
            return False
        self._kept = pictures
        with contextlib.suppress(OSError):  # a full disk costs later games a little, not this one
            self._keep(self.learner.collected())
        return True

    def _teaches(self, reading: CardReading, readings: Sequence[CardReading], image: Image) -> bool:
        return (
            reading.card is not None
            and (self.learner.wants(reading.card, self._looks) or self._is_compared(reading.card))
            and all(noted.card != reading.card for noted in self._noted)
            and is_certain(reading, readings, image)
        )

    def _is_compared(self, card: str) -> bool:
        return self._before is not None and self._before.asks_for(card)

    def _learn(self, noted: _Noted) -> None:
        """Take the card in if the networks alone are as sure of it as the deck made them."""
        (plain,) = self._plain.read(noted.image, [noted.quad])
        if plain.card != noted.card or plain.confidence < CERTAIN:
            return
        features = self.learner.features(noted.image, noted.quad)
        if self._before is not None:
            self._compare(self._before, noted.card, features)
        if self.learner.wants(noted.card, noted.look):
            self.learner.add(noted.card, noted.look, features)

    def _compare(self, before: Agreement, card: str, features: NDArray[np.float32]) -> None:
        """Compare a card with what earlier games collected, and use that while it agrees."""
        held = before.holds
        before.compare(card, features)
        if before.holds and not held:
            self.learner.include(before.deck)
            self._kept = self.learner.pictures
        elif before.holds is False:
            self._before = None
            if held:
                self.learner.exclude_earlier()
                self._head = self._faces.deck = None
                self._kept = 0


def is_certain(reading: CardReading, readings: Sequence[CardReading], image: Image) -> bool:
    """Tell whether a card is one of the surest of a picture: it lies alone, face up, whole, and is large."""
    return (
        reading.face == "up"
        and reading.card is not None
        and reading.confidence >= CERTAIN
        and reading.outline_confidence >= OUTLINED
        and quad_sides(reading.quad)[1] >= LEAST_HEIGHT
        and is_inside(reading.quad, image)
        and sum(other.card == reading.card for other in readings) == 1
        and _lies_alone(reading, readings)
    )


def is_inside(quad: Quad, image: Image) -> bool:
    """Tell whether all of a card is in the picture."""
    left, top, right, bottom = bounding_box(quad)
    return min(left, top) >= 0 and right <= image.shape[1] - 1 and bottom <= image.shape[0] - 1


def _cut_out(image: Image, reading: CardReading, look: int) -> _Noted:
    """Return a copy of what is about a card: the picture may be gone by the time it is learnt from."""
    assert reading.card is not None
    margin = _MARGIN * quad_sides(reading.quad)[1]
    left, top, right, bottom = bounding_box(reading.quad)
    x, y = max(0, int(left - margin)), max(0, int(top - margin))
    part = image[y : int(bottom + margin) + 1, x : int(right + margin) + 1].copy()
    return _Noted(reading.card, look, part, reading.quad - np.array([x, y], np.float32))


def _lies_alone(reading: CardReading, others: Sequence[CardReading]) -> bool:
    width, height = quad_sides(reading.quad)
    return all(
        other is reading
        or other.face == "down"
        or polygon_overlap(reading.quad, other.quad) < _ALONE * width * height
        for other in others
    )
