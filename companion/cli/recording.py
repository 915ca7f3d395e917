"""The output of `shithead watch`: the lines of its games, and the annotated film."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.cli.event_writer import EventWriter, line_text
from companion.files.incomplete import tracked_file
from companion.game.event_log import EventLine
from companion.game.preview import FAULT_TEXTS
from companion.game.recorder import changes_between
from companion.game.series import GameSeries, NextGameFinder
from companion.game.timed_film import TimedFilm
from companion.i18n.catalogue import _
from engine.errors import BadInputError
from engine.events import Event
from vision.capture.image_quality import quality_faults
from vision.following.events import EventMaker
from vision.following.look_log import LookLog
from vision.following.looks import Deal
from vision.table.drawing import draw_table
from vision.table.view import TableView
from vision.types import Image

if TYPE_CHECKING:
    from companion.game.film_keeper import FilmKeeper
    from companion.game.recorder import GameRecorder
    from companion.game.refereeing import WatchedGame

FILM_WIDTH = 1280
_BANNER_SECONDS = 6.0


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
        keeper: FilmKeeper | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`following` finds the next game in the same source, if there is to be one.

        `say` gets a line for people if pictures of a dealt table are poor.
        """
        super().__init__(game, following, keeper)
        self._say = say
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
        for line in lines:
            if line["event"] == "deal" and line.get("up") and "revise" not in line:
                self._say_faults(frame, line["up"])
        if self._film is not None:
            self._film.tell(lines, t)
            self._film.write(frame, t, self.view)
        return lines

    def _say_faults(self, frame: Image, up: Mapping[str, Sequence[str]]) -> None:
        """Say what is wrong with the picture of a dealt table, judged by its rows: more will be missed."""
        dealt = {card for row in up.values() for card in row}
        for fault in quality_faults(frame, [card for card in self.readings if card.card in dealt]):
            self._say(_(FAULT_TEXTS[fault]))

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
    """Writes the annotated film, at most `FILM_WIDTH` pixels wide."""

    def __init__(self, path: Path, fps: float) -> None:
        self._film = TimedFilm(path, fps)
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
        if not self._film.is_due(t):
            return
        drawn = draw_table(
            frame, view.readings, view.layout, view.pile, self._banner if t < self._until else ""
        )
        height, width = drawn.shape[:2]
        if width > FILM_WIDTH:
            size = FILM_WIDTH, round(height * FILM_WIDTH / width)
            drawn = np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._film.write(drawn, t)

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: the file is incomplete; a full disk is not reported in any other way.
        """
        self._film.close()


class LogWriter:
    """Writes the log of looks from the first deal on. It stands under its name once it is whole."""

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        self._path = path
        self._log: LookLog | None = None
        self._file = ExitStack()

    def event_maker(self, deal: Deal) -> EventMaker:
        """Return the event logic of a game, which is written down (see `vision.following.look_log`)."""
        return self._opened().event_maker(deal)

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
