"""The app's texts in the user's language: a gettext catalogue, English in the source, German complete.

`companion.i18n.sentences` builds the referee's sentences from their facts. `companion.i18n.rules` translates
rules and quotations when they are shown.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path

from companion.device import on_phone, phone_language

DOMAIN = "shithead"
LANGUAGES = {"en": "English", "de": "Deutsch"}
"""Every language there is, by its own name."""
AUTOMATIC = "auto"

_translation: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"
_spoken: ContextVar[tuple[str, gettext.NullTranslations] | None] = ContextVar("spoken", default=None)
"""The language of `speaking`, and its catalogue."""


def locale_folder() -> Path:
    """Return the folder of the catalogues."""
    return Path(str(resources.files("companion"))) / "locale"


def language() -> str:
    """Return the code of the current language."""
    spoken = _spoken.get()
    return _language if spoken is None else spoken[0]


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Use another language than the window's for a while, in this thread or task only."""
    before = _spoken.set((code, _catalogue(code)))
    try:
        yield
    finally:
        _spoken.reset(before)


@cache
def _catalogue(code: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, str(locale_folder()), [code], fallback=True)


def _current() -> gettext.NullTranslations:
    spoken = _spoken.get()
    return _translation if spoken is None else spoken[1]


def set_language(code: str = AUTOMATIC) -> str:
    """Set the language and return its code. `auto` is the system's, if there is a catalogue for it."""
    global _translation, _language
    _language = _system_language() if code == AUTOMATIC else code if code in LANGUAGES else "en"
    _translation = gettext.translation(DOMAIN, str(locale_folder()), [_language], fallback=True)
    return _language


def _system_language() -> str:
    values = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    for value in (phone_language(),) if on_phone() else values:
        if value:
            code = value.replace("-", "_").partition("_")[0].partition(".")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"


def _(text: str) -> str:
    """Return `text` in the current language."""
    return _current().gettext(text) if text else ""


def ngettext(one: str, several: str, count: int) -> str:
    """Return the singular or plural form for `count`, with `{n}` replaced by the number."""
    return _current().ngettext(one, several, count).format(n=count)


def gettext_noop(text: str) -> str:
    """Mark a text for extraction that is translated later."""
    return text
