"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# No test may fail because the machine was busy.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
