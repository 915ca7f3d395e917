"""What the rows of a store hold, checked: a file may be sound for SQLite and an entry in it damaged.

One letter is enough, and no screen asks whether a verdict is one. So nothing that this program would not have
written leaves the store.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from engine.errors import BadInputError
from engine.events import Event
from engine.files.json_text import parse_json

VERDICTS = ("legal", "illegal", "unproven")
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_NO_TIME_BEFORE, _NO_TIME_AFTER = 0.0, 4e9
"""Seconds since 1970: what a calendar can be asked about everywhere."""
_LISTS_OF_TEXTS = ("skipped", "left", "back_in")
_TEXTS_OR_NONE = ("next", "picks_up", "shithead")


@dataclass(frozen=True, slots=True)
class RitualDone:
    """That a ritual which a game called for was done."""

    player: str
    """Whom it fell on."""
    title: str
    number: int
    """Which of those of that title that fell on the player in that game, from 1."""
    at: float
    """When it was said to be done, in seconds since 1970."""

    @property
    def which(self) -> tuple[str, str, int]:
        """What tells it from the others of its game."""
        return self.player, self.title, self.number


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game as the store knows it. `finished` is None while it is played; `loser` may stay unknown."""

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
    """What was watched; None where people entered what happened."""
    deck: str | None = None
    layout: dict[str, Any] | None = None
    """Where seats and piles are (`vision.table.layout.Layout.to_json`), once that was known."""
    rituals_done: tuple[RitualDone, ...] = ()
    """In the order in which they were done. A later correction may leave one that is no longer due."""


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


def game_of(row: tuple[Any, ...]) -> StoredGame | None:
    """Return a row of the games; None where it does not hold what this program writes."""
    options, players = from_json(row[5]), from_json(row[6])
    if not (is_texts(options) and is_texts(players) and all(isinstance(n, int) for n in row[:2])):
        return None
    if not all(text is None or isinstance(text, str) for text in (row[4], *row[7:11])) or row[4] is None:
        return None
    return StoredGame(
        id=row[0],
        evening=row[1],
        started=seconds_of(row[2]),
        finished=None if row[3] is None else seconds_of(row[3]),
        rules=row[4],
        options=tuple(options),
        players=tuple(players),
        dealer=row[7],
        loser=row[8],
        source=row[9],
        deck=row[10],
        layout=None if row[11] is None else object_of(row[11]),
        rituals_done=rituals_done(row[12]),
    )


def rituals_done(text: Any) -> tuple[RitualDone, ...]:
    """Return what the column of rituals that were done holds; without what is damaged."""
    entries = from_json(text)
    return tuple(_ritual_of(e) for e in entries if _is_ritual(e)) if isinstance(entries, list) else ()


def _is_ritual(value: Any) -> bool:
    if not isinstance(value, dict) or not is_texts([value.get("player"), value.get("title")]):
        return False
    return type(value.get("number")) is int


def _ritual_of(entry: dict[str, Any]) -> RitualDone:
    return RitualDone(entry["player"], entry["title"], entry["number"], seconds_of(entry.get("at")))


def event_line(text: Any) -> dict[str, Any] | None:
    """Return the event line that a column holds; None where it holds none, or one with a damaged field."""
    line = object_of(text)
    if line is None or line.get("id") is None:
        return None
    try:
        Event.from_json(line)
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


def to_json(value: Any) -> str:
    """Return JSON as it is written to the store."""
    return json.dumps(
        list(value) if isinstance(value, tuple) else value, ensure_ascii=False, separators=(",", ":")
    )
