"""The layout: the places of seats and piles, found from the dealt cards or read from a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.errors import BadInputError
from engine.files.bounded import read_capped
from engine.files.json_text import parse_json
from vision.geometry import wrap_angle
from vision.plane import TablePlane
from vision.table.observations import Observation
from vision.table.rows import equal_rows, find_rows, group_rows, is_row, mean_place, middle_of, row_angle

Place = tuple[float, float]
"""A point on the table, in mm."""

_MAX_FACING_DEGREES = 60.0
_SAME_DIRECTION_COSINE, _ABREAST_COSINE = math.cos(math.radians(25)), math.sin(math.radians(30))
"""Two seats are side by side at one edge if their facings differ by less than 25 degrees. The line between
them must also be within 30 degrees of a right angle to the facing."""
_SPOT_RADIUS_MM = 48.0
_DRAW_PILE_RADIUS_MM = 60.0
_PILE_RADIUS_MM = 85.0
_SHARED_EDGE_RADIANS = math.radians(20)
"""The most that the bearings of two seats at the bottom edge differ."""
_MM_PER_RADIAN = 500.0
"""The distance that counts as much as an angle of one radian when a card is held out to a seat."""
_MAX_DRAW_PILE_MM = 260.0
_AT_ROW_MM = 55.0
"""The fingertips of a hand at a row are this near to one of its spots."""
_HELD_ASIDE_MM = 300.0
"""A player's hands hold cards no farther aside from the middle of the row."""
_ROW_ASIDE_MM = 150.0
"""An arm within this distance from the middle line of a row belongs to the row's player."""
_MAX_COORDINATE_MM, _MAX_SIDE_PX = 1e5, 100_000
"""The greatest coordinate and picture size of a valid layout."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table: a spot of a row, or a pile."""

    kind: str
    """`row`, `draw`, `play` or `burn`."""
    seat: int = -1
    """For a row: the index of its seat."""
    spot: int = -1
    """For a row: the index of the spot."""


