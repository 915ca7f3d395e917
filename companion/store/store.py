"""The store: evenings, games and every decided event, in one SQLite file on this device.

Each event has its own transaction with `synchronous=FULL`, so that a killed program or an empty battery loses
none. `companion.store.schema` describes the file, `companion.store.opening` how it is opened.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from companion.files.lock import FileLock, games_being_played, lock_game
from companion.files.store_paths import follow_link
from companion.store.opening import (
    OpenedStore,
    exclusive_access,
    file_identity,
    open_copy,
    open_file,
    pending_files,
    replace_store,
    write_copy,
)
from companion.store.rows import (
    RitualDone,
    StoredGame,
    checksum,
    is_unchanged,
    parse_event_line,
    parse_game,
    parse_rituals_done,
    parse_time,
    to_json,
)
from companion.store.schema import COLUMNS, SQLITE_ERRORS
from engine.errors import BadInputError
from engine.files.atomic import make_folder
from engine.messages import Said, message

NEW_EVENING_AFTER_S = 6 * 3600.0
"""A game that starts this long after the last activity belongs to a new evening."""
CLOCK_SET_BACK_S = 24 * 3600.0
"""A game that starts this long before the last activity also does: a clock was wrong. Setting a clock back by
less does not split an evening."""
RESUMABLE_FOR_S = 24 * 3600.0
"""A game interrupted longer ago than this cannot go on: the cards have been put away."""

_ONE_GAME = f"SELECT {', '.join(COLUMNS['games'])} FROM games WHERE id = ?"
_Entry = TypeVar("_Entry")
_TRIES, _AGAIN_S = 10, 0.02
"""Attempts to lock a game. A program that only checks who is playing holds the lock for a moment."""


class Store:
    """The store. Use `Store.open()`, and close it or use it in a `with` block.

    Use it in one thread. Several programs may use one file: WAL lets one write while others read.
    """

    def __init__(self, opened: OpenedStore, path: Path, clock: Callable[[], float]) -> None:
        self.path = path
        self.notice = opened.notice
        """A line for the user, if opening found something to report, such as a damaged file set aside."""
        self.damage = opened.damage
        """SQLite's finding, if the file is damaged and was only opened to read; else None."""
        self._connection = opened.connection
        self._clock = clock
        self._game: int | None = None
        self._lock: FileLock | None = None
        self._file = opened.file

    @classmethod
    def open(cls, path: Path | str | None = None, *, clock: Callable[[], float] = time.time) -> Store:
        """Open the store; create or migrate it if necessary. `path` defaults to the user's data folder.

        A damaged file is renamed to `store.damaged-…`, and a new one begins with its readable rows; `notice`
        says so. A file that never was a store stays as it is, unless it lies in the program's own place
        (`companion.store.damage`).

        Raises:
            BadInputError: the file cannot be opened, is no store, or a newer version wrote it.
        """
        where = Path(path) if path is not None else default_path()
        return cls._opened(open_file, where, clock, makes_folder=True)

    @classmethod
    def open_to_read(
        cls, path: Path | str | None = None, *, clock: Callable[[], float] = time.time, mode: str = "rw"
    ) -> Store:
        """Open a copy of the store's present state for reading. If there is no store, it is empty.

        The file does not change: none is begun, and a damaged one is not set aside. `notice` reports damage,
        and the copy holds the readable rows. `mode` is as in `companion.store.schema.connect_copy`.

        Raises:
            BadInputError: as `open`.
        """
        where = Path(path) if path is not None else default_path()
        return cls._opened(partial(open_copy, mode=mode), where, clock)

    @classmethod
    def _opened(
        cls,
        open_it: Callable[..., OpenedStore],
        named: Path,
        clock: Callable[[], float],
        *,
        makes_folder: bool = False,
    ) -> Store:
        where = follow_link(named)
        try:
            if makes_folder:
                make_folder(named.parent)  # not the folder of a link's target
            return cls(open_it(where, at_home=is_default_store(where)), where, clock)
        except OSError as error:
            reason: object = error.strerror or error
            if error.filename not in (None, str(where)):  # for example its folder
                reason = message("{path}: {reason}", path=error.filename, reason=reason)
        except SQLITE_ERRORS as error:
            reason = error
        raise BadInputError("the store {where} cannot be used: {reason}", where=where, reason=reason)

    def copy_to(self, path: Path, *, called: Path) -> None:
        """Write a copy to a file, as `companion.store.opening.write_copy`."""
        write_copy(self._connection, path, self.path, called)

    def replace(self, store: Path) -> Path:
        """Put a copy into the place of another store, as `companion.store.opening.replace_store`."""
        return replace_store(store, self._connection, "restored", self.path)

    def close(self) -> None:
        """Close the file. Everything appended is already safe."""
        self._let_go()
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
        """Begin a game in tonight's evening or a new one, and return its id. Later calls write to it.

        Raises:
            BadInputError: the store was replaced or erased since it was opened, or cannot be written.
        """
        now, before = self._clock(), self._lock
        with self._in_place(), self._transaction() as write:
            evening = self._evening_at(now)
            if evening is None:
                evening = write.execute("INSERT INTO evenings (started) VALUES (?)", (now,)).lastrowid
            game = write.execute(
                "INSERT INTO games (evening, started, rules, options, players, dealer, source, deck)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (evening, now, rules, to_json(list(options)), to_json(list(players)), dealer, source, deck),
            ).lastrowid
            assert game is not None
            self._seal(write, game)
            self._lock = self._taken(game)
        if before is not None:
            before.release()
        self._game = game
        return game

    def resume_game(self, game: int) -> None:
        """Write to `game` from now on, which an earlier run began.

        Raises:
            BadInputError: another program is playing it, or the store was replaced or erased since.
        """
        self._let_go()
        with self._in_place():
            self._lock = self._taken(game)
        self._game = game

    def _taken(self, game: int) -> FileLock:
        for _ in range(_TRIES):
            lock = lock_game(self.path, game)
            if lock is not None:
                return lock
            time.sleep(_AGAIN_S)
        raise BadInputError("game {game} is being played in another window", game=game)

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        """Refuse to go on if another program has set the file aside or erased it since it was opened.

        No program can do so during the block; afterwards the lock on a game prevents it.
        """
        with exclusive_access(self.path):
            if self._file is not None and file_identity(self.path) != self._file:
                raise BadInputError(
                    "the store {path} was replaced by another program: open it again", path=self.path
                )
            yield

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self._lock = None

    def append(self, *lines: dict[str, Any]) -> None:
        """Write lines that were decided together (as `shithead watch` prints them) to the running game,
        durably.

        All or nothing: a play and the draw assumed after it stay together.
        """
        now, texts = self._clock(), [to_json(line) for line in lines]
        with self._transaction() as write:
            write.executemany(
                "INSERT INTO events (game, written, line, checksum) VALUES (?, ?, ?, ?)",
                [(self.game, now, text, checksum(self.game, text)) for text in texts],
            )

    def correct(self, event: int, line: dict[str, Any] | None) -> None:
        """Record a correction of `event` to `line`, or with None its removal."""
        text = None if line is None else to_json(line)
        with self._transaction() as write:
            write.execute(
                "INSERT INTO corrections (game, written, event, line, checksum) VALUES (?, ?, ?, ?, ?)",
                (self.game, self._clock(), event, text, checksum(self.game, event, text)),
            )

    def save_layout(self, layout: dict[str, Any]) -> None:
        """Store the positions of the running game's seats and piles, in case it has to be resumed."""
        self._set(layout=to_json(layout))

    def finish(self, loser: str | None) -> None:
        """End the running game. `loser` is None if nobody was found to have lost."""
        self._set(finished=self._clock(), loser=loser)

    def reopen(self) -> None:
        """Undo the end of the running game."""
        self._set(finished=None, loser=None)

    def _set(self, **values: Any) -> None:
        """Change columns of the running game."""
        with self._transaction() as write:
            self._change(write, self.game, **values)

    def _change(self, write: sqlite3.Connection, game: int, **values: Any) -> None:
        """Change columns of a game. If its row had been damaged before, its checksum keeps saying so."""
        before = write.execute(_ONE_GAME, (game,)).fetchone()
        columns = ", ".join(f"{column} = ?" for column in values)
        write.execute(f"UPDATE games SET {columns} WHERE id = ?", (*values.values(), game))
        if before is not None and _is_unchanged_game(before):
            self._seal(write, game)

    def _seal(self, write: sqlite3.Connection, game: int) -> None:
        """Store the checksum of a game's row."""
        (row,) = write.execute(_ONE_GAME, (game,))
        write.execute("UPDATE games SET checksum = ? WHERE id = ?", (checksum(*row[:-1]), game))

    def mark_ritual(self, game: int, player: str, title: str, number: int, *, done: bool) -> None:
        """Record that a ritual of any game was done, or with `done=False` that it was not.

        `number` distinguishes rituals of one title that fell on the player in that game, from 1. The game's
        events do not change. Repeating a call changes nothing.

        Raises:
            BadInputError: there is no such game, or the store cannot be written.
        """
        with self._in_place(), self._transaction() as write:
            row = write.execute("SELECT rituals_done FROM games WHERE id = ?", (game,)).fetchone()
            if row is None:
                raise BadInputError("the store {path} has no game {game}", path=self.path, game=game)
            known = parse_rituals_done(row[0])
            which = (player, title, number)
            if done == any(ritual.key == which for ritual in known):
                return
            kept = [ritual for ritual in known if ritual.key != which]
            kept += [RitualDone(*which, self._clock())] if done else []
            text = to_json([asdict(ritual) for ritual in kept]) if kept else None
            self._change(write, game, rituals_done=text)

    # Reading

    def games(self, *, evening: int | None = None) -> list[StoredGame]:
        """Return the games in the order in which they began: all, or those of one evening.

        If the row of a game was changed on the disk, `notice` names the game. Its events are whole.
        """
        where = "" if evening is None else " WHERE evening = ?"
        rows = self._rows(
            f"SELECT {', '.join(COLUMNS['games'])} FROM games{where} ORDER BY id",
            () if evening is None else (evening,),
        )
        for row in rows:
            if not _is_unchanged_game(row):
                self._note(
                    message(
                        "the store {path}: the players, rules or result of game {game} were changed on the "
                        "disk",
                        path=self.path,
                        game=row[0],
                    )
                )
        return [game for row in rows if (game := self._sound(parse_game(row))) is not None]

    def resumable_game(self) -> StoredGame | None:
        """Return the newest game with events if it was interrupted not long ago, else None.

        A game that another program is playing does not count.
        """
        rows = self._rows("SELECT game, max(written) FROM events WHERE game = (SELECT max(game) FROM events)")
        if not rows or rows[0][0] is None or self._clock() - parse_time(rows[0][1]) > RESUMABLE_FOR_S:
            return None
        game = next((game for game in self.games() if game.id == rows[0][0]), None)
        if game is None or game.finished is not None or game.id in games_being_played(self.path):
            return None
        return replace(game, last_event=parse_time(rows[0][1]))

    def last_finished_game(self) -> StoredGame | None:
        """Return the game that finished last, if that was not long ago: its result may still be corrected."""
        now, played = self._clock(), games_being_played(self.path)
        finished = [game for game in self.games() if game.finished is not None and game.id not in played]
        last = max(finished, key=lambda game: game.id, default=None)  # a clock may have been set back
        if last is None or now - (last.finished or 0.0) > RESUMABLE_FOR_S or not self.events(last.id):
            return None
        return last

    def last_evening(self) -> int | None:
        """Return the id of the newest evening, or None in an empty store."""
        ((evening,),) = self._rows("SELECT max(id) FROM evenings")
        return None if evening is None else int(evening)

    def current_evening(self) -> int | None:
        """Return the evening of a game that starts now, or None if it begins a new one."""
        return self._evening_at(self._clock())

    def events(self, game: int) -> list[dict[str, Any]]:
        """Return a game's event lines in the order in which they were decided.

        A line that was changed on the disk is left out, and `notice` names it.
        """
        rows = self._rows("SELECT line, checksum FROM events WHERE game = ? ORDER BY id", (game,))
        whole = []
        for place, (text, stored) in enumerate(rows, start=1):
            if not is_unchanged(stored, game, text):
                self._note(
                    message(
                        "the store {path}: event {place} of game {game} was changed on the disk; the game "
                        "goes on without it",
                        path=self.path,
                        place=place,
                        game=game,
                    )
                )
            elif (line := self._sound(parse_event_line(text))) is not None:
                whole.append(line)
        return whole

    def corrections(self, game: int) -> list[tuple[int, dict[str, Any] | None]]:
        """Return a game's corrections in order: (event, the corrected line, or None if it was removed).

        A correction that was changed on the disk is left out, and `notice` names it.
        """
        rows = self._rows("SELECT event, line, checksum FROM corrections WHERE game = ? ORDER BY id", (game,))
        whole = []
        for place, (event, text, stored) in enumerate(rows, start=1):
            line = None if text is None else parse_event_line(text)
            if not is_unchanged(stored, game, event, text):
                self._note(
                    message(
                        "the store {path}: correction {place} of game {game} was changed on the disk; the "
                        "game goes on without it",
                        path=self.path,
                        place=place,
                        game=game,
                    )
                )
            elif type(event) is not int or (text is None) != (line is None):
                self._note_unreadable()
            else:
                whole.append((event, line))
        return whole

    def _rows(self, query: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return list(self._connection.execute(query, values))
        except SQLITE_ERRORS as error:
            raise BadInputError(
                "the store {path} cannot be read: {reason}", path=self.path, reason=error
            ) from None

    def _sound(self, entry: _Entry | None) -> _Entry | None:
        """Return the entry. If it is unreadable, add a notice."""
        if entry is None:
            self._note_unreadable()
        return entry

    def _note_unreadable(self) -> None:
        self._note(message("the store {path} holds entries that cannot be read", path=self.path))

    def _note(self, notice: Said) -> None:
        """Keep a notice, unless there is one already."""
        self.notice = self.notice or notice

    @property
    def game(self) -> int:
        """The id of the game that is being written."""
        if self._game is None:
            raise RuntimeError("no game is running: call start_game() first")
        return self._game

    def _evening_at(self, now: float) -> int | None:
        """Return the evening of a game that starts at `now`, or None if it begins a new one."""
        evening = self.last_evening()
        if evening is None:
            return None
        ((last,),) = self._rows(
            "SELECT max(t) FROM (SELECT started AS t FROM evenings WHERE id = :e"
            " UNION SELECT max(started, ifnull(finished, 0)) FROM games WHERE evening = :e"
            " UNION SELECT max(written) FROM events JOIN games ON games.id = events.game WHERE evening = :e)",
            {"e": evening},
        )
        return evening if -CLOCK_SET_BACK_S < now - parse_time(last) < NEW_EVENING_AFTER_S else None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all of a block or nothing. A full or vanished disk becomes one clear line."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                yield self._connection
        except SQLITE_ERRORS as error:
            raise BadInputError(
                "the store {path} cannot be written: {reason}", path=self.path, reason=error
            ) from None


def _is_unchanged_game(row: tuple[Any, ...]) -> bool:
    """Return whether a row of the games table fits its checksum, which is its last column."""
    return is_unchanged(row[-1], *row[:-1])


def store_exists(path: Path | None = None) -> bool:
    """Return whether there is a store, or a pending file that a killed program left."""
    where = follow_link(path or default_path())
    return where.exists() or bool(pending_files(where))


def is_default_store(path: Path) -> bool:
    """Return whether this is the program's own place, where only a store can lie.

    The target of a link in that place lies elsewhere.
    """
    return path.absolute() == default_path().absolute()


def default_path() -> Path:
    """Return the default path of the store on this platform."""
    return platformdirs.user_data_path("shithead", appauthor=False) / "evenings.sqlite"
