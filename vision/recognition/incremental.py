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

from vision.geometry import bounding_box, intersection_over_smaller, quad_size
from vision.images import downscale, max_channel, touches
from vision.recognition.ink import InkColours, InkSamples, certain_cards, compare_inks, sample_inks
from vision.recognition.reader import reader_for_deck
from vision.types import CardReader, CardReading, Image, Mask, Region

_Part = tuple[int, int, int, int]
"""Left, top, right, bottom, pixels."""

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
_AROUND = 0.5
"""Margin around changes that is read too, as a share of a card's height. Readers need a card's
surroundings."""
_WIDER, _TALLER = (0.0, 0.2, 0.1, 0.3, 0.15), (1.0, 0.85, 1.18, 0.92, 1.08)
"""Extra margin (share of a card's height) and factor on the height of cards, used in turn. At rest, a crop of
the same size and scale would be misread in the same way again."""
_LEAST = 3.0
"""Least side of a part that is read, in heights of a card. The network would magnify a smaller part too
much."""
_SPECK_OF_CARD = 0.1
"""Changes together smaller than this share of the square of a card's height are not read. If a card is
touched, all of it counts as changed. So such a speck is a shadow or a fingertip on the table."""
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
        *,
        card_height: float | None = None,
        changed: Mask | None = None,
        inks: InkColours | None = None,
    ) -> Sequence[CardReading]:
        """Return the cards in an image, as `vision.types.CardReader.read`.

        `card_height` is in pixels. Only cards that touch `changed`, a mask at any resolution, are returned.
        `inks` are the colours of ink in the whole image, if this one is a part.
        """
        ...


class IncrementalReader:
    """A card reader for the images of one camera in order; implements `vision.types.CardReader`."""

    def __init__(self, reader: RegionReader) -> None:
        self._reader = reader
        self._readings: list[CardReading] = []
        self._looks = 0
        self._ink_samples: InkSamples = {}
        """The ink of each card when it was last read in the whole picture: a part shows few cards."""
        self._inks: InkColours | None = None
        """What they show."""
        self._whole = False
        """Whether the whole picture was read last: after parts of it the whole is looked over once."""
        self._shape: tuple[int, ...] = ()
        self._seen = np.empty((0, 0, 3), np.uint8)
        """The look of each place when it was first read after its last change."""
        self._times = np.empty((0, 0), np.uint8)
        """The number of times each place was read since then."""
        self._searched = np.empty((0, 0), np.bool_)
        """Where partly covered cards were searched for when the place was last read."""

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> list[CardReading]:
        """Return the cards in an image (height x width x 3, BGR), as `CardReader.read`."""
        small, scale = downscale(image, _WIDTH)
        shape = small.shape[:2]
        wanted = _mask(shape, crowded, scale)
        hidden = np.zeros(shape, np.bool_) if ignored is None else _resized(ignored, shape)
        due = self._due(small, scale, wanted, hidden, image)
        self._looks += 1
        if due is None:
            self._readings = list(self._reader.read(image, crowded, card_height=self._card_height(_SEVERAL)))
            self._ink_samples |= sample_inks(image, certain_cards(self._readings))
            self._inks = compare_inks(self._ink_samples)
            self._seen = small
            parts = [(_whole(image), np.ones(shape, np.bool_))]
        else:
            parts = self._parts_to_read(due, scale, image)
            for part, places in parts:
                self._readings = self._read_part(image, part, crowded, places, scale)
        self._whole = due is None or (self._whole and not parts)
        for _, places in parts:
            self._times[places] = np.minimum(self._times[places] + 1, _ENOUGH)
            self._times[places & hidden] = 0
            self._searched[places] = wanted[places]
        return list(self._readings)

    def _due(self, small: Image, scale: float, wanted: Mask, hidden: Mask, image: Image) -> Mask | None:
        """Return the places to read, with all of each card that is touched; None: the whole image."""
        if self._shape != image.shape:
            self._shape = image.shape
            self._times = np.zeros(small.shape[:2], np.uint8)
            self._searched = np.zeros(small.shape[:2], np.bool_)
            return None
        changed = _changed(self._seen, small) & ~hidden
        self._times[changed] = 0
        self._seen[changed] = small[changed]
        due = ((self._times < _ENOUGH) | (wanted & ~self._searched)) & ~hidden
        if self._looks % _WHOLE_EVERY == 0:
            return None
        if not due.any():
            return due if self._whole else None
        if self._card_height() is None or due.mean() > _WORTH:
            return None
        return self._with_whole_cards(due, scale)

    def _with_whole_cards(self, due: Mask, scale: float) -> Mask:
        """Return places to read with the cards that they touch, and those which these touch in turn."""
        left = list(self._readings)
        while touched := [reading for reading in left if touches(reading.quad * scale, due)]:
            left = [reading for reading in left if not any(reading is other for other in touched)]
            for reading in touched:
                cv2.fillConvexPoly(due.view(np.uint8), np.round(reading.quad * scale).astype(np.int32), 1)
        return due

    def _parts_to_read(self, due: Mask, scale: float, image: Image) -> list[tuple[_Part, Mask]]:
        """Return parts of an image that together hold the places to read, each with those that it is for.

        Parts may overlap, but no card touches the places of two of them.
        """
        card = self._card_height()
        if card is None:
            return []
        least = _SPECK_OF_CARD * (card * scale) ** 2
        parts = []
        for places in _groups(due, card * scale):
            if np.count_nonzero(places) < least:
                self._times[places] = _ENOUGH
            else:
                parts.append((self._about(places, scale, image, card), places))
        whole = _whole(image)
        worth = sum(_area(part) for part, _ in parts) <= _WORTH * _area(whole)
        return parts if worth else [(whole, due)]

    def _about(self, due: Mask, scale: float, image: Image, card: float) -> _Part:
        """Return the part of an image with the places to read, and whole cards around them."""
        left, top, right, bottom = _bounds(due, scale)
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

    def _read_part(
        self, image: Image, part: _Part, crowded: Sequence[Region] | None, due: Mask, scale: float
    ) -> list[CardReading]:
        """Return the cards read where a part is due, and the others as they were read before."""
        left, top, right, bottom = part
        shift = np.array([left, top], np.float32)
        height = self._card_height(_SEVERAL if part == _whole(image) else 1)
        regions = None
        if crowded is not None:
            margin = _AROUND * (self._card_height() or 0.0)
            near = [_part_due(region, due, scale, margin) for region in crowded]
            regions = [inner for region in near if region and (inner := _within(region, part))]
        read = self._reader.read(
            np.ascontiguousarray(image[top:bottom, left:right]),
            regions,
            card_height=height and height * _TALLER[self._looks % len(_TALLER)],
            changed=due[_places(part, scale)],
            inks=self._inks,
        )
        fresh = [replace(reading, quad=reading.quad + shift) for reading in read]
        kept = [
            reading
            for reading in self._readings
            if not (_is_inside(reading, part, image) and touches(reading.quad * scale, due))
        ]
        return kept + [
            reading
            for reading in fresh
            if _is_inside(reading, part, image) and not any(_is_rest_of(other, reading) for other in kept)
        ]


