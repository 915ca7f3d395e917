"""A game without a camera: people enter the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.game.event_log import ASSUMED, EventLine, EventLog
from engine.events import Event


class TouchGame:
    """A game without a camera: people enter the events, and the referee rules on them."""

    setup = None  # a session has only one such game
    readings: tuple[Any, ...] = ()
    moving = lost = awaits_deal = False
    layout = places = arms = None

    def __init__(self, event_log: EventLog) -> None:
        self._event_log = event_log

    @property
    def table(self) -> Any:
        """The referee's public table."""
        return self._event_log.table

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event of the game with its ruling, oldest first."""
        return self._event_log.lines

    @property
    def started_at(self) -> float:
        """Seconds played before an interruption; 0 for a fresh game."""
        return self._event_log.last_t

    def enter(self, event: Event) -> list[EventLine]:
        """Add an event that a person reports. A draw that is then due is assumed."""
        told = self._event_log.enter(event)
        for player, count in self.table.to_draw.items():
            draw = Event(
                id=0, event="draw", t=event.t, decided_at=event.decided_at, player=player, count=count
            )
            told += self._event_log.enter(draw, ASSUMED)
        return told

    def put_back(self, event: Event) -> list[EventLine]:
        """Add an event again that was undone, with the draws assumed after it."""
        return self.enter(event)

    def undo(self) -> EventLine | None:
        """Remove the last event that a person entered, with the draws assumed after it."""
        line = self._event_log.undo()
        while line is not None and line.get("by") == ASSUMED:
            line = self._event_log.undo()
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an earlier event by `event`, or remove it with None, and judge the game again.

        Raises:
            BadInputError: there is no such event, or the referee inferred it.
        """
        self._event_log.correct(event_id, event)

    def feed(self, frame: Any, t: float) -> list[EventLine]:
        """Ignore a frame."""
        return []

    def finish(self, t: float) -> list[EventLine]:
        """Do nothing at the end."""
        return []
