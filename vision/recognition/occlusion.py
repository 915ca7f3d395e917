"""Cards of which other cards leave only an index to be seen: found and read by that index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import (
    CARD_WIDTH_MM,
    corner_distance,
    polygon_overlap,
    quad_sides,
    upright_height,
)
from vision.recognition.classifier import FaceReader, FaceReading
from vision.recognition.index_finder import INDEX_MM, Index, IndexFinder
from vision.recognition.index_owners import (
    PLAIN,
    SURELY_OTHER,
    IndexOwners,
    lies_on,
    likeliest,
)
from vision.recognition.ink import SHOWS_ITS_INK
from vision.recognition.mixed_outlines import is_blend
from vision.recognition.outline_refinement import edge_support
from vision.recognition.overlap_prefilter import something_sticks_out
from vision.types import CardReading, Image, Quad, Region

_AROUND = 0.75
"""How far around known cards others are looked for, as a share of a card's height."""
_TOGETHER = 0.35
"""Cards nearer than this share of their height belong to one crowd."""
_ASKED = 4
"""So many of the surest cards are asked whether their deck has four."""
_AGAIN, _AGREEING = 0.4, 2
"""A card's name read so surely in one of its other corners hints at four indices; so many cards prove it."""
_SAME_INDEX = 0.1
"""Two indices that lie nearer than this share of the card's height are one."""
_UNNAMED = 0.85
"""An index that cannot be named must be seen this surely for it to count at all."""
_OVERLAPPED = 0.1
"""A card of which others share this much lies in a crowd."""
_MUCH = 0.08
"""An outline this far (share of the height) from what the card's own index tells is replaced by it."""
_ENOUGH, _ODD_SIZE = 5, 0.4
"""So many cards tell how tall others are; not those whose size's logarithm is so far from the usual one."""
_MOST_ALIKE = 2.0
"""Cards of one crowd differ in height by less than this factor."""


class CoveredCards:
    """Puts right, by their indices, cards that lie on one another, and finds those of which no more shows."""

    def __init__(self, faces: FaceReader, finder: IndexFinder | None = None) -> None:
        self._faces, self._finder = faces, finder or IndexFinder()

    def complete(
        self,
        image: Image,
        known: Sequence[CardReading],
        regions: Sequence[Region] | None = None,
        packs: int = 1,
        ends: Sequence[Index] = (),
    ) -> list[CardReading]:
        """Return `known` put right, and after them the cards told by an index alone, surest name first.

        Where cards lie on one another an index tells better than an outline which card it is and how it lies.
        `regions` of the picture (height x width x 3, BGR) are looked at only, where these are given. The
        cards are of so many `packs`. `ends` are indices known beforehand, by outlines.
        """
        cards = [reading for reading in known if reading.face == "up"]
        indices = _with_ends(self._indices(image, known, regions), ends, regions)
        names = self._told_by_indices(image, indices, cards)
        told = [(index, reading) for index, reading, _ in names]
        if not told:
            return list(known)
        readings = [reading for _, reading in told]
        cards = [_put_right(image, card, readings) for card in cards if not is_blend(card, cards, told)]
        owners = IndexOwners(cards, told)
        # What the other corners show costs a look at them: only where an index lies in one does it matter.
        four = owners.may_have_four and self._has_four_indices(image, cards)
        owners.decide(four, packs, lambda number: self._otherwise(*names[number]))
        found: list[CardReading] = []
        for number in range(len(told)):
            if owners.give(number):
                continue
            reading = owners.told_apart(number, found, packs, self._faces.fusion.index_threshold)
            if owners.tells_of_another(number, found):
                found.append(reading)
        return [*(reading for reading in known if reading.face == "down"), *owners.left, *found]

    def _indices(
        self, image: Image, known: Sequence[CardReading], regions: Sequence[Region] | None
    ) -> list[Index]:
        """Return the indices in `regions`; without any, in and around cards that do not plainly lie alone."""
        quads = [reading.quad for reading in known]
        near = [r for r in known if r.face == "up" and _is_within(r.quad, regions)]
        looked_at = [
            r
            for r in near
            if regions is not None
            or r.confidence < PLAIN
            or _is_crowded(image, r.quad, [q for q in quads if q is not r.quad])
        ]
        indices: list[Index] = []
        for crowd in crowds(looked_at):
            height = _height_in(crowd, known)
            points = np.concatenate([reading.quad for reading in crowd])
            low, high = points.min(axis=0) - _AROUND * height, points.max(axis=0) + _AROUND * height
            indices += self._finder.find(image, height, (*low.tolist(), *high.tolist()))
        # Cards that were not outlined at all, white on white, may still show their indices.
        heights = [quad_sides(r.quad)[1] for r in known if r.face == "up"]
        for region in regions or ():
            if heights and not any(_is_within(r.quad, [region]) for r in near):
                indices += self._finder.find(image, float(np.median(heights)), region)
        return indices

    def _told_by_indices(
        self, image: Image, indices: Sequence[Index], known: Sequence[CardReading]
    ) -> list[tuple[Index, CardReading, FaceReading]]:
        """Return the cards that indices tell of, surest name first; `known` are others in the picture."""
        if not indices:
            return []
        sure = [(c.card, c.quad) for c in known if c.card is not None and c.confidence >= SHOWS_ITS_INK]
        names = self._faces.read_indices(image, [index.quad for index in indices], sure)
        pairs = sorted(zip(indices, names, strict=True), key=lambda pair: -pair[1].confidence)
        readings = [(index, _reading(index, name), name) for index, name in pairs]
        return [(index, reading, name) for index, reading, name in readings if reading is not None]

    def _otherwise(self, index: Index, reading: CardReading, name: FaceReading) -> CardReading:
        """Return what an index tells if its card is not the one that it names."""
        return _reading(index, name.otherwise(self._faces.fusion.index_threshold)) or reading

    def _has_four_indices(self, image: Image, cards: Sequence[CardReading]) -> bool:
        """Tell whether the cards bear an index in the other two corners as well: some deck's do."""
        sure = sorted(cards, key=lambda card: -card.confidence if card.card else 0.0)[:_ASKED]
        corners = [(card.card, _beside_top_right(quad)) for card in sure for quad in _both_ways(card.quad)]
        names = self._faces.read_indices(image, [quad for _, quad in corners], alone=True)
        again = {
            card: name.confidence
            for (card, _), name in zip(corners, names, strict=True)
            if card is not None and likeliest(name) == card and name.confidence >= _AGAIN
        }
        return len(again) >= _AGREEING or any(p >= SURELY_OTHER for p in again.values())


