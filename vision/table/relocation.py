"""A known layout looked for again: in mid-game, after the camera or the table has been moved.

Seats and piles are known in millimetres, and so are the cards that lie there now; between the two there is
one shift and one turn. The pair of places and pair of cards are sought whose shift and turn bring most places
onto a card. Where the cards lie alike from several sides, their names tell which player sits where.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import wrap_angle
from vision.plane import Matrix, Points, TablePlane, fit_plane
from vision.table.layout import Layout, Place, Seat
from vision.table.observations import Observation
from vision.types import CardReading

KnownUpCards = Mapping[str, Collection[str]]
"""The face-up cards that lie before each player, as far as is known."""

_HIT_MM, _UNMOVED_MM = 22.0, 8.0
"""A card so far from a place lies there; where they lie that near (median), nothing has moved."""
_MIN_HITS, _MIN_HIT_SHARE = 4, 0.5
"""So many places, and such a share of them, must have a card: fewer may be chance."""
_MIN_UNMOVED_HITS, _MAX_ELSEWHERE_SHARE = 2, 0.2
"""Where nothing has moved so many suffice, if no larger share of the cards lies where none may."""
_MIN_BASELINE_MM, _BASELINE_TOLERANCE_MM = 150.0, 12.0
"""Two places this far apart fix shift and turn; two cards may be those whose distance is the same."""
_MAX_UNNAMED_DEGREES = 45.0
"""How far the camera may have been turned where no name tells who sits where."""
_DISTINCT_DEGREES, _DISTINCT_MM = 15.0, 40.0
"""Shifts and turns that differ by more are two answers, not one."""
_SURE_NAME_P = 0.9
_NAME_WEIGHT = 2
_MIN_SCORE_MARGIN = 1
"""So much better than any other must the answer be."""
_MIN_UP_CARDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Hypothesis:
    """Where the layout may be: what brings its places onto the cards, and how well that goes."""

    turn: float
    """Radians."""
    shift: Points
    """Of the layout's middle, mm."""
    score: int
    hits: NDArray[np.intp]
    """The card at each place; -1 where there is none."""


def plane_in_mid_game(readings: Sequence[CardReading], width: int, height: int) -> TablePlane | None:
    """Return the table's plane as the cards in one picture tell it; face-down ones where few lie open."""
    up = [reading.quad for reading in readings if reading.face == "up"]
    quads = up if len(up) >= _MIN_UP_CARDS else [reading.quad for reading in readings]
    return fit_plane(quads, width, height)


def is_unmoved(layout: Layout, cards: Sequence[Observation], known: KnownUpCards) -> bool:
    """Tell whether the cards, seen through the layout's own plane, still lie where it has them.

    Late in a game few do: then nearly all that are seen must lie where a card may.
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
    """Return the layout as it lies in another view, or None where it is not to be found for certain.

    Args:
        layout: Where seats and piles were, in a view of its own.
        cards: What lies on the table now, in millimetres of `plane`.
        plane: The table's plane in the new view.
        width: Of the new view's pictures, pixels.
        height: The same.
        known: Names that tell who sits where.
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
    """Return a layout with the play and the burn pile of an earlier one, as they lay to the players' rows.

    The rows need not have moved as one: shift and turn are those that fit them best.
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
    """Tell whether some card lies before the player it is known of, and none before another."""
    places, seats = _places(layout)
    hits = _hits(places, cards)
    right, wrong = _count_named(hits, seats, cards, known, layout)
    return right > 0 and wrong == 0


def _places(layout: Layout) -> tuple[Points, list[int]]:
    """Return where cards lie from the deal on (N x 2 mm), and whose each place is (-1: nobody's)."""
    places = [(spot, index) for index, seat in enumerate(layout.seats) for spot in seat.row]
    places += [(pile, -1) for pile in (layout.draw, layout.play) if pile is not None]
    return np.array([place for place, _ in places], np.float64), [seat for _, seat in places]


def _centres(cards: Sequence[Observation]) -> Points:
    return np.array([(card.x, card.y) for card in cards], np.float64).reshape(-1, 2)


def _candidate_motions(places: Points, cards: Sequence[Observation]) -> list[tuple[float, Points]]:
    """Return turns (radians) and shifts (mm) that bring two places onto two cards."""
    centres, found = _centres(cards), []
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1)
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            along = places[j] - places[i]
            length = float(np.linalg.norm(along))
            if length < _MIN_BASELINE_MM:
                continue
            for a, b in np.argwhere(np.abs(apart - length) < _BASELINE_TOLERANCE_MM):
                there = centres[b] - centres[a]
                turn = wrap_angle(math.atan2(there[1], there[0]) - math.atan2(along[1], along[0]))
                middle = (places[i] + places[j]) / 2
                shift = (centres[a] + centres[b]) / 2 - middle @ _rotation(turn).T
                found.append((turn, shift))
    return found


def _rotation(turn: float) -> Matrix:
    return np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])


def _hits(places: Points, cards: Sequence[Observation]) -> NDArray[np.intp]:
    """Return the card at each place, -1 where there is none."""
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
    """Return how well a turn and a shift bring the places onto the cards.

    None where names speak against it, or nothing speaks for so large a turn.
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
    """Return how many cards lie before the player they are known of, and how many before another."""
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
    """Return turn, its middle and the shift that bring places nearest to where they are (least squares)."""
    middle, goal = places.mean(axis=0), there.mean(axis=0)
    one, other = places - middle, there - goal
    turn = math.atan2(
        float((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum()), float((one * other).sum())
    )
    return turn, middle, goal


def _moved_layout(
    layout: Layout, plane: TablePlane, width: int, height: int, turn: float, middle: Points, goal: Points
) -> Layout:
    """Return the layout turned about `middle`, which comes to lie at `goal`, on another plane."""
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
