"""Memory that is done with goes back to the system.

Pictures of several megabytes come and go many times a second, between small things that stay: over hours
ever less of what was freed lies in one piece, and the C library asks for more. glibc's `malloc_trim` gives
back the pages that hold nothing.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable

TRIM_INTERVAL_S = 60.0
"""It takes some 25 ms."""


class MemoryTrimmer:
    """Gives back what the process has freed, at most once a minute; does nothing without glibc."""

    def __init__(self) -> None:
        self._trim = _malloc_trim()
        self._given_back = time.monotonic()

    def trim(self) -> None:
        """Give freed memory back, if that was done long enough ago."""
        now = time.monotonic()
        if self._trim is not None and now - self._given_back >= TRIM_INTERVAL_S:
            self._trim(0)
            self._given_back = now


def collect_ended_games() -> None:
    """Free the games that have ended.

    The parts of a game know one another, so that it is not freed by itself; and Python looks for what holds
    only itself by how many objects there are, not by how large they are: a game's pictures stay for hours.
    """
    gc.collect()


def _malloc_trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
