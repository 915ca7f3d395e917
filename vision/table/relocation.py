"""Relocation: finding a known layout again in mid-game, after the camera or the table has moved.

The places of the layout and of the cards are known in mm. They differ by one shift and one turn. Each pair of
places and pair of cards gives a candidate, and the candidate that brings most places onto cards is chosen. If
the cards look similar from several sides, their names decide where each player sits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.geometry import wrap_angle
from vision.plane import Matrix, Points, TablePlane, fit_plane
from vision.table.layout import Layout, Place, Seat
from vision.table.observations import Observation
from vision.types import CardReading

KnownUpCards = Mapping[str, Collection[str]]
"""By player: the known face-up cards."""

_HIT_MM, _UNMOVED_MM = 22.0, 8.0
"""The greatest distance of a card from its place, and the greatest median distance if nothing has moved."""
_MIN_HITS, _MIN_HIT_SHARE = 4, 0.5
"""The least number and the least share of places with a card: fewer may be chance."""
_MIN_UNMOVED_HITS, _MAX_ELSEWHERE_SHARE = 2, 0.2
"""For an unmoved layout: the least number of places with cards, and the greatest share of cards elsewhere."""
_MIN_BASELINE_MM, _BASELINE_TOLERANCE_MM = 150.0, 12.0
"""The least distance of two places, and its greatest difference from the distance of their two cards."""
_MAX_UNNAMED_DEGREES = 45.0
"""The greatest turn of the camera if no name shows where a player sits."""
_DISTINCT_DEGREES, _DISTINCT_MM = 15.0, 40.0
"""Hypotheses that differ by a greater turn or shift are distinct."""
_SURE_NAME_P = 0.9
_NAME_WEIGHT = 2
_MIN_SCORE_MARGIN = 1
"""The best hypothesis must exceed the scores of distinct ones by more than this."""
_MIN_UP_CARDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Hypothesis:
    """A possible motion of the layout, and how well it brings the places onto the cards."""

    turn: float
    """The turn about the origin, in radians."""
    shift: Points
    """The shift after the turn (2), in mm."""
    score: int
    hits: NDArray[np.intp]
    """The index of the card at each place; -1: no card."""


def plane_in_mid_game(readings: Sequence[CardReading], width: int, height: int) -> TablePlane | None:
    """Return the plane of the table from the face-up cards of one picture, or from all if few lie face up.

    The result is None if no sensible plane fits. `width` and `height` are those of the picture, in pixels.
    """
    up = [reading.quad for reading in readings if reading.face == "up"]
    quads = up if len(up) >= _MIN_UP_CARDS else [reading.quad for reading in readings]
    return fit_plane(quads, width, height)


def is_unmoved(layout: Layout, cards: Sequence[Observation], known: KnownUpCards) -> bool:
    """Return whether the cards still lie at the places of the layout, measured in the layout's own plane.

    Late in a game few places have cards. Then almost all cards must lie in a zone of the layout.

    Args:
        layout: The layout.
        cards: The cards on the table.
        known: The face-up cards that each player is known to have.
    """
    places, seats = _places(layout)
    there = _score(places, seats, cards, known, layout, 0.0, np.zeros(2)) if cards else None
    if there is None:
        return False
    on = there.hits >= 0
    ways = np.linalg.norm(places[on] - _centres(cards)[there.hits[on]], axis=1)
    if len(ways) < _MIN_UNMOVED_HITS or np.median(ways) > _UNMOVED_MM:
        return False
    elsewhere = sum(layout.zone_at(card.x, card.y) is None for card in cards)
    return _is_enough(there, len(places)) or elsewhere <= _MAX_ELSEWHERE_SHARE * len(cards)


def relocate_layout(
    layout: Layout,
    cards: Sequence[Observation],
    plane: TablePlane,
    width: int,
    height: int,
    known: KnownUpCards,
) -> Layout | None:
    """Return the layout in another view, or None if it cannot be found with certainty.

    Args:
        layout: The layout in the earlier view.
        cards: The cards on the table now, in mm of `plane`.
        plane: The plane of the table in the new view.
        width: The width of the new pictures, in pixels.
        height: Their height.
        known: The face-up cards that each player is known to have.
    """
    places, seats = _places(layout)
    answers = [
        answer
        for turn, shift in _candidate_motions(places, cards)
        if (answer := _score(places, seats, cards, known, layout, turn, shift)) is not None
    ]
    best = max(answers, key=lambda answer: answer.score, default=None)
    if best is None or not _is_enough(best, len(places)):
        return None
    if any(answer.score >= best.score - _MIN_SCORE_MARGIN and _differ(answer, best) for answer in answers):
        return None
    on = best.hits >= 0
    turn, middle, shift = _fit_motion(places[on], _centres(cards)[best.hits[on]])
    return _moved_layout(layout, plane, width, height, turn, middle, shift)


def with_earlier_piles(before: Layout, layout: Layout) -> Layout:
    """Return a layout with the play and burn piles of an earlier one, placed relative to the rows.

    The rows may have moved differently, so the turn and the shift that fit them best are used.
    """
    rows = {seat.player: seat.centre for seat in layout.seats}
    places, there = [], []
    for seat in before.seats:
        if seat.player in rows:
            places.append(seat.centre)
            there.append(rows[seat.player])
    if len(places) < _MIN_UNMOVED_HITS:
        return layout
    turn, middle, goal = _fit_motion(np.array(places, np.float64), np.array(there, np.float64))
    as_before = _moved_layout(before, layout.plane, layout.width, layout.height, turn, middle, goal)
    return replace(layout, play=as_before.play, burn=as_before.burn)


def names_agree(layout: Layout, cards: Sequence[Observation], known: KnownUpCards) -> bool:
    """Return whether at least one known card lies before its player, and none before another player."""
    places, seats = _places(layout)
    hits = _hits(places, cards)
    right, wrong = _count_named(hits, seats, cards, known, layout)
    return right > 0 and wrong == 0


def _places(layout: Layout) -> tuple[Points, list[int]]:
    """Return the places of cards (N x 2 mm), and the index of the seat of each place (-1: a pile)."""
    places = [(spot, index) for index, seat in enumerate(layout.seats) for spot in seat.row]
    places += [(pile, -1) for pile in (layout.draw, layout.play) if pile is not None]
    return np.array([place for place, _ in places], np.float64), [seat for _, seat in places]


def _centres(cards: Sequence[Observation]) -> Points:
    return np.array([(card.x, card.y) for card in cards], np.float64).reshape(-1, 2)


def _candidate_motions(places: Points, cards: Sequence[Observation]) -> list[tuple[float, Points]]:
    """Return the turns (radians) and shifts (mm) that bring two places onto two cards."""
    centres, found = _centres(cards), []
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1)
    for first, second in combinations(places, 2):
        along = second - first
        length = float(np.linalg.norm(along))
        if length < _MIN_BASELINE_MM:
            continue
        for a, b in np.argwhere(np.abs(apart - length) < _BASELINE_TOLERANCE_MM):
            there = centres[b] - centres[a]
            turn = wrap_angle(math.atan2(there[1], there[0]) - math.atan2(along[1], along[0]))
            middle = (first + second) / 2
            shift = (centres[a] + centres[b]) / 2 - middle @ _rotation(turn).T
            found.append((turn, shift))
    return found


def _rotation(turn: float) -> Matrix:
    return np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])


def _hits(places: Points, cards: Sequence[Observation]) -> NDArray[np.intp]:
    """Return the index of the card at each place; -1: no card."""
    apart = np.linalg.norm(places[:, None] - _centres(cards)[None], axis=-1)
    nearest = apart.argmin(axis=1)
    return np.where(apart[np.arange(len(places)), nearest] <= _HIT_MM, nearest, -1)


def _score(
    places: Points,
    seats: Sequence[int],
    cards: Sequence[Observation],
    known: KnownUpCards,
    layout: Layout,
    turn: float,
    shift: Points,
) -> _Hypothesis | None:
    """Return the hypothesis of a turn and a shift with its score.

    None if more names contradict it than support it, or if no name supports a large turn.
    """
    hits = _hits(places @ _rotation(turn).T + shift, cards)
    right, wrong = _count_named(hits, seats, cards, known, layout)
    if wrong > right or (right == wrong and abs(turn) > math.radians(_MAX_UNNAMED_DEGREES)):
        return None
    return _Hypothesis(turn, shift, int((hits >= 0).sum()) + _NAME_WEIGHT * (right - wrong), hits)


def _count_named(
    hits: NDArray[np.intp],
    seats: Sequence[int],
    cards: Sequence[Observation],
    known: KnownUpCards,
    layout: Layout,
) -> tuple[int, int]:
    """Return how many known cards lie before their own player, and how many before another player."""
    owner = {card: player for player, names in known.items() for card in names}
    right = wrong = 0
    for hit, seat in zip(hits, seats, strict=True):
        name, p = cards[hit].best if hit >= 0 else (None, 0.0)
        if seat >= 0 and p >= _SURE_NAME_P and name in owner:
            if owner[name] == layout.seats[seat].player:
                right += 1
            else:
                wrong += 1
    return right, wrong


def _is_enough(answer: _Hypothesis, places: int) -> bool:
    hits = int((answer.hits >= 0).sum())
    return hits >= max(_MIN_HITS, _MIN_HIT_SHARE * places)


def _differ(one: _Hypothesis, other: _Hypothesis) -> bool:
    turn = abs(wrap_angle(one.turn - other.turn))
    far = float(np.linalg.norm(one.shift - other.shift)) > _DISTINCT_MM
    return turn > math.radians(_DISTINCT_DEGREES) or far


def _fit_motion(places: Points, there: Points) -> tuple[float, Points, Points]:
    """Return the turn, its centre and the new place of that centre that fit places best (least squares)."""
    middle, goal = places.mean(axis=0), there.mean(axis=0)
    one, other = places - middle, there - goal
    turn = math.atan2(
        float((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum()), float((one * other).sum())
    )
    return turn, middle, goal


def _moved_layout(
    layout: Layout, plane: TablePlane, width: int, height: int, turn: float, middle: Points, goal: Points
) -> Layout:
    """Return the layout on another plane, turned about `middle`, with `middle` moved to `goal`."""
    rotation = _rotation(turn)

    def place(old: Place | None) -> Place | None:
        if old is None:
            return None
        x, y = (np.array(old) - middle) @ rotation.T + goal
        return float(x), float(y)

    def seat(old: Seat) -> Seat:
        facing = rotation @ np.array(old.facing)
        row = tuple(spot for old_spot in old.row if (spot := place(old_spot)) is not None)
        return replace(old, row=row, facing=(float(facing[0]), float(facing[1])))

    seats = tuple(seat(old) for old in layout.seats)
    piles = {"draw": place(layout.draw), "play": place(layout.play), "burn": place(layout.burn)}
    return Layout(plane, width, height, seats, **piles)
