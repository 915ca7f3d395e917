"""Opening the store, and putting another file in its place: one that was salvaged, or one that is restored.

A damaged file is set aside and never written to again; what can still be read of it goes into a new one.
Whatever is to take the store's place is first finished under a name of its own, which says under which name
the store is then set aside: `evenings.salvaged-STAMP.sqlite` waits, `evenings.sqlite` becomes
`evenings.damaged-STAMP.sqlite`, and the waiting one becomes `evenings.sqlite`. A program that is killed
between two of these steps leaves them to the next one that opens the store.
"""

from __future__ import annotations

import contextlib
import glob
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from companion.files.lock import games_being_played, lock_store, store_lock_path
from companion.files.scratch import remove_stale_scratch, scratch_folder
from companion.files.store_paths import SQLITE_SUFFIXES, path_beside
from companion.store.damage import was_database
from companion.store.recovery import salvage
from companion.store.schema import SQLITE_ERRORS, connect, connect_copy, is_corruption
from engine.errors import BadInputError
from engine.messages import Said, message

SALVAGE_PREFIX = "shithead-salvage-"
"""What the name of the folder begins with in which a damaged file is read that a new one is to take the place
of: it lies beside the store. A killed program leaves it."""
_ASIDE = {"salvaged": "damaged", "restored": "replaced"}
"""What a file that waits to take the store's place is called, and what the store then becomes."""
_STAMP = r"\d{8}-\d{6}(?:-\d+)?"
"""What `new_pending_file` writes between the two."""
_PATIENCE_S, _AGAIN_S = 60.0, 0.02
"""How long another program is waited for that reads a damaged store, and how often it is looked after."""
_REPLACED_MEANWHILE = 5
"""So many times a store is opened anew that another program replaces or erases while it is opened."""
_File = tuple[int, int]


class OpenedStore(NamedTuple):
    """A store that was opened."""

    connection: sqlite3.Connection
    notice: str | None
    """One line for the user where there is something worth saying."""
    file: _File | None
    """Which file the connection writes to (`file_identity`); None for a copy."""
    damage: str | None = None
    """What SQLite says of the file, where it is damaged and this is a copy of what can still be read."""


def file_identity(path: Path) -> _File | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_file(path: Path, *, at_home: bool) -> OpenedStore:
    """Open, check and migrate the file at `path`, beginning a new one where it is damaged or there is none.

    `at_home`: whether nothing but a store can lie there, as in the program's own place.

    Raises:
        sqlite3.Error: it cannot be opened for a reason outside the file.
        OSError: likewise.
        BadInputError: a newer version of the program wrote it, it belongs to another program or never was a
            store, or it is damaged and a game is being written to it.
    """
    remove_stale_scratch()
    for _ in range(_REPLACED_MEANWHILE):
        file = file_identity(path)
        try:
            connection = connect(path, create=False)
        except SQLITE_ERRORS as error:
            if path.exists() and not is_corruption(error):
                raise
            break
        # Only if the name stood for one file all the while is that the one which the connection has open.
        if file is not None and file_identity(path) == file:
            _tidy(path)
            return OpenedStore(connection, None, file)
        connection.close()
    refuse_foreign_file(path, at_home=at_home)
    with exclusive_access(path):
        connection, notice = _mended(path)
        file = file_identity(path)
    if file is None:
        connection.close()
        raise BadInputError("the store {path} was replaced by another program: open it again", path=path)
    return OpenedStore(connection, notice, file)


def open_copy(path: Path, *, at_home: bool) -> OpenedStore:
    """Open a copy of the file at `path`, to read: it stays as it is, and where there is none, none is begun.

    Of a damaged file the copy holds what can still be read.

    Raises:
        Exception: as `open_file`.
    """
    remove_stale_scratch()
    if not path.exists():
        waiting = pending_files(path)
        return OpenedStore(connect_copy(waiting[-1] if waiting else None), None, None)
    try:
        return OpenedStore(connect_copy(path), None, None)
    except SQLITE_ERRORS as error:
        if not is_corruption(error):
            raise
        damage = str(error)
    refuse_foreign_file(path, at_home=at_home)
    _refuse_if_played(path)
    try:
        with scratch_folder() as folder:
            connection = connect_copy(salvage(path, folder))
    except OSError as error:
        raise BadInputError(
            "the store {path} is damaged, and there is no place to read it: {reason}",
            path=path,
            reason=error.strerror or error,
        ) from None
    says = message("the store {path} is damaged; this is what can still be read of it", path=path)
    return OpenedStore(connection, says, None, damage)


def refuse_foreign_file(path: Path, *, at_home: bool) -> None:
    """Raise BadInputError for a file that never was a store, unless it lies `at_home`."""
    if path.is_file() and not at_home and not was_database(path):
        raise BadInputError("{path}: is no store of this program, and is left as it is", path=path)


def _refuse_if_played(path: Path) -> None:
    if games_being_played(path):
        raise BadInputError("the store {path} is damaged, and a game is being written to it", path=path)


