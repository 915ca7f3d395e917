"""Salvage the readable rows of a damaged store."""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.store.rows import parse_event_line, parse_game
from companion.store.schema import COLUMNS, SQLITE_ERRORS, connect_copy, decode_text

_PAGE = 4096
_LOG_HEADER, _FRAME_HEADER, _BIG_ENDIAN = 32, 24, b"\x37\x7f\x06\x83"
"""Bytes of the headers in a write-ahead log, and the first ones of a log with big-endian checksums."""
_MOST_MISSING = 200_000
"""Longest gap between readable rows in which rows are looked up one by one."""
_NUMBERS = ("id", "evening", "game", "started", "written")
"""Columns without which a row has no place in an evening."""


def salvage(damaged: Path) -> sqlite3.Connection:
    """Return a new store in memory with every sound row of a damaged one, which is not changed.

    Raises:
        OSError: the damaged file cannot be read.
    """
    rows, log = connect_copy(None), damaged.with_name(f"{damaged.name}-wal")
    pages = bytearray(damaged.read_bytes())
    if log.exists():
        _take_in(log.read_bytes(), pages)
    # The first page holds the file header and the roots of the tables, and is the same in every store.
    pages[:_PAGE] = rows.serialize()[:_PAGE]
    pages[28:40] = bytes(12)  # number of pages, which SQLite then takes from the size, and of free ones
    pages += bytes(-len(pages) % _PAGE)
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as source:
        source.deserialize(pages)
        source.text_factory = decode_text
        for table, columns in COLUMNS.items():
            _copy_rows(source, rows, table, columns)
    return rows


def _take_in(log: bytes, pages: bytearray) -> None:
    """Write the sound transactions of a write-ahead log into the pages (sqlite.org/fileformat2.html)."""
    order, salt = ">" if log.startswith(_BIG_ENDIAN) else "<", log[16:24]
    sums = _checksum(order, log[:24], (0, 0))
    if log[24:_LOG_HEADER] != struct.pack(">II", *sums):
        return
    changed: dict[int, bytes] = {}
    size = _FRAME_HEADER + _PAGE
    for start in range(_LOG_HEADER, len(log) - size + 1, size):
        number, ends = struct.unpack_from(">II", log, start)
        page = log[start + _FRAME_HEADER : start + size]
        sums = _checksum(order, log[start : start + 8] + page, sums)
        if log[start + 8 : start + _FRAME_HEADER] != salt + struct.pack(">II", *sums):
            return
        changed[number] = page
        for at, new in changed.items() if ends else ():
            pages += bytes(max(0, at * _PAGE - len(pages)))
            pages[(at - 1) * _PAGE : at * _PAGE] = new
        if ends:
            changed.clear()


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    one, other = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data[: len(data) // 8 * 8])
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other


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
