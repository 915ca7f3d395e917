"""A simple way to follow a game, as a baseline for the watcher.

The baseline credits a new card on top of the pile to the player to move. If the turn is unknown, it credits
the next player. A vanished pile was burned if a ten was on top, else picked up. The baseline gets the deal,
the position of the pile, the readings and the rulings of the watcher, and the first player. It ignores arms,
believes each reading, and never revises an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.game.event_log import EventLine, EventLog
from companion.game.refereeing import make_referee
from engine.events import Event
from vision.table.layout import PLAY, Layout
from vision.table.observations import observe
from vision.types import CardReading


class Baseline:
    """Follows one game from the cards on the pile alone."""

    def __init__(
        self,
        rules: str,
        players: Sequence[str],
        *,
        starter: str,
        options: Sequence[str] = (),
        dealer: str | None = None,
    ) -> None:
        self._book = EventLog(make_referee(rules, players, options=options, dealer=dealer))
        self._pile: list[str] = []
        self._begun = False
        self._players, self._next = tuple(players), starter

    @property
    def lines(self) -> list[EventLine]:
        """The reported events with rulings, sorted by time."""
        return sorted(self._book.lines, key=lambda line: float(line["t"]))

    def deal(self, line: EventLine) -> None:
        """Use the deal of the watcher."""
        self._book.add([Event.from_json({**line, "id": 1})])

    def look(self, t: float, readings: Sequence[CardReading], layout: Layout, *, still: bool) -> None:
        """Use the readings of the table at `t` seconds; `still` says that nothing moves over it."""
        ups = [reading for reading in readings if reading.face == "up" and _on_pile(reading, layout)]
        named = [(reading.detection_confidence, reading.card) for reading in ups if reading.card is not None]
        if named:
            # The top card is uncovered, so its outline has the highest confidence.
            _, top = max(named)
            if top not in self._pile:
                self._report("play", t, cards=(top,))
                self._pile.append(top)
        elif not ups and still and self._pile:
            self._report("burn" if self._pile[-1].startswith("10") else "pick_up", t, cards=tuple(self._pile))
            self._pile.clear()

    def _report(self, kind: Any, t: float, **what: Any) -> None:
        player = (self._book.table.turn if self._begun else None) or self._next
        self._begun = True
        self._next = self._players[(self._players.index(player) + 1) % len(self._players)]
        self._book.add([Event(id=0, event=kind, t=t, decided_at=t, player=player, **what)])


def _on_pile(reading: CardReading, layout: Layout) -> bool:
    return any(layout.zone_at(card.x, card.y) == PLAY for card in observe([reading], layout.plane))
