"""False alarms and breaches found where an observer misses events or misreads cards.

Run: `pytest -m benchmark -s tests/benchmarks/test_engine_missed.py`. 30 games of each ruleset, 2 to 4
players, three deliberate breaches each, the first 120 events; every report carries a confidence below 1, as
a camera's.
"""

from __future__ import annotations

import pytest

from tests.unit.engine.missed import tally

pytestmark = pytest.mark.benchmark


@pytest.mark.parametrize(
    ("missed", "wrong", "alarms", "found"),
    [
        (0, 0, 0, 1),
        (0.05, 0, 0.03, 0.95),
        (0.1, 0, 0.04, 0.92),
        (0, 0.05, 0.025, 0.96),
        (0.07, 0.05, 0.05, 0.9),
    ],
)
def test_missed_and_misread_events(missed: float, wrong: float, alarms: float, found: float) -> None:
    result = tally(30, missed, wrong)
    print(f"{missed:.0%} missed, {wrong:.0%} of plays misread: {result}")
    assert result.false_alarms <= alarms * result.legal
    assert result.found >= found * result.breaches
