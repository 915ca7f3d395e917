"""Maps the clock of the phone that films to this program's clock."""

from __future__ import annotations

from collections import deque

_KEPT = 24
"""Exchanges that are compared: the quickest of them says most."""
_MAX_AGE_S = 5.0
"""Pictures count as taken at most so long before they arrive."""


class PhoneClock:
    """The offset between a phone's clock and this program's, in seconds.

    The server asks for the phone's time every few seconds. In the quickest exchange the phone answered about
    half way between question and answer. Without any exchange, the picture that travelled shortest counts.
    A phone that slept may have stopped its clock, so it gets a new one of these.
    """

    def __init__(self) -> None:
        """Start without knowing anything."""
        self._exchanges: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        """Duration of an exchange, and this program's clock less the phone's in it."""
        self._least: float | None = None

    def note(self, asked: float, phone: float, answered: float) -> None:
        """Note an exchange: asked and answered on this program's clock, and the phone's time between."""
        if answered >= asked:
            self._exchanges.append((answered - asked, (asked + answered) / 2 - phone))

    def to_program(self, taken: float, arrived: float) -> float:
        """Return when a picture was taken, on this program's clock: never after it arrived."""
        ahead = arrived - taken
        self._least = ahead if self._least is None else min(self._least, ahead)
        offset = min(self._exchanges)[1] if self._exchanges else self._least
        return min(arrived, max(arrived - _MAX_AGE_S, taken + offset))
