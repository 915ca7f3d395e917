"""The games of one source, one after the other: after the end of each the next deal is looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.game.deck_fallback import with_deck_that_is_there
from companion.game.event_log import Line
from companion.game.next_game import begun_words, coming_words, next_choice
from companion.game.setup import Choice
from companion.game.starting import Before, before
from companion.memory import free_ended_games
from engine.errors import BadInputError
from engine.events import Event
from engine.messages import Said
from vision.motion.background import Mask
from vision.types import CardReading, Image

if TYPE_CHECKING:
    from companion.game.places import Places
    from companion.game.refereeing import Refereeing
    from vision.table.view import TableView

_STANDS_SECONDS = 3.0
"""For so long the end of a game must have stood: what was seen last may yet be revised."""


class NextDeal:
    """Looks for a deal while a game is over, and opens the game that it begins.

    What lies about after a game is no deal: of a deal as many face-up cards lie before every player. A game
    that was opened again after its end is there to be put right: no deal ends it before somebody has.
    """

    def __init__(
        self,
        choice: Choice,
        past: Before,
        open_game: Callable[[Choice, Before], Refereeing],
        tell: Callable[[Said], object] | None = None,
    ) -> None:
        """`choice` is the game that is played first, `past` what was before it this evening.

        `tell` is told who deals once a deal is looked for, and again when it has begun a game.
        """
        self.choice = choice
        """The game that is played, or was last."""
        self.waiting: Refereeing | None = None
        """What looks for the deal of the next game; None while none is due."""
        self._open_game, self._past = open_game, past
        self._tell = tell or (lambda _line: None)
        self._next: tuple[Choice, Before] | None = None
        self._over: tuple[str, float] | None = None
        """Who has lost the game that is over, and since when that stands."""
        self._opened_again = past.game is not None and past.game.finished is not None

    def is_due(self, game: Refereeing, t: float) -> bool:
        """Tell whether `game` has long been over."""
        loser = None if game.table is None else game.table.loser
        if self._over is None or loser != self._over[0]:  # somebody put right who has lost, perhaps
            self._over = None if loser is None else (loser, t)
            self.waiting = None
        if self._over is None:
            self._opened_again = False
            return False
        return not self._opened_again and t - self._over[1] >= _STANDS_SECONDS

    def feed(self, game: Refereeing, frame: Image, t: float) -> Refereeing | None:
        """Take in a picture after the end of `game`; returns the game that a deal began.

        Raises:
            BadInputError: the next game cannot be opened (a house variant is gone, say).
        """
        if self.waiting is None:
            game.keep_learnt()
            self._next = self._after(game.table)
            self.waiting = self._open_game(*self._next)
            self.waiting.pass_over(game)
            self._tell(coming_words(self._next[0].dealer))
        fresh = self.waiting
        if not any(line["event"] == "deal" for line in fresh.feed(frame, t)):
            return None
        assert self._next is not None
        self.choice, self._past = self._next
        self._over = self.waiting = None
        self._tell(begun_words(self.choice.dealer))
        return fresh

    def _after(self, table: Any) -> tuple[Choice, Before]:
        """Return what is played next, and what was before it."""
        # Where seats and piles are is told by the next deal: players may have moved.
        choice = replace(next_choice(replace(self.choice, kept=True), table), layout=None)
        choice = with_deck_that_is_there(choice, self._tell)
        if self.choice.kept:
            try:
                return choice, before(choice)
            except BadInputError:
                pass  # the store cannot be read at the moment; what was watched is known all the same
        losses = self._past.losses.copy()
        losses[table.loser] += 1
        return replace(choice, kept=self.choice.kept), Before(table.loser, losses)


class Games:
    """One game after the other from one source; looks like the one that is on (`interface.Game`)."""

    def __init__(self, game: Refereeing, following: NextDeal | None = None) -> None:
        """Begin with `game`; `following` looks for the next one. None: there is none to come."""
        self._game, self._following = game, following

    @property
    def choice(self) -> Choice | None:
        """What is played, if that is known; another one once another game is on."""
        return self._following.choice if self._following is not None else None

    def feed(self, frame: Image, t: float) -> list[Line]:
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
        free_ended_games()
        return list(fresh.lines)  # questions that came before the deal have answered themselves

    def finish(self, t: float) -> list[Line]:
        """Take the end of the source."""
        return self._game.finish(t)

    def enter(self, event: Event) -> list[Line]:
        """Take in an event that a person reports."""
        return self._game.enter(event)

    def undo(self) -> Line | None:
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
    def lines(self) -> Sequence[Line]:
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
    def _watched(self) -> Refereeing:
        """The game that is shown the pictures: once one is over, that which waits for the next deal."""
        waiting = self._following.waiting if self._following is not None else None
        return waiting or self._game
