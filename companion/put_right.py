"""What people put right, carried over to what the watcher tells of the same cards later.

The watcher goes on to believe what it read: told that a card on the pile is another, it would take the one
that it reads there for a new one. So its own names stay, and its events are put right as they come in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.events import TAKES_PILE, Event

_PUT_ON_PILE = ("play", "flip")
_Plays = dict[int, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the number of a play: its cards as the watcher told them, and what they really were."""


class PutRight:
    """Knows the plays on the pile that people put right; names their cards where the pile is taken away."""

    def __init__(self) -> None:
        self._plays: _Plays = {}
        """Those whose cards lie on the pile."""
        self._went: dict[int, _Plays] = {}
        """By the watcher's number of the event that took the pile away: the plays that went with it."""
        self._took: dict[int, Event] = {}
        """By that number: that event, as the watcher told it last."""

    def note(self, line: Mapping[str, Any], event: Event | None) -> None:
        """Note that a person puts `event` in place of a line; None: it never happened."""
        if line.get("event") not in _PUT_ON_PILE or line.get("by") is not None:
            return
        number, told = line["id"], tuple(line.get("cards") or ())
        plays = next((known for known in (self._plays, *self._went.values()) if number in known), None)
        if plays is None:
            plays = self._went_with(told, float(line["t"]))
        else:
            told = plays[number][0]
        plays[number] = told, event.cards if event is not None else ()

    def _went_with(self, told: tuple[str, ...], t: float) -> _Plays:
        """Return the plays of the pile that cards were put on at `t`: one taken since, or that there is."""
        took = [n for n, event in self._took.items() if event.t >= t and set(told) <= set(event.cards)]
        first = min(took, key=lambda number: self._took[number].t, default=None)
        return self._plays if first is None else self._went[first]

    def carry(self, event: Event) -> Event:
        """Return a watcher's event with the cards of the plays that were put right."""
        if event.event not in TAKES_PILE:
            return event
        taking = event.revise or event.id
        if event.withdrawn:
            self._took.pop(taking, None)
            self._plays |= self._went.pop(taking, {})
            return event
        self._took[taking] = event
        if taking not in self._went:
            there = set(event.cards)
            gone = [number for number, (told, _) in self._plays.items() if there.issuperset(told)]
            self._went[taking] = {number: self._plays.pop(number) for number in gone}
        cards = list(event.cards)
        for told, really in self._went[taking].values():
            if not all(card in cards for card in told):
                continue
            at = cards.index(told[0]) if told else len(cards)
            for card in told:
                cards.remove(card)
            cards[at:at] = really
        more = len(cards) - len(event.cards)
        return replace(event, cards=tuple(cards), count=None if event.count is None else event.count + more)
