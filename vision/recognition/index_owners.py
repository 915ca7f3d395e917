"""Assigning indices to cards: each index belongs to a card with an outline, or shows one more card.

Distances between an index and the place where a card has one are shares of the card's height.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.cards import all_copies_among, copies
from vision.decks.card_classes import rank_and_colour
from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    card_homography,
    intersection_area,
    lie_on_card,
    polygon_iou,
    quad_size,
    transform_points,
)
from vision.recognition.classifier import Classification
from vision.recognition.duplicate_indices import find_duplicate_cards
from vision.recognition.index_detector import INDEX_CENTRE_MM, IndexDetection
from vision.types import CardReading, Quad, average_names, discount_seen_cards, open_suits

_OWN_INDEX_DISTANCE = 0.09
"""An index nearer than this to where a card has one belongs to that card."""
_FOURTH_INDEX_DISTANCE = 0.16
"""The same for the third and fourth index of some decks, which predict the place of their card badly."""
_BETTER_FIT_IOU = 0.05
"""If two indices lie in one corner of an outline, the one that fits better by this IoU is its own."""
_SAME_CORNER_DISTANCE = 0.35
"""Within this distance of a corner's place, a card has only one index."""
_MISPLACED_DISTANCE = 0.25
"""Largest error of an index's place."""
SURE_INDEX_P = 0.85
"""An index with this probability of its name does not belong to a card with another name."""
_SAME_CARD_SHARE = 0.35
"""Two readings with one name are one card if they share this much of the smaller quad."""
_MARGIN_MM = 2.0
"""An index may lie this far beside its card, because outlines are seldom exact."""
SURE_CARD_P = 0.9
"""A card with less probability of its name may be two cards that lie almost exactly on each other."""
_LIKELY_P = 0.5
"""A name with less probability is a guess."""
_NEAR_IOU = 0.4
"""IoU of two cards that lie almost in the same place."""
_SAME_PLACE_IOU = 0.65
"""IoU of two cards that lie in the same place."""
_INSIDE_SHARE = 0.85
"""Share of a doubtful outline inside the card of an index, if they are the same card."""
_POOR_OUTLINE_SHARE = 0.5
"""Share of a poor outline that lies on the card around which it was drawn."""
_HIDDEN_IOU = 0.8
"""IoU from which nothing of the lower one of two cards could be read."""
_MIN_TURNED_COSINE = 0.95
"""Least cosine between a card's directions by its two indices, one of them turned by half a turn."""
_OPPOSITE_CORNER_RANGE, _MAX_UNEVENNESS = (0.8, 1.35), 0.17
"""Range of the distance between opposite corners, relative to the sides that one index predicts, and the
largest difference of its two parts. If a card lies shifted on an identical one, one part is larger."""
IndexReading = tuple[IndexDetection, CardReading]
"""An index, and the reading of the card that it shows."""


