"""Reading a sequence of images: each image only where it differs from what was read before.

Between two looks at a table, little changes besides one arm and one pile. Reading the rest again would take
as long as the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import bounding_box, intersection_over_smaller, quad_size
from vision.images import downscale, max_channel
from vision.recognition.reader import reader_for_deck
from vision.types import CardReader, CardReading, Image, Region

_Mask = NDArray[np.bool_]
_Part = tuple[int, int, int, int]
"""Left, top, right, bottom, pixels."""
_NOTHING: _Part = (0, 0, 0, 0)

_WIDTH = 480
"""Longer side, in pixels, of the copies that are compared."""
_LEVEL, _NOISE = 8.0, 3.0
"""A place changed if a colour differs by more than this level (0-255) plus this many times the median
difference. Most of a table does not change, so the median is the camera's noise."""
_SPECK = 3
"""Number of changed places among the 3 x 3 around one, from which it is more than noise."""
_ENOUGH = 5
"""Number of times that each place is read after it changed, because each reading errs in its own way."""
_WHOLE_EVERY = 12
"""Every Nth image is read as a whole, so that changes too faint to notice do not persist."""
_TELLING, _SEVERAL = 0.5, 3
"""Readings give the height of cards from this confidence on, because less confident ones may be the table's
pattern. The whole image is read at that height only if there are this many. A single one may be the table
itself, and all cards would be overlooked for good."""
_WORTH = 0.6
"""If more than this share of the image would be read, the whole image is."""
_AROUND = 1.0
"""Margin around changes that is read too, as a share of a card's height. Readers need a card's
surroundings."""
_WIDER, _TALLER = (0.0, 0.3, 0.15, 0.45, 0.22), (1.0, 0.85, 1.18, 0.92, 1.08)
"""Extra margin (share of a card's height) and factor on the height of cards, used in turn. At rest, a crop of
the same size and scale would be misread in the same way again."""
_LEAST = 5.0
"""Least side of a part that is read, in heights of a card. The network would magnify a smaller part too
much."""
_EDGE = 3.0
"""A card nearer than this to the border of a part, in pixels, counts as cut."""
_SAME = 0.35
"""Two readings may be of one card if they share this much of the smaller one ..."""
_SURE = 0.9
"""... unless the new one has another name with this confidence."""


class RegionReader(Protocol):
    """A card reader that is faster if it knows the height of the cards."""

    def read(
        self,
        image: Image,
        crowded: Sequence[Region] | None = None,
        card_height: float | None = None,
    ) -> Sequence[CardReading]:
        """Return the cards in an image, as `vision.types.CardReader.read`; `card_height` is in pixels."""
        ...


