"""Looking at a table at rest: when to read it, and what was read since it came to rest."""

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


class RestingLooks:
    """The latest looks at a table since something last moved there."""

    def __init__(self) -> None:
        self.readings: list[list[CardReading]] = []
        """The readings of each look, oldest first."""
        self._moved_at = -math.inf

    @property
    def rest_start(self) -> float:
        """Time in seconds since which the table has been at rest; 0 if nothing was seen moving."""
        return max(0.0, self._moved_at) if math.isfinite(self._moved_at) else 0.0

    @property
    def looks_closely(self) -> bool:
        """Whether the next look is a closer one."""
        return len(self.readings) >= _QUICK_LOOKS

    @property
    def closely_read(self) -> bool:
        """Whether all closer looks have been made."""
        return len(self.readings) >= 2 * _QUICK_LOOKS

    @property
    def occlusion_regions(self) -> Sequence[Region] | None:
        """The regions that the next look searches for indices: none in a quick look, else all (None)."""
        return None if self.looks_closely else []

    def note_motion(self, t: float) -> None:
        """Drop all looks, because something moved at `t` (seconds)."""
        self._moved_at = t
        self.readings.clear()

    def is_due(self, t: float, last: float) -> bool:
        """Return whether a table at rest is due to be read at `t`, after it was read at `last` (seconds)."""
        pause = _PAUSE_SECONDS[min(len(self.readings) // _QUICK_LOOKS, len(_PAUSE_SECONDS) - 1)]
        return t - self._moved_at >= _REST_SECONDS and t - last >= pause

    def add(self, readings: list[CardReading]) -> bool:
        """Add the readings of a look; return whether the quick looks are complete."""
        self.readings = [*self.readings[-_MAX_LOOKS + 1 :], readings]
        return self.looks_closely
