"""A look through a camera before the game: its frames, the cards in them, and whether they are good enough.

Frames stay in memory. One thread reads the source, and another looks for cards about once a second, so that
the picture runs smoothly.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.game.display_image import DisplayImage, to_display_image
from companion.i18n.catalogue import _, gettext_noop, ngettext
from companion.i18n.messages import error_text, failure_text, translate
from engine.errors import BadInputError
from vision.capture.picture_quality import Fault, sight_faults
from vision.capture.sources import FrameSource
from vision.types import CardReader, CardReading, Image

_log = logging.getLogger(__name__)
_LOOK_EVERY_S = 1.0
FAULT_TEXTS: dict[Fault, str] = {
    "nothing": gettext_noop("No card is in view. Lay one face up at each seat."),
    "dark": gettext_noop("Too dark: the table needs more light."),
    "glare": gettext_noop("Glare: a lamp is reflected. Move the lamp or the camera."),
    "cut": gettext_noop("The table is cut off: a card touches the border. Raise the camera."),
    "far": gettext_noop("Too far: the cards are too small. Move the camera closer."),
}


@dataclass(frozen=True, slots=True)
class SightCheck:
    """The findings in one frame."""

    readings: tuple[CardReading, ...] = ()
    faults: tuple[Fault, ...] = ()


RELEASE_TIMEOUT_S = 10.0
"""Longest wait until a preview has released its source."""


class Preview:
    """Looks through a source until it is stopped. It takes only the first frame of a film."""

    def __init__(self, open_source: Callable[[], FrameSource], open_reader: Callable[[], CardReader]) -> None:
        """Open nothing before `start()`."""
        self.picture: DisplayImage | None = None
        self.sight: SightCheck | None = None
        """None until a frame has been checked."""
        self.error = ""
        """Why there is no picture."""
        self._lost = False
        self._source: FrameSource | None = None
        self._letting_go = threading.Lock()
        self._open_source, self._open_reader = open_source, open_reader
        self._frame: Image | None = None
        self._after: Preview | None = None
        self._arrived, self._stopping = threading.Event(), threading.Event()
        self._threads = [
            threading.Thread(target=work, name="preview", daemon=True) for work in (self._pump, self._look)
        ]

    def start(self, after: Preview | None = None) -> None:
        """Start in the background, once the preview `after` has released its source, or after a timeout."""
        self._after = after
        for thread in self._threads:
            thread.start()

    def stop(self, wait: float = 0.0) -> None:
        """Release the source. Wait at most `wait` seconds for that."""
        self._stopping.set()
        self._arrived.set()
        source = self._source
        if source is not None and source.live:
            # A silent camera would block for ever, and closing it may take a while.
            threading.Thread(target=self._let_go, name="preview", daemon=True).start()
        if wait and self._threads[0].is_alive():
            self._threads[0].join(wait)

    def _let_go(self) -> None:
        with self._letting_go:
            source, self._source = self._source, None
            if source is not None:
                source.close()

    def _told(self, line: str) -> None:
        """Show the live source's own message until its next frame."""
        self.error, self._lost = translate(line), True

    def _pump(self) -> None:
        try:
            if self._after is not None:
                self._after.stop(wait=RELEASE_TIMEOUT_S)
                self._after = None
            source = self._source = self._open_source()
            source.tell = self._told
            if self._stopping.is_set():
                return
            for serial, (t, frame) in enumerate(source, start=1):
                if self._stopping.is_set():
                    return
                self.picture, self._frame = to_display_image(frame, t, serial), frame
                self._arrived.set()
                if self._lost:
                    self.error, self._lost = "", False
                if not source.live:
                    return
        except BadInputError as error:
            self.error = error_text(error)
        except Exception as error:
            # A bug must not leave a screen that silently stands still.
            _log.exception("the preview has ended")
            self.error = failure_text(error)
        finally:
            self._let_go()

    def _look(self) -> None:
        try:
            self._arrived.wait()
            reader = self._open_reader() if not self._stopping.is_set() else None
            while reader is not None and not self._stopping.wait(_LOOK_EVERY_S if self.sight else 0.0):
                frame, self._frame = self._frame, None
                if frame is not None:
                    readings = tuple(reader.read(frame))
                    self.sight = SightCheck(readings, sight_faults(frame, readings))
        except BadInputError as error:
            self.error = error_text(error)
        except Exception as error:
            _log.exception("the sight check has ended")
            self.error = failure_text(error)


def open_preview(source: str, deck: str | None = None) -> Preview:
    """Return the preview of a source, with the deck that the game will use."""
    from companion.game.starting import open_game_source
    from vision.recognition.reader import reader_for_deck

    return Preview(lambda: open_game_source(source), lambda: reader_for_deck(deck))


def sight_lines(sight: SightCheck | None) -> Sequence[str]:
    """Return lines about a frame for the user, each with its sign."""
    if sight is None:
        return (_("Looking for cards …"),)
    lines = [f"✗ {_(FAULT_TEXTS[fault])}" for fault in sight.faults]
    if sight.readings:
        seen = ngettext("{n} card in view", "{n} cards in view", len(sight.readings))
        up = [reading for reading in sight.readings if reading.face == "up"]
        named = _("{n} of {all} face-up cards recognised").format(
            n=sum(reading.card is not None for reading in up), all=len(up)
        )
        good = _("The picture is good.") + " " if not sight.faults else ""
        lines.append(f"{'' if sight.faults else '✓ '}{good}{seen}, {named}.")
    return lines
