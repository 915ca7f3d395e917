"""Cards that other cards cover except for an index: finding and naming them by that index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import (
    CARD_WIDTH_MM,
    corner_distance,
    intersection_area,
    quad_size,
    upright_card_height,
)
from vision.recognition.classifier import CardClassifier, Classification
from vision.recognition.index_detector import INDEX_CENTRE_MM, IndexDetection, IndexDetector
from vision.recognition.index_owners import (
    SURE_CARD_P,
    SURE_INDEX_P,
    IndexOwners,
    is_nearly_same_place,
    most_likely_card,
)
from vision.recognition.ink import InkColours, certain_cards
from vision.recognition.mixed_outlines import is_mixed_outline
from vision.recognition.outline_refinement import edge_support
from vision.recognition.overlap_prefilter import card_sticks_out
from vision.types import CardReading, Image, Quad, Region

_SEARCH_MARGIN = 0.75
"""Margin around known cards that is searched, as a share of a card's height."""
_NEIGHBOUR_GAP = 0.35
"""Cards are neighbours if the gap between them is less than this share of their height."""
_FOUR_INDEX_SAMPLES = 4
"""Number of cards, the surest ones, that are checked for indices in all four corners."""
_REPEATED_NAME_P, _MIN_REPEATED_NAMES = 0.4, 2
"""A card's name, read with this probability in another corner, suggests four indices. This many such cards
prove it."""
_SAME_INDEX_DISTANCE = 0.1
"""Two indices nearer than this share of the card's height are one index."""
_UNNAMED_INDEX_P = 0.85
"""An index without a name counts only if it is detected with this confidence."""
_OVERLAP_SHARE = 0.1
"""A card is crowded if it shares this much of its area with another."""
_MISPLACED_DISTANCE = 0.08
"""An outline is replaced by the index's prediction if they differ by this share of the card's height."""
_MIN_HEIGHT_SAMPLES, _ODD_LOG_SIZE = 5, 0.4
"""The height of other cards is fitted if there are this many. Cards whose log size differs by more than the
second value from the median are left out."""
_MAX_HEIGHT_RATIO = 2.0
"""Neighbours differ in height by less than this factor."""


