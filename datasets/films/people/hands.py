"""Hands: how fingers bend for each grip, and where a hand must be to touch a point with it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from datasets.films.people.rig import Array, Bent, Matrix, Skeleton, frame_of, turn_about, unit

FINGERS = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Grip:
    """One grip: the bends of the fingers and the attitude of the hand, degrees."""

    curls: tuple[tuple[float, float, float], ...]
    """For index to little finger, the bends of the three joints."""
    spread: float
    """Angle between two neighbouring fingers more than as modelled."""
    thumb: tuple[float, float, float]
    """Turn of the thumb under the palm, and the bends of its two outer joints."""
    pitch: float
    """How far the fingers point down."""
    roll: float
    """How far the thumb's side hangs lower than the other."""
    touch: float
    """The touching point: 0 is where thumb and index finger meet, 1 the finger tips, 2 the index."""
    lift: float = 0.0
    """Distance of the touching skin from the wanted point, mm."""


GRIPS: dict[str, Grip] = {
    # A card between the thumb below and the fingers above.
    "hold": Grip(((22, 30, 14), (26, 34, 18), (34, 40, 22), (42, 44, 24)), 1, (52, 16, 20), 24, 14, 0, 2),
    # Finger tips on a pile.
    "flat": Grip(((10, 14, 8), (10, 14, 8), (12, 16, 8), (14, 18, 10)), 5, (14, 10, 8), 14, 4, 1, 7),
    # Pinching the top card at its edge.
    "point": Grip(((18, 26, 14), (30, 40, 24), (48, 60, 34), (54, 64, 36)), 1, (48, 18, 22), 30, 16, 0, 2),
    # One finger shows where.
    "show": Grip(((0, 2, 2), (62, 78, 46), (70, 84, 50), (72, 84, 50)), 0, (50, 34, 40), 12, 10, 2, 8),
    # Lying on the table.
    "rest": Grip(((14, 20, 12), (16, 24, 14), (20, 28, 16), (24, 30, 18)), 3, (18, 14, 12), 12, 6, 1, 7),
    # A loose fist on its side.
    "fist": Grip(((48, 62, 40), (54, 66, 42), (58, 68, 44), (60, 68, 44)), 0, (44, 26, 30), 6, -40, 1, 12),
    # A fan of cards between the thumb and the side of the index finger, the hand on its edge.
    "fan": Grip(((44, 66, 34), (52, 68, 40), (56, 70, 42), (58, 70, 42)), 0, (24, 4, 8), -12, -68, 0, 2),
    # Round a glass.
    "grasp": Grip(((24, 34, 20), (26, 36, 22), (28, 38, 22), (30, 40, 24)), 2, (40, 10, 10), 2, -64, 0, 4),
    # Open in the air.
    "open": Grip(((6, 10, 6), (8, 12, 8), (10, 14, 8), (12, 16, 10)), 8, (10, 6, 6), -6, -26, 1, 10),
    # In the lap.
    "away": Grip(((26, 34, 20), (30, 38, 22), (34, 42, 24), (36, 44, 26)), 1, (26, 16, 14), 16, 10, 1, 10),
}


def blended(first: Grip, second: Grip, share: float) -> Grip:
    """Return the grip at `share` (0 to 1) of the way between two."""
    if share <= 0.0 or first == second:
        return first
    if share >= 1.0:
        return second

    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    return replace(
        first,
        curls=tuple(
            (mix(a[0], b[0]), mix(a[1], b[1]), mix(a[2], b[2]))
            for a, b in zip(first.curls, second.curls, strict=True)
        ),
        spread=mix(first.spread, second.spread),
        thumb=(
            mix(first.thumb[0], second.thumb[0]),
            mix(first.thumb[1], second.thumb[1]),
            mix(first.thumb[2], second.thumb[2]),
        ),
        pitch=mix(first.pitch, second.pitch),
        roll=mix(first.roll, second.roll),
        touch=mix(first.touch, second.touch),
        lift=mix(first.lift, second.lift),
    )


@dataclass(frozen=True, eq=False)
class BentHand:
    """A hand with bent fingers, as modelled: the wrist has not turned."""

    turns: dict[str, Matrix]
    """Turns of the finger bones, relative to the hand."""
    touch: Array
    """From the wrist to what touches, mm."""


