"""JSON from anywhere: whatever is wrong with a text, it is one kind of error."""

from __future__ import annotations

import json
import re
from typing import Any

_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class RepeatedKeyError(json.JSONDecodeError):
    """An object names one key twice: which of the two values is meant, nobody knows."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key[:40]!r} appears twice", "", 0)


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text holds.

    Raises:
        json.JSONDecodeError: it is none, is nested too deeply, names a key twice in one object
            (`RepeatedKeyError`), or holds a number that is too long to read.
    """
    try:
        # By itself it would let half a character pass, which nothing can write down again.
        plain = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
        found = json.loads(plain, parse_int=_whole_number, object_pairs_hook=_distinct)
        if _MAY_BE_HALF.search(plain):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
    except UnicodeError:
        raise json.JSONDecodeError("not UTF-8 text", "", 0) from None
    except (ValueError, OverflowError):
        raise json.JSONDecodeError("a number is too long", "", 0) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's entries; raise `RepeatedKeyError` where a key comes twice."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return table


def _whole_number(text: str) -> int:
    """Return a whole number; raise OverflowError for one that is too large to count or to time with."""
    number = int(text)
    float(number)
    return number
