"""Situations in short form, so that a test reads like the sentence it tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from engine.events import Event, EventKind
from engine.judging.judge import judge
from engine.referee.apply import EventApplier
from engine.referee.outcome import Outcome
from engine.referee.public import public_table
from engine.referee.referee import PublicTable, Referee
from engine.referee.state import Knowledge, fresh_knowledge
from engine.ruleset import Ruleset, load_ruleset

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


class Followed:
    """A game whose events are told in short form."""

    rules: Ruleset

    def __init__(self) -> None:
        self.number = 0

    @property
    def table(self) -> PublicTable:
        raise NotImplementedError

    def observe(self, event: Event) -> Outcome:
        raise NotImplementedError

    def tell(self, event: EventKind, player: str | None = None, cards: str = "", **fields: Any) -> Outcome:
        self.number += 1
        return self.observe(
            Event(id=self.number, event=event, player=player, cards=tuple(cards.split()), **fields)
        )

    def play(
        self, player: str | None, cards: str, source: str | None = "hand", draws: int = 0, **fields: Any
    ) -> Outcome:
        outcome = self.tell("play", player, cards, source=source, **fields)
        if draws:
            self.tell("draw", player, count=draws)
        return outcome


class Told(Followed):
    """A referee that is told a game from its deal on."""

    def __init__(
        self, rules: str = "winnersh", ups: Mapping[str, tuple[str, ...]] = UPS, **given: Any
    ) -> None:
        super().__init__()
        self.referee = Referee(rules, PLAYERS, **given)
        self.rules = self.referee.rules
        self.tell("deal", up=ups)

    @property
    def table(self) -> PublicTable:
        return self.referee.table

    def observe(self, event: Event) -> Outcome:
        return self.referee.observe(event)


class Midway(Followed):
    """A game that is followed from its middle on: what is known of some cards is given, not told.

    Without a word on them, everybody has the cards that were dealt, with `UPS` face up.
    """

    def __init__(
        self,
        rules: str = "winnersh",
        *,
        draw_pile: int = 0,
        hands: Mapping[str, str] = MappingProxyType({}),
        ups: Mapping[str, str] = MappingProxyType({}),
        downs: Mapping[str, int] = MappingProxyType({}),
        turn: str | None = None,
        opening: bool = True,
        **given: Any,
    ) -> None:
        """Begin, by default before the first play. `given`: what else `fresh_knowledge` takes."""
        super().__init__()
        self.rules = load_ruleset(rules)

        def laid() -> Knowledge:
            state = fresh_knowledge(self.rules, PLAYERS, **given)
            state.draw_pile, state.turn, state.opening = draw_pile, turn or state.turn, opening
            for player, seat in state.seats.items():
                seat.up = ups[player].split() if player in ups else list(UPS[player])
                seat.hand = hands[player].split() if player in hands else seat.hand
                seat.down = downs.get(player, seat.down)
            return state

        self._applier = EventApplier(self.rules, laid)

    @property
    def state(self) -> Knowledge:
        """Everything that is known, also what screens do not show."""
        return self._applier.state

    @property
    def table(self) -> PublicTable:
        return public_table(self.state)

    def observe(self, event: Event) -> Outcome:
        return self._applier.apply(event)


Start = type[Told]


@pytest.fixture
def start() -> Start:
    """Begin a game between Ann, Bob and Cat, whose events are told in short form."""
    return Told


Halfway = type[Midway]


@pytest.fixture
def midway() -> Halfway:
    """Begin a game between Ann, Bob and Cat in its middle, whose events are told in short form."""
    return Midway
