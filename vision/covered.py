"""Cards of which other cards leave only an index to be seen: found and read by that index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.alike import further_alike
from vision.edges import edge_support
from vision.faces import FaceReader, FaceReading
from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    card_plane,
    corner_distance,
    polygon_iou,
    polygon_overlap,
    quad_sides,
    transform,
)
from vision.indices import INDEX_MM, Index, IndexFinder
from vision.reading import CardReading, Image, Quad, Region
from vision.rims import something_sticks_out

_AROUND = 0.75
"""How far around known cards others are looked for, as a share of a card's height."""
_TOGETHER = 0.35
"""Cards nearer than this share of their height belong to one crowd."""
_OWN_INDEX = 0.09
"""An index this near to where a known card has one, as a share of the card's height, is that card's."""
_FOURTH_INDEX = 0.16
"""Likewise where a deck with four indices has its third and fourth; what lies there tells the place badly."""
_ASKED = 4
"""So many of the surest cards are asked whether their deck has four."""
_AGAIN, _AGREEING = 0.4, 2
"""A card's name read so surely in one of its other corners hints at four indices; so many cards prove it."""
_SURELY_OTHER = 0.85
"""An index named this surely is not that of a card that bears another name."""
_UNNAMED = 0.85
"""An index that cannot be named must be seen this surely for it to count at all."""
_ONE_CARD = 0.35
"""Two readings of one card that share this much of the smaller quad are one card seen twice."""
_BESIDE_MM = 2.0
"""So far beside a card of its name an index may stand that is that card's: outlines are seldom exact."""
_PLAIN = 0.9
"""A card that is named less surely than this may be two that lie almost on one another."""
_OVERLAPPED = 0.1
"""A card of which others share this much lies in a crowd."""
_NEAR_IOU, _MUCH = 0.4, 0.08
"""An outline this far (share of the height) from what the card's own index tells is replaced by it."""
_SAME_PLACE_IOU = 0.65
_INSIDE = 0.85
"""Share of a doubtful outline's area that lies within the card which an index tells of, if they are one."""
_HALF = 0.5
"""Share of a poor outline that lies on the card it was drawn about."""
_HIDDEN_IOU = 0.8
"""Two cards of which this much lies in one place: of the lower one nothing could be read."""
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
    ) -> list[CardReading]:
        """Return `known` put right, and after them the cards told by an index alone, surest name first.

        Where cards lie on one another an index tells better than an outline which card it is and how it lies.
        `regions` of the picture (height x width x 3, BGR) are looked at only, where these are given. Each
        card is there as often as there are `packs`.
        """
        cards = [reading for reading in known if reading.face == "up"]
        told = self._told_by_indices(image, self._indices(image, known, regions))
        if not told:
            return list(known)
        readings = [reading for _, reading in told]
        cards = [_put_right(image, card, readings) for card in cards if not _is_blend(card, readings)]
        places = [_index_places(card.quad) for card in cards]
        beside = [
            [_apart(index, card, at) for card, at in zip(cards, places, strict=True)] for index, _ in told
        ]
        # What the other corners show costs a look at them: only where an index lies in one does it matter.
        doubtful = any(_is_beside(*pair, other) for pair in told for other in readings)
        near = any(apart[2:].min() < _FOURTH_INDEX for row in beside for apart in row)
        four = (doubtful or near) and self._has_four_indices(image, cards)
        owners = _owners(told, cards, beside, least=_FOURTH_INDEX if four else _OWN_INDEX)
        further = further_alike(told, owners, packs)
        several = {told[number][1].card for number in further}
        found: list[CardReading] = []
        poor: set[int] = set()
        for number, ((index, reading), row) in enumerate(zip(told, beside, strict=True)):
            own = [k for k, apart in enumerate(row) if _is_own(reading, cards[k], apart, four)]
            twins = [k for k, other in enumerate(cards) if _seen_twice(reading, index, other)]
            if number in further:
                # No twin of the card that bears its name already, but perhaps that of an outline without one.
                own, twins = [k for k in own if cards[k].card != reading.card], []
            if own:
                nearest = min(own, key=lambda k: float(row[k][:2].min()))
                card = cards[nearest]
                again = number in further or reading.card == _likeliest(card)
                if again or (not four and not twins) or (four and _in_one_place(reading, card)):
                    cards[nearest] = _better_named(card, reading)
            elif twins:
                if reading.card not in several:  # else it does not tell which of them it is
                    cards[twins[0]] = max(cards[twins[0]], reading, key=lambda seen: seen.confidence)
            elif number in further or not any(
                _seen_twice(reading, index, other) or (four and _is_beside(index, reading, other))
                for other in found
            ):
                found.append(reading)
                poor |= {k for k, card in enumerate(cards) if _is_poor(card, index, reading, readings)}
        up = [card for k, card in enumerate(cards) if k not in poor]
        return [*(reading for reading in known if reading.face == "down"), *up, *found]

    def _indices(
        self, image: Image, known: Sequence[CardReading], regions: Sequence[Region] | None
    ) -> list[Index]:
        """Return the indices in `regions`; without any, in and around cards that do not plainly lie alone."""
        quads = [reading.quad for reading in known]
        near = [r for r in known if r.face == "up" and _is_within(r.quad, regions)]
        looked_at = [
            r.quad
            for r in near
            if regions is not None
            or r.confidence < _PLAIN
            or _is_crowded(image, r.quad, [q for q in quads if q is not r.quad])
        ]
        indices: list[Index] = []
        for crowd in crowds(looked_at):
            height = float(np.median([quad_sides(quad)[1] for quad in crowd]))
            points = np.concatenate(crowd)
            low, high = points.min(axis=0) - _AROUND * height, points.max(axis=0) + _AROUND * height
            indices += self._finder.find(image, height, (*low.tolist(), *high.tolist()))
        # Cards that were not outlined at all, white on white, may still show their indices.
        heights = [quad_sides(r.quad)[1] for r in known if r.face == "up"]
        for region in regions or ():
            if heights and not any(_is_within(r.quad, [region]) for r in near):
                indices += self._finder.find(image, float(np.median(heights)), region)
        return indices

    def _told_by_indices(self, image: Image, indices: Sequence[Index]) -> list[tuple[Index, CardReading]]:
        """Return the cards that indices tell of, surest name first."""
        if not indices:
            return []
        names = self._faces.read_indices(image, [index.quad for index in indices])
        pairs = sorted(zip(indices, names, strict=True), key=lambda pair: -pair[1].confidence)
        readings = [(index, _reading(index, name)) for index, name in pairs]
        return [(index, reading) for index, reading in readings if reading is not None]

    def _has_four_indices(self, image: Image, cards: Sequence[CardReading]) -> bool:
        """Tell whether the cards bear an index in the other two corners as well: some deck's do."""
        sure = sorted(cards, key=lambda card: -card.confidence if card.card else 0.0)[:_ASKED]
        corners = [(card.card, _beside_top_right(quad)) for card in sure for quad in _both_ways(card.quad)]
        names = self._faces.read_indices(image, [quad for _, quad in corners])
        again = {
            card: name.confidence
            for (card, _), name in zip(corners, names, strict=True)
            if card is not None and _likeliest(name) == card and name.confidence >= _AGAIN
        }
        return len(again) >= _AGREEING or any(p >= _SURELY_OTHER for p in again.values())


