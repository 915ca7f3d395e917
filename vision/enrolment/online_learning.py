"""Learning a deck during play, without a request, from cards that were read with certainty.

In one game, few cards lie uncovered at more than one moment. So the examples are kept for later games, which
use them after enough cards agree. A wrongly learnt deck would read worse than none, so the conditions for an
example are strict:

- The networks alone must be almost certain; a deck learnt from them does not count.
- No other face may overlap the card.
- The card must have been read in this way at several moments.
- Its examples must be similar.

Learning must not delay a ruling. So a look at the table only notes useful cards, and the caller says when
there is time to learn from them (`LearningReader.spare_time`).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.decks.deck import Deck
from vision.decks.deck_head import DeckHead
from vision.enrolment.examples import augmented_features
from vision.geometry import bounding_box, intersection_area, quad_size
from vision.recognition.classifier import CardClassifier
from vision.types import CardReader, CardReading, Image, Mask, Quad, Region

MIN_EXAMPLE_CONFIDENCE = 0.995
"""The least confidence of a reading that becomes an example."""
MIN_EXAMPLE_DETECTION = 0.9
"""The least confidence of its outline."""
MIN_EXAMPLE_HEIGHT_PX = 60.0
"""The least height of its card in pixels: smaller cards are poor examples."""
LOOKS_BETWEEN_MOMENTS = 10
"""The least number of looks between two moments of one card."""
MIN_MOMENTS = 2
"""The least number of moments before a card's examples count."""
MAX_EXAMPLES_PER_CARD = 3
"""The most pictures of each card."""
MIN_DECK_CARDS = 26
"""The least number of different cards in a deck that is used."""
REFIT_AFTER_CARDS = 6
"""The head is fitted again after this many further cards."""

MIN_AGREEING_CARDS = 12
"""The number of cards that a deck from earlier games must identify correctly before it is used."""

_VIEWS_PER_IMAGE = 8
"""The number of variants of each picture; few, because the game goes on while they are made."""
_EARLIER_GAME = -LOOKS_BETWEEN_MOMENTS
"""The look number of all examples from earlier games."""
_SAVE_AFTER_EXAMPLES = 12
"""The examples are saved after this many further pictures."""
_MAX_WAITING = 8
"""The most noted pictures that wait for learning."""
_CROP_MARGIN = 0.15
"""The margin around a card in its cut-out, as a share of the card's height."""
_MAX_OVERLAP = 0.02
"""The share of a card that another face may overlap."""
_MIN_AGREEMENT = 0.55
"""The least cosine between the features of two pictures of one card, without the mean of all pictures."""


@dataclass
class _CardExamples:
    """The examples of one card."""

    moments: list[int] = field(default_factory=list)
    """The numbers of the looks."""
    features: list[NDArray[np.float32]] = field(default_factory=list)


