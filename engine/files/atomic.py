"""Files that appear under their names only when they are complete, with several processes in one folder.

And the folders for them.
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

_LEFT_OVER_S = 3600.0
"""Nobody writes any more to an unfinished file that has not grown for so long."""
_LONGEST_STEM = 32
"""So many letters of a file's name stand in the unfinished one's: its own may be as long as names may be."""

_DIGITS = 12
"""So many hexadecimal digits tell unfinished files of one name apart."""
_PART = re.compile(rf"\..{{0,{_LONGEST_STEM}}}\.([0-9a-f]{{{_DIGITS}}})\.part(?:\..*)?", re.DOTALL)


def part_of(path: Path) -> Path:
    """Return where to write what is to become `path`: beside it, under a name that no other process has.

    What was left there by writers that were killed is removed, if it has a name as they are given here.
    That it is left is told by its age and not by a process's number, which on a folder that several machines
    share says nothing.
    """
    suffix = f".part{path.suffix}"
    stem = path.stem[:_LONGEST_STEM]
    for left in path.parent.glob(f".{glob.escape(stem)}.{'[0-9a-f]' * _DIGITS}{glob.escape(suffix)}"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_OVER_S:
                left.unlink()
    return path.with_name(f".{stem}.{uuid.uuid4().hex[:_DIGITS]}{suffix}")


def digits_of_part(path: Path) -> str | None:
    """Return what tells an unfinished file from others of its name; None where it is not called like one."""
    named = _PART.fullmatch(path.name)
    return named[1] if named is not None else None


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield where to write; at the end it becomes `path`, and where that is not reached it is removed.

    An older file of that name stays until then, and the new one may be read by whoever might read that; one
    that is write-protected stays for good. A link stays a link; a device or a pipe is written to as it is.

    Raises:
        OSError: it cannot be written; the error names `path`.
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
        with contextlib.suppress(OSError):  # as where its folder has gone
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _named(path: Path, part: Path) -> Iterator[None]:
    """Let an OSError that names nothing, or `part`, name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(part)) or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


NO_FOLDER = "is no folder, and one is needed there"
"""Why a folder cannot be made; the system would say that a file exists."""


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, unless it is there.

    Raises:
        OSError: it cannot be made; where something else stands in its place, or above, the error names that.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        for path in (folder, *folder.parents):
            if os.path.lexists(path) and not path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, NO_FOLDER, str(path)) from None
        raise


def refuse_protected(path: Path) -> None:
    """Raise the OSError, naming `path`, of a file that is there and may not be written to.

    Another one could still be renamed over it: for that only its folder need be writable.
    """
    with contextlib.suppress(FileNotFoundError):
        os.close(os.open(path, os.O_WRONLY))


def refuse_unwritable(path: Path, *, in_place: bool = False) -> None:
    """Raise the OSError, naming `path`, that writing it would end in, as far as that can be told beforehand.

    `in_place`: whether a file that is there is written to itself, so that its folder does not matter.
    """
    there = path.exists()
    if there and not path.is_file():
        return
    refuse_protected(path)
    if there and in_place:
        return
    try:
        # Only trying tells why not: a read-only disk, no permission, or a folder that is no more.
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a text (UTF-8) or bytes to `path`, all or nothing.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    with whole_file(path) as part:
        if isinstance(content, str):
            part.write_text(content, encoding="utf-8")
        else:
            part.write_bytes(content)
