"""Rows of cards: cards that lie side by side, and the direction of a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from vision.geometry import wrap_angle
from vision.table.observations import Observation, angle_between

ROW_STEP_MM = 115.0
"""The greatest distance between the centres of neighbours in a row."""
_ROW_SKEW_MM = 40.0
_ROW_ANGLE_DEGREES = 25.0
OVERLAP_MM = 45.0
"""Cards of a row do not lie nearer to each other than this."""
_MOST_CARDS = 9
"""A group with more cards is a spread pack, and no row beside a fan."""
_BEHIND_DEGREES = 30.0
"""A row is behind another one if their directions from the middle of the table differ by less than this."""


def is_row(cards: Sequence[Observation], length: int | None) -> bool:
    """Return whether the number of cards fits a row; `length`: the required number (None: two or three)."""
    return len(cards) in (2, 3) if length is None else len(cards) == length


def find_rows(cards: Sequence[Observation], count: int | None, length: int | None) -> list[list[Observation]]:
    """Return the rows of a deal among up-cards; an empty list if there is no certain answer.

    Args:
        cards: The up-cards on the table.
        count: The required number of rows; None: at least two.
        length: The required length of a row; None: two or three.
    """
    for any_angle in (False, True):
        rows = equal_rows(group_rows(cards, any_angle=any_angle), count, length)
        if rows:
            return rows
    if count is None or length is None:
        return []
    return _rows_beside_fans(cards, count, length)


def _rows_beside_fans(cards: Sequence[Observation], count: int, length: int) -> list[list[Observation]]:
    """Return the rows of a deal, without the cards that players hold beside their rows, or behind them.

    The cards of a held fan overlap each other. The rest of it does not line up with the row.
    """
    apart = [
        card for card in cards if not any(card is not other and _overlap(card, other) for other in cards)
    ]
    groups = [group for group in group_rows(apart) if length <= len(group) <= _MOST_CARDS]
    rows = [_straightest(group, length) for group in groups]
    if len(rows) > count:
        middles = [middle_of(row) for row in rows]
        centre = mean_place(middles)
        rows = [
            row
            for row, place in zip(rows, middles, strict=True)
            if not any(_is_behind(place, other, centre) for other in middles)
        ]
    return rows if len(rows) == count else []


def _overlap(first: Observation, second: Observation) -> bool:
    return math.dist((first.x, first.y), (second.x, second.y)) < OVERLAP_MM


def _straightest(group: Sequence[Observation], length: int) -> list[Observation]:
    """Return the cards of a group that form the straightest and most even row of a length."""
    rows = [list(row) for row in combinations(group, length)]
    return min(rows, key=_unevenness)


def _unevenness(row: Sequence[Observation]) -> float:
    """Return how far cards are from equal distances on a line (mm), plus how far they turn (degrees)."""
    turn = math.radians(row_angle(row) + 90.0)
    ordered = sorted(row, key=lambda card: card.x * math.cos(turn) + card.y * math.sin(turn))
    first, last, steps = ordered[0], ordered[-1], max(len(ordered) - 1, 1)
    errors = (
        math.hypot(
            card.x - first.x - (last.x - first.x) * k / steps,
            card.y - first.y - (last.y - first.y) * k / steps,
        )
        for k, card in enumerate(ordered)
    )
    return sum(errors) + max(angle_between(first.angle, card.angle) for card in row)


def middle_of(row: Sequence[Observation]) -> tuple[float, float]:
    """Return the middle of a row's cards, mm."""
    return mean_place([(card.x, card.y) for card in row])


def mean_place(places: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the mean of several places."""
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def _is_behind(place: tuple[float, float], other: tuple[float, float], centre: tuple[float, float]) -> bool:
    """Return whether a place is farther from the centre than another one in about the same direction."""
    if math.dist(place, centre) <= math.dist(other, centre):
        return False
    first, second = (math.atan2(y - centre[1], x - centre[0]) for x, y in (place, other))
    return abs(wrap_angle(first - second)) < math.radians(_BEHIND_DEGREES)


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
