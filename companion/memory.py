"""Give unused memory back to the system.

Frames of several megabytes come and go between small objects that stay. Over hours the heap fragments, and
the C library asks for more memory. glibc's `malloc_trim` gives back pages that hold nothing.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable

TRIM_INTERVAL_S = 60.0
"""One call takes about 25 ms."""


class MemoryTrimmer:
    """Gives freed memory back to the system, at most once a minute. Without glibc it does nothing."""

    def __init__(
        self, give_back: Callable[[int], int] | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`give_back` gives memory back; None: glibc's `malloc_trim`, if it is there."""
        self._give_back, self._clock = give_back or malloc_trim(), clock
        self._done_at = clock()

    def trim(self) -> None:
        """Give freed memory back, unless that was done less than a minute ago."""
        now = self._clock()
        if self._give_back is not None and now - self._done_at >= TRIM_INTERVAL_S:
            self._give_back(0)
            self._done_at = now


def collect_ended_games() -> None:
    """Free the games that have ended.

    The parts of a game refer to each other, so only the garbage collector frees them. It runs by the number
    of objects, not by their size, and could leave a game's frames in memory for hours.
    """
    gc.collect()


def malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`, or None without glibc."""
    if not sys.platform.startswith("linux"):
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
