"""What a session needs of a game, however it is watched and refereed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from companion.game.places import Places
from engine.events import Event
from vision.motion.background import Mask
from vision.types import CardReading, Image

if TYPE_CHECKING:
    from companion.game.setup import GameSetup

EventLine = Mapping[str, Any]
"""One event line, as `shithead watch` prints it."""


class Game(Protocol):
    """What a session needs of the joined watcher and referee (`companion.game.refereeing`)."""

    @property
    def setup(self) -> GameSetup | None:
        """What is played, if that is known; another one once another game of the source is on."""
        ...

    @property
    def awaits_deal(self) -> bool:
        """Whether the game is over and the deal of the next one is looked for."""
        ...

    @property
    def table(self) -> Any:
        """The referee's public table (`engine.referee.referee.PublicTable`)."""
        ...

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event of the game with its ruling, oldest first; corrected ones in their place."""
        ...

    @property
    def readings(self) -> Sequence[CardReading]:
        """The cards that were read last, in pixels of the source."""
        ...

    @property
    def moving(self) -> bool:
        """Whether something moves over the table, so that nothing is read."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the cards or the camera have moved, and the game is being looked for."""
        ...

    @property
    def started_at(self) -> float:
        """Seconds of the game that had passed when it was broken off; 0 for a fresh one."""
        ...

    @property
    def layout(self) -> Any:
        """Where seats and piles are (`vision.table.layout.Layout`), or None while that is not known."""
        ...

    @property
    def arms(self) -> Mask | None:
        """Where arms are in a reduced copy of the picture fed last; None where there are none."""
        ...

    @property
    def places(self) -> Places | None:
        """Where seats and piles lie in the picture, and how that is put right; None: nothing is watched."""
        ...

    def feed(self, frame: Image, t: float) -> Iterable[EventLine]:
        """Take the picture at `t` seconds; return the events decided by it."""
        ...

    def finish(self, t: float) -> Iterable[EventLine]:
        """Take the end of the source; return the events decided by it."""
        ...

    def enter(self, event: Event) -> Iterable[EventLine]:
        """Take in an event that a person reports; return the lines that this adds."""
        ...

    def undo(self) -> EventLine | None:
        """Take the last event back and return it; None where there is none."""
        ...

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one and replay; None: it never happened."""
        ...