class IncrementalReader:
    """A card reader for the images of one camera in order; implements `vision.types.CardReader`."""

    def __init__(self, reader: RegionReader) -> None:
        self._reader = reader
        self._readings: list[CardReading] = []
        self._looks = 0
        self._whole = False
        """Whether the whole picture was read last: after parts of it the whole is looked over once."""
        self._shape: tuple[int, ...] = ()
        self._seen = np.empty((0, 0, 3), np.uint8)
        """The look of each place when it was first read after its last change."""
        self._times = np.empty((0, 0), np.uint8)
        """The number of times each place was read since then."""
        self._searched = np.empty((0, 0), np.bool_)
        """Where partly covered cards were searched for when the place was last read."""

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the cards in an image (height x width x 3, BGR), as `CardReader.read`."""
        small, scale = downscale(image, _WIDTH)
        wanted = _mask(small.shape[:2], crowded, scale)
        part = self._part_to_read(small, scale, wanted, image)
        self._looks += 1
        if part == _NOTHING:
            return list(self._readings)
        self._whole = part is None
        if part is None:
            self._readings = list(self._reader.read(image, crowded, self._card_height(_SEVERAL)))
            part = 0, 0, image.shape[1], image.shape[0]
            self._seen = small
        else:
            self._readings = self._read_part(image, part, crowded)
        rows, columns = _places(part, scale)
        self._times[rows, columns] = np.minimum(self._times[rows, columns] + 1, _ENOUGH)
        self._searched[rows, columns] = wanted[rows, columns]
        return list(self._readings)

    def _part_to_read(self, small: Image, scale: float, wanted: _Mask, image: Image) -> _Part | None:
        """Return the part of an image that must be read: `_NOTHING`, or None for the whole."""
        if self._shape != image.shape:
            self._shape = image.shape
            self._times = np.zeros(small.shape[:2], np.uint8)
            self._searched = np.zeros(small.shape[:2], np.bool_)
            return None
        changed = _changed(self._seen, small)
        self._times[changed] = 0
        self._seen[changed] = small[changed]
        due = (self._times < _ENOUGH) | (wanted & ~self._searched)
        if self._looks % _WHOLE_EVERY == 0:
            return None
        if not due.any():
            return _NOTHING if self._whole else None
        card = self._card_height()
        if card is None:
            return None
        part = self._about(due, scale, image, card)
        (left, top, right, bottom), (height, width) = part, image.shape[:2]
        return part if (right - left) * (bottom - top) <= _WORTH * width * height else None

    def _about(self, due: _Mask, scale: float, image: Image, card: float) -> _Part:
        """Return the part of an image with the places to read, and whole cards around them."""
        left, top, right, bottom = _bounds(due, scale)
        touched = [r.quad for r in self._readings if _touches(r, due, scale)]
        if touched:
            x0, y0, x1, y1 = bounding_box(np.concatenate(touched))
            left, top, right, bottom = min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
        wider = _WIDER[self._looks % len(_WIDER)] * card
        across = max(_AROUND * card, (_LEAST * card - (right - left)) / 2) + wider
        down = max(_AROUND * card, (_LEAST * card - (bottom - top)) / 2) + wider
        height, width = image.shape[:2]
        return (
            max(0, round(left - across)),
            max(0, round(top - down)),
            min(width, round(right + across)),
            min(height, round(bottom + down)),
        )

    def _card_height(self, telling: int = 1) -> float | None:
        """Return the median height of the cards that were last read, in pixels.

        The result is None if fewer than `telling` cards were read with confidence.
        """
        heights = [quad_size(r.quad)[1] for r in self._readings if r.confidence >= _TELLING]
        return float(np.median(heights)) if len(heights) >= telling else None

    def _read_part(self, image: Image, part: _Part, crowded: Sequence[Region] | None) -> list[CardReading]:
        """Return the cards read in a part, and those outside it as they were read before."""
        left, top, right, bottom = part
        shift = np.array([left, top], np.float32)
        regions = None if crowded is None else [inner for r in crowded if (inner := _within(r, part))]
        height = self._card_height()
        read = self._reader.read(
            np.ascontiguousarray(image[top:bottom, left:right]),
            regions,
            height and height * _TALLER[self._looks % len(_TALLER)],
        )
        fresh = [replace(reading, quad=reading.quad + shift) for reading in read]
        kept = [reading for reading in self._readings if not _is_inside(reading, part, image)]
        return kept + [
            reading
            for reading in fresh
            if _is_inside(reading, part, image) and not any(_is_rest_of(other, reading) for other in kept)
        ]


def _is_rest_of(card: CardReading, reading: CardReading) -> bool:
    """Return whether a reading may be what is left of a card at a border, and not another card on it."""
    another = reading.card != card.card and reading.confidence >= _SURE
    return not another and intersection_over_smaller(reading.quad, card.quad) > _SAME


def _changed(before: Image, now: Image) -> _Mask:
    """Return where two images (height x width x 3) differ by more than noise."""
    difference = max_channel(np.asarray(cv2.absdiff(before, now), np.uint8))
    apart = difference > _LEVEL + _NOISE * float(np.median(difference))
    near = cv2.boxFilter(apart.astype(np.uint8), -1, (3, 3), normalize=False)
    return np.asarray(near >= _SPECK)


def _mask(shape: tuple[int, ...], regions: Sequence[Region] | None, scale: float) -> _Mask:
    """Return a mask of regions of the image in its downscaled copy; None stands for the whole image."""
    mask = np.full(shape, regions is None)
    for left, top, right, bottom in regions or ():
        rows, columns = _places((int(left), int(top), int(right), int(bottom)), scale)
        mask[rows, columns] = True
    return mask


def _places(part: _Part, scale: float) -> tuple[slice, slice]:
    """Return the rows and columns of the downscaled copy that a part of the image covers."""
    left, top, right, bottom = (max(0.0, side) * scale for side in part)
    return slice(int(top), int(np.ceil(bottom))), slice(int(left), int(np.ceil(right)))


def _bounds(due: _Mask, scale: float) -> Region:
    """Return the bounding box of the places to read, in pixels of the image."""
    rows, columns = np.flatnonzero(due.any(axis=1)), np.flatnonzero(due.any(axis=0))
    return columns[0] / scale, rows[0] / scale, (columns[-1] + 1) / scale, (rows[-1] + 1) / scale


def _touches(reading: CardReading, due: _Mask, scale: float) -> bool:
    """Return whether a place to read lies on a card."""
    corners = np.round(reading.quad * scale).astype(np.int32)
    (left, top), (right, bottom) = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
    under = due[top:bottom, left:right].astype(np.uint8)
    if not under.any():
        return False
    card = np.zeros_like(under)
    cv2.fillConvexPoly(card, corners - np.array([left, top], np.int32), 1)
    return bool((under & card).any())


def _within(region: Region, part: _Part) -> Region | None:
    """Return the part of a region inside a part of the image, in pixels of that part."""
    left, top, right, bottom = part
    x0, y0 = max(region[0], left) - left, max(region[1], top) - top
    x1, y1 = min(region[2], right) - left, min(region[3], bottom) - top
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _is_inside(reading: CardReading, part: _Part, image: Image) -> bool:
    """Return whether a card lies in a part without being cut by its border.

    The image's own border does not count.
    """
    left, top, right, bottom = part
    height, width = image.shape[:2]
    x0, y0, x1, y1 = bounding_box(reading.quad)
    return (
        (left == 0 or x0 >= left + _EDGE)
        and (top == 0 or y0 >= top + _EDGE)
        and (right == width or x1 <= right - _EDGE)
        and (bottom == height or y1 <= bottom - _EDGE)
    )


def game_reader(deck: str | None = None, packs: int = 1) -> CardReader:
    """Return an incremental reader for the images of one game.

    Args:
        deck: Name of an enrolled deck; None for any deck.
        packs: How many packs are in play.

    Raises:
        BadInputError: No such deck is enrolled.
    """
    return IncrementalReader(reader_for_deck(deck, packs))
