"""The output of `shithead watch`: the lines of its games, and the annotated film."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.cli.event_writer import EventWriter, line_text
from companion.files.incomplete import tracked_file
from companion.game.event_log import EventLine
from companion.game.recorder import changes_between
from companion.game.series import GameSeries, NextGameFinder
from engine.errors import BadInputError
from engine.events import Event
from vision.capture.opencv import is_complete_film
from vision.capture.video_writer import open_film_writer
from vision.following.events import EventMaker
from vision.following.look_log import LookLog
from vision.opencv_support import opencv_path
from vision.table.drawing import draw_table
from vision.table.layout import Layout
from vision.table.view import TableView
from vision.types import Image

if TYPE_CHECKING:
    from companion.game.recorder import GameRecorder
    from companion.game.refereeing import WatchedGame

FILM_WIDTH = 1280
_BANNER_SECONDS = 6.0
_LONGEST_STILL_S = 60.0
"""Longest time that one frame is repeated in the annotated film, whatever the source's clock says."""


class RecordedGames(GameSeries):
    """A series of games that writes its lines and frames as they come."""

    def __init__(
        self,
        game: WatchedGame,
        events: EventWriter,
        film: FilmWriter | None,
        recorder: GameRecorder | None = None,
        following: NextGameFinder | None = None,
        log: LogWriter | None = None,
    ) -> None:
        """`following` finds the next game in the same source, if there is to be one."""
        super().__init__(game, following)
        self._events, self._film, self._recorder, self._log = events, film, recorder, log

    def feed(self, frame: Image, t: float) -> list[dict[str, Any]]:
        """Process a frame. Its lines are written and returned."""
        played = self.setup
        lines = super().feed(frame, t)
        if self.setup is not None and self.setup is not played:
            self._events.next_game()
            if self._recorder is not None:
                self._recorder.next_game(self.setup)
        self._write(lines)
        if self._film is not None:
            self._film.tell(lines, t)
            self._film.write(frame, t, self.view)
        return lines

    def finish(self, t: float) -> list[dict[str, Any]]:
        """Process the end of the source."""
        lines = super().finish(t)
        self._write(lines)
        return lines

    def enter(self, event: Event) -> list[dict[str, Any]]:
        """Add an event that a person reports, and write the changes."""
        with self._changes_written():
            return super().enter(event)

    def put_back(self, event: Event) -> list[dict[str, Any]]:
        """Add an event again that was undone, and write the changes."""
        with self._changes_written():
            return super().put_back(event)

    def undo(self) -> EventLine | None:
        """Remove the last event, and write the changes."""
        with self._changes_written():
            line = super().undo()
            if line is not None and self._recorder is not None:
                self._recorder.correct(int(line["id"]), None)
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an earlier event, or remove it with None, and write the changes."""
        with self._changes_written():
            super().correct(event_id, event)
            if self._recorder is not None:
                self._recorder.correct(event_id, None if event is None else event.to_json())

    @contextmanager
    def _changes_written(self) -> Iterator[None]:
        before = list(self.lines)
        yield
        self._write(changes_between(before, self.lines))

    def _write(self, lines: Sequence[dict[str, Any]]) -> None:
        # Write to the store before anybody sees it: nothing that was shown is ever lost.
        if self._recorder is not None:
            self._recorder.write(lines, self)
        self._events.write(lines)

    def close(self) -> None:
        """Close all outputs."""
        with ExitStack() as closing:  # each is closed, even if another fails
            for part in (self._recorder, self._film, self._log, self._events):
                if part is not None:
                    closing.callback(part.close)


class FilmWriter:
    """Writes the annotated film, at most `FILM_WIDTH` pixels wide.

    It runs at its source's speed, whatever rate the source claims. It gets its name once it is complete.
    """

    def __init__(self, path: Path, fps: float) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        opencv_path(path)
        self._path, self._fps = path, fps
        self._writer: cv2.VideoWriter | None = None
        self._part, self._file = path, ExitStack()
        self._size = (0, 0)
        self._began: float | None = None
        self._written = self._stored = 0
        self._banner, self._until = "", 0.0

    def tell(self, lines: Sequence[Mapping[str, Any]], t: float) -> None:
        """Show the newest of these lines on the next frames."""
        if lines:
            self._banner, self._until = line_text(lines[-1]), t + _BANNER_SECONDS

    def write(self, frame: Image, t: float, view: TableView) -> None:
        """Draw and write one frame.

        Raises:
            BadInputError: the film cannot be written.
        """
        self._began = t if self._began is None else self._began
        # Number of frames due by now: those of a slow source are repeated, those of a fast one skipped.
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
            self._part = opening.enter_context(tracked_file(self._path))
            writer = open_film_writer(self._part, self._path, self._fps, (width, height))
            self._file = opening.pop_all()
        return writer

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: the file is incomplete; a full disk is not reported in any other way.
        """
        if self._writer is None:
            return
        with self._file:
            self._writer.release()
            self._writer = None
            if not is_complete_film(self._part, self._stored):
                raise BadInputError(f"{self._path}: is incomplete (is the disk full?)")


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
        told: int = 0,
    ) -> EventMaker:
        """Return the event logic of a game, which is written down (see `vision.following.look_log`)."""
        return self._opened().event_maker(layout, up, t, now, confidence, packs=packs, told=told)

    def _opened(self) -> LookLog:
        if self._log is None:
            with ExitStack() as opening:
                part = opening.enter_context(tracked_file(self._path))
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
