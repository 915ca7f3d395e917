"""Tell a damaged database from a file that never was one.

The user may have mistyped the store's name. A text or a film must not be treated as a damaged store.
"""

from __future__ import annotations

import struct
from pathlib import Path

_BEGINNING = b"SQLite format 3\0"
_PAGE, _HEADER = 4096, 100
"""Bytes of a page in every store, and of the file header on its first page."""
_LOOKED_AT = 64
"""Number of pages that are examined."""
_KINDS = {2: 12, 5: 12, 10: 8, 13: 8}
"""First byte of a page of a table or an index, and the offset of its cell pointers."""
_MOST_FRAGMENTS = 60


def was_database(path: Path) -> bool:
    """Return whether a file is or was an SQLite database, or holds nothing.

    It counts as one if it begins as one, even if cut off, or if one of its first pages still is one. A file
    of zeros only, as after a power cut, counts too.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(_LOOKED_AT * _PAGE)
    if _BEGINNING.startswith(data[: len(_BEGINNING)]) or not data.strip(b"\0"):
        return True
    pages = (data[start : start + _PAGE] for start in range(0, len(data), _PAGE))
    return any(_is_page(page, 0 if number else _HEADER) for number, page in enumerate(pages))


def _is_page(page: bytes, begins: int) -> bool:
    """Return whether this is a page of a table or an index: its cells lie where its pointers say."""
    if len(page) < _PAGE or page[begins] not in _KINDS:
        return False
    free, entries, content, fragments = struct.unpack_from(">HHHB", page, begins + 1)
    places = begins + _KINDS[page[begins]]
    if free >= _PAGE or fragments > _MOST_FRAGMENTS or not places + 2 * entries <= content <= _PAGE:
        return False
    return all(content <= place < _PAGE for place in struct.unpack_from(f">{entries}H", page, places))