def _likeliest(name: FaceReading | CardReading) -> str | None:
    return name.card or (name.alternatives[0][0] if name.alternatives else None)


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
    if not any(reading.card not in (None, card.card) and _lies_on(reading, card) for reading in told):
        return card
    own = [
        reading
        for reading in told
        if reading.card is not None and reading.card == card.card and _lies_on(reading, card)
    ]
    if not own:
        return card
    apart = min(float(corner_distance([reading.quad], card.quad)[0]) for reading in own)
    if apart <= _MUCH * quad_sides(card.quad)[1]:
        return card
    as_found, as_told = edge_support(image, [card.quad, own[0].quad])
    return replace(card, quad=own[0].quad) if as_told >= as_found else card


def _lies_on(reading: CardReading, card: CardReading) -> bool:
    return polygon_iou(reading.quad, card.quad) > _NEAR_IOU


def _is_blend(card: CardReading, told: Sequence[CardReading]) -> bool:
    """Tell whether an outline was drawn through two cards that lie almost on one another.

    It bears a name that no index confirms, and in the same place indices surely tell of two other cards, or
    of one more surely than the outline does: an index alone is sooner misread than a whole card.
    """
    if any(reading.card is not None and reading.card == card.card for reading in told):
        return False
    others = {
        reading.card: reading.confidence
        for reading in reversed(told)
        if reading.card is not None and reading.confidence >= _SURELY_OTHER and _in_one_place(reading, card)
    }
    return len(others) > 1 or any(surely > card.confidence for surely in others.values())


def _is_poor(card: CardReading, index: Index, reading: CardReading, told: Sequence[CardReading]) -> bool:
    """Tell whether a doubtful outline that no index confirms is a bad one of the card that an index tells."""
    if card.confidence >= _PLAIN or card.outline_confidence >= _PLAIN or reading.confidence < _SURELY_OTHER:
        return False
    if any(other.card is not None and other.card == card.card for other in told):
        return False
    return _stands_on(index, card) and _share(reading, card) > _HALF


