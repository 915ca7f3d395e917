"""What goes wrong is written to a log in the platform's folder, a few small files that replace each other."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

_MOST_BYTES = 500_000
_OLDER_FILES = 3


def log_path() -> Path:
    """Return the file that is written to."""
    return platformdirs.user_log_path("shithead", appauthor=False) / "shithead.log"


class _QuietHandler(RotatingFileHandler):
    """Writes what can be written: a full disk is no reason to print a stack trace at whoever plays."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Pass over what cannot be written."""


def begin_logging() -> None:
    """Send warnings and worse to the log, not to the terminal; without a folder for it, nowhere."""
    root = logging.getLogger()
    if any(isinstance(handler, RotatingFileHandler) for handler in root.handlers):
        return
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _QuietHandler(
            path, maxBytes=_MOST_BYTES, backupCount=_OLDER_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        return
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
