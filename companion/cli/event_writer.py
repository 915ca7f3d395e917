"""Writes the event lines of `shithead watch` to stdout or a file as they are decided.

A full disk does not end the game: lines are held back, and written later.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from io import FileIO
from typing import Any

from companion.i18n.events import event_text
from companion.store.outbox import RETRY_S
from engine.errors import BadInputError
from engine.messages import printable

_IDS = ("id", "revise", "concerns")
"""The fields of an event line that hold event ids."""


class EventWriter:
    """Writes event lines at once. `-` is stdout; None prints them in words."""

    def __init__(
        self,
        target: str | None,
        tell: Callable[[str], None] = lambda _line: None,
        *,
        append: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the target.

        Args:
            target: A path, `-` or None.
            tell: Gets one line when writing to the file begins to fail, and when it works again.
            append: Whether to keep the lines in the file, for a game that goes on.
            clock: Decides when to try again.

        Raises:
            OSError: the file cannot be opened.
        """
        self._in_words, self._tell, self._clock = target is None, tell, clock
        self._last_id = self._before = 0
        """The highest id written, and the highest id of the games before."""
        self._file: FileIO | None = None
        self._path = target
        self._waiting = b""
        self._fault: str | None = None
        self._again = 0.0
        if target is not None and target != "-":
            # Unbuffered, so that it is known how much of a line a full disk has taken. The file stays open.
            self._file = FileIO(target, "a+" if append else "w")
            if append:
                _drop_torn_line(self._file)

    def write(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines at once, for readers of the output and in case of a crash."""
        numbered = [self._numbered(line) for line in lines]
        self._last_id = max([self._last_id, *(int(line.get("id") or 0) for line in numbered)])
        texts = [
            line_text(line) if self._in_words else json.dumps(line, ensure_ascii=False) for line in numbered
        ]
        if self._file is None:
            for text in texts:
                print(text, flush=True)
            return
        self._waiting += "".join(f"{text}\n" for text in texts).encode()
        if self._waiting and (self._fault is None or self._clock() >= self._again):
            self._flush(self._file)

    def next_game(self) -> None:
        """Continue the ids in the next game, so that each is used once."""
        self._before = self._last_id

    def _numbered(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        return dict(line) | {name: line[name] + self._before for name in _IDS if name in line}

    def _flush(self, file: FileIO) -> None:
        try:
            while self._waiting:
                self._waiting = self._waiting[file.write(self._waiting) or 0 :]
        except OSError as error:
            self._again = self._clock() + RETRY_S
            if self._fault is None:
                self._fault = f"{self._path}: {error.strerror or error}"
                self._tell(f"{self._fault}; the game goes on, and its lines are written as soon as possible")
            return
        if self._fault is not None:
            self._fault = None
            self._tell(f"{self._path}: the lines are being written again")

    def close(self) -> None:
        """Try a last time, and close the file.

        Raises:
            BadInputError: something could not be written.
        """
        if self._file is None:
            return
        try:
            self._flush(self._file)
        finally:
            self._file.close()
        if self._waiting:
            count = self._waiting.count(b"\n")
            raise BadInputError(f"{self._fault}; the last {count} lines were not written")


def _drop_torn_line(file: FileIO) -> None:
    """Cut off an incomplete last line, which a killed program may have left."""
    size = end = file.seek(0, 2)
    while end > 0:
        start = max(0, end - 4096)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)
    file.seek(0, 2)


def line_text(line: Mapping[str, Any]) -> str:
    """Return an event line with its ruling in words: `0:41 Ann plays 9S. Illegal: ...`."""
    t = float(line.get("t") or 0.0)
    words = f"{int(t) // 60}:{int(t) % 60:02d}  "
    if line.get("withdrawn"):
        return printable(f"{words}{event_text(line)}: taken back")
    words += ("corrected: " if line.get("revise") else "") + event_text(line)
    ruling = line.get("ruling")
    if not isinstance(ruling, Mapping):
        return printable(words)
    words += f" - {str(ruling.get('verdict', '')).upper()}"
    for breach in ruling.get("breaches") or ():
        words += f' ({breach.get("says")} {breach.get("cite")}: "{breach.get("quote")}")'
    return printable(words)
