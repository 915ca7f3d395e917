"""File names as OpenCV takes them."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import BadInputError


def opencv_name(path: Path | str) -> str:
    """Return a file's name, or a stream's address, for OpenCV.

    Raises:
        BadInputError: it is not UTF-8 text. Such names can be had on Linux, and OpenCV crashes over them.
    """
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BadInputError("{name!r}: the name is not UTF-8 text; rename it", name=name) from None
    return name
