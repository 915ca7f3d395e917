"""Whose an index is: which of the cards that were outlined it belongs to, or that it tells of another one."""

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
    card_plane,
    on_card,
    polygon_iou,
    polygon_overlap,
    quad_sides,
    transform,
)
from vision.recognition.classifier import FaceReading
from vision.recognition.duplicate_indices import further_alike
from vision.recognition.index_finder import INDEX_MM, Index
from vision.types import CardReading, Quad, named_by_both, named_otherwise

_OWN_INDEX = 0.09
"""An index this near to where a known card has one, as a share of the card's height, is that card's."""
_FOURTH_INDEX = 0.16
"""Likewise where a deck with four indices has its third and fourth; what lies there tells the place badly."""
_FITS_BETTER = 0.05
"""Of two indices in one corner of an outline that one is its own whose card shares so much more with it."""
_SAME_CORNER = 0.35
"""Of two indices nearer than this to where a card has one, a card has but one."""
_MISPLACED = 0.25
"""So far off, likewise, may an index be told to stand."""
SURELY_OTHER = 0.85
"""An index named this surely is not that of a card that bears another name."""
_ONE_CARD = 0.35
"""Two readings of one card that share this much of the smaller quad are one card seen twice."""
_BESIDE_MM = 2.0
"""So far beside a card of its name an index may stand that is that card's: outlines are seldom exact."""
PLAIN = 0.9
"""A card that is named less surely than this may be two that lie almost on one another."""
_NEAR_IOU = 0.4
_SAME_PLACE_IOU = 0.65
_INSIDE = 0.85
"""Share of a doubtful outline's area that lies within the card which an index tells of, if they are one."""
_HALF = 0.5
"""Share of a poor outline that lies on the card it was drawn about."""
_HIDDEN_IOU = 0.8
"""Two cards of which this much lies in one place: of the lower one nothing could be read."""
_UPSIDE_DOWN = 0.95
"""Least cosine between a card's direction as one of its indices tells it and as the other does, turned."""
_OPPOSITE_SIZE, _UNEVEN = (0.8, 1.35), 0.17
"""How wide and long a card is from one index's corner to the other's, in sides that one of them tells; the
two shares differ by less than this: a card moved along or aside on its like makes one of them larger."""
Told = tuple[Index, CardReading]
"""An index, and the card that it tells of."""


