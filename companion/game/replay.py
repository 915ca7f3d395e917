"""Replay an evening event by event, with the table after each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion.game.evening import apply_revisions
from companion.game.event_log import BY_HAND, CONCLUSIONS
from companion.game.refereeing import make_referee
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.store.event_pictures import game_pictures_folder, read_event_picture
from companion.store.rows import StoredGame
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from engine.ruleset import DEFAULT_RULESET

EventLine = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One event, and the public table after it (`engine.referee.public.PublicTable`)."""

    line: EventLine
    table: Any


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of the evening with its final lines."""

    game: StoredGame
    lines: tuple[EventLine, ...]
    earlier_losers: tuple[str, ...] = ()
    """The losers of the evening's earlier games, in order."""
    folder: Path | None = None
    """Folder of its pictures."""
    pictures: Mapping[int, bytes] = field(default_factory=dict)
    """Pictures of a running game that are not on the disk, by event id."""

    def picture(self, event_id: int) -> bytes | None:
        """Return the picture of an event, or None."""
        held = self.pictures.get(event_id)
        return held if held or self.folder is None else read_event_picture(self.folder, event_id)


def last_evening_games(path: Path | None) -> list[PlayedGame]:
    """Return the games of the last evening, oldest first, without those that have no event.

    Raises:
        BadInputError: the store cannot be used.
    """
    with Store.open_to_read(path) as store:
        evening = store.last_evening()
        games = store.games(evening=evening) if evening is not None else []
        losers: list[str] = []
        played = []
        for game in games:
            lines = tuple(apply_revisions(store.events(game.id)))
            if lines:
                played.append(
                    PlayedGame(game, lines, tuple(losers), game_pictures_folder(store.path, game.id))
                )
            losers += [game.loser] if game.finished is not None and game.loser is not None else []
    return played


def running_game(setup: GameSetup | None, session: Session) -> PlayedGame:
    """Return the running game of a session, for a game that is not stored."""
    snapshot = session.snapshot
    game = StoredGame(
        id=0,
        evening=0,
        started=0.0,
        finished=None,
        rules=setup.rules if setup is not None else DEFAULT_RULESET,
        options=setup.options if setup is not None else (),
        players=tuple(snapshot.table.players) if snapshot.table is not None else (),
        dealer=setup.dealer if setup is not None else None,
        loser=None,
        source=None,
    )
    return PlayedGame(game, snapshot.lines, pictures=session.event_pictures)


def replay(played: PlayedGame) -> list[ReplayStep]:
    """Return every event of a game with the table after it.

    Rulings are those given at the time. The table follows from the events as they stand now.

    Raises:
        BadInputError: the game's rules are gone, or a line is not an event.
    """
    game = played.game
    players = game.players or _players_of(played.lines)
    judge = make_referee(
        game.rules,
        players,
        options=game.options,
        dealer=game.dealer,
        loser=played.earlier_losers[-1] if played.earlier_losers else None,
        losses=Counter(played.earlier_losers),
    )
    steps = []
    for line in sorted(played.lines, key=lambda line: float(line.get("t") or 0.0)):
        if line.get("event") not in CONCLUSIONS or line.get("by") == BY_HAND:
            event = Event.from_json({name: value for name, value in line.items() if name != "revise"})
            judge.observe(replace(event, withdrawn=False))
        steps.append(ReplayStep(line, judge.table))
    return steps


def _players_of(lines: Sequence[EventLine]) -> tuple[str, ...]:
    """Return the players from the deal."""
    up = next((line["up"] for line in lines if line.get("event") == "deal" and line.get("up")), None)
    if not up:
        raise BadInputError("the players of this game are unknown")
    return tuple(map(str, up))
