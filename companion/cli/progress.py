"""A progress bar on stderr, with the time left. It is drawn only if stderr is a terminal.

The bar keeps to one line of plain characters. It is wiped before any other output and at the end, so that
nothing of it remains on the terminal.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO

REDRAW_S = 0.2
"""Least time between two drawings: work must not wait for a terminal."""
_SPARE = 3
"""Columns that stay free: Ctrl-C writes ^C there, which must not wrap the line."""
_WIDEST, _NARROWEST = 30, 8
"""Width of the bar itself in characters; with less room it is left out."""


class Bar:
    """Shows progress while the block lasts: `with Bar("watch", "s") as bar: ...`."""

    def __init__(self, what: str, unit: str, *, wanted: bool = True) -> None:
        """Draw nothing yet.

        Args:
            what: The work, in a word or two.
            unit: The unit of the counts.
            wanted: False: draw nothing, even on a terminal.
        """
        self._what, self._unit, self._terminal = what, unit, sys.stderr
        self.drawn = wanted and _is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        """Whether there is a bar."""
        self._lock = threading.RLock()
        self._began: tuple[float, float] | None = None
        """Time of the first count on `time.monotonic`, and that count."""
        self._next = 0.0
        self._shown = ""
        self._block = ExitStack()

    def __enter__(self) -> Bar:
        """Let all other output appear above the bar."""
        if self.drawn:
            self._block.enter_context(redirect_stderr(_Above(sys.stderr, self)))
            if _is_terminal(sys.stdout):
                self._block.enter_context(redirect_stdout(_Above(sys.stdout, self)))
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe it."""
        self._block.close()
        with self.wiped():
            pass

    def show(self, done: float, whole: float | None = None, says: str = "") -> None:
        """Show the progress. It is cheap enough to be called for every frame.

        Args:
            done: Units done.
            whole: Units in all; None if unknown.
            says: A remark instead of the time left. It is drawn at once.
        """
        now = time.monotonic()
        if not self.drawn or (now < self._next and not says):
            return
        self._next = now + REDRAW_S
        self._began = self._began or (now, done)
        says = says or _left(now - self._began[0], done - self._began[1], whole and whole - done)
        room = _columns(self._terminal) - _SPARE
        line = bar_line(self._what, self._unit, done, whole, says, room)
        with self._lock:
            if line != self._shown:
                self._write(f"\r{line.ljust(min(room, len(self._shown)))}")
                self._shown = line

    @contextmanager
    def wiped(self) -> Iterator[None]:
        """Clear the line for the output of a block."""
        with self._lock:
            if self._shown:
                self._write(f"\r{' ' * (_columns(self._terminal) - 1)}\r")
                self._shown, self._next = "", 0.0
            yield

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that has gone must not end the work
            self._terminal.write(text)
            self._terminal.flush()


class _Above:
    """A stream to the terminal that wipes the bar before it writes."""

    def __init__(self, stream: TextIO, bar: Bar) -> None:
        self._stream, self._bar = stream, bar

    def write(self, text: str) -> int:
        with self._bar.wiped():
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def bar_line(what: str, unit: str, done: float, whole: float | None, says: str, room: int) -> str:
    """Return the line, at most `room` characters long. It loses the bar first, then the count."""
    if whole is None or whole <= 0:
        return _plain(f"{what}  {done:.0f} {unit}  {says}".rstrip())[: max(0, room)]
    share = min(1.0, max(0.0, done / whole))
    head, count = (
        f"{what} {math.floor(100 * share):3} %",
        f"{math.floor(min(done, whole))} of {whole:.0f} {unit}",
    )
    ways = [_plain("  ".join(filter(None, parts))) for parts in ((head, count, says), (head, says))]
    for text in ways:
        width = min(_WIDEST, room - len(text) - 2)
        if width >= _NARROWEST:
            full = round(share * width)
            return f"{text[: len(head)]}  {'#' * full}{'.' * (width - full)}{text[len(head) :]}"
    return next((text for text in ways if len(text) <= room), ways[-1][: max(0, room)])


def _left(seconds: float, done: float, more: float | None) -> str:
    """Return the time left at the present speed, or an empty text if that is unknown."""
    if more is None or seconds < 1.0 or done <= 0:
        return ""
    left = max(0, round(seconds / done * more))
    hours, minutes = divmod(left // 60, 60)
    return f"{hours}:{minutes:02}:{left % 60:02} left" if hours else f"{minutes}:{left % 60:02} left"


def _plain(text: str) -> str:
    """Return the text in ASCII, one column per character. Names may hold anything."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _columns(terminal: TextIO) -> int:
    """Return the present width of the terminal, which may have changed."""
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
