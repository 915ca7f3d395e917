"""Open the store, and replace its file by a salvaged or a restored one.

A damaged file is set aside and never written again. Its readable rows go into a new file.

A file that is to replace the store is first completed under a name of its own,
`evenings.salvaged-STAMP.sqlite`. Then `evenings.sqlite` becomes `evenings.damaged-STAMP.sqlite`, and the
pending file becomes `evenings.sqlite`. If a program is killed between these steps, the next one that opens
the store finishes them.
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
"""Prefix of the folder beside the store in which a damaged file is salvaged. A killed program leaves it
behind."""
_ASIDE = {"salvaged": "damaged", "restored": "replaced"}
"""Kind of a pending file, and of the file that the store then becomes."""
_STAMP = r"\d{8}-\d{6}(?:-\d+)?"
"""The time stamp in the names of both."""
_PATIENCE_S, _AGAIN_S = 60.0, 0.02
"""How long to wait for another program that handles a damaged store, and how often to look."""
_REPLACED_MEANWHILE = 5
"""Attempts to open a store that another program keeps replacing or erasing."""
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

    `at_home`: whether this is the program's own place, where only a store can lie.

    Raises:
        sqlite3.Error: it cannot be opened for a reason outside the file.
        OSError: for such a reason too.
        BadInputError: a newer version wrote it, it is not a store, or it is damaged while a game is being
            written to it.
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
        # The connection has this file open only if the name stood for it before and after.
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
    """Open a copy of the file at `path` for reading. The file stays as it is; if there is none, none is
    begun.

    The copy of a damaged file holds the rows that can still be read.

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
            "the store {path} is damaged, and there is no space to read it: {reason}",
            path=path,
            reason=error.strerror or error,
        ) from None
    says = message("the store {path} is damaged; only part of it can be read", path=path)
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


def _mended(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """Open a store that was damaged or missing a moment ago."""
    if not path.exists():
        waiting = pending_files(path)
        aside = swap_in(waiting[-1], path) if waiting else None
        connection = connect(path)
        return connection, None if aside is None else _told(waiting[-1], aside, path, connection)
    try:
        return connect(path), None  # another program has repaired it
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
    """Return a free name for a file that is to replace the store, of kind `salvaged` or `restored`."""
    stamp = begun = datetime.now().strftime("%Y%m%d-%H%M%S")
    attempt = 1
    while any(_beside(path, name, stamp).exists() for name in (*_ASIDE, *_ASIDE.values())):
        attempt += 1
        stamp = f"{begun}-{attempt}"
    return _beside(path, kind, stamp)


def pending_files(path: Path) -> list[Path]:
    """Return the completed files that were about to replace the store when a program was killed."""
    return [file for kind in _ASIDE for file in _named_beside(path, kind)]


def set_aside_files(path: Path) -> list[Path]:
    """Return the stores that were set aside from this one, with SQLite's files beside each.

    Only names in the form of `new_pending_file` count, because other stores may lie in the same folder.
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
    """Return the folders in which killed programs were salvaging this store."""
    return sorted(path.parent.glob(f"{glob.escape(_salvage_prefix(path))}{'[a-z0-9_]' * 8}"))


def _salvage_prefix(path: Path) -> str:
    return SALVAGE_PREFIX + path_beside(path, "").name


def swap_in(waiting: Path, path: Path) -> Path:
    """Set the store and SQLite's files beside it aside, and put the pending file in its place.

    Returns the path of the store that was set aside. An interrupted call may be repeated.
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
    """Delete pending files that a killed program left, as the store itself is still there."""
    for file in pending_files(path):
        file.unlink(missing_ok=True)
    for folder in salvage_folders(path):
        shutil.rmtree(folder, ignore_errors=True)


def _tidy(path: Path) -> None:
    """Clean up after a killed program, unless another one is busy."""
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
    """Return the line for the user about the file that has just replaced the store."""
    if waiting.name.startswith(f"{path.stem}.restored-"):
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
