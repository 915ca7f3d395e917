"""The store: evenings, games and every decided event, in one SQLite file on this device.

Each event is written in a transaction of its own as it is decided, with `synchronous=FULL`, so that a
killed program or a dead battery loses none. A damaged file is set aside and never written to again.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs

from engine.errors import BadInputError

SCHEMA_VERSION = 2
NEW_EVENING_AFTER_S = 6 * 3600.0
"""A game that starts this long after the last thing that happened belongs to a new evening."""
RESUMABLE_FOR_S = 24 * 3600.0
"""A game broken off longer ago than this is over for good: the cards have been put away."""

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

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game as the store knows it. `finished` is None while it is played; `loser` may stay unknown."""

    id: int
    evening: int
    started: float
    finished: float | None
    rules: str
    options: tuple[str, ...]
    players: tuple[str, ...]
    dealer: str | None
    loser: str | None
    source: str | None
    """What was watched; None where people entered what happened."""
    deck: str | None = None
    layout: dict[str, Any] | None = None
    """Where seats and piles are (`vision.layout.Layout.to_json`), once that was known."""


class Store:
    """The one file that remembers. Use `Store.open()`; close it, or use it in a `with` block.

    For one thread at a time; several programs may use the file (WAL lets one write while others read).
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Callable[[], float]) -> None:
        self.path = path
        self.notice: str | None = None
        """One line for the user where opening found something worth saying (a damaged file set aside)."""
        self._connection = connection
        self._clock = clock
        self._game: int | None = None

    @classmethod
    def open(cls, path: Path | str | None = None, *, clock: Callable[[], float] = time.time) -> Store:
        """Open the store, creating or migrating it; `path` defaults to the user's data folder.

        A file that SQLite finds damaged is renamed beside itself (`store.damaged-…`), a new one begun, and
        `notice` says so.

        Raises:
            BadInputError: the file cannot be opened at all, or a newer version of the program wrote it.
        """
        where = Path(path) if path is not None else default_path()
        notice = None
        try:
            where.parent.mkdir(parents=True, exist_ok=True)
            try:
                connection = _connect(where)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                aside = _set_aside(where)
                notice = f"the store {where} is damaged; it was set aside as {aside.name} and a new one begun"
                connection = _connect(where)
        except OSError as error:
            raise BadInputError(f"the store {where} cannot be used: {error.strerror or error}") from None
        except sqlite3.Error as error:
            raise BadInputError(f"the store {where} cannot be used: {error}") from None
        store = cls(connection, where, clock)
        store.notice = notice
        return store

    def close(self) -> None:
        """Close the file. What was appended is already safe without it."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing

    def start_game(
        self,
        rules: str,
        players: Sequence[str],
        *,
        options: Sequence[str] = (),
        dealer: str | None = None,
        source: str | None = None,
        deck: str | None = None,
    ) -> int:
        """Begin a game, in tonight's evening or a new one; later calls write to it. Returns its id."""
        now = self._clock()
        with self._transaction() as write:
            evening = self._evening_at(now)
            if evening is None:
                evening = write.execute("INSERT INTO evenings (started) VALUES (?)", (now,)).lastrowid
            self._game = write.execute(
                "INSERT INTO games (evening, started, rules, options, players, dealer, source, deck)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (evening, now, rules, _to_json(list(options)), _to_json(list(players)), dealer, source, deck),
            ).lastrowid
        assert self._game is not None
        return self._game

    def resume_game(self, game: int) -> None:
        """Write what follows to `game`, which an earlier run began."""
        self._game = game

    def append(self, line: dict[str, Any]) -> None:
        """Write one decided event (a line of `shithead watch`) to the running game, durably."""
        with self._transaction() as write:
            write.execute(
                "INSERT INTO events (game, written, line) VALUES (?, ?, ?)",
                (self._running(), self._clock(), _to_json(line)),
            )

    def correct(self, event: int, line: dict[str, Any] | None) -> None:
        """Write that a player corrected `event` to `line`, or with None took it back."""
        with self._transaction() as write:
            write.execute(
                "INSERT INTO corrections (game, written, event, line) VALUES (?, ?, ?, ?)",
                (self._running(), self._clock(), event, None if line is None else _to_json(line)),
            )

    def keep_layout(self, layout: dict[str, Any]) -> None:
        """Write where the running game's seats and piles are, for the case that it has to be resumed."""
        with self._transaction() as write:
            write.execute("UPDATE games SET layout = ? WHERE id = ?", (_to_json(layout), self._running()))

    def finish(self, loser: str | None) -> None:
        """End the running game; `loser` is None where nobody was found to have lost."""
        with self._transaction() as write:
            write.execute(
                "UPDATE games SET finished = ?, loser = ? WHERE id = ?",
                (self._clock(), loser, self._running()),
            )

    def reopen(self) -> None:
        """Take back that the running game has ended."""
        with self._transaction() as write:
            write.execute("UPDATE games SET finished = NULL, loser = NULL WHERE id = ?", (self._running(),))

    # Reading

    def games(self, *, evening: int | None = None) -> list[StoredGame]:
        """Return the games in the order in which they began: all, or those of one evening."""
        where = "" if evening is None else " WHERE evening = ?"
        rows = self._connection.execute(
            "SELECT id, evening, started, finished, rules, options, players, dealer, loser, source,"
            f" deck, layout FROM games{where} ORDER BY id",
            () if evening is None else (evening,),
        )
        return [
            StoredGame(
                id=row[0],
                evening=row[1],
                started=row[2],
                finished=row[3],
                rules=row[4],
                options=tuple(json.loads(row[5])),
                players=tuple(json.loads(row[6])),
                dealer=row[7],
                loser=row[8],
                source=row[9],
                deck=row[10],
                layout=None if row[11] is None else json.loads(row[11]),
            )
            for row in rows
        ]

    def broken_off(self) -> StoredGame | None:
        """Return the newest game in which anything happened, if it was broken off, and not long ago."""
        row = self._connection.execute(
            "SELECT game, max(written) FROM events WHERE game = (SELECT max(game) FROM events)"
        ).fetchone()
        if row is None or row[0] is None or self._clock() - float(row[1]) > RESUMABLE_FOR_S:
            return None
        game = next(game for game in self.games() if game.id == row[0])
        return game if game.finished is None else None

    def last_evening(self) -> int | None:
        """Return the id of the newest evening, or None in an empty store."""
        row = self._connection.execute("SELECT max(id) FROM evenings").fetchone()
        return None if row is None or row[0] is None else int(row[0])

    def tonight(self) -> int | None:
        """Return the evening that a game starting now belongs to; None where it begins a new one."""
        return self._evening_at(self._clock())

    def events(self, game: int) -> list[dict[str, Any]]:
        """Return a game's event lines in the order in which they were decided."""
        rows = self._connection.execute("SELECT line FROM events WHERE game = ? ORDER BY id", (game,))
        return [json.loads(line) for (line,) in rows]

    def corrections(self, game: int) -> list[tuple[int, dict[str, Any] | None]]:
        """Return a game's corrections in order: (event, what it was corrected to, or None: taken back)."""
        rows = self._connection.execute(
            "SELECT event, line FROM corrections WHERE game = ? ORDER BY id", (game,)
        )
        return [(event, None if line is None else json.loads(line)) for event, line in rows]

    def _running(self) -> int:
        if self._game is None:
            raise RuntimeError("no game is running: call start_game() first")
        return self._game

    def _evening_at(self, now: float) -> int | None:
        """Return the evening that a game starting `now` belongs to, or None where a new one begins."""
        evening = self.last_evening()
        if evening is None:
            return None
        (last,) = self._connection.execute(
            "SELECT max(t) FROM (SELECT started AS t FROM evenings WHERE id = :e"
            " UNION SELECT max(started, ifnull(finished, 0)) FROM games WHERE evening = :e"
            " UNION SELECT max(written) FROM events JOIN games ON games.id = events.game WHERE evening = :e)",
            {"e": evening},
        ).fetchone()
        return evening if now - float(last) < NEW_EVENING_AFTER_S else None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all of a block or none of it; a full or vanished disk becomes one clear line."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                yield self._connection
        except sqlite3.Error as error:
            raise BadInputError(f"the store {self.path} cannot be written: {error}") from None


