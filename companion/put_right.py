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


class PutRight:
    """Knows the plays on the pile that people put right; names their cards where the pile is taken away."""

    def __init__(self) -> None:
        self._plays: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        """By the number of the play: its cards as the watcher told them, and what they really were."""
        self._went: dict[int, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        """By the watcher's number of the event that took the pile away: the plays that went with it."""

    def note(self, line: Mapping[str, Any], event: Event | None) -> None:
        """Note that a person puts `event` in place of a line; None: it never happened."""
        if line.get("event") not in _PUT_ON_PILE or line.get("by") is not None:
            return
        told = self._plays.get(line["id"], (tuple(line.get("cards") or ()), ()))[0]
        self._plays[line["id"]] = told, event.cards if event is not None else ()

    def carry(self, event: Event) -> Event:
        """Return a watcher's event with the cards of the plays that were put right."""
        if event.event not in TAKES_PILE or event.withdrawn:
            return event
        if event.revise is None:
            there = set(event.cards)
            gone = [number for number, (told, _) in self._plays.items() if there.issuperset(told)]
            self._went[event.id] = [self._plays.pop(number) for number in gone]
        cards = list(event.cards)
        for told, really in self._went.get(event.revise or event.id, ()):
            if not all(card in cards for card in told):
                continue
            at = cards.index(told[0]) if told else len(cards)
            for card in told:
                cards.remove(card)
            cards[at:at] = really
        more = len(cards) - len(event.cards)
        return replace(event, cards=tuple(cards), count=None if event.count is None else event.count + more)
