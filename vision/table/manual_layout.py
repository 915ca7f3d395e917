"""Places that a person shows on the picture: a layout made of taps, or one in which a place is put right.

A finger shows a place roughly; the cards that are read near it tell it exactly. Where none are read, a row's
spots lie evenly across the direction to its player.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.errors import BadInputError
from vision.plane import TablePlane
from vision.table.layout import DRAW, Layout, Place, Seat, Zone, facing_outwards, mean_place
from vision.table.observations import Observation, observe
from vision.table.relocation import plane_in_mid_game, with_earlier_piles
from vision.table.rows import ROW_STEP_MM
from vision.types import CardReading

_MIN_PLAYERS = 2
"""So many sit at a table at least."""
_MIN_ROW_LENGTH, _DEFAULT_ROW_LENGTH, _DEFAULT_STEP_MM = 2, 3, 75.0
_MIN_STEP_MM = 50.0
"""Cards of a row whose middles are nearer to one another lie on one spot."""
_MAX_ROW_OFFSET_MM = 70.0
"""A card of a row lies at most so far before or behind the place that was shown, seen from its player."""
_SAME_SPOT_MM = 35.0
"""An up-card and what else is read so near lie on one spot."""
_SNAP_MM = 45.0
"""A pile that was shown so near to a face-down card is that card's."""
_MAX_PILE_SHIFT_MM = 120.0
"""A play pile lies at most so far from where it lay to the rows: they may have moved each for itself."""
_MIN_DISTANCE_MM = 60.0
"""Nothing has its middle so near to another's."""
_MAX_TABLE_MM = 5000.0
"""No table reaches farther from the middle of the picture."""


@dataclass(frozen=True, slots=True)
class TappedPlaces:
    """What a person has tapped, in pixels of the picture."""

    rows: Sequence[Place]
    """The middle of each player's row, in the order of the players."""
    draw: Place | None
    """The draw pile; None: there is none."""


def layout_from_taps(
    taps: TappedPlaces,
    readings: Sequence[CardReading],
    players: Sequence[str] | None,
    row_length: int | None,
    width: int,
    height: int,
    before: Layout | None = None,
) -> Layout:
    """Return the layout of a table on which the places were tapped.

    Args:
        taps: What was tapped.
        readings: The cards read in the same picture; the table's plane follows from them.
        players: Who sits there, in the order in which the rows were tapped; None: they are numbered.
        row_length: How many spots a row has; None: as many as cards are read there, else three.
        width: Of the picture, pixels.
        height: The same.
        before: Where a game lay that goes on: its other piles are where they were, seen from the rows.

    Raises:
        BadInputError: no table is like that, not every player has a row, or no card tells how it lies.
    """
    if before is not None:
        players, row_length = players or [seat.player for seat in before.seats], len(before.seats[0].row)
    names = players or [f"P{number + 1}" for number in range(len(taps.rows))]
    if len(taps.rows) != len(names) or len(names) < _MIN_PLAYERS:
        raise BadInputError(
            "layout: it has {count} seats for {players} players", count=len(taps.rows), players=len(names)
        )
    plane = plane_in_mid_game(readings, width, height)
    if plane is None:
        raise BadInputError("No card is read. Lay some in the picture.")
    rows = [place_at(plane, pixel) for pixel in taps.rows]
    draw = None if taps.draw is None else place_at(plane, taps.draw)
    places = [*rows, *([] if draw is None else [draw])]
    if _overlap(places):
        raise BadInputError("Two of these lie in one place.")
    cards = observe(readings, plane)
    middle = draw or mean_place(rows)
    near = {
        place: [card for card in cards if all(_is_nearer(place, other, card) for other in places)]
        for place in rows
    }
    if row_length is None:
        most = max(len(_row_cards(place, near[place], _DEFAULT_ROW_LENGTH)) for place in rows)
        row_length = most if most >= _MIN_ROW_LENGTH else _DEFAULT_ROW_LENGTH
    seats = tuple(
        seat_at(name, place, near[place], row_length, _towards(middle, place))
        for name, place in zip(names, rows, strict=True)
    )
    layout = Layout(plane, width, height, seats, None if draw is None else _snapped_to_pile(draw, cards))
    return layout if before is None else _with_play_pile_found(with_earlier_piles(before, layout), cards)


def move_zone(layout: Layout, zone: Zone, pixel: Place, readings: Sequence[CardReading]) -> Layout:
    """Return the layout with a pile, or the whole row of a zone's seat, put where a person says it is.

    `pixel` is in pixels of the picture that `layout` and `readings` are of.

    Raises:
        BadInputError: something else is there, it is no place on the table, or there is no such seat.
    """
    if zone.kind == "row" and zone.seat not in range(len(layout.seats)):
        raise BadInputError("Nobody sits there any more.")
    place = place_at(layout.plane, pixel)
    others = [
        centre
        for other in layout.zones()
        if (other.kind, other.seat) != (zone.kind, zone.seat)
        and (centre := layout.place_of(other)) is not None
    ]
    if any(math.dist(place, other) < _MIN_DISTANCE_MM for other in others):
        raise BadInputError("Something else is there. Drag that away first.")
    cards = observe(readings, layout.plane)
    if zone.kind != "row":
        return layout.with_pile(zone, _snapped_to_pile(place, cards) if zone == DRAW else place)
    seat = layout.seats[zone.seat]
    own = [card for card in cards if all(_is_nearer(place, other, card) for other in others)]
    moved = seat_at(seat.player, place, own, len(seat.row), seat.facing, earlier_row=seat)
    return replace(layout, seats=(*layout.seats[: zone.seat], moved, *layout.seats[zone.seat + 1 :]))


