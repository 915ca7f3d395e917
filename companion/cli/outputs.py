"""The files that a command is to write, looked at before anything is opened: none may cost what is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from companion.files.store_paths import SQLITE_SUFFIXES, follow_link
from engine.errors import BadInputError
from engine.files.atomic import refuse_unwritable

File = str | Path
STDOUT = "-"
IN_PLACE = ("--events",)
"""What is written to the file itself as it comes; all else becomes the file once it is whole."""


def check_outputs(
    outputs: Mapping[str, File | None], inputs: Iterable[File | None] = (), *, store: Path | None = None
) -> None:
    """Refuse files that cannot be written, or not without losing what is read or written besides.

    Args:
        outputs: The file under the option that names it, or under "" where none does; None and `-` are no
            file.
        inputs: What the command reads; None, cameras, addresses and names that are no file are passed over.
        store: The store that is read or written besides; its folder is made where it lacks.

    Raises:
        BadInputError: an output is a folder, lies in none, may not be written, or is an input, the store or
            another output.
    """
    read = [path for path in inputs if path is not None and os.path.exists(path)]
    if store is not None:
        names = dict.fromkeys((store, follow_link(store)))
        beside = [path.with_name(path.name + part) for path in names for part in SQLITE_SUFFIXES]
        for one in read:
            if any(_are_one(one, part) for part in beside):
                raise BadInputError(f"the store {store}: is what is read, and is left as it is")
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
            raise BadInputError(f"{named}: is what is read, and is not overwritten")
        for other_named, other in before.items():
            if _are_one(path, other):
                raise BadInputError(f"{named}: is the same file as {other_named}")
        try:
            refuse_unwritable(Path(path), in_place=argument in IN_PLACE)
        except OSError as error:
            raise BadInputError(f"{named}: {error.strerror}") from None
        before[named] = path


def _are_one(one: File, other: File) -> bool:
    """Tell whether two names are one file's, by links too; a device or a pipe takes what several write."""
    if os.path.exists(one) and not os.path.isfile(one):
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)
