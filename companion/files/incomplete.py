"""Files that take long to write: noted, so that of a killed program no half one stays.

A film shows people, a backup holds every game. Half of one lies under a hidden name in the folder in which
it was to appear, and that may be any folder. A note in the program's own names it. That it is still being
written is told by a lock beside the note, which ends with the program that holds it.
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
from companion.files.store_paths import SQLITE_SUFFIXES
from engine.files.atomic import digits_of_part, whole_file

_NOTE, _LOCK = ".note", ".lock"
_LONGEST_PATH = 1 << 14
"""Bytes; no system takes a longer path."""


@contextmanager
def tracked_file(path: Path) -> Iterator[Path]:
    """Yield where to write what becomes `path`, as `whole_file` does; meanwhile that place is noted.

    Where it cannot be noted (no room, no locks), the file is written all the same.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    with ExitStack() as noted, whole_file(path) as part:  # the note goes last
        with contextlib.suppress(OSError):
            _note(part, noted)
        yield part


def _note(part: Path, until_written: ExitStack) -> None:
    digits = digits_of_part(part)
    if digits is None:  # a device or a pipe, which is written to as it is
        return
    notes = notes_folder()
    notes.mkdir(parents=True, exist_ok=True)
    lock = try_lock(notes / f"{digits}{_LOCK}")
    if lock is None:
        return
    until_written.callback(lock.release)
    if lock.held:  # where there are no locks nobody could tell whether it is still being written
        note = notes / f"{digits}{_NOTE}"
        until_written.callback(_remove, note)
        note.write_bytes(os.fsencode(part.absolute()))


def incomplete_files() -> list[Path]:
    """Return the half files that killed programs left; nobody writes to them again."""
    named = [_named_by(note) for note in _notes() if not _is_being_written(note)]
    return [path for half in named if half is not None for path in _parts(half) if _is_file(path)]


def remove_incomplete_files() -> None:
    """Remove these files, and the notes on what is gone; one on a disk that is not there stays noted."""
    for note in _notes():
        if not _is_being_written(note):
            half = _named_by(note)
            parts = [] if half is None else [path for path in _parts(half) if _is_file(path)]
            gone = [_remove(path) for path in parts]
            if half is None or (all(gone) and (parts or os.path.isdir(half.parent))):
                _remove(note)


def notes_in_use() -> list[Path]:
    """Return the notes on files that are being written, and their locks."""
    return [path for note in _notes() if _is_being_written(note) for path in (note, note.with_suffix(_LOCK))]


def notes_folder() -> Path:
    """Return the folder of the notes; it need not be there. Films were the first to be noted."""
    return platformdirs.user_state_path("shithead", appauthor=False) / "half-films"


def _notes() -> list[Path]:
    try:
        return sorted(notes_folder().glob(f"*{_NOTE}"))
    except OSError:
        return []


def _is_being_written(note: Path) -> bool:
    """Tell whether a program holds the file; where that cannot be told, it might."""
    lock = try_lock(note.with_suffix(_LOCK))
    if lock is None:
        return True
    known = lock.held
    lock.release()
    return not known


def _named_by(note: Path) -> Path | None:
    """Return what a note says is half a file; None where it says nothing of the kind.

    A note may be damaged, or written by somebody else: it counts for nothing but a hidden name as half files
    are given here, with the digits that the note itself is called by.
    """
    try:
        if not _is_file(note):
            return None
        with note.open("rb") as file:
            half = Path(os.fsdecode(file.read(_LONGEST_PATH)))
    except OSError:
        return None
    return half if half.is_absolute() and digits_of_part(half) == note.stem else None


def _parts(half: Path) -> list[Path]:
    """Return a half file, and what SQLite puts beside one that it writes."""
    return [half.with_name(half.name + suffix) for suffix in SQLITE_SUFFIXES]


def _is_file(path: Path) -> bool:
    """Tell whether a path is a file, and no link."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # as of a path with a zero byte in it
        return False


def _remove(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True
