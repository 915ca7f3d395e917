"""Situations in short form, so that a test reads like the sentence it tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from engine.events import Event, EventKind
from engine.judging.judge import judge
from engine.referee.outcome import Outcome
from engine.referee.referee import PublicTable, Referee

Rule = Callable[..., dict[str, Any]]


def cards(text: str | None) -> list[str] | None:
    """Read `4H 8H`; None is unknown, the empty text no cards."""
    return None if text is None else text.split()


def action(text: str, player: str | None) -> dict[str, Any]:
    """Read `play 9H 9S`, `up 9S`, `hand+up JH JS`, `show 3H P4 P4>P1`, `pick_up 3`, `exchange 5H/9S`, ..."""
    verb, *rest = text.split()
    act: dict[str, Any] = {"player": player}
    if verb in ("play", "up", "down", "hand+up"):
        return act | {"type": "play", "cards": rest, "source": "hand" if verb == "play" else verb}
    act["type"] = verb
    if verb == "show":
        act |= {"cards": [rest[0]], "to": rest[1], "answers": [pair.split(">") for pair in rest[2:]]}
    elif verb == "flip":
        act |= {"card": rest[0]} if rest else {}
    elif verb == "take_up":
        act["cards"] = rest
    elif verb == "exchange":
        out, taken = rest[0].split("/")
        act |= {"hand_out": out.split(","), "up_out": taken.split(",")}
    elif rest:
        act["count"] = int(rest[0])
    return act


def situation(
    rules: str,
    act: str,
    *,
    hand: str | None = None,
    up: str | None = None,
    down: int | None = None,
    pile: str | None = None,
    draw: int | None = None,
    players: int = 4,
    turn: str | None = "P1",
    player: str | None = "P1",
    options: Sequence[str] = (),
    others: Mapping[str, Mapping[str, Any]] | None = None,
    more: Mapping[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return the contract's situation in which `player` (P1) holds hand, up, down and does `act`."""
    holding = {"hand": cards(hand), "up": cards(up), "down": down}
    return {
        "rules": rules,
        "options": list(options),
        "players": [f"P{number}" for number in range(1, players + 1)],
        "turn": turn,
        "pile": cards(pile),
        "draw_pile": draw,
        "cards": {**({player: holding} if player else {}), **(others or {})},
        "action": action(act, player) | dict(more or {}),
        **fields,
    }


@pytest.fixture
def rule() -> Rule:
    """Judge a situation in short form; `effects` are mixed into the ruling, `broken` lists the rule ids."""

    def rule_on(rules: str, act: str, **fields: Any) -> dict[str, Any]:
        ruling = judge(situation(rules, act, **fields))
        broken = [breach["rule"] for breach in ruling["breaches"]]
        return {**ruling["effects"], **ruling, "broken": broken}

    return rule_on


PLAYERS = ("Ann", "Bob", "Cat")
UPS = {"Ann": ("4C", "9S", "KD"), "Bob": ("2C", "7H", "7S"), "Cat": ("5C", "6C", "8C")}


class Told:
    """A referee that is told events in short form."""

    def __init__(
        self, rules: str = "winnersh", ups: Mapping[str, tuple[str, ...]] = UPS, **given: Any
    ) -> None:
        self.referee = Referee(rules, PLAYERS, **given)
        self.number = 0
        self.tell("deal", up=ups)

    def tell(self, event: EventKind, player: str | None = None, cards: str = "", **fields: Any) -> Outcome:
        self.number += 1
        return self.referee.observe(
            Event(id=self.number, event=event, player=player, cards=tuple(cards.split()), **fields)
        )

    def play(
        self, player: str | None, cards: str, source: str | None = "hand", draws: int = 0, **fields: Any
    ) -> Outcome:
        outcome = self.tell("play", player, cards, source=source, **fields)
        if draws:
            self.tell("draw", player, count=draws)
        return outcome

    @property
    def table(self) -> PublicTable:
        return self.referee.table


Start = type[Told]


@pytest.fixture
def start() -> Start:
    """Begin a game between Ann, Bob and Cat, whose events are told in short form."""
    return Told
