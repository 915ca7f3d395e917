"""The store's file: opening, migrating, and what to do with one that is damaged.

A damaged file is set aside and never written to again; what can still be read of it goes into a new one.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.said import message

SCHEMA_VERSION = 2
OF_A_STORE = ("", "-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files beside it."""
SALVAGE = "shithead-salvage-"
"""What the name of the folder begins with in which a damaged file is read; a killed program leaves it."""
_PAGE = 4096
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_PATIENCE_S, _IN_GAME_MS = 5.0, 2000
"""How long another program's writing is waited for: on opening, and in mid-game, when people wait too."""
_AGAIN_S = 0.01
"""How soon a file that was just being begun is tried again."""

_MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE evenings (id INTEGER PRIMARY KEY, started REAL NOT NULL);
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        evening INTEGER NOT NULL REFERENCES evenings(id),
        started REAL NOT NULL,
        finished REAL,
        rules TEXT NOT NULL,
        options TEXT NOT NULL,
        players TEXT NOT NULL,
        dealer TEXT,
        loser TEXT,
        source TEXT
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games(id),
        written REAL NOT NULL,
        line TEXT NOT NULL
    );
    CREATE INDEX events_of_game ON events(game, id);
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES games(id),
        written REAL NOT NULL,
        event INTEGER NOT NULL,
        line TEXT
    );
    """,
    """
    ALTER TABLE games ADD COLUMN deck TEXT;
    ALTER TABLE games ADD COLUMN layout TEXT;
    """,
)
"""One script per schema version: `_MIGRATIONS[n]` takes a file from version n to n + 1."""

ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite's module raises; the second where SQLite's own message quotes damaged bytes."""
# What SQLite answers to a file that contradicts itself. Of the other codes each has a cause outside the file:
# it is locked, the disk is full or read-only, or it fails.
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_MOST_MISSING = 200_000
"""So many rows between two readable ones are looked for one by one."""


def open_file(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """Open, check and migrate the file at `path`, beginning a new one where it is damaged or there is none.

    Returns the connection, and one line for the user where there is something worth saying.

    Raises:
        sqlite3.Error: it cannot be opened for a reason outside the file.
        OSError: likewise.
        BadInputError: a newer version of the program wrote it, or it belongs to another program.
    """
    try:
        return _connect(path), None
    except ERRORS as error:
        if not is_damage(error):
            raise
    aside = set_aside(path, "damaged")
    connection = _connect(path)
    saved = _salvage(aside, connection)
    games, events = saved["games"], saved["events"]
    begun = message(
        "the store {path} is damaged; it was set aside as {aside} and a new one begun",
        path=path,
        aside=aside.name,
    )
    if not games:
        return connection, begun
    return connection, message(
        "{reason}, with {games} games and {events} events that could still be read",
        reason=begun,
        games=games,
        events=events,
    )


def is_damage(error: Exception) -> bool:
    """Tell whether an error says that the file is not sound."""
    if isinstance(error, UnicodeDecodeError):
        return True
    return _primary_code(error) in _DAMAGE


def _primary_code(error: Exception) -> int:
    """Return SQLite's primary result code, the low byte (it adds detail above); 0 where there is none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def set_aside(path: Path, why: str) -> Path:
    """Rename a store, with SQLite's companions, to a name that is not taken. Returns the new path."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.{why}-{stamp}{path.suffix}")
    attempt = 1
    while aside.exists():
        attempt += 1
        aside = path.with_name(f"{path.stem}.{why}-{stamp}-{attempt}{path.suffix}")
    for suffix in OF_A_STORE:
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, and wait while another program is about to begin it.

    SQLite itself waits for a program that writes, but not for one that turns a file to WAL: of two programs
    that begin one store at the same moment, the second is told at once that it is locked.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return _connect_once(path)
        except sqlite3.OperationalError as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_AGAIN_S)


