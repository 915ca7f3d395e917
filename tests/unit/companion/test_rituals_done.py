"""What was sung: kept in the store beside the games, whatever happens to program or file."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.store import schema as store_file
from companion.store.backup import back_up, erase, restore
from companion.store.rows import RitualDone
from companion.store.store import Store
from engine.errors import BadInputError
from tests.support.old_store import make_older

SONG = "Library Boy"
PLAYERS = ("Ann", "Bob")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two games; Bob lost the first."""
    path = tmp_path / "evenings.sqlite"
    with Store.open(path, clock=lambda: 1_000.0) as store:
        for loser in ("Bob", None):
            store.start_game("winnersh", PLAYERS)
            store.append({"id": 1, "event": "draw", "player": "Ann"})
            store.finish(loser)
    return path


def sing(path: Path, number: int = 1, *, player: str = "Bob", done: bool = True) -> None:
    with Store.open(path, clock=lambda: 2_000.0) as store:
        store.mark_ritual(1, player, SONG, number, done=done)


def sung(path: Path) -> list[tuple[RitualDone, ...]]:
    with Store.open_to_read(path) as store:
        assert store.notice is None
        return [game.rituals_done for game in store.games()]


def recorded(path: Path) -> list[tuple[object, ...]]:
    tables = {
        **store_file.COLUMNS,
        "games": ("id", "started", "finished", "loser", "players", "layout"),
        "events": ("id", "game", "written", "line"),
        "corrections": ("id", "game", "written", "event", "line"),
    }
    with closing(sqlite3.connect(path)) as connection:
        return [
            row
            for table, columns in tables.items()
            for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
        ]


def test_what_was_sung_is_known_from_then_on_and_can_be_taken_back(path: Path) -> None:
    before = recorded(path)
    sing(path, 2)
    sing(path, 1)
    assert sung(path) == [(RitualDone("Bob", SONG, 2, 2_000.0), RitualDone("Bob", SONG, 1, 2_000.0)), ()]
    sing(path, 2, done=False)
    assert sung(path) == [(RitualDone("Bob", SONG, 1, 2_000.0),), ()]
    sing(path, 1, done=False)
    assert sung(path) == [(), ()]
    assert recorded(path) == before, "of the games themselves nothing changes"


def test_two_programs_that_say_the_same_say_it_once_and_neither_forgets_the_others(path: Path) -> None:
    with Store.open(path) as one, Store.open(path) as other:
        one.mark_ritual(1, "Bob", SONG, 1, done=True)
        other.mark_ritual(1, "Bob", SONG, 1, done=True)
        other.mark_ritual(1, "Ann", SONG, 1, done=True)
        one.start_game("winnersh", PLAYERS)  # and a game goes on meanwhile
        other.mark_ritual(2, "Bob", SONG, 1, done=True)
        one.append({"id": 1, "event": "draw", "player": "Ann"})
    assert [[ritual.player for ritual in game] for game in sung(path)] == [["Bob", "Ann"], ["Bob"], []]


SINGER = """
import sys
from companion.store.store import Store
store = Store.open(sys.argv[1])
number = 0
while True:
    number += 1
    store.mark_ritual(1, "Bob", "Library Boy", number, done=True)
    print(number, flush=True)
"""


def test_killed_at_once_what_was_reported_as_sung_stays_sung(path: Path) -> None:
    singer = subprocess.Popen([sys.executable, "-c", SINGER, str(path)], stdout=subprocess.PIPE, text=True)
    assert singer.stdout is not None
    for _ in range(20):
        singer.stdout.readline()
    os.kill(singer.pid, signal.SIGKILL)
    reported = 20 + sum(1 for line in singer.stdout if line.endswith("\n"))
    assert singer.wait() == -signal.SIGKILL
    numbers = [ritual.number for ritual in sung(path)[0]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert reported <= len(numbers) <= reported + 1


def of_version_two(path: Path) -> None:
    """Make a store as the version before wrote it."""
    Store.open(path).close()
    make_older(path, 2)
    with closing(sqlite3.connect(path)) as old:
        old.execute("INSERT INTO evenings VALUES (1, 5.0)")
        players = '["Ann","Bob"]'
        old.execute(
            "INSERT INTO games (id, evening, started, finished, rules, options, players, loser, layout)"
            " VALUES (1, 1, 5.0, 6.0, 'winnersh', '[]', ?, 'Bob', '{\"width\":1}')",
            (players,),
        )
        line = '{"id":1,"event":"draw","player":"Ann"}'
        old.execute("INSERT INTO events (game, written, line) VALUES (1, 5.5, ?)", (line,))
        old.commit()


def test_a_store_of_the_version_before_keeps_all_and_takes_what_is_sung(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    of_version_two(path)
    before = recorded(path)
    assert sung(path) == [()], "read as it is"
    sing(path)
    assert [ritual.key for ritual in sung(path)[0]] == [("Bob", SONG, 1)]
    assert recorded(path) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (store_file.SCHEMA_VERSION,)


def test_a_backup_holds_it_and_erasing_takes_it_along(path: Path, tmp_path: Path) -> None:
    sing(path)
    copy = back_up(tmp_path / "copy.sqlite", path)
    sing(path, done=False)
    restore(copy, path)
    assert [ritual.key for ritual in sung(path)[0]] == [("Bob", SONG, 1)]
    erase(path)
    assert [file.name for file in tmp_path.iterdir()] == ["copy.sqlite"]


def test_what_was_sung_is_still_there_when_a_damaged_store_is_read_again(tmp_path: Path) -> None:
    """Also in a store that was begun by the version before; the page that tells of the tables is gone."""
    path = tmp_path / "old.sqlite"
    of_version_two(path)
    with Store.open(path) as store:
        for number in range(2, 80):
            store.start_game("winnersh", PLAYERS)
            store.append({"id": number, "event": "draw", "player": "Ann"})
    sing(path)
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * 3996 + data[4096:])
    with Store.open(path) as store:
        assert store.notice is not None
        assert [ritual.key for ritual in store.games()[0].rituals_done] == [("Bob", SONG, 1)]


def test_a_game_is_read_again_from_a_damaged_store_though_what_was_sung_is_damaged_too(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE games SET rituals_done = 'no list' WHERE id = 1")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * 3996 + data[4096:])
    with Store.open(path) as store:
        assert [(game.loser, game.rituals_done) for game in store.games()] == [("Bob", ()), (None, ())]
        assert len(store.events(1)) == 1


@pytest.mark.parametrize(
    "entry",
    ["no list", "{}", '[{"player":"Bob"}]', '[{"player":"Bob","title":"x","number":true}]', "[7]", 7],
)
def test_an_entry_that_makes_no_sense_is_passed_over_and_the_game_stays(path: Path, entry: str | int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE games SET rituals_done = ? WHERE id = 1", (entry,))
        connection.commit()
    assert sung(path) == [(), ()]
    sing(path)
    assert [ritual.key for ritual in sung(path)[0]] == [("Bob", SONG, 1)]


def test_of_a_game_that_there_is_not_nothing_can_be_sung(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(BadInputError, match=r"has no game 9$"):
        store.mark_ritual(9, "Bob", SONG, 1, done=True)
