"""Open the store, and replace its file by a salvaged or a restored one.

A damaged file is set aside and never written again. Its readable rows go into a new file.

A file that is to replace the store is written as `evenings.restoring.sqlite`, and then called
`evenings.salvaged-STAMP.sqlite`. Then `evenings.sqlite` becomes `evenings.damaged-STAMP.sqlite`, and the
pending file becomes `evenings.sqlite`. If a program is killed between these steps, the next one that opens
the store finishes them.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from companion.files.lock import games_being_played, lock_store
from companion.files.store_paths import SQLITE_SUFFIXES, with_sqlite_files
from companion.store.damage import was_database
from companion.store.recovery import salvage
from companion.store.schema import SQLITE_ERRORS, connect, connect_copy, is_corruption
from engine.errors import BadInputError
from engine.messages import Said, message

_ASIDE = {"salvaged": "damaged", "restored": "replaced"}
"""Kind of a pending file, and of the file that the store then becomes."""
_STAMP = r"\d{8}-\d{6}(?:-\d+)?"
"""The time stamp in the names of both."""
_PATIENCE_S, _AGAIN_S = 60.0, 0.02
"""How long to wait for another program that handles a damaged store, and how often to look."""
_File = tuple[int, int]


class OpenedStore(NamedTuple):
    """An opened store."""

    connection: sqlite3.Connection
    notice: str | None
    """A line for the user, if opening found something to report."""
    file: _File | None
    """Identity of the open file (`file_identity`); None for a copy."""
    damage: str | None = None
    """SQLite's finding if the file is damaged and this is a copy of its readable rows."""


def file_identity(path: Path) -> _File | None:
    """Return what distinguishes a file from another of the same name, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_file(path: Path, *, at_home: bool) -> OpenedStore:
    """Open, check and migrate the file at `path`. If it is damaged or missing, begin a new one.

    `at_home`: whether this is the program's own place, where only a store can lie. Programs that replace or
    erase the store wait meanwhile.

    Raises:
        sqlite3.Error: it cannot be opened for a reason outside the file.
        OSError: for such a reason too.
        BadInputError: a newer version wrote it, it is not a store, or it is damaged while a game is being
            written to it.
    """
    with exclusive_access(path):
        aside = None
        if not path.exists() and (waiting := pending_files(path)):
            aside = _swap_in(waiting[-1], path)
        try:
            connection = connect(path)
        except SQLITE_ERRORS as error:
            if not is_corruption(error):
                raise
            refuse_foreign_file(path, at_home=at_home)
            _refuse_if_played(path)
            with closing(salvage(path)) as rows:
                aside = replace_store(path, rows, "salvaged", source=path)
            connection = connect(path)
        with contextlib.suppress(OSError):
            remove_pending(path)
        told = None if aside is None else _told(aside, path, connection)
        return OpenedStore(connection, told, file_identity(path))


def open_copy(path: Path, *, at_home: bool, mode: str = "rw") -> OpenedStore:
    """Open a copy of the file at `path` for reading. The file stays as it is; none is begun.

    The copy of a damaged file holds the rows that can still be read. `mode` is as in `connect_copy`.

    Raises:
        Exception: as `open_file`.
    """
    damage = says = None
    try:
        there = [path] if path.exists() else pending_files(path)
        connection = connect_copy(there[-1] if there else None, mode)
    except SQLITE_ERRORS as error:
        if not is_corruption(error) or not path.exists():
            raise
        damage = str(error)
        refuse_foreign_file(path, at_home=at_home)
        _refuse_if_played(path)
        says = message("the store {path} is damaged; only part of it can be read", path=path)
        connection = salvage(path)
    connection.execute("PRAGMA query_only = ON")
    return OpenedStore(connection, says, None, damage)


def refuse_foreign_file(path: Path, *, at_home: bool) -> None:
    """Raise BadInputError for a file that never was a store, unless it lies `at_home`."""
    if path.is_file() and not at_home and not was_database(path):
        raise BadInputError("{path}: not a store of this program, and was not changed", path=path)


def _refuse_if_played(path: Path) -> None:
    if games_being_played(path):
        raise BadInputError("the store {path} is damaged, and a game is being played in it", path=path)


@contextmanager
def exclusive_access(path: Path) -> Iterator[None]:
    """Keep other programs from replacing or erasing the store, or beginning a game in it.

    Raises:
        BadInputError: another program holds the lock for too long.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while (lock := lock_store(path)) is None:
        if time.monotonic() > deadline:
            raise BadInputError("another program is replacing the store {path}", path=path)
        time.sleep(_AGAIN_S)
    try:
        yield
    finally:
        lock.release()