DRAW, PLAY, BURN = Zone("draw"), Zone("play"), Zone("burn")


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place at the table."""

    player: str
    row: tuple[Place, ...]
    """The centres of the spots of the player's row, from left to right for the player."""
    facing: Place
    """The direction from the table to the player, as a unit vector."""

    @property
    def centre(self) -> Place:
        """The middle of the row."""
        return mean_place(self.row)

    def is_on_player_side(self, place: Place) -> bool:
        """Return whether a place is on the player's side of the row, and not on the table's side."""
        (x, y), (across, down) = self.centre, self.facing
        return (place[0] - x) * across + (place[1] - y) * down > 0.0

    def is_at_row(self, place: Place) -> bool:
        """Return whether a hand at a place is over a card of the row, or right beside one."""
        return min(math.dist(place, spot) for spot in self.row) < _AT_ROW_MM

    def is_at_player(self, place: Place) -> bool:
        """Return whether a place is where the player's hands hold cards: behind the row, not far aside."""
        (x, y), (across, down) = self.centre, self.facing
        aside = (place[0] - x) * down - (place[1] - y) * across
        return self.is_on_player_side(place) and abs(aside) < _HELD_ASIDE_MM


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of seats and piles in pictures of one size."""

    plane: TablePlane
    """Converts between pixels and mm on the table."""
    width: int
    """The width of the pictures, in pixels."""
    height: int
    seats: tuple[Seat, ...]
    """The seats, clockwise from the bottom edge of the picture."""
    draw: Place | None = None
    """The draw pile; None: there is none, or its place is not known. The same holds for the other piles."""
    play: Place | None = None
    burn: Place | None = None
    _known: tuple[tuple[Zone, Place, float], ...] = field(init=False, repr=False, compare=False)
    """Every zone whose place is known, its centre, and how far it reaches in mm."""

    def __post_init__(self) -> None:
        rows = [Zone("row", s, k) for s, seat in enumerate(self.seats) for k in range(len(seat.row))]
        known = tuple(
            (
                zone,
                place,
                {"row": _SPOT_RADIUS_MM, "draw": _DRAW_PILE_RADIUS_MM}.get(zone.kind, _PILE_RADIUS_MM),
            )
            for zone in (*rows, DRAW, PLAY, BURN)
            if (place := self.place_of(zone)) is not None
        )
        object.__setattr__(self, "_known", known)

    @property
    def middle(self) -> Place:
        """The middle of the rows of all seats."""
        return mean_place([seat.centre for seat in self.seats])

    def spot(self, zone: Zone) -> Place:
        """Return the centre of a spot, which is a zone of a row."""
        return self.seats[zone.seat].row[zone.spot]

    def place_of(self, zone: Zone) -> Place | None:
        """Return the centre of a zone, or None if it is not known."""
        if zone.kind == "row":
            return self.spot(zone)
        return {"draw": self.draw, "play": self.play, "burn": self.burn}[zone.kind]

    def zones(self) -> list[Zone]:
        """Return every zone whose place is known."""
        return [zone for zone, _, _ in self._known]

    def zone_at(self, x: float, y: float) -> Zone | None:
        """Return the zone of a card with its centre at (x, y) mm, or None if it lies in no zone."""
        best: tuple[float, Zone] | None = None
        for zone, place, reach in self._known:
            if abs(x - place[0]) > reach:
                continue  # so it is with most zones, and this is quicker than the distance
            share = math.hypot(x - place[0], y - place[1]) / reach
            if share <= 1.0 and (best is None or share < best[0]):
                best = share, zone
        return best[1] if best else None

    def is_at_a_player(self, place: Place) -> bool:
        """Return whether a place is where the hands of any player hold cards."""
        return any(seat.is_at_player(place) for seat in self.seats)

    def seat_reaching_in(self, place: Place) -> int | None:
        """Return the index of the seat whose row lies between `place` (mm) and the middle, or None.

        Only the player of that seat can reach in from there.
        """
        x, y = place[0] - self.middle[0], place[1] - self.middle[1]
        for index, seat in enumerate(self.seats):
            row = np.array([seat.centre[0] - self.middle[0], seat.centre[1] - self.middle[1]])
            out = row / max(float(np.linalg.norm(row)), 1e-6)
            along, aside = x * out[0] + y * out[1], abs(x * out[1] - y * out[0])
            if along > np.linalg.norm(row) and aside < max(_ROW_ASIDE_MM, 0.6 * along):
                return index
        return None

    def seat_pointed_at(self, shower: int, place: Place) -> int:
        """Return the index of the seat to which `shower` holds something out at `place` (mm).

        The directions from the shower's seat and from the middle of the table count. The second one counts
        less near the middle. The distance to the seat counts too, because the directions to neighbours are
        similar.
        """
        start, middle = self.seats[shower].centre, self.middle
        off_middle = min(1.0, math.dist(place, middle) / 100.0)

        def away(index: int) -> float:
            goal = self.seats[index].centre
            turned = _angle(start, place, goal) + off_middle * _angle(middle, place, goal)
            return turned + math.dist(place, goal) / _MM_PER_RADIAN

        return min((i for i in range(len(self.seats)) if i != shower), key=away)

    def border_point(self, seat: Seat) -> Place:
        """Return the point of the picture's border (mm) in front of a seat."""
        corners = [(0, 0), (self.width, 0), (self.width, self.height), (0, self.height)]
        border = self.plane.to_mm(corners)
        x, y = seat.centre
        nearest = math.inf
        for a, b in zip(border, np.roll(border, -1, axis=0), strict=True):
            side = b - a
            cross = seat.facing[0] * side[1] - seat.facing[1] * side[0]
            if abs(cross) < 1e-9:
                continue
            along = ((a[0] - x) * side[1] - (a[1] - y) * side[0]) / cross
            on_side = ((a[0] - x) * seat.facing[1] - (a[1] - y) * seat.facing[0]) / cross
            if along > 0 and -1e-6 <= on_side <= 1 + 1e-6:
                nearest = min(nearest, along)
        reach = nearest if math.isfinite(nearest) else 0.0
        return x + reach * seat.facing[0], y + reach * seat.facing[1]

    def with_pile(self, zone: Zone, place: Place) -> Layout:
        """Return the layout with a pile put in its place."""
        if zone == PLAY:
            return replace(self, play=place)
        return replace(self, burn=place) if zone == BURN else replace(self, draw=place)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `--layout` reads: places in mm, the plane as a 3 x 3 matrix."""
        return {
            "width": self.width,
            "height": self.height,
            "to_table": self.plane.to_table.tolist(),
            "seats": [{"player": s.player, "row": s.row, "facing": s.facing} for s in self.seats],
            "draw": self.draw,
            "play": self.play,
            "burn": self.burn,
        }


def load_layout(path: Path) -> Layout:
    """Read a layout from a JSON file in the form of `Layout.to_json`.

    Raises:
        BadInputError: the file is not JSON, or not a layout (see `layout_of`).
        OSError: the file cannot be read.
    """
    data = read_capped(path)
    try:
        stored = parse_json(data)
    except ValueError as error:
        raise _no_layout(path, error) from None
    return layout_of(stored, path)


def layout_of(stored: Any, path: Path) -> Layout:
    """Return the layout that was stored in the form of `Layout.to_json`; errors name `path`.

    Raises:
        BadInputError: a part is missing or has the wrong form, or no table can have this layout.
    """
    try:
        seats = tuple(
            Seat(str(s["player"]), tuple(_place(p) for p in s["row"]), _place(s["facing"]))
            for s in stored["seats"]
        )
        plane = TablePlane(np.asarray(stored["to_table"], np.float64).reshape(3, 3))
        piles = {kind: _place(stored[kind]) for kind in ("draw", "play", "burn") if stored.get(kind)}
        layout = Layout(plane, int(stored["width"]), int(stored["height"]), seats, **piles)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise _no_layout(path, error) from None
    regular = bool(np.isfinite(plane.to_table).all()) and np.linalg.matrix_rank(plane.to_table) == 3
    if len(seats) < 2 or not all(seat.row for seat in seats) or not regular:
        raise BadInputError(
            "{path}: not a layout (two seats with rows and a regular matrix are needed)", path=path
        )
    if not (0 < layout.width <= _MAX_SIDE_PX and 0 < layout.height <= _MAX_SIDE_PX):
        raise BadInputError(
            "{path}: not a layout (pictures of {width} x {height})",
            path=path,
            width=layout.width,
            height=layout.height,
        )
    return layout


def _no_layout(path: Path, error: Exception) -> BadInputError:
    return BadInputError(
        "{path}: not a layout ({kind}: {reason})", path=path, kind=type(error).__name__, reason=error
    )


def find_layout(
    cards: Sequence[Observation],
    plane: TablePlane,
    width: int,
    height: int,
    players: Sequence[str] | None,
    row_length: int | None = None,
    *,
    draw_pile: bool = True,
) -> Layout | None:
    """Return the layout of a finished deal, or None if the cards are not a finished deal.

    A finished deal has one row for each player. The rows have equal lengths and face outwards. A face-down
    pile lies among them, if the deal leaves one. So a table that is not set for the game gives no events.

    Args:
        cards: The cards on the table.
        plane: The plane of the table.
        width: The width of the picture, in pixels.
        height: Its height.
        players: Names, clockwise, the first at the bottom edge; None: one player for each row.
        row_length: The number of up-cards in a row; None: two or three.
        draw_pile: Whether the deal leaves a draw pile.
    """
    ups = [card for card in cards if card.face == "up"]
    count = len(players) if players else None
    rows = find_rows(ups, count, row_length)
    if not rows:
        return None
    draw, middle = _piles(cards, rows)
    if draw is None and draw_pile:
        return None
    # Rows face away from the draw pile, or from their own middle if the draw pile lies far to one side.
    for centre in (draw or middle, middle):
        seats = [seat for row in rows if (seat := _seat(row, centre)) is not None]
        if len(seats) == len(rows):
            break
    else:
        return None
    ordered = _sorted_clockwise(_with_common_facing(seats), centre)
    names = list(players) if players else [f"P{i + 1}" for i in range(len(ordered))]
    named = tuple(replace(seat, player=name) for seat, name in zip(ordered, names, strict=True))
    return Layout(plane, width, height, named, draw=draw)


def find_missing_part(
    cards: Sequence[Observation], count: int | None, row_length: int | None = None, *, draw_pile: bool = True
) -> tuple[Literal["rows", "draw", "seats"], int]:
    """Return the missing part of a deal that `find_layout` did not find, and the number of rows of a deal.

    `count` is the number of players; None: not known.
    """
    ups = [card for card in cards if card.face == "up"]
    found = 0
    for any_turn in (False, True):
        groups = group_rows(ups, any_angle=any_turn)
        lengths = Counter(len(row) for row in groups if is_row(row, row_length))
        found = max(found, *lengths.values(), 0)
        rows = equal_rows(groups, count, row_length)
        if rows:
            missing: Literal["draw", "seats"] = "seats"
            if draw_pile and _piles(cards, rows)[0] is None:
                missing = "draw"
            return missing, len(rows)
    return "rows", found


def _piles(cards: Sequence[Observation], rows: Sequence[Sequence[Observation]]) -> tuple[Place | None, Place]:
    """Return the place of the draw pile (None if there is none), and the middle of the rows."""
    middle = mean_place([middle_of(row) for row in rows])
    return _draw_pile(cards, rows, middle), middle


def _draw_pile(
    cards: Sequence[Observation], rows: Sequence[Sequence[Observation]], middle: Place
) -> Place | None:
    free = [
        (card.x, card.y)
        for card in cards
        if card.face == "down"
        and all(math.hypot(card.x - c.x, card.y - c.y) > _SPOT_RADIUS_MM for row in rows for c in row)
    ]
    near = [place for place in free if math.dist(place, middle) < _MAX_DRAW_PILE_MM]
    return min(near, key=lambda place: math.dist(place, middle)) if near else None


def _seat(row: Sequence[Observation], middle: Place) -> Seat | None:
    """Return the seat behind a row, without a name; None if the row does not face outwards."""
    x, y = middle_of(row)
    facing = facing_outwards(row, (x - middle[0], y - middle[1]))
    if facing is None:
        return None
    right = (facing[1], -facing[0])
    spots = sorted(((c.x, c.y) for c in row), key=lambda p: p[0] * right[0] + p[1] * right[1])
    return Seat("", tuple(spots), facing)


def _with_common_facing(seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats with similar facings for those at one edge.

    Players do not lay their rows exactly straight, but players at one edge look straight across it. The mean
    over their rows and over the lines between them is more accurate than each row alone.
    """
    return [replace(seat, facing=_facing_across(seat, seats)) for seat in seats]


