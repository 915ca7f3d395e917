"""Errors and notices in the current language, built from their forms and facts (`engine.messages`)."""

from __future__ import annotations

from companion.i18n.catalogue import _, gettext_noop, language
from engine.messages import Said, message

REASONS = (
    gettext_noop("No such file or directory"),
    gettext_noop("Permission denied"),
    gettext_noop("No space left on device"),
    gettext_noop("Read-only file system"),
    gettext_noop("Input/output error"),
    gettext_noop("Is a directory"),
    gettext_noop("Not a directory"),
    gettext_noop("File exists"),
    gettext_noop("is not a folder, and one is needed there"),
    gettext_noop("File name too long"),
    gettext_noop("database is locked"),
    gettext_noop("database or disk is full"),
    gettext_noop("disk I/O error"),
    gettext_noop("attempt to write a readonly database"),
    gettext_noop("unable to open database file"),
    gettext_noop("database disk image is malformed"),
    gettext_noop("file is not a database"),
)
"""Reasons that the system and SQLite give. Others are shown untranslated."""


def translate(said: str) -> str:
    """Return a message in the current language. An unknown form stays English."""
    if language() == "en":
        return str(said)
    if not isinstance(said, Said):
        return _(said) if said in REASONS else said
    facts = {name: translate(fact) if isinstance(fact, str) else fact for name, fact in said.facts.items()}
    return _(said.form).format(**facts) if facts else _(said)


def error_text(error: BaseException) -> str:
    """Return an error's message for the user."""
    if isinstance(error, OSError) and error.strerror:
        return translate(message("{path}: {reason}", path=error.filename or "?", reason=error.strerror))
    return translate(getattr(error, "says", str(error)))


def failure_text(error: BaseException) -> str:
    """Return the message for a bug in the program itself."""
    kind = type(error).__name__
    return _("The program has failed ({kind}: {reason})").format(kind=kind, reason=error)
