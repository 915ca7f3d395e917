"""Benchmarks write what they measured to the file that `SHITHEAD_MEASURED` names, one JSON line each."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from datasets.measuring.machine import load, machine


@pytest.fixture(scope="session")
def measured() -> Callable[[str, float], None]:
    """Note a measure by its name; `datasets.measuring.results` knows what is asked of it."""
    about = {"made": datetime.now(UTC).strftime("%Y-%m-%d"), "machine": machine()}

    def note(what: str, value: float) -> None:
        file = os.environ.get("SHITHEAD_MEASURED")
        if file:
            line = {"what": what, "value": round(value, 4), "load": load(), **about}
            with Path(file).open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")

    return note