class IndexOwners:
    """The cards of a picture that were outlined, and the indices that are given to them one by one."""

    def __init__(self, cards: Sequence[CardReading], told: Sequence[Told]) -> None:
        """Take over the cards, which `give` renames, and what all indices tell, surest name first."""
        self.cards, self._told = list(cards), list(told)
        self._readings = [reading for _, reading in told]
        places = [_index_places(card.quad) for card in cards]
        self._beside = [
            [_apart(index, card, at) for card, at in zip(cards, places, strict=True)] for index, _ in told
        ]
        self._four = False
        self._further: set[int] = set()
        self._named = [reading.card for reading in self._readings]
        self._several: set[str | None] = set()
        self._poor: set[int] = set()

    @property
    def may_have_four(self) -> bool:
        """Whether it matters if the deck has four indices: one lies where a card has its third or fourth."""
        doubtful = any(_is_beside(*pair, other) for pair in self._told for other in self._readings)
        return doubtful or any(apart[2:].min() < _FOURTH_INDEX for row in self._beside for apart in row)

    def decide(self, four: bool, packs: int, otherwise: Callable[[int], CardReading]) -> None:
        """Note whether the deck has `four` indices, and how often each card is there.

        `otherwise` returns what an index, by its number, tells if its card is not the one that it names.
        """
        self._four = four
        owners = _owners(self._told, self.cards, self._beside, least=_FOURTH_INDEX if four else _OWN_INDEX)
        just_there = {number for number, k in owners.items() if self._beside[number][k].min() < _OWN_INDEX}
        self._further = further_alike(self._told, owners, packs, surely_own=just_there)
        if packs == 1:
            # Of what cannot bear the name the rank counts; and an outline is off more often than a suit.
            further = further_alike(self._told, owners, 2, least=0.0, surely_own=owners) - self._further
            others = {number: otherwise(number) for number in further}
            misread = {number for number, other in others.items() if other.card != self._named[number]}
            for number in misread:  # not jokers: those have no suit
                self._told[number] = self._told[number][0], others[number]
            self._further |= misread
        self._readings = [reading for _, reading in self._told]
        self._several = {self._readings[number].card for number in self._further}
        if four:
            self._poor |= {k for k, card in enumerate(self.cards) if self._is_drawn_from_a_fourth(card)}

    def _is_drawn_from_a_fourth(self, card: CardReading) -> bool:
        """Tell whether a doubtful outline takes a surer card's third or fourth index for one of its own."""
        if card.card is None or card.outline_confidence >= PLAIN:
            return False
        places = _index_places(card.quad)[:2]
        return any(
            np.linalg.norm(at - place) < _FOURTH_INDEX * quad_sides(other.quad)[1]
            for other in self.cards
            if other.card == card.card and other.outline_confidence >= PLAIN
            for at in _index_places(other.quad)[2:]
            for place in places
        )

    def give(self, number: int) -> bool:
        """Give an index to the card it belongs to, which may be renamed by it; False if there is none."""
        index, reading = self._told[number]
        cards, row = self.cards, self._beside[number]
        own = [k for k, apart in enumerate(row) if _is_own(reading, cards[k], apart, self._four)]
        own = [k for k in own if not self._stands_elsewhere(k, number)]
        own = own or [k for k in range(len(row)) if self._is_misplaced(k, number)]
        twins = [k for k, other in enumerate(cards) if _seen_twice(reading, index, other)]
        if number in self._further:
            # No twin of the card that bears its name already, but perhaps that of an outline without one.
            own, twins = [k for k in own if cards[k].card not in (reading.card, self._named[number])], []
        if own:
            nearest = min(own, key=lambda k: float(row[k][:2].min()))
            card = cards[nearest]
            again = number in self._further or reading.card == likeliest(card)
            if again or (not self._four and not twins) or (self._four and in_one_place(reading, card)):
                cards[nearest] = _better_named(card, reading)
        elif twins and reading.card not in self._several:  # else it does not tell which of them it is
            cards[twins[0]] = max(cards[twins[0]], reading, key=lambda seen: seen.confidence)
        return bool(own or twins)

    def _stands_elsewhere(self, k: int, number: int) -> bool:
        """Tell whether the index that card `k` has in some corner is not this one, but surely one beside it.

        An outline is sometimes drawn about two cards, the lower of which shows no more than its rank.
        """
        index, reading = self._told[number]
        card, apart = self.cards[k], self._beside[number][k][:2]
        if card.card is None or reading.card == card.card or apart.min() >= _SAME_CORNER:
            return False
        corner = int(apart.argmin())
        own = [*self._own_in_corner(k, corner), *self._better_in_corner(k, corner, reading)]
        beside = _OWN_INDEX * quad_sides(card.quad)[1]
        return any(np.linalg.norm(other.place - index.place) >= beside for other in own)

    def _better_in_corner(self, k: int, corner: int, reading: CardReading) -> list[Index]:
        """Return the indices in a corner of card `k` that fit it better than the one of `reading`.

        None of those that surely bear another name.
        """
        card = self.cards[k]
        fits = polygon_iou(reading.quad, card.quad)
        return [
            index
            for (index, other), row in zip(self._told, self._beside, strict=True)
            if row[k][corner] < _OWN_INDEX
            and (other.card in (None, card.card) or other.confidence < SURELY_OTHER)
            and polygon_iou(other.quad, card.quad) > fits + _FITS_BETTER
        ]

    def _is_misplaced(self, k: int, number: int) -> bool:
        """Tell whether an index is the one that card `k` has in some corner, misplaced and its suit misread.

        The card is read surely and lies in that place, and no index of its name was found in that corner.
        """
        _, reading = self._told[number]
        card, apart = self.cards[k], self._beside[number][k][:2]
        if card.confidence < PLAIN or not _alike(reading, card):
            return False
        near = apart.min() < _MISPLACED and lies_on(reading, card)
        return bool(near) and not self._own_in_corner(k, int(apart.argmin()))

    def _own_in_corner(self, k: int, corner: int) -> list[Index]:
        """Return the indices in a corner of card `k` that surely bear its name."""
        return [
            index
            for (index, reading), row in zip(self._told, self._beside, strict=True)
            if reading.card == self.cards[k].card
            and reading.confidence >= SURELY_OTHER
            and row[k][corner] < _SAME_CORNER
        ]

    def told_apart(
        self, number: int, found: Sequence[CardReading], packs: int, threshold: float
    ) -> CardReading:
        """Return what an index tells that is no outlined card's, and take note of it.

        Where each card is there but once, one without a name is hardly a card that is surely seen elsewhere,
        outlined or `found`: what else it may be is named if it is then as likely as the `threshold`.
        """
        index, reading = self._told[number]
        several = copies(str(reading.card), packs) > 1
        if several or (reading.card is not None and number not in self._further):
            return reading
        surely = [c for c in (*self.cards, *found) if c.card is not None and c.confidence >= SURELY_OTHER]
        seen = all_copies_among((str(c.card) for c in surely), packs)
        if reading.card is None or reading.card in seen:
            reading = named_otherwise(reading, seen, threshold)
        self._told[number] = index, reading
        return reading

    def tells_of_another(self, number: int, found: Sequence[CardReading]) -> bool:
        """Tell whether an index that is none of the outlined cards' tells of one more than were `found`."""
        index, reading = self._told[number]
        new = number in self._further or not any(
            _seen_twice(reading, index, other) or (self._four and _is_beside(index, reading, other))
            for other in found
        )
        # Each end of a card that lies under another is told by an index of its own.
        ends = [told for told in self._told if any(told[1] is other for other in found)]
        new = new and not any(_is_other_end(index, reading, *told) for told in ends)
        if new:
            self._poor |= {
                k for k, card in enumerate(self.cards) if _is_poor(card, index, reading, self._readings)
            }
        return new

    @property
    def left(self) -> list[CardReading]:
        """The outlined cards without poor outlines of cards that indices told of."""
        return [card for k, card in enumerate(self.cards) if k not in self._poor]


