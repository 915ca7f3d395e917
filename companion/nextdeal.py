"""The next deal under the same camera: once a game is over its source is watched for the game after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.choice import Choice
from companion.nextgame import next_choice
from companion.starting import Before, before
from engine.errors import BadInputError
from vision.reading import Image

if TYPE_CHECKING:
    from companion.refereeing import Refereeing

_STANDS_SECONDS = 3.0
"""For so long the end of a game must have stood: what was seen last may yet be revised."""


class NextDeal:
    """Looks for a deal while a game is over, and opens the game that it begins.

    What lies about after a game is no deal: of a deal as many face-up cards lie before every player.
    """

    def __init__(
        self, choice: Choice, past: Before, open_game: Callable[[Choice, Before], Refereeing]
    ) -> None:
        """`choice` is the game that is played first, `past` what was before it this evening."""
        self.choice = choice
        """The game that is played, or was last."""
        self.waiting: Refereeing | None = None
        """What looks for the deal of the next game; None while none is due."""
        self._open_game, self._past = open_game, past
        self._next: tuple[Choice, Before] | None = None
        self._over: float | None = None

    def is_due(self, table: Any, t: float) -> bool:
        """Tell whether the game with this public table (None: not begun) has long been over."""
        if table is None or table.loser is None:
            self._over = self.waiting = None  # somebody denied that it was over, perhaps
            return False
        self._over = t if self._over is None else self._over
        return t - self._over >= _STANDS_SECONDS

    def feed(self, table: Any, frame: Image, t: float) -> Refereeing | None:
        """Take in a picture after the end of the game with this table; returns the game that a deal began.

        Raises:
            BadInputError: the next game cannot be opened (a deck is gone, say).
        """
        if self.waiting is None:
            self._next = self._after(table)
            self.waiting = self._open_game(*self._next)
            self.waiting.pass_over(table)
        fresh = self.waiting
        if not any(line["event"] == "deal" for line in fresh.feed(frame, t)):
            return None
        assert self._next is not None
        self.choice, self._past = self._next
        self._over = self.waiting = None
        return fresh

    def _after(self, table: Any) -> tuple[Choice, Before]:
        """Return what is played next, and what was before it."""
        # Where seats and piles are is told by the next deal: players may have moved.
        choice = replace(next_choice(replace(self.choice, kept=True), table), layout=None)
        if self.choice.kept:
            try:
                return choice, before(choice)
            except BadInputError:
                pass  # the store cannot be read at the moment; what was watched is known all the same
        losses = self._past.losses.copy()
        losses[table.loser] += 1
        return replace(choice, kept=self.choice.kept), Before(table.loser, losses)
