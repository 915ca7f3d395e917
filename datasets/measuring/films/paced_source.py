"""A film that plays like a camera."""

from __future__ import annotations

import time
from collections.abc import Iterator

from vision.capture.frame_queue import MAX_QUEUE_SECONDS, FrameQueue
from vision.capture.sources import FrameSource
from vision.types import Image


class PacedSource:
    """A film that plays like a camera: each frame comes at its time, and missed frames are dropped."""

    def __init__(self, source: FrameSource, pace: float, until: float) -> None:
        """Play at `pace` seconds of film per second, until a time on `time.monotonic`."""
        self._source, self._pace, self._until = source, pace, until
        self.dropped = 0
        self.due = 0.0
        """The time of the last frame, on `time.monotonic`."""
        self.interrupted = False

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds of the film, frame), each at its time."""
        began, coming = time.monotonic(), iter(self._source)
        backlog, following = FrameQueue(MAX_QUEUE_SECONDS * self._pace), next(coming, None)
        while following is not None or len(backlog) > 0:
            now = time.monotonic()
            if now >= self._until:
                self.interrupted = True
                return
            while following is not None and began + following[0] / self._pace <= now:
                self.dropped += backlog.put(*following)
                following = next(coming, None)
            item = backlog.pop()
            if item is not None:
                self.due = began + item[0] / self._pace
                yield item
            elif following is not None:
                time.sleep(max(0.0, began + following[0] / self._pace - now))
