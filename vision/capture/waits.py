"""How long a live source is waited for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Waits:
    """Seconds to wait for a camera or stream before something is done about it."""

    answer: float = 10.0
    """For a stream to answer, before it counts as unreachable."""
    next_frame: float = 5.0
    """For the next frame of a stream, before it is reopened."""
    first_frame: float = 10.0
    """For the first frame, before the source counts as failed."""
    silence: float = 3.0
    """Without a frame, before the source reports that."""
    reconnect: float = 30.0
    """For a lost source, before it is given up."""
    remind: float = 30.0
    """Between further reports that a source which is not given up is still lost."""


WAITS = Waits()
"""The waits of all live sources of this process."""
