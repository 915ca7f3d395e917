"""Files that appear under their names only when they are complete, with several processes in one folder."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

_LEFT_OVER_S = 3600.0
"""Nobody writes any more to an unfinished file that has not grown for so long."""


def part_of(path: Path) -> Path:
    """Return where to write what is to become `path`: beside it, under a name that no other process has.

    What was left there by writers that were killed is removed. That is told by its age and not by a process's
    number, which on a folder that several machines share says nothing.
    """
    suffix = f".part{path.suffix}"
    for left in path.parent.glob(f".{_literally(path.stem)}.*{suffix}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_OVER_S:
                left.unlink()
    return path.with_name(f".{path.stem}.{uuid.uuid4().hex[:12]}{suffix}")


def _literally(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield where to write; at the end it becomes `path`, and where that is not reached it is removed."""
    part = part_of(path)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