def replace_store(path: Path, rows: sqlite3.Connection, kind: str, source: Path) -> Path:
    """Write a database into the store's place, with `exclusive_access`, and set the former store aside.

    `kind` is `salvaged` or `restored`; `source` is where the rows come from. Returns the path of the former
    store.

    Raises:
        BadInputError: it cannot be written. The store stays as it is.
        OSError: for such a reason too.
    """
    remove_pending(path)
    part = unfinished_file(path)
    write_copy(rows, part, source, called=part)
    return _swap_in(part.rename(_new_pending_file(path, kind)), path)


def write_copy(rows: sqlite3.Connection, path: Path, source: Path, called: Path) -> None:
    """Write the rows of `source` to a file that needs no other beside it. Errors name it as `called`.

    Raises:
        BadInputError: it cannot be written.
    """
    try:
        with closing(sqlite3.connect(path)) as written:
            rows.backup(written)
            written.execute("PRAGMA journal_mode = DELETE")
    except SQLITE_ERRORS as error:
        path.unlink(missing_ok=True)
        raise BadInputError(
            "{source}: cannot be copied to {target}: {reason}", source=source, target=called, reason=error
        ) from None


def unfinished_file(path: Path) -> Path:
    """Return the name under which a file is written that is to replace the store."""
    return path.with_name(f"{path.stem}.restoring{path.suffix}")


def _new_pending_file(path: Path, kind: str) -> Path:
    """Return a free name for a file that is to replace the store."""
    stamp = begun = datetime.now().strftime("%Y%m%d-%H%M%S")
    attempt = 1
    while any(_beside(path, name, stamp).exists() for name in (*_ASIDE, *_ASIDE.values())):
        attempt += 1
        stamp = f"{begun}-{attempt}"
    return _beside(path, kind, stamp)


def pending_files(path: Path) -> list[Path]:
    """Return the completed files that were about to replace the store when a program was killed."""
    return [file for kind in _ASIDE for file in _stamped(path, kind)]


def set_aside_files(path: Path) -> list[Path]:
    """Return the stores that were set aside from this one, with SQLite's files beside each.

    Only stamped names count, because other stores may lie in the same folder.
    """
    kinds = "|".join(_ASIDE.values())
    return [file for suffix in SQLITE_SUFFIXES for file in _stamped(path, kinds, suffix)]


def _stamped(path: Path, kinds: str, suffix: str = "") -> list[Path]:
    name = re.compile(rf"{re.escape(path.stem)}\.(?:{kinds})-{_STAMP}{re.escape(path.suffix + suffix)}")
    return sorted(file for file in path.parent.glob("*") if name.fullmatch(file.name))


def _swap_in(waiting: Path, path: Path) -> Path:
    """Set the store and SQLite's files beside it aside, and put the pending file in its place.

    Returns the path of the store that was set aside. An interrupted call may be repeated.
    """
    kind, _, stamp = waiting.name.removeprefix(f"{path.stem}.").removesuffix(path.suffix).partition("-")
    aside = _beside(path, _ASIDE[kind], stamp)
    for part, goal in zip(with_sqlite_files(path), with_sqlite_files(aside), strict=True):
        if part.exists():
            part.rename(goal)
    waiting.rename(path)
    return aside


def remove_pending(path: Path) -> None:
    """Delete what a killed program left that was to replace the store, which is still there."""
    for file in (*pending_files(path), *with_sqlite_files(unfinished_file(path))):
        file.unlink(missing_ok=True)


def _beside(path: Path, kind: str, stamp: str) -> Path:
    return path.with_name(f"{path.stem}.{kind}-{stamp}{path.suffix}")


def _told(aside: Path, path: Path, connection: sqlite3.Connection) -> Said:
    """Return the line for the user about the file that has just replaced the store."""
    if aside.name.startswith(f"{path.stem}.{_ASIDE['restored']}-"):
        return message(
            "the store {path} was replaced by a backup; the former one is now {aside}",
            path=path,
            aside=aside.name,
        )
    begun = message(
        "the store {path} is damaged; it was set aside as {aside} and a new one begun",
        path=path,
        aside=aside.name,
    )
    games, events = connection.execute(
        "SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM events)"
    ).fetchone()
    if not games:
        return begun
    return message(
        "{reason}, with {games} games and {events} events that could still be read",
        reason=begun,
        games=games,
        events=events,
    )
