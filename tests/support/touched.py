"""Simulated games as somebody enters them who keeps the score: player by player, button by button.

The same touches drive the window (`drive_evening.py`) and, without one, what stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.entry import answered_show, entered_event
from companion.game.event_log import EventLog
from companion.game.refereeing import make_referee
from companion.game.touch_game import TouchGame
from engine.cards import JOKER
from engine.simulation.simulate import SimulatedGame

_WITH_CARDS = ("play", "flip", "show", "take_up")


@dataclass(frozen=True)
class Touch:
    """One visit to a player's sheet."""

    player: str
    button: str
    """The button's name on the sheet."""
    cards: tuple[str, ...] = ()
    """Cards to tap first, with or without suit."""
    source: str = "hand"
    face_up: int = 0
    """How many cards lie face up before the player."""


def touches(game: SimulatedGame, name: Callable[[str], str] = str) -> Iterator[Touch]:
    """Yield what is entered of a whole game; due draws, who is out and the end are left to the referee.

    `name` gives a played card as it is tapped: whole, or its rank alone.
    """
    shown = False  # only what is drawn after a show is drawn at will
    for event in (step.event for step in game):
        kind, player, up = event.event, event.player or "", event.up
        if kind == "deal":
            for one, lying in up.items():
                yield Touch(one, "deal", lying, face_up=len(lying))
        elif kind == "exchange":
            yield Touch(player, "exchange", up[player], face_up=len(up[player]))
        elif kind == "draw" and shown:
            yield from [Touch(player, "draw")] * (event.count or 1)
        elif kind not in ("draw", "out", "game_over"):
            cards = tuple(map(name, event.cards)) if kind in _WITH_CARDS else ()
            button = {"flip": "play", "show": f"show {event.to}"}.get(kind, kind)
            yield Touch(player, button, cards, event.source or "hand")
            for giver, _taker in event.answers:
                yield Touch(giver, "answer")
        shown = kind == "show" or (shown and kind == "pick_up")


def rank(card: str) -> str:
    return card if card == JOKER else card[:-1]


def hand_scored(rules: str, players: Sequence[str], dealer: str) -> TouchGame:
    return TouchGame(EventLog(make_referee(rules, players, dealer=dealer)))


def enter(scored: TouchGame, touch: Touch) -> None:
    """Enter what the sheet would report for this touch, a second after the last."""
    if touch.button == "answer":
        reply = answered_show(scored.lines, touch.player)
        assert reply is not None
        scored.correct(reply.id, reply)
        return
    kind, _, to = touch.button.partition(" ")
    fields: dict[str, Any] = {"to": to} if to else {}
    event = entered_event(kind, touch.player, touch.cards, touch.source, face_up=touch.face_up, **fields)
    now = scored.started_at + 1.0
    scored.enter(replace(event, t=now, decided_at=now))


def illegal(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if (line.get("ruling") or {}).get("verdict") == "illegal"]
