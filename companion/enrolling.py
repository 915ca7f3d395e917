"""Enrolling a deck in front of the camera: one card after the other, each held still for a moment."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from companion.picture import Picture, picture_of
from engine.errors import BadInputError
from vision.decks import Deck, DeckHead, deck_path, save_deck
from vision.face_classes import CARDS
from vision.reading import Image, Quad
from vision.sources import FrameSource

_log = logging.getLogger(__name__)

Seen = Literal["nothing", "several", "hold", "taken", "next", "done"]
"""What was made of a picture: no card, more than one, hold it still, it was taken, show another, all done."""
STILL_LOOKS = 3
"""So many looks in a row must show the card in one place."""
_STILL_SHARE = 0.03
"""Of the card's height: how far its corners may move between two looks."""
_LOOK_EVERY_S = 0.15


class Finder(Protocol):
    """Finds the one card; returns the quads of all face-up cards in a picture."""

    def __call__(self, image: Image) -> Sequence[Quad]:
        """Return the quads of the face-up cards."""
        ...


Learner = Callable[[Image, Quad, str], Deck]
"""Makes examples of one card that is shown."""


class Enrolment:
    """Goes through the pack: takes the card that is wanted once it is held still, then wants the next."""

    def __init__(self, name: str, finder: Finder, learner: Learner, cards: Sequence[str] = CARDS) -> None:
        """Begin with nothing taken.

        Args:
            name: Of the deck.
            finder: Finds the cards in a picture.
            learner: Makes examples of a card.
            cards: The cards to be shown, in this order.

        Raises:
            BadInputError: `name` is no plain word.
        """
        deck_path(name)
        self.name, self._find, self._learn, self._cards = name, finder, learner, tuple(cards)
        self.taken: dict[str, Deck] = {}
        self._skipped: set[str] = set()
        self._looks: list[Quad] = []
        self._gone = True
        """Whether the card that was taken last has been put away."""

    @property
    def wanted(self) -> str | None:
        """The card to show now; None once all were shown or passed over."""
        left = (card for card in self._cards if card not in self.taken and card not in self._skipped)
        return next(left, None)

    @property
    def missing(self) -> tuple[str, ...]:
        """The cards that are not enrolled, passed-over ones included."""
        return tuple(card for card in self._cards if card not in self.taken)

    def skip(self) -> None:
        """Pass over the wanted card; when all others are done it is wanted again."""
        if self.wanted is not None:
            self._skipped.add(self.wanted)
        if self.wanted is None and self.missing and len(self._skipped) < len(self._cards):
            self._skipped.clear()
        self._looks = []

    def look(self, image: Image) -> Seen:
        """Look at a picture; takes the wanted card when it has been held still for long enough."""
        card = self.wanted
        if card is None:
            return "done"
        quads = self._find(image)
        if len(quads) != 1:
            self._looks, self._gone = [], self._gone or not quads
            return "several" if quads else "nothing"
        quad = quads[0]
        if self._looks and not _close(self._looks[-1], quad):
            self._looks, self._gone = [], True
        self._looks.append(quad)
        if not self._gone:
            return "next"
        if len(self._looks) < STILL_LOOKS:
            return "hold"
        self.taken[card] = self._learn(image, quad, card)
        self._looks, self._gone = [quad], False
        return "taken"

    def deck(self) -> Deck:
        """Return the deck of the cards that were taken.

        Raises:
            BadInputError: there are fewer than two.
        """
        parts = list(self.taken.values())
        if len(parts) < 2:
            raise BadInputError(f"deck {self.name}: at least two different cards are needed")
        cards = tuple(card for part in parts for card in part.cards)
        deck = Deck(self.name, parts[0].weights, cards, np.concatenate([part.features for part in parts]))
        DeckHead(deck)  # says what is wrong, if anything is
        return deck


def _close(first: Quad, second: Quad) -> bool:
    height = float(np.linalg.norm(first[0] - first[3])) or 1.0
    return float(np.abs(first - second).max()) < _STILL_SHARE * height


@dataclass(frozen=True, slots=True)
class Progress:
    """What the screen shows of an enrolment."""

    seen: Seen = "nothing"
    wanted: str | None = None
    taken: int = 0
    missing: tuple[str, ...] = ()
    error: str = ""


class EnrolSession:
    """Looks at a source in the background until it is stopped; the deck is saved when asked for."""

    def __init__(
        self, open_source: Callable[[], FrameSource], open_enrolment: Callable[[], Enrolment]
    ) -> None:
        """Nothing is opened before `start()`."""
        self.picture: Picture | None = None
        self.progress = Progress()
        self._open_source, self._open_enrolment = open_source, open_enrolment
        self._enrolment: Enrolment | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="enrolment", daemon=True)

    def start(self) -> None:
        """Begin, in the background."""
        self._thread.start()

    def skip(self) -> None:
        """Pass over the wanted card."""
        with self._lock:
            if self._enrolment is not None:
                self._enrolment.skip()
                self._tell(self._enrolment, self.progress.seen)

    def stop(self) -> None:
        """Let go of the source."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def save(self) -> int:
        """Stop, and save what was taken; returns how many cards.

        Raises:
            BadInputError: fewer than two cards were taken.
        """
        self.stop()
        if self._enrolment is None:
            raise BadInputError("nothing was enrolled")
        save_deck(self._enrolment.deck())
        return len(self._enrolment.taken)

    def _work(self) -> None:
        source = None
        try:
            source = self._open_source()
            self._enrolment = enrolment = self._open_enrolment()
            self._tell(enrolment, "nothing")
            looked, serial = 0.0, 0
            for t, frame in source:
                if self._stopping.is_set():
                    return
                serial += 1
                self.picture = picture_of(frame, t, serial)
                if time.monotonic() - looked < _LOOK_EVERY_S and source.live:
                    continue
                looked = time.monotonic()
                with self._lock:
                    self._tell(enrolment, enrolment.look(frame))
        except BadInputError as error:
            self.progress = replace(self.progress, error=str(error))
        except Exception as error:
            # A mistake of ours must not leave a screen that silently stands still.
            _log.exception("the enrolment's thread has ended")
            self.progress = replace(self.progress, error=f"{type(error).__name__}: {error}")
        finally:
            if source is not None:
                source.close()

    def _tell(self, enrolment: Enrolment, seen: Seen) -> None:
        self.progress = Progress(seen, enrolment.wanted, len(enrolment.taken), enrolment.missing)


def with_networks(name: str) -> Enrolment:
    """Return an enrolment that looks with the networks that ship with the program.

    Raises:
        BadInputError: the weights are missing, or `name` is no plain word.
    """
    from vision.enrolment import enrol
    from vision.faces import FaceReader
    from vision.outlines import OutlineFinder

    outlines, reader = OutlineFinder(), FaceReader()

    def find(image: Image) -> Sequence[Quad]:
        return [outline.quad for outline in outlines.find(image) if outline.face == "up"]

    def learn(image: Image, quad: Quad, card: str) -> Deck:
        return enrol(name, [(image, quad, card)], reader)

    return Enrolment(name, find, learn)
