"""Manual layouts: places that a person taps or moves on the picture.

A tap is inexact, so the cards read near it define the exact place. Without such cards, the spots of a row are
spaced evenly, across the direction to its player.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from statistics import median_high

from engine.errors import BadInputError
from vision.plane import TablePlane
from vision.table.layout import DRAW, Layout, Place, Seat, Zone, facing_outwards
from vision.table.observations import Observation, observe
from vision.table.relocation import plane_in_mid_game, with_earlier_piles
from vision.table.rows import ROW_STEP_MM, mean_place
from vision.types import CardReading

_MIN_PLAYERS = 2
"""The least number of players at a table."""
_MIN_ROW_LENGTH, _DEFAULT_ROW_LENGTH, _DEFAULT_STEP_MM = 2, 3, 75.0
_MIN_STEP_MM = 50.0
"""The least distance between the centres of two spots in a row."""
_MAX_ROW_OFFSET_MM = 70.0
"""The greatest distance of a row's card from the tapped place, towards the player or away."""
_SAME_SPOT_MM = 35.0
"""Two cards with a smaller distance lie on the same spot."""
_SNAP_MM = 45.0
"""A tapped pile moves to a face-down card within this distance."""
_MAX_PILE_SHIFT_MM = 120.0
"""The greatest distance of the play pile from its expected place, because rows may move independently."""
_MIN_DISTANCE_MM = 60.0
"""The least distance between the centres of two places."""
_MAX_TABLE_MM = 5000.0
"""The greatest distance of a place on the table from the middle of the picture."""


@dataclass(frozen=True, slots=True)
class TappedPlaces:
    """The places that a person has tapped, in pixels of the picture."""

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
    """Return the layout with the tapped places.

    Args:
        taps: The tapped places.
        readings: The cards read in the same picture, which define the plane of the table.
        players: The names, in the order in which the rows were tapped; None: the players get numbers.
        row_length: The number of spots in a row; None: the number of cards read there, else three.
        width: The width of the picture, in pixels.
        height: Its height.
        before: The earlier layout of a continued game. Its other piles keep their places relative to the
            rows.

    Raises:
        BadInputError: the number of rows is wrong, two places overlap, a place is not on the table, or no
            card is read.
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
    """Return the layout with a pile, or the whole row of a zone's seat, moved to another place.

    Args:
        layout: The layout to change.
        zone: The pile, or any spot of the row.
        pixel: The new place, in pixels of the picture that `layout` and `readings` belong to.
        readings: The cards in that picture.

    Raises:
        BadInputError: another place is too near, the pixel is not on the table, or there is no such seat.
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
        BadInputError: the pixel does not show the table.
    """
    x, y = (float(value) for value in plane.to_mm([pixel])[0])
    if not math.hypot(x, y) < _MAX_TABLE_MM:
        raise BadInputError("That place is not on the table.")
    return x, y


def seat_at(
    player: str,
    place: Place,
    cards: Sequence[Observation],
    length: int,
    outwards: Place,
    earlier_row: Seat | None = None,
) -> Seat:
    """Return the seat whose row has its middle near a place (mm).

    Args:
        player: The name of the player.
        place: The middle of the row, in mm.
        cards: The cards on the table, without those nearer to other places.
        length: The number of spots in the row.
        outwards: The approximate direction (unit vector) to the player.
        earlier_row: The seat before the change. Its row moves as a whole if no card is read at the place.
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
    step = median_high(near) if near else _DEFAULT_STEP_MM
    # The first card may lie on several spots. The one chosen puts the row's middle nearest to the tap.
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
    """Return the cards that may belong to a row at a place, one for each spot; up-cards have priority."""
    reach = (length + 1) / 2 * _DEFAULT_STEP_MM
    about = [card for card in cards if math.dist((card.x, card.y), place) < reach]
    single: list[Observation] = []
    for card in sorted(about, key=lambda card: card.face == "down"):
        if all(math.dist((card.x, card.y), (other.x, other.y)) >= _SAME_SPOT_MM for other in single):
            single.append(card)
    return sorted(single, key=lambda card: math.dist((card.x, card.y), place))[:length]


def _in_row(place: Place, facing: Place, right: Place, centre: Place) -> Place:
    """Return the distances (mm) of a card's centre from a place: to the right, and towards the player."""
    x, y = centre[0] - place[0], centre[1] - place[1]
    return x * right[0] + y * right[1], x * facing[0] + y * facing[1]


def _snapped_to_pile(place: Place, cards: Sequence[Observation]) -> Place:
    """Return the centre of the face-down card nearest to a place, or the place itself if none is near."""
    down = [(card.x, card.y) for card in cards if card.face == "down"]
    nearest = min(down, key=lambda centre: math.dist(centre, place), default=place)
    return nearest if math.dist(nearest, place) <= _SNAP_MM else place


def _with_play_pile_found(layout: Layout, cards: Sequence[Observation]) -> Layout:
    """Return the layout with the play pile at the nearest face-up card outside the rows, if one is near."""
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
    """Return whether a card lies at least as near to `place` as to `other`."""
    return math.dist((card.x, card.y), place) <= math.dist((card.x, card.y), other)


def _towards(start: Place, goal: Place) -> Place:
    """Return the unit vector from one place to another."""
    way = max(math.dist(start, goal), 1e-6)
    return (goal[0] - start[0]) / way, (goal[1] - start[1]) / way


def _overlap(places: Sequence[Place]) -> bool:
    return any(math.dist(one, other) < _MIN_DISTANCE_MM for one, other in combinations(places, 2))
