"""Texts in English that know how they were made, so that they can be said anew in other languages."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What no letter is: line ends, and what would colour, clear or turn round a terminal's text."""


class Said(str):
    """A text in English that knows its form and its facts."""

    __slots__ = ("facts", "form")

    form: str
    facts: dict[str, Any]

    def __new__(cls, text: str, form: str = "", facts: dict[str, Any] | None = None) -> Said:
        """Return `text` as what `form` says of `facts`."""
        said = super().__new__(cls, text)
        said.form, said.facts = form or text, facts or {}
        return said

    def __getnewargs__(self) -> tuple[str, str, dict[str, Any]]:  # type: ignore[override]
        """Return what a copy is made of."""
        return str(self), self.form, self.facts


def message(form: str, **facts: Any) -> Said:
    """Return a line for the user: `message("{path}: no such file", path=path)`.

    A form is written where it is said, as a literal: a catalogue of translations collects them from the
    source. The places of a form are those of `str.format`; without facts it is taken as it stands. A fact may
    itself be a message, or an error.
    """
    if not facts:
        return Said(form)
    plain = {name: _plain(fact) for name, fact in facts.items()}
    return Said(form.format(**plain), form, plain)


def printable(text: str) -> str:
    """Return a text of one line in which control characters are written out (`\\x1b`), for a terminal.

    Names come from whoever typed them, and a store from wherever its backup was made.
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def _plain(fact: Any) -> Any:
    """Return an error as the line it says, a text or path as one printable line, anything else as it is.

    A damaged file's own text comes back in what a library says of it, and a file's name may hold a line feed.
    """
    if isinstance(fact, BaseException):
        fact = getattr(fact, "says", str(fact))
    if isinstance(fact, str | PurePath) and _STEERING.search(str(fact)):
        return printable(" ".join(str(fact).splitlines()))
    return fact
