"""The frames of a live source that wait to be processed: the last half second at most.

Reading cards takes as long as several frames last; processing a frame with motion takes less than one. A
queue of one frame would miss a hand that moves while cards are read. An unlimited queue would make a slow
machine fall behind. So a few frames wait, and the oldest are dropped first.
"""

from __future__ import annotations

from collections import deque

from vision.types import Image

MAX_QUEUE_SECONDS = 0.5
"""Largest age of a waiting frame, in seconds of the source, compared to the newest one."""
MAX_QUEUE_BYTES = 48 << 20
"""Largest memory of all waiting frames, in bytes. One frame may wait however large it is."""


class FrameQueue:
    """Waiting frames with their times, oldest first."""

    def __init__(self, seconds: float = MAX_QUEUE_SECONDS, most_bytes: int = MAX_QUEUE_BYTES) -> None:
        """Start with no frames."""
        self._seconds, self._most_bytes = seconds, most_bytes
        self._frames: deque[tuple[float, Image]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of waiting frames."""
        return len(self._frames)

    def put(self, t: float, picture: Image) -> int:
        """Add the newest frame (time in seconds, image), and return how many older ones were dropped."""
        self._frames.append((t, picture))
        self._bytes += picture.nbytes
        before = len(self)
        while len(self) > 1 and (t - self._frames[0][0] > self._seconds or self._bytes > self._most_bytes):
            self.pop()
        return before - len(self)

    def pop(self) -> tuple[float, Image] | None:
        """Remove and return the oldest frame with its time; None if no frame waits."""
        if not self._frames:
            return None
        item = self._frames.popleft()
        self._bytes -= item[1].nbytes
        return item
