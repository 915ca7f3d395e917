"""Reads a picture of a sequence anew only where it differs from what was read there before.

Between two looks at a table little more than one arm and one pile has changed. What lies elsewhere was read,
and reading it once more costs as much as the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import bounding_box, quad_sides, share_of_smaller
from vision.images import reduced, strongest
from vision.recognition.reader import reader_for_deck
from vision.types import CardReader, CardReading, Image, Region

_Mask = NDArray[np.bool_]
_Part = tuple[int, int, int, int]
"""Left, top, right, bottom, pixels."""
_NOTHING: _Part = (0, 0, 0, 0)

_WIDTH = 480
"""Pixels along the longer side of the copies that are compared."""
_LEVEL, _NOISE = 8.0, 3.0
"""A place changed where a colour differs by more than this (0-255) and this many times the median difference:
most of a table does not change, and what its median does is the camera's noise."""
_SPECK = 3
"""So many of the 3 x 3 places about one must have changed, or it is a grain of the noise."""
_ENOUGH = 5
"""So often each place is read after it changed: every reading of a card errs in its own way."""
_WHOLE_EVERY = 12
"""Each so manieth picture is read as a whole: what a change too faint to be seen did must not last."""
_TELLING, _SEVERAL = 0.5, 3
"""From this certainty on readings tell how tall cards are: a doubtful one may be the table's pattern. So many
must tell it before the whole picture is read by it: by a single one, the table itself taken for a card, all
others would be overlooked for good."""
_WORTH = 0.6
"""Where more than this share of the picture would be read, the whole is."""
_AROUND = 1.0
"""How far around what changed is read, as a share of a card's height: readers need a card's setting."""
_WIDER, _TALLER = (0.0, 0.3, 0.15, 0.45, 0.22), (1.0, 0.85, 1.18, 0.92, 1.08)
"""So much farther it is cut out, one after the other, likewise, and its cards are taken to be so many times
as tall as they were read: nothing moves on a table at rest, and what is cut out and scaled alike twice is
misread alike twice."""
_LEAST = 5.0
"""The least sides of a part that is read, likewise: the outline network magnifies a smaller one too much."""
_EDGE = 3.0
"""What comes nearer than this (pixels) to a part's border is cut off by it."""
_SAME = 0.35
"""Two readings that share this much of the smaller one may be of one card..."""
_SURE = 0.9
"""... unless the new one is named so surely, and otherwise."""


class PartReader(Protocol):
    """A card reader that is quicker where it knows how tall cards are."""

    def read(
        self,
        image: Image,
        crowded: Sequence[Region] | None = None,
        card_height: float | None = None,
    ) -> Sequence[CardReading]:
        """Return the cards in `image`, as `vision.types.CardReader.read`; `card_height`: pixels."""
        ...


class ChangedParts:
    """A card reader for one camera's pictures in their order; implements `vision.types.CardReader`."""

    def __init__(self, reader: PartReader) -> None:
        self._reader = reader
        self._readings: list[CardReading] = []
        self._looks = 0
        self._whole = False
        """Whether the whole picture was read last: after parts of it the whole is looked over once."""
        self._shape: tuple[int, ...] = ()
        self._seen = np.empty((0, 0, 3), np.uint8)
        """What each place looked like when it was read for the first time since it changed."""
        self._times = np.empty((0, 0), np.uint8)
        """How often each place was read since then."""
        self._searched = np.empty((0, 0), np.bool_)
        """Where half-covered cards were looked for when the place was last read."""

    def read(self, image: Image, crowded: Sequence[Region] | None = None) -> list[CardReading]:
        """Return the cards in a picture (height x width x 3, BGR), as `CardReader.read`."""
        small, scale = reduced(image, _WIDTH)
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
        """Return the part of a picture that must be read: `_NOTHING`, or None for the whole."""
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
        """Return the part of a picture with the places to be read, and whole cards about them."""
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
        """Return how tall the cards were that were read last (median, pixels).

        None where fewer than `telling` were read surely.
        """
        heights = [quad_sides(r.quad)[1] for r in self._readings if r.confidence >= _TELLING]
        return float(np.median(heights)) if len(heights) >= telling else None

    def _read_part(self, image: Image, part: _Part, crowded: Sequence[Region] | None) -> list[CardReading]:
        """Return the cards as they were, where these do not lie within a part, and those read in it."""
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
    """Tell whether a reading may be what a border has left of a card, and not surely another one on it."""
    another = reading.card != card.card and reading.confidence >= _SURE
    return not another and share_of_smaller(reading.quad, card.quad) > _SAME


def _changed(before: Image, now: Image) -> _Mask:
    """Return where two pictures (height x width x 3) differ by more than noise does."""
    difference = strongest(np.asarray(cv2.absdiff(before, now), np.uint8))
    apart = difference > _LEVEL + _NOISE * float(np.median(difference))
    near = cv2.boxFilter(apart.astype(np.uint8), -1, (3, 3), normalize=False)
    return np.asarray(near >= _SPECK)


def _mask(shape: tuple[int, ...], regions: Sequence[Region] | None, scale: float) -> _Mask:
    """Return a mask of regions of the picture in its reduced copy; None stands for all of it."""
    mask = np.full(shape, regions is None)
    for left, top, right, bottom in regions or ():
        rows, columns = _places((int(left), int(top), int(right), int(bottom)), scale)
        mask[rows, columns] = True
    return mask


def _places(part: _Part, scale: float) -> tuple[slice, slice]:
    """Return the rows and columns of the reduced copy in which a part of the picture lies."""
    left, top, right, bottom = (max(0.0, side) * scale for side in part)
    return slice(int(top), int(np.ceil(bottom))), slice(int(left), int(np.ceil(right)))


def _bounds(due: _Mask, scale: float) -> Region:
    """Return the box, in pixels of the picture, about the places of the reduced copy that are to be read."""
    rows, columns = np.flatnonzero(due.any(axis=1)), np.flatnonzero(due.any(axis=0))
    return columns[0] / scale, rows[0] / scale, (columns[-1] + 1) / scale, (rows[-1] + 1) / scale


def _touches(reading: CardReading, due: _Mask, scale: float) -> bool:
    """Tell whether a place that is to be read lies on a card."""
    corners = np.round(reading.quad * scale).astype(np.int32)
    (left, top), (right, bottom) = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
    under = due[top:bottom, left:right].astype(np.uint8)
    if not under.any():
        return False
    card = np.zeros_like(under)
    cv2.fillConvexPoly(card, corners - np.array([left, top], np.int32), 1)
    return bool((under & card).any())


def _within(region: Region, part: _Part) -> Region | None:
    """Return what of a region lies in a part, in pixels of the part."""
    left, top, right, bottom = part
    x0, y0 = max(region[0], left) - left, max(region[1], top) - top
    x1, y1 = min(region[2], right) - left, min(region[3], bottom) - top
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _is_inside(reading: CardReading, part: _Part, image: Image) -> bool:
    """Tell whether no border of a part cuts a card off; the picture's own borders cut nothing more."""
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
    """Return a reader for the pictures of one game, played with an enrolled deck or, for None, with any.

    `packs`: how many packs it is played with.

    Raises BadInputError when no such deck is enrolled.
    """
    return ChangedParts(reader_for_deck(deck, packs))
