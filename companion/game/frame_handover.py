"""Pictures on their way from the thread that reads a source to the one that looks at them."""

from __future__ import annotations

import threading
from collections import deque

from vision.capture.frame_queue import Backlog
from vision.types import Image

MAX_FILM_FRAMES = 12
"""Pictures of a film that may wait to be read: the picture runs on smoothly while a network works."""


class FrameHandover:
    """Of a film every picture waits its turn, of a live source the last half second (`Backlog`)."""

    def __init__(self) -> None:
        """Begin with none."""
        self._film: deque[tuple[float, Image]] = deque()
        self._live = Backlog()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, t: float, picture: Image, *, live: bool) -> None:
        """Add the newest picture: a film's once there is room, or not at all after `close`."""
        with self._changed:
            if live:
                self._live.put(t, picture)
            else:
                self._changed.wait_for(lambda: len(self._film) < MAX_FILM_FRAMES or self._closed)
                if self._closed:
                    return
                self._film.append((t, picture))
            self._changed.notify_all()

    def take(self, seconds: float) -> tuple[float, Image] | None:
        """Remove and return the picture that has waited longest; None where none comes in so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self), seconds)
            item = self._film.popleft() if self._film else self._live.take()
            self._changed.notify_all()
            return item

    def __bool__(self) -> bool:
        """Return whether a picture waits."""
        return bool(self._film) or len(self._live) > 0

    def close(self) -> None:
        """Let nobody wait for room any longer."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
