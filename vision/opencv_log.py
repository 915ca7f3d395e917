"""Keeping OpenCV's own complaints from standing beside our one clear line, whichever OpenCV is there."""

from __future__ import annotations

from typing import Any

import cv2

_SILENT = 0


def silence() -> int:
    """Let OpenCV complain of nothing from now on; returns how much it said before."""
    before = int(_home().getLogLevel())
    set_log_level(_SILENT)
    return before


def set_log_level(level: int) -> None:
    """Let OpenCV say so much, as `silence` returned it."""
    _home().setLogLevel(level)


def _home() -> Any:
    """Return where the functions are: phones have an OpenCV older than 4.13, which keeps them elsewhere."""
    return getattr(cv2.utils, "logging", cv2)
