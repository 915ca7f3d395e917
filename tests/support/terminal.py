"""A terminal for tests: what was written to it, by this process or by one that is started on it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from typing import TextIO

_TAKE_TERMINAL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored where the tests run in the background
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""A program that lets the keys of its terminal be signals to the one that it becomes."""


class Terminal:
    """A terminal so many columns wide, as a context."""

    def __init__(self, columns: int = 80) -> None:
        self._ours, self._theirs = pty.openpty()
        self.resize(columns)
        self.stream: TextIO = os.fdopen(os.dup(self._theirs), "w", encoding="utf-8")
        self._said, self._news = b"", threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Terminal:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.close(self._ours)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def end(self) -> None:
        """Let go of the terminal's own end, so that all that was written is known."""
        if self._thread.is_alive() and not self.stream.closed:
            self.stream.close()
            os.close(self._theirs)
        self._thread.join(30)

    def wait_for(self, text: str, seconds: float) -> None:
        with self._news:
            assert self._news.wait_for(lambda: text in self.said, seconds), self.said

    @property
    def said(self) -> str:
        """Everything that was written."""
        return self._said.decode()

    @property
    def strokes(self) -> list[str]:
        """What was written from one return of the carriage to the next."""
        return self.said.replace("\r\n", "\n").split("\r")

    @property
    def screen(self) -> list[str]:
        """Return the lines as somebody sees them who scrolls up."""
        lines = []
        for line in self.said.replace("\r\n", "\n").split("\n"):
            seen = ""
            for stroke in line.split("\r"):
                seen = stroke + seen[len(stroke) :]
            lines.append(seen.rstrip())
        return lines

    def run(self, *arguments: str, then: Callable[[], None] = lambda: None) -> int:
        """Run the program on this terminal, and return its status; `then` is called meanwhile."""
        command = [sys.executable, "-c", _TAKE_TERMINAL, "-m", "companion.cli", *arguments]
        end = self._theirs
        with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, start_new_session=True) as process:
            try:
                then()
                return process.wait(120)
            finally:
                process.kill()

    def press(self, key: bytes) -> None:
        os.write(self._ours, key)

    def _read(self) -> None:
        while True:
            try:
                said = os.read(self._ours, 4096)
            except OSError:  # nobody holds the other end any more
                said = b""
            if not said:
                return
            with self._news:
                self._said += said
                self._news.notify_all()
