"""Reads picture files."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from engine.errors import BadInputError
from vision.reading import Image


def read_image(path: Path) -> Image:
    """Return the picture at `path`, height x width x 3, BGR, 8 bit, turned as its EXIF note says.

    Raises BadInputError for a file that is missing, empty or not a picture.
    """
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError as error:
        raise BadInputError(f"{path}: there is no such file") from error
    except IsADirectoryError as error:
        raise BadInputError(f"{path}: this is a folder, not a picture") from error
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except cv2.error:
        image = None
    if image is None:
        raise BadInputError(f"{path}: not a picture that can be decoded")
    return np.asarray(image, np.uint8)
