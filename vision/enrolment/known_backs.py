"""Recognising an enrolled deck on the table by its back and its faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from engine.errors import BadInputError
from engine.messages import Said, message
from vision.decks.backs import back_features, match_back
from vision.decks.deck import Deck
from vision.decks.deck_files import deck_names, load_deck
from vision.enrolment.online_learning import (
    MIN_EXAMPLE_DETECTION,
    DeckAgreement,
    is_certain_example,
    is_inside,
)
from vision.geometry import intersection_area, quad_size
from vision.recognition.classifier import CardClassifier
from vision.recognition.crops import face_crops
from vision.types import CardReader, CardReading, Image, Mask, Region

_MIN_LOOKS = 5
"""The least number of looks that show the deck's back."""
_MIN_SHARE = 0.8
"""The least share of these looks among all looks that show a whole back."""
_MAX_LOOKS = 60
"""The search ends after this many looks at a whole back: a deck is recognised at the deal, or not at all."""
_MIN_HEIGHT_PX = 40.0
"""The least height of a back in pixels: the pattern of smaller ones is not visible."""
_MAX_OVERLAP = 0.02
"""The share of a back that another card may overlap."""
_ALLOWED_MISTAKES = 3
"""The most wrong answers of a deck, which may know each card from a single picture, to
`online_learning.MIN_AGREEING_CARDS` cards."""
_FACES_PER_LOOK = 2
"""The most faces compared in a look; each takes some milliseconds."""


def decks_with_backs(weights: str) -> list[Deck]:
    """Return the enrolled decks with known backs; `weights` is the networks' fingerprint.

    Damaged decks and decks of other networks are left out without an error, because nobody asked for them.
    """
    decks = []
    for name in deck_names():
        try:
            deck = load_deck(name)
        except (BadInputError, OSError):
            continue
        if len(deck.backs) and deck.weights_fingerprint == weights and len(set(deck.cards)) > 1:
            decks.append(deck)
    return decks


class BackMatchingReader:
    """A `vision.types.CardReader` that recognises the enrolled deck in use by its back.

    Two decks may have the same back, so the faces must agree as well. A recognised deck only confirms the
    most probable card of the networks (`vision.enrolment.online_learning.LearntDeckHead`).
    """

    def __init__(
        self,
        reader: CardReader,
        classifier: CardClassifier,
        decks: Sequence[Deck],
        tell: Callable[[Said], object],
    ) -> None:
        """Wrap a reader.

        Args:
            reader: Reads whole pictures.
            classifier: The classifier inside `reader`; it gets the deck.
            decks: The enrolled decks with their backs.
            tell: Gets a line that names the deck in use.
        """
        self._reader, self._classifier, self._tell = reader, classifier, tell
        self._decks = {deck.name: deck for deck in decks}
        self._seen: Counter[str | None] = Counter()
        self._agreement: DeckAgreement | None = None
        self._open = bool(decks)

    @property
    def recognised(self) -> bool:
        """Whether a deck's back was seen often enough. Then its faces are compared."""
        return self._agreement is not None

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> list[CardReading]:
        """Return the cards in a picture, as the reader does."""
        readings = list(self._reader.read(image, crowded, ignored))
        if self._open and self._agreement is None:
            self._look_at_backs(image, readings)
        elif self._open and self._agreement is not None:
            self._look_at_faces(self._agreement, image, readings)
        return readings

    def _look_at_backs(self, image: Image, readings: Sequence[CardReading]) -> None:
        known = {name: deck.backs for name, deck in self._decks.items()}
        whole = [reading for reading in readings if _is_whole_back(reading, readings, image)]
        names = {match_back(back_features(image, reading.quad), known) for reading in whole}
        if not names:
            return
        # If two packs with different backs lie there, a face may belong to either pack.
        self._seen[names.pop() if len(names) == 1 else None] += 1
        (name, times), looks = self._seen.most_common(1)[0], self._seen.total()
        if name is not None and times >= max(_MIN_LOOKS, _MIN_SHARE * looks):
            self._agreement = DeckAgreement(self._decks[name], _ALLOWED_MISTAKES)
        elif looks >= _MAX_LOOKS:
            self._open = False

    def _look_at_faces(self, agreement: DeckAgreement, image: Image, readings: Sequence[CardReading]) -> None:
        asked = [
            reading
            for reading in readings
            if reading.card is not None
            and agreement.wants(reading.card)
            and is_certain_example(reading, readings, image)
        ]
        for reading in asked[:_FACES_PER_LOOK]:
            assert reading.card is not None
            outputs = self._classifier.outputs([face_crops(image, reading.quad)])
            agreement.compare(reading.card, self._classifier.features(*outputs))
        if agreement.holds is None:
            return
        self._open = False
        if agreement.holds:
            self._classifier.deck = agreement.head
            self._tell(message("deck {name}: known by its back, and used", name=agreement.deck.name))


def _is_whole_back(reading: CardReading, readings: Sequence[CardReading], image: Image) -> bool:
    """Return whether a card lies face down, entirely in the picture, with no other card on it."""
    width, height = quad_size(reading.quad)
    return (
        reading.face == "down"
        and reading.detection_confidence >= MIN_EXAMPLE_DETECTION
        and height >= _MIN_HEIGHT_PX
        and is_inside(reading.quad, image)
        and all(
            other is reading or intersection_area(reading.quad, other.quad) < _MAX_OVERLAP * width * height
            for other in readings
        )
    )
