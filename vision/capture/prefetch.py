"""Fetches what an iterator yields before it is asked for: pictures are decoded while others are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

_PATIENCE_S = 0.1
"""How often a thread that waits looks whether it is to end."""


class _End:
    """What comes after the last item: the error that ended them, if any."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class Ahead(Generic[T]):
    """Yields the items of an iterator, which a thread of its own fetches, up to `depth` of them ahead.

    What the iterator raises is raised where its item would have come.
    """

    def __init__(self, items: Iterator[T], depth: int = 4) -> None:
        """Begin to fetch."""
        self._items: Queue[T | _End] = Queue(depth)
        self._stopped = Event()
        self._thread = Thread(target=self._fetch, args=(items,), name="ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        """Yield what was fetched; ends early once `close` was called."""
        while True:
            item = self._next()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def close(self) -> None:
        """Stop fetching; when this returns the iterator is not used any more."""
        self._stopped.set()
        self._thread.join()

    def _next(self) -> T | _End:
        while not self._stopped.is_set():
            try:
                return self._items.get(timeout=_PATIENCE_S)
            except Empty:
                continue
        return _End(None)

    def _fetch(self, items: Iterator[T]) -> None:
        error: BaseException | None = None
        try:
            for item in items:
                if not self._put(item):
                    return
        except BaseException as raised:  # it is not lost: whoever takes the items gets it
            error = raised
        self._put(_End(error))

    def _put(self, item: T | _End) -> bool:
        """Hand an item over; False when nobody wants any more."""
        while not self._stopped.is_set():
            try:
                self._items.put(item, timeout=_PATIENCE_S)
                return True
            except Full:
                continue
        return False
