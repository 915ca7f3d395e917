"""Looking at a table at rest: when to read it, and what was read since it came to rest.

Around some tables somebody always moves. Then the table is looked at all the same, and only cards at rest
count. Heads and hands may rest over cards, too. So what was seen over the last seconds is kept as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.types import CardReading, Region

_QUICK_LOOKS = 3
"""Number of quick looks. If they leave doubt, as many closer looks follow."""
_REST_SECONDS = 0.2
"""A table is read after nothing has moved for this long."""
_PAUSE_SECONDS = (0.13, 0.3, 2.0)
"""Seconds between looks: between quick looks, between closer looks, and after these."""
_MAX_LOOKS = 10
"""Number of looks that are kept."""
_AMID_MOTION_SECONDS = 1.0
"""A table that does not rest is looked at after so long without a look."""
_MIN_LOOKS_OVER_TIME = 5
"""That many looks show what stays. In the time between them, a dealer would have put down more cards."""


class RestingLooks:
    """The latest looks at a table since something last moved there, and looks from a longer time."""

    def __init__(self) -> None:
        self._at_rest: list[list[CardReading]] = []
        self._over_time: list[list[CardReading]] = []
        self._times: list[float] = []
        """When the first of the looks within each of these seconds was made."""
        self._moved_at = -math.inf

    @property
    def readings(self) -> list[list[CardReading]]:
        """The readings of each look, oldest first; those over time if the table is not at rest."""
        return self._at_rest or self._over_time

    @property
    def over_time(self) -> list[list[CardReading]]:
        """The cards at rest in one look a second, oldest first; empty if too few to show what stays.

        Heads and hands that rest in the picture hide other cards in each of them.
        """
        return self._over_time if len(self._over_time) >= _MIN_LOOKS_OVER_TIME else []

    @property
    def times(self) -> Sequence[float]:
        """When the looks of `over_time` were made, in seconds."""
        return self._times

    @property
    def amid_motion(self) -> bool:
        """Whether something moved at the looks of `readings`. Then they hold only the cards at rest."""
        return bool(self._over_time) and not self._at_rest

    @property
    def rest_start(self) -> float:
        """Time in seconds since which the table has been at rest; 0 if nothing was seen moving."""
        return max(0.0, self._moved_at) if math.isfinite(self._moved_at) else 0.0

    @property
    def looks_closely(self) -> bool:
        """Whether the next look is a closer one."""
        return len(self._at_rest) >= _QUICK_LOOKS

    @property
    def closely_read(self) -> bool:
        """Whether all closer looks have been made."""
        return self.amid_motion or len(self._at_rest) >= 2 * _QUICK_LOOKS

    @property
    def occlusion_regions(self) -> Sequence[Region] | None:
        """The regions that the next look searches for indices: none in a quick look, else all (None)."""
        return None if self.looks_closely else []

    def clear(self) -> None:
        """Drop all looks."""
        self._at_rest, self._over_time, self._times = [], [], []

    def note_motion(self, t: float) -> None:
        """Drop all looks at rest, because something moved at `t` (seconds)."""
        self._moved_at = t
        self._at_rest = []

    def is_due(self, t: float, last: float) -> bool:
        """Return whether a table at rest is due to be read at `t`, after it was read at `last` (seconds)."""
        pause = _PAUSE_SECONDS[min(len(self._at_rest) // _QUICK_LOOKS, len(_PAUSE_SECONDS) - 1)]
        return t - self._moved_at >= _REST_SECONDS and t - last >= pause

    @staticmethod
    def is_due_amid_motion(t: float, last: float) -> bool:
        """Return whether a table that does not rest is due to be read at `t`; `last`: when it was read."""
        return t - last >= _AMID_MOTION_SECONDS

    def add(self, readings: list[CardReading], t: float) -> bool:
        """Add the readings of a look at `t` (seconds); return whether the quick looks are complete."""
        self._at_rest = [*self._at_rest[-_MAX_LOOKS + 1 :], readings]
        self._keep(readings, t)
        return self.looks_closely

    def add_amid_motion(self, readings: list[CardReading], t: float) -> bool:
        """Add the cards at rest in a look amid motion; return whether the looks suffice."""
        self._keep(readings, t)
        return bool(self.over_time)

    def _keep(self, readings: list[CardReading], t: float) -> None:
        """Keep a look for longer; of several looks within a second, the last."""
        if self._times and t - self._times[-1] < _AMID_MOTION_SECONDS:
            self._over_time[-1] = readings
            return
        self._over_time = [*self._over_time[-_MAX_LOOKS + 1 :], readings]
        self._times = [*self._times[-_MAX_LOOKS + 1 :], t]
