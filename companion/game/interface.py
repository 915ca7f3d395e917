"""The interface of a game for a session, whether it is watched or entered by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from companion.game.places import Places
from engine.events import Event
from vision.types import CardReading, Image, Mask

if TYPE_CHECKING:
    from companion.game.setup import GameSetup

EventLine = Mapping[str, Any]
"""One event line, as `shithead watch` prints it."""


class Game(Protocol):
    """A game for a session, such as `companion.game.refereeing.WatchedGame`."""

    @property
    def setup(self) -> GameSetup | None:
        """The setup, if known. It changes when another game of the source begins."""
        ...

    @property
    def awaits_deal(self) -> bool:
        """Whether the game is over and the next deal is awaited."""
        ...

    @property
    def table(self) -> Any:
        """The referee's public table (`engine.referee.public.PublicTable`)."""
        ...

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event with its ruling, oldest first. Corrected events keep their place."""
        ...

    @property
    def readings(self) -> Sequence[CardReading]:
        """The newest readings, in pixels of the source."""
        ...

    @property
    def moving(self) -> bool:
        """Whether something moves over the table, so that nothing is read."""
        ...

    @property
    def lost(self) -> bool:
        """Whether cards or camera have moved, and the game is being searched for."""
        ...

    @property
    def started_at(self) -> float:
        """Seconds played before an interruption; 0 for a fresh game."""
        ...

    @property
    def layout(self) -> Any:
        """Positions of seats and piles (`vision.table.layout.Layout`); None while unknown."""
        ...

    @property
    def arms(self) -> Mask | None:
        """Mask of the arms in a reduced copy of the newest frame; None if there are none."""
        ...

    @property
    def places(self) -> Places | None:
        """Positions of seats and piles in the frame, and how to correct them; None without a camera."""
        ...

    def feed(self, frame: Image, t: float) -> Iterable[EventLine]:
        """Process the frame at `t` seconds, and return the events decided by it."""
        ...

    def finish(self, t: float) -> Iterable[EventLine]:
        """Process the end of the source, and return the events decided by it."""
        ...

    def enter(self, event: Event) -> Iterable[EventLine]:
        """Add an event that a person reports, and return the lines that this adds."""
        ...

    def put_back(self, event: Event) -> Iterable[EventLine]:
        """Add an event again that was undone, at its own time, and return the lines that this adds."""
        ...

    def undo(self) -> EventLine | None:
        """Remove the last event and return its line, or None if there is none."""
        ...

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an earlier event by `event`, or remove it with None, and judge the game again."""
        ...