class IndexOwners:
    """The cards of an image that have outlines, to which indices are assigned one by one."""

    def __init__(self, cards: Sequence[CardReading], index_readings: Sequence[IndexReading]) -> None:
        """Take the cards, which `assign` may rename, and all index readings, surest name first."""
        self.cards, self._index_readings = list(cards), list(index_readings)
        self._readings = [reading for _, reading in index_readings]
        places = [_index_places(card.quad) for card in cards]
        self._distances = [
            [_distances_to_indices(index, card, at) for card, at in zip(cards, places, strict=True)]
            for index, _ in index_readings
        ]
        self._has_four_indices = False
        self._duplicates: set[int] = set()
        self._named = [reading.card for reading in self._readings]
        self._duplicate_names: set[str | None] = set()
        self._poor_outlines: set[int] = set()

    @property
    def fourth_index_matters(self) -> bool:
        """Whether an index lies in the third or fourth corner of a card."""
        doubtful = any(
            _is_third_or_fourth(*pair, other) for pair in self._index_readings for other in self._readings
        )
        return doubtful or any(
            apart[2:].min() < _FOURTH_INDEX_DISTANCE for row in self._distances for apart in row
        )

    def prepare(self, has_four_indices: bool, packs: int, otherwise: Callable[[int], CardReading]) -> None:
        """Set whether the deck has indices in all four corners, and how many packs there are.

        Args:
            has_four_indices: Whether it has.
            packs: How many packs are in play.
            otherwise: Returns the reading of an index, by its number, if its card cannot have the name.
        """
        self._has_four_indices = has_four_indices
        owners = _find_owners(
            self._index_readings,
            self.cards,
            self._distances,
            max_distance=_FOURTH_INDEX_DISTANCE if has_four_indices else _OWN_INDEX_DISTANCE,
        )
        just_there = {
            number for number, k in owners.items() if self._distances[number][k].min() < _OWN_INDEX_DISTANCE
        }
        self._duplicates = find_duplicate_cards(
            self._index_readings, owners, packs, exactly_placed=just_there
        )
        if packs == 1:
            # The rank of a card that cannot bear the name is still right, and outlines are wrong more often
            # than suits.
            further = find_duplicate_cards(
                self._index_readings, owners, 2, min_confidence=0.0, exactly_placed=owners
            )
            others = {number: otherwise(number) for number in further - self._duplicates}
            misread = {number for number, other in others.items() if other.card != self._named[number]}
            for number in misread:  # not jokers, which have no suit
                self._index_readings[number] = self._index_readings[number][0], others[number]
            self._duplicates |= misread
        self._readings = [reading for _, reading in self._index_readings]
        self._duplicate_names = {self._readings[number].card for number in self._duplicates}
        if has_four_indices:
            self._poor_outlines |= {
                k for k, card in enumerate(self.cards) if self._is_drawn_from_fourth_index(card)
            }

    def _is_drawn_from_fourth_index(self, card: CardReading) -> bool:
        """Return whether a doubtful outline uses a surer card's third or fourth index as one of its own."""
        if card.card is None or card.detection_confidence >= SURE_CARD_P:
            return False
        places = _index_places(card.quad)[:2]
        return any(
            np.linalg.norm(at - place) < _FOURTH_INDEX_DISTANCE * quad_size(other.quad)[1]
            for other in self.cards
            if other.card == card.card and other.detection_confidence >= SURE_CARD_P
            for at in _index_places(other.quad)[2:]
            for place in places
        )

    def assign(self, number: int) -> bool:
        """Assign an index to its card, which it may rename; return False if no card owns it."""
        index, reading = self._index_readings[number]
        cards, row = self.cards, self._distances[number]
        own = [
            k
            for k, apart in enumerate(row)
            if _is_own_index(reading, cards[k], apart, self._has_four_indices)
        ]
        own = [k for k in own if not self._has_own_index_beside(k, number)]
        own = own or [k for k in range(len(row)) if self._is_misplaced(k, number)]
        twins = [k for k, other in enumerate(cards) if _is_same_card(reading, index, other)]
        if number in self._duplicates:
            # It belongs to no card with that name, but perhaps to an outline without a name.
            own, twins = [k for k in own if cards[k].card not in (reading.card, self._named[number])], []
        if own:
            nearest = min(own, key=lambda k: float(row[k][:2].min()))
            card = cards[nearest]
            again = number in self._duplicates or reading.card == most_likely_card(card)
            if (
                again
                or (not self._has_four_indices and not twins)
                or (self._has_four_indices and is_same_place(reading, card))
            ):
                cards[nearest] = _with_better_name(card, reading)
        elif twins and reading.card is not None and reading.card not in self._duplicate_names:
            # A name that two cards bear may belong to either of them.
            cards[twins[0]] = max(cards[twins[0]], reading, key=lambda seen: seen.confidence)
        return bool(own or twins)

    def _has_own_index_beside(self, k: int, number: int) -> bool:
        """Return whether card `k` surely has another index in that corner, beside this one.

        Some outlines include two cards, and the lower one shows only its rank.
        """
        index, reading = self._index_readings[number]
        card, apart = self.cards[k], self._distances[number][k][:2]
        if card.card is None or reading.card == card.card or apart.min() >= _SAME_CORNER_DISTANCE:
            return False
        corner = int(apart.argmin())
        own = [*self._own_in_corner(k, corner), *self._better_in_corner(k, corner, reading)]
        distances = _OWN_INDEX_DISTANCE * quad_size(card.quad)[1]
        return any(np.linalg.norm(other.centre - index.centre) >= distances for other in own)

    def _better_in_corner(self, k: int, corner: int, reading: CardReading) -> list[IndexDetection]:
        """Return the indices in a corner of card `k` that fit it better than the index of `reading`.

        Indices that surely bear another name are left out.
        """
        card = self.cards[k]
        fits = polygon_iou(reading.quad, card.quad)
        return [
            index
            for (index, other), row in zip(self._index_readings, self._distances, strict=True)
            if row[k][corner] < _OWN_INDEX_DISTANCE
            and (other.card in (None, card.card) or other.confidence < SURE_INDEX_P)
            and polygon_iou(other.quad, card.quad) > fits + _BETTER_FIT_IOU
        ]

    def _is_misplaced(self, k: int, number: int) -> bool:
        """Return whether an index belongs to card `k`, but is misplaced, and its suit misread.

        The card is read surely and lies in that place, and no index with its name was found in that corner.
        """
        _, reading = self._index_readings[number]
        card, apart = self.cards[k], self._distances[number][k][:2]
        if card.confidence < SURE_CARD_P or not _differ_in_suit_only(reading, card):
            return False
        near = apart.min() < _MISPLACED_DISTANCE and is_nearly_same_place(reading, card)
        return bool(near) and not self._own_in_corner(k, int(apart.argmin()))

    def _own_in_corner(self, k: int, corner: int) -> list[IndexDetection]:
        """Return the indices in a corner of card `k` that surely bear its name."""
        return [
            index
            for (index, reading), row in zip(self._index_readings, self._distances, strict=True)
            if reading.card == self.cards[k].card
            and reading.confidence >= SURE_INDEX_P
            and row[k][corner] < _SAME_CORNER_DISTANCE
        ]

    def name_new_card(
        self, number: int, found: Sequence[CardReading], packs: int, threshold: float
    ) -> CardReading:
        """Return the reading of an index that belongs to no outlined card, and remember it.

        With one pack, a card without a sure name is probably none that was surely seen elsewhere. Its
        probabilities are weighed again, and it is named from `threshold` on.
        """
        index, reading = self._index_readings[number]
        several = copies(str(reading.card), packs) > 1
        if several or (reading.card is not None and number not in self._duplicates):
            return reading
        surely = [c for c in (*self.cards, *found) if c.card is not None and c.confidence >= SURE_INDEX_P]
        seen = all_copies_among((str(c.card) for c in surely), packs)
        if reading.card is None or reading.card in seen:
            reading = discount_seen_cards(reading, seen, threshold)
        self._index_readings[number] = index, reading
        return reading

    def join_ends(self, number: int, found: list[CardReading]) -> bool:
        """Join an index to the card in `found` that has it at its other end; return whether there is one.

        A sure end names the card. If both are doubtful, both count.
        """
        index, reading = self._index_readings[number]
        for k, (other, surer) in enumerate(self._index_readings[:number]):
            place = next((place for place, card in enumerate(found) if card is surer), None)
            if place is None or not _is_other_end(index, reading, other, surer):
                continue
            if surer.confidence < SURE_CARD_P:
                found[place] = average_names(surer, reading)
                self._index_readings[k] = other, found[place]
            return True
        return False

    def is_new_card(self, number: int, found: Sequence[CardReading]) -> bool:
        """Return whether an index without an owner shows one more card than those in `found`."""
        index, reading = self._index_readings[number]
        new = number in self._duplicates or not any(
            _is_same_card(reading, index, other)
            or (self._has_four_indices and _is_third_or_fourth(index, reading, other))
            for other in found
        )
        if new:
            self._poor_outlines |= {
                k
                for k, card in enumerate(self.cards)
                if _is_poor_outline(card, index, reading, self._readings)
            }
        return new

    @property
    def remaining_cards(self) -> list[CardReading]:
        """The outlined cards, without poor outlines of cards that indices show."""
        return [card for k, card in enumerate(self.cards) if k not in self._poor_outlines]