@contextmanager
def exclusive_access(path: Path) -> Iterator[None]:
    """Let no other program put a file in the store's place, erase it or begin a game in it meanwhile.

    Raises:
        BadInputError: another one does so, and takes too long about it.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while (lock := lock_store(path)) is None:
        if time.monotonic() > deadline:
            raise BadInputError("the store {path} is just being replaced by another program", path=path)
        time.sleep(_AGAIN_S)
    try:
        yield
    finally:
        lock.release()


def _mended(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """Open the store, which was damaged or not there a moment ago."""
    if not path.exists():
        waiting = pending_files(path)
        aside = swap_in(waiting[-1], path) if waiting else None
        connection = connect(path)
        return connection, None if aside is None else _told(waiting[-1], aside, path, connection)
    try:
        return connect(path), None  # another program was here before
    except SQLITE_ERRORS as error:
        if not is_corruption(error):
            raise
    _refuse_if_played(path)
    remove_pending(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=_salvage_prefix(path)) as folder:
        salvaged = new_pending_file(path, "salvaged")
        salvage(path, Path(folder)).rename(salvaged)
    aside = swap_in(salvaged, path)
    connection = connect(path)
    return connection, _told(salvaged, aside, path, connection)


def new_pending_file(path: Path, kind: str) -> Path:
    """Return the name of a file that is to take the store's place, `salvaged` or `restored`."""
    stamp = begun = datetime.now().strftime("%Y%m%d-%H%M%S")
    attempt = 1
    while any(_beside(path, name, stamp).exists() for name in (*_ASIDE, *_ASIDE.values())):
        attempt += 1
        stamp = f"{begun}-{attempt}"
    return _beside(path, kind, stamp)


def pending_files(path: Path) -> list[Path]:
    """Return the finished files that were to take the store's place when a program was killed."""
    return [file for kind in _ASIDE for file in _named_beside(path, kind)]


def set_aside_files(path: Path) -> list[Path]:
    """Return the stores that were set aside from this one, with SQLite's companions of each.

    Only names that `new_pending_file` gives: beside a store may lie others, whose names begin as this one's.
    """
    return [
        file
        for kind in _ASIDE.values()
        for part in SQLITE_SUFFIXES
        for file in _named_beside(path, kind, part)
    ]


def _named_beside(path: Path, kind: str, part: str = "") -> list[Path]:
    name = re.compile(rf"{re.escape(path.stem)}\.{kind}-{_STAMP}{re.escape(path.suffix + part)}")
    return sorted(file for file in path.parent.glob("*") if name.fullmatch(file.name))


def salvage_folders(path: Path) -> list[Path]:
    """Return the folders that killed programs left in which they read this store when it was damaged."""
    return sorted(path.parent.glob(f"{glob.escape(_salvage_prefix(path))}{'[a-z0-9_]' * 8}"))


def _salvage_prefix(path: Path) -> str:
    return SALVAGE_PREFIX + path_beside(path, "").name


def swap_in(waiting: Path, path: Path) -> Path:
    """Set the store aside, with SQLite's companions, and put the waiting file in its place.

    It may be called again where it was broken off. Returns where the store was set aside.
    """
    kind, _, stamp = waiting.name.removeprefix(f"{path.stem}.").removesuffix(path.suffix).partition("-")
    aside = _beside(path, _ASIDE[kind], stamp)
    for suffix in SQLITE_SUFFIXES:
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    waiting.rename(path)
    return aside


def remove_pending(path: Path) -> None:
    """Delete what a killed program left that was to take the place of a store which is still there."""
    for file in pending_files(path):
        file.unlink(missing_ok=True)
    for folder in salvage_folders(path):
        shutil.rmtree(folder, ignore_errors=True)


def _tidy(path: Path) -> None:
    """Clear up behind a killed program, where no other is at it."""
    if not (pending_files(path) or store_lock_path(path).exists()):
        return
    lock = lock_store(path)
    if lock is not None:
        with contextlib.suppress(OSError):
            remove_pending(path)
        lock.release()


def _beside(path: Path, kind: str, stamp: str) -> Path:
    return path.with_name(f"{path.stem}.{kind}-{stamp}{path.suffix}")


def _told(waiting: Path, aside: Path, path: Path, connection: sqlite3.Connection) -> Said:
    """Return the line for the user about what has just taken the store's place."""
    if waiting.name.startswith(f"{path.stem}.restored-"):
        return message(
            "the store {path} was replaced by a backup; the one before is kept as {aside}",
            path=path,
            aside=aside.name,
        )
    begun = message(
        "the store {path} is damaged; it was set aside as {aside} and a new one begun",
        path=path,
        aside=aside.name,
    )
    with closing(
        connection.execute("SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM events)")
    ) as rows:
        games, events = rows.fetchone()
    if not games:
        return begun
    return message(
        "{reason}, with {games} games and {events} events that could still be read",
        reason=begun,
        games=games,
        events=events,
    )
