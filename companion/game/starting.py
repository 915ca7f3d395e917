"""From a choice to a game that runs: fresh, or taken up where it was broken off."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.files.scratch import scratch_folder
from companion.game.deck_fallback import with_deck_that_is_there
from companion.game.event_log import GameBook
from companion.game.interface import Game
from companion.game.next_game import next_choice
from companion.game.recorder import GameKeeper
from companion.game.session import Session
from companion.game.setup import Choice, choice_of
from companion.game.touch_game import HandScored
from companion.memory import free_ended_games
from companion.settings import load_settings
from companion.sources.android import PHONE_CAMERA, open_phone_camera
from companion.sources.cameras import DEFAULT_PLAYERS
from companion.store.rows import StoredGame
from companion.store.store import Store, is_there
from engine.errors import BadInputError
from engine.messages import Said
from vision.capture.sources import FrameSource, open_source, tell_nobody
from vision.table.layout import load_layout
from vision.types import Image

if TYPE_CHECKING:
    from companion.game.refereeing import Refereeing
    from vision.following.watcher import MakeEvents


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watching:
    """What to do about a deck that is not named (nothing, unless told), and what follows the game."""

    learn: bool = False
    """Whether to learn it, and keep what was learnt."""
    tell: Callable[[Said], object] | None = None
    """Told which enrolled deck it is by its back; None: that is not looked for."""
    make_events: MakeEvents | None = None
    """Makes the event logic of each game; None: it is made plainly."""


_PLAINLY = Watching()


@dataclass(frozen=True, slots=True)
class Before:
    """What earlier games mean for the one that begins or goes on."""

    loser: str | None = None
    """The Shithead of the game before, this evening."""
    losses: Counter[str] = field(default_factory=Counter)
    game: StoredGame | None = None
    """The game that goes on."""
    lines: tuple[dict[str, Any], ...] = ()
    """Its lines as they were written."""
    notice: str | None = None
    """What opening the store found worth saying (a damaged file set aside)."""

    @property
    def until(self) -> float:
        """When the last thing was decided in the game that goes on, seconds of its source."""
        return max((float(line.get("decided_at") or 0.0) for line in self.lines), default=0.0)


def before(choice: Choice) -> Before:
    """Read from the store what the chosen game has to know of earlier ones.

    Raises:
        BadInputError: the game to go on with is not there, or the store cannot be used.
    """
    if not choice.kept:
        return Before()
    with Store.open(choice.store) as store:
        evening = store.tonight()
        games = store.games(evening=evening) if evening is not None else []
        resumed = None
        if choice.resume is not None:
            resumed = next((game for game in store.games() if game.id == choice.resume), None)
            if resumed is None:
                raise BadInputError(
                    "the store {path} holds no game {resume} to go on with",
                    path=store.path,
                    resume=choice.resume,
                )
            games = [g for g in store.games(evening=resumed.evening) if g.id < resumed.id]
        lost = [game.loser for game in games if game.finished is not None and game.loser is not None]
        lines = tuple(store.events(resumed.id)) if resumed is not None else ()
        notice = store.notice
    return Before(lost[-1] if lost else None, Counter(lost), resumed, lines, notice)


def broken_off(store: Path | None) -> tuple[StoredGame | None, str | None]:
    """Return the game that was broken off and may go on, if any, and what there is to say of the store."""
    if not is_there(store):  # looking for a game begins no store
        return None, None
    try:
        with Store.open(store) as opened:
            return opened.broken_off(), opened.notice
    except BadInputError as error:
        return None, error.says


def without_camera(store: Path | None) -> Choice | None:
    """Return what the form offers where there is no camera; None: nobody has played here lately.

    It is the game that was broken off, else the next one of an evening that has begun. A damaged store is
    left as it is: the form, which opens it, says so.
    """
    if not is_there(store):
        return None
    fresh = Choice(source=None, players=DEFAULT_PLAYERS, store=store)
    try:
        with Store.open_to_read(store) as opened:
            broken, notice, evening = opened.broken_off(), opened.notice, opened.tonight()
            played = opened.games(evening=evening) if evening is not None else []
    except BadInputError:
        return fresh
    if broken is not None:
        choice = replace(choice_of(broken, store=store), resume=None)
    elif played:
        choice = next_choice(choice_of(played[-1], store=store), played[-1])
    else:
        return fresh if notice else None
    # A phone or a film may still be there; a game that is over was the film's only one.
    gone = choice.through_own_camera or (broken is None and choice.films)
    return replace(choice, source=None) if gone else choice


def last_finished(store: Path | None) -> StoredGame | None:
    """Return the game that was finished last and may be opened again, if any; None without a usable store."""
    if not is_there(store):
        return None
    try:
        with Store.open(store) as opened:
            return opened.last_finished()
    except BadInputError:  # said where the store is asked for a game that was broken off
        return None


def open_game(choice: Choice, past: Before, watching: Watching = _PLAINLY) -> Game:
    """Return the game, with what had happened in it where it goes on; what is watched goes on to the next.

    A demonstration is one game.

    Raises:
        BadInputError: rules, players, deck or layout are not usable.
    """
    if choice.source is None:
        return _hand_scored(choice, past)
    from companion.game.series import Games, NextDeal

    def opened(choice: Choice, past: Before) -> Refereeing:
        return watched_game(choice, past, watching=watching)

    following = NextDeal(choice, past, opened, watching.tell) if not choice.demonstration else None
    return Games(opened(choice, past), following)


def watched_game(
    choice: Choice,
    past: Before,
    players: Sequence[str] | None = None,
    watching: Watching = _PLAINLY,
) -> Refereeing:
    """Return the game over a camera or a film.

    Args:
        choice: What is played; its source is not opened here.
        past: Earlier games.
        players: Instead of the choice's; used where the deal will show how many there are.
        watching: What to do about a deck that is not named.

    Raises:
        BadInputError: rules, players, deck or layout are not usable.
    """
    from companion.game.refereeing import Refereeing
    from vision.following.events import EventMaker

    free_ended_games()
    resumed = past.game
    if resumed is not None:
        choice = with_deck_that_is_there(choice, watching.tell or (lambda _line: None))
    # Where the camera stands otherwise, or is another one, the watcher looks for the places anew.
    known = resumed.layout if resumed is not None else None
    with ExitStack() as until_opened:
        layout = choice.layout
        if layout is None and known is not None:
            try:
                folder = until_opened.enter_context(scratch_folder())
                layout = watched_layout(known, folder, choice.players or players)
            except OSError as error:
                _log.warning("the places kept with the game are passed over: %s", error)
        game = Refereeing.open(
            rules=choice.rules,
            players=choice.players or players,
            options=choice.options,
            dealer=choice.dealer,
            loser=past.loser,
            losses=past.losses,
            layout=layout,
            deck=choice.deck,
            learn=watching.learn,
            tell=watching.tell,
            make_events=watching.make_events or EventMaker,
        )
    if resumed is not None:
        game.resume(past.lines, same_clock=_same_film(choice, past))
    return game


def watched_layout(known: dict[str, Any], folder: Path, players: Sequence[str] | None) -> Path | None:
    """Return a file with the places that the store holds; None, to look anew, where they make no sense."""
    path = folder / "layout.json"
    path.write_text(json.dumps(known), encoding="utf-8")
    try:
        seats = load_layout(path).seats
    except BadInputError as error:
        _log.warning("the places kept with the game are passed over: %s", error)
        return None
    return path if players is None or len(players) == len(seats) else None


def _hand_scored(choice: Choice, past: Before) -> HandScored:
    from companion.game.refereeing import judge_of

    book = GameBook(
        judge_of(
            choice.rules,
            choice.players,
            options=choice.options,
            dealer=choice.dealer,
            loser=past.loser,
            losses=past.losses,
        )
    )
    book.resume(past.lines)
    return HandScored(book)


def open_chosen_source(source: str, *, tries_on: bool = False) -> FrameSource:
    """Open a film, a camera, a stream, or the camera of the phone on which this runs.

    `tries_on`: whether one that is lost in mid-game is waited for however long it stays away.

    Raises:
        BadInputError: there is no such thing, or it yields no picture.
    """
    if source == PHONE_CAMERA:
        return open_phone_camera()
    return open_source(source, tries_on=tries_on, camera_size=load_settings().camera_size)


def wound_on(choice: Choice, past: Before, source: FrameSource) -> FrameSource:
    """Return the source; a film whose game goes on is wound on to where it was broken off."""
    return WoundOn(source, past.until) if _same_film(choice, past) else source


def _same_film(choice: Choice, past: Before) -> bool:
    return past.game is not None and choice.films and past.game.source == choice.source


class WoundOn:
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


def session_of(choice: Choice, *, realtime: bool = True, learn: bool = False) -> Session:
    """Return the session of a chosen game; nothing is opened before it starts.

    Args:
        choice: What is played.
        realtime: False runs a film as fast as it can be read.
        learn: Whether a deck that is not named may be learnt; from a film it never is.
    """

    @cache
    def history() -> Before:
        return before(choice)

    def open_chosen() -> FrameSource:
        assert choice.source is not None
        return wound_on(choice, history(), open_chosen_source(choice.source, tries_on=True))

    def open_keeper(tell: Callable[[str], None]) -> GameKeeper:
        past = history()  # before this game is among those that were played
        keeper = GameKeeper(Store.open(choice.store), choice, tell)
        keeper.notice = keeper.notice or past.notice
        keeper.begin()
        return keeper

    def open_it() -> Game:
        watching = Watching(learn and not choice.films, session.tell)
        return open_game(choice, history(), watching)

    session = Session(
        open_chosen if choice.source is not None else None,
        open_it,
        open_keeper=open_keeper if choice.kept else None,
        realtime=realtime,
    )
    return session
