"""Salvage the readable rows of a damaged store."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.store.rows import parse_event_line, parse_game
from companion.store.schema import COLUMNS, SQLITE_ERRORS, connect, decode_text

_PAGE = 4096
_MOST_MISSING = 200_000
"""Longest gap between readable rows in which rows are looked up one by one."""
_NUMBERS = ("id", "evening", "game", "started", "written")
"""Columns without which a row has no place in an evening."""


def salvage(damaged: Path, folder: Path) -> Path:
    """Write every sound row of a damaged store to a new one in the empty `folder`, and return its path.

    The damaged file is not changed.

    Raises:
        sqlite3.Error: the new store cannot be written.
        OSError: for such a reason too, or the damaged file cannot be read.
    """
    fresh, copy = folder / "fresh.sqlite", folder / "copy.sqlite"
    for suffix in ("", "-wal"):
        part = damaged.with_name(damaged.name + suffix)
        if part.exists():
            shutil.copy(part, copy.with_name(copy.name + suffix))
    _mend_first_page(copy)
    with (
        contextlib.closing(connect(fresh)) as target,
        contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as source,
    ):
        source.text_factory = decode_text
        target.execute("BEGIN IMMEDIATE")
        with target:
            for table, columns in COLUMNS.items():
                _copy_rows(source, target, table, columns)
    return fresh


def _mend_first_page(path: Path) -> None:
    """Replace the first page, which is the same in every store, by that of a new store.

    It holds the file header and the roots of the tables. SQLite takes the file's size from the file itself.
    """
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        connect(fresh).close()
        page = bytearray(fresh.read_bytes()[:_PAGE])
    page[28:40] = bytes(12)  # number of pages, first free page, number of free pages
    with path.open("r+b") as file:
        file.write(page)
        file.seek(0, 2)
        file.write(bytes(-file.tell() % _PAGE))


def _copy_rows(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: tuple[str, ...]
) -> None:
    try:
        there = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
    except SQLITE_ERRORS:
        return
    names = tuple(name for name in columns if name in there)
    if "id" not in names:
        return
    insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for row in _readable_rows(source, table, names):
        if _is_sound(table, dict(zip(names, row, strict=True))):
            # Skip a row that contradicts another: a second of its id, an event of no game.
            with contextlib.suppress(sqlite3.IntegrityError):
                target.execute(insert, row)


def _readable_rows(
    source: sqlite3.Connection, table: str, names: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield a table's rows: from the front up to the damage, from the back, and single rows between."""
    select = f"SELECT {', '.join(names)} FROM {table}"
    front = list(_until_error(source, f"{select} ORDER BY id"))
    yield from front
    last = max((row[0] for row in front if isinstance(row[0], int)), default=0)
    first_behind = None
    for row in _until_error(source, f"{select} WHERE id > {last} ORDER BY id DESC"):
        first_behind = row[0]
        yield row
    if isinstance(first_behind, int) and first_behind - last <= _MOST_MISSING:
        for number in range(last + 1, first_behind):
            yield from _until_error(source, f"{select} WHERE id = {number}")


def _until_error(source: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    try:
        yield from source.execute(query)
    except SQLITE_ERRORS:
        return


def _is_sound(table: str, row: dict[str, Any]) -> bool:
    """Return whether the store will read this row, rather than pass over it."""
    if not all(isinstance(row[name], int | float) for name in _NUMBERS if name in row):
        return False
    if table == "games":
        return parse_game(tuple(row.get(name) for name in COLUMNS[table])) is not None
    if table == "corrections" and row.get("line") is None:
        return isinstance(row.get("event"), int)
    return table == "evenings" or parse_event_line(row.get("line")) is not None
