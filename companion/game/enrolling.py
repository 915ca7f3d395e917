"""Enrol a deck: the cards are shown to a camera or in a film, one at a time, in any order.

`shithead deck enrol` and the window both scan a source with `PackScanner` and build the deck with
`deck_builder`. The window does so in the background, with `EnrolmentSession`.
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
from vision.decks.deck import DECK_CARDS, Deck
from vision.decks.deck_files import deck_path, save_deck
from vision.decks.deck_head import DeckHead
from vision.enrolment.deck_scan import LOOK_SECONDS, SURE_P, DeckScan, LookResult, UnidentifiedCard
from vision.types import Image

_log = logging.getLogger(__name__)
PACK_SIZE = 52
Phase = Literal["opening", "showing", "learning", "saved"]
ProgressCallback = Callable[[int, int], None]
"""Called with the number of frames that are done, and their total."""
DeckBuilder = Callable[[DeckScan, ProgressCallback], tuple[Deck, tuple[UnidentifiedCard, ...]]]


class PackScanner:
    """Looks for shown cards in a source, until the source ends or every card has been recognised."""

    def __init__(self, source: FrameSource, scan: DeckScan) -> None:
        """`scan` collects the cards that were seen."""
        self._source, self._scan = source, scan
        self.idle_s = 0.0
        """Seconds of the source since a new card was shown."""

    def __iter__(self) -> Iterator[tuple[float, Image, LookResult | None]]:
        """Yield time, frame and finding; the finding is None for a frame that was skipped.

        Raises:
            BadInputError: the source failed.
        """
        looked = taken = float("-inf")
        for t, frame in self._source:
            seen: LookResult | None = None
            if t - looked >= LOOK_SECONDS:
                looked = t
                seen = self._scan.look(frame, t)
                taken = t if seen == "taken" or taken < 0 else taken
            self.idle_s = t - taken
            yield t, frame, seen
            # A film may go on to show jokers and the back. In front of a camera, nobody should have to wait.
            if self._source.live and seen in ("taken", "seen") and not self._scan.missing():
                return


def deck_builder(name: str, faces: Any) -> DeckBuilder:
    """Return a function that builds the deck `name` from shown cards. `faces` names whole cards.

    Raises:
        BadInputError: `name` is not a plain word. The function raises it if too few cards were recognised.
    """
    from vision.enrolment.deck_scan import build_deck

    deck_path(name)

    def make(scan: DeckScan, counted: ProgressCallback) -> tuple[Deck, tuple[UnidentifiedCard, ...]]:
        settled = scan.result()
        recognised = {card for card, _showing in settled.cards}
        if len(recognised) < 2:
            raise BadInputError(
                "{count} cards were recognised; show each card alone, and hold it still",
                count=len(recognised),
            )
        deck = build_deck(name, settled, faces, scan.backs, counted)
        DeckHead(deck)  # raises an error if the deck is unusable
        return deck, settled.unidentified

    return make


def open_enrolment(name: str) -> tuple[DeckScan, DeckBuilder]:
    """Return what scans and builds a deck, with the networks that ship with the program.

    Raises:
        BadInputError: the weights are missing, or `name` is not a plain word.
    """
    from vision.recognition.classifier import CardClassifier
    from vision.recognition.detector import CardDetector

    deck_path(name)
    faces = CardClassifier()
    return DeckScan(CardDetector(), faces), deck_builder(name, faces)


@dataclass(frozen=True, slots=True)
class EnrolmentProgress:
    """The state of an enrolment, as a screen shows it."""

    phase: Phase = "opening"
    seen: LookResult = "nothing"
    last: str | None = None
    """The newest card, if it is already certain."""
    shown: int = 0
    """Number of cards shown, recognised or not."""
    missing: tuple[str, ...] = ()
    """The cards of the 52 that are not certain yet."""
    learnt: tuple[int, int] = (0, 0)
    """Frames that are done, and their total."""
    enrolled: int = 0
    """Number of cards in the saved deck."""
    doubts: int = 0
    """Number of shown cards that were not recognised."""
    lost: str = ""
    """The camera's own message while no frame comes."""
    error: str = ""


class EnrolmentSession:
    """Scans a source in the background. Saves the deck once every card is recognised, or on request."""

    def __init__(
        self,
        open_source: Callable[[], FrameSource],
        open_scan: Callable[[], tuple[DeckScan, DeckBuilder]],
    ) -> None:
        """Open nothing before `start()`."""
        self.picture: DisplayImage | None = None
        self.progress = EnrolmentProgress()
        self._open_source, self._open_scan = open_source, open_scan
        self._source: FrameSource | None = None
        self._stopping, self._enough = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="enrolment", daemon=True)

    def start(self) -> None:
        """Start in the background."""
        self._thread.start()

    def save(self) -> None:
        """Stop scanning, build the deck from the cards shown so far, and save it; `progress` reports."""
        self._enough.set()
        self._let_go()

    def stop(self) -> None:
        """Release the source. Cards shown so far are dropped, unless the deck is already being built."""
        self._stopping.set()
        self._let_go()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _let_go(self) -> None:
        """End the frames of a camera: a silent one would block for ever."""
        source = self._source
        if source is not None and source.live:  # closing it may take a while
            threading.Thread(target=source.close, name="enrolment", daemon=True).start()

    def _work(self) -> None:
        try:
            source = self._source = self._open_source()
            source.on_status = lambda line: self._tell(lost=translate(line))
            try:
                scan, make = self._open_scan()
                self._tell(phase="showing", missing=scan.missing())
                self._watch(source, scan)
            finally:
                source.close()
            if not self._stopping.is_set():
                self._learn(scan, make)
        except BadInputError as error:
            self._tell(error=error_text(error))
        except OSError as error:
            self._tell(
                error=translate(message("the deck cannot be saved: {reason}", reason=error_text(error)))
            )
        except Exception as error:
            # A bug must not leave a screen that silently stands still.
            _log.exception("the enrolment's thread has ended")
            self._tell(error=failure_text(error))

    def _watch(self, source: FrameSource, scan: DeckScan) -> None:
        for serial, (t, frame, seen) in enumerate(PackScanner(source, scan), start=1):
            self.picture = to_display_image(frame, t, serial)
            if self.progress.lost:
                self._tell(lost="")
            if seen == "taken" or (seen == "seen" and len(scan.shown_cards) != self.progress.shown):
                missing = scan.missing()
                self._tell(
                    seen=seen, last=_last_recognised(scan), shown=len(scan.shown_cards), missing=missing
                )
            elif seen is not None:
                self._tell(seen=seen)
            if self._stopping.is_set() or self._enough.is_set():
                return

    def _learn(self, scan: DeckScan, make: DeckBuilder) -> None:
        self._tell(phase="learning", missing=scan.missing())
        deck, doubts = make(scan, lambda done, count: self._tell(learnt=(done + 1, count)))
        save_deck(deck)
        self._tell(phase="saved", enrolled=len(set(deck.cards)), doubts=len(doubts))

    def _tell(self, **changes: Any) -> None:
        self.progress = replace(self.progress, **changes)


def _last_recognised(scan: DeckScan) -> str | None:
    """Return the card shown last, if the first look is certain of it."""
    opinion = scan.shown_cards[-1].log_probabilities()
    return DECK_CARDS[int(opinion.argmax())] if float(np.exp(opinion.max())) >= SURE_P else None
