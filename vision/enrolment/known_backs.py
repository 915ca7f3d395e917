"""Taking up an enrolled deck by itself: its back lies on the table, and its faces agree."""

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
from vision.types import CardReader, CardReading, Image, Region

_MIN_LOOKS = 5
"""So often a deck's back must have been seen ..."""
_MIN_SHARE = 0.8
"""... in at least so many of the looks that saw any back whole ..."""
_MAX_LOOKS = 60
"""... of which there are so many at most: whether the deck is known is told at the deal, or not at all."""
_MIN_HEIGHT_PX = 40.0
"""Pixels: of smaller backs the pattern is not seen."""
_MAX_OVERLAP = 0.02
"""Share of a back that another card may lie on or under."""
_ALLOWED_MISTAKES = 3
"""Of so many of `online_learning.AGREED` cards it may be wrong: it may know each from a single picture."""
_FACES_PER_LOOK = 2
"""So many faces are compared in a look, which takes some milliseconds each."""


def decks_with_backs(weights: str) -> list[Deck]:
    """Return the enrolled decks whose backs were shown; `weights` is the networks' fingerprint.

    Those that cannot be used are passed over: nobody asked for them.
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
    """A card reader that takes up the deck whose back it sees; implements `vision.types.CardReader`.

    Two decks may have the same back. So the faces must agree as well, and a deck that nobody named only
    confirms what the networks think likeliest (`vision.enrolment.online_learning.LearntDeckHead`).
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
            reader: What reads whole pictures.
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
        """Whether a deck's back was seen often enough; its faces are compared then."""
        return self._agreement is not None

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the cards in a picture, as the reader does."""
        readings = list(self._reader.read(image, crowded))
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
        # With another pack's back beside it, known or not, nobody knows which pack a face is of.
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
    """Tell whether a card lies face down with nothing on it, all of it in the picture."""
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
