"""Working around OpenCV: file names that crash it, and its log, which two versions keep in two places."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cv2

from engine.errors import BadInputError

_SILENT_LEVEL = 0
"""OpenCV's `LOG_LEVEL_SILENT`, which its Python module names only from version 4.13 on."""


def opencv_path(path: Path | str) -> str:
    """Return a file's path or a stream's address as text that OpenCV accepts.

    Raises:
        BadInputError: The name is not UTF-8 text. Linux allows such names; OpenCV crashes on them.
    """
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BadInputError("{name!r}: the name is not UTF-8 text; rename it", name=name) from None
    return name


def silence_opencv() -> int:
    """Silence OpenCV's log and return the level it had before.

    Cameras, streams and films leave it silent, because OpenCV may complain at any of their frames. Only
    `vision.images` restores it, with `set_opencv_log_level`.
    """
    before = int(_logging_module().getLogLevel())
    set_opencv_log_level(_SILENT_LEVEL)
    return before


def set_opencv_log_level(level: int) -> None:
    """Set OpenCV's log level, for example to what `silence_opencv` returned."""
    _logging_module().setLogLevel(level)


def _logging_module() -> Any:
    """Return the module with the log functions. OpenCV before 4.13, as on phones, has them in `cv2`."""
    return getattr(cv2.utils, "logging", cv2)
