"""Enrolling a deck: the cards are shown to a camera, or in a film, one at a time and in any order.

The terminal (`shithead deck enrol`) and the window do the same: both follow a source with `PackScanner` and
learn with `learn`. In the window it runs in the background (`EnrolmentSession`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from companion.game.display_image import DisplayImage, to_display_image
from companion.i18n.messages import error_text, failure_text, translate
from engine.errors import BadInputError
from engine.messages import message
from vision.capture.sources import FrameSource
from vision.decks.deck import KNOWN, Deck, DeckHead, deck_path, save_deck
from vision.enrolment.showing import LOOK_SECONDS, SURE, Doubt, PackShow, Seen
from vision.types import Image

_log = logging.getLogger(__name__)
PACK_SIZE = 52
Phase = Literal["opening", "showing", "learning", "saved"]
ProgressCallback = Callable[[int, int], None]
"""Told how many pictures are done, and of how many."""
DeckBuilder = Callable[[PackShow, ProgressCallback], tuple[Deck, tuple[Doubt, ...]]]


class PackScanner:
    """Looks at a source often enough for cards that are shown to it, until it ends or all are told."""

    def __init__(self, source: FrameSource, show: PackShow) -> None:
        """`show` keeps what was seen."""
        self._source, self._show = source, show
        self.idle_s = 0.0
        """For how long nothing new has been shown, seconds of the source."""

    def __iter__(self) -> Iterator[tuple[float, Image, Seen | None]]:
        """Yield time, picture, and what was made of it; None of a picture that was not looked at.

        Raises:
            BadInputError: the source broke off.
        """
        looked = taken = float("-inf")
        for t, frame in self._source:
            seen: Seen | None = None
            if t - looked >= LOOK_SECONDS:
                looked = t
                seen = self._show.look(frame, t)
                taken = t if seen == "taken" or taken < 0 else taken
            self.idle_s = t - taken
            yield t, frame, seen
            # A film may go on to show the jokers and the back; nobody is to wait for a camera.
            if self._source.live and seen in ("taken", "seen") and not self._show.missing():
                return


def deck_builder(name: str, faces: Any) -> DeckBuilder:
    """Return what makes the deck `name` of cards that were shown; `faces` is a `FaceReader`.

    Raises:
        BadInputError: `name` is no plain word. What it returns raises it where too few cards were told.
    """
    from vision.enrolment.showing import deck_of

    deck_path(name)

    def make(show: PackShow, counted: ProgressCallback) -> tuple[Deck, tuple[Doubt, ...]]:
        settled = show.settled()
        told = {card for card, _showing in settled.cards}
        if len(told) < 2:
            raise BadInputError("{count} cards were told; show each alone, held still", count=len(told))
        deck = deck_of(name, settled, faces, show.backs, counted)
        DeckHead(deck)  # says what is wrong, if anything is
        return deck, settled.doubts

    return make


def open_enrolment(name: str) -> tuple[PackShow, DeckBuilder]:
    """Return what watches and what learns, with the networks that ship with the program.

    Raises:
        BadInputError: the weights are missing, or `name` is no plain word.
    """
    from vision.recognition.classifier import FaceReader
    from vision.recognition.detector import OutlineFinder

    deck_path(name)
    faces = FaceReader()
    return PackShow(OutlineFinder(), faces), deck_builder(name, faces)


@dataclass(frozen=True, slots=True)
class EnrolmentProgress:
    """What a screen shows of an enrolment."""

    phase: Phase = "opening"
    seen: Seen = "nothing"
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


class EnrolmentSession:
    """Watches a source in the background; saves the deck once all cards are told, or when asked to."""

    def __init__(
        self, open_source: Callable[[], FrameSource], open_show: Callable[[], tuple[PackShow, DeckBuilder]]
    ) -> None:
        """Nothing is opened before `start()`."""
        self.picture: DisplayImage | None = None
        self.progress = EnrolmentProgress()
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
            source.tell = lambda line: self._tell(lost=translate(line))
            try:
                show, make = self._open_show()
                self._tell(phase="showing", missing=show.missing())
                self._watch(source, show)
            finally:
                source.close()
            if not self._stopping.is_set():
                self._learn(show, make)
        except BadInputError as error:
            self._tell(error=error_text(error))
        except OSError as error:
            self._tell(
                error=translate(message("the deck cannot be saved: {reason}", reason=error_text(error)))
            )
        except Exception as error:
            # A mistake of ours must not leave a screen that silently stands still.
            _log.exception("the enrolment's thread has ended")
            self._tell(error=failure_text(error))

    def _watch(self, source: FrameSource, show: PackShow) -> None:
        for serial, (t, frame, seen) in enumerate(PackScanner(source, show), start=1):
            self.picture = to_display_image(frame, t, serial)
            if self.progress.lost:
                self._tell(lost="")
            if seen == "taken" or (seen == "seen" and len(show.showings) != self.progress.shown):
                missing = show.missing()
                self._tell(seen=seen, last=_last_told(show), shown=len(show.showings), missing=missing)
            elif seen is not None:
                self._tell(seen=seen)
            if self._stopping.is_set() or self._enough.is_set():
                return

    def _learn(self, show: PackShow, make: DeckBuilder) -> None:
        self._tell(phase="learning", missing=show.missing())
        deck, doubts = make(show, lambda done, count: self._tell(learnt=(done + 1, count)))
        save_deck(deck)
        self._tell(phase="saved", enrolled=len(set(deck.cards)), doubts=len(doubts))

    def _tell(self, **changes: Any) -> None:
        self.progress = replace(self.progress, **changes)


def _last_told(show: PackShow) -> str | None:
    """Return the card shown last, if a first look is sure of it."""
    opinion = show.showings[-1].opinion()
    return KNOWN[int(opinion.argmax())] if float(np.exp(opinion.max())) >= SURE else None
