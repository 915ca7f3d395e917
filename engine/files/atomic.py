"""Atomic writes: a file appears under its name only when it is complete.

Several processes may write into one folder. The module also makes folders.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

_ABANDONED_AFTER_S = 3600.0
"""An unfinished file that has not changed for this many seconds has no writer any more."""
_LONGEST_STEM = 32
"""An unfinished file repeats at most this many letters of the final name, which may be as long as allowed."""

_OWNER_ONLY = 0o600
_DIGITS = 12
"""The number of random hexadecimal digits in the name of an unfinished file."""
_PART = re.compile(rf"\..{{0,{_LONGEST_STEM}}}\.([0-9a-f]{{{_DIGITS}}})\.part(?:\..*)?", re.DOTALL)


def part_of(path: Path) -> Path:
    """Return an unfinished name for `path`, in the same folder, that no other process uses.

    Old unfinished files of this name are deleted: their writers were killed. Their age decides that and not a
    process number, because several machines may share the folder.
    """
    suffix = f".part{path.suffix}"
    stem = path.stem[:_LONGEST_STEM]
    for left in path.parent.glob(f".{glob.escape(stem)}.{'[0-9a-f]' * _DIGITS}{glob.escape(suffix)}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_AFTER_S:
                left.unlink()
    return path.with_name(f".{stem}.{uuid.uuid4().hex[:_DIGITS]}{suffix}")


def digits_of_part(path: Path) -> str | None:
    """Return the random digits in the name of an unfinished file; None for any other name."""
    named = _PART.fullmatch(path.name)
    return named[1] if named is not None else None


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path of an unfinished file; at the end, rename it to `path`. After an error, delete it.

    An older file at `path` stays until the rename, and passes on its permissions. A write-protected file is
    never replaced. A link stays a link, and devices and pipes are written to directly.

    Raises:
        OSError: the file cannot be written; the error names `path`.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _named(path, path):
            yield path
        return
    refuse_protected(path)
    part = part_of(target)
    try:
        with _named(path, part):
            yield part
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(target, part)
            part.replace(target)
    finally:
        with contextlib.suppress(OSError):  # the folder may be gone, for example
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _named(path: Path, part: Path) -> Iterator[None]:
    """Make an OSError that names no file, or `part`, name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(part)) or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


NO_FOLDER = "is not a folder, and one is needed there"
"""The reason why a folder cannot be made; the system's own message is "File exists"."""


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, unless they exist.

    Raises:
        OSError: the folder cannot be made. If a file stands in the way, the error names that file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        for path in (folder, *folder.parents):
            if os.path.lexists(path) and not path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, NO_FOLDER, str(path)) from None
        raise


def refuse_protected(path: Path) -> None:
    """Raise an error if the file at `path` exists and is write-protected.

    A rename would replace such a file: a rename only needs a writable folder.

    Raises:
        OSError: the file may not be written; the error names `path`.
    """
    with contextlib.suppress(FileNotFoundError):
        os.close(os.open(path, os.O_WRONLY))


def refuse_unwritable(path: Path, *, in_place: bool = False) -> None:
    """Raise the error that writing `path` would raise, as far as it can be foreseen.

    Args:
        path: the file to write.
        in_place: whether an existing file is overwritten directly. Then its folder does not matter.

    Raises:
        OSError: the file or its folder cannot be written; the error names `path`.
    """
    there = path.exists()
    if there and not path.is_file():
        return
    refuse_protected(path)
    if there and in_place:
        return
    try:
        # Only a trial shows the reason: a read-only disk, no permission, or a missing folder.
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_whole(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a text (as UTF-8) or bytes to `path`, all or nothing. Only its owner may read a `private` file.

    Raises:
        OSError: the file cannot be written; the error names `path`.
    """
    with whole_file(path) as part:
        if private and part != path:  # a device keeps its permissions
            part.touch(_OWNER_ONLY)
            with contextlib.suppress(OSError):  # its permissions are passed on
                os.chmod(path, _OWNER_ONLY)
        if isinstance(content, str):
            part.write_text(content, encoding="utf-8")
        else:
            part.write_bytes(content)
