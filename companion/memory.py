"""Collect garbage in one thread, and give unused memory back to the system.

Frames of several megabytes come and go between small objects that stay. Over hours the heap fragments, and
the C library asks for more memory. glibc's `malloc_trim` gives back pages that hold nothing.

Widgets that were removed refer to each other, so only the garbage collector frees them. By default it runs in
whichever thread makes many objects. If that is not the window's thread, the window may evaluate a rule of a
widget that is half gone, and fails. So while a window is open, only its thread collects.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable

TRIM_INTERVAL_S = 60.0
"""One call takes about 25 ms."""
COLLECT_INTERVAL_S = 60.0
"""Seconds between two full collections of garbage in a window's thread."""


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


class GarbageCollector:
    """Runs Python's garbage collector: in any thread, or between `begin` and `end` in one."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._thread: int | None = None
        """The thread that called `begin`; None: every thread may collect."""
        self._is_wanted = threading.Event()
        """Whether another thread wants everything collected."""
        self._full_at = 0.0

    def begin(self) -> None:
        """Collect only in this thread from now on, at each `step`."""
        self._thread, self._full_at = threading.get_ident(), self._clock()
        gc.disable()
        gc.freeze()  # a full collection then passes over what is loaded by now

    def step(self) -> None:
        """Collect what is due by the interpreter's thresholds, and everything once a minute or if wanted."""
        if self._is_wanted.is_set() or self._clock() - self._full_at >= COLLECT_INTERVAL_S:
            self._is_wanted.clear()
            self._full_at = self._clock()
            gc.collect()
            return
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (1, 0):
            if counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

    def end(self) -> None:
        """Let every thread collect again."""
        self._thread = None
        self._is_wanted.clear()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Collect everything: now, or at the next `step` if another thread collects."""
        if self._thread in (None, threading.get_ident()):
            gc.collect()
        else:
            self._is_wanted.set()


GARBAGE = GarbageCollector()
"""The process's only one, as Python has only one."""


def collect_ended_games() -> None:
    """Free the games that have ended.

    The parts of a game refer to each other, so only the garbage collector frees them. It runs by the number
    of objects, not by their size, and could leave a game's frames in memory for hours.
    """
    GARBAGE.collect()


def malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`, or None without glibc."""
    if not sys.platform.startswith("linux"):
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
