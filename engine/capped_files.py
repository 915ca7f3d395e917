"""Files that somebody named, read up to a size beyond which none of them makes sense.

A device or a pipe says nothing of its size, and may have no end.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from engine.errors import BadInputError

MOST_BYTES = 256 << 20
"""No photo, event log or rule text is larger."""


def read_capped(path: str | Path) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: it cannot be read.
        BadInputError: it holds more than `MOST_BYTES`.
    """
    with Path(path).open("rb") as file:
        return read_stream(file, str(path))


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return what is left of an open file; `name` is what an error calls it.

    Raises:
        OSError: it cannot be read.
        BadInputError: more than `MOST_BYTES` are left.
    """
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInputError("{path}: is too large (more than {most} MB)", path=name, most=MOST_BYTES >> 20)
    return data
