"""Reading, writing and downscaling images."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import BadInputError
from engine.files.atomic import write_whole
from engine.files.bounded import read_capped
from engine.messages import message
from vision import MAX_IMAGE_PIXELS
from vision.heif import HeicLibraryMissingError, decode_heic, is_avif, is_heic, turned
from vision.opencv_support import opencv_path, set_opencv_log_level, silence_opencv
from vision.parallel import run_both
from vision.types import Image, Mask

Number = TypeVar("Number", np.uint8, np.float32)
"""The element type of an image."""

_MIN_PARALLEL_VALUES = 4_000_000
"""Array values from which a second thread saves more time in `resize` than it takes to wake."""


def read_image(path: Path) -> Image:
    """Return the image in a file: height x width x 3, BGR, 8 bit, turned as the file says.

    Raises:
        BadInputError: The file is missing, empty, too large or no image.
    """
    try:
        data = read_capped(path)
    except FileNotFoundError as error:
        raise BadInputError("{path}: no such file", path=path) from error
    except IsADirectoryError as error:
        raise BadInputError("{path}: this is a folder, not a picture", path=path) from error
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error
    try:
        image = decode_heic(data, MAX_IMAGE_PIXELS) if is_heic(data) else _decoded(data)
    except HeicLibraryMissingError:
        raise BadInputError(
            "{path}: a HEIC photo; export it as JPEG, or install {extra}",
            path=path,
            extra="shithead-referee[heic]",
        ) from None
    if image is None:
        raise BadInputError("{path}: not a picture that can be decoded, or too large a one", path=path)
    return image


def _decoded(data: bytes) -> Image | None:
    """Return the image in a file of a format that OpenCV reads; None if it reads nothing."""
    try:
        with _silenced():
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:
        return None
    if image is None:
        return None
    return turned(np.asarray(image, np.uint8), data) if is_avif(data) else np.asarray(image, np.uint8)


def check_image_name(path: Path, default_suffix: str = "") -> None:
    """Check that an image can be written under this name.

    Args:
        path: Where it is to be written.
        default_suffix: The suffix that counts if `path` has none.

    Raises:
        BadInputError: OpenCV can write no format with this suffix, or the name is not UTF-8 text.
    """
    opencv_path(path)
    ending = path.suffix or default_suffix
    if not cv2.haveImageWriter(f"picture{ending}"):
        raise BadInputError(
            "{path}: {suffix} is not a picture format that can be written",
            path=path,
            suffix=ending or message("no suffix"),
        )


def save_image(path: Path, image: Image, default_suffix: str = "") -> None:
    """Write an image (BGR, 8 bit) in the format of the file's suffix, completely or not at all.

    Args:
        path: Where to write it.
        image: Height x width x 3.
        default_suffix: The suffix that counts if `path` has none.

    Raises:
        BadInputError: As for `check_image_name`, or the format cannot hold this image.
        OSError: The file cannot be written.
    """
    check_image_name(path, default_suffix)
    try:
        done, data = cv2.imencode(path.suffix or default_suffix, image)
    except cv2.error:
        done = False
    if not done:
        raise BadInputError("{path}: the picture cannot be written in this format", path=path)
    write_whole(path, data.tobytes())


def downscaled_size(image: Image, longest: int) -> tuple[tuple[int, int], float]:
    """Return the size (width, height) and scale of a copy whose longer side has at most `longest` pixels."""
    height, width = image.shape[:2]
    scale = min(1.0, longest / max(height, width))
    return (max(1, round(width * scale)), max(1, round(height * scale))), scale


def downscale(image: Image, longest: int) -> tuple[Image, float]:
    """Return a copy whose longer side has at most `longest` pixels, and its scale.

    The image is halved as often as possible before it is interpolated, because halving is the fastest average
    over an area. The copy is never larger than the image.
    """
    size, scale = downscaled_size(image, longest)
    return downscale_to(image, size), scale


def downscale_to(image: Image, size: tuple[int, int]) -> Image:
    """Return a copy of the given size (width, height), made as `downscale` makes it.

    The result does not depend on whether the image was already halved.
    """
    return np.asarray(cv2.resize(halve_towards(image, size), size, interpolation=cv2.INTER_LINEAR), np.uint8)


def halve_towards(image: Image, size: tuple[int, int]) -> Image:
    """Return an image halved as often as possible without becoming smaller than a size (width, height)."""
    while image.shape[1] >= 2 * size[0] and image.shape[0] >= 2 * size[1]:
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    return image


def resize(image: Image, size: tuple[int, int], mode: int) -> Image:
    """Return a copy of the given size (width, height) by an interpolation `mode` of OpenCV.

    Two threads share the work if the image is large and no pixel counts for both halves of the copy.
    """
    whole = image.shape[1] % size[0] == 0 and image.shape[0] % size[1] == 0
    if mode != cv2.INTER_AREA or not whole or size[1] % 2 or image.size < _MIN_PARALLEL_VALUES:
        return np.asarray(cv2.resize(image, size, interpolation=mode), np.uint8)
    half = (size[0], size[1] // 2)
    top, bottom = (partial(cv2.resize, part, half, interpolation=mode) for part in np.split(image, 2))
    return np.asarray(np.concatenate(run_both(top, bottom)), np.uint8)


def max_channel(image: NDArray[Number]) -> NDArray[Number]:
    """Return the largest colour channel of each pixel (height x width).

    This is several times as fast as a maximum along an axis, or as OpenCV's `split`.
    """
    return np.asarray(np.maximum(np.maximum(image[..., 0], image[..., 1]), image[..., 2]))


def touches(polygon: ArrayLike, mask: Mask) -> bool:
    """Return whether a convex polygon (N x 2, in pixels of the mask) and a mask have a pixel in common."""
    corners = np.round(np.asarray(polygon, np.float64)).astype(np.int32)
    (left, top), (right, bottom) = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
    under = mask[top:bottom, left:right].astype(np.uint8)
    if not under.any():
        return False
    inside = np.zeros_like(under)
    cv2.fillConvexPoly(inside, corners - np.array([left, top], np.int32), 1)
    return bool((under & inside).any())


@contextmanager
def _silenced() -> Iterator[None]:
    """Silence OpenCV and its JPEG library, so that the user sees only our one clear line."""
    level = silence_opencv()
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)
        set_opencv_log_level(level)
