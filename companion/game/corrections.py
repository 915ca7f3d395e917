"""What people put right, carried over to what the watcher tells of the same cards later.

The watcher goes on to believe what it read: told that a card on the pile is another, it would take the one
that it reads there for a new one. So its own names stay, and its events are put right as they come in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.events import TAKES_PILE, Event

_PUT_ON_PILE = ("play", "flip")
_Plays = dict[int, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the number of a play: its cards as the watcher told them, and what they really were."""


@dataclass(slots=True)
class _Taken:
    """A pile that was taken away."""

    event: Event
    """What took it, as the watcher told that last."""
    plays: _Plays
    """The plays that went with it."""


class CorrectedPlays:
    """Knows the plays on the pile that people put right; names their cards where the pile is taken away."""

    def __init__(self) -> None:
        self._plays: _Plays = {}
        """Those whose cards lie on the pile."""
        self._taken: dict[int, _Taken] = {}
        """By the watcher's number of the event that took the pile away."""

    def note(self, line: Mapping[str, Any], event: Event | None) -> None:
        """Note that a person puts `event` in place of a line; None: it never happened."""
        if line.get("event") not in _PUT_ON_PILE or line.get("by") is not None:
            return
        number, told = line["id"], tuple(line.get("cards") or ())
        piles = (self._plays, *(taken.plays for taken in self._taken.values()))
        plays = next((known for known in piles if number in known), None)
        if plays is None:
            plays = self._went_with(told, float(line["t"]))
        else:
            told = plays[number][0]
        plays[number] = told, event.cards if event is not None else ()

    def _went_with(self, told: tuple[str, ...], t: float) -> _Plays:
        """Return the plays of the pile that cards were put on at `t`: one taken since, or that there is."""
        since = (taken for taken in self._taken.values() if taken.event.t >= t)
        took = [taken for taken in since if set(told) <= set(taken.event.cards)]
        return min(took, key=lambda taken: taken.event.t).plays if took else self._plays

    def carry(self, event: Event) -> Event:
        """Return a watcher's event with the cards of the plays that were put right."""
        if event.event not in TAKES_PILE:
            return event
        number = event.revise or event.id
        if event.withdrawn:
            if number in self._taken:
                self._plays |= self._taken.pop(number).plays
            return event
        plays = self._taken[number].plays if number in self._taken else self._go_with(event)
        self._taken[number] = _Taken(event, plays)
        cards = list(event.cards)
        for told, really in plays.values():
            if not all(card in cards for card in told):
                continue
            at = cards.index(told[0]) if told else len(cards)
            for card in told:
                cards.remove(card)
            cards[at:at] = really
        more = len(cards) - len(event.cards)
        return replace(event, cards=tuple(cards), count=None if event.count is None else event.count + more)

    def _go_with(self, event: Event) -> _Plays:
        """Return the plays whose cards an event takes off the pile; they lie there no more."""
        there = set(event.cards)
        gone = [number for number, (told, _) in self._plays.items() if there.issuperset(told)]
        return {number: self._plays.pop(number) for number in gone}
