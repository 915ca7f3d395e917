"""Draws: trips to the draw pile, counted and told once the player has done."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from vision.arms import Reach
from vision.events_scene import Scene

_GAP_SECONDS = 0.35
"""Pauses at the draw pile that are nearer in time are one."""
_QUIET_SECONDS = 1.0
_EMPTY_LOOKS = 4


@dataclass(slots=True)
class _Drawn:
    """Cards that a player has drawn, and may go on drawing."""

    seat: int
    count: int
    t: float


class Draws:
    """Counts what each player takes from the draw pile."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._drawn: _Drawn | None = None
        self._looks: list[bool] = []

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
        before = self._drawn.count if self._drawn is not None else 0
        self._drawn = _Drawn(reach.seat, before + count, reach.last)

    def _count(self, reach: Reach) -> int:
        """Return how often a reach went to the draw pile and paused there."""
        if len(self._looks) >= _EMPTY_LOOKS and not any(self._looks):
            return 0
        count, last = 0, -math.inf
        for stop in reach.stops:
            if self._scene.at_draw_pile(stop.place):
                count += stop.start - last > _GAP_SECONDS
                last = stop.end
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
        if drawn is not None:
            player = self._scene.player(drawn.seat)
            self._scene.log.add("draw", drawn.t, now, player=player, count=drawn.count, confidence=0.9)
