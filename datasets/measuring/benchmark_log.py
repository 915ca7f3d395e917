"""Measures that are kept: one JSON line each, in the file that `SHITHEAD_MEASURED` names."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from datasets.measuring.machine import load, machine


def note(what: str, value: float) -> None:
    """Keep a measure by its name, if a file is named for it; `product_goals` says what is asked of it.

    Raises:
        OSError: the file cannot be written.
    """
    file = os.environ.get("SHITHEAD_MEASURED")
    if not file:
        return
    made = datetime.now(UTC).strftime("%Y-%m-%d")
    line = {"what": what, "value": round(value, 4), "load": load(), "made": made, "machine": machine()}
    with Path(file).open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
