"""JSON from untrusted sources: every mistake in a text raises the same kind of error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class RepeatedKeyError(json.JSONDecodeError):
    """A JSON object has the same key twice, so its value is ambiguous."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key[:40]!r} appears twice", "", 0)


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        json.JSONDecodeError: the text is not JSON or not UTF-8, is nested too deeply, or has a number that is
            too long.
        RepeatedKeyError: an object has the same key twice; a kind of `json.JSONDecodeError`.
    """
    try:
        # `json.loads` accepts lone surrogates, which cannot be encoded again.
        plain = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
        found = json.loads(plain, parse_int=_whole_number, object_pairs_hook=_distinct)
        if _SURROGATE.search(plain):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError as error:
        if isinstance(error, RepeatedKeyError):
            raise
        raise json.JSONDecodeError(_in_plain_words(error), error.doc, error.pos) from None
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
    except UnicodeError:
        raise json.JSONDecodeError("not UTF-8 text", "", 0) from None
    except (ValueError, OverflowError):
        raise json.JSONDecodeError("a number is too long", "", 0) from None


def json_lines(values: Iterable[Any]) -> str:
    """Return values as JSON, each on a line of its own."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _in_plain_words(error: json.JSONDecodeError) -> str:
    """Return the fault in plain words, without the terms of the parser."""
    rest = error.doc[error.pos :].lstrip()
    return f"{rest[0]!r} was not expected here" if rest else "the end is missing"


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's entries; raise `RepeatedKeyError` if a key comes twice."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return table


def _whole_number(text: str) -> int:
    """Return a whole number; raise OverflowError for one that does not fit into a float."""
    number = int(text)
    float(number)
    return number
