"""What the referee makes of one event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.events import Event
from engine.judging.case import Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the referee makes of one event."""

    ruling: Ruling | None = None
    """The contract's ruling, for events that are judged."""
    follow_ups: tuple[Event, ...] = ()
    """Events that the referee concludes: `late_breach`, `out`, `game_over`. Their id is 0: whoever keeps the
    log numbers them."""
    confirms: bool = False
    """The event was expected and adds nothing: the burn after a 10, the pick-up after a show."""
    changed: Mapping[int, Ruling | None] = field(default_factory=dict)
    """After a revision: the rulings on other events that are different now, by event id."""
