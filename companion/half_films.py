"""Films that are being written: noted, so that of a killed program no half one with people in it stays.

Such a film lies under a hidden name in the folder in which it was to appear, and that may be any folder. A
note in the program's own names it. That it is still being written is told by a lock beside the note, which
ends with the program that holds it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import platformdirs

from companion.playing import take_lock
from engine.whole_files import digits_of_part, whole_file

_NOTE, _LOCK = ".note", ".lock"
_LONGEST_PATH = 1 << 14
"""Bytes; no system takes a longer path."""


@contextmanager
def noted_film(path: Path) -> Iterator[Path]:
    """Yield where to write a film that becomes `path`, as `whole_file` does; meanwhile that place is noted.

    Where it cannot be noted (no room, no locks), the film is written all the same.

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
    lock = take_lock(notes / f"{digits}{_LOCK}")
    if lock is None:
        return
    until_written.callback(lock.release)
    if lock.held:  # where there are no locks nobody could tell whether it is still being written
        note = notes / f"{digits}{_NOTE}"
        until_written.callback(_remove, note)
        note.write_bytes(os.fsencode(part.absolute()))


def left_films() -> list[Path]:
    """Return the half films that killed programs left; nobody writes to them again."""
    films = [_named_by(note) for note in _notes() if not _is_being_written(note)]
    return [film for film in films if film is not None and _is_file(film)]


def forget_left_films() -> None:
    """Remove these films, and the notes on what is gone; one on a disk that is not there stays noted."""
    for note in _notes():
        if not _is_being_written(note):
            film = _named_by(note)
            if film is None or (_remove(film) if _is_file(film) else os.path.isdir(film.parent)):
                _remove(note)


def in_use() -> list[Path]:
    """Return the notes on films that are being written, and their locks."""
    return [path for note in _notes() if _is_being_written(note) for path in (note, note.with_suffix(_LOCK))]


def notes_folder() -> Path:
    """Return the folder of the notes; it need not be there."""
    return platformdirs.user_state_path("shithead", appauthor=False) / "half-films"


def _notes() -> list[Path]:
    try:
        return sorted(notes_folder().glob(f"*{_NOTE}"))
    except OSError:
        return []


def _is_being_written(note: Path) -> bool:
    """Tell whether a program holds the film; where that cannot be told, it might."""
    lock = take_lock(note.with_suffix(_LOCK))
    if lock is None:
        return True
    known = lock.held
    lock.release()
    return not known


def _named_by(note: Path) -> Path | None:
    """Return what a note says is half a film; None where it says nothing of the kind.

    A note may be damaged, or written by somebody else: it counts for nothing but a hidden name as half files
    are given here, with the digits that the note itself is called by.
    """
    try:
        if not _is_file(note):
            return None
        with note.open("rb") as file:
            film = Path(os.fsdecode(file.read(_LONGEST_PATH)))
    except OSError:
        return None
    return film if film.is_absolute() and digits_of_part(film) == note.stem else None


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