def _facing_across(seat: Seat, seats: Sequence[Seat]) -> Place:
    """Return the direction (unit vector) across the edge of a seat, see `_with_common_facing`."""
    x, y = seat.facing
    across = [seat.facing]
    for other in seats:
        along = (other.centre[0] - seat.centre[0], other.centre[1] - seat.centre[1])
        apart = math.hypot(*along)
        if other is seat or apart < 1.0 or other.facing[0] * x + other.facing[1] * y < _SAME_DIRECTION_COSINE:
            continue
        before = (along[0] * x + along[1] * y) / apart
        if abs(before) < _ABREAST_COSINE:
            sign = 1.0 if along[0] * y - along[1] * x > 0 else -1.0
            across += [other.facing, (-sign * along[1] / apart, sign * along[0] / apart)]
    if len(across) == 1:
        return seat.facing
    length = math.hypot(sum(x for x, _ in across), sum(y for _, y in across))
    return sum(x for x, _ in across) / length, sum(y for _, y in across) / length


def facing_outwards(row: Sequence[Observation], outwards: Place) -> Place | None:
    """Return the direction (unit vector) to the player behind a row's cards; None if they face sideways.

    `outwards` is the direction from the middle of the table to the row.
    """
    turn = math.radians(row_angle(row))
    facing = (math.cos(turn), math.sin(turn))
    if facing[0] * outwards[0] + facing[1] * outwards[1] < 0:
        facing = (-facing[0], -facing[1])
    aside = wrap_angle(math.atan2(facing[1], facing[0]) - math.atan2(outwards[1], outwards[0]))
    return facing if abs(aside) <= math.radians(_MAX_FACING_DEGREES) else None


def _sorted_clockwise(seats: Sequence[Seat], middle: Place) -> list[Seat]:
    """Sort seats clockwise in the picture, from the one nearest to the bottom edge.

    If two seats share the bottom edge, the right one is first, because the left one follows it clockwise.
    """

    def bearing(seat: Seat) -> float:
        x, y = seat.centre
        return math.atan2(-(x - middle[0]), y - middle[1])

    nearest = min(abs(bearing(seat)) for seat in seats)
    start = min(bearing(seat) for seat in seats if abs(bearing(seat)) <= nearest + _SHARED_EDGE_RADIANS)
    return sorted(seats, key=lambda seat: (bearing(seat) - start) % math.tau)


def _angle(start: Place, first: Place, second: Place) -> float:
    """Return the angle at `start` between two places, in radians from 0 to pi."""
    one = math.atan2(first[1] - start[1], first[0] - start[0])
    return abs(wrap_angle(math.atan2(second[1] - start[1], second[0] - start[0]) - one))


def _place(stored: Any) -> Place:
    x, y = (float(value) for value in stored)
    if not (abs(x) <= _MAX_COORDINATE_MM and abs(y) <= _MAX_COORDINATE_MM):
        raise ValueError(f"{x}, {y} is not a place on a table")
    return x, y
