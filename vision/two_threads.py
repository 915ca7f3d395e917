"""Work in two halves, done at the same time: OpenCV and the networks let another thread work meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_One = TypeVar("_One")
_Other = TypeVar("_Other")
_SECOND_THREAD = ThreadPoolExecutor(1, thread_name_prefix="second-half")


def both(one: Callable[[], _One], other: Callable[[], _Other]) -> tuple[_One, _Other]:
    """Return what two pieces of work give, the `other` done in the second thread, which all share.

    If that thread has not begun by the time `one` is done, this one does both: the second may be busy, kept
    waiting by other programs, or be the caller itself. What either piece raises is raised here.
    """
    others = _SECOND_THREAD.submit(other)
    done = one()
    return done, other() if others.cancel() else others.result()
