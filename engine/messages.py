"""English texts that keep their template and values, so that they can be translated later."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Line ends, and control characters that would colour, clear or reverse a terminal's text."""


class Said(str):
    """An English text that keeps its template (`form`) and its values (`facts`)."""

    __slots__ = ("facts", "form")

    form: str
    facts: dict[str, Any]

    def __new__(cls, text: str, form: str = "", facts: dict[str, Any] | None = None) -> Said:
        """Return `text` with the template and the values that it was made from."""
        said = super().__new__(cls, text)
        said.form, said.facts = form or text, facts or {}
        return said

    def __getnewargs__(self) -> tuple[str, str, dict[str, Any]]:  # type: ignore[override]
        """Return the arguments that make a copy."""
        return str(self), self.form, self.facts


def message(form: str, **facts: Any) -> Said:
    """Return a line for the user: `message("{path}: no such file", path=path)`.

    The template must be a literal, because the catalogue of translations collects literals from the source.
    It has fields as in `str.format`. Without values it stays unchanged. A value may be a message or an
    error.
    """
    if not facts:
        return Said(form)
    plain = {name: _plain(fact) for name, fact in facts.items()}
    return Said(form.format(**plain), form, plain)


def printable(text: str) -> str:
    """Return a text for a terminal, with control characters escaped (`\\x1b`).

    Names and stores come from other people, so a terminal must not obey them.
    """
    return _CONTROL_CHARACTERS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def _plain(fact: Any) -> Any:
    """Return an error as its message, a text or path as one printable line, and any other value unchanged.

    A library's message may quote a damaged file, and a file name may contain a line feed.
    """
    if isinstance(fact, BaseException):
        fact = getattr(fact, "says", str(fact))
    if isinstance(fact, str | PurePath) and _CONTROL_CHARACTERS.search(str(fact)):
        return printable(" ".join(str(fact).splitlines()))
    return fact