def likeliest(name: FaceReading | CardReading) -> str | None:
    """Return the card that a reading names, or would name if it were surer; None where there is none."""
    return name.card or (name.alternatives[0][0] if name.alternatives else None)


def _is_poor(card: CardReading, index: Index, reading: CardReading, told: Sequence[CardReading]) -> bool:
    """Tell whether a doubtful outline that no index confirms is a bad one of the card that an index tells."""
    if card.confidence >= PLAIN or card.outline_confidence >= PLAIN or reading.confidence < SURELY_OTHER:
        return False
    if any(other.card is not None and other.card == card.card for other in told):
        return False
    return index_stands_on(index, card) and _share(reading, card) > _HALF


def _alike(reading: CardReading, card: CardReading) -> bool:
    """Tell whether two cards are named, and the names differ in nothing but the suit, of one colour."""
    if reading.card is None or card.card is None or reading.card == card.card:
        return False
    return rank_and_colour(reading.card) == rank_and_colour(card.card)


def in_one_place(reading: CardReading, card: CardReading) -> bool:
    """Tell whether an index tells of a card in the place of an outline.

    The outline of a card that others cover, whose name is doubtful, may be too short.
    """
    if polygon_iou(reading.quad, card.quad) > _SAME_PLACE_IOU:
        return True
    inside = _share(reading, card) > _INSIDE
    return card.confidence < SURELY_OTHER and inside and lies_on(reading, card)


def lies_on(reading: CardReading, card: CardReading) -> bool:
    """Tell whether two cards lie almost in one place."""
    return polygon_iou(reading.quad, card.quad) > _NEAR_IOU


