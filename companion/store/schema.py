"""The store's file: its tables, how it is opened and migrated.

`companion.store.opening` handles damaged and replaced files.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from companion.files.store_paths import with_sqlite_files
from engine.errors import BadInputError

SCHEMA_VERSION = 5
_PATIENCE_S, _IN_GAME_MS = 5.0, 2000
"""How long to wait for another program's write: on opening, and in mid-game, when people wait too."""
_AGAIN_S = 0.01
"""Wait before a file that was just being created is tried again."""
COLUMNS = {
    "evenings": ("id", "started"),
    "games": (
        *("id", "evening", "started", "finished", "rules", "options", "players", "dealer", "loser"),
        *("source", "deck", "layout", "rituals_done", "checksum"),
    ),
    "events": ("id", "game", "written", "line", "checksum"),
    "corrections": ("id", "game", "written", "event", "line", "checksum"),
}
"""The tables of the newest version, and their columns."""

_MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE evenings (id INTEGER PRIMARY KEY, started REAL NOT NULL);
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, evening INTEGER NOT NULL REFERENCES evenings(id), started REAL NOT NULL,
        finished REAL, rules TEXT NOT NULL, options TEXT NOT NULL, players TEXT NOT NULL,
        dealer TEXT, loser TEXT, source TEXT
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES games(id), written REAL NOT NULL,
        line TEXT NOT NULL
    );
    CREATE INDEX events_of_game ON events(game, id);
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES games(id), written REAL NOT NULL,
        event INTEGER NOT NULL, line TEXT
    );
    """,
    "ALTER TABLE games ADD COLUMN deck TEXT; ALTER TABLE games ADD COLUMN layout TEXT",
    # A column, not a table: the roots of tables lie on the first page, which salvaging replaces.
    "ALTER TABLE games ADD COLUMN rituals_done TEXT",
    # Empty in rows of older versions, which are read as they are.
    "ALTER TABLE events ADD COLUMN checksum INTEGER",
    "ALTER TABLE games ADD COLUMN checksum INTEGER; ALTER TABLE corrections ADD COLUMN checksum INTEGER",
)
"""One script per schema version: `_MIGRATIONS[n]` takes a file from version n to n + 1."""

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""Errors of SQLite's module; the second if its own message quotes damaged bytes."""
# SQLite's codes for a file that contradicts itself. The other codes have causes outside the file: it is
# locked, or the disk is full, read-only or failing.
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def is_corruption(error: Exception) -> bool:
    """Return whether an error means that the file is damaged."""
    return isinstance(error, UnicodeDecodeError) or _primary_code(error) in _DAMAGE


def _primary_code(error: Exception) -> int:
    """Return SQLite's primary result code, which is the low byte; 0 if there is none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def connect(path: Path) -> sqlite3.Connection:
    """Open, check and migrate the file at `path`, or begin it. Wait while another program is creating it.

    SQLite waits for a program that writes, but not for one that switches a file to WAL.

    Raises:
        sqlite3.Error: it is damaged (`is_corruption`), or cannot be opened for a reason outside the file.
        BadInputError: a newer version wrote it, it belongs to another program, or lies on a read-only disk.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with _closed_on_error(_connection(path, "mode=rwc")) as connection:
                _bring_up_to_date(connection, path)
                connection.execute(f"PRAGMA busy_timeout = {_IN_GAME_MS}")
                return connection
        except sqlite3.OperationalError as error:
            if _is_read_only(path, error):
                raise BadInputError(
                    "the store {path} cannot be used: its disk or folder is read-only", path=path
                ) from None
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_AGAIN_S)


def connect_copy(path: Path | None, mode: str = "rw") -> sqlite3.Connection:
    """Return a checked, migrated copy of the file in memory. With None, it is empty.

    The file does not change. Mode `rw` suits our own store, because SQLite then cleans up after itself.

    Raises:
        sqlite3.Error: as `connect`.
        BadInputError: as `connect`.
    """
    with _closed_on_error(_connection(None)) as copy:
        if path is not None:
            with closing(connect_to_read(path, mode)) as source:
                source.backup(copy)
        _bring_up_to_date(copy, path or Path())
        return copy


def connect_to_read(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection of mode `ro` or `rw` that sees the file at `path` as it is now.

    SQLite writes beside a file even to read it. On a read-only disk nobody else can write, so it is opened as
    immutable.

    Raises:
        sqlite3.Error: it cannot be read.
        BadInputError: the disk is read-only, and part of the data is still in the log beside the file.
    """
    try:
        return _reading(path, f"mode={mode}")
    except sqlite3.OperationalError as error:
        if not _is_read_only(path, error):
            raise
    for log in with_sqlite_files(Path(os.path.realpath(path)))[1:]:
        if not log.name.endswith("-shm") and log.exists() and log.stat().st_size:
            raise BadInputError(
                "the store {path} is on a read-only disk, and its last entries are still in {log}: copy "
                "both elsewhere",
                path=path,
                log=log.name,
            )
    return _reading(path, "mode=ro&immutable=1")


def _reading(path: Path, how: str) -> sqlite3.Connection:
    with _closed_on_error(_connection(path, how)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # waits, as the copying will not
        return connection


def _connection(path: Path | None, how: str = "") -> sqlite3.Connection:
    """Return a connection to a file, or to memory. Only our own code begins and ends its transactions."""
    connection = sqlite3.connect(
        ":memory:" if path is None else f"{path.absolute().as_uri()}?{how}",
        uri=path is not None,
        timeout=_PATIENCE_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = decode_text
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _is_read_only(path: Path, error: sqlite3.Error) -> bool:
    """Return whether the error came from a disk or folder without write permission."""
    if _primary_code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return False
    real = Path(os.path.realpath(path))
    return real.is_file() and not (os.access(real, os.W_OK) and os.access(real.parent, os.W_OK))


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Check that this is a sound store, and migrate it."""
    (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        damage = sqlite3.DatabaseError(answer)
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise BadInputError("the store {path} was written by a newer version of this program", path=path)
    if version == 0 and _holds_something_else(connection):
        raise BadInputError("{path} belongs to another program, and was not changed", path=path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if version < SCHEMA_VERSION:
        _migrate(connection)
    for table, columns in COLUMNS.items():  # fails if a name in the file is damaged
        connection.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 0")


def _holds_something_else(connection: sqlite3.Connection) -> bool:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(names) and not names & {"games", "events"}


def _migrate(connection: sqlite3.Connection) -> None:
    """Migrate the schema, all or nothing. A second program waits and finds it done."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in _MIGRATIONS[max(0, version) :]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def decode_text(raw: bytes) -> str:
    """Decode text in which single bytes may be damaged: one bad entry must not hide the others."""
    return raw.decode("utf-8", "replace")