def most_likely_card(name: Classification | CardReading) -> str | None:
    """Return the most probable card of a reading, whether or not it is named; None if there is none."""
    return name.card or (name.alternatives[0][0] if name.alternatives else None)


def _is_poor_outline(
    card: CardReading, index: IndexDetection, reading: CardReading, readings: Sequence[CardReading]
) -> bool:
    """Return whether a doubtful outline without an index of its name is a bad outline of the index's card."""
    if (
        card.confidence >= SURE_CARD_P
        or card.detection_confidence >= SURE_CARD_P
        or reading.confidence < SURE_INDEX_P
    ):
        return False
    if any(other.card is not None and other.card == card.card for other in readings):
        return False
    return index_lies_on(index, card) and _overlap_share(reading, card) > _POOR_OUTLINE_SHARE


def _differ_in_suit_only(reading: CardReading, card: CardReading) -> bool:
    """Return whether two cards have different names of the same rank and colour."""
    if reading.card is None or card.card is None or reading.card == card.card:
        return False
    return rank_and_colour(reading.card) == rank_and_colour(card.card)


def is_same_place(reading: CardReading, card: CardReading) -> bool:
    """Return whether the card of an index lies in the place of an outline.

    The outline of a covered card with a doubtful name may be too short.
    """
    if polygon_iou(reading.quad, card.quad) > _SAME_PLACE_IOU:
        return True
    inside = _overlap_share(reading, card) > _INSIDE_SHARE
    return card.confidence < SURE_INDEX_P and inside and is_nearly_same_place(reading, card)


