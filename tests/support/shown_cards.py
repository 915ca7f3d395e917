"""A pack being shown that needs no camera and no networks, for tests of enrolling."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.enrolling import DeckBuilder, ProgressCallback
from engine.errors import BadInputError
from tests.support.fake_source import FakeSource
from vision.decks.card_classes import CARDS
from vision.decks.deck import KNOWN, Deck
from vision.enrolment.showing import Doubt, Finder, PackShow, Seen, Showing
from vision.recognition.classifier import FaceReader
from vision.types import Image


class Camera(FakeSource):
    """Ten pictures a second by its own clock; in truth as fast as they are looked at."""

    name, fps = "camera", 10.0

    def __init__(self, *, live: bool = True, pictures: int = 100_000) -> None:
        super().__init__()
        self.live, self._pictures = live, pictures

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        picture = np.full((270, 480, 3), (52, 74, 38), np.uint8)
        cv2.rectangle(picture, (200, 80), (280, 190), (235, 240, 240), -1)
        for number in range(self._pictures):
            if self.closed:
                return
            time.sleep(0.0005)
            yield number / 10, picture


class Told(Showing):
    """A card of which is known what it is, or that nobody can tell."""

    def __init__(self, opinion: NDArray[np.float64]) -> None:
        super().__init__(t=0.0, quad=np.zeros((4, 2), np.float32), look=np.zeros(0, np.float32))
        self._opinion = opinion

    def opinion(self) -> NDArray[np.float64]:
        return self._opinion


class Show(PackShow):
    """Looks at no picture: every third look takes the next card of a script.

    `None` is a look at nothing, `?` a card that cannot be told.
    """

    def __init__(self, *script: str | None) -> None:
        super().__init__(cast(Finder, None), cast(FaceReader, None))
        self._script, self._looks = list(script), 0
        self.cards: list[str] = []

    def look(self, image: Image, t: float) -> Seen:
        self._looks += 1
        if self._looks % 3 or not self._script:
            return "hold" if self._script else "nothing"
        card = self._script.pop(0)
        if card is None:
            return "nothing"
        opinion = np.full(len(KNOWN), np.log(1e-4))
        if card != "?":
            opinion[KNOWN.index(card)] = 0.0
            self.cards.append(card)
        self.showings.append(Told(opinion))
        return "taken"

    def missing(self) -> tuple[str, ...]:
        return tuple(card for card in CARDS if card not in self.cards)


def learns(name: str) -> DeckBuilder:
    """Return what makes a deck of the cards that were told, without looking at them."""

    def make(show: PackShow, counted: ProgressCallback) -> tuple[Deck, tuple[Doubt, ...]]:
        assert isinstance(show, Show)
        cards = tuple(dict.fromkeys(show.cards))
        if len(cards) < 2:
            raise BadInputError(
                f"{len(cards)} cards were recognised; show each card alone, and hold it still"
            )
        for number in range(len(cards)):
            counted(number, len(cards))
        doubts = tuple(Doubt(0.0, ()) for _ in range(len(show.showings) - len(show.cards)))
        return Deck(name, "weights", cards, np.eye(len(cards), 64, dtype=np.float32)), doubts

    return make
