"""How much of a live source is not looked at, because the computer is too slow."""

from __future__ import annotations

from engine.messages import Said, message

_WINDOW_SECONDS = 10.0
_LONG_GAP_SECONDS = 0.25
"""A hand can put a card down between two frames that are farther apart."""
_SLOW_SHARE, _FINE_SHARE = 0.3, 0.1
"""The computer is too slow if more than the first share of a window was skipped, and keeps up again below the
second one."""


class SkippedTime:
    """Measures, in windows of ten seconds, the time between frames that others were dropped from."""

    def __init__(self) -> None:
        self.share = 0.0
        """Share of the last whole window that was not looked at, 0..1."""
        self._start: float | None = None
        self._before, self._skipped, self._is_slow = 0.0, 0.0, False

    def note(self, t: float, dropped: int) -> Said | None:
        """Take in a frame that is looked at; return a line if the computer is too slow, or is no longer.

        Args:
            t: Its time in seconds of the source.
            dropped: How many frames were dropped since the one before.
        """
        if self._start is None:
            self._start = self._before = t
        gap, self._before = t - self._before, t
        if dropped and gap > _LONG_GAP_SECONDS:
            self._skipped += gap
        if t - self._start < _WINDOW_SECONDS:
            return None
        self.share, self._start, self._skipped = self._skipped / (t - self._start), t, 0.0
        if self.share > _SLOW_SHARE and not self._is_slow:
            self._is_slow = True
            return message(
                "the computer is too slow: {percent:.0f} % of the last seconds were not looked at, and moves "
                "may be missed; close other programs",
                percent=100 * self.share,
            )
        if self.share < _FINE_SHARE and self._is_slow:
            self._is_slow = False
            return message("the computer keeps up again")
        return None
