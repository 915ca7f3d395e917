"""A skeleton that bends, the skin on it, and arms that reach for a point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Matrix = NDArray[np.float64]
"""3 x 3."""


def unit(vector: Array) -> Array:
    """Return a vector with length 1 in the same direction."""
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))


def turn_about(axis: Array, degrees: float) -> Matrix:
    """Return the rotation about an axis through the origin; it turns a towards b about a x b."""
    x, y, z = unit(np.asarray(axis, np.float64))
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    outer = np.outer([x, y, z], [x, y, z])
    return np.asarray(cos * np.eye(3) + sin * cross + (1.0 - cos) * outer)


def frame_of(first: Array, second: Array) -> Matrix:
    """Return a frame (columns): along `first`, then the part of `second` across it, then their product."""
    a = unit(first)
    b = unit(second - a * float(second @ a))
    return np.stack([a, b, np.cross(a, b)], axis=1)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Bones in the pose in which the body was modelled."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    """A parent comes before its children; -1 for a root."""
    heads: Array
    """B x 3, mm: the joint about which a bone turns."""
    tails: Array
    """B x 3, mm."""

    def number(self, name: str) -> int:
        """Return the number of a bone. Raises ValueError if there is none."""
        return self.names.index(name)

    def head(self, name: str) -> Array:
        """Return the joint of a bone, as modelled."""
        return np.asarray(self.heads[self.number(name)])

    def tail(self, name: str) -> Array:
        """Return the end of a bone, as modelled."""
        return np.asarray(self.tails[self.number(name)])


@dataclass(frozen=True, eq=False)
class Bent:
    """A skeleton in another pose."""

    turns: Array
    """B x 3 x 3: the turn of each bone from its modelled direction."""
    heads: Array
    """B x 3, mm: where the joints are now."""

    def place(self, skeleton: Skeleton, bone: str, point: Array) -> Array:
        """Return where a point that was modelled at `point` and belongs to `bone` is now."""
        number = skeleton.number(bone)
        return np.asarray(self.turns[number] @ (point - skeleton.heads[number]) + self.heads[number])


def bend(skeleton: Skeleton, turns: Mapping[str, Matrix], root: Array) -> Bent:
    """Return the skeleton with given turns of bones in the room. Other bones follow their parents.

    Args:
        skeleton: The skeleton.
        turns: Turns in the room, not relative to a parent, by the names of the bones.
        root: Position of the first joint, mm.
    """
    count = len(skeleton.names)
    all_turns, heads = np.empty((count, 3, 3)), np.empty((count, 3))
    for number, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents, strict=True)):
        given = turns.get(name)
        if parent < 0:
            all_turns[number] = np.eye(3) if given is None else given
            heads[number] = root
            continue
        all_turns[number] = all_turns[parent] if given is None else given
        way = skeleton.heads[number] - skeleton.heads[parent]
        heads[number] = all_turns[parent] @ way + heads[parent]
    return Bent(all_turns, heads)


class Skin:
    """Points that follow a skeleton, each by the weighted mean of at most four bones."""

    def __init__(
        self,
        points: NDArray[np.float32],
        normals: NDArray[np.float32],
        bones: NDArray[np.int32],
        weights: NDArray[np.float32],
        joints: Array,
    ) -> None:
        """Prepare the skin.

        Args:
            points: V x 3, mm, as modelled.
            normals: V x 3, as modelled.
            bones: V x 4.
            weights: V x 4, each row with the sum 1.
            joints: B x 3: the joints as modelled.
        """
        self._points = np.c_[points, np.ones(len(points), np.float32)].astype(np.float32)
        self._normals = normals.astype(np.float32)
        self._joints = joints
        # Vertices that share bones and weights are rare, but a dense product is fast: few bones carry most.
        self._weights = np.zeros((len(points), len(joints)), np.float32)
        rows = np.arange(len(points))
        for column in range(bones.shape[1]):
            np.add.at(self._weights, (rows, bones[:, column]), weights[:, column])
        self._used = np.flatnonzero(self._weights.any(axis=0))
        self._weights = np.ascontiguousarray(self._weights[:, self._used])

    def follow(self, bent: Bent) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return points and normals (V x 3 each) on the bent skeleton."""
        turns = bent.turns[self._used]
        shifts = bent.heads[self._used] - np.einsum("bij,bj->bi", turns, self._joints[self._used])
        matrices = np.concatenate([turns, shifts[:, :, None]], axis=2).astype(np.float32).reshape(-1, 12)
        blended = (self._weights @ matrices).reshape(-1, 3, 4)
        points = (blended * self._points[:, None, :]).sum(axis=2)
        normals = (blended[:, :, :3] * self._normals[:, None, :]).sum(axis=2)
        length = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-6)
        return points.astype(np.float32), (normals / length).astype(np.float32)


