"""Two pieces of work at the same time. OpenCV and the networks let other threads run meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_One = TypeVar("_One")
_Other = TypeVar("_Other")
_SECOND_THREAD = ThreadPoolExecutor(1, thread_name_prefix="second-half")
"""The one second thread, shared by all callers."""


def run_both(one: Callable[[], _One], other: Callable[[], _Other]) -> tuple[_One, _Other]:
    """Return the results of two functions, the second one run in the shared second thread.

    If that thread has not started by the time `one` is done, this thread runs `other` as well. The second
    thread may be busy, kept waiting by other programs, or be the caller itself. Errors of either function are
    raised here.
    """
    others = _SECOND_THREAD.submit(other)
    done = one()
    return done, other() if others.cancel() else others.result()


def begin(work: Callable[[], _One]) -> Future[_One]:
    """Begin to run a function in the shared second thread."""
    return _SECOND_THREAD.submit(work)


def done(result: _One) -> Future[_One]:
    """Return the future of work that is done already."""
    future = Future[_One]()
    future.set_result(result)
    return future