class OcclusionResolver:
    """Corrects overlapping cards by their indices, and adds cards that show only an index."""

    def __init__(self, classifier: CardClassifier, detector: IndexDetector | None = None) -> None:
        """Use a classifier, and an index detector; None: the one with the weights that ship."""
        self._classifier, self._detector = classifier, detector or IndexDetector()

    def resolve(
        self,
        image: Image,
        known: Sequence[CardReading],
        regions: Sequence[Region] | None = None,
        packs: int = 1,
        ends: Sequence[IndexDetection] = (),
        inks: InkColours | None = None,
    ) -> list[CardReading]:
        """Return the known cards, corrected, followed by cards that show only an index, surest name first.

        If cards overlap, an index shows better than an outline which card it is and how it lies.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            known: The cards read by their outlines.
            regions: Parts of the image to search for indices; None: around all cards that do not plainly lie
                alone.
            packs: How many packs are in play.
            ends: Indices that are already known from outlines.
            inks: The colours of ink, if they are known.
        """
        cards = [reading for reading in known if reading.face == "up"]
        indices = _with_protruding_ends(self._indices(image, known, regions), ends, regions)
        names = self._read_indices(image, indices, cards, inks)
        index_readings = [(index, reading) for index, reading, _ in names]
        if not index_readings:
            return list(known)
        readings = [reading for _, reading in index_readings]
        cards = [
            _moved_to_index(image, card, readings)
            for card in cards
            if not is_mixed_outline(card, cards, index_readings)
        ]
        owners = IndexOwners(cards, index_readings)
        # Reading the other corners takes time, and matters only if an index lies in one of them.
        has_four_indices = owners.fourth_index_matters and self._has_four_indices(image, cards)
        owners.prepare(has_four_indices, packs, lambda number: self._with_another_suit(*names[number]))
        found: list[CardReading] = []
        for number in range(len(index_readings)):
            if owners.assign(number):
                continue
            reading = owners.name_new_card(number, found, packs, self._classifier.fusion.index_threshold)
            if not owners.join_ends(number, found) and owners.is_new_card(number, found):
                found.append(reading)
        return [*(reading for reading in known if reading.face == "down"), *owners.remaining_cards, *found]

    def _indices(
        self, image: Image, known: Sequence[CardReading], regions: Sequence[Region] | None
    ) -> list[IndexDetection]:
        """Return the indices in `regions`; None: in and around cards that do not plainly lie alone."""
        quads = [reading.quad for reading in known]
        near = [r for r in known if r.face == "up" and _is_within(r.quad, regions)]
        searched = [
            r
            for r in near
            if regions is not None
            or r.confidence < SURE_CARD_P
            or _is_crowded(image, r.quad, [q for q in quads if q is not r.quad])
        ]
        indices: list[IndexDetection] = []
        for group in group_neighbours(searched):
            height = _height_near(group, known)
            points = np.concatenate([reading.quad for reading in group])
            low, high = (
                points.min(axis=0) - _SEARCH_MARGIN * height,
                points.max(axis=0) + _SEARCH_MARGIN * height,
            )
            indices += self._detector.detect(image, height, (*low.tolist(), *high.tolist()))
        # Cards without an outline, such as white on white, may still show their indices.
        heights = [quad_size(r.quad)[1] for r in known if r.face == "up"]
        for region in regions or ():
            if heights and not any(_is_within(r.quad, [region]) for r in near):
                indices += self._detector.detect(image, float(np.median(heights)), region)
        return indices

    def _read_indices(
        self,
        image: Image,
        indices: Sequence[IndexDetection],
        known: Sequence[CardReading],
        inks: InkColours | None,
    ) -> list[tuple[IndexDetection, CardReading, Classification]]:
        """Return index, reading and classification of the cards that indices show, surest name first.

        `inks` help to tell red from black; None: the ink of `known` cards does.
        """
        if not indices:
            return []
        quads = [index.quad for index in indices]
        names = self._classifier.classify_indices(image, quads, certain_cards(known), inks=inks)
        pairs = sorted(zip(indices, names, strict=True), key=lambda pair: -pair[1].confidence)
        readings = [(index, _reading(index, name), name) for index, name in pairs]
        return [(index, reading, name) for index, reading, name in readings if reading is not None]

    def _with_another_suit(
        self, index: IndexDetection, reading: CardReading, name: Classification
    ) -> CardReading:
        """Return the reading of an index whose card cannot have the name that was read."""
        return _reading(index, name.with_another_suit(self._classifier.fusion.index_threshold)) or reading

    def _has_four_indices(self, image: Image, cards: Sequence[CardReading]) -> bool:
        """Return whether the deck has indices in all four corners."""
        sure = sorted(cards, key=lambda card: -card.confidence if card.card else 0.0)[:_FOUR_INDEX_SAMPLES]
        corners = [(card.card, _beside_top_right(quad)) for card in sure for quad in _both_ways(card.quad)]
        names = self._classifier.classify_indices(image, [quad for _, quad in corners], index_only=True)
        again = {
            card: name.confidence
            for (card, _), name in zip(corners, names, strict=True)
            if card is not None and most_likely_card(name) == card and name.confidence >= _REPEATED_NAME_P
        }
        return len(again) >= _MIN_REPEATED_NAMES or any(p >= SURE_INDEX_P for p in again.values())


def _both_ways(quad: Quad) -> tuple[Quad, Quad]:
    """Return a quad, and the same quad turned by half a turn."""
    return quad, np.roll(quad, 2, axis=0)


def _beside_top_right(quad: Quad) -> Quad:
    """Return the quad of a card whose first index would be this card's top right one."""
    shift = (quad[1] - quad[0]) * np.float32(1 - 2 * INDEX_CENTRE_MM[0] / CARD_WIDTH_MM)
    return np.asarray(quad + shift, np.float32)


def _reading(index: IndexDetection, name: Classification) -> CardReading | None:
    """Return the reading of the card that an index shows; None if there is too little evidence."""
    if name.card is None and (index.confidence < _UNNAMED_INDEX_P or name.is_blank):
        return None
    return CardReading(index.quad, "up", index.confidence, name.card, name.confidence, name.alternatives)


