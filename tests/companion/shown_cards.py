"""A pack being shown that needs no camera and no networks, for tests of enrolling."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np

from companion.enrolling import Learn
from engine.errors import BadInputError
from vision.decks import KNOWN, Deck
from vision.face_classes import CARDS
from vision.showing import Doubt, Seen


class Camera:
    """Ten pictures a second by its own clock; in truth as fast as they are looked at."""

    name, fps = "camera", 10.0

    def __init__(self, *, live: bool = True, pictures: int = 100_000) -> None:
        self.live, self.closed, self._pictures = live, False, pictures
        self.tell: Callable[[str], None] = lambda _line: None

    def __iter__(self) -> Iterator[tuple[float, Any]]:
        picture = np.full((270, 480, 3), (52, 74, 38), np.uint8)
        cv2.rectangle(picture, (200, 80), (280, 190), (235, 240, 240), -1)
        for number in range(self._pictures):
            if self.closed:
                return
            time.sleep(0.0005)
            yield number / 10, picture

    def close(self) -> None:
        self.closed = True


class Show:
    """Stands in for `vision.showing.PackShow`: every third look takes the next card of a script.

    `None` is a look at nothing, `?` a card that cannot be told.
    """

    backs: tuple[Any, ...] = ()

    def __init__(self, *script: str | None) -> None:
        self._script, self._looks = list(script), 0
        self.showings: list[Any] = []
        self.cards: list[str] = []

    def look(self, _image: Any, _t: float) -> Seen:
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
        self.showings.append(SimpleNamespace(opinion=lambda: opinion))
        return "taken"

    def missing(self) -> tuple[str, ...]:
        return tuple(card for card in CARDS if card not in self.cards)


def learns(name: str) -> Learn:
    """Return what makes a deck of the cards that were told, without looking at them."""

    def make(show: Any, counted: Callable[[int, int], None]) -> tuple[Deck, tuple[Doubt, ...]]:
        cards = tuple(dict.fromkeys(show.cards))
        if len(cards) < 2:
            raise BadInputError(f"{len(cards)} cards were told; show each alone, held still")
        for number in range(len(cards)):
            counted(number, len(cards))
        doubts = tuple(Doubt(0.0, ()) for _ in range(len(show.showings) - len(show.cards)))
        return Deck(name, "weights", cards, np.eye(len(cards), 64, dtype=np.float32)), doubts

    return make