class LearntDeckHead(DeckHead):
    """The head of a deck that nobody named: it may only confirm the most probable card of the networks."""

    def refine(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the log-probabilities (N x classes). A row changes only if its best card gains."""
        return _only_confirming(log_probabilities, super().refine(log_probabilities, features))

    def refine_index(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the same for lone indices."""
        return _only_confirming(log_probabilities, super().refine_index(log_probabilities, features))


def _only_confirming(plain: NDArray[np.float64], refined: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each refined row that makes the networks' best class more probable, else the plain row."""
    if not len(plain):
        return plain
    rows, best = np.arange(len(plain)), plain.argmax(axis=1)
    confirmed = (refined[rows, best] > plain[rows, best]) & (refined.argmax(axis=1) == best)
    return np.asarray(np.where(confirmed[:, None], refined, plain))


def known_cards(examples: Deck) -> tuple[str, ...]:
    """Return the cards of a set of examples that were seen at enough moments."""
    return tuple(
        card for card, pictures in _examples_by_card(examples).items() if len(pictures) >= MIN_MOMENTS
    )


def _examples_by_card(examples: Deck) -> dict[str, list[NDArray[np.float32]]]:
    """Return by card the features (`_VIEWS_PER_IMAGE` x number of features) of each picture, in order."""
    names = np.array(examples.cards)
    found = {}
    for card in dict.fromkeys(examples.cards):
        features = examples.features[names == card]
        found[card] = [features[k : k + _VIEWS_PER_IMAGE] for k in range(0, len(features), _VIEWS_PER_IMAGE)]
    return found


class DeckAgreement:
    """The test whether an earlier learnt or enrolled deck is the one on the table."""

    def __init__(self, deck: Deck, allowed_mistakes: int = 0) -> None:
        """Begin the test of `deck`, which may answer `allowed_mistakes` cards wrongly."""
        self.deck, self.head, self._allowed_mistakes = deck, LearntDeckHead(deck), allowed_mistakes
        self._answers: dict[str, bool] = {}

    def compare(self, card: str, features: NDArray[np.float32]) -> None:
        """Compare the deck with a card that was read with certainty.

        Args:
            card: The name of the card.
            features: Its features (views x number of features).
        """
        if card in self.head.enrolled and card not in self._answers:
            self._answers[card] = self.head.classify(features) == card

    def wants(self, card: str) -> bool:
        """Return whether a comparison with this card would add information."""
        return card in self.head.enrolled and card not in self._answers

    @property
    def holds(self) -> bool | None:
        """Whether the deck agrees; None: undecided."""
        if list(self._answers.values()).count(False) > self._allowed_mistakes:
            return False
        return True if len(self._answers) >= MIN_AGREEING_CARDS else None


class DeckLearner:
    """Collects examples and fits a head from them."""

    def __init__(self, classifier: CardClassifier, name: str = "learnt") -> None:
        """Begin without examples. `classifier` makes the features; its deck does not matter."""
        self._classifier, self._name = classifier, name
        self._examples: dict[str, _CardExamples] = {}
        self._fitted = self._tried = 0

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards with examples at enough moments to be part of the deck."""
        return tuple(card for card, known in self._examples.items() if len(known.moments) >= MIN_MOMENTS)

    def wants(self, card: str, look: int) -> bool:
        """Return whether this card, seen in look number `look`, would be a useful example."""
        known = self._examples.get(card)
        if known is None:
            return True
        return (
            len(known.moments) < MAX_EXAMPLES_PER_CARD
            and look - max(known.moments, default=_EARLIER_GAME) >= LOOKS_BETWEEN_MOMENTS
        )

    def features(self, image: Image, quad: Quad) -> NDArray[np.float32]:
        """Return the features of several variants of a card's picture (see `augmented_features`)."""
        return augmented_features(image, quad, self._classifier, _VIEWS_PER_IMAGE)

    def add(self, card: str, look: int, features: NDArray[np.float32]) -> None:
        """Add the features of a card that was read with certainty in look number `look`."""
        known = self._examples.setdefault(card, _CardExamples())
        known.moments.append(look)
        known.features.append(features)

    def include_earlier(self, deck: Deck) -> None:
        """Add the examples of the same deck from earlier games."""
        for card, earlier in _examples_by_card(deck).items():
            known = self._examples.setdefault(card, _CardExamples())
            taken = earlier[: max(0, MAX_EXAMPLES_PER_CARD - len(known.features))]
            known.features += taken
            known.moments += [_EARLIER_GAME] * len(taken)

    def exclude_earlier(self) -> None:
        """Remove the examples that `include_earlier` added, because they belong to another deck."""
        for card, known in list(self._examples.items()):
            own = [k for k, look in enumerate(known.moments) if look != _EARLIER_GAME]
            self._examples[card] = _CardExamples(
                [known.moments[k] for k in own], [known.features[k] for k in own]
            )
        self._fitted = self._tried = 0

    @property
    def example_count(self) -> int:
        """The number of examples of all cards."""
        return sum(len(known.features) for known in self._examples.values())

    def all_examples(self) -> Deck:
        """Return all examples, including cards that were seen at too few moments."""
        return self._deck_of(tuple(self._examples))

    def deck(self) -> Deck:
        """Return the deck learnt so far, without cards whose examples disagree."""
        return self._deck_of(self._agreeing())

    def _deck_of(self, known: Sequence[str]) -> Deck:
        parts = [(card, features) for card in known for features in self._examples[card].features]
        cards = tuple(card for card, features in parts for _ in features)
        stacked = np.concatenate([f for _, f in parts]) if parts else np.zeros((0, 0), np.float32)
        return Deck(self._name, self._classifier.fingerprint, cards, stacked)

    def updated_deck(self) -> Deck | None:
        """Return the deck if enough cards were added since the last time, else None."""
        count = len(self.cards)
        if count < max(MIN_DECK_CARDS, self._fitted + REFIT_AFTER_CARDS) or count == self._tried:
            return None
        self._tried = count
        deck = self.deck()
        if len(set(deck.cards)) < MIN_DECK_CARDS:
            return None
        self._fitted = count
        return deck

    def _agreeing(self) -> list[str]:
        """Return the cards whose pictures are similar to each other."""
        means = {
            card: np.array([f.mean(axis=0) for f in self._examples[card].features]) for card in self.cards
        }
        if not means:
            return []
        middle = np.concatenate(list(means.values())).mean(axis=0)
        agreeing = []
        for card, pictures in means.items():
            centred = pictures - middle
            unit = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
            if float((unit @ unit.T).min()) >= _MIN_AGREEMENT:
                agreeing.append(card)
        return agreeing


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A useful card, cut out of its picture."""

    card: str
    look: int
    image: Image
    quad: Quad


class LearningReader:
    """A card reader that learns the deck it reads; implements `vision.types.CardReader`."""

    def __init__(
        self,
        reader: CardReader,
        classifier: CardClassifier,
        earlier: Deck | None = None,
        save: Callable[[Deck], object] | None = None,
    ) -> None:
        """Wrap a reader.

        Args:
            reader: Reads whole pictures.
            classifier: The classifier inside `reader`. It gets the learnt deck. If it gets another deck,
                learning stops.
            earlier: The examples of earlier games. They are used as long as they agree with this deck.
            save: Gets all examples from time to time; raises OSError if it cannot save them.
        """
        self._classifier, self._reader, self._save = classifier, reader, save
        self._plain = copy(classifier)  # the same networks
        self._plain.deck = None
        self._looks = 0
        self._saved_examples = 0
        """The number of saved examples."""
        self._head: LearntDeckHead | None = None
        self._waiting: deque[_Candidate] = deque()
        self._earlier = DeckAgreement(earlier) if earlier is not None else None
        self.learner = DeckLearner(self._plain)

    @property
    def uses_learnt_deck(self) -> bool:
        """Whether a learnt deck improves the readings."""
        return self._head is not None and self._classifier.deck is self._head

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> list[CardReading]:
        """Return the cards in a picture, as the reader does, and note the most certain ones for learning."""
        readings = list(self._reader.read(image, crowded, ignored))
        self._looks += 1
        if self._classifier.deck is self._head:
            for reading in readings:
                if len(self._waiting) < _MAX_WAITING and self._teaches(reading, readings, image):
                    self._waiting.append(_cut_out(image, reading, self._looks))
        return readings

    def spare_time(self) -> bool:
        """Do one step of learning from the noted cards; return whether there was anything to do."""
        if self._classifier.deck is not self._head:
            self._waiting.clear()
            return False
        if self._waiting:
            self._learn(self._waiting.popleft())
            return True
        deck = self.learner.updated_deck()
        if deck is None:
            return self._save_examples(_SAVE_AFTER_EXAMPLES)
        self._head = LearntDeckHead(deck)
        self._classifier.deck = self._head
        return True

    def finish(self) -> None:
        """Save the examples, even if another deck is in use."""
        self._save_examples(1)

    def _save_examples(self, least: int) -> bool:
        """Save the examples if they are enough and at least `least` are new; return whether they were saved.

        Nothing replaces the examples of earlier games until it is decided whether they belong to this deck.
        """
        pictures = self.learner.example_count
        undecided = self._earlier is not None and self._earlier.holds is None
        if (
            self._save is None
            or undecided
            or pictures < max(MIN_AGREEING_CARDS, self._saved_examples + least)
        ):
            return False
        self._saved_examples = pictures
        with contextlib.suppress(OSError):  # a full disk costs later games a little, not this one
            self._save(self.learner.all_examples())
        return True

    def _teaches(self, reading: CardReading, readings: Sequence[CardReading], image: Image) -> bool:
        return (
            reading.card is not None
            and (self.learner.wants(reading.card, self._looks) or self._is_compared(reading.card))
            and all(candidate.card != reading.card for candidate in self._waiting)
            and is_certain_example(reading, readings, image)
        )

    def _is_compared(self, card: str) -> bool:
        return self._earlier is not None and self._earlier.wants(card)

    def _learn(self, candidate: _Candidate) -> None:
        """Learn the card if the networks alone, without the deck, are certain of it too."""
        (plain,) = self._plain.classify(candidate.image, [candidate.quad])
        if plain.card != candidate.card or plain.confidence < MIN_EXAMPLE_CONFIDENCE:
            return
        features = self.learner.features(candidate.image, candidate.quad)
        if self._earlier is not None:
            self._compare(self._earlier, candidate.card, features)
        if self.learner.wants(candidate.card, candidate.look):
            self.learner.add(candidate.card, candidate.look, features)

    def _compare(self, earlier: DeckAgreement, card: str, features: NDArray[np.float32]) -> None:
        """Compare a card with the examples of earlier games, and use them as long as they agree."""
        held = earlier.holds
        earlier.compare(card, features)
        if earlier.holds and not held:
            self.learner.include_earlier(earlier.deck)
            self._saved_examples = self.learner.example_count
        elif earlier.holds is False:
            self._earlier = None
            if held:
                self.learner.exclude_earlier()
                self._head = self._classifier.deck = None
                self._saved_examples = 0


def is_certain_example(reading: CardReading, readings: Sequence[CardReading], image: Image) -> bool:
    """Return whether a reading is certain enough for an example: large, face up, whole and not overlapped."""
    return (
        reading.face == "up"
        and reading.card is not None
        and reading.confidence >= MIN_EXAMPLE_CONFIDENCE
        and reading.detection_confidence >= MIN_EXAMPLE_DETECTION
        and quad_size(reading.quad)[1] >= MIN_EXAMPLE_HEIGHT_PX
        and is_inside(reading.quad, image)
        and sum(other.card == reading.card for other in readings) == 1
        and _lies_alone(reading, readings)
    )


def is_inside(quad: Quad, image: Image) -> bool:
    """Return whether a whole card (quad, 4 x 2 pixels) is in the picture."""
    left, top, right, bottom = bounding_box(quad)
    return min(left, top) >= 0 and right <= image.shape[1] - 1 and bottom <= image.shape[0] - 1


def _cut_out(image: Image, reading: CardReading, look: int) -> _Candidate:
    """Return a copy of a card's surroundings, because its picture may be gone when there is time to learn."""
    assert reading.card is not None
    margin = _CROP_MARGIN * quad_size(reading.quad)[1]
    left, top, right, bottom = bounding_box(reading.quad)
    x, y = max(0, int(left - margin)), max(0, int(top - margin))
    part = image[y : int(bottom + margin) + 1, x : int(right + margin) + 1].copy()
    return _Candidate(reading.card, look, part, reading.quad - np.array([x, y], np.float32))


def _lies_alone(reading: CardReading, others: Sequence[CardReading]) -> bool:
    width, height = quad_size(reading.quad)
    return all(
        other is reading
        or other.face == "down"
        or intersection_area(reading.quad, other.quad) < _MAX_OVERLAP * width * height
        for other in others
    )
