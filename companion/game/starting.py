"""Open a game from its setup: a fresh one, or an interrupted one that goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.game.deck_fallback import without_missing_deck
from companion.game.event_log import EventLog
from companion.game.film_keeper import FilmedSource, FilmKeeper
from companion.game.history import GameHistory, load_history
from companion.game.interface import Game
from companion.game.recorder import GameRecorder
from companion.game.refereeing import WatchedGame, make_referee
from companion.game.series import GameSeries, NextGameFinder
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.touch_game import TouchGame
from companion.memory import collect_ended_games
from companion.settings import load_settings
from companion.sources.android import PHONE_CAMERA, open_phone_camera
from companion.sources.joined_phone import JOINED_PHONE, PhoneSource
from companion.store.kept_films import kept_films_folder
from companion.store.store import Store, default_path
from engine.errors import BadInputError
from engine.messages import Said
from vision.capture.sources import FrameSource, ignore_status, open_source
from vision.table.layout import Layout, layout_of
from vision.types import Image

if TYPE_CHECKING:
    from vision.following.watcher import MakeEvents

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How to treat a deck that is not named, and what follows the game."""

    learn: bool = False
    """Whether to learn it, and keep the result."""
    tell: Callable[[Said], object] | None = None
    """Gets a line about the enrolled deck with that back; None: backs are not compared."""
    make_events: MakeEvents | None = None
    """Makes the event logic of each game; None: `EventMaker`."""
    film: FilmKeeper | None = None
    """Keeps the films of the games."""
    live: bool = False
    """Whether a film plays like a camera, in real time. Frames that come too fast are lost."""


_DEFAULT_OPTIONS = WatchOptions()


def open_game(setup: GameSetup, history: GameHistory, watching: WatchOptions = _DEFAULT_OPTIONS) -> Game:
    """Return the game, with its past if it goes on. A watched game leads on to the next.

    A demonstration is a single game.

    Raises:
        BadInputError: rules, players, deck or layout cannot be used.
    """
    if setup.source is None:
        return _touch_game(setup, history)

    def opened(setup: GameSetup, history: GameHistory) -> WatchedGame:
        return open_watched_game(setup, history, watching=watching)

    following = NextGameFinder(setup, history, opened, watching.tell) if not setup.demonstration else None
    return GameSeries(opened(setup, history), following, watching.film)


def open_watched_game(
    setup: GameSetup,
    history: GameHistory,
    players: Sequence[str] | None = None,
    watching: WatchOptions = _DEFAULT_OPTIONS,
) -> WatchedGame:
    """Return the game in front of a camera or in a film.

    Args:
        setup: The game; its source is not opened here.
        history: Earlier games.
        players: Used if the setup names none. None: the deal shows how many there are.
        watching: How to treat a deck that is not named.

    Raises:
        BadInputError: rules, players, deck or layout cannot be used.
    """
    from vision.following.events import EventMaker

    collect_ended_games()
    resumed = history.game
    if resumed is not None:
        setup = without_missing_deck(setup, watching.tell or (lambda _line: None))
    # If the camera has moved, or is another one, the watcher searches for the places again.
    known = resumed.layout if resumed is not None else None
    layout: Path | Layout | None = setup.layout
    if layout is None and known is not None:
        layout = stored_layout(known, setup.players or players)
    game = WatchedGame.open(
        rules=setup.rules,
        players=setup.players or players,
        options=setup.options,
        dealer=setup.dealer,
        loser=history.loser,
        losses=history.losses,
        layout=layout,
        deck=setup.deck,
        learn=watching.learn,
        tell=watching.tell,
        make_events=watching.make_events or EventMaker,
        live=watching.live or (setup.source is not None and not setup.is_film),
    )
    if resumed is not None:
        game.resume(history.lines, same_clock=_same_film(setup, history))
    return game


def stored_layout(known: dict[str, Any], players: Sequence[str] | None) -> Layout | None:
    """Return the layout that is stored with a game, or None if it makes no sense."""
    try:
        layout = layout_of(known, Path("store"))
    except BadInputError as error:
        _log.warning("the places kept with the game are passed over: %s", error)
        return None
    return layout if players is None or len(players) == len(layout.seats) else None


def _touch_game(setup: GameSetup, history: GameHistory) -> TouchGame:
    event_log = EventLog(
        make_referee(
            setup.rules,
            setup.players,
            options=setup.options,
            dealer=setup.dealer,
            loser=history.loser,
            losses=history.losses,
        )
    )
    event_log.resume(history.lines)
    return TouchGame(event_log)


def open_game_source(source: str, *, keep_trying: bool = False) -> FrameSource:
    """Open a film, a camera, a stream, this phone's own camera, or a phone that joins.

    `keep_trying`: whether to wait without limit for a source that is lost in mid-game.

    Raises:
        BadInputError: there is no such source, or it gives no frame.
    """
    if source == PHONE_CAMERA:
        return open_phone_camera()
    if source == JOINED_PHONE:
        return PhoneSource()
    return open_source(source, keep_trying=keep_trying, camera_size=load_settings().camera_size)


def skip_watched_part(setup: GameSetup, history: GameHistory, source: FrameSource) -> FrameSource:
    """Return the source. The film of a game that goes on starts where the game was interrupted."""
    return SourceFrom(source, history.watched_until) if _same_film(setup, history) else source


def _same_film(setup: GameSetup, history: GameHistory) -> bool:
    return history.game is not None and setup.is_film and history.game.source == setup.source


class SourceFrom:
    """A film from a later time on."""

    def __init__(self, source: FrameSource, since: float) -> None:
        self._source, self._since = source, since
        self.name, self.live, self.fps, self.seconds = source.name, source.live, source.fps, source.seconds
        self.on_status: Callable[[str], None] = ignore_status

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield the frames after that time, with their own times."""
        self._source.on_status = lambda line: self.on_status(line)
        return ((t, frame) for t, frame in self._source if t > self._since)

    def close(self) -> None:
        """Close the film."""
        self._source.close()


def make_session(setup: GameSetup, *, realtime: bool = True, learn: bool = False) -> Session:
    """Return the session of a game. It opens nothing before it starts.

    Args:
        setup: The game.
        realtime: With False, a film runs as fast as it can be read.
        learn: Whether to learn a deck that is not named. From a film none is learnt.
    """

    @cache
    def history() -> GameHistory:
        return load_history(setup)

    def open_chosen() -> FrameSource:
        assert setup.source is not None
        source = skip_watched_part(setup, history(), open_game_source(setup.source, keep_trying=True))
        return source if session.film_keeper is None else FilmedSource(source, session.film_keeper)

    def open_recorder(tell: Callable[[str], None]) -> GameRecorder:
        notice = history().notice  # read before this game is stored
        recorder = GameRecorder(Store.open(setup.store), setup, tell)
        recorder.notice = recorder.notice or notice
        recorder.begin()
        return recorder

    def open_it() -> Game:
        watching = WatchOptions(learn and not setup.is_film, session.tell, film=session.film_keeper)
        return open_game(setup, history(), watching)

    session = Session(
        open_chosen if setup.source is not None else None,
        open_it,
        open_recorder=open_recorder if setup.kept else None,
        open_stored=(lambda: _touch_game(setup, history())) if setup.resume is not None else None,
        realtime=realtime,
    )
    if setup.source is not None and not setup.demonstration:
        session.film_keeper = FilmKeeper(kept_films_folder(setup.store or default_path()), session.tell)
    return session
