"""Check a command's output files before anything is opened: none may destroy an input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from companion.files.store_paths import follow_link, with_sqlite_files
from engine.errors import BadInputError
from engine.files.atomic import refuse_unwritable

File = str | Path
STDOUT = "-"
IN_PLACE = ("--events",)
"""Options whose file is written directly. Other files appear once they are complete."""


def check_outputs(
    outputs: Mapping[str, File | None],
    inputs: Iterable[File | None] = (),
    *,
    store: Path | None = None,
    overwrite: bool = True,
) -> None:
    """Refuse output files that cannot be written, or that would destroy an input or another output.

    Args:
        outputs: Files by the option that names them, or by "" without one. None and `-` are no file.
        inputs: Inputs of the command. None, cameras, addresses and missing files are ignored.
        store: The store that is also read or written. Its folder is created if it is missing.
        overwrite: Whether an output may replace a file that exists.

    Raises:
        BadInputError: an output cannot be written, or would destroy an input, the store, another output or,
            without `overwrite`, any file.
    """
    read = [path for path in inputs if path is not None and os.path.exists(path)]
    if store is not None:
        names = dict.fromkeys((store, follow_link(store)))
        beside = [part for path in names for part in with_sqlite_files(path)]
        for one in read:
            if any(_are_one(one, part) for part in beside):
                raise BadInputError(f"the store {store}: is also an input, and was not changed")
        read += beside
    before: dict[str, File] = {}
    for argument, path in outputs.items():
        if path is None or path == STDOUT:
            continue
        named = f"{argument} {path}".lstrip()
        if Path(path).is_dir():
            raise BadInputError(f"{named}: is a folder")
        if not Path(path).parent.is_dir():
            raise BadInputError(f"{named}: there is no folder {Path(path).parent}")
        if any(_are_one(path, other) for other in read):
            raise BadInputError(f"{named}: is also an input, and is not overwritten")
        if not overwrite and os.path.isfile(path):
            raise BadInputError(f"{named}: exists and was not changed; --force overwrites it")
        for other_named, other in before.items():
            if _are_one(path, other):
                raise BadInputError(f"{named}: is the same file as {other_named}")
        try:
            refuse_unwritable(Path(path), in_place=argument in IN_PLACE)
        except OSError as error:
            raise BadInputError(f"{named}: {error.strerror}") from None
        before[named] = path


def _are_one(one: File, other: File) -> bool:
    """Return whether two paths are one file, also through links. Devices and pipes may be shared."""
    if os.path.exists(one) and not os.path.isfile(one):
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist yet
        return os.path.realpath(one) == os.path.realpath(other)
