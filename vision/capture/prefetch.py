"""Fetching the items of an iterator in advance, such as frames decoded while others are processed."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

_POLL_SECONDS = 0.1
"""How often a waiting thread checks whether it must end."""


class _End:
    """Follows the last item; holds the error that ended the iterator, if any."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class Prefetcher(Generic[T]):
    """An iterator whose items are fetched by a thread, up to `depth` items in advance.

    An error of the iterator is raised in place of its item.
    """

    def __init__(self, items: Iterator[T], depth: int = 4) -> None:
        """Start fetching."""
        self._items: Queue[T | _End] = Queue(depth)
        self._stopped = Event()
        self._thread = Thread(target=self._fetch, args=(items,), name="ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        """Yield the fetched items; ends early after `close`."""
        while True:
            item = self._next()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def close(self) -> None:
        """Stop fetching. After this, nothing uses the iterator any more."""
        self._stopped.set()
        self._thread.join()

    def _next(self) -> T | _End:
        while not self._stopped.is_set():
            try:
                return self._items.get(timeout=_POLL_SECONDS)
            except Empty:
                continue
        return _End(None)

    def _fetch(self, items: Iterator[T]) -> None:
        error: BaseException | None = None
        try:
            for item in items:
                if not self._put(item):
                    return
        except BaseException as raised:  # the consumer gets it
            error = raised
        self._put(_End(error))

    def _put(self, item: T | _End) -> bool:
        """Hand over an item; return False if the consumer has closed."""
        while not self._stopped.is_set():
            try:
                self._items.put(item, timeout=_POLL_SECONDS)
                return True
            except Full:
                continue
        return False
