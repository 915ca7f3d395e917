"""How those who work for long say how far they are."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, float], None]
"""Called with how much is done and how much there is to do, counted in what the work consists of."""
