"""Beginning a film by OpenCV, which says only that it could not be begun, not why."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2

from engine.errors import BadInputError
from vision.file_names import opencv_name
from vision.opencv_log import silence

_ROOM = 1 << 16
"""Bytes that a disk with room for a film's beginning takes."""


def begin_film(part: Path, film: Path, fps: float, size: tuple[int, int]) -> cv2.VideoWriter:
    """Return a writer of an mp4v film to `part`, which is to become `film`.

    Args:
        part: Where it is written.
        film: What it is called where it cannot be begun.
        fps: Pictures per second.
        size: Width and height in pixels.

    Raises:
        BadInputError: it cannot be begun; the line names `film`, and the cause.
    """
    silence()
    writer = cv2.VideoWriter(opencv_name(part), cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
    if writer.isOpened():
        return writer
    try:
        part.write_bytes(bytes(_ROOM))
    except OSError as error:
        raise BadInputError("{path}: {reason}", path=film, reason=error.strerror) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    raise BadInputError("{path}: no film can be written by that name (end it in .mp4)", path=film)
