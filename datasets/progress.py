"""The callback through which a long task reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, float], None]
"""Called with the amount of work done and the whole amount, in any unit."""
