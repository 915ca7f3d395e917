"""From a choice to a game that runs: fresh, or taken up where it was broken off."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.files.scratch import scratch_folder
from companion.game.deck_fallback import without_missing_deck
from companion.game.event_log import EventLog
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
from companion.store.store import Store
from engine.errors import BadInputError
from engine.messages import Said
from vision.capture.sources import FrameSource, open_source, tell_nobody
from vision.table.layout import load_layout
from vision.types import Image

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What to do about a deck that is not named; nothing, unless told."""

    learn: bool = False
    """Whether to learn it, and keep what was learnt."""
    tell: Callable[[Said], object] | None = None
    """Told which enrolled deck it is by its back; None: that is not looked for."""


_PLAINLY = WatchOptions()


def open_game(setup: GameSetup, history: GameHistory, watching: WatchOptions = _PLAINLY) -> Game:
    """Return the game, with what had happened in it where it goes on; what is watched goes on to the next.

    A demonstration is one game.

    Raises:
        BadInputError: rules, players, deck or layout are not usable.
    """
    if setup.source is None:
        return _hand_scored(setup, history)

    def opened(setup: GameSetup, history: GameHistory) -> WatchedGame:
        return open_watched_game(setup, history, watching=watching)

    following = NextGameFinder(setup, history, opened, watching.tell) if not setup.demonstration else None
    return GameSeries(opened(setup, history), following)


def open_watched_game(
    setup: GameSetup,
    history: GameHistory,
    players: Sequence[str] | None = None,
    watching: WatchOptions = _PLAINLY,
) -> WatchedGame:
    """Return the game over a camera or a film.

    Args:
        setup: What is played; its source is not opened here.
        history: Earlier games.
        players: Instead of the choice's; used where the deal will show how many there are.
        watching: What to do about a deck that is not named.

    Raises:
        BadInputError: rules, players, deck or layout are not usable.
    """
    collect_ended_games()
    resumed = history.game
    if resumed is not None:
        setup = without_missing_deck(setup, watching.tell or (lambda _line: None))
    # Where the camera stands otherwise, or is another one, the watcher looks for the places anew.
    known = resumed.layout if resumed is not None else None
    with ExitStack() as until_opened:
        layout = setup.layout
        if layout is None and known is not None:
            try:
                folder = until_opened.enter_context(scratch_folder())
                layout = stored_layout_file(known, folder, setup.players or players)
            except OSError as error:
                _log.warning("the places kept with the game are passed over: %s", error)
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
        )
    if resumed is not None:
        game.resume(history.lines, same_clock=_same_film(setup, history))
    return game


def stored_layout_file(known: dict[str, Any], folder: Path, players: Sequence[str] | None) -> Path | None:
    """Return a file with the places that the store holds; None, to look anew, where they make no sense."""
    path = folder / "layout.json"
    path.write_text(json.dumps(known), encoding="utf-8")
    try:
        seats = load_layout(path).seats
    except BadInputError as error:
        _log.warning("the places kept with the game are passed over: %s", error)
        return None
    return path if players is None or len(players) == len(seats) else None


def _hand_scored(setup: GameSetup, history: GameHistory) -> TouchGame:
    book = EventLog(
        make_referee(
            setup.rules,
            setup.players,
            options=setup.options,
            dealer=setup.dealer,
            loser=history.loser,
            losses=history.losses,
        )
    )
    book.resume(history.lines)
    return TouchGame(book)


def open_game_source(source: str, *, tries_on: bool = False) -> FrameSource:
    """Open a film, a camera, a stream, or the camera of the phone on which this runs.

    `tries_on`: whether one that is lost in mid-game is waited for however long it stays away.

    Raises:
        BadInputError: there is no such thing, or it yields no picture.
    """
    if source == PHONE_CAMERA:
        return open_phone_camera()
    return open_source(source, tries_on=tries_on, camera_size=load_settings().camera_size)


def skip_watched_part(setup: GameSetup, history: GameHistory, source: FrameSource) -> FrameSource:
    """Return the source; a film whose game goes on is wound on to where it was broken off."""
    return SourceFrom(source, history.watched_until) if _same_film(setup, history) else source


def _same_film(setup: GameSetup, history: GameHistory) -> bool:
    return history.game is not None and setup.is_film and history.game.source == setup.source


class SourceFrom:
    """A film from a later time on."""

    def __init__(self, source: FrameSource, since: float) -> None:
        self._source, self._since = source, since
        self.name, self.live, self.fps, self.seconds = source.name, source.live, source.fps, source.seconds
        self.tell: Callable[[str], None] = tell_nobody

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield the pictures after that time, under their own times."""
        return ((t, frame) for t, frame in self._source if t > self._since)

    def close(self) -> None:
        """Close the film."""
        self._source.close()


def make_session(setup: GameSetup, *, realtime: bool = True, learn: bool = False) -> Session:
    """Return the session of a chosen game; nothing is opened before it starts.

    Args:
        setup: What is played.
        realtime: False runs a film as fast as it can be read.
        learn: Whether a deck that is not named may be learnt; from a film it never is.
    """

    @cache
    def history() -> GameHistory:
        return load_history(setup)

    def open_chosen() -> FrameSource:
        assert setup.source is not None
        return skip_watched_part(setup, history(), open_game_source(setup.source, tries_on=True))

    def open_recorder(tell: Callable[[str], None]) -> GameRecorder:
        notice = history().notice  # before this game is among those that were played
        recorder = GameRecorder(Store.open(setup.store), setup, tell)
        recorder.notice = recorder.notice or notice
        recorder.begin()
        return recorder

    def open_it() -> Game:
        watching = WatchOptions(learn and not setup.is_film, session.tell)
        return open_game(setup, history(), watching)

    session = Session(
        open_chosen if setup.source is not None else None,
        open_it,
        open_recorder=open_recorder if setup.kept else None,
        realtime=realtime,
    )
    return session
