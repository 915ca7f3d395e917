"""Enrolling a deck: the cards are shown to a camera, or in a film, one at a time and in any order.

The terminal (`shithead deck enrol`) and the window do the same: both follow a source with `PackWatch` and
learn with `learn`. In the window it runs in the background (`EnrolSession`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from companion.game.display_image import Picture, picture_of
from companion.i18n.messages import error_words, failure_words, words
from engine.errors import BadInputError
from engine.messages import message
from vision.capture.sources import FrameSource
from vision.decks.deck import DECK_CARDS, Deck
from vision.decks.deck_files import deck_path, save_deck
from vision.decks.deck_head import DeckHead
from vision.enrolment.session import LOOK_SECONDS, SURE_P, EnrolmentSession, LookResult, UnidentifiedCard
from vision.types import Image

_log = logging.getLogger(__name__)
PACK = 52
Phase = Literal["opening", "showing", "learning", "saved"]
Counted = Callable[[int, int], None]
"""Told how many pictures are done, and of how many."""
Learn = Callable[[EnrolmentSession, Counted], tuple[Deck, tuple[UnidentifiedCard, ...]]]


class PackWatch:
    """Looks at a source often enough for cards that are shown to it, until it ends or all are told."""

    def __init__(self, source: FrameSource, show: EnrolmentSession) -> None:
        """`show` keeps what was seen."""
        self._source, self._show = source, show
        self.idle_s = 0.0
        """For how long nothing new has been shown, seconds of the source."""

    def __iter__(self) -> Iterator[tuple[float, Image, LookResult | None]]:
        """Yield time, picture, and what was made of it; None of a picture that was not looked at.

        Raises:
            BadInputError: the source broke off.
        """
        looked = taken = float("-inf")
        for t, frame in self._source:
            seen: LookResult | None = None
            if t - looked >= LOOK_SECONDS:
                looked = t
                seen = self._show.look(frame, t)
                taken = t if seen == "taken" or taken < 0 else taken
            self.idle_s = t - taken
            yield t, frame, seen
            # A film may go on to show the jokers and the back; nobody is to wait for a camera.
            if self._source.live and seen in ("taken", "seen") and not self._show.missing():
                return


def learn(name: str, faces: Any) -> Learn:
    """Return what makes the deck `name` of cards that were shown; `faces` is a `FaceReader`.

    Raises:
        BadInputError: `name` is no plain word. What it returns raises it where too few cards were told.
    """
    from vision.enrolment.session import build_deck

    deck_path(name)

    def make(show: EnrolmentSession, counted: Counted) -> tuple[Deck, tuple[UnidentifiedCard, ...]]:
        settled = show.result()
        told = {card for card, _showing in settled.cards}
        if len(told) < 2:
            raise BadInputError("{count} cards were told; show each alone, held still", count=len(told))
        deck = build_deck(name, settled, faces, show.backs, counted)
        DeckHead(deck)  # says what is wrong, if anything is
        return deck, settled.unidentified

    return make


def with_networks(name: str) -> tuple[EnrolmentSession, Learn]:
    """Return what watches and what learns, with the networks that ship with the program.

    Raises:
        BadInputError: the weights are missing, or `name` is no plain word.
    """
    from vision.recognition.classifier import CardClassifier
    from vision.recognition.detector import CardDetector

    deck_path(name)
    faces = CardClassifier()
    return EnrolmentSession(CardDetector(), faces), learn(name, faces)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a screen shows of an enrolment."""

    phase: Phase = "opening"
    seen: LookResult = "nothing"
    last: str | None = None
    """The card that was taken last, if it is sure already."""
    shown: int = 0
    """How many cards were taken, told or not."""
    missing: tuple[str, ...] = ()
    """The cards of the 52 that are not sure yet."""
    learnt: tuple[int, int] = (0, 0)
    """Pictures done, and of how many."""
    enrolled: int = 0
    """Cards in the deck that was saved."""
    doubts: int = 0
    """Cards that were shown and could not be told."""
    lost: str = ""
    """What the camera says of itself while no picture comes."""
    error: str = ""


class EnrolSession:
    """Watches a source in the background; saves the deck once all cards are told, or when asked to."""

    def __init__(
        self, open_source: Callable[[], FrameSource], open_show: Callable[[], tuple[EnrolmentSession, Learn]]
    ) -> None:
        """Nothing is opened before `start()`."""
        self.picture: Picture | None = None
        self.progress = Progress()
        self._open_source, self._open_show = open_source, open_show
        self._source: FrameSource | None = None
        self._stopping, self._enough = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="enrolment", daemon=True)

    def start(self) -> None:
        """Begin, in the background."""
        self._thread.start()

    def save(self) -> None:
        """Look no further: learn what was shown, and save it; `progress` says how that goes."""
        self._enough.set()
        self._let_go()

    def stop(self) -> None:
        """Let go of the source; what was shown is forgotten unless it is being learnt already."""
        self._stopping.set()
        self._let_go()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _let_go(self) -> None:
        """End the pictures of a camera: one that has fallen silent is waited for without end."""
        source = self._source
        if source is not None and source.live:  # to close it may take a while
            threading.Thread(target=source.close, name="enrolment", daemon=True).start()

    def _work(self) -> None:
        try:
            source = self._source = self._open_source()
            source.on_status = lambda line: self._tell(lost=words(line))
            try:
                show, make = self._open_show()
                self._tell(phase="showing", missing=show.missing())
                self._watch(source, show)
            finally:
                source.close()
            if not self._stopping.is_set():
                self._learn(show, make)
        except BadInputError as error:
            self._tell(error=error_words(error))
        except OSError as error:
            self._tell(error=words(message("the deck cannot be saved: {reason}", reason=error_words(error))))
        except Exception as error:
            # A mistake of ours must not leave a screen that silently stands still.
            _log.exception("the enrolment's thread has ended")
            self._tell(error=failure_words(error))

    def _watch(self, source: FrameSource, show: EnrolmentSession) -> None:
        for serial, (t, frame, seen) in enumerate(PackWatch(source, show), start=1):
            self.picture = picture_of(frame, t, serial)
            if self.progress.lost:
                self._tell(lost="")
            if seen == "taken" or (seen == "seen" and len(show.shown_cards) != self.progress.shown):
                missing = show.missing()
                self._tell(seen=seen, last=_last_told(show), shown=len(show.shown_cards), missing=missing)
            elif seen is not None:
                self._tell(seen=seen)
            if self._stopping.is_set() or self._enough.is_set():
                return

    def _learn(self, show: EnrolmentSession, make: Learn) -> None:
        self._tell(phase="learning", missing=show.missing())
        deck, doubts = make(show, lambda done, count: self._tell(learnt=(done + 1, count)))
        save_deck(deck)
        self._tell(phase="saved", enrolled=len(set(deck.cards)), doubts=len(doubts))

    def _tell(self, **changes: Any) -> None:
        self.progress = replace(self.progress, **changes)


def _last_told(show: EnrolmentSession) -> str | None:
    """Return the card shown last, if a first look is sure of it."""
    opinion = show.shown_cards[-1].log_probabilities()
    return DECK_CARDS[int(opinion.argmax())] if float(np.exp(opinion.max())) >= SURE_P else None