def is_nearly_same_place(reading: CardReading, card: CardReading) -> bool:
    """Return whether two cards lie almost in the same place."""
    return polygon_iou(reading.quad, card.quad) > _NEAR_IOU


def corner_readings(card: CardReading, index_readings: Sequence[IndexReading]) -> list[CardReading]:
    """Return the readings of indices in a card's own two corners: the surest name of each corner."""
    found: dict[int, CardReading] = {}
    places = _index_places(card.quad)
    for index, reading in index_readings:  # surest name first
        apart = _distances_to_indices(index, card, places)[:2]
        if reading.card is not None and apart.min() < _OWN_INDEX_DISTANCE:
            found.setdefault(int(apart.argmin()), reading)
    return list(found.values())


def _index_places(quad: Quad) -> NDArray[np.float64]:
    """Return the places of a card's two indices, then of the other two on some decks (4 x 2 px)."""
    (x, y), w, h = INDEX_CENTRE_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM
    return transform_points(card_homography(quad), [[x, y], [w - x, h - y], [w - x, y], [x, h - y]])


def _distances_to_indices(
    index: IndexDetection, card: CardReading, places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distances (4) from an index to the places of a card's indices."""
    return np.asarray(np.linalg.norm(places - index.centre, axis=1) / quad_size(card.quad)[1])


def _is_own_index(
    reading: CardReading, card: CardReading, apart: NDArray[np.float64], has_four_indices: bool
) -> bool:
    """Return whether an index belongs to a known card, given its distances (4) to the card's indices.

    An index that surely bears another name does not. If two cards lie almost exactly on each other, an
    outline often passes through corners of both. With four indices, one in the third or fourth corner
    predicts the card's place badly. If it plainly has another rank, it must lie exactly in that corner.
    """
    framed = reading.confidence >= SURE_INDEX_P and is_same_place(reading, card)
    near = _OWN_INDEX_DISTANCE if _differ_plainly(reading, card) else _FOURTH_INDEX_DISTANCE
    if has_four_indices and apart[2:].min() < near and not framed:
        return True
    if _is_misread_index(reading, card):
        return True
    if apart[:2].min() >= _OWN_INDEX_DISTANCE:
        return False
    return reading.card is None or card.card in (None, reading.card) or reading.confidence < SURE_INDEX_P


def _differ_plainly(reading: CardReading, card: CardReading) -> bool:
    """Return whether two cards were surely read with different ranks."""
    if reading.card is None or card.card is None or min(reading.confidence, card.confidence) < SURE_CARD_P:
        return False
    return reading.card[:-1] != card.card[:-1]


def _is_third_or_fourth(index: IndexDetection, reading: CardReading, card: CardReading) -> bool:
    """Return whether an index without a sure name is a card's third or fourth."""
    if reading.confidence >= SURE_INDEX_P:
        return False
    apart = _distances_to_indices(index, card, _index_places(card.quad))
    return bool(apart[2:].min() < _FOURTH_INDEX_DISTANCE)


def _is_misread_index(reading: CardReading, card: CardReading) -> bool:
    """Return whether an index is a misreading of a card in the same place that was read more surely."""
    if card.card is None or reading.confidence >= card.confidence:
        return False
    max_distance = _SAME_PLACE_IOU if reading.card is None else _HIDDEN_IOU
    return polygon_iou(reading.quad, card.quad) > max_distance


def _find_owners(
    index_readings: Sequence[tuple[IndexDetection, CardReading]],
    cards: Sequence[CardReading],
    distances: Sequence[Sequence[NDArray[np.float64]]],
    max_distance: float,
) -> dict[int, int]:
    """Return, for indices by number, the number of the known card with that name to which each belongs.

    Those nearest to the card's own two indices come first.

    Args:
        index_readings: The indices.
        cards: The known cards.
        distances: For each index and card: the distances (4) to the card's indices.
        max_distance: Largest distance of an index from its place.
    """
    owned = []
    for number, ((_, reading), row) in enumerate(zip(index_readings, distances, strict=True)):
        own = [k for k, card in enumerate(cards) if card.card is not None and card.card == reading.card]
        nearest = min(own, key=lambda k: float(row[k].min()), default=None)
        if nearest is not None and row[nearest].min() < max_distance:
            owned.append((float(row[nearest][:2].min()), number, nearest))
    return {number: nearest for _, number, nearest in sorted(owned)}


def _with_better_name(card: CardReading, by_index: CardReading) -> CardReading:
    """Return a card with the name that its own index shows, if that name is surer.

    A covered card shows less than its index. If only the suit differs, and the outline is doubtful, both
    readings count, because the outline may be wrong.
    """
    if (
        _differ_in_suit_only(by_index, card)
        and by_index.confidence <= card.confidence
        and card.detection_confidence < SURE_CARD_P
    ):
        return average_names(card, by_index)
    if (by_index.card is None and card.card is not None) or by_index.confidence <= card.confidence:
        return card
    return replace(
        card, card=by_index.card, confidence=by_index.confidence, alternatives=by_index.alternatives
    )


def _is_same_card(reading: CardReading, index: IndexDetection, other: CardReading) -> bool:
    """Return whether the card of an index is a card that was already read with the same name.

    If the suit of the index is open, its card is one that has either name, or is open as well.
    """
    if reading.card is None:
        open_ = open_suits(reading)
        return most_likely_card(other) in open_ and index_lies_on(index, other, margin=_MARGIN_MM)
    if reading.card != other.card:
        return False
    return index_lies_on(index, other, margin=_MARGIN_MM) or _overlap_share(reading, other) > _SAME_CARD_SHARE


def _is_other_end(
    index: IndexDetection, reading: CardReading, other: IndexDetection, surer: CardReading
) -> bool:
    """Return whether an index is the second index of a card that another index shows, with its suit misread.

    The colour may be misread too if the index is a guess, or if neither is read surely. The index's corner is
    then the opposite corner of that card, apart from the error of the predicted size.
    """
    name = most_likely_card(reading)
    if name is None or surer.card is None or name[:-1] != surer.card[:-1] or name == surer.card:
        return False
    sure = surer.confidence >= SURE_CARD_P and rank_and_colour(name) != rank_and_colour(surer.card)
    if reading.confidence >= (_LIKELY_P if sure else SURE_CARD_P):
        return False
    down, upside_down = index.quad[3] - index.quad[0], other.quad[0] - other.quad[3]
    cosine = float(down @ upside_down) / float(np.linalg.norm(down) * np.linalg.norm(upside_down))
    sides = np.stack([other.quad[1] - other.quad[0], other.quad[3] - other.quad[0]], axis=1)
    across, along = np.linalg.solve(sides.astype(np.float64), index.quad[0] - other.quad[0])
    as_large = (
        _OPPOSITE_CORNER_RANGE[0] < min(across, along) and max(across, along) < _OPPOSITE_CORNER_RANGE[1]
    )
    return cosine > _MIN_TURNED_COSINE and bool(as_large) and abs(float(across - along)) < _MAX_UNEVENNESS


def _overlap_share(first: CardReading, second: CardReading) -> float:
    """Return the overlap of two cards as a share of the smaller one, by the lengths of its sides."""
    smaller = min(quad_size(quad)[0] * quad_size(quad)[1] for quad in (first.quad, second.quad))
    return intersection_area(first.quad, second.quad) / smaller if smaller > 0 else 0.0


def index_lies_on(index: IndexDetection, card: CardReading, margin: float = 0.0) -> bool:
    """Return whether an index lies on a card, or at most `margin` mm beside it."""
    return bool(lie_on_card(card.quad, [index.centre], margin)[0])
