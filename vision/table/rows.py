"""Rows of cards: cards that lie side by side, and the direction of a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from vision.table.observations import Observation, angle_between

ROW_STEP_MM = 115.0
"""The greatest distance between the centres of neighbours in a row."""
_ROW_SKEW_MM = 40.0
_ROW_ANGLE_DEGREES = 25.0


def is_row(cards: Sequence[Observation], length: int | None) -> bool:
    """Return whether the number of cards fits a row; `length`: the required number (None: two or three)."""
    return len(cards) in (2, 3) if length is None else len(cards) == length


def equal_rows(
    groups: Sequence[list[Observation]], count: int | None, length: int | None
) -> list[list[Observation]]:
    """Return the groups that are rows, if they have equal lengths and the right number; else an empty list.

    Args:
        groups: Groups of cards that lie side by side.
        count: The required number of rows; None: at least two.
        length: The required length of a row; None: two or three.
    """
    rows = [row for row in groups if is_row(row, length)]
    equal = len(rows) >= 2 and len({len(row) for row in rows}) == 1 and count in (None, len(rows))
    return rows if equal else []


def group_rows(cards: Sequence[Observation], *, any_angle: bool = False) -> list[list[Observation]]:
    """Return the cards in groups that lie side by side.

    With `any_angle`, the cards may be turned in any way. An ace that lies obliquely on its down-card may be
    read with its long and short sides exchanged.
    """
    groups: list[list[Observation]] = []
    for card in cards:
        joined = [group for group in groups if any(_side_by_side(card, other, any_angle) for other in group)]
        for group in joined:
            groups.remove(group)
        groups.append([card, *(other for group in joined for other in group)])
    return groups


def _side_by_side(first: Observation, second: Observation, any_angle: bool) -> bool:
    if any_angle:
        return _is_beside(first, second) or _is_beside(second, first)
    return angle_between(first.angle, second.angle) <= _ROW_ANGLE_DEGREES and _is_beside(first, second)


def _is_beside(first: Observation, second: Observation) -> bool:
    """Return whether the second card lies at the place of a neighbour of the first card in a row."""
    dx, dy = second.x - first.x, second.y - first.y
    turn = math.radians(first.angle)
    along = dx * math.cos(turn) + dy * math.sin(turn)
    return abs(along) < _ROW_SKEW_MM and math.hypot(dx, dy) < ROW_STEP_MM


def row_angle(row: Sequence[Observation]) -> float:
    """Return the direction of the long sides of a row's cards, in degrees.

    If the reader has exchanged the sides of some cards, the direction is at a right angle to the row.
    """
    angles = [card.angle for card in row]
    if all(angle_between(angles[0], angle) <= _ROW_ANGLE_DEGREES for angle in angles):
        return _mean_angle(angles)
    ways = [(last.x - first.x, last.y - first.y) for first, last in combinations(row, 2)]
    x, y = max(ways, key=lambda way: math.hypot(*way))
    return math.degrees(math.atan2(y, x)) + 90.0


def _mean_angle(angles: Sequence[float]) -> float:
    """Return the mean direction of undirected lines, in degrees."""
    x = sum(math.cos(math.radians(2 * a)) for a in angles)
    y = sum(math.sin(math.radians(2 * a)) for a in angles)
    return math.degrees(math.atan2(y, x)) / 2
