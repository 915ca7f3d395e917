"""Hand frames from the thread that reads a source to the thread that looks at them."""

from __future__ import annotations

import threading
from collections import deque

from vision.capture.frame_queue import FrameQueue
from vision.types import Image

MAX_FILM_FRAMES = 12
"""Frames of a film that may wait: the picture runs smoothly while a network works."""


class FrameHandover:
    """A queue of frames: every frame of a film, or the last half second of a live source (`FrameQueue`)."""

    def __init__(self) -> None:
        """Start empty."""
        self._film: deque[tuple[float, Image]] = deque()
        self._live = FrameQueue()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, t: float, picture: Image, *, live: bool) -> None:
        """Add the newest frame. A film's frame waits for space; after `close` it is dropped."""
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
        """Remove and return the oldest frame, or None if none comes within `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self), seconds)
            item = self._film.popleft() if self._film else self._live.pop()
            self._changed.notify_all()
            return item

    def __bool__(self) -> bool:
        """Return whether a frame is waiting."""
        return bool(self._film) or len(self._live) > 0

    def close(self) -> None:
        """Stop waiting for space."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
