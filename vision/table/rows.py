"""Rows of cards: which lie side by side, and which way they lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from vision.table.observations import Observation, angle_between

ROW_STEP_MM = 115.0
"""Neighbours in a row lie closer than this, centre to centre."""
_ROW_SKEW_MM = 40.0
_ROW_ANGLE_DEGREES = 25.0


def is_row(cards: Sequence[Observation], length: int | None) -> bool:
    """Tell whether so many cards are a row; `length`: how many it must have (None: two or three)."""
    return len(cards) in (2, 3) if length is None else len(cards) == length


def equal_rows(
    groups: Sequence[list[Observation]], count: int | None, length: int | None
) -> list[list[Observation]]:
    """Return the groups that are rows, if they are as many and as long as they must be; else none."""
    rows = [row for row in groups if is_row(row, length)]
    equal = len(rows) >= 2 and len({len(row) for row in rows}) == 1 and count in (None, len(rows))
    return rows if equal else []


def group_rows(cards: Sequence[Observation], *, any_angle: bool = False) -> list[list[Observation]]:
    """Return cards in groups of such as lie side by side.

    `any_turn`: whichever way they are turned: of an ace that lies askew on its down-card the sides may be
    taken for one another.
    """
    groups: list[list[Observation]] = []
    for card in cards:
        joined = [group for group in groups if any(_side_by_side(card, other, any_angle) for other in group)]
        for group in joined:
            groups.remove(group)
        groups.append([card, *(other for group in joined for other in group)])
    return groups


def _side_by_side(first: Observation, second: Observation, any_turn: bool) -> bool:
    if any_turn:
        return _is_beside(first, second) or _is_beside(second, first)
    return angle_between(first.angle, second.angle) <= _ROW_ANGLE_DEGREES and _is_beside(first, second)


def _is_beside(first: Observation, second: Observation) -> bool:
    """Tell whether the second card lies where the first one's neighbour in a row does."""
    dx, dy = second.x - first.x, second.y - first.y
    turn = math.radians(first.angle)
    along = dx * math.cos(turn) + dy * math.sin(turn)
    return abs(along) < _ROW_SKEW_MM and math.hypot(dx, dy) < ROW_STEP_MM


def row_angle(row: Sequence[Observation]) -> float:
    """Return which way a row's cards lie, degrees.

    Where their sides are taken for one another, seen from aside, the row tells: they lie across it.
    """
    angles = [card.angle for card in row]
    if all(angle_between(angles[0], angle) <= _ROW_ANGLE_DEGREES for angle in angles):
        return _mean_angle(angles)
    ways = [(last.x - first.x, last.y - first.y) for first, last in combinations(row, 2)]
    x, y = max(ways, key=lambda way: math.hypot(*way))
    return math.degrees(math.atan2(y, x)) + 90.0


def _mean_angle(angles: Sequence[float]) -> float:
    """Return the mean direction of undirected lines, degrees."""
    x = sum(math.cos(math.radians(2 * a)) for a in angles)
    y = sum(math.sin(math.radians(2 * a)) for a in angles)
    return math.degrees(math.atan2(y, x)) / 2