def default_path() -> Path:
    """Return where the store lives on this platform."""
    return platformdirs.user_data_path("shithead", appauthor=False) / "evenings.sqlite"


def _connect(path: Path) -> sqlite3.Connection:
    """Open, check and migrate the file. Raises sqlite3.Error, or BadInputError for a newer file."""
    # isolation_level=None: transactions are begun and ended where the code says so, nowhere else.
    connection = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
    try:
        (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            damage = sqlite3.DatabaseError(answer)
            damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damage
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise BadInputError(f"the store {path} was written by a newer version of this program")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        if version < SCHEMA_VERSION:
            _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, all or nothing; a second program at it waits and finds it done."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in _MIGRATIONS[version:]:
            for statement in filter(str.strip, script.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _is_damage(error: sqlite3.Error) -> bool:
    # The low byte is the primary result code; SQLite adds detail above it.
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _DAMAGE


def _set_aside(path: Path) -> Path:
    """Rename a damaged file, with SQLite's companions, to a name that is not taken. Returns the new path."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    attempt = 1
    while aside.exists():
        attempt += 1
        aside = path.with_name(f"{path.stem}.damaged-{stamp}-{attempt}{path.suffix}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + suffix))
    return aside


def _to_json(value: Any) -> str:
    return json.dumps(
        list(value) if isinstance(value, tuple) else value, ensure_ascii=False, separators=(",", ":")
    )
