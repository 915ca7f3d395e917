"""Reads and writes picture files, and makes pictures smaller."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from engine.files.atomic import write_whole
from engine.files.bounded import read_capped
from engine.messages import message
from vision.file_names import opencv_name
from vision.opencv_log import set_log_level, silence
from vision.two_threads import both
from vision.types import Image

Number = TypeVar("Number", np.uint8, np.float32)

_WORTH_A_THREAD = 4_000_000
"""A picture of so many numbers takes longer to make smaller than a second thread takes to wake."""


def read_image(path: Path) -> Image:
    """Return the picture at `path`, height x width x 3, BGR, 8 bit, turned as its EXIF note says.

    Raises BadInputError for a file that is missing, empty, too large or not a picture.
    """
    try:
        data = np.frombuffer(read_capped(path), np.uint8)
    except FileNotFoundError as error:
        raise BadInputError("{path}: there is no such file", path=path) from error
    except IsADirectoryError as error:
        raise BadInputError("{path}: this is a folder, not a picture", path=path) from error
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error
    try:
        with _silence():
            image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except cv2.error:
        image = None
    if image is None:
        raise BadInputError("{path}: not a picture that can be decoded, or too large a one", path=path)
    return np.asarray(image, np.uint8)


def check_picture_name(path: Path, otherwise: str = "") -> None:
    """Raise BadInputError where a name's ending (`otherwise`, if it has none) is of no format to write."""
    opencv_name(path)
    ending = path.suffix or otherwise
    if not cv2.haveImageWriter(f"picture{ending}"):
        raise BadInputError(
            "{path}: {suffix} is not a picture format that can be written",
            path=path,
            suffix=ending or message("no suffix"),
        )


def save_image(path: Path, image: Image, otherwise: str = "") -> None:
    """Write a picture, BGR, 8 bit, to `path`, all or nothing, in the format of its ending.

    `otherwise`: the ending to go by where the name has none.

    Raises:
        BadInputError: as `check_picture_name`, or the format takes no such picture.
        OSError: the file cannot be written.
    """
    check_picture_name(path, otherwise)
    try:
        done, data = cv2.imencode(path.suffix or otherwise, image)
    except cv2.error:
        done = False
    if not done:
        raise BadInputError("{path}: the picture cannot be written in this format", path=path)
    write_whole(path, data.tobytes())


def reduced_size(image: Image, longest: int) -> tuple[tuple[int, int], float]:
    """Return width and height of a copy whose longer side has `longest` pixels at most, and its scale."""
    height, width = image.shape[:2]
    scale = min(1.0, longest / max(height, width))
    return (max(1, round(width * scale)), max(1, round(height * scale))), scale


def reduced(image: Image, longest: int) -> tuple[Image, float]:
    """Return a copy whose longer side has `longest` pixels, and its scale; never a larger one.

    The picture is halved as often as it can be before it is interpolated: halving is the one average over an
    area that is fast.
    """
    size, scale = reduced_size(image, longest)
    return smaller(image, size), scale


def smaller(image: Image, size: tuple[int, int]) -> Image:
    """Return a copy of a size (width, height) as `reduced` makes it, whether or not halved before."""
    return np.asarray(cv2.resize(halved(image, size), size, interpolation=cv2.INTER_LINEAR), np.uint8)


def halved(image: Image, size: tuple[int, int]) -> Image:
    """Return a picture halved as often as it can be without falling below a size (width, height)."""
    while image.shape[1] >= 2 * size[0] and image.shape[0] >= 2 * size[1]:
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    return image


def resized(image: Image, size: tuple[int, int], mode: int) -> Image:
    """Return a picture of another size (width, height), made by an interpolation of OpenCV's, `mode`.

    A large one is made smaller by two threads where none of its pixels counts for both halves of the copy.
    """
    whole = image.shape[1] % size[0] == 0 and image.shape[0] % size[1] == 0
    if mode != cv2.INTER_AREA or not whole or size[1] % 2 or image.size < _WORTH_A_THREAD:
        return np.asarray(cv2.resize(image, size, interpolation=mode), np.uint8)
    half = (size[0], size[1] // 2)
    top, bottom = (partial(cv2.resize, part, half, interpolation=mode) for part in np.split(image, 2))
    return np.asarray(np.concatenate(both(top, bottom)), np.uint8)


def strongest(image: NDArray[Number]) -> NDArray[Number]:
    """Return the largest of the three colours of each pixel (height x width).

    Several times as fast as a maximum along an axis, or as OpenCV's split.
    """
    return np.asarray(np.maximum(np.maximum(image[..., 0], image[..., 1]), image[..., 2]))


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the complaints of OpenCV and of its JPEG library from standing beside our one clear line."""
    level = silence()
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)
        set_log_level(level)
