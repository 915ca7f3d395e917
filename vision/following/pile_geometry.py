"""How cards on the pile lie relative to one another: in one place, hidden, or two ends of one card."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.table.observations import Observation, angle_between, covers, distance_to_card, index_centres

OFF_MM = 5.0
"""Outlines may be off by this much when one card just hides another's index."""
_IN_PLACE_MM, _IN_PLACE_DEGREES = 12.0, 10.0
"""Two outlines of a card that lies still differ at most this much."""
_ROUGH_MM, _ROUGH_DEGREES = 25.0, 25.0
"""The outline of a card that shows little, as under a hand, may be off by this much."""
_SAME_CARD_MM, _SAME_CARD_DEGREES = 9.0, 8.0
"""A card that is read twice, under a hand or just after one, seems to have moved at most this much."""
_REACHES_MM = 29.0
"""A card whose edge is this near to the middle of another covers a good part of it."""
_END_OUT_MM, _END_ASIDE_MM, _END_DEGREES = 20.0, 8.0, 12.0
"""Each of a card's two ends may be drawn this far off its place, along and across it, and turned this far."""
_OUT_MM = 3.0
"""An outline no farther out than this shows the whole card."""
_BOTH_ENDS_DEGREES = 18.0
"""The outlines of both ends may be turned this far from one another."""


def in_place(known: Observation, seen: Observation) -> bool:
    """Return whether a card lies where one is known to lie, as precisely as outlines can show."""
    return known.is_at(seen, _IN_PLACE_MM, _IN_PLACE_DEGREES)


def roughly_at(known: Observation, seen: Observation) -> bool:
    """Return whether two readings may be of one card, if at least one shows too little of it."""
    return known.is_at(seen, _ROUGH_MM, _ROUGH_DEGREES)


def same_card(first: Observation, second: Observation) -> bool:
    """Return whether two readings, a moment apart, are of one card that lies there, whatever its name."""
    return first.is_at(second, _SAME_CARD_MM, _SAME_CARD_DEGREES)


def is_read_as(seen: Observation, name: str | None, place: Observation, least: float) -> bool:
    """Return whether a reading names a card, at least so surely, exactly in its place."""
    return seen.best[0] == name and seen.best[1] >= least and same_card(place, seen)


def hide(upper: Sequence[Observation], lower: Sequence[Observation], off: float = 0.0) -> bool:
    """Return whether cards hide every index of lower ones; their outlines may miss it by `off` mm."""
    return all(any(covers(card, at, off) for card in upper) for place in lower for at in index_centres(place))


def hides_part(upper: Observation, lower: Observation) -> bool:
    """Return whether a card hides an index of another, if it lies on it."""
    return any(covers(upper, at) for at in index_centres(lower))


def lie_over(cards: Sequence[Observation], pile: tuple[float, float]) -> bool:
    """Return whether a face-up card covers a part of a face-down pile's top card."""
    return any(card.face == "up" and covers(card, pile, _REACHES_MM) for card in cards)


def nearest(cards: Sequence[Observation], pile: tuple[float, float], farthest: float) -> float:
    """Return how far (mm) the edge of the nearest face-up card is from a place, at most `farthest`."""
    gaps = (distance_to_card(card, pile) for card in cards if card.face == "up")
    return min((*gaps, farthest))


def are_two_ends(card: Observation, first: Observation, second: Observation) -> bool:
    """Return whether two readings are the two ends of a card that lies under another, across it.

    Each is drawn too far out, along the card, and on its own side.
    """
    turn = math.radians(card.angle)
    offsets = []
    for end in (first, second):
        x, y = end.x - card.x, end.y - card.y
        along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
        if angle_between(card.angle, end.angle) > _END_DEGREES or abs(across) > _END_ASIDE_MM:
            return False
        offsets.append(along)
    out = [abs(along) for along in offsets]
    return offsets[0] * offsets[1] < 0 and max(out) <= _END_OUT_MM and min(out) > _OUT_MM


def may_be_end(card: Observation, seen: Observation) -> bool:
    """Return whether a reading may be a partly hidden card, which is drawn a little off its place."""
    return card.is_at(seen, _END_OUT_MM, _END_DEGREES)


def show_on_both_sides(upper: Observation, first: Observation, second: Observation) -> bool:
    """Return whether two readings may be the two ends of a card that lies just under another.

    Its visible parts are outlined as a card on either side of the upper one, in the same direction.
    """
    middle = (first.x + second.x) / 2, (first.y + second.y) / 2
    apart = math.dist(first.place, second.place)
    return (
        math.dist(middle, upper.place) <= _IN_PLACE_MM
        and apart <= 2 * _END_OUT_MM
        and angle_between(first.angle, second.angle) <= _BOTH_ENDS_DEGREES
    )
