"""A few seconds of the fuzzer for everything that is read; `fuzz.py` goes on for hours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from fuzz import inputs_of
from fuzz_targets import SEEDS, TARGETS, run

SLOW = ("backup", "store", "house_rules", "film", "players")


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "address"])
def test_what_is_sound_is_read(name: str) -> None:
    """Else the fuzzer would start from what is refused at the door."""
    assert [run(name, data) for data in SEEDS[name]] == [""] * len(SEEDS[name])


@pytest.mark.parametrize("name", list(TARGETS))
def test_whatever_is_read_ends_in_peace_or_in_one_line(name: str) -> None:
    @given(inputs_of(name))
    @settings(
        max_examples=30 if name in SLOW else 60,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    def feed(data: bytes) -> None:
        run(name, data)

    feed()


@pytest.mark.parametrize("name", list(TARGETS))
@given(data=st.binary(max_size=200))
@settings(max_examples=15, deadline=None)
def test_bytes_of_no_meaning_end_in_peace_or_in_one_line(name: str, data: bytes) -> None:
    run(name, data)
