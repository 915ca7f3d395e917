"""Pictures of a live source that wait to be looked at: the last half second, and no more.

To read cards takes several pictures' time, to look at a table on which something moves takes a part of one.
Were only the newest picture kept, a hand that comes just while cards are read would be seen late or never;
were all kept, a slow machine would fall behind. So a few wait, and the oldest go first.
"""

from __future__ import annotations

from collections import deque

from vision.types import Image

BACKLOG_SECONDS = 0.5
"""So far behind the newest picture may the oldest be that waits."""
BACKLOG_BYTES = 48 << 20
"""So much may the pictures take that wait; one may wait however large it is."""


class Backlog:
    """Waiting pictures with their times, oldest first."""

    def __init__(self, seconds: float = BACKLOG_SECONDS, most_bytes: int = BACKLOG_BYTES) -> None:
        """Begin with none."""
        self._seconds, self._most_bytes = seconds, most_bytes
        self._waiting: deque[tuple[float, Image]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def put(self, t: float, picture: Image) -> int:
        """Add the newest picture, and return how many older ones were dropped for it."""
        self._waiting.append((t, picture))
        self._bytes += picture.nbytes
        before = len(self)
        while len(self) > 1 and (t - self._waiting[0][0] > self._seconds or self._bytes > self._most_bytes):
            self.take()
        return before - len(self)

    def take(self) -> tuple[float, Image] | None:
        """Remove and return the picture that has waited longest; None where none waits."""
        if not self._waiting:
            return None
        item = self._waiting.popleft()
        self._bytes -= item[1].nbytes
        return item
