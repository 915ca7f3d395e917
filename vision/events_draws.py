"""Draws: trips to the draw pile, counted and told once the player has done."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from engine.events import Event
from vision.arms import Reach
from vision.events_scene import Scene

_GAP_SECONDS = 0.35
"""Pauses at the draw pile that are nearer in time are one."""
_QUIET_SECONDS = 0.55
"""A hand that has been gone so long has done drawing, most likely ..."""
_AGAIN_SECONDS = 1.0
"""... but one that is back for more so soon goes on."""
_EMPTY_LOOKS = 4
_STUCK_SECONDS, _PAUSE_SECONDS = 0.3, 0.2


@dataclass(slots=True)
class _Drawn:
    """Cards that a player has drawn, and may go on drawing."""

    seat: int
    count: int
    start: float
    t: float


@dataclass(slots=True)
class _Visit:
    """A time during which an arm was over the draw pile."""

    start: float
    end: float
    stuck: bool
    """Whether its tip seemed to rest elsewhere when it began."""
    open: bool = True

    @property
    def lasts(self) -> bool:
        return self.end - self.start >= _PAUSE_SECONDS


class Draws:
    """Counts what each player takes from the draw pile."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._drawn: _Drawn | None = None
        self._told: tuple[Event, _Drawn] | None = None
        self._looks: list[bool] = []
        self._over: dict[int, list[_Visit]] = {}

    def watch(self, reach: Reach, t: float, *, covered: bool) -> None:
        """Note in each frame whether a reach's arm is over the draw pile.

        The tip of an arm that has put down a card is taken to be at that card until the card is known to lie
        there. If meanwhile the arm comes to be over the draw pile, that is where the hand has gone.
        """
        visits = self._over.setdefault(reach.number, [])
        visit = visits[-1] if visits else None
        if visit is not None and visit.open:
            visit.open, visit.end = covered, t
        elif covered:
            visits.append(_Visit(t, t, stuck=reach.resting >= _STUCK_SECONDS))

    def look(self, *, there: bool) -> None:
        """Note whether one look showed the draw pile."""
        self._looks = [*self._looks[-_EMPTY_LOOKS:], there]

    def reach_ended(self, reach: Reach, now: float) -> None:
        """Count the draws of a reach that is over."""
        count = self._count(reach)
        if not count:
            return
        if self._drawn is not None and self._drawn.seat != reach.seat:
            self.tell(now)
        if self._drawn is None:
            self._drawn = _Drawn(reach.seat, count, reach.start, reach.last)
        else:
            self._drawn.count += count
            self._drawn.t = reach.last

    def _count(self, reach: Reach) -> int:
        """Return how often a reach went to the draw pile and paused there."""
        if len(self._looks) >= _EMPTY_LOOKS and not any(self._looks):
            return 0
        over = [(v.start, v.end) for v in self._over.pop(reach.number, []) if v.stuck and v.lasts]
        stops = [(s.start, s.end) for s in reach.stops if self._scene.at_draw_pile(s.place)]
        count, last = 0, -math.inf
        for start, end in sorted([*stops, *over]):
            count += start - last > _GAP_SECONDS
            last = max(last, end)
        farthest = self._scene.farthest(reach)
        if not count and farthest is not None:
            # Too quick to be a pause: but that is as far as the hand went.
            count = int(self._scene.at_draw_pile(farthest))
        return count

    def tell_when_done(self, now: float, present: Collection[int]) -> None:
        """Tell the draw once the player's hand has not come back for a while."""
        drawn = self._drawn
        if drawn is not None and drawn.seat not in present and now - drawn.t > _QUIET_SECONDS:
            self.tell(now)

    def tell(self, now: float) -> None:
        """Tell what has been drawn, if anything."""
        drawn, self._drawn = self._drawn, None
        if drawn is None:
            return
        log, player = self._scene.log, self._scene.player(drawn.seat)
        if self._goes_on(drawn):
            assert self._told is not None
            event, before = self._told
            drawn.count += before.count
            told = log.revise(event, now, t=drawn.t, count=drawn.count)
        else:
            told = log.add("draw", drawn.t, now, player=player, count=drawn.count, confidence=0.9)
        self._told = told, drawn

    def _goes_on(self, drawn: _Drawn) -> bool:
        """Tell whether what was drawn belongs to the draw just told: nothing else has happened since."""
        if self._told is None:
            return False
        event, before = self._told
        soon = drawn.start - before.t < _AGAIN_SECONDS
        return soon and before.seat == drawn.seat and self._scene.log.is_newest(event)
