"""Earlier games in the store: which can go on, who lost, and what is played next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion.game.next_game import next_game_setup
from companion.game.setup import GameSetup, stored_setup
from companion.sources.cameras import DEFAULT_PLAYERS
from companion.store.rows import StoredGame
from companion.store.store import Store, store_exists
from engine.errors import BadInputError


@dataclass(frozen=True, slots=True)
class GameHistory:
    """Facts about earlier games that matter to a game that begins or goes on."""

    loser: str | None = None
    """The loser of the evening's last game."""
    losses: Counter[str] = field(default_factory=Counter)
    game: StoredGame | None = None
    """The game that goes on."""
    lines: tuple[dict[str, Any], ...] = ()
    """Its lines as they were written."""
    notice: str | None = None
    """Message from opening the store, such as a damaged file set aside."""

    @property
    def watched_until(self) -> float:
        """Time of the last decision in the game that goes on, in seconds of its source."""
        return max((float(line.get("decided_at") or 0.0) for line in self.lines), default=0.0)


def load_history(setup: GameSetup) -> GameHistory:
    """Read the facts about earlier games from the store.

    Raises:
        BadInputError: the game to go on with is missing, or the store cannot be used.
    """
    if not setup.kept:
        return GameHistory()
    with Store.open(setup.store) as store:
        evening = store.current_evening()
        games = store.games(evening=evening) if evening is not None else []
        resumed = None
        if setup.resume is not None:
            resumed = next((game for game in store.games() if game.id == setup.resume), None)
            if resumed is None:
                raise BadInputError(
                    "the store {path} has no game {resume} to continue",
                    path=store.path,
                    resume=setup.resume,
                )
            games = [g for g in store.games(evening=resumed.evening) if g.id < resumed.id]
        lost = [game.loser for game in games if game.finished is not None and game.loser is not None]
        lines = tuple(store.events(resumed.id)) if resumed is not None else ()
        notice = store.notice
    return GameHistory(lost[-1] if lost else None, Counter(lost), resumed, lines, notice)


def find_resumable_game(store: Path | None) -> tuple[StoredGame | None, str | None]:
    """Return the interrupted game that may go on, if any, and the store's message."""
    if not store_exists(store):  # looking for a game creates no store
        return None, None
    try:
        with Store.open(store) as opened:
            return opened.resumable_game(), opened.notice
    except BadInputError as error:
        return None, error.says


def setup_without_camera(store: Path | None) -> GameSetup | None:
    """Return what the form offers if there is no camera, or None if nobody has played here lately.

    It offers the interrupted game, else the evening's next one. A damaged store is not touched: the form
    opens it and reports the damage.
    """
    if not store_exists(store):
        return None
    fresh = GameSetup(source=None, players=DEFAULT_PLAYERS, store=store)
    try:
        with Store.open_to_read(store) as opened:
            broken, notice, evening = opened.resumable_game(), opened.notice, opened.current_evening()
            played = opened.games(evening=evening) if evening is not None else []
    except BadInputError:
        return fresh
    if broken is not None:
        setup = replace(stored_setup(broken, store=store), resume=None)
    elif played:
        setup = next_game_setup(stored_setup(played[-1], store=store), played[-1])
    else:
        return fresh if notice else None
    # A phone or a film may still be there. A finished game was the only one in its film.
    gone = setup.uses_own_camera or (broken is None and setup.is_film)
    return replace(setup, source=None) if gone else setup


def find_last_finished(store: Path | None) -> StoredGame | None:
    """Return the last finished game, which may be opened again, or None."""
    if not store_exists(store):
        return None
    try:
        with Store.open(store) as opened:
            return opened.last_finished_game()
    except BadInputError:  # reported by `find_resumable_game`
        return None
