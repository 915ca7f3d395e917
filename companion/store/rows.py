"""Parse and check the rows of a store. A file may be sound for SQLite and still hold a damaged entry.

One wrong letter is enough, and screens do not check verdicts. So only values that this program could have
written leave the store.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from typing import Any

from engine.errors import BadInputError
from engine.events import Event
from engine.files.json_text import parse_json

VERDICTS = ("legal", "illegal", "unproven")
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_NO_TIME_BEFORE, _NO_TIME_AFTER = 0.0, 4e9
"""Seconds since 1970 that every platform's calendar accepts."""
_LISTS_OF_TEXTS = ("skipped", "left", "back_in")
_TEXTS_OR_NONE = ("next", "picks_up", "shithead")


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
    options, players = from_json(row[5]), from_json(row[6])
    if not (is_string_list(options) and is_string_list(players) and all(isinstance(n, int) for n in row[:2])):
        return None
    if not all(text is None or isinstance(text, str) for text in (row[4], *row[7:11])) or row[4] is None:
        return None
    return StoredGame(
        id=row[0],
        evening=row[1],
        started=parse_time(row[2]),
        finished=None if row[3] is None else parse_time(row[3]),
        rules=row[4],
        options=tuple(options),
        players=tuple(players),
        dealer=row[7],
        loser=row[8],
        source=row[9],
        deck=row[10],
        layout=None if row[11] is None else json_object(row[11]),
        rituals_done=parse_rituals_done(row[12]),
    )


def parse_rituals_done(text: Any) -> tuple[RitualDone, ...]:
    """Return the rituals in the column of done ones, without damaged entries."""
    entries = from_json(text)
    return tuple(_ritual_of(e) for e in entries if _is_ritual(e)) if isinstance(entries, list) else ()


def _is_ritual(value: Any) -> bool:
    if not isinstance(value, dict) or not is_string_list([value.get("player"), value.get("title")]):
        return False
    return type(value.get("number")) is int


def _ritual_of(entry: dict[str, Any]) -> RitualDone:
    return RitualDone(entry["player"], entry["title"], entry["number"], parse_time(entry.get("at")))


def parse_event_line(text: Any) -> dict[str, Any] | None:
    """Return the event line of a column, or None if it is missing or has a damaged field."""
    line = json_object(text)
    if line is None or line.get("id") is None:
        return None
    try:
        Event.from_json(line)
    except BadInputError:
        return None
    return line if line.get("ruling") is None or _is_ruling(line["ruling"]) else None


def parse_time(value: Any) -> float:
    """Return a column's time in seconds since 1970, or 0 if it holds none."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value) if _NO_TIME_BEFORE <= value < _NO_TIME_AFTER else 0.0


def is_string_list(value: Any) -> bool:
    """Return whether a value is a list of strings."""
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
    return all(is_string_list(value.get(name) or []) for name in ("needs", "notes"))


def _are_effects(effects: dict[str, Any]) -> bool:
    if not all(is_string_list(effects.get(name) or []) for name in (*_LISTS_OF_TEXTS, "rituals")):
        return False
    return all(isinstance(effects.get(name), str | None) for name in _TEXTS_OR_NONE)


def _is_list_of_objects(value: Any) -> bool:
    """Return whether a value is a list of objects that quote rules."""
    if not (isinstance(value, list) and all(isinstance(part, dict) for part in value)):
        return False
    return all(
        isinstance(part.get(name, ""), str) for part in value for name in ("rule", "cite", "quote", "says")
    )


def checksum(game: int, line: str) -> int:
    """Return the checksum of an event line in its game, by which a changed byte is noticed (CRC-32)."""
    return zlib.crc32(f"{game} {line}".encode("utf-8", "surrogatepass"))


def to_json(value: Any) -> str:
    """Return JSON in the form of the store."""
    return json.dumps(
        list(value) if isinstance(value, tuple) else value, ensure_ascii=False, separators=(",", ":")
    )