def place_at(plane: TablePlane, pixel: Place) -> Place:
    """Return the place (mm) that a pixel shows.

    Raises:
        BadInputError: it shows no table.
    """
    x, y = (float(value) for value in plane.to_mm([pixel])[0])
    if not math.hypot(x, y) < _MAX_TABLE_MM:
        raise BadInputError("That is no place on the table.")
    return x, y


def seat_at(
    player: str,
    place: Place,
    cards: Sequence[Observation],
    length: int,
    outwards: Place,
    earlier_row: Seat | None = None,
) -> Seat:
    """Return the seat whose row of `length` spots has its middle about a place (mm).

    Args:
        player: Whose it is.
        place: The middle of the row, mm.
        cards: What was read, without the cards that lie nearer to other places.
        length: Of the row.
        outwards: Roughly the direction (unit vector) to the player.
        earlier_row: The row as it was. It moves as a whole if no card is read at the place.
    """
    row = _row_cards(place, cards, length)
    facing = (facing_outwards(row, outwards) if row else None) or outwards
    right = (facing[1], -facing[0])
    there = sorted((_in_row(place, facing, right, (card.x, card.y)), (card.x, card.y)) for card in row)
    there = [found for found in there if abs(found[0][1]) <= _MAX_ROW_OFFSET_MM]
    if not there and earlier_row is not None:
        by = (place[0] - earlier_row.centre[0], place[1] - earlier_row.centre[1])
        return replace(earlier_row, row=tuple((x + by[0], y + by[1]) for x, y in earlier_row.row))
    across = [at[0] for at, _ in there]
    steps = [b - a for a, b in pairwise(across)]
    near = [step for step in steps if _MIN_STEP_MM <= step <= ROW_STEP_MM]
    step = sorted(near)[len(near) // 2] if near else _DEFAULT_STEP_MM
    # Of the first card it is open which of the row's it is: the row's middle is to be where it was shown.
    numbers = [round((at - across[0]) / step) for at in across]
    half = (length - 1) / 2
    starts = range(length - numbers[-1]) if numbers and numbers[-1] < length else ()
    start = min(starts, key=lambda k: abs(across[0] + (half - k) * step), default=None)
    along = sum(at[1] for at, _ in there) / len(there) if there else 0.0
    first = -half * step if start is None else across[0] - start * step
    spots = [
        (
            place[0] + (first + k * step) * right[0] + along * facing[0],
            place[1] + (first + k * step) * right[1] + along * facing[1],
        )
        for k in range(length)
    ]
    if start is not None:
        for number, (_, centre) in zip(numbers, there, strict=True):
            spots[start + number] = centre
    return Seat(player, tuple(spots), facing)


def _row_cards(place: Place, cards: Sequence[Observation], length: int) -> list[Observation]:
    """Return the cards that may be those of a row about a place, one for each spot: the up-cards first."""
    reach = (length + 1) / 2 * _DEFAULT_STEP_MM
    about = [card for card in cards if math.dist((card.x, card.y), place) < reach]
    single: list[Observation] = []
    for card in sorted(about, key=lambda card: card.face == "down"):
        if all(math.dist((card.x, card.y), (other.x, other.y)) >= _SAME_SPOT_MM for other in single):
            single.append(card)
    return sorted(single, key=lambda card: math.dist((card.x, card.y), place))[:length]


def _in_row(place: Place, facing: Place, right: Place, centre: Place) -> Place:
    """Return how far to the right of a place, and how far nearer to the player, a card has its middle."""
    x, y = centre[0] - place[0], centre[1] - place[1]
    return x * right[0] + y * right[1], x * facing[0] + y * facing[1]


def _snapped_to_pile(place: Place, cards: Sequence[Observation]) -> Place:
    """Return the middle of the face-down card nearest to a place, or the place where none is near."""
    down = [(card.x, card.y) for card in cards if card.face == "down"]
    nearest = min(down, key=lambda centre: math.dist(centre, place), default=place)
    return nearest if math.dist(nearest, place) <= _SNAP_MM else place


def _with_play_pile_found(layout: Layout, cards: Sequence[Observation]) -> Layout:
    """Return the layout with the play pile where the face-up card nearest to it lies that is no player's."""
    if layout.play is None:
        return layout
    place, spots = layout.play, [spot for seat in layout.seats for spot in seat.row]
    free = [
        (card.x, card.y)
        for card in cards
        if card.face == "up" and all(math.dist((card.x, card.y), spot) >= _SAME_SPOT_MM for spot in spots)
    ]
    nearest = min(free, key=lambda centre: math.dist(centre, place), default=place)
    return replace(layout, play=nearest) if math.dist(nearest, place) <= _MAX_PILE_SHIFT_MM else layout


def _is_nearer(place: Place, other: Place, card: Observation) -> bool:
    """Tell whether a card lies at least as near to the one place as to the other."""
    return math.dist((card.x, card.y), place) <= math.dist((card.x, card.y), other)


def _towards(start: Place, goal: Place) -> Place:
    """Return the unit vector from one place to another one."""
    way = max(math.dist(start, goal), 1e-6)
    return (goal[0] - start[0]) / way, (goal[1] - start[1]) / way


def _overlap(places: Sequence[Place]) -> bool:
    return any(
        math.dist(one, other) < _MIN_DISTANCE_MM
        for number, one in enumerate(places)
        for other in places[number + 1 :]
    )
