"""The watcher's questions to the table, as events of the game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.events import Event
from engine.messages import Said


class WatcherQuestions:
    """Turns the watcher's current question into events: one that asks it, one that withdraws it."""

    def __init__(self, tell: Callable[[Said], object] | None = None) -> None:
        """`tell` gets questions asked before the players are known, which are not events."""
        self._tell = tell
        self._asked: tuple[str, int] | None = None
        """The open question, and the id of its event."""
        self._count = 0

    def events(self, question: str | None, t: float, *, in_game: bool) -> list[Event]:
        """Return the events for the watcher's question at `t`; None if it has none.

        The ids are negative, because the watcher counts its events from 1. `in_game`: whether the players are
        known.
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
