"""The plain way of following a game, which is measured beside ours so that the gain shows.

Another card on top of the pile than those that lay there is a play by whoever has the turn (where the referee
cannot tell: whoever sits next); a pile that is gone was burnt if a ten lay on top, else picked up. The deal,
where the pile lies, card readings and referee are those of the watcher, and it is told who begins; it looks
at no arms, believes each reading, and never takes back a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.game.event_log import EventLine, EventLog
from companion.game.refereeing import make_referee
from engine.events import Event
from vision.table.layout import PLAY, Layout
from vision.table.observations import see
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
        """What it reports, with rulings, in the order of time."""
        return sorted(self._book.lines, key=lambda line: float(line["t"]))

    def deal(self, line: EventLine) -> None:
        """Take in the deal as the watcher saw it."""
        self._book.add([Event.from_json({**line, "id": 1})])

    def look(self, t: float, readings: Sequence[CardReading], layout: Layout, *, still: bool) -> None:
        """Take in one reading of the table at `t` seconds; `still`: nothing moves over it."""
        ups = [reading for reading in readings if reading.face == "up" and _on_pile(reading, layout)]
        named = [(reading.outline_confidence, reading.card) for reading in ups if reading.card is not None]
        if named:
            # What lies on top is seen whole, and so outlined most surely.
            _, top = max(named)
            if top not in self._pile:
                self._tell("play", t, cards=(top,))
                self._pile.append(top)
        elif not ups and still and self._pile:
            self._tell("burn" if self._pile[-1].startswith("10") else "pick_up", t, cards=tuple(self._pile))
            self._pile.clear()

    def _tell(self, kind: Any, t: float, **what: Any) -> None:
        player = (self._book.table.turn if self._begun else None) or self._next
        self._begun = True
        self._next = self._players[(self._players.index(player) + 1) % len(self._players)]
        self._book.add([Event(id=0, event=kind, t=t, decided_at=t, player=player, **what)])


def _on_pile(reading: CardReading, layout: Layout) -> bool:
    return any(layout.zone_at(card.x, card.y) == PLAY for card in see([reading], layout.plane))