def normals_of(points: NDArray[np.float32], triangles: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the mean outward normal at each vertex (V x 3).

    Triangles run anticlockwise seen from outside, in a frame whose z is up and that is left-handed.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    faces = np.cross(c - a, b - a)
    total = np.zeros_like(points)
    for corner in range(3):
        np.add.at(total, triangles[:, corner], faces)
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9), np.float32)


@dataclass(frozen=True, slots=True)
class Reach:
    """An arm that reaches: elbow and wrist in the room (mm), and by how much the wrist falls short."""

    elbow: tuple[float, float, float]
    wrist: tuple[float, float, float]
    short: float


_CLEAR = 42.0
"""Height of the middle of an elbow or forearm over the table, mm."""


def reach(
    shoulder: Array,
    wrist: Array,
    upper: float,
    lower: float,
    pole: Array,
    edge: float,
) -> Reach:
    """Bend an arm of two bones so that it reaches a wrist; the elbow stays over the table.

    Args:
        shoulder: The shoulder, mm.
        wrist: The wanted wrist, mm. Out of reach, the arm stretches towards it.
        upper: Length of the upper arm, mm.
        lower: Length of the forearm, mm.
        pole: Direction in which the elbow points.
        edge: y of the edge of the table in the frame of the seat: smaller y lies over the table.
    """
    way = wrist - shoulder
    wanted = float(np.linalg.norm(way))
    distance = min(max(wanted, abs(upper - lower) + 1.0), (upper + lower) * 0.998)
    along = unit(way)
    end = shoulder + along * distance
    share = (upper**2 - lower**2 + distance**2) / (2.0 * distance)
    radius = math.sqrt(max(upper**2 - share**2, 0.0))
    aside = pole - along * float(pole @ along)
    base = (
        unit(aside) if float(np.linalg.norm(aside)) > 1e-6 else unit(np.cross(along, np.array([1.0, 0, 0])))
    )
    other = np.cross(along, base)
    centre = shoulder + along * share
    best, least = centre + base * radius, math.inf
    # The elbow swings up on its circle no further than it must, so it never jumps.
    for step in range(0, 181, 6):
        for sign in (1.0, -1.0) if step else (1.0,):
            angle = math.radians(sign * step)
            elbow = centre + (base * math.cos(angle) + other * math.sin(angle)) * radius
            sunk = _sunk(elbow, end, edge)
            cost = step * 0.2 + sunk * 3.0
            if cost < least:
                best, least = elbow, cost
        if step * 0.2 > least:
            break
    return Reach(
        (float(best[0]), float(best[1]), float(best[2])),
        (float(end[0]), float(end[1]), float(end[2])),
        max(wanted - distance, 0.0),
    )


def _sunk(elbow: Array, wrist: Array, edge: float) -> float:
    """Return by how many millimetres elbow and forearm are too low over the table."""
    total = 0.0
    for share in (0.0, 0.35, 0.7):
        point = elbow + (wrist - elbow) * share
        over = min(max((edge + 25.0 - float(point[1])) / 30.0, 0.0), 1.0)
        total += over * max(_CLEAR * (1.0 - 0.45 * share) - float(point[2]), 0.0)
    return total
