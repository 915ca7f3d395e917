"""JSON from anywhere: whatever is wrong with a text, it is one kind of error."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text holds.

    Raises:
        json.JSONDecodeError: it is none, is nested too deeply, or holds a number that is too long to read.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None
    except UnicodeDecodeError:
        raise json.JSONDecodeError("not UTF-8 text", "", 0) from None
    except ValueError:
        raise json.JSONDecodeError("a number is too long", "", 0) from None
