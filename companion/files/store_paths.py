"""The paths of a store and of the files beside it.

Two names of one file must count as one store, and two stores in one folder must share nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""Suffixes that SQLite adds to a database's name, for the database itself and the files beside it."""
_USUAL = ".sqlite"


def with_sqlite_files(database: Path) -> list[Path]:
    """Return the path of a database and of the files that SQLite may put beside it."""
    return [database.with_name(database.name + suffix) for suffix in SQLITE_SUFFIXES]


def follow_link(store: Path) -> Path:
    """Return the target of a store's path if it is a link, else the path itself."""
    return Path(os.path.realpath(store)) if store.is_symlink() else store


def path_beside(store: Path, what: str) -> Path:
    """Return the path of one of a store's own companion files.

    For `evenings.sqlite` it is `evenings.WHAT`. For any other name, such as `evenings.db` or `evenings`, it
    is that name and `-WHAT`, as SQLite names its files. So two stores never share one.
    """
    path = follow_link(store)
    return path.with_name(f"{path.stem}.{what}" if path.suffix == _USUAL else f"{path.name}-{what}")
