"""The messages that a phone may send. Each is checked here, before anything acts on it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.cards import JOKER, RANK_TEXTS
from engine.errors import BadInputError
from engine.files.json_text import parse_json

MAX_MESSAGE_BYTES = 4096
MAX_NAME_LETTERS = 24
_MAX_CARDS = 16
_PHONE_ID = re.compile(r"[0-9a-f]{32}")
_CARDS = frozenset(rank + suit for rank in RANK_TEXTS.values() if rank != JOKER for suit in "CDHS") | {JOKER}
LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a connection: who it is."""

    phone: str
    """A random number that the page drew, so that it is known again after a reload."""
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class Rename:
    """The person with the phone gives a name."""

    name: str


@dataclass(frozen=True, slots=True)
class TakeCamera:
    """The phone wants to film."""


@dataclass(frozen=True, slots=True)
class GiveCamera:
    """The phone that films answers whether another one may take over."""

    agrees: bool


@dataclass(frozen=True, slots=True)
class LeaveCamera:
    """The phone stops filming."""


@dataclass(frozen=True, slots=True)
class CameraAway:
    """The phone cannot film for a while, for example because of a call, or films again."""

    away: bool


@dataclass(frozen=True, slots=True)
class ClockAnswer:
    """The phone's clock, in answer to the server's question."""

    asked: float
    """The server's time in the question, in seconds."""
    now: float
    """The phone's time in seconds."""


@dataclass(frozen=True, slots=True)
class Correct:
    """The person with the phone says that an event is wrong."""

    event: int
    seen: str
    """The version of the event (`companion.phone.view.version_of`) as that screen showed it."""
    cards: tuple[str, ...] | None = None
    player: str | None = None
    strike: bool = False
    """Whether it did not happen at all."""


Message = Hello | Rename | TakeCamera | GiveCamera | LeaveCamera | CameraAway | ClockAnswer | Correct


def parse_message(text: str | bytes) -> Message:
    """Return a checked message.

    Raises:
        BadInputError: it is none. The line says what is wrong with it.
    """
    if len(text) > MAX_MESSAGE_BYTES:
        raise BadInputError("message: longer than {most} bytes", most=MAX_MESSAGE_BYTES)
    try:
        fields = parse_json(text)
    except ValueError:
        raise BadInputError("message: not JSON") from None
    if not isinstance(fields, dict):
        raise BadInputError("message: not an object")
    kind = fields.get("type")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise BadInputError("message: 'type' is missing or unknown")
    parsed: Message = make(fields)
    return parsed


def clean_name(name: object) -> str:
    """Return a name in one line without control characters; empty if nothing is left.

    Raises:
        BadInputError: it is no text, or too long.
    """
    if not isinstance(name, str) or len(name) > 4 * MAX_NAME_LETTERS:
        raise BadInputError("message: 'name' is not a short text")
    plain = "".join(letter for letter in name if letter.isprintable())
    return " ".join(plain.split())[:MAX_NAME_LETTERS].strip()


def _hello(fields: Mapping[str, Any]) -> Hello:
    phone, language = fields.get("phone"), fields.get("language")
    if not isinstance(phone, str) or not _PHONE_ID.fullmatch(phone):
        raise BadInputError("message: 'phone' is not 32 hexadecimal digits")
    if language not in LANGUAGES:
        raise BadInputError("message: 'language' is none of {known}", known=", ".join(LANGUAGES))
    return Hello(phone, clean_name(fields.get("name", "")), str(language))


def _correct(fields: Mapping[str, Any]) -> Correct:
    event, seen = fields.get("event"), fields.get("seen")
    if type(event) is not int or not 0 < event < 10**6:
        raise BadInputError("message: 'event' is not an event's number")
    if not isinstance(seen, str) or len(seen) > 64:
        raise BadInputError("message: 'seen' is not a mark")
    asked = [name for name in ("cards", "player", "strike") if fields.get(name) is not None]
    if len(asked) != 1:
        raise BadInputError("message: one of 'cards', 'player' and 'strike' is needed")
    if asked == ["cards"]:
        cards = fields["cards"]
        if not isinstance(cards, list) or not 0 < len(cards) <= _MAX_CARDS:
            raise BadInputError("message: 'cards' is not a list of 1 to {most} cards", most=_MAX_CARDS)
        if not all(isinstance(card, str) and card in _CARDS for card in cards):
            raise BadInputError("message: 'cards' has an entry that is not a card")
        return Correct(event, seen, cards=tuple(cards))
    if asked == ["player"]:
        player = fields["player"]
        if not isinstance(player, str) or len(player) > 200:
            raise BadInputError("message: 'player' is not a name")
        return Correct(event, seen, player=player)
    if fields["strike"] is not True:
        raise BadInputError("message: 'strike' is not true")
    return Correct(event, seen, strike=True)


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name)
    if not isinstance(value, bool):
        raise BadInputError("message: {name!r} is neither true nor false", name=name)
    return value


def _seconds(fields: Mapping[str, Any], name: str) -> float:
    return checked_seconds(fields.get(name), name)


def checked_seconds(value: object, name: str) -> float:
    """Return a time in seconds.

    Raises:
        BadInputError: it is no number of a reasonable size.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(float(value)) or abs(float(value)) > 1e11:  # type: ignore[arg-type]
        raise BadInputError("message: {name!r} is not a time", name=name)
    return float(value)  # type: ignore[arg-type]


_KINDS: dict[str, Any] = {
    "hello": _hello,
    "name": lambda fields: Rename(clean_name(fields.get("name"))),
    "take-camera": lambda _fields: TakeCamera(),
    "give-camera": lambda fields: GiveCamera(_flag(fields, "agrees")),
    "leave-camera": lambda _fields: LeaveCamera(),
    "camera-away": lambda fields: CameraAway(_flag(fields, "away")),
    "clock": lambda fields: ClockAnswer(_seconds(fields, "asked"), _seconds(fields, "now")),
    "correct": _correct,
}
