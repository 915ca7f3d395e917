"""Writes to the store, in order. Writes that fail are held back and tried again.

A full disk or another program's lock does not end an evening: the game goes on, and a line says so.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from companion.store.store import Store
from engine.errors import BadInputError
from engine.messages import message

RETRY_S = 5.0
"""Wait before a failed store is tried again."""
Write = Callable[[Store], object]


class Outbox:
    """Carries out writes on a store, each durably before `put` returns if possible."""

    def __init__(
        self, store: Store, tell: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Write to `store`. `tell` gets one line when writing begins to fail, and when it works again."""
        self.fault: str | None = None
        """Why nothing can be written at the moment, or None."""
        self._store, self._tell, self._clock = store, tell, clock
        self._waiting: deque[Write] = deque()
        self._again = 0.0

    @property
    def waiting(self) -> int:
        """Number of writes that are held back."""
        return len(self._waiting)

    def put(self, act: Write) -> None:
        """Carry out `act` after all held-back writes, now or later."""
        self._waiting.append(act)
        self.flush()

    def flush(self, *, at_once: bool = False) -> None:
        """Carry out held-back writes, unless that has just failed."""
        if self.fault is not None and not at_once and self._clock() < self._again:
            return
        while self._waiting:
            try:
                self._waiting[0](self._store)
            except BadInputError as error:
                self._again = self._clock() + RETRY_S
                if self.fault is None:
                    self.fault = error.says
                    says = message(
                        "{reason}; the game goes on, and is stored as soon as possible",
                        reason=self.fault,
                    )
                    self._tell(says)
                return
            self._waiting.popleft()
        if self.fault is not None:
            self.fault = None
            self._tell(message("the game is being stored again"))

    def close(self) -> None:
        """Try a last time, and close the store.

        Raises:
            BadInputError: something could not be written.
        """
        try:
            self.flush(at_once=True)
        finally:
            self._store.close()
        if self._waiting:
            raise BadInputError(
                "{reason}; the last {count} entries were not stored",
                reason=self.fault,
                count=len(self._waiting),
            )