def _in_one_place(reading: CardReading, card: CardReading) -> bool:
    """Tell whether an index tells of a card in the place of an outline.

    The outline of a card that others cover, whose name is doubtful, may be too short.
    """
    if polygon_iou(reading.quad, card.quad) > _SAME_PLACE_IOU:
        return True
    inside = _share(reading, card) > _INSIDE
    return card.confidence < _SURELY_OTHER and inside and _lies_on(reading, card)


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


def _apart(index: Index, card: CardReading, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far an index is from where a card has its indices (4), as shares of the card's height."""
    return np.asarray(np.linalg.norm(places - index.place, axis=1) / quad_sides(card.quad)[1])


def _is_own(reading: CardReading, card: CardReading, apart: NDArray[np.float64], four: bool) -> bool:
    """Tell whether an index, so far `apart` from a known card's indices (see `_apart`), is that card's.

    One that surely bears another name is not, however near: the outline of two cards that lie almost on one
    another is often drawn through corners of both. Where cards have `four` indices the name of one at the
    other two corners tells nothing, for its frame is a wrong one.
    """
    framed = reading.confidence >= _SURELY_OTHER and _in_one_place(reading, card)
    if four and apart[2:].min() < _FOURTH_INDEX and not framed:
        return True
    if _is_misread(reading, card):
        return True
    if apart[:2].min() >= _OWN_INDEX:
        return False
    return reading.card is None or card.card in (None, reading.card) or reading.confidence < _SURELY_OTHER


def _is_beside(index: Index, reading: CardReading, card: CardReading) -> bool:
    """Tell whether an index without a sure name is a card's third or fourth."""
    apart = _apart(index, card, _index_places(card.quad))
    return reading.confidence < _SURELY_OTHER and bool(apart[2:].min() < _FOURTH_INDEX)


def _is_misread(reading: CardReading, card: CardReading) -> bool:
    """Tell whether an index is that of a card which lies in the same place, and is read more surely whole."""
    if card.card is None or reading.confidence >= card.confidence:
        return False
    least = _SAME_PLACE_IOU if reading.card is None else _HIDDEN_IOU
    return polygon_iou(reading.quad, card.quad) > least


def _owners(
    told: Sequence[tuple[Index, CardReading]],
    cards: Sequence[CardReading],
    beside: Sequence[Sequence[NDArray[np.float64]]],
    least: float,
) -> dict[int, int]:
    """Return the numbers of the known cards that own indices, by those of the indices: they bear one name.

    `beside` tells how far each index is from where each card has its own (see `_apart`): nearer than `least`.
    """
    owners = {}
    for number, ((_, reading), row) in enumerate(zip(told, beside, strict=True)):
        own = [k for k, card in enumerate(cards) if card.card is not None and card.card == reading.card]
        nearest = min(own, key=lambda k: float(row[k].min()), default=None)
        if nearest is not None and row[nearest].min() < least:
            owners[number] = nearest
    return owners


def _better_named(card: CardReading, told: CardReading) -> CardReading:
    """Return a card by the name that its own index tells, where that is the surer one.

    Of a card that others cover the whole shows less than its index does.
    """
    if (told.card is None and card.card is not None) or told.confidence <= card.confidence:
        return card
    return replace(card, card=told.card, confidence=told.confidence, alternatives=told.alternatives)


def _seen_twice(reading: CardReading, index: Index, other: CardReading) -> bool:
    """Tell whether a card told by its index is the same as another reading: both bear one name."""
    if reading.card is None or reading.card != other.card:
        return False
    return _stands_on(index, other, margin=_BESIDE_MM) or _share(reading, other) > _ONE_CARD


def _share(first: CardReading, second: CardReading) -> float:
    """Return how much of the smaller card, by the lengths of its sides, the other one shares."""
    smaller = min(quad_sides(quad)[0] * quad_sides(quad)[1] for quad in (first.quad, second.quad))
    return polygon_overlap(first.quad, second.quad) / smaller if smaller > 0 else 0.0


def _stands_on(index: Index, card: CardReading, margin: float = 0.0) -> bool:
    """Tell whether an index stands on a card, or no further from it than `margin` (mm)."""
    x, y = transform(np.asarray(np.linalg.inv(card_plane(card.quad)), np.float64), [index.place])[0]
    across = -margin < x < CARD_WIDTH_MM + margin
    return bool(across and -margin < y < CARD_HEIGHT_MM + margin)
