"""Errors and notices in the language in force, made anew from their forms and facts (`engine.messages`)."""

from __future__ import annotations

from companion.i18n.catalogue import _, language, marked
from engine.messages import Said, message

REASONS = (
    marked("No such file or directory"),
    marked("Permission denied"),
    marked("No space left on device"),
    marked("Read-only file system"),
    marked("Input/output error"),
    marked("Is a directory"),
    marked("Not a directory"),
    marked("File exists"),
    marked("is no folder, and one is needed there"),
    marked("File name too long"),
    marked("database is locked"),
    marked("database or disk is full"),
    marked("disk I/O error"),
    marked("attempt to write a readonly database"),
    marked("unable to open database file"),
    marked("database disk image is malformed"),
    marked("file is not a database"),
)
"""What the system and SQLite give as reasons; others are shown as they come."""


def words(said: str) -> str:
    """Return a line for the user; one whose form is not known stays English."""
    if language() == "en":
        return str(said)
    if not isinstance(said, Said):
        return _(said) if said in REASONS else said
    facts = {name: words(fact) if isinstance(fact, str) else fact for name, fact in said.facts.items()}
    return _(said.form).format(**facts) if facts else _(said)


def error_words(error: BaseException) -> str:
    """Return what an error says to the user."""
    if isinstance(error, OSError) and error.strerror:
        return words(message("{path}: {reason}", path=error.filename or "?", reason=error.strerror))
    return words(getattr(error, "says", str(error)))


def failure_words(error: BaseException) -> str:
    """Return what is said of a mistake of the program's own."""
    kind = type(error).__name__
    return _("The program failed ({kind}: {reason})").format(kind=kind, reason=error)
