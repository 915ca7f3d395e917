"""The installed program.

The wheel carries `engine`, `vision`, `companion` and the weights inside this package. Their plain names would
collide with other packages of an environment. `main` makes them importable in its own process, and starts.
In a checkout they lie at the top level and need no help.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run `shithead`; returns its exit status."""
    inside = Path(__file__).resolve().parent
    if (inside / "companion").is_dir():
        sys.path.insert(0, str(inside))
    from companion.cli.main import main as run

    return run()
