"""How cards on the pile lie to one another, as outlines tell: in one place, hidden, or two ends of one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.table.observations import Observation, angle_between, covers, distance_to_card, index_centres

_IN_PLACE_MM, _IN_PLACE_DEGREES = 12.0, 10.0
_SAME_CARD_MM, _SAME_CARD_DEGREES = 9.0, 8.0
"""So little a card that is read twice seems to have moved, under a hand or just after one."""
_REACHES_MM = 29.0
"""A card that ends no farther from the middle of another one lies over a good part of it."""
_END_OUT_MM, _END_ASIDE_MM, _END_DEGREES = 20.0, 8.0, 12.0
"""So far off a card's place, along it and aside, and so far turned, each of its two ends may be drawn."""
_OUT_MM = 3.0
"""A card that is drawn no farther out than this is drawn whole."""
_BOTH_ENDS_DEGREES = 18.0
"""So far turned from one another both may be drawn."""


def in_place(known: Observation, seen: Observation) -> bool:
    """Tell whether a card lies where one is known to lie, as far as outlines can be trusted."""
    return known.is_at(seen, _IN_PLACE_MM, _IN_PLACE_DEGREES)


def same_card(first: Observation, second: Observation) -> bool:
    """Tell whether two readings, a moment apart, are of one card that lies there, whatever they name it."""
    return first.is_at(second, _SAME_CARD_MM, _SAME_CARD_DEGREES)


def hide(upper: Sequence[Observation], lower: Sequence[Observation], off: float = 0.0) -> bool:
    """Tell whether cards hide every index of lower ones; their outlines may miss it by `off` mm."""
    return all(any(covers(card, at, off) for card in upper) for place in lower for at in index_centres(place))


def hides_part(upper: Observation, lower: Observation) -> bool:
    """Tell whether a card, if it lies upon another one, hides an index of that."""
    return any(covers(upper, at) for at in index_centres(lower))


def lie_over(cards: Sequence[Observation], pile: tuple[float, float]) -> bool:
    """Tell whether a face-up card lies over a part of the uppermost card of a face-down pile at a place."""
    return any(card.face == "up" and covers(card, pile, _REACHES_MM) for card in cards)


def nearest(cards: Sequence[Observation], pile: tuple[float, float], farthest: float) -> float:
    """Return how far (mm) the face-up card nearest to a place ends from it; no more than `farthest`."""
    gaps = (distance_to_card(card, pile) for card in cards if card.face == "up")
    return min((*gaps, farthest))


def are_two_ends(card: Observation, first: Observation, second: Observation) -> bool:
    """Tell whether two readings are of the two ends of a card that lies under another, across it.

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


def show_on_both_sides(upper: Observation, first: Observation, second: Observation) -> bool:
    """Tell whether two readings may be of the two ends of a card that lies just under another one.

    What is seen of it is outlined as a card on either side of the upper one, in the same direction.
    """
    middle = (first.x + second.x) / 2, (first.y + second.y) / 2
    apart = math.dist((first.x, first.y), (second.x, second.y))
    return (
        math.dist(middle, (upper.x, upper.y)) <= _IN_PLACE_MM
        and apart <= 2 * _END_OUT_MM
        and angle_between(first.angle, second.angle) <= _BOTH_ENDS_DEGREES
    )
