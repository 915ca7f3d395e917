"""What `shithead watch` leaves behind: the game in the store and the annotated film."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.outbox import Outbox
from companion.store import Store
from companion.wording import event_words
from engine.errors import BadInputError
from vision.capturing import open_film
from vision.drawing import draw_table
from vision.file_names import opencv_name
from vision.reading import Image
from vision.table_view import TableView

FILM_WIDTH = 1280
_BANNER_SECONDS = 6.0
_WHOLE = 0.99
"""A film with this share of its pictures is whole: containers state their number only about."""
_LONGEST_STILL_S = 60.0
"""A picture stands no longer than this in the annotated film, whatever the source's clock says."""


class GameKeeper:
    """Writes a game into the evening's store, from its first event on.

    While the store cannot be written to (the disk is full, another program holds it) what is decided is held
    back, and the game goes on; `tell` gets one line when that begins and when it ends.
    """

    def __init__(
        self,
        store: Store,
        rules: str,
        options: Sequence[str],
        dealer: str | None,
        source: str,
        tell: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._outbox, self._game = Outbox(store, tell), (rules, tuple(options), dealer, source)
        self._begun = False
        self._layout: Any = None

    def next_game(self, dealer: str | None) -> None:
        """Write what follows into a game of its own, which this player deals (None: nobody knows)."""
        rules, options, _, source = self._game
        self._game = rules, options, dealer, source
        self._begun, self._layout = False, None

    def resume(self, game: int) -> None:
        """Write on to `game`, which an earlier run began.

        Raises:
            BadInputError: another program is playing it.
        """
        self._outbox.at_once(lambda store: store.resume_game(game))
        self._begun = True

    def keep_layout(self, layout: Any) -> None:
        """Write where seats and piles are (`vision.layout.Layout`), if that is news."""
        if self._begun and layout is not None and layout is not self._layout:
            places = layout.to_json()
            self._outbox.write(lambda store: store.keep_layout(places))
            self._layout = layout

    def write(self, lines: Sequence[Mapping[str, Any]], players: Sequence[str]) -> None:
        """Write lines that were decided together, durably; the first begin the game."""
        if lines:
            if not self._begun:
                self._begin(tuple(players))
            written = [dict(line) for line in lines]
            self._outbox.write(lambda store: store.append(*written))
        for line in lines:
            if line.get("event") == "game_over":
                self._end(line)
        self._outbox.flush()

    def _begin(self, players: Sequence[str]) -> None:
        rules, options, dealer, source = self._game
        self._outbox.write(
            lambda store: store.start_game(rules, players, options=options, dealer=dealer, source=source)
        )
        self._begun = True

    def _end(self, line: Mapping[str, Any]) -> None:
        if line.get("withdrawn"):
            self._outbox.write(lambda store: store.reopen())
        else:
            self._outbox.write(lambda store: store.finish(line.get("loser")))

    def close(self) -> None:
        """Close the store.

        Raises:
            BadInputError: something could not be kept.
        """
        self._outbox.close()


class FilmWriter:
    """Writes the annotated film, at most `FILM_WIDTH` pixels wide.

    It runs as fast as its source did, whatever rate that source claims and however often a picture came.
    """

    def __init__(self, path: Path, fps: float) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        opencv_name(path)
        self._path, self._fps = path, fps
        self._writer: cv2.VideoWriter | None = None
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
        writer = cv2.VideoWriter(str(self._path), cv2.VideoWriter.fourcc(*"mp4v"), self._fps, (width, height))
        if not writer.isOpened():
            raise BadInputError(f"{self._path}: no film can be written there (end the name in .mp4)")
        return writer

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: it is not whole: nothing else tells that the disk was full.
        """
        if self._writer is None:
            return
        self._writer.release()
        self._writer = None
        if self._pictures() < _WHOLE * self._stored:
            raise BadInputError(f"{self._path}: could not be written whole (is the disk full?)")

    def _pictures(self) -> float:
        """Return how many pictures the finished film holds."""
        try:
            film = open_film(self._path)
        except BadInputError:
            return 0
        count = film.get(cv2.CAP_PROP_FRAME_COUNT)
        film.release()
        return count


def in_words(line: Mapping[str, Any]) -> str:
    """Return an event line with its ruling as people say it: `0:41 Ann plays 9S. Illegal: ...`."""
    t = float(line.get("t") or 0.0)
    words = f"{int(t) // 60}:{int(t) % 60:02d}  "
    if line.get("withdrawn"):
        return f"{words}{event_words(line)}: taken back"
    words += ("corrected: " if line.get("revise") else "") + event_words(line)
    ruling = line.get("ruling")
    if not isinstance(ruling, Mapping):
        return words
    words += f" - {str(ruling.get('verdict', '')).upper()}"
    for breach in ruling.get("breaches") or ():
        words += f' ({breach.get("says")} {breach.get("cite")}: "{breach.get("quote")}")'
    return words
