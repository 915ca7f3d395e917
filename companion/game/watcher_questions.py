"""What the watcher asks of the table, as events of the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.events import Event
from engine.messages import Said


class WatcherQuestions:
    """Turns the question that stands into events: that it is asked, and that it has answered itself."""

    def __init__(self, tell: Callable[[Said], object] | None = None) -> None:
        """`tell` is told what is asked before it is known who plays: that is no event of a game."""
        self._tell = tell
        self._asked: tuple[str, int] | None = None
        """What has been asked and nothing has answered yet, and the number of that event."""
        self._count = 0

    def events(self, question: str | None, t: float, *, in_game: bool) -> list[Event]:
        """Return what is to be told of the question that stands at `t`; None: there is none.

        Questions have numbers below nought: the watcher counts its events from one. `in_game`: it is known
        who plays.
        """
        if question == (None if self._asked is None else self._asked[0]):
            return []
        told = []
        if self._asked is not None and in_game:
            says, number = self._asked
            told = [self._event(says, t, revise=number, withdrawn=True)]
        self._asked = None
        if question is not None:
            event = self._event(question, t)
            self._asked = question, event.id
            if in_game:
                told.append(event)
            elif self._tell is not None:
                self._tell(Said(question))
        return told

    def _event(self, says: str, t: float, **fields: Any) -> Event:
        self._count -= 1
        return Event(id=self._count, event="unclear", t=t, decided_at=t, says=says, **fields)