def _both_ways(quad: Quad) -> tuple[Quad, Quad]:
    return quad, np.roll(quad, 2, axis=0)


def _beside_top_right(quad: Quad) -> Quad:
    """Return where a card would lie whose first index is this card's top right one."""
    shift = (quad[1] - quad[0]) * np.float32(1 - 2 * INDEX_MM[0] / CARD_WIDTH_MM)
    return np.asarray(quad + shift, np.float32)


def _reading(index: Index, name: FaceReading) -> CardReading | None:
    """Return the card an index tells of, or None where too little speaks for one."""
    if name.card is None and (index.confidence < _UNNAMED or name.unreadable > 0.5):
        return None
    return CardReading(index.quad, "up", index.confidence, name.card, name.confidence, name.alternatives)


def _with_ends(
    indices: Sequence[Index], ends: Sequence[Index], regions: Sequence[Region] | None
) -> list[Index]:
    """Return indices with those that outlines tell of in the `regions`: these tell better how a card lies."""
    found = list(indices)
    for end in ends:
        if not _is_within(end.quad, regions):
            continue
        near = _SAME_INDEX * quad_sides(end.quad)[1]
        apart = [float(np.linalg.norm(index.place - end.place)) for index in found]
        same = [index.confidence for index, way in zip(found, apart, strict=True) if way < near]
        found = [index for index, way in zip(found, apart, strict=True) if way >= near]
        found.append(replace(end, confidence=max([end.confidence, *same])))
    return found


def _is_crowded(image: Image, quad: Quad, others: Sequence[Quad]) -> bool:
    """Tell whether a card lies on or under others, or something sticks out from under it."""
    width, height = quad_sides(quad)
    overlaps = any(polygon_overlap(quad, other) > _OVERLAPPED * width * height for other in others)
    return overlaps or something_sticks_out(image, quad, others)


def _put_right(image: Image, card: CardReading, told: Sequence[CardReading]) -> CardReading:
    """Return a card with the place that its own index tells, where its outline is off by much.

    Only where another card lies almost in its place, for the outline of one that lies free is the better one,
    and where the sides of the place that is told lie on plainer edges.
    """
    if not any(reading.card != card.card and lies_on(reading, card) for reading in told):
        return card
    own = [
        reading
        for reading in told
        if reading.card is not None and reading.card == card.card and lies_on(reading, card)
    ]
    if not own:
        return card
    apart = min(float(corner_distance([reading.quad], card.quad)[0]) for reading in own)
    if apart <= _MUCH * quad_sides(card.quad)[1]:
        return card
    as_found, as_told = edge_support(image, [card.quad, own[0].quad])
    return replace(card, quad=own[0].quad) if as_told >= as_found else card


def _is_within(quad: Quad, regions: Sequence[Region] | None) -> bool:
    x, y = quad.mean(axis=0)
    return regions is None or any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def crowds(cards: Sequence[CardReading]) -> list[list[CardReading]]:
    """Return the cards in groups whose members lie close together and are about as large."""
    groups: list[list[CardReading]] = []
    for card in cards:
        joined = [group for group in groups if any(_together(card.quad, other.quad) for other in group)]
        groups = [group for group in groups if not any(group is one for one in joined)]
        groups.append([card, *(member for group in joined for member in group)])
    return groups


def _height_in(crowd: Sequence[CardReading], known: Sequence[CardReading]) -> float:
    """Return about how tall cards are where a crowd lies, pixels.

    An outline in a crowd may be drawn about several cards. So the others in the picture are asked, where
    enough of them are plainly read: their size changes evenly over a picture of a table seen aslant.
    """
    middle = np.mean([reading.quad.mean(axis=0) for reading in crowd], axis=0)
    plain = (r for r in known if r.card is not None and r.confidence >= PLAIN)
    free = [r.quad for r in plain if not any(r is other for other in crowd)]
    if len(free) < _ENOUGH:
        return float(np.median([quad_sides(reading.quad)[1] for reading in crowd]))
    sizes = np.log([max(upright_height(quad), 1.0) for quad in free])
    offsets = np.column_stack([np.ones(len(free)), [quad.mean(axis=0) - middle for quad in free]])
    usual = np.abs(sizes - np.median(sizes)) < _ODD_SIZE
    fitted, *_ = np.linalg.lstsq(offsets[usual], sizes[usual], rcond=None)
    return float(np.exp(np.clip(fitted[0], sizes[usual].min(), sizes[usual].max())))


def _together(first: Quad, second: Quad) -> bool:
    heights = quad_sides(first)[1], quad_sides(second)[1]
    if max(heights) > _MOST_ALIKE * min(heights):
        return False
    gap = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    return bool(gap.max() < _TOGETHER * max(heights))
