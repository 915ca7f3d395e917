"""A store that another program erases or replaces at the worst moment: what is played is kept, or refused."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from companion.files.lock import lock_game
from companion.store import backup as keeping
from companion.store import opening as store_opening
from companion.store import schema as store_file
from companion.store.backup import back_up, erase, restore
from companion.store.store import Store
from engine.errors import BadInputError

PLAYERS = ("Ann", "Bob")
LINE = {"id": 1, "event": "draw", "player": "Ann"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of one finished game, and a backup of it beside it."""
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append(LINE)
        store.finish("Ann")
    back_up(tmp_path / "copy.sqlite", path)
    return path


def put_back(path: Path) -> None:
    restore(path.with_name("copy.sqlite"), path)


def kept(path: Path, game: int) -> int:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as read:
        return int(read.execute("SELECT count(*) FROM events WHERE game = ?", (game,)).fetchone()[0])


@pytest.mark.parametrize("act", [erase, put_back])
def test_a_store_is_neither_erased_nor_replaced_while_it_is_opened(
    act: Callable[[Path], object], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other program begins right after the file has been opened, and waits. Then the game is refused."""
    connect, other = store_file.connect, threading.Thread(target=act, args=(path,))

    def connect_and_lose(where: Path) -> sqlite3.Connection:
        connection = connect(where)
        if where == path and other.ident is None:
            other.start()
            other.join(0.1)
            assert other.is_alive()
        return connection

    monkeypatch.setattr(store_opening, "connect", connect_and_lose)
    with Store.open(path) as store:
        other.join()
        with pytest.raises(BadInputError, match="was replaced by another program"):
            store.start_game("winnersh", PLAYERS)
    with Store.open(path) as store:
        game = store.start_game("winnersh", PLAYERS)
        store.append(LINE)
    assert kept(path, game) == 1


@pytest.mark.parametrize("resumes", [False, True])
@pytest.mark.parametrize("act", [erase, put_back])
def test_a_game_that_begins_while_the_store_is_erased_or_replaced_is_kept_or_refused(
    act: Callable[[Path], object], resumes: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game begins right after it was found that nobody plays."""
    refuse_if_playing = keeping.check_not_playing
    told: list[int | str | None] = []

    def begin() -> None:
        try:
            if resumes:
                store.resume_game(1)
            else:
                store.start_game("winnersh", PLAYERS)
            store.append(LINE)
            told.append(store.game)
        except BadInputError as error:
            told.append(str(error))

    player = threading.Thread(target=begin)

    def refuse_and_begin(*which: Any) -> None:
        refuse_if_playing(*which)
        player.start()
        player.join(0.15)

    monkeypatch.setattr(keeping, "check_not_playing", refuse_and_begin)
    with Store.open(path) as store:
        act(path)
        player.join()
        assert told == [f"the store {path} was replaced by another program: open it again"]


def test_no_game_begins_whose_lock_another_program_holds(path: Path) -> None:
    with Store.open(path) as store:
        elsewhere = lock_game(path, 2)
        assert elsewhere is not None
        with pytest.raises(BadInputError, match="game 2 is being played in another window"):
            store.start_game("winnersh", PLAYERS)
        assert [game.id for game in store.games()] == [1], "nothing is left of it"
        elsewhere.release()
        assert store.start_game("winnersh", PLAYERS) == 2


def test_erasing_leaves_what_was_begun_anew_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On some systems the folders of games, settings and caches are one."""
    for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "home"))
    with Store.open() as store:
        store.start_game("winnersh", PLAYERS)
    told: list[int] = []

    def begin() -> None:
        with contextlib.suppress(BadInputError), Store.open() as opened:
            game = opened.start_game("winnersh", PLAYERS)
            opened.append(LINE)
            told.append(game)

    settings, player = platformdirs.user_config_path, threading.Thread(target=begin)

    def settings_and_begin(*of: Any, **how: Any) -> Path:
        """The game begins once the folder of the games has been looked at."""
        if not player.ident:
            player.start()
            player.join(0.15)
        return settings(*of, **how)

    monkeypatch.setattr(platformdirs, "user_config_path", settings_and_begin)
    erase()
    player.join()
    assert [kept(store.path, game) for game in told] == [1] * len(told)
