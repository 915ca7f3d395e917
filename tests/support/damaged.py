"""A store or a backup with a damaged page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def damage_events(path: Path) -> bytes:
    """Spoil the page of a store in which its events begin; returns what the file then holds."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
        (size,) = file.execute("PRAGMA page_size").fetchone()
    held = bytearray(path.read_bytes())
    held[(page - 1) * size : (page - 1) * size + 100] = b"\xff" * 100
    path.write_bytes(held)
    return bytes(held)
