"""The outcome of one event."""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Event
from engine.judging.case import Ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The referee's answer to one event."""

    ruling: Ruling | None = None
    """The ruling, for events that are judged."""
    follow_ups: tuple[Event, ...] = ()
    """Events that the referee concludes: `late_breach`, `out`, `game_over`. Their id is 0: the owner of the
    log numbers them."""
    confirms: bool = False
    """Whether the event was expected and adds nothing: the burn after a 10, the pick-up after a show."""
    hidden: int | None = None
    """How many cards lay unseen under the last play, as this event shows; 0: not known how many."""
