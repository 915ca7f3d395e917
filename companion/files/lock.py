"""Who is playing which game: a lock of the operating system's, which ends with the program that holds it.

Two programs may use one store, but not write to one game: each would give its events the same numbers.
"""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

from companion.files.store_paths import follow_link, path_beside

if sys.platform != "win32":  # which has other locks: nothing is locked there
    import fcntl


class FileLock:
    """The right to write to one game, or to put another file in the store's place, say, until `release`."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    @property
    def held(self) -> bool:
        """Whether others are kept from it: there may be no locks here."""
        return self._descriptor is not None

    def release(self) -> None:
        """Let others play this game."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def lock_game(store: Path, game: int) -> FileLock | None:
    """Return the right to write to a game, or None while another program has it."""
    return try_lock(path_beside(store, f"playing-{game}.lock"))


def lock_store(store: Path) -> FileLock | None:
    """Return the right to put another file in the store's place, or None while another program has it."""
    return try_lock(store_lock_path(store))


def store_lock_path(store: Path) -> Path:
    """Return the file of the lock that `lock_store` takes."""
    return path_beside(store, "exchange.lock")


def try_lock(path: Path) -> FileLock | None:
    """Return the right that a file stands for, or None while another program has it."""
    if sys.platform == "win32":
        return FileLock(path, None)
    while True:
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:  # a full or read-only disk is the store's to tell
            return FileLock(path, None)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks
            os.close(descriptor)
            return FileLock(path, None)
        if os.fstat(descriptor).st_nlink:
            return FileLock(path, descriptor)
        os.close(descriptor)  # its holder has just let go of it and removed the file


def lock_files(store: Path) -> list[Path]:
    """Return the files of the locks on a store and its games; a killed program leaves its own behind."""
    return [*_locks_on_games(store).values(), *filter(Path.exists, [store_lock_path(store)])]


def _locks_on_games(store: Path) -> dict[int, Path]:
    start, end = path_beside(store, "playing-").name, ".lock"
    found = {}
    for path in sorted(follow_link(store).parent.glob(f"{glob.escape(start)}*{end}")):
        number = path.name.removeprefix(start).removesuffix(end)
        if number.isdecimal():  # another store's name may begin as this one's goes on
            found[int(number)] = path
    return found


def games_being_played(store: Path) -> list[int]:
    """Return the games that a program is writing to, and tidy up after programs that were killed."""
    playing = []
    for number in _locks_on_games(store):
        lock = lock_game(store, number)
        if lock is None:
            playing.append(number)
        else:
            lock.release()
    return playing
