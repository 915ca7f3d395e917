"""Cards of which other cards leave only an index to be seen: found and read by that index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.faces import FaceReader, FaceReading
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, polygon_overlap, quad_sides, transform
from vision.indices import INDEX_MM, Index, IndexFinder, card_plane
from vision.reading import CardReading, Image, Quad, Region
from vision.rims import something_sticks_out

_AROUND = 0.75
"""How far around known cards others are looked for, as a share of a card's height."""
_TOGETHER = 0.35
"""Cards nearer than this share of their height belong to one crowd."""
_OWN_INDEX = 0.09
"""An index this near to where a known card has one, as a share of the card's height, is that card's."""
_FOURTH_INDEX = 0.12
"""Likewise where a deck with four indices has its third and fourth."""
_ASKED = 4
"""So many of the surest cards are asked whether their deck has four."""
_NAMED = 0.8
"""A card that is told by its index alone must be named this surely ..."""
_SURELY_OTHER = 0.85
_UNNAMED = 0.85
"""... or its index must be seen this surely, for it to count at all."""
_ONE_CARD = 0.35
"""Two readings of one card that share this much of the smaller quad are one card seen twice."""
_MOST_ALIKE = 2.0
"""Cards of one crowd differ in height by less than this factor."""


class CoveredCards:
    """Finds cards by an index where whole cards have been found already."""

    def __init__(self, faces: FaceReader, finder: IndexFinder | None = None) -> None:
        self._faces, self._finder = faces, finder or IndexFinder()

    def find(
        self, image: Image, known: Sequence[CardReading], regions: Sequence[Region] | None = None
    ) -> list[CardReading]:
        """Return cards beside those `known` in a picture (height x width x 3, BGR), surest name first.

        They are looked for in `regions` of the picture only, where these are given.
        """
        cards = [reading for reading in known if reading.face == "up"]
        near = [card.quad for card in cards if _is_within(card.quad, regions)]
        lying = [reading.quad for reading in known]
        over = [
            quad for quad in near if something_sticks_out(image, quad, [q for q in lying if q is not quad])
        ]
        indices: list[Index] = []
        for crowd in crowds(over):
            height = float(np.median([quad_sides(quad)[1] for quad in crowd]))
            points = np.concatenate(crowd)
            low, high = points.min(axis=0) - _AROUND * height, points.max(axis=0) + _AROUND * height
            indices += self._finder.find(image, height, (*low.tolist(), *high.tolist()))
        if not indices:
            return []
        names = self._faces.read_indices(image, [index.quad for index in indices])
        own = 4 if self._has_four_indices(image, cards) else 2
        found: list[CardReading] = []
        pairs = zip(indices, names, strict=True)
        for index, name in sorted(pairs, key=lambda pair: -pair[1].confidence):
            reading = _reading(index, name)
            if reading is None or any(_is_own(reading, index, card, own) for card in cards):
                continue
            if not any(_seen_twice(reading, index, other) for other in [*cards, *found]):
                found.append(reading)
        return found

    def _has_four_indices(self, image: Image, cards: Sequence[CardReading]) -> bool:
        """Tell whether the cards bear an index in the other two corners as well: some deck's do."""
        sure = sorted(cards, key=lambda card: -card.confidence if card.card else 0.0)[:_ASKED]
        corners = [(card.card, _beside_top_right(quad)) for card in sure for quad in _both_ways(card.quad)]
        names = self._faces.read_indices(image, [quad for _, quad in corners])
        return any(
            name.card is not None and name.card == card and name.confidence >= _NAMED
            for (card, _), name in zip(corners, names, strict=True)
        )


def _both_ways(quad: Quad) -> tuple[Quad, Quad]:
    return quad, np.roll(quad, 2, axis=0)


def _beside_top_right(quad: Quad) -> Quad:
    """Return where a card would lie whose first index is this card's top right one."""
    shift = (quad[1] - quad[0]) * np.float32(1 - 2 * INDEX_MM[0] / CARD_WIDTH_MM)
    return np.asarray(quad + shift, np.float32)


def _reading(index: Index, name: FaceReading) -> CardReading | None:
    """Return the card an index tells of, or None where too little speaks for one."""
    if name.card is None or name.confidence < _NAMED:
        if index.confidence < _UNNAMED or name.unreadable > 0.5:
            return None
        likely = ((name.card, name.confidence), *name.alternatives) if name.card else name.alternatives
        return CardReading(index.quad, "up", index.confidence, None, likely[0][1] if likely else 0.0, likely)
    return CardReading(index.quad, "up", index.confidence, name.card, name.confidence, name.alternatives)


def _is_within(quad: Quad, regions: Sequence[Region] | None) -> bool:
    x, y = quad.mean(axis=0)
    return regions is None or any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def crowds(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Return the cards' quads in groups whose members lie close together and are about as large."""
    groups: list[list[Quad]] = []
    for quad in quads:
        joined = [group for group in groups if any(_together(quad, other) for other in group)]
        groups = [group for group in groups if not any(group is one for one in joined)]
        groups.append([quad, *(member for group in joined for member in group)])
    return groups


def _together(first: Quad, second: Quad) -> bool:
    heights = quad_sides(first)[1], quad_sides(second)[1]
    if max(heights) > _MOST_ALIKE * min(heights):
        return False
    gap = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    return bool(gap.max() < _TOGETHER * max(heights))


def _index_places(quad: Quad) -> NDArray[np.float64]:
    """Return where a whole card has its two indices, then where a deck with four has the others: 4 x 2 px."""
    (x, y), w, h = INDEX_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM
    return transform(card_plane(quad), [[x, y], [w - x, h - y], [w - x, y], [x, h - y]])


def _is_own(reading: CardReading, index: Index, card: CardReading, indices: int) -> bool:
    """Tell whether an index is that of a card that is known already.

    One that surely bears another name is not, however near: the outline of two cards that lie almost on one
    another is often drawn through corners of both. Where cards have four `indices` the name of one at the
    other two corners tells nothing, for its frame is a wrong one.
    """
    height = quad_sides(card.quad)[1]
    apart = np.linalg.norm(_index_places(card.quad) - index.place, axis=1)
    if indices == 4 and apart[2:].min() < _FOURTH_INDEX * height:
        return True
    if apart[:2].min() >= _OWN_INDEX * height:
        return False
    return reading.card is None or card.card in (None, reading.card) or reading.confidence < _SURELY_OTHER


def _seen_twice(reading: CardReading, index: Index, other: CardReading) -> bool:
    """Tell whether a card told by its index is the same as another reading: both bear one name."""
    if reading.card is None or reading.card != other.card:
        return False
    smaller = min(quad_sides(quad)[0] * quad_sides(quad)[1] for quad in (reading.quad, other.quad))
    inside = transform(np.asarray(np.linalg.inv(card_plane(other.quad)), np.float64), [index.place])[0]
    on_other = bool((inside > -2).all() and inside[0] < 65 and inside[1] < 90)
    return on_other or polygon_overlap(reading.quad, other.quad) > _ONE_CARD * smaller
