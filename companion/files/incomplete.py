"""Track files that take long to write, so that a killed program leaves no half-written ones behind.

A film shows people, and a backup holds every game. While such a file is written, it lies under a hidden name
in the user's target folder. A note in the program's own folder holds its path. A lock beside the note says
that a program is still writing; it ends with that program.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import platformdirs

from companion.files.lock import try_lock
from companion.files.store_paths import with_sqlite_files
from engine.files.atomic import digits_of_part, whole_file

_NOTE, _LOCK = ".note", ".lock"
_LONGEST_PATH = 1 << 14
"""Bytes; no system has longer paths."""


@contextmanager
def tracked_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which becomes `path` at the end, as `whole_file` does. Track it meanwhile.

    If it cannot be tracked (no space, no locks), it is written all the same.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    with ExitStack() as noted, whole_file(path) as part:  # the note is removed last
        with contextlib.suppress(OSError):
            _note(part, noted)
        yield part


def _note(part: Path, until_written: ExitStack) -> None:
    digits = digits_of_part(part)
    if digits is None:  # a device or a pipe: written to directly
        return
    notes = notes_folder()
    notes.mkdir(parents=True, exist_ok=True)
    lock = try_lock(notes / f"{digits}{_LOCK}")
    if lock is None:
        return
    until_written.callback(lock.release)
    if lock.held:  # without locks, nobody could see that it is still being written
        note = notes / f"{digits}{_NOTE}"
        until_written.callback(_remove, note)
        note.write_bytes(os.fsencode(part.absolute()))


def incomplete_files() -> list[Path]:
    """Return the incomplete files that killed programs left behind."""
    return [part for _note, _half, parts in _left_behind() for part in parts]


def remove_incomplete_files() -> None:
    """Remove incomplete files and their notes. The note of a file on a disk that is absent stays."""
    for note, half, parts in _left_behind():
        gone = [_remove(part) for part in parts]
        if half is None or (all(gone) and (parts or os.path.isdir(half.parent))):
            _remove(note)


def _left_behind() -> Iterator[tuple[Path, Path | None, list[Path]]]:
    """Yield the notes of killed programs, the file that each names, and its parts that are there."""
    for note in _notes():
        if not _is_being_written(note):
            half = _named_by(note)
            yield note, half, [part for part in with_sqlite_files(half) if _is_file(part)] if half else []


def notes_in_use() -> list[Path]:
    """Return the notes on files that are being written, and their locks."""
    return [path for note in _notes() if _is_being_written(note) for path in (note, note.with_suffix(_LOCK))]


def notes_folder() -> Path:
    """Return the folder of the notes. It need not exist. The name is older than its use for other files."""
    return platformdirs.user_state_path("shithead", appauthor=False) / "half-films"


def _notes() -> list[Path]:
    try:
        return sorted(notes_folder().glob(f"*{_NOTE}"))
    except OSError:
        return []


def _is_being_written(note: Path) -> bool:
    """Return whether a program holds the file. If that is unknown, it might."""
    lock = try_lock(note.with_suffix(_LOCK))
    if lock is None:
        return True
    known = lock.held
    lock.release()
    return not known


def _named_by(note: Path) -> Path | None:
    """Return the incomplete file that a note names, or None if it names no such file.

    A note may be damaged or forged. Only a hidden name of our own form counts, with the note's own digits.
    """
    try:
        if not _is_file(note):
            return None
        with note.open("rb") as file:
            half = Path(os.fsdecode(file.read(_LONGEST_PATH)))
    except OSError:
        return None
    return half if half.is_absolute() and digits_of_part(half) == note.stem else None


def _is_file(path: Path) -> bool:
    """Return whether a path is a regular file, and no link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # for example a path with a zero byte
        return False


def _remove(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True
