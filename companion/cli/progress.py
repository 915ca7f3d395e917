"""The bar on the terminal that says how far long work is, and how long it will take.

It is drawn where stderr is a terminal, and nowhere else: what goes to a file or a program stays as it is. It
keeps to one line, of blanks and plain characters alone, and is wiped before anything else is written, and at
the end, however that comes about: nothing of it remains on the terminal.
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

_EVERY_S = 0.2
"""Drawn no more often: work is not to wait for a terminal."""
_SPARE = 3
"""Columns that stay free: Ctrl-C writes ^C there, and no terminal is to break the line."""
_WIDEST, _NARROWEST = 30, 8
"""Characters of the bar itself; where there is less room there is none."""


class Bar:
    """Says how far work is, as long as the block lasts: `with Bar("watch", "s") as bar: ...`."""

    def __init__(self, what: str, unit: str, *, wanted: bool = True) -> None:
        """Draw nothing yet.

        Args:
            what: What is done, in a word or two.
            unit: What is counted.
            wanted: Whether there is to be a bar at all, where there can be one.
        """
        self._what, self._unit, self._terminal = what, unit, sys.stderr
        self.drawn = wanted and _is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        """Whether there is a bar."""
        self._lock = threading.RLock()
        self._began: tuple[float, float] | None = None
        """When the first count was told, on `time.monotonic`, and which."""
        self._next = 0.0
        self._shown = ""
        self._block = ExitStack()

    def __enter__(self) -> Bar:
        """Have whatever else is written come above the bar."""
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
        """Say how far it is; cheap enough to be called for every picture.

        Args:
            done: How much is done, in units.
            whole: How much there is to do; None where nobody knows.
            says: What there is to say of it, in place of the time left; then it is drawn at once.
        """
        now = time.monotonic()
        if not self.drawn or (now < self._next and not says):
            return
        self._next = now + _EVERY_S
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
        """Leave an empty line for what the block writes."""
        with self._lock:
            if self._shown:
                self._write(f"\r{' ' * (_columns(self._terminal) - 1)}\r")
                self._shown, self._next = "", 0.0
            yield

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that has gone ends no work
            self._terminal.write(text)
            self._terminal.flush()


class _Above:
    """A stream to the terminal whose bar is wiped before something is written."""

    def __init__(self, stream: TextIO, bar: Bar) -> None:
        self._stream, self._bar = stream, bar

    def write(self, text: str) -> int:
        with self._bar.wiped():
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def bar_line(what: str, unit: str, done: float, whole: float | None, says: str, room: int) -> str:
    """Return the line, of plain characters, at most `room` long; what matters least is left out first."""
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
    """Return how long it will take if it goes on like this, or nothing where that cannot be told yet."""
    if more is None or seconds < 1.0 or done <= 0:
        return ""
    left = max(0, round(seconds / done * more))
    hours, minutes = divmod(left // 60, 60)
    return f"{hours}:{minutes:02}:{left % 60:02} left" if hours else f"{minutes}:{left % 60:02} left"


def _plain(text: str) -> str:
    """Return the text with one character of one column for each: a name may hold anything."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _columns(terminal: TextIO) -> int:
    """Return how wide the terminal is now: its window may have been changed."""
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