def _is_rest_of(card: CardReading, reading: CardReading) -> bool:
    """Return whether a reading may be what is left of a card at a border, and not another card on it."""
    another = reading.card != card.card and reading.confidence >= _SURE
    return not another and intersection_over_smaller(reading.quad, card.quad) > _SAME


def _changed(before: Image, now: Image) -> Mask:
    """Return where two images (height x width x 3) differ by more than noise."""
    difference = max_channel(np.asarray(cv2.absdiff(before, now), np.uint8))
    apart = difference > _LEVEL + _NOISE * float(np.median(difference))
    near = cv2.boxFilter(apart.astype(np.uint8), -1, (3, 3), normalize=False)
    return np.asarray(near >= _SPECK)


def _resized(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Return a mask at another resolution."""
    size = shape[1], shape[0]
    return cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0


def _whole(image: Image) -> _Part:
    return 0, 0, image.shape[1], image.shape[0]


def _area(part: _Part) -> int:
    left, top, right, bottom = part
    return (right - left) * (bottom - top)


def _groups(due: Mask, card: float) -> list[Mask]:
    """Return places to read in groups that are at least a card's height (in places) apart."""
    size = max(1, round(card))
    near = cv2.dilate(due.astype(np.uint8), np.ones((size, size), np.uint8))
    count, labels = cv2.connectedComponents(near)
    return [due & (labels == label) for label in range(1, count)]


def _mask(shape: tuple[int, ...], regions: Sequence[Region] | None, scale: float) -> Mask:
    """Return a mask of regions of the image in its downscaled copy; None stands for the whole image."""
    mask = np.full(shape, regions is None)
    for region in regions or ():
        mask[_places(_inner(region), scale)] = True
    return mask


def _inner(region: Region) -> _Part:
    """Return the whole pixels of a region."""
    left, top, right, bottom = region
    return int(left), int(top), int(right), int(bottom)


def _places(part: _Part, scale: float) -> tuple[slice, slice]:
    """Return the rows and columns of the downscaled copy that a part of the image covers."""
    left, top, right, bottom = (max(0.0, side) * scale for side in part)
    return slice(int(top), int(np.ceil(bottom))), slice(int(left), int(np.ceil(right)))


def _bounds(due: Mask, scale: float) -> Region:
    """Return the bounding box of the places to read, in pixels of the image."""
    rows, columns = np.flatnonzero(due.any(axis=1)), np.flatnonzero(due.any(axis=0))
    return columns[0] / scale, rows[0] / scale, (columns[-1] + 1) / scale, (rows[-1] + 1) / scale


def _part_due(region: Region, due: Mask, scale: float, margin: float) -> Region | None:
    """Return the part of a region with the places to read in it, and a margin (px); None: there are none."""
    mask = np.zeros_like(due)
    places = _places(_inner(region), scale)
    mask[places] = due[places]
    if not mask.any():
        return None
    left, top, right, bottom = _bounds(mask, scale)
    return _common(region, (left - margin, top - margin, right + margin, bottom + margin))


def _within(region: Region, part: _Part) -> Region | None:
    """Return the part of a region inside a part of the image, in pixels of that part."""
    left, top = part[:2]
    common = _common(region, part)
    return common and (common[0] - left, common[1] - top, common[2] - left, common[3] - top)


def _common(region: Region, other: Region) -> Region | None:
    """Return what two regions have in common."""
    x0, y0 = max(region[0], other[0]), max(region[1], other[1])
    x1, y1 = min(region[2], other[2]), min(region[3], other[3])
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
