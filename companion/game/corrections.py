"""Apply people's corrections of plays to the watcher's later events about the same cards.

The watcher keeps its own names for the cards on the pile. If it took over a corrected name, it would see the
old name there as a new card. So its events are corrected as they come in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.game.event_log import SETTLED
from engine.events import PUTS_ON_PILE, TAKES_PILE, Event

Misread = tuple[tuple[str, ...], tuple[str, ...]]
"""The cards of a play as the watcher named them, and as they really were."""
_Plays = dict[int, Misread]
"""Corrected plays by id."""


@dataclass(slots=True)
class _Taken:
    """A pile that was taken away."""

    event: Event
    """The newest form of the event that took it."""
    plays: _Plays
    """The plays that went with it."""


class CorrectedPlays:
    """Knows the corrected plays on the pile, and corrects the event that takes the pile away."""

    def __init__(self) -> None:
        self._plays: _Plays = {}
        """Corrected plays on the pile."""
        self._taken: dict[int, _Taken] = {}
        """Piles that were taken away, by the watcher's id of the event."""

    def take_misread(self) -> list[Misread]:
        """Return and forget the plays on the pile: a watcher that starts over reports the pile again."""
        plays, self._plays = [*self._plays.values()], {}
        return plays

    def read_back(self, stored: Iterable[Mapping[str, Any]]) -> None:
        """Note the corrections in the lines of an interrupted game, with revisions in order."""
        told: dict[int, Mapping[str, Any]] = {}
        for line in stored:
            number = line.get("revise") or line["id"]
            if line.get(SETTLED) and number in told:
                self.note({**told[number], "id": number}, Event.from_json(dict(line)))
            elif not line.get("withdrawn"):
                told[number] = line
            if line["event"] in TAKES_PILE and line.get("count") is None:
                self._plays.clear()

    def note(self, line: Mapping[str, Any], event: Event | None) -> None:
        """Note that a person replaced a line by `event`, or removed it with None."""
        if line.get("event") not in PUTS_ON_PILE or line.get("by") is not None:
            return
        number, told = line["id"], tuple(line.get("cards") or ())
        plays = self._plays_with(number)
        if plays is None:
            plays = self._went_with(told, float(line["t"]))
        else:
            told = plays[number][0]
        plays[number] = told, event.cards if event is not None else ()

    def seen_otherwise(self, number: int, event: Event) -> None:
        """Note that the watcher revises a corrected play, by its number; no other event is affected.

        The correction stands, but the watcher now has other names for these cards on the pile.
        """
        plays = self._plays_with(number)
        if plays is not None:
            plays[number] = () if event.withdrawn else event.cards, plays[number][1]

    def _plays_with(self, number: int) -> _Plays | None:
        """Return the plays of the pile to which a play belongs; None if the play was not corrected."""
        piles = (self._plays, *(taken.plays for taken in self._taken.values()))
        return next((plays for plays in piles if number in plays), None)

    def _went_with(self, told: tuple[str, ...], t: float) -> _Plays:
        """Return the plays of the pile onto which cards went at `t`: one taken since, or the present one."""
        since = (taken for taken in self._taken.values() if taken.event.t >= t)
        took = [taken for taken in since if not Counter(told) - Counter(taken.event.cards)]
        return min(took, key=lambda taken: taken.event.t).plays if took else self._plays

    def apply(self, event: Event) -> Event:
        """Return a watcher's event with its corrected cards."""
        if event.event not in TAKES_PILE:
            return event
        number = event.revise or event.id
        if event.withdrawn:
            if number in self._taken:
                self._plays |= self._taken.pop(number).plays
            return event
        plays = self._taken[number].plays if number in self._taken else self._go_with(event)
        self._taken[number] = _Taken(event, plays)
        return with_real_cards(event, plays.values())

    def _go_with(self, event: Event) -> _Plays:
        """Remove and return the plays whose cards an event takes off the pile."""
        there = Counter(event.cards)
        gone = [number for number, (told, _) in self._plays.items() if not Counter(told) - there]
        return {number: self._plays.pop(number) for number in gone}


def with_real_cards(event: Event, misread: Iterable[Misread]) -> Event:
    """Return an event that takes cards off the pile, with the real names of misread cards."""
    cards = list(event.cards)
    for told, really in misread:
        if Counter(told) - Counter(cards):
            continue
        at = cards.index(told[0]) if told else len(cards)
        for card in told:
            cards.remove(card)
        cards[at:at] = really
    more = len(cards) - len(event.cards)
    return replace(event, cards=tuple(cards), count=None if event.count is None else event.count + more)