def _with_protruding_ends(
    indices: Sequence[IndexDetection], ends: Sequence[IndexDetection], regions: Sequence[Region] | None
) -> list[IndexDetection]:
    """Return the indices with those from outlines in `regions`, which predict better how their card lies."""
    found = list(indices)
    for end in ends:
        if not _is_within(end.quad, regions):
            continue
        near = _SAME_INDEX_DISTANCE * quad_size(end.quad)[1]
        apart = [float(np.linalg.norm(index.centre - end.centre)) for index in found]
        same = [index.confidence for index, way in zip(found, apart, strict=True) if way < near]
        found = [index for index, way in zip(found, apart, strict=True) if way >= near]
        found.append(replace(end, confidence=max([end.confidence, *same])))
    return found


def _is_crowded(image: Image, quad: Quad, others: Sequence[Quad]) -> bool:
    """Return whether a card overlaps others, or something sticks out from under it."""
    width, height = quad_size(quad)
    overlaps = any(intersection_area(quad, other) > _OVERLAP_SHARE * width * height for other in others)
    return overlaps or card_sticks_out(image, quad, others)


def _moved_to_index(image: Image, card: CardReading, readings: Sequence[CardReading]) -> CardReading:
    """Return a card with the quad that its own index predicts, if its outline is far off.

    This needs another card in almost the same place, because the outline of a card that lies free is better
    than its index. The new quad must also lie on clearer edges.
    """
    if not any(reading.card != card.card and is_nearly_same_place(reading, card) for reading in readings):
        return card
    own = [
        reading
        for reading in readings
        if reading.card is not None and reading.card == card.card and is_nearly_same_place(reading, card)
    ]
    if not own:
        return card
    apart = min(float(corner_distance([reading.quad], card.quad)[0]) for reading in own)
    if apart <= _MISPLACED_DISTANCE * quad_size(card.quad)[1]:
        return card
    as_found, as_indexed = edge_support(image, [card.quad, own[0].quad])
    return replace(card, quad=own[0].quad) if as_indexed >= as_found else card


def _is_within(quad: Quad, regions: Sequence[Region] | None) -> bool:
    """Return whether the centre of a quad lies in one of the regions; None stands for the whole image."""
    x, y = quad.mean(axis=0)
    return regions is None or any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def group_neighbours(cards: Sequence[CardReading]) -> list[list[CardReading]]:
    """Return the cards in groups of neighbours of similar size."""
    groups: list[list[CardReading]] = []
    for card in cards:
        joined = [group for group in groups if any(_are_neighbours(card.quad, other.quad) for other in group)]
        groups = [group for group in groups if not any(group is one for one in joined)]
        groups.append([card, *(member for group in joined for member in group)])
    return groups


def _height_near(group: Sequence[CardReading], known: Sequence[CardReading]) -> float:
    """Return the approximate height of cards where a group lies, in pixels.

    An outline in a group may include several cards. So the height comes from the other cards in the image, if
    enough of them are surely named. Their size varies linearly over the image of a table seen at an angle.
    """
    middle = np.mean([reading.quad.mean(axis=0) for reading in group], axis=0)
    plain = (r for r in known if r.card is not None and r.confidence >= SURE_CARD_P)
    free = [r.quad for r in plain if not any(r is other for other in group)]
    if len(free) < _MIN_HEIGHT_SAMPLES:
        return float(np.median([quad_size(reading.quad)[1] for reading in group]))
    sizes = np.log([max(upright_card_height(quad), 1.0) for quad in free])
    offsets = np.column_stack([np.ones(len(free)), [quad.mean(axis=0) - middle for quad in free]])
    usual = np.abs(sizes - np.median(sizes)) < _ODD_LOG_SIZE
    fitted, *_ = np.linalg.lstsq(offsets[usual], sizes[usual], rcond=None)
    return float(np.exp(np.clip(fitted[0], sizes[usual].min(), sizes[usual].max())))


def _are_neighbours(first: Quad, second: Quad) -> bool:
    """Return whether two quads lie close together and have a similar size."""
    heights = quad_size(first)[1], quad_size(second)[1]
    if max(heights) > _MAX_HEIGHT_RATIO * min(heights):
        return False
    gap = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    return bool(gap.max() < _NEIGHBOUR_GAP * max(heights))
