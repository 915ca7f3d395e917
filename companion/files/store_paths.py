"""Which file a store is, whatever leads to it, and what lies beside it is called.

Two names of one file must be one store to all who lock, erase or replace it, and two stores in one folder
must share nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files beside it."""
_USUAL = ".sqlite"


def follow_link(store: Path) -> Path:
    """Return the file that a store's name leads to where that is a link; otherwise the name as it is."""
    return Path(os.path.realpath(store)) if store.is_symlink() else store


def path_beside(store: Path, what: str) -> Path:
    """Return the path of something of a store's own.

    It is `evenings.WHAT` for `evenings.sqlite`, and for a store of any other suffix, or none,
    `evenings.db-WHAT`, as SQLite names its own files: what belongs to which can be told.
    """
    path = follow_link(store)
    return path.with_name(f"{path.stem}.{what}" if path.suffix == _USUAL else f"{path.name}-{what}")
