"""Benchmarks write what they measured to the file that `SHITHEAD_MEASURED` names, one JSON line each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from datasets.measuring.benchmark_log import note


@pytest.fixture(scope="session")
def measured() -> Callable[[str, float], None]:
    """Note a measure by its name; `datasets.measuring.results.page` knows what is asked of it."""
    return note
