"""Reads files that a user named, up to the largest size that makes sense.

A device or a pipe says nothing of its size, and may have no end. A pipe, as `<(command)` makes one, is waited
for only so long: one that was left behind by mistake has nobody who will ever write.
"""

from __future__ import annotations

import os
import select
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from engine.errors import BadInputError

MOST_BYTES = 256 << 20
"""No photo, event log or rule text is larger."""
PIPE_PATIENCE_S = 10.0
"""How long a pipe may be silent before it is given up."""
_PIECE = 1 << 16


def read_capped(path: str | Path) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: it cannot be read.
        BadInputError: it holds more than `MOST_BYTES`, or is a pipe that stays silent.
    """
    with open_input(path) as file:
        return read_stream(file, str(path))


def open_input(path: str | Path) -> BinaryIO:
    """Open a file to read. A pipe is read to its end first.

    Raises:
        OSError: it cannot be read.
        BadInputError: it is a pipe, and nothing comes for `PIPE_PATIENCE_S`.
    """
    return BytesIO(_from_pipe(path)) if Path(path).is_fifo() else Path(path).open("rb")


def _from_pipe(path: str | Path) -> bytes:
    """Return what is written to a pipe, until its writers close it or it exceeds the largest size."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # which opens it without a writer, too
    try:
        data = bytearray()
        while len(data) <= MOST_BYTES:
            if not select.select([pipe], [], [], PIPE_PATIENCE_S)[0]:
                raise BadInputError(
                    "{path}: nothing was written to this pipe for {seconds} s",
                    path=path,
                    seconds=PIPE_PATIENCE_S,
                )
            piece = os.read(pipe, _PIECE)
            if not piece:
                break
            data += piece
        return bytes(data)
    finally:
        os.close(pipe)


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """Return the rest of an open file. Errors call it `name`.

    Raises:
        OSError: it cannot be read.
        BadInputError: more than `MOST_BYTES` are left.
    """
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInputError("{path}: is too large (more than {most} MB)", path=name, most=MOST_BYTES >> 20)
    return data
