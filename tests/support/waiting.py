"""Wait for other threads and processes, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""After so long a test fails: what it waits for will not come any more."""


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.005)
