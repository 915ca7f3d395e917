"""Looks at a table that rests: when they are due, and what they read, before anything is concluded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.types import CardReading, Region

_QUICK_LOOKS = 3
"""So many looks tell what lies there; where they leave doubt more of them do, that look closer."""
_REST_SECONDS = 0.2
_PAUSES = (0.13, 0.3, 2.0)
"""Seconds between looks: a few quick ones, some more if they do not do, then rare ones."""
_REMEMBERED = 10


class RestingLooks:
    """Keeps the latest looks at a table since something last moved there."""

    def __init__(self) -> None:
        self.readings: list[list[CardReading]] = []
        """What each look read, oldest first."""
        self._moved_at = -math.inf

    @property
    def since(self) -> float:
        """Since when the table has rested: 0 where nothing has been seen to move."""
        return max(0.0, self._moved_at) if math.isfinite(self._moved_at) else 0.0

    @property
    def closer(self) -> bool:
        """Whether a further look is a closer one: quick ones have not done."""
        return len(self.readings) >= _QUICK_LOOKS

    @property
    def closely_read(self) -> bool:
        """Whether closer looks have been made, too, as many as tell what lies there."""
        return len(self.readings) >= 2 * _QUICK_LOOKS

    @property
    def regions(self) -> Sequence[Region] | None:
        """Where the next look looks for indices, too: nowhere, or (None) wherever cards lie."""
        return None if self.closer else []

    def moved(self, t: float) -> None:
        """Note that something has moved at `t`: what was read before is past."""
        self._moved_at = t
        self.readings.clear()

    def is_due(self, t: float, last: float) -> bool:
        """Tell whether a table that rests is to be looked at, which was last done at `last`."""
        pause = _PAUSES[min(len(self.readings) // _QUICK_LOOKS, len(_PAUSES) - 1)]
        return t - self._moved_at >= _REST_SECONDS and t - last >= pause

    def add(self, readings: list[CardReading]) -> bool:
        """Take in what a look has read; returns whether there have been enough."""
        self.readings = [*self.readings[-_REMEMBERED + 1 :], readings]
        return self.closer