class HandModel:
    """The anatomy of one hand (`L` or `R`) of a skeleton."""

    def __init__(self, skeleton: Skeleton, side: str) -> None:
        """Measure the modelled hand."""
        self._side, self._skeleton = side, skeleton
        self.wrist = skeleton.head(f"wrist.{side}")
        knuckles = {n: skeleton.head(f"finger{n}-1.{side}") for n in FINGERS}
        along, across = knuckles[3] - self.wrist, knuckles[2] - knuckles[5]
        normal = np.cross(along, across)
        tips = np.mean([skeleton.tail(f"finger{n}-3.{side}") - knuckles[n] for n in FINGERS], axis=0)
        if float(tips @ normal) < 0.0:  # relaxed fingers bend towards the palm
            normal = -normal
        self.frame = frame_of(along, normal)
        """Columns: along the fingers, out of the palm, and their product."""
        self._thumb_side = unit(across - unit(along) * float(across @ unit(along)))

    def bent(self, grip: Grip) -> BentHand:
        """Return the hand with its fingers bent for a grip."""
        along, palm = self.frame[:, 0], self.frame[:, 1]
        turns: dict[str, Matrix] = {}
        tips = {}
        for number, finger in enumerate(FINGERS):
            turn = turn_about(np.cross(along, self._thumb_side), grip.spread * (1.5 - number))
            tips[finger] = self._finger(finger, turn, grip.curls[number], turns)
        tip_of_thumb = self._thumb(grip, turns)
        pinch = (tip_of_thumb + tips[2]) / 2.0
        flat = (tips[2] + tips[3] + tips[4]) / 3.0
        touches = (pinch, flat, tips[2])
        low = min(int(grip.touch), 1)
        share = grip.touch - low
        touch = touches[low] * (1.0 - share) + touches[low + 1] * share
        return BentHand(turns, np.asarray(touch + palm * grip.lift))

    def _finger(
        self, finger: int, turn: Matrix, curls: tuple[float, float, float], turns: dict[str, Matrix]
    ) -> Array:
        """Bend one finger, and return its tip from the wrist."""
        skeleton, side, palm = self._skeleton, self._side, self.frame[:, 1]
        at = skeleton.head(f"finger{finger}-1.{side}") - self.wrist
        for joint, curl in enumerate(curls, start=1):
            name = f"finger{finger}-{joint}.{side}"
            bone = skeleton.tail(name) - skeleton.head(name)
            if joint == 1:
                axis = np.cross(unit(bone), palm)
            turn = turn @ turn_about(axis, curl)
            turns[name] = turn
            at = at + turn @ bone
        return np.asarray(at)

    def _thumb(self, grip: Grip, turns: dict[str, Matrix]) -> Array:
        """Bend the thumb, and return its tip from the wrist."""
        skeleton, side = self._skeleton, self._side
        along, palm = self.frame[:, 0], self.frame[:, 1]
        oppose, middle, outer = grip.thumb
        turn = turn_about(np.cross(self._thumb_side, palm), oppose)
        at = skeleton.head(f"finger1-1.{side}") - self.wrist
        # The thumb bends across the palm.
        axis = np.cross(unit(along * 0.6 + self._thumb_side * 0.8), unit(palm * 0.5 - self._thumb_side))
        for joint, curl in enumerate((0.0, middle, outer), start=1):
            name = f"finger1-{joint}.{side}"
            turn = turn @ turn_about(axis, curl)
            turns[name] = turn
            at = at + turn @ (skeleton.tail(name) - skeleton.head(name))
        return np.asarray(at)

    def attitude(self, heading: Array, pitch: float, roll: float) -> Matrix:
        """Return the turn of a hand whose fingers point along `heading`, palm down.

        Args:
            heading: Horizontal direction of the fingers.
            pitch: How far they point down, degrees.
            roll: How far the thumb's side hangs lower, degrees.
        """
        down = np.array([0.0, 0.0, -1.0])
        ahead = unit(heading)
        angle = math.radians(pitch)
        fingers = ahead * math.cos(angle) + down * math.sin(angle)
        palm = down * math.cos(angle) - ahead * math.sin(angle)
        wanted = frame_of(fingers, palm)
        turn = wanted @ self.frame.T
        # The thumb's side goes down where it was level.
        side = turn @ self._thumb_side
        about = np.cross(side, palm)
        return np.asarray(turn_about(about, roll) @ turn)


def hand_landmarks(skeleton: Skeleton, bent: Bent, side: str) -> Array:
    """Return the 21 landmarks (21 x 3 mm) of one hand of a bent skeleton, in MediaPipe's order.

    That is the wrist, then from the thumb to the little finger the three joints of each and its tip.
    """
    points = [bent.heads[skeleton.number(f"wrist.{side}")]]
    for finger in (1, *FINGERS):
        bones = [f"finger{finger}-{joint}.{side}" for joint in (1, 2, 3)]
        points += [bent.heads[skeleton.number(bone)] for bone in bones]
        points.append(bent.place(skeleton, bones[2], skeleton.tail(bones[2])))
    return np.array(points)
