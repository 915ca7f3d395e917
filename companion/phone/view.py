"""The view of a game that the phones show: plain data in one language. It words, and holds no rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.entry import PLAYER_EVENTS, uses_jokers, with_player
from companion.game.evening import Tally
from companion.game.interface import EventLine
from companion.game.ruling_views import (
    is_inferred,
    likely_answers,
    line_to_correct,
    newest_ruling,
    open_questions,
    pick_ups_and_burns,
    ruling_of,
    ruling_text,
    verdict_of,
)
from companion.game.session import Snapshot
from companion.game.setup import GameSetup
from companion.i18n.catalogue import _, ngettext, speaking
from companion.i18n.events import event_text
from companion.i18n.messages import translate
from companion.i18n.wording import cards_label, clock_text, playable_now, turn_text
from companion.phone.requests import Correct
from companion.theme import VERDICT_SIGN, VERDICT_WORD
from engine.errors import BadInputError
from engine.events import Event

SHOWN_LINES = 60
_SHOWN_OF_PILE = 6
_WITH_CARDS = ("play", "flip", "show", "take_up", "pick_up", "burn")
_WITH_PLAYER = (*PLAYER_EVENTS, "out", "recount")


@dataclass(frozen=True, slots=True)
class ViewInput:
    """Everything that a rendering depends on besides the language."""

    snapshot: Snapshot | None
    """None while no game is running."""
    setup: GameSetup | None = None
    ledger: Tally | None = None
    corrected_by: Mapping[tuple[int, int], str] | None = None
    """The name of the person who corrected an event from a phone, by the game's number and the event's id."""


def game_view(shown: ViewInput, language: str) -> dict[str, Any]:
    """Return the state of the game for the screens, as a JSON object."""
    with speaking(language):
        snapshot = shown.snapshot
        view: dict[str, Any] = {"ledger": _ledger(shown.ledger)}
        if snapshot is None:
            return view | {"phase": "none", "says": "", "table": None, "ruling": None, "log": []}
        by = shown.corrected_by or {}
        lines = snapshot.lines
        return view | {
            "phase": snapshot.phase,
            "says": translate(snapshot.says),
            "game": snapshot.game,
            "moving": snapshot.moving,
            "lost": snapshot.lost,
            "table": _table(snapshot),
            "jokers": _jokers(shown),
            "ruling": _ruling(newest_ruling(lines)),
            "questions": [_question(lines, line) for line in open_questions(lines)],
            "log": [
                _row(lines, line, by.get((snapshot.game, int(line.get("id") or 0))))
                for line in lines[-SHOWN_LINES:]
            ],
        }


def _table(snapshot: Snapshot) -> dict[str, Any] | None:
    table = snapshot.table
    if table is None:
        return None
    over = table.loser is not None
    waiting = _("Who begins?") if any(table.up.values()) else _("Waiting for the deal")
    picked_up, burnt = pick_ups_and_burns(snapshot.lines)
    return {
        "who": turn_text(table, waiting),
        "over": over,
        "clockwise": table.direction != "anticlockwise",
        "need": _("Deal the next game") if snapshot.awaits_deal else playable_now(table),
        "ranks": list(table.playable_ranks) if table.turn and not over else [],
        "pile": list(table.pile[-_SHOWN_OF_PILE:]),
        "on_pile": len(table.pile),
        "draw": table.draw_pile,
        "burnt": len(table.burned),
        "players": [
            {
                "name": player,
                "turn": table.turn == player and not over,
                "out": player in table.left,
                "hand": table.hands[player].size,
                "up": list(table.up.get(player) or ()),
                "down": table.down.get(player),
                "pick_ups": picked_up[player],
                "burns": burnt[player],
            }
            for player in table.players
        ],
    }


def _jokers(shown: ViewInput) -> bool:
    setup, snapshot = shown.setup, shown.snapshot
    if setup is None or snapshot is None or snapshot.table is None:
        return False
    return uses_jokers(setup.rules, setup.options, len(snapshot.table.players))


def _ruling(line: EventLine | None) -> dict[str, Any] | None:
    ruling = ruling_of(line) if line is not None else None
    if line is None or ruling is None:
        return None
    verdict = verdict_of(ruling)
    says, quote = ruling_text(ruling)
    return {
        "event": int(line.get("id") or 0),
        "verdict": verdict,
        "sign": VERDICT_SIGN[verdict],
        "word": _(VERDICT_WORD[verdict]),
        "what": event_text(line),
        "says": says,
        "quote": quote,
        "t": float(line.get("decided_at") or line.get("t") or 0.0),
    }


def _row(lines: Sequence[EventLine], line: EventLine, by: str | None) -> dict[str, Any]:
    """Return one row of the log, with the event that a tap on it corrects."""
    ruling = ruling_of(line) or {}
    about = line_to_correct(lines, int(line.get("id") or 0)) or line
    kind = str(about.get("event"))
    row: dict[str, Any] = {
        "id": int(line.get("id") or 0),
        "at": clock_text(float(line.get("t") or 0.0)),
        "text": event_text(line),
        "verdict": str(ruling.get("verdict") or ""),
        "says": ruling_text(ruling)[0] if ruling else "",
        "fix": {
            "event": int(about.get("id") or 0),
            "seen": version_of(about),
            "text": event_text(about),
            "player": about.get("player"),
            "cards": list(map(str, about.get("cards") or ())) if kind in _WITH_CARDS else [],
            "asks": kind == "unclear",
            "of_player": kind in _WITH_PLAYER and not is_inferred(about),
        },
    }
    if by:
        row["by"] = _("Corrected by {player}").format(player=by)
    return row


def _question(lines: Sequence[EventLine], line: EventLine) -> dict[str, Any]:
    about = line_to_correct(lines, int(line.get("id") or 0)) or line
    return {
        "event": int(about.get("id") or 0),
        "seen": version_of(about),
        "text": event_text(line),
        "answers": [
            {"cards": list(event.cards), "text": cards_label(event.cards)}
            for event in likely_answers(lines, line)
        ],
    }


def _ledger(ledger: Tally | None) -> list[dict[str, Any]]:
    if ledger is None:
        return []
    return [
        {
            "name": standing.player,
            "losses": standing.losses,
            "text": ngettext("{n} game", "{n} games", standing.games),
            "streak": standing.streak,
            "dues": list(standing.dues()),
        }
        for standing in ledger.standings
    ]


def version_of(line: EventLine) -> str:
    """Return a short digest of an event's content. A screen names it to say which version it saw."""
    content = [line.get(name) for name in ("id", "event", "player", "cards", "source", "count")]
    return hashlib.sha256(json.dumps(content, default=list).encode()).hexdigest()[:16]


def correction_of(
    lines: Sequence[EventLine], players: Sequence[str], asked: Correct
) -> tuple[int, Event | None]:
    """Return the event's id and its replacement, or None to remove it.

    Raises:
        BadInputError: the event is gone, has changed since, or cannot be corrected in that way.
    """
    line = line_to_correct(lines, asked.event)
    if line is None:
        raise BadInputError("that event is gone: it was corrected just before")
    if version_of(line) != asked.seen:
        raise BadInputError("that event was corrected just before; look at it again")
    number = int(line["id"])
    if asked.strike:
        return number, None
    event = replace(Event.from_json(dict(line)), confidence=1.0, revise=None)
    if asked.player is not None:
        if asked.player not in players:
            raise BadInputError("{name!r} is not one of the players", name=asked.player)
        if event.event not in _WITH_PLAYER or is_inferred(line):
            raise BadInputError("that event has no other player")
        return number, with_player(event, asked.player)
    assert asked.cards is not None
    if event.event not in _WITH_CARDS or not event.cards:
        raise BadInputError("that event has no cards to correct")
    more = len(asked.cards) - len(event.cards)
    count = None if event.count is None else max(0, event.count + more)
    return number, replace(event, cards=asked.cards, count=count)
