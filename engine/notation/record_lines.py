"""One event as one line of a record, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from engine.cards import parse_card
from engine.errors import BadInputError
from engine.events import FLAGS, Event
from engine.files.json_text import parse_json

SOMEBODY = "Somebody"
"""Stands for a player who was not recognised; a real player of that name is put in quotation marks."""

_PLAIN_NAME = re.compile(r"[^\W\d_][\w'-]*")
_NAME = r'("(?:[^"\\]|\\.)*"|[^\W\d_][\w\'-]*)'
_CARDS = r"((?: (?:JOKER|10|[2-9TJQKA]|\?\?)[CDHS]?)*)"
_ROW = re.compile(_NAME + _CARDS)
_LINE = re.compile(r"(\d{1,9})\. (.*?)(?: \[([^\[\]]*)\])?", re.DOTALL)
_FROM = {
    "hand": "from hand",
    "up": "from the up-cards",
    "hand+up": "from hand and up-cards",
    "down": "blindly",
}


def name_text(name: str) -> str:
    """Return a name as a record writes it."""
    if _PLAIN_NAME.fullmatch(name) and name != SOMEBODY:
        return name
    return json.dumps(name, ensure_ascii=False)


def parse_names(text: str) -> tuple[str, ...]:
    """Read a list of names.

    Raises:
        BadInputError: it is not one.
    """
    found = re.findall(_NAME, text)
    if ", ".join(found) != text:
        raise BadInputError(f"{text[:60]!r} is not a list of names")
    return tuple(_name(one) or SOMEBODY for one in found)


def _name(text: str) -> str | None:
    if text == SOMEBODY:
        return None
    if not text.startswith('"'):
        return text
    try:
        return str(parse_json(text))
    except json.JSONDecodeError:
        raise BadInputError(f"{text[:40]} is not a name in quotation marks") from None


def _who(name: str | None) -> str:
    return SOMEBODY if name is None else name_text(name)


def _cards(cards: tuple[str, ...]) -> str:
    return "".join(f" {card}" for card in cards)


def _parse_cards(text: str | None) -> tuple[str, ...]:
    return tuple(parse_card(card) for card in (text or "").split())


# From event to line


def event_text(event: Event) -> str:
    """Return the event as one line."""
    sentence = _WRITERS[event.event](event)
    details = _details(event)
    return f"{event.id}. {sentence}" + (f" [{' '.join(details)}]" if details else "")


def _details(event: Event) -> list[str]:
    details = []
    for name, value, usual in (
        ("t", event.t, 0.0),
        ("decided", event.decided_at, 0.0),
        ("confidence", event.confidence, 1.0),
        ("revise", event.revise, None),
        ("concerns", event.concerns, None),
    ):
        if value != usual:
            whole = isinstance(value, float) and value.is_integer()
            details.append(f"{name}={int(value) if whole and value is not None else value!r}")
    return [*details, *(name for name in FLAGS if getattr(event, name))]


def _write_deal(event: Event) -> str:
    rows = [f"{_who(player)}{_cards(cards)}" for player, cards in event.up.items()]
    pile = f" beside{_cards(event.cards)}" if event.cards else ""
    return f"deal{pile}: " + " / ".join(rows) if rows else f"deal{pile}"


def _write_exchange(event: Event) -> str:
    count = "" if event.count is None else f" {event.count}"
    rows = " / ".join(f"{_who(player)}{_cards(cards)}" for player, cards in event.up.items())
    return f"{_who(event.player)} exchanges{count}" + (f": {rows}" if rows else "")


def _write_play(event: Event) -> str:
    source = f" {_FROM[event.source]}" if event.source else ""
    return f"{_who(event.player)} plays{_cards(event.cards)}{source}"


def _write_show(event: Event) -> str:
    to = f" to {_who(event.to)}" if event.to is not None else ""
    answers = "".join(f", {_who(giver)} answers {_who(taker)}" for giver, taker in event.answers)
    source = f" out of {event.answered_from}" if event.answered_from else ""
    return f"{_who(event.player)} shows{_cards(event.cards)}{to}{answers}{source}"


def _counted(verb: str) -> Callable[[Event], str]:
    def write(event: Event) -> str:
        count = "" if event.count is None else f" {event.count}"
        cards = f":{_cards(event.cards)}" if event.cards else ""
        return f"{_who(event.player)} {verb}{count}{cards}"

    return write


def _write_recount(event: Event) -> str:
    count = "" if event.count is None else f" {event.count}"
    where = "" if event.source is None else f" in {event.source}"
    return f"{_who(event.player)} has{count} more{where}"


def _said(words: str) -> Callable[[Event], str]:
    def write(event: Event) -> str:
        return f"{words}: {_who(event.player)}: {json.dumps(event.says or '', ensure_ascii=False)}"

    return write


_WRITERS: dict[str, Callable[[Event], str]] = {
    "deal": _write_deal,
    "exchange": _write_exchange,
    "play": _write_play,
    "flip": _counted("flips"),
    "take_up": _counted("takes up"),
    "take_down": _counted("takes down"),
    "pick_up": _counted("picks up"),
    "burn": _counted("burns"),
    "show": _write_show,
    "draw": _counted("draws"),
    "recount": _write_recount,
    "out": lambda event: f"{_who(event.player)} is out",
    "game_over": lambda event: f"game over: {_who(event.loser)}",
    "late_breach": _said("late breach"),
    "consequence": _said("after a breach"),
    "unclear": _said("unclear"),
}


# From line to event


def parse_event(line: str) -> Event:
    """Read one line.

    Raises:
        BadInputError: it is not an event.
    """
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadInputError("write a line as: NUMBER. EVENT")
    if int(found[1]) == 0:
        raise BadInputError("events are numbered from 1")
    for pattern, build in _READERS:
        match = pattern.fullmatch(found[2])
        if match is not None:
            details = _read_details(found[3] or "")
            return Event.from_json({"id": int(found[1])} | build(match) | details)
    raise BadInputError(f"{found[2][:60]!r} is not an event of a game")


def _read_details(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for item in text.split():
        name, _, value = item.partition("=")
        try:
            if item in FLAGS:
                fields[item] = True
            elif name in ("t", "confidence"):
                fields[name] = float(value)
            elif name == "decided":
                fields["decided_at"] = float(value)
            elif name in ("revise", "concerns"):
                fields[name] = int(value)
            else:
                raise ValueError
        except ValueError:
            raise BadInputError(f"{item[:40]!r} is not a detail of an event") from None
    return fields


def _rows(text: str | None) -> dict[str, tuple[str, ...]]:
    """Read players with their cards: `Ann 4C 9S / Bob 2C`."""
    rows: dict[str, tuple[str, ...]] = {}
    place = 0
    while text and place <= len(text):
        match = _ROW.match(text, place)
        player = _name(match[1]) if match else None
        if match is None or player is None:
            raise BadInputError(f"{text[place : place + 40]!r} is not a player and cards")
        rows[player] = _parse_cards(match[2])
        place = match.end() + len(" / ")
        if match.end() < len(text) and text[match.end() : place] != " / ":
            raise BadInputError(f"{text[match.end() :][:40]!r} is not a player and cards")
    return rows


def _read_counted(kind: str) -> Callable[[re.Match[str]], dict[str, Any]]:
    def read(match: re.Match[str]) -> dict[str, Any]:
        count = int(match[2]) if match[2] else None
        return {"event": kind, "player": _name(match[1]), "count": count, "cards": _parse_cards(match[3])}

    return read


def _read_recount(match: re.Match[str]) -> dict[str, Any]:
    count = int(match[2]) if match[2] else None
    return {"event": "recount", "player": _name(match[1]), "count": count, "source": match[3]}


def _read_flip(match: re.Match[str]) -> dict[str, Any]:
    return _read_counted("flip")(match) | {"source": "down"}


def _read_show(match: re.Match[str]) -> dict[str, Any]:
    answers = re.findall(f", {_NAME} answers {_NAME}", match[4] or "")
    pairs = [(_name(giver), _name(taker)) for giver, taker in answers]
    return {
        "event": "show",
        "player": _name(match[1]),
        "cards": _parse_cards(match[2]),
        "to": _name(match[3]) if match[3] else None,
        "answers": tuple((giver or SOMEBODY, taker or SOMEBODY) for giver, taker in pairs),
        "answered_from": match[7],
    }


def _read_play(match: re.Match[str]) -> dict[str, Any]:
    source = next((name for name, words in _FROM.items() if words == match[3]), None)
    return {"event": "play", "player": _name(match[1]), "cards": _parse_cards(match[2]), "source": source}


def _read_exchange(match: re.Match[str]) -> dict[str, Any]:
    count = int(match[2]) if match[2] else None
    return {"event": "exchange", "player": _name(match[1]), "count": count, "up": _rows(match[3])}


def _read_said(kind: str) -> Callable[[re.Match[str]], dict[str, Any]]:
    def read(match: re.Match[str]) -> dict[str, Any]:
        try:
            says = parse_json(match[2])
        except json.JSONDecodeError:
            raise BadInputError(f"{match[2][:40]!r} is not a text in quotation marks") from None
        return {"event": kind, "player": _name(match[1]), "says": says or None}

    return read


_ANSWERS = f"((?:, {_NAME} answers {_NAME})*)"
_OUT_OF = "(?: out of (hand|up|down))?"
_COUNT = r"(?: (\d{1,9}))?"
_COUNTED = f"{_COUNT}(?::{_CARDS})?"
_SOURCES = "|".join(re.escape(words) for words in _FROM.values())
_READERS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]]]] = [
    (
        re.compile(r"deal(?: beside((?: [^\s:]+)+))?(?:: (.*))?"),
        lambda m: {"event": "deal", "cards": _parse_cards(m[1]), "up": _rows(m[2])},
    ),
    (re.compile(f"game over: {_NAME}"), lambda m: {"event": "game_over", "loser": _name(m[1])}),
    (re.compile(f'late breach: {_NAME}: (".*")'), _read_said("late_breach")),
    (re.compile(f'after a breach: {_NAME}: (".*")'), _read_said("consequence")),
    (re.compile(f'unclear: {_NAME}: (".*")'), _read_said("unclear")),
    (re.compile(f"{_NAME} is out"), lambda m: {"event": "out", "player": _name(m[1])}),
    (re.compile(f"{_NAME} exchanges{_COUNT}(?:: (.*))?"), _read_exchange),
    (re.compile(f"{_NAME} plays{_CARDS}(?: ({_SOURCES}))?"), _read_play),
    (re.compile(f"{_NAME} picks up{_COUNTED}"), _read_counted("pick_up")),
    (re.compile(f"{_NAME} flips{_COUNTED}"), _read_flip),
    (re.compile(f"{_NAME} takes up{_COUNTED}"), _read_counted("take_up")),
    (re.compile(f"{_NAME} takes down{_COUNTED}"), _read_counted("take_down")),
    (re.compile(f"{_NAME} burns{_COUNTED}"), _read_counted("burn")),
    (re.compile(f"{_NAME} draws{_COUNTED}"), _read_counted("draw")),
    (re.compile(rf"{_NAME} has{_COUNT} more(?: in (hand|up|down|hand\+up))?"), _read_recount),
    (re.compile(f"{_NAME} shows{_CARDS}(?: to {_NAME})?{_ANSWERS}{_OUT_OF}"), _read_show),
]
