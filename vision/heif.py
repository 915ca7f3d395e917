"""HEIC and AVIF photos: one file form, ISO base media, that OpenCV reads in part.

OpenCV decodes no HEIC, and decodes AVIF without the turns that the file asks for.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np

from vision.types import Image

_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"}
_EITHER_BRANDS = {b"mif1", b"msf1"}
_AVIF_BRANDS = {b"avif", b"avis"}
_MAX_BOXES = 1000


class HeicLibraryMissingError(Exception):
    """The library for HEIC is not installed."""


def is_heic(data: bytes) -> bool:
    """Return whether a file is a photo that is coded as HEIC."""
    brands = _brands(data)
    return not brands & _AVIF_BRANDS and bool(brands & (_HEIC_BRANDS | _EITHER_BRANDS))


def is_avif(data: bytes) -> bool:
    """Return whether a file is an AVIF photo."""
    return bool(_brands(data) & _AVIF_BRANDS)


def decode_heic(data: bytes, max_pixels: int) -> Image | None:
    """Return a HEIC photo, height x width x 3, BGR, 8 bit, turned as it asks for; None if it is damaged.

    Args:
        data: The whole file.
        max_pixels: A larger photo counts as damaged.

    Raises:
        HeicLibraryMissingError: `pillow-heif` is not installed.
    """
    try:
        import pillow_heif
    except ImportError as error:
        raise HeicLibraryMissingError from error
    try:
        photo = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True, bgr_mode=True)
        width, height = photo.size
        if width * height > max_pixels:
            return None
        pixels = np.asarray(photo)
    except (ValueError, EOFError, SyntaxError, RuntimeError, OSError, MemoryError):
        return None
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[..., None], 3, axis=2)
    return np.ascontiguousarray(pixels[..., :3], np.uint8)


def turned(image: Image, data: bytes) -> Image:
    """Return an AVIF photo that was decoded as it is stored, turned and mirrored as its file asks for."""
    for kind, value in _turns(data):
        if kind == b"irot":
            image = np.rot90(image, value & 3)  # both count counter-clockwise
        else:
            image = image[:, ::-1] if value & 1 else image[::-1]
    return np.ascontiguousarray(image)


def _brands(data: bytes) -> set[bytes]:
    if data[4:8] != b"ftyp":
        return set()
    size = min(int.from_bytes(data[:4], "big"), 4096)
    return {data[8:12], *(data[at : at + 4] for at in range(16, size - 3, 4))}


def _turns(data: bytes) -> list[tuple[bytes, int]]:
    """Return the turns (`irot`) and mirrorings (`imir`) of the main picture in the order of the file."""
    meta = next((body for kind, body in _boxes(data) if kind == b"meta"), b"")[4:]
    parts = dict(_boxes(meta))
    primary = parts.get(b"pitm", b"")
    properties = dict(_boxes(parts.get(b"iprp", b"")))
    number = int.from_bytes(primary[4 : 6 if primary[:1] == b"\0" else 8], "big")
    known = list(_boxes(properties.get(b"ipco", b"")))
    asked = [
        known[at - 1] for at in _associated(properties.get(b"ipma", b""), number) if 0 < at <= len(known)
    ]
    return [(kind, body[0]) for kind, body in asked if kind in (b"irot", b"imir") and body]


def _associated(body: bytes, number: int) -> list[int]:
    """Return the places of the properties that belong to a picture, counted from 1."""
    if len(body) < 8:
        return []
    id_bytes = 4 if body[0] else 2
    index_bytes = 2 if body[3] & 1 else 1
    mask = 0x7FFF if index_bytes == 2 else 0x7F
    at = 8
    for _ in range(min(int.from_bytes(body[4:8], "big"), _MAX_BOXES)):
        item = int.from_bytes(body[at : at + id_bytes], "big")
        at += id_bytes
        count = body[at] if at < len(body) else 0
        at += 1
        places = [
            int.from_bytes(body[start : start + index_bytes], "big") & mask
            for start in range(at, at + count * index_bytes, index_bytes)
        ]
        at += count * index_bytes
        if item == number:
            return places
    return []


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of each box. The first damaged one ends them."""
    at = 0
    for _ in range(_MAX_BOXES):
        size, kind, head = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8], 8
        if size == 1:
            size, head = int.from_bytes(data[at + 8 : at + 16], "big"), 16
        elif size == 0:
            size = len(data) - at
        if len(kind) < 4 or size < head:
            return
        yield kind, data[at + head : at + size]
        at += size
