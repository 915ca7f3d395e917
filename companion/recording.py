"""What `shithead watch` leaves behind: the event lines and the annotated film."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import cv2
import numpy as np

from companion.store import Store
from companion.wording import event_words
from engine.errors import BadInputError
from vision.drawing import draw_table
from vision.reading import Image
from vision.watch import TableView

FILM_WIDTH = 1280
_BANNER_SECONDS = 6.0


class EventWriter:
    """Writes event lines as soon as they are decided; `-` is stdout, None prints them in words."""

    def __init__(self, target: str | None) -> None:
        """Open the target.

        Raises:
            OSError: the file cannot be written.
        """
        self._in_words = target is None
        self._file: IO[str] | None = None
        # It stays open while the game goes on.
        if target is not None and target != "-":
            self._file = Path(target).open("w", encoding="utf-8")  # noqa: SIM115

    def write(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines and flush: who reads along sees them at once, and a crash loses none."""
        out = self._file or sys.stdout
        for line in lines:
            text = in_words(line) if self._in_words else json.dumps(line, ensure_ascii=False)
            print(text, file=out, flush=True)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class GameKeeper:
    """Writes a game into the evening's store, from its first event on."""

    def __init__(
        self, store: Store, rules: str, options: Sequence[str], dealer: str | None, source: str
    ) -> None:
        self._store, self._game = store, (rules, tuple(options), dealer, source)
        self._begun = False
        self._layout: Any = None

    def resume(self, game: int) -> None:
        """Write on to `game`, which an earlier run began."""
        self._store.resume_game(game)
        self._begun = True

    def keep_layout(self, layout: Any) -> None:
        """Write where seats and piles are (`vision.layout.Layout`), if that is news."""
        if self._begun and layout is not None and layout is not self._layout:
            self._store.keep_layout(layout.to_json())
            self._layout = layout

    def write(self, lines: Sequence[Mapping[str, Any]], players: Sequence[str]) -> None:
        """Write lines, each durably as it comes; the first begins the game."""
        for line in lines:
            if not self._begun:
                rules, options, dealer, source = self._game
                self._store.start_game(rules, players, options=options, dealer=dealer, source=source)
                self._begun = True
            self._store.append(dict(line))
            if line.get("event") == "game_over":
                if line.get("withdrawn"):
                    self._store.reopen()
                else:
                    self._store.finish(line.get("loser"))

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class FilmWriter:
    """Writes the annotated film, at most `FILM_WIDTH` pixels wide."""

    def __init__(self, path: Path, fps: float) -> None:
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
        self._path, self._fps = path, fps
        self._writer: cv2.VideoWriter | None = None
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
        drawn = draw_table(
            frame, view.readings, view.layout, view.pile, self._banner if t < self._until else ""
        )
        height, width = drawn.shape[:2]
        if width > FILM_WIDTH:
            size = (FILM_WIDTH, round(height * FILM_WIDTH / width) // 2 * 2)
            drawn = np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), np.uint8)
        if self._writer is None:
            height, width = drawn.shape[:2]
            code = cv2.VideoWriter.fourcc(*"mp4v")
            self._writer = cv2.VideoWriter(str(self._path), code, self._fps, (width, height))
            if not self._writer.isOpened():
                raise BadInputError(f"{self._path}: no film can be written there (end the name in .mp4)")
        self._writer.write(drawn)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.release()


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