def _connect_once(path: Path) -> sqlite3.Connection:
    # isolation_level=None: transactions are begun and ended where the code says so, nowhere else.
    connection = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
    connection.text_factory = _text
    try:
        (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if answer != "ok":
            damage = sqlite3.DatabaseError(answer)
            damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damage
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise BadInputError("the store {path} was written by a newer version of this program", path=path)
        if version == 0 and _holds_something_else(connection):
            raise BadInputError("{path} is the database of another program, and is left alone", path=path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        if version < SCHEMA_VERSION:
            _migrate(connection)
        for table, columns in _COLUMNS.items():  # says so where a name in the file is damaged
            connection.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 0")
        connection.execute(f"PRAGMA busy_timeout = {_IN_GAME_MS}")
    except BaseException:
        connection.close()
        raise
    return connection


def _holds_something_else(connection: sqlite3.Connection) -> bool:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(names) and not names & {"games", "events"}


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, all or nothing; a second program at it waits and finds it done."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in _MIGRATIONS[max(0, version) :]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


# --- what can be read of a damaged file ---------------------------------------------------------------

_COLUMNS = {
    "evenings": ("id", "started"),
    "games": (
        *("id", "evening", "started", "finished", "rules", "options", "players", "dealer", "loser"),
        *("source", "deck", "layout"),
    ),
    "events": ("id", "game", "written", "line"),
    "corrections": ("id", "game", "written", "event", "line"),
}
_JSON_KINDS: dict[str, type] = {"options": list, "players": list, "layout": dict, "line": dict}
_NUMBERS = ("id", "evening", "started", "finished", "game", "written", "event")
_MAY_BE_NULL = {
    *(("games", name) for name in ("finished", "dealer", "loser", "source", "deck", "layout")),
    ("corrections", "line"),
}


def _salvage(damaged: Path, connection: sqlite3.Connection) -> Counter[str]:
    """Copy every sound row of a damaged store; returns how many of each table. The file is not touched."""
    saved: Counter[str] = Counter()
    with (
        contextlib.suppress(*ERRORS, OSError),
        tempfile.TemporaryDirectory(dir=damaged.parent, prefix=SALVAGE) as folder,
    ):
        copy = Path(folder) / damaged.name
        for suffix in ("", "-wal"):
            part = damaged.with_name(damaged.name + suffix)
            if part.exists():
                shutil.copy(part, copy.with_name(copy.name + suffix))
        _mend_first_page(copy)
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as source:
            source.text_factory = _text
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                for table, columns in _COLUMNS.items():
                    saved[table] = _copy_rows(source, connection, table, columns)
    return saved


def _mend_first_page(path: Path) -> None:
    """Put a new store's first page in place of a damaged one's: it holds what is the same in every store.

    That is the file's header and where its tables begin. The file's size, which stands there too, SQLite then
    takes from the file itself.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        _connect(fresh).close()
        page = bytearray(fresh.read_bytes()[:_PAGE])
    page[28:40] = bytes(12)  # number of pages; first free page, and how many are free
    with path.open("r+b") as file:
        file.write(page)
        file.seek(0, 2)
        file.write(bytes(-file.tell() % _PAGE))


def _copy_rows(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: tuple[str, ...]
) -> int:
    try:
        there = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
    except ERRORS:
        return 0
    names = tuple(name for name in columns if name in there)
    if "id" not in names:
        return 0
    insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    copied = 0
    for row in _readable_rows(source, table, names):
        if _is_sound(table, dict(zip(names, row, strict=True))):
            # A row that contradicts another one (a second of its id, an event of no game) is not taken.
            with contextlib.suppress(*ERRORS):
                target.execute(insert, row)
                copied += 1
    return copied


def _readable_rows(
    source: sqlite3.Connection, table: str, names: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield a table's rows: from the front up to the damage, from the back, and what can be found between."""
    select = f"SELECT {', '.join(names)} FROM {table}"
    front = list(_until_error(source, f"{select} ORDER BY id"))
    yield from front
    last = max((row[0] for row in front if isinstance(row[0], int)), default=0)
    first_behind = None
    for row in _until_error(source, f"{select} WHERE id > {last} ORDER BY id DESC"):
        first_behind = row[0]
        yield row
    if isinstance(first_behind, int) and first_behind - last <= _MOST_MISSING:
        for number in range(last + 1, first_behind):
            yield from _until_error(source, f"{select} WHERE id = {number}")


def _until_error(source: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    try:
        yield from source.execute(query)
    except ERRORS:
        return


def _is_sound(table: str, row: dict[str, Any]) -> bool:
    """Tell whether a row's values are of the kinds that this program writes."""
    return all(
        (table, name) in _MAY_BE_NULL if value is None else _is_of_its_kind(name, value)
        for name, value in row.items()
    )


def _is_of_its_kind(name: str, value: Any) -> bool:
    if name in _NUMBERS:
        return isinstance(value, int | float)
    if name in _JSON_KINDS:
        return isinstance(from_json(value), _JSON_KINDS[name])
    return isinstance(value, str)


def _text(raw: bytes) -> str:
    """Read text of which single bytes may be damaged: one bad entry must not hide the others."""
    return raw.decode("utf-8", "replace")


def from_json(text: Any) -> Any:
    """Return what a column of JSON holds; None for what is none, or is damaged."""
    try:
        return None if _BROKEN in text else json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
