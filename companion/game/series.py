"""The games of one source, one after the other. After each game the next deal is awaited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.game.deck_fallback import without_missing_deck
from companion.game.event_log import EventLine
from companion.game.film_keeper import FilmKeeper
from companion.game.history import GameHistory, load_history
from companion.game.next_game import new_game_notice, next_deal_notice, next_game_setup
from companion.game.setup import GameSetup
from companion.memory import collect_ended_games
from engine.errors import BadInputError
from engine.events import Event
from engine.messages import Said
from vision.types import CardReading, Image, Mask

if TYPE_CHECKING:
    from companion.game.places import Places
    from companion.game.refereeing import WatchedGame
    from vision.table.view import TableView

_STANDS_SECONDS = 3.0
"""The end of a game must last this long, because the newest events may yet be revised."""


class NextGameFinder:
    """Looks for a deal after the end of a game, and opens the game that it begins.

    Cards left on the table are not a deal, which puts equally many up-cards before every player. A game that
    was opened again after its end is there to be corrected: no deal ends it before that.
    """

    def __init__(
        self,
        setup: GameSetup,
        history: GameHistory,
        open_game: Callable[[GameSetup, GameHistory], WatchedGame],
        tell: Callable[[Said], object] | None = None,
    ) -> None:
        """`setup` is the first game, `history` the evening's earlier games.

        `tell` gets a line with the dealer when a deal is awaited, and when it has begun a game.
        """
        self.setup = setup
        """The setup of the game that is being played, or was last."""
        self.waiting: WatchedGame | None = None
        """The game that waits for the next deal; None while none is due."""
        self._open_game, self._history = open_game, history
        self._tell = tell or (lambda _line: None)
        self._next: tuple[GameSetup, GameHistory] | None = None
        self._over: tuple[str, float] | None = None
        """The loser of the ended game, and since when that stands."""
        self._opened_again = history.game is not None and history.game.finished is not None

    def is_due(self, game: WatchedGame, t: float) -> bool:
        """Return whether `game` has been over for long enough."""
        loser = None if game.table is None else game.table.loser
        if self._over is None or loser != self._over[0]:  # for example, a person corrected the loser
            self._over = None if loser is None else (loser, t)
            self.waiting = None
        if self._over is None:
            self._opened_again = False
            return False
        return not self._opened_again and t - self._over[1] >= _STANDS_SECONDS

    def feed(self, game: WatchedGame, frame: Image, t: float) -> WatchedGame | None:
        """Process a frame after the end of `game`. Return the next game once a deal has begun it.

        Raises:
            BadInputError: the next game cannot be opened, for example because a house variant is gone.
        """
        if self.waiting is None:
            game.keep_learnt()
            self._next = self._after(game.table)
            self.waiting = self._open_game(*self._next)
            self.waiting.ignore_leftovers(game)
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
        """Return setup and history of the next game."""
        # The next deal shows where seats and piles are: players may have moved.
        setup = replace(next_game_setup(replace(self.setup, kept=True), table), layout=None)
        setup = without_missing_deck(setup, self._tell)
        if self.setup.kept:
            try:
                return setup, load_history(setup)
            except BadInputError:
                pass  # the store cannot be read at the moment; use the watched result
        losses = self._history.losses.copy()
        losses[table.loser] += 1
        return replace(setup, kept=self.setup.kept), GameHistory(table.loser, losses)


class GameSeries:
    """A series of games from one source, with the interface of the current one (`interface.Game`)."""

    def __init__(
        self,
        game: WatchedGame,
        following: NextGameFinder | None = None,
        film: FilmKeeper | None = None,
    ) -> None:
        """Begin with `game`.

        `following` finds the next one, if there is to be one. `film` keeps the films of both.
        """
        self._game, self._following, self._film_keeper = game, following, film

    @property
    def setup(self) -> GameSetup | None:
        """The setup, if known. It changes when another game begins."""
        return self._following.setup if self._following is not None else None

    def feed(self, frame: Image, t: float) -> list[EventLine]:
        """Process the frame at `t` seconds, and switch to the game that a deal in it begins.

        An ended game still gets the frames, so that it misses nothing if it turns out to go on.

        Returns the lines decided by it, of the game that is current then.

        Raises:
            BadInputError: the next game cannot be opened.
        """
        lines = self._feed(frame, t)
        if self._film_keeper is not None:
            self._film_keeper.follow(self._game, self)
        return lines

    def _feed(self, frame: Image, t: float) -> list[EventLine]:
        lines = self._game.feed(frame, t)
        if self._following is None or not self._following.is_due(self._game, t):
            return lines
        fresh = self._following.feed(self._game, frame, t)
        if fresh is None:
            return lines
        self._game = fresh
        collect_ended_games()
        return list(fresh.lines)  # questions from before the deal have been settled

    def finish(self, t: float) -> list[EventLine]:
        """Process the end of the source."""
        return self._game.finish(t)

    def enter(self, event: Event) -> list[EventLine]:
        """Add an event that a person reports."""
        return self._game.enter(event)

    def put_back(self, event: Event) -> list[EventLine]:
        """Add an event again that was undone."""
        return self._game.put_back(event)

    def undo(self) -> EventLine | None:
        """Remove the last event."""
        return self._game.undo()

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an earlier event, or remove it with None.

        Raises:
            BadInputError: there is no such event, or the referee inferred it.
        """
        self._game.correct(event_id, event)

    @property
    def awaits_deal(self) -> bool:
        """Whether the game is over and the next deal is awaited."""
        due = self._following is not None and self._following.waiting is not None
        return due and self._game.table.loser is not None  # a person may have denied it since the last frame

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
        """Positions of seats and piles, once known."""
        return self._game.layout

    @property
    def started_at(self) -> float:
        """Seconds played before an interruption."""
        return self._game.started_at

    @property
    def places(self) -> Places:
        """Positions of seats and piles in the frame, and how to correct them."""
        return self._watched.places

    @property
    def view(self) -> TableView:
        """The watcher's belief about the table, in pixels of the newest frame."""
        return self._watched.view

    @property
    def arms(self) -> Mask | None:
        """Mask of the arms in a reduced copy of the newest frame; None if there are none."""
        return self._watched.arms

    @property
    def readings(self) -> Sequence[CardReading]:
        """The newest readings."""
        return self._watched.readings

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._watched.moving

    @property
    def lost(self) -> bool:
        """Whether cards or camera have moved, and the game is being searched for."""
        return self._watched.lost

    @property
    def _watched(self) -> WatchedGame:
        """The game that gets the frames: after the end of one, the game that waits for the next deal."""
        waiting = self._following.waiting if self._following is not None else None
        return waiting or self._game
