"""What the rows of a store hold, checked: a file may be sound for SQLite and an entry in it damaged.

One letter is enough, and no screen asks whether a verdict is one. So nothing that this program would not have
written leaves the store.
"""

from __future__ import annotations

import json
import math
from typing import Any

from engine.errors import BadInputError
from engine.event_fields import check_fields
from engine.events import EVENT_KINDS
from engine.json_text import parse_json

VERDICTS = ("legal", "illegal", "unproven")
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_NO_TIME_BEFORE, _NO_TIME_AFTER = 0.0, 4e9
"""Seconds since 1970: what a calendar can be asked about everywhere."""
_LISTS_OF_TEXTS = ("skipped", "left", "back_in")
_TEXTS_OR_NONE = ("next", "picks_up", "shithead")


def from_json(text: Any) -> Any:
    """Return what a column of JSON holds; None for what is none, or is damaged."""
    try:
        return None if _BROKEN in text else parse_json(text)
    except (json.JSONDecodeError, TypeError):
        return None


def object_of(text: Any) -> dict[str, Any] | None:
    """Return the JSON object that a column holds; None where it holds none."""
    found = from_json(text)
    return found if isinstance(found, dict) else None


def event_line(text: Any) -> dict[str, Any] | None:
    """Return the event line that a column holds; None where it holds none, or one with a damaged field."""
    line = object_of(text)
    if line is None or line.get("event") not in EVENT_KINDS or line.get("id") is None:
        return None
    try:
        check_fields(line)
    except BadInputError:
        return None
    return line if line.get("ruling") is None or _is_ruling(line["ruling"]) else None


def seconds_of(value: Any) -> float:
    """Return a column's time, seconds since 1970; 0 where it holds none."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value) if _NO_TIME_BEFORE <= value < _NO_TIME_AFTER else 0.0


def is_texts(value: Any) -> bool:
    """Tell whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_ruling(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("verdict") not in VERDICTS:
        return False
    effects, said = value.get("effects") or {}, value.get("said") or {}
    if not (isinstance(effects, dict) and _are_effects(effects)):
        return False
    if not (isinstance(said, dict) and all(isinstance(known, dict) for known in said.values())):
        return False
    if not all(_is_list_of_objects(value.get(name) or []) for name in ("breaches", "basis")):
        return False
    return all(is_texts(value.get(name) or []) for name in ("needs", "notes"))


def _are_effects(effects: dict[str, Any]) -> bool:
    if not all(is_texts(effects.get(name) or []) for name in (*_LISTS_OF_TEXTS, "rituals")):
        return False
    return all(isinstance(effects.get(name), str | None) for name in _TEXTS_OR_NONE)


def _is_list_of_objects(value: Any) -> bool:
    """Tell whether a value is a list of objects that quote rules."""
    if not (isinstance(value, list) and all(isinstance(part, dict) for part in value)):
        return False
    return all(
        isinstance(part.get(name, ""), str) for part in value for name in ("rule", "cite", "quote", "says")
    )
