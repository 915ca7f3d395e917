"""Temporary folders in the program's own cache, which `erase` removes.

A killed program leaves its folder behind, and the next one that opens a store removes it. A lock beside a
folder says that it is in use; it ends with the program that holds it.
"""

from __future__ import annotations

import contextlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.files.caches import cache_folder
from companion.files.lock import try_lock

_LOCK = ".lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder, and remove it at the end.

    Raises:
        OSError: no folder can be made.
    """
    inside = _folder()
    inside.mkdir(parents=True, exist_ok=True)
    while True:
        folder = inside / uuid.uuid4().hex[:12]
        lock = try_lock(inside / f"{folder.name}{_LOCK}")
        if lock is not None:
            break
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def remove_stale_scratch() -> None:
    """Remove the folders that killed programs left behind."""
    names: set[str] = set()
    with contextlib.suppress(OSError):
        names = {path.name.removesuffix(_LOCK) for path in _folder().iterdir()}
    for name in names:
        lock = try_lock(_folder() / f"{name}{_LOCK}")
        if lock is not None:
            if lock.held:  # without locks, nobody knows whether it is in use
                shutil.rmtree(_folder() / name, ignore_errors=True)
            lock.release()


def _folder() -> Path:
    return cache_folder() / "scratch"
