"""A practice game by touch: three guided plays, one of them a mistake. It is stored nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.game.interface import EventLine
from companion.game.ruling_views import ruling_of
from companion.game.session import Session, Snapshot
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.i18n.catalogue import _, gettext_noop
from companion.sources.cameras import DEFAULT_PLAYERS, sample_film
from engine.errors import BadInputError

PLAYS = 3


def practice_setup() -> GameSetup:
    """Return the sample film's table without its camera: the same players, rules and dealer."""
    try:
        sample = sample_film()
    except BadInputError:  # this installation has none
        return GameSetup(source=None, players=DEFAULT_PLAYERS, dealer=DEFAULT_PLAYERS[-1], kept=False)
    return GameSetup(
        source=None,
        players=sample.players,
        rules=sample.rules,
        options=sample.options,
        dealer=sample.dealer,
        kept=False,
    )


def practice_session() -> Session:
    """Return the session of a practice game. It has not started yet."""
    return make_session(practice_setup())


@dataclass(frozen=True, slots=True)
class _Step:
    """One task, its words, and the test of whether it is done."""

    play: int
    says: str
    is_done: Callable[[Sequence[EventLine], Sequence[EventLine]], bool]
    """Whether it is done, from the lines now and those when the step began."""


class Practice:
    """Follows a practice game and gives the next task."""

    def __init__(self, starter: str) -> None:
        """`starter` is the player who begins."""
        self._player = starter
        self._number = 0
        self._before: tuple[EventLine, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether everything has been tried."""
        return self._number == len(_STEPS)

    @property
    def play(self) -> int:
        """The number of the current play, from 1 to `PLAYS`."""
        return _STEPS[min(self._number, len(_STEPS) - 1)].play

    @property
    def text(self) -> str:
        """The current task, in the current language."""
        return "" if self.is_done else _(_STEPS[self._number].says).format(player=self._player)

    def look(self, snapshot: Snapshot) -> None:
        """Go on to the next step if the session's newest state shows that the current one is done."""
        while not self.is_done and _STEPS[self._number].is_done(snapshot.lines, self._before):
            self._number, self._before = self._number + 1, tuple(snapshot.lines)
        if snapshot.table is not None and snapshot.table.turn is not None:
            self._player = snapshot.table.turn


def first_player(setup: GameSetup) -> str:
    """Return the player on the dealer's left, who begins the practice game."""
    players = setup.players
    return players[(players.index(setup.dealer) + 1) % len(players) if setup.dealer in players else 0]


def _new(lines: Sequence[EventLine], before: Sequence[EventLine]) -> list[EventLine]:
    known = {line.get("id") for line in before}
    return [line for line in lines if line.get("id") not in known]


def _played(lines: Sequence[EventLine], before: Sequence[EventLine]) -> bool:
    return any(line.get("event") == "play" for line in _new(lines, before))


def _broken(lines: Sequence[EventLine], _before: Sequence[EventLine]) -> bool:
    return any((ruling_of(line) or {}).get("verdict") == "illegal" for line in lines)


def _settled(lines: Sequence[EventLine], before: Sequence[EventLine]) -> bool:
    """Return whether the table has decided about the breach, in whatever way."""
    decided = any(line.get("event") == "consequence" for line in lines)
    return decided or not _broken(lines, before) or _played(lines, before)


def _corrected(lines: Sequence[EventLine], before: Sequence[EventLine]) -> bool:
    """Return whether a play has changed or gone."""
    now = {line.get("id"): line.get("cards") for line in lines}
    return any(
        line.get("event") == "play" and now.get(line.get("id")) != line.get("cards") for line in before
    )


_STEPS = (
    _Step(1, gettext_noop("{player} begins with a 9. Tap {player}, then 9, then Plays 9."), _played),
    _Step(
        2,
        gettext_noop("{player} puts a 5 on it, which is too low. Tap {player} and enter it all the same."),
        _broken,
    ),
    _Step(2, gettext_noop("The referee says which rule it breaks. You decide: Take it back."), _settled),
    _Step(3, gettext_noop("{player} plays a jack. Tap {player} and enter it."), _played),
    _Step(3, gettext_noop("In truth it was a queen. Tap the ruling, then a queen."), _corrected),
)
