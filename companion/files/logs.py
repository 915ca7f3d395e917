"""The program's log: a few small files in the platform's log folder that replace each other."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

from vision.capture.addresses import without_passwords

_MOST_BYTES = 500_000
_OLDER_FILES = 3


def log_path() -> Path:
    """Return the path of the log."""
    return platformdirs.user_log_path("shithead", appauthor=False) / "shithead.log"


class _QuietHandler(RotatingFileHandler):
    """A handler that ignores write errors. A full disk must not print a stack trace to the players."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignore a record that cannot be written."""


class _DiscreetFormatter(logging.Formatter):
    """A formatter that hides the passwords of addresses, which a traceback may quote."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        return without_passwords(super().format(record))


def begin_logging() -> None:
    """Send warnings and errors to the log, not to the terminal. If it has no folder, they are dropped."""
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
    handler.setFormatter(_DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
