"""The form of an event line's fields, checked before anything is made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.cards import parse_card
from engine.errors import BadInputError

_TEXTS = ("player", "to", "loser", "says", "rule", "verdict")
_NUMBERS = ("id", "count", "revise", "concerns")
_TIMES = ("t", "t_start", "t_end", "decided_at", "confidence")
_CHOICES = {"source": ("hand", "up", "down", "hand+up"), "answered_from": ("hand", "up", "down")}
_OF_A_BREACH = ("rule", "cite", "quote", "says")
_MOST = 10**9
"""No event has a greater number, and none happens later."""
_MOST_CARDS = 1000


def check_fields(line: Mapping[str, Any]) -> None:
    """Check those fields of an event line that the program reads; absent and null are always right.

    Raises:
        BadInputError: one has the wrong form; the message names it.
    """
    for name, value in line.items():
        if value is not None and not _is_right(name, value):
            raise BadInputError("{name} has the wrong form: {value}", name=name, value=repr(value)[:40])


def _is_right(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _NUMBERS:
        return type(value) is int and abs(value) <= _MOST
    if name in _TIMES:
        return type(value) in (int, float) and math.isfinite(value) and abs(value) <= _MOST
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name == "withdrawn":
        return isinstance(value, bool)
    if name == "cards":
        return _is_cards(value)
    if name == "up":
        return isinstance(value, dict) and all(map(_is_cards, value.values()))
    if name == "answers":
        return isinstance(value, list | tuple) and all(map(_is_pair, value))
    if name == "breach":
        return isinstance(value, dict) and all(isinstance(value.get(part, ""), str) for part in _OF_A_BREACH)
    return True


def _is_cards(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) > _MOST_CARDS:
        return False
    try:
        return all(parse_card(card) for card in value)
    except BadInputError:
        return False


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(one, str) for one in value)
