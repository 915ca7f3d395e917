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

    def __init__(self) -> None:
        self._trim = _malloc_trim()
        self._given_back = time.monotonic()

    def trim(self) -> None:
        """Give freed memory back, unless that was done less than a minute ago."""
        now = time.monotonic()
        if self._trim is not None and now - self._given_back >= TRIM_INTERVAL_S:
            self._trim(0)
            self._given_back = now


def collect_ended_games() -> None:
    """Free the games that have ended.

    The parts of a game refer to each other, so only the garbage collector frees them. It runs by the number
    of objects, not by their size, and could leave a game's frames in memory for hours.
    """
    gc.collect()


def _malloc_trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
