"""A game that no camera watches: its book, kept by those who play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.game.event_log import ASSUMED, EventLine, EventLog
from engine.events import Event


class TouchGame:
    """A game that no camera watches: people enter what happens, the referee rules all the same."""

    setup = None  # the game is the only one of its session
    readings: tuple[Any, ...] = ()
    moving = lost = awaits_deal = False
    layout = places = arms = None

    def __init__(self, book: EventLog) -> None:
        self._book = book

    @property
    def table(self) -> Any:
        """The referee's public table."""
        return self._book.table

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event of the game with its ruling, oldest first."""
        return self._book.lines

    @property
    def started_at(self) -> float:
        """Seconds of the game that had passed when it was broken off; 0 for a fresh one."""
        return self._book.last_t

    def enter(self, event: Event) -> list[EventLine]:
        """Take in an event that a person reports; a draw that it makes due is taken for made."""
        told = self._book.enter(event)
        for player, count in self.table.to_draw.items():
            draw = Event(
                id=0, event="draw", t=event.t, decided_at=event.decided_at, player=player, count=count
            )
            told += self._book.enter(draw, ASSUMED)
        return told

    def undo(self) -> EventLine | None:
        """Take the last event back that somebody entered, with the draws that were assumed after it."""
        line = self._book.undo()
        while line is not None and line.get("by") == ASSUMED:
            line = self._book.undo()
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one and rule anew on everything; None: it never happened.

        Raises:
            BadInputError: there is no event of this id, or it is the referee's own conclusion.
        """
        self._book.correct(event_id, event)

    def feed(self, frame: Any, t: float) -> list[EventLine]:
        """Take a picture: there is none to look at."""
        return []

    def finish(self, t: float) -> list[EventLine]:
        """Take the end: nothing was waiting."""
        return []
