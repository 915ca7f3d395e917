"""The seats of the players and the positions of the piles, random within the habits of real tables."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from datasets.films.geometry import Camera, Pose, rotated
from vision.geometry import CARD_WIDTH_MM

SEAT_PLANS: dict[int, tuple[tuple[str, ...], ...]] = {
    2: (("bottom", "top"),),
    3: (("bottom", "left", "right"), ("bottom", "left", "top"), ("bottom", "top", "right")),
    4: (("bottom", "left", "top", "right"),),
    5: (("bottom", "left", "top-left", "top-right", "right"),),
    6: (("bottom-right", "bottom-left", "left", "top-left", "top-right", "right"),),
}
"""Seats clockwise in the picture from the bottom edge, by number of players."""

_FACING = {"bottom": 0.0, "left": 90.0, "top": 180.0, "right": 270.0}
"""The angle at which a card is upright for a seat at that edge."""
_ALONG = {"top-left": 165.0, "top-right": -165.0, "bottom-left": -165.0, "bottom-right": 165.0}
"""Shift of a seat to the right of its player, mm, for two seats at one edge."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The seat of one player."""

    player: str
    side: str
    angle: float
    """Degrees at which a card is upright for this player."""
    row: tuple[Pose, ...]
    """Poses of the down-cards, left to right for this player."""
    edge: Pose
    """The point of the table edge in front of the player."""
    home: Pose
    """Pose of the resting hand, outside the picture."""
    shoulder: tuple[float, float]
    """Position of the shoulder, mm."""
    right_handed: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that stays in place for one film."""

    table: tuple[float, float]
    seats: tuple[Seat, ...]
    draw: Pose
    play: Pose
    burn: Pose

    def seat(self, player: str) -> Seat:
        """Return the seat of `player`."""
        return next(seat for seat in self.seats if seat.player == player)


def make_layout(
    players: Sequence[str],
    row_length: int,
    table: tuple[float, float],
    camera: Camera,
    rng: random.Random,
) -> Layout:
    """Return a random layout for these players."""
    plan = rng.choice(SEAT_PLANS[len(players)])
    seats = tuple(
        _seat(player, side, row_length, table, camera, rng)
        for player, side in zip(players, plan, strict=True)
    )
    draw, play, burn = _piles(rng)
    return Layout(table, seats, draw, play, burn)


def _piles(rng: random.Random) -> tuple[Pose, Pose, Pose]:
    """Place draw pile and play pile side by side near the middle, and the burn pile clear of both."""
    gap = rng.uniform(100.0, 165.0)
    axis = rng.choice([0.0, 180.0]) + rng.uniform(-20.0, 20.0)
    middle_x, middle_y = rng.uniform(-25.0, 25.0), rng.uniform(-15.0, 15.0)
    dx, dy = rotated(gap / 2.0, 0.0, axis)
    turn = rng.choice([0.0, 90.0]) if gap > 125.0 else 0.0
    draw = Pose(middle_x + dx, middle_y + dy, turn + rng.uniform(-12.0, 12.0))
    play = Pose(middle_x - dx, middle_y - dy, rng.uniform(-8.0, 8.0))
    # The burn pile lies beyond one of the two, off the axis towards a free corner.
    beyond, sign = (play, 1.0) if rng.random() < 0.5 else (draw, -1.0)
    away = -1.0 if math.cos(math.radians(axis)) * sign > 0 else 1.0
    burn = Pose(
        beyond.x + away * rng.uniform(125.0, 150.0),
        rng.choice([-1, 1]) * rng.uniform(45.0, 75.0),
        rng.uniform(0, 360),
    )
    return draw, play, burn


def _seat(
    player: str,
    side: str,
    row_length: int,
    table: tuple[float, float],
    camera: Camera,
    rng: random.Random,
) -> Seat:
    angle = _FACING[side.partition("-")[0]]
    depth = table[1] / 2.0 if angle in (0.0, 180.0) else table[0] / 2.0
    along = _ALONG.get(side, 0.0) + rng.uniform(-25.0, 25.0)
    # In the frame of the seat: x to the right of the player, y towards the player.
    inset = rng.uniform(70.0, 110.0)
    lean = rng.uniform(-6.0, 6.0)
    spacing = CARD_WIDTH_MM + rng.uniform(8.0, 18.0)
    row = []
    for index in range(row_length):
        offset = (index - (row_length - 1) / 2.0) * spacing
        across, down = rotated(offset, 0.0, lean)
        x, y = rotated(along + across, depth - inset + down, angle)
        row.append(Pose(x, y, angle + lean))
    right_handed = rng.random() < 0.85
    reach = along + (70.0 if right_handed else -70.0)
    home_distance = _distance_out_of_sight(reach, depth, angle, camera)
    home_x, home_y = rotated(reach, home_distance, angle)
    edge_x, edge_y = rotated(along, depth, angle)
    return Seat(
        player=player,
        side=side,
        angle=angle,
        row=tuple(row),
        edge=Pose(edge_x, edge_y, angle),
        home=Pose(home_x, home_y, angle, 60.0),
        shoulder=rotated(reach * 1.3, home_distance + 480.0, angle),
        right_handed=right_handed,
    )


def _distance_out_of_sight(along: float, depth: float, angle: float, camera: Camera) -> float:
    """Return the distance of a resting hand from the middle of the table at which no finger shows."""
    distance = depth + 60.0
    while camera.sees(*rotated(along, distance, angle), margin=110.0 * camera.scale()):
        distance += 10.0
    return distance
