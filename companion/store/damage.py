"""Telling a damaged database from a file that never was one, by what is left of it.

A store's name may be a slip of the hand: a text or a film must not be taken for a damaged store.
"""

from __future__ import annotations

import struct
from pathlib import Path

_BEGINNING = b"SQLite format 3\0"
_PAGE, _HEADER = 4096, 100
"""Bytes of a page in every store, and of the file's own header on the first one."""
_LOOKED_AT = 64
"""So many pages are looked at."""
_KINDS = {2: 12, 5: 12, 10: 8, 13: 8}
"""How a page of a table or an index begins, and how many bytes stand before the places of its entries."""
_MOST_FRAGMENTS = 60


def was_database(path: Path) -> bool:
    """Tell whether a file is, or once was, one of SQLite's, or holds nothing at all.

    It is where it begins as one (cut off or empty, too), where it holds nothing but zeros, as after a power
    cut, or where any of its first pages is still one of SQLite's.

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
    """Tell whether this is a page of a table or an index: its entries lie where it says that they do."""
    if len(page) < _PAGE or page[begins] not in _KINDS:
        return False
    free, entries, content, fragments = struct.unpack_from(">HHHB", page, begins + 1)
    places = begins + _KINDS[page[begins]]
    if free >= _PAGE or fragments > _MOST_FRAGMENTS or not places + 2 * entries <= content <= _PAGE:
        return False
    return all(content <= place < _PAGE for place in struct.unpack_from(f">{entries}H", page, places))
