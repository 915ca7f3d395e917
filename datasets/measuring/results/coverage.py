"""Sums up which statements the tests run: `python -m datasets.measuring.results.coverage FILE`.

`make coverage` calls it. FILE is the JSON of coverage.py. With `SHITHEAD_MEASURED` the shares are kept for
the page of results.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasets.measuring.benchmark_log import note
from engine.errors import BadInputError

ALL = "all"


def shares(report: Mapping[str, Any]) -> dict[str, float]:
    """Return by package the share of its statements that ran, and the share over all.

    A package without statements is left out.
    """
    there: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for name, file in report["files"].items():
        for part in (Path(name).parts[0], ALL):
            there[part] += file["summary"]["num_statements"]
            run[part] += file["summary"]["covered_lines"]
    return {
        part: run[part] / there[part] for part in sorted(there, key=lambda p: (p == ALL, p)) if there[part]
    }


def main(file: Path) -> None:
    """Print and keep the shares. Raises BadInputError for a file that coverage.py did not write."""
    try:
        found = shares(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInputError(f"{file}: not a report of coverage.py as JSON") from None
    for part, share in found.items():
        print(f"{part:<10} {100 * share:5.1f} %")
        note(f"covered_{part}", share)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except BadInputError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
