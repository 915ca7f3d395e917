"""The games of one source, one after the other: after the end of each the next deal is looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.game.deck_fallback import without_missing_deck
from companion.game.event_log import EventLine
from companion.game.history import GameHistory, load_history
from companion.game.next_game import new_game_notice, next_deal_notice, next_game_setup
from companion.game.setup import GameSetup
from companion.memory import collect_ended_games
from engine.errors import BadInputError
from engine.events import Event
from engine.messages import Said
from vision.motion.background import Mask
from vision.types import CardReading, Image

if TYPE_CHECKING:
    from companion.game.places import Places
    from companion.game.refereeing import WatchedGame
    from vision.table.view import TableView

_STANDS_SECONDS = 3.0
"""For so long the end of a game must have stood: what was seen last may yet be revised."""


class NextGameFinder:
    """Looks for a deal while a game is over, and opens the game that it begins.

    What lies about after a game is no deal: of a deal as many face-up cards lie before every player. A game
    that was opened again after its end is there to be put right: no deal ends it before somebody has.
    """

    def __init__(
        self,
        setup: GameSetup,
        history: GameHistory,
        open_game: Callable[[GameSetup, GameHistory], WatchedGame],
        tell: Callable[[Said], object] | None = None,
    ) -> None:
        """`choice` is the game that is played first, `past` what was before it this evening.

        `tell` is told who deals once a deal is looked for, and again when it has begun a game.
        """
        self.setup = setup
        """The game that is played, or was last."""
        self.waiting: WatchedGame | None = None
        """What looks for the deal of the next game; None while none is due."""
        self._open_game, self._history = open_game, history
        self._tell = tell or (lambda _line: None)
        self._next: tuple[GameSetup, GameHistory] | None = None
        self._over: tuple[str, float] | None = None
        """Who has lost the game that is over, and since when that stands."""
        self._opened_again = history.game is not None and history.game.finished is not None

    def is_due(self, game: WatchedGame, t: float) -> bool:
        """Tell whether `game` has long been over."""
        loser = None if game.table is None else game.table.loser
        if self._over is None or loser != self._over[0]:  # somebody put right who has lost, perhaps
            self._over = None if loser is None else (loser, t)
            self.waiting = None
        if self._over is None:
            self._opened_again = False
            return False
        return not self._opened_again and t - self._over[1] >= _STANDS_SECONDS

    def feed(self, game: WatchedGame, frame: Image, t: float) -> WatchedGame | None:
        """Take in a picture after the end of `game`; returns the game that a deal began.

        Raises:
            BadInputError: the next game cannot be opened (a house variant is gone, say).
        """
        if self.waiting is None:
            game.keep_learnt()
            self._next = self._after(game.table)
            self.waiting = self._open_game(*self._next)
            self.waiting.pass_over(game)
            self._tell(next_deal_notice(self._next[0].dealer))
        fresh = self.waiting
        if not any(line["event"] == "deal" for line in fresh.feed(frame, t)):
            return None
        assert self._next is not None
        self.setup, self._history = self._next
        self._over = self.waiting = None
        self._tell(new_game_notice(self.setup.dealer))
        return fresh

    def _after(self, table: Any) -> tuple[GameSetup, GameHistory]:
        """Return what is played next, and what was before it."""
        # Where seats and piles are is told by the next deal: players may have moved.
        setup = replace(next_game_setup(replace(self.setup, kept=True), table), layout=None)
        setup = without_missing_deck(setup, self._tell)
        if self.setup.kept:
            try:
                return setup, load_history(setup)
            except BadInputError:
                pass  # the store cannot be read at the moment; what was watched is known all the same
        losses = self._history.losses.copy()
        losses[table.loser] += 1
        return replace(setup, kept=self.setup.kept), GameHistory(table.loser, losses)


class GameSeries:
    """One game after the other from one source; looks like the one that is on (`interface.Game`)."""

    def __init__(self, game: WatchedGame, following: NextGameFinder | None = None) -> None:
        """Begin with `game`; `following` looks for the next one. None: there is none to come."""
        self._game, self._following = game, following

    @property
    def setup(self) -> GameSetup | None:
        """What is played, if that is known; another one once another game is on."""
        return self._following.setup if self._following is not None else None

    def feed(self, frame: Image, t: float) -> list[EventLine]:
        """Take the picture at `t` seconds; goes over to the game that a deal in it begins.

        A game that is over is shown it too: should it turn out to go on, nothing of it was missed.

        Returns the lines decided by it: those of the game that is on then.

        Raises:
            BadInputError: the next game cannot be opened.
        """
        lines = self._game.feed(frame, t)
        if self._following is None or not self._following.is_due(self._game, t):
            return lines
        fresh = self._following.feed(self._game, frame, t)
        if fresh is None:
            return lines
        self._game = fresh
        collect_ended_games()
        return list(fresh.lines)  # questions that came before the deal have answered themselves

    def finish(self, t: float) -> list[EventLine]:
        """Take the end of the source."""
        return self._game.finish(t)

    def enter(self, event: Event) -> list[EventLine]:
        """Take in an event that a person reports."""
        return self._game.enter(event)

    def undo(self) -> EventLine | None:
        """Take back the last event."""
        return self._game.undo()

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put another event in place of an earlier one; None: it never happened.

        Raises:
            BadInputError: there is no event of this id, or it is the referee's own conclusion.
        """
        self._game.correct(event_id, event)

    @property
    def awaits_deal(self) -> bool:
        """Whether the game is over and the deal of the next one is looked for."""
        due = self._following is not None and self._following.waiting is not None
        return (
            due and self._game.table.loser is not None
        )  # somebody may have denied it since the last picture

    @property
    def table(self) -> Any:
        """The referee's public table."""
        return self._game.table

    @property
    def lines(self) -> Sequence[EventLine]:
        """Every event of the game."""
        return self._game.lines

    @property
    def layout(self) -> Any:
        """Where seats and piles are, once that is known."""
        return self._game.layout

    @property
    def started_at(self) -> float:
        """Seconds that the game had run when it was broken off."""
        return self._game.started_at

    @property
    def places(self) -> Places:
        """Where seats and piles lie in the picture, and how that is put right."""
        return self._watched.places

    @property
    def view(self) -> TableView:
        """What is believed of the table, in pixels of the latest frame."""
        return self._watched.view

    @property
    def arms(self) -> Mask | None:
        """Where arms are in a reduced copy of the latest frame; None where there are none."""
        return self._watched.arms

    @property
    def readings(self) -> Sequence[CardReading]:
        """The cards that were read last."""
        return self._watched.readings

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._watched.moving

    @property
    def lost(self) -> bool:
        """Whether the cards or the camera have moved, and the game is being looked for."""
        return self._watched.lost

    @property
    def _watched(self) -> WatchedGame:
        """The game that is shown the pictures: once one is over, that which waits for the next deal."""
        waiting = self._following.waiting if self._following is not None else None
        return waiting or self._game
