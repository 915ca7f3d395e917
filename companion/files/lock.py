"""Locks of the operating system on stores and games. A lock ends with the program that holds it.

Two programs may use one store, but not write to one game: both would give out the same event numbers.
"""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

from companion.files.store_paths import follow_link, path_beside

if sys.platform != "win32":  # Windows has other locks; nothing is locked there
    import fcntl


class FileLock:
    """A lock on a game, a store or another file, held until `release`."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    @property
    def held(self) -> bool:
        """Whether others are locked out. False if the system has no locks."""
        return self._descriptor is not None

    def release(self) -> None:
        """Release the lock and remove its file."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def lock_game(store: Path, game: int) -> FileLock | None:
    """Lock a game for writing. Return None if another program holds the lock."""
    return try_lock(path_beside(store, f"playing-{game}.lock"))


def lock_store(store: Path) -> FileLock | None:
    """Lock the store's file for replacing. Return None if another program holds the lock."""
    return try_lock(store_lock_path(store))


def store_lock_path(store: Path) -> Path:
    """Return the path of the lock file that `lock_store` uses."""
    return path_beside(store, "exchange.lock")


def try_lock(path: Path) -> FileLock | None:
    """Lock a file. Return None if another program holds the lock."""
    if sys.platform == "win32":
        return FileLock(path, None)
    while True:
        descriptor = None
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # The disk is full or read-only, or has no locks. The store reports a disk that is of no use.
            if descriptor is not None:
                os.close(descriptor)
            return None if isinstance(error, BlockingIOError) else FileLock(path, None)
        if os.fstat(descriptor).st_nlink:
            return FileLock(path, descriptor)
        os.close(descriptor)  # its holder has just released it and removed the file


def lock_files(store: Path) -> list[Path]:
    """Return the lock files of a store and its games. Killed programs leave theirs behind."""
    return [*_locks_on_games(store).values(), *filter(Path.exists, [store_lock_path(store)])]


def _locks_on_games(store: Path) -> dict[int, Path]:
    start, end = path_beside(store, "playing-").name, ".lock"
    found = {}
    for path in sorted(follow_link(store).parent.glob(f"{glob.escape(start)}*{end}")):
        number = path.name.removeprefix(start).removesuffix(end)
        if number.isdecimal():  # otherwise it belongs to a store with a longer name
            found[int(number)] = path
    return found


def games_being_played(store: Path) -> list[int]:
    """Return the games that a program is writing to. Remove the locks of killed programs."""
    playing = []
    for number in _locks_on_games(store):
        lock = lock_game(store, number)
        if lock is None:
            playing.append(number)
        else:
            lock.release()
    return playing
