"""Parse and check the rows of a store. A file may be sound for SQLite and still hold a damaged entry.

One wrong letter is enough, and screens do not check verdicts. So only values that this program could have
written leave the store.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from types import NoneType
from typing import Any

from companion.store.schema import COLUMNS
from engine.errors import BadInputError
from engine.events import Event
from engine.files.json_text import parse_json

VERDICTS = ("legal", "illegal", "unproven")
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_NO_TIME_BEFORE, _NO_TIME_AFTER = 0.0, 4e9
"""Seconds since 1970 that every platform's calendar accepts."""
_TEXT: Any = (str, NoneType)
_TEXTS: Any = ([str], NoneType)
_QUOTES = ([dict.fromkeys(("rule", "cite", "quote", "says"), str)], NoneType)
_EFFECTS: dict[str, Any] = dict.fromkeys(("next", "picks_up", "shithead"), _TEXT)
_EFFECTS |= dict.fromkeys(("skipped", "left", "back_in", "rituals"), _TEXTS)
_RULING = {"verdict": str, "effects": (_EFFECTS, NoneType), "said": ({...: dict}, NoneType)}
_RULING |= {"breaches": _QUOTES, "basis": _QUOTES, "needs": _TEXTS, "notes": _TEXTS}
_GAME = {"id": (int,), "evening": (int,), "rules": (str,), "options": ([str],), "players": ([str],)}
_GAME |= dict.fromkeys(("dealer", "loser", "source", "deck"), _TEXT)
_RITUAL = {"player": str, "title": str, "number": int}
"""The shapes of a ruling, a game and a ritual that was done, for `_has_shape`."""


@dataclass(frozen=True, slots=True)
class RitualDone:
    """Records that a ritual was done."""

    player: str
    """The player on whom it fell."""
    title: str
    number: int
    """Distinguishes rituals of one title that fell on the player in that game, from 1."""
    at: float
    """When it was reported as done, in seconds since 1970."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Identifies the ritual within its game."""
        return self.player, self.title, self.number


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game in the store. `finished` is None while it is played; `loser` may stay unknown."""

    id: int
    evening: int
    started: float
    finished: float | None
    rules: str
    options: tuple[str, ...]
    players: tuple[str, ...]
    dealer: str | None
    loser: str | None
    source: str | None
    """The source that is watched; None if people enter the events."""
    deck: str | None = None
    layout: dict[str, Any] | None = None
    """Positions of seats and piles (`vision.table.layout.Layout.to_json`), once known."""
    last_event: float | None = None
    """When its last event was stored, in seconds since 1970, where that was asked for."""
    rituals_done: tuple[RitualDone, ...] = ()
    """In the order in which they were done. A later correction may leave one that is no longer due."""


def from_json(text: Any) -> Any:
    """Return the value of a JSON column, or None if it is empty or damaged."""
    try:
        return None if _BROKEN in text else parse_json(text)
    except (json.JSONDecodeError, TypeError):
        return None


def json_object(text: Any) -> dict[str, Any] | None:
    """Return the object of a JSON column, or None if it holds none."""
    found = from_json(text)
    return found if isinstance(found, dict) else None


def parse_game(row: tuple[Any, ...]) -> StoredGame | None:
    """Return a row of the games table, or None if this program cannot have written it."""
    game = dict(zip(COLUMNS["games"], row, strict=True))
    game |= {name: from_json(game[name]) for name in ("options", "players")}
    if not _has_shape(game, _GAME):
        return None
    del game["checksum"]
    finished = game["finished"]
    game |= {"options": tuple(game["options"]), "players": tuple(game["players"])}
    game |= {"started": parse_time(game["started"]), "layout": json_object(game["layout"])}
    game |= {"finished": None if finished is None else parse_time(finished)}
    return StoredGame(**game | {"rituals_done": parse_rituals_done(game["rituals_done"])})


def parse_rituals_done(text: Any) -> tuple[RitualDone, ...]:
    """Return the rituals in the column of done ones, without damaged entries."""
    entries = from_json(text)
    return tuple(
        RitualDone(entry["player"], entry["title"], entry["number"], parse_time(entry.get("at")))
        for entry in (entries if isinstance(entries, list) else ())
        if _has_shape(entry, _RITUAL) and entry.keys() >= _RITUAL.keys() and entry["number"] is not True
    )


def parse_event_line(text: Any) -> dict[str, Any] | None:
    """Return the event line of a column, or None if it is missing or has a damaged field."""
    line = json_object(text)
    if line is None or line.get("id") is None:
        return None
    try:
        Event.from_json(line)
    except BadInputError:
        return None
    ruling = line.get("ruling")
    sound = ruling is None or (_has_shape(ruling, _RULING) and ruling.get("verdict") in VERDICTS)
    return line if sound else None


def parse_time(value: Any) -> float:
    """Return a column's time in seconds since 1970, or 0 if it holds none."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value) if _NO_TIME_BEFORE <= value < _NO_TIME_AFTER else 0.0


def is_string_list(value: Any) -> bool:
    """Return whether a value is a list of strings."""
    return _has_shape(value, [str])


def _has_shape(value: Any, shape: Any) -> bool:
    """Return whether a value is as `_RULING` describes values.

    A type stands for its values, a list for lists of its entry, and a tuple for any of several shapes. A
    dictionary stands for those whose known fields have its shapes; `...` is every field.
    """
    if isinstance(shape, tuple):
        return any(_has_shape(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_has_shape(entry, shape[0]) for entry in value)
    if isinstance(shape, dict):
        known = {name: shape.get(name, shape.get(...)) for name in value} if isinstance(value, dict) else None
        return known is not None and all(one is None or _has_shape(value[n], one) for n, one in known.items())
    return isinstance(value, shape)


def checksum(*values: Any) -> int:
    """Return the checksum of a row's values, by which a changed byte is noticed (CRC-32)."""
    return zlib.crc32(" ".join(map(str, values)).encode("utf-8", "surrogatepass"))


def is_unchanged(stored: Any, *values: Any) -> bool:
    """Return whether a row's values fit its stored checksum. Rows of older versions have none."""
    return stored is None or stored == checksum(*values)


def to_json(value: Any) -> str:
    """Return JSON in the form of the store."""
    return json.dumps(
        list(value) if isinstance(value, tuple) else value, ensure_ascii=False, separators=(",", ":")
    )
