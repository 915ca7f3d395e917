"""JSON from anywhere: whatever is wrong with a text, it is one kind of error."""

from __future__ import annotations

import json
import re
from typing import Any

_MAY_BE_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text holds.

    Raises:
        json.JSONDecodeError: it is none, is nested too deeply, or holds a number that is too long to read.
    """
    try:
        # By itself it would let half a character pass, which nothing can write down again.
        plain = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
        found = json.loads(plain, parse_int=_whole_number)
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


def _whole_number(text: str) -> int:
    """Return a whole number; raise OverflowError for one that is too large to count or to time with."""
    number = int(text)
    float(number)
    return number
