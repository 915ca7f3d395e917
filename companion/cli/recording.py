"""What `shithead watch` leaves behind: the lines of its games, and the annotated film."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.files.incomplete import noted_file
from companion.game.event_log import Line
from companion.game.recorder import changes_between
from companion.game.series import Games, NextDeal
from companion.i18n.wording import event_words
from engine.errors import BadInputError
from engine.events import Event
from engine.messages import printable
from vision.capture.opencv import is_whole
from vision.capture.video_writer import begin_film
from vision.file_names import opencv_name
from vision.following.events import EventMaker
from vision.following.look_log import LookLog
from vision.table.drawing import draw_table
from vision.table.layout import Layout
from vision.table.view import TableView
from vision.types import Image

if TYPE_CHECKING:
    from companion.cli.event_writer import EventWriter
    from companion.game.recorder import GameKeeper
    from companion.game.refereeing import Refereeing

FILM_WIDTH = 1280
_BANNER_SECONDS = 6.0
_LONGEST_STILL_S = 60.0
"""A picture stands no longer than this in the annotated film, whatever the source's clock says."""


class Recorded(Games):
    """Games that write down their lines, and their pictures, as they come."""

    def __init__(
        self,
        game: Refereeing,
        events: EventWriter,
        film: FilmWriter | None,
        keeper: GameKeeper | None = None,
        following: NextDeal | None = None,
        log: LogWriter | None = None,
    ) -> None:
        """`following` looks for the next game in the same source; None: there is none to come."""
        super().__init__(game, following)
        self._events, self._film, self._keeper, self._log = events, film, keeper, log

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        """Take one picture; the lines decided by it are written and returned."""
        played = self.choice
        lines = super().feed(frame, t)
        if self.choice is not None and self.choice is not played:
            self._events.next_game()
            if self._keeper is not None:
                self._keeper.next_game(self.choice)
        self._write(lines)
        if self._film is not None:
            self._film.tell(lines, t)
            self._film.write(frame, t, self.view)
        return lines

    def finish(self, t: float) -> list[dict[str, Any]]:
        """Take the end of the source."""
        lines = super().finish(t)
        self._write(lines)
        return lines

    def enter(self, event: Event) -> list[dict[str, Any]]:
        """Take in an event that a person reports; what it changes is written."""
        with self._changes_written():
            return super().enter(event)

    def undo(self) -> Line | None:
        """Take back the last event; what that changes is written."""
        with self._changes_written():
            line = super().undo()
            if line is not None and self._keeper is not None:
                self._keeper.correct(int(line["id"]), None)
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put another event in place of an earlier one, or None: it never happened; written likewise."""
        with self._changes_written():
            super().correct(event_id, event)
            if self._keeper is not None:
                self._keeper.correct(event_id, None if event is None else event.to_json())

    @contextmanager
    def _changes_written(self) -> Iterator[None]:
        before = list(self.lines)
        yield
        self._write(changes_between(before, self.lines))

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        # On the disk before anybody sees it: what was shown is never lost.
        if self._keeper is not None:
            self._keeper.write(lines, self)
        self._events.write(lines)

    def close(self) -> None:
        """Close what is being written."""
        with ExitStack() as closing:  # each is closed, whatever becomes of the others
            for part in (self._keeper, self._film, self._log, self._events):
                if part is not None:
                    closing.callback(part.close)


class FilmWriter:
    """Writes the annotated film, at most `FILM_WIDTH` pixels wide.

    It runs as fast as its source did, whatever rate that source claims and however often a picture came. It
    stands under its name once it is whole.
    """

    def __init__(self, path: Path, fps: float) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        opencv_name(path)
        self._path, self._fps = path, fps
        self._writer: cv2.VideoWriter | None = None
        self._part, self._file = path, ExitStack()
        self._size = (0, 0)
        self._began: float | None = None
        self._written = self._stored = 0
        self._banner, self._until = "", 0.0

    def tell(self, lines: Sequence[Mapping[str, Any]], t: float) -> None:
        """Show the newest of these lines on the pictures that follow."""
        if lines:
            self._banner, self._until = in_words(lines[-1]), t + _BANNER_SECONDS

    def write(self, frame: Image, t: float, view: TableView) -> None:
        """Draw and write one picture.

        Raises:
            BadInputError: the film cannot be written.
        """
        self._began = t if self._began is None else self._began
        # So many pictures are due by now: a slow source's are written more than once, a fast one's left out.
        due = round((t - self._began) * self._fps) + 1 - self._written
        if due < 1:
            return
        drawn = draw_table(
            frame, view.readings, view.layout, view.pile, self._banner if t < self._until else ""
        )
        if self._writer is None:
            self._writer = self._opened(drawn)
        if drawn.shape[1::-1] != self._size:
            drawn = np.asarray(cv2.resize(drawn, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        for _ in range(min(due, round(_LONGEST_STILL_S * self._fps))):
            self._writer.write(drawn)
            self._stored += 1
        self._written += due

    def _opened(self, drawn: Image) -> cv2.VideoWriter:
        height, width = drawn.shape[:2]
        if width > FILM_WIDTH:
            height, width = round(height * FILM_WIDTH / width) // 2 * 2, FILM_WIDTH
        self._size = (width, height)
        with ExitStack() as opening:
            self._part = opening.enter_context(noted_file(self._path))
            writer = begin_film(self._part, self._path, self._fps, (width, height))
            self._file = opening.pop_all()
        return writer

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: it is not whole: nothing else tells that the disk was full.
        """
        if self._writer is None:
            return
        with self._file:
            self._writer.release()
            self._writer = None
            if not is_whole(self._part, self._stored):
                raise BadInputError(f"{self._path}: could not be written whole (is the disk full?)")


class LogWriter:
    """Writes the log of looks from the first deal on. It stands under its name once it is whole."""

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        self._path = path
        self._log: LookLog | None = None
        self._file = ExitStack()

    def event_maker(
        self,
        layout: Layout,
        up: Sequence[Sequence[str | None]],
        t: float,
        now: float,
        confidence: float = 1.0,
        *,
        packs: int = 1,
    ) -> EventMaker:
        """Return the event logic of a game, which is written down (see `vision.following.look_log`)."""
        return self._opened().event_maker(layout, up, t, now, confidence, packs=packs)

    def _opened(self) -> LookLog:
        if self._log is None:
            with ExitStack() as opening:
                part = opening.enter_context(noted_file(self._path))
                self._log = LookLog(opening.enter_context(part.open("wb")))
                self._file = opening.pop_all()
        return self._log

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: it is not whole.
        """
        log = self._opened()
        with self._file:
            try:
                log.close()
            except OSError as error:
                reason = error.strerror or error
                raise BadInputError(f"{self._path}: could not be written whole ({reason})") from None


def in_words(line: Mapping[str, Any]) -> str:
    """Return an event line with its ruling as people say it: `0:41 Ann plays 9S. Illegal: ...`."""
    t = float(line.get("t") or 0.0)
    words = f"{int(t) // 60}:{int(t) % 60:02d}  "
    if line.get("withdrawn"):
        return printable(f"{words}{event_words(line)}: taken back")
    words += ("corrected: " if line.get("revise") else "") + event_words(line)
    ruling = line.get("ruling")
    if not isinstance(ruling, Mapping):
        return printable(words)
    words += f" - {str(ruling.get('verdict', '')).upper()}"
    for breach in ruling.get("breaches") or ():
        words += f' ({breach.get("says")} {breach.get("cite")}: "{breach.get("quote")}")'
    return printable(words)