def named_in_corners(card: CardReading, told: Sequence[Told]) -> list[CardReading]:
    """Return what the indices tell that lie where a card has its own: the surest name of each corner."""
    found: dict[int, CardReading] = {}
    places = _index_places(card.quad)
    for index, reading in told:  # surest name first
        apart = _apart(index, card, places)[:2]
        if reading.card is not None and apart.min() < _OWN_INDEX:
            found.setdefault(int(apart.argmin()), reading)
    return list(found.values())


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
    another is often drawn through corners of both. Where cards have `four` indices one at the other two
    corners tells a wrong place, and so little; what is plainly another rank is theirs only just there.
    """
    framed = reading.confidence >= SURELY_OTHER and in_one_place(reading, card)
    near = _OWN_INDEX if _differ_plainly(reading, card) else _FOURTH_INDEX
    if four and apart[2:].min() < near and not framed:
        return True
    if _is_misread(reading, card):
        return True
    if apart[:2].min() >= _OWN_INDEX:
        return False
    return reading.card is None or card.card in (None, reading.card) or reading.confidence < SURELY_OTHER


def _differ_plainly(reading: CardReading, card: CardReading) -> bool:
    """Tell whether two cards are plainly read to be of different ranks."""
    if reading.card is None or card.card is None or min(reading.confidence, card.confidence) < PLAIN:
        return False
    return reading.card[:-1] != card.card[:-1]


def _is_beside(index: Index, reading: CardReading, card: CardReading) -> bool:
    """Tell whether an index without a sure name is a card's third or fourth."""
    apart = _apart(index, card, _index_places(card.quad))
    return reading.confidence < SURELY_OTHER and bool(apart[2:].min() < _FOURTH_INDEX)


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
    First come those nearest to where it has its first two.
    """
    owned = []
    for number, ((_, reading), row) in enumerate(zip(told, beside, strict=True)):
        own = [k for k, card in enumerate(cards) if card.card is not None and card.card == reading.card]
        nearest = min(own, key=lambda k: float(row[k].min()), default=None)
        if nearest is not None and row[nearest].min() < least:
            owned.append((float(row[nearest][:2].min()), number, nearest))
    return {number: nearest for _, number, nearest in sorted(owned)}


def _better_named(card: CardReading, told: CardReading) -> CardReading:
    """Return a card by the name that its own index tells, where that is the surer one.

    Of a card that others cover the whole shows less than its index does. Where no more than the suit is told
    otherwise, and the card is outlined doubtfully, both count: it may have been cut out in a wrong place.
    """
    if _alike(told, card) and told.confidence <= card.confidence and card.outline_confidence < PLAIN:
        return named_by_both(card, told)
    if (told.card is None and card.card is not None) or told.confidence <= card.confidence:
        return card
    return replace(card, card=told.card, confidence=told.confidence, alternatives=told.alternatives)


def _seen_twice(reading: CardReading, index: Index, other: CardReading) -> bool:
    """Tell whether a card told by its index is the same as another reading: both bear one name."""
    if reading.card is None or reading.card != other.card:
        return False
    return index_stands_on(index, other, margin=_BESIDE_MM) or _share(reading, other) > _ONE_CARD


def _is_other_end(index: Index, reading: CardReading, other: Index, surer: CardReading) -> bool:
    """Tell whether an index is the second one of a card that another index tells of, its suit misread.

    Then its corner is the card's opposite one, but for the length by which that index told the card wrongly.
    """
    if reading.confidence >= PLAIN or not _alike(reading, surer):
        return False
    down, upside_down = index.quad[3] - index.quad[0], other.quad[0] - other.quad[3]
    cosine = float(down @ upside_down) / float(np.linalg.norm(down) * np.linalg.norm(upside_down))
    sides = np.stack([other.quad[1] - other.quad[0], other.quad[3] - other.quad[0]], axis=1)
    across, along = np.linalg.solve(sides.astype(np.float64), index.quad[0] - other.quad[0])
    as_large = _OPPOSITE_SIZE[0] < min(across, along) and max(across, along) < _OPPOSITE_SIZE[1]
    return cosine > _UPSIDE_DOWN and bool(as_large) and abs(float(across - along)) < _UNEVEN


def _share(first: CardReading, second: CardReading) -> float:
    """Return how much of the smaller card, by the lengths of its sides, the other one shares."""
    smaller = min(quad_sides(quad)[0] * quad_sides(quad)[1] for quad in (first.quad, second.quad))
    return polygon_overlap(first.quad, second.quad) / smaller if smaller > 0 else 0.0


def index_stands_on(index: Index, card: CardReading, margin: float = 0.0) -> bool:
    """Tell whether an index stands on a card, or no further from it than `margin` (mm)."""
    return bool(on_card(card.quad, [index.place], margin)[0])
