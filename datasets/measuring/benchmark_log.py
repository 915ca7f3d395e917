"""The log of benchmarks: one JSON line for each measure, in the file that `SHITHEAD_MEASURED` names."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from datasets.measuring.machine import load, machine


def note(what: str, value: float) -> None:
    """Write a measure to the log, if there is one; `results.product_goals` has its goal.

    Raises:
        OSError: the log cannot be written.
    """
    file = os.environ.get("SHITHEAD_MEASURED")
    if not file:
        return
    made = datetime.now(UTC).strftime("%Y-%m-%d")
    line = {"what": what, "value": round(value, 4), "load": load(), "made": made, "machine": machine()}
    with Path(file).open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
