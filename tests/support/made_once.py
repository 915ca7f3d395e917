"""What takes long to make, and what several files of tests need, is made once in a run of the tests.

`make tests` runs the tests in several processes, a file of tests in each. They share one folder.
"""

from __future__ import annotations

import fcntl
import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

_places: list[Path] = []


def share_in(folder: Path) -> None:
    """Choose the folder that the processes of this run share; `tests/conftest.py` does it."""
    _places[:] = [folder]


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` has filled. The first process that asks fills it, and the others wait."""
    (place,) = _places
    made, begun = place / name, place / f"{name}.begun"
    with (place / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(begun, ignore_errors=True)  # of a process that failed
            begun.mkdir()
            make(begun)
            begun.rename(made)
    return made


def answered_once(name: str, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what `ask` answers. The first process that asks calls it, and the others read its answer."""

    def write(folder: Path) -> None:
        (folder / "answer.json").write_text(json.dumps(ask()), "utf-8")

    return _read(made_once(name, write) / "answer.json")


@functools.cache
def _read(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return answer
