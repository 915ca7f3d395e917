"""Starting a film with OpenCV, and finding out why it cannot be started."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2

from engine.errors import BadInputError
from vision.opencv_support import opencv_path, silence_opencv

_PROBE_BYTES = 1 << 16
"""Bytes written to find out whether the disk has room for the beginning of a film."""


def open_film_writer(part: Path, film: Path, fps: float, size: tuple[int, int]) -> cv2.VideoWriter:
    """Return the writer of an mp4v film that is written to `part` and later renamed to `film`.

    Args:
        part: The path to write to.
        film: The path named in errors.
        fps: Frames per second.
        size: Width and height in pixels.

    Raises:
        BadInputError: The film cannot be started; the message gives the cause.
    """
    silence_opencv()
    writer = cv2.VideoWriter(opencv_path(part), cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
    if writer.isOpened():
        return writer
    try:
        part.write_bytes(bytes(_PROBE_BYTES))
    except OSError as error:
        raise BadInputError("{path}: {reason}", path=film, reason=error.strerror) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    raise BadInputError("{path}: no film can be written by that name (end it in .mp4)", path=film)
