"""A store as an older version wrote it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_ADDED = (
    (2, "games", "deck"),
    (2, "games", "layout"),
    (3, "games", "rituals_done"),
    (4, "events", "checksum"),
    (5, "games", "checksum"),
    (5, "corrections", "checksum"),
)
"""The columns of the store, with the version that added each."""


def make_older(path: Path, version: int) -> None:
    """Take away the columns that a store of this version did not have."""
    with closing(sqlite3.connect(path)) as connection:
        for since, table, column in reversed(_ADDED):
            if since > version:
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
