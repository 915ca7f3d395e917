"""Bends a whole person: the trunk leans, the head looks, both arms reach, fingers grip."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from datasets.films.people.hands import GRIPS, Grip, HandModel
from datasets.films.people.rig import Array, Bent, Matrix, Skeleton, bend, frame_of, reach, turn_about, unit

SEAT_MM = -285.0
"""Height of the hips over the table."""
BACK_MM = 325.0
"""Distance of the hips of somebody who sits upright from the edge of the table."""
_SPINE = ("spine05", "spine04", "spine03", "spine02", "spine01")
_NECK = ("neck01", "neck02", "neck03")
_MOST_LEAN = 50.0
_SLIDE_MM = 150.0
"""How far the hips come forward as somebody reaches as far as they can."""
_HIP_SHARE = 0.45
"""Share of a lean that happens in the hips and not in the back."""
_RIGHT = np.array([1.0, 0.0, 0.0])
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class HandPose:
    """Where one hand is."""

    point: tuple[float, float, float]
    """The point that the grip touches, mm in the frame of the seat."""
    heading: float
    """Direction of the fingers, degrees; -90 is away from the player."""
    grip: Grip = GRIPS["rest"]


@dataclass(frozen=True, slots=True)
class BodyPose:
    """The pose of one person at one moment, in the frame of the seat."""

    along: float
    """x of the middle of the person, mm."""
    edge: float
    """y of the edge of the table."""
    left: HandPose
    right: HandPose
    lean: float = 8.0
    """How far the trunk bends forward at least, degrees; more if a hand would not reach."""
    side: float = 0.0
    """How far it bends to the right of the person, degrees."""
    nod: float = 25.0
    """How far the head looks down, relative to the trunk."""
    look: float = 0.0
    """How far it looks to the right of the person."""


class Person:
    """The body of one person, which takes poses."""

    def __init__(self, skeleton: Skeleton) -> None:
        """Measure the body."""
        self.skeleton = skeleton
        self._hands = {side: HandModel(skeleton, side) for side in "LR"}
        self._hips = (skeleton.head("upperleg01.L") + skeleton.head("upperleg01.R")) / 2.0
        self._root = skeleton.head("root")
        self._lengths = {
            side: (
                float(
                    np.linalg.norm(skeleton.head(f"lowerarm01.{side}") - skeleton.head(f"upperarm01.{side}"))
                ),
                float(np.linalg.norm(skeleton.head(f"wrist.{side}") - skeleton.head(f"lowerarm01.{side}"))),
            )
            for side in "LR"
        }

    def take(self, pose: BodyPose) -> Bent:
        """Return the skeleton in a pose. It leans further forward if a hand would not reach its point."""
        wrists = {side: self._wrist(side, self._hand(pose, side)) for side in "LR"}
        effort = 0.0
        if self._short(pose, 0.0, wrists) > 0.0:
            low, effort = 0.0, 1.0
            for _ in range(8):
                middle = (low + effort) / 2.0
                low, effort = (middle, effort) if self._short(pose, middle, wrists) > 0.0 else (low, middle)
        turns = self._trunk(pose, effort, wrists)
        root = self._placed_root(pose, effort)
        trunk = bend(self.skeleton, turns, root)
        for side in "LR":
            self._arm(side, pose, trunk, wrists[side], turns)
        return bend(self.skeleton, turns, root)

    @staticmethod
    def _hand(pose: BodyPose, side: str) -> HandPose:
        return pose.left if side == "L" else pose.right

    def _wrist(self, side: str, hand: HandPose) -> tuple[Array, Matrix, dict[str, Matrix]]:
        """Return the place of the wrist, the turn of the hand, and the turns of its fingers."""
        model = self._hands[side]
        bent = model.bent(hand.grip)
        angle = math.radians(hand.heading)
        heading = np.array([math.cos(angle), math.sin(angle), 0.0])
        turn = model.attitude(heading, hand.grip.pitch, hand.grip.roll)
        fingers = {name: turn @ own for name, own in bent.turns.items()}
        return np.array(hand.point) - turn @ bent.touch, turn, fingers

    def _placed_root(self, pose: BodyPose, effort: float) -> Array:
        slid = max(effort, min(max(pose.lean - 14.0, 0.0) / 60.0, 0.5)) * _SLIDE_MM
        hips = np.array([pose.along, pose.edge + BACK_MM - slid, SEAT_MM])
        return np.asarray(hips + self._root - self._hips)

    def _short(
        self, pose: BodyPose, effort: float, wrists: dict[str, tuple[Array, Matrix, dict[str, Matrix]]]
    ) -> float:
        """Return by how much the arms are too short at an effort, mm; 0 or less if they are not."""
        bent = bend(self.skeleton, self._trunk(pose, effort, wrists), self._placed_root(pose, effort))
        missing = []
        for side in "LR":
            upper, lower = self._lengths[side]
            shoulder = bent.heads[self.skeleton.number(f"upperarm01.{side}")]
            missing.append(float(np.linalg.norm(wrists[side][0] - shoulder)) - 0.965 * (upper + lower))
        return max(missing)

    def _trunk(
        self, pose: BodyPose, effort: float, wrists: dict[str, tuple[Array, Matrix, dict[str, Matrix]]]
    ) -> dict[str, Matrix]:
        """Return the turns of spine, neck, head, shoulders and legs at an effort (0 to 1) to reach far."""
        lean = pose.lean + max(_MOST_LEAN - pose.lean, 0.0) * effort
        turns: dict[str, Matrix] = {"root": turn_about(_RIGHT, lean * _HIP_SHARE)}
        # The shoulder of the hand that reaches further comes forward.
        ahead = {side: max(pose.edge - 40.0 - float(wrists[side][0][1]), 0.0) for side in "LR"}
        twist = max(-16.0, min(16.0, (ahead["L"] - ahead["R"]) * 0.045))
        whole = np.eye(3)
        for number, name in enumerate(_SPINE, start=1):
            share = number / len(_SPINE)
            whole = (
                turn_about(_UP, twist * share)
                @ turn_about(np.array([0.0, 1.0, 0.0]), pose.side * share)
                @ turn_about(_RIGHT, lean * (_HIP_SHARE + (1.0 - _HIP_SHARE) * share))
            )
            turns[name] = whole
        nod = pose.nod - 0.5 * lean
        for number, name in enumerate((*_NECK, "head"), start=1):
            share = number / 4.0
            turns[name] = whole @ turn_about(_UP, pose.look * share) @ turn_about(_RIGHT, nod * share)
        for side, sign in (("L", -1.0), ("R", 1.0)):
            forward = min(ahead[side] * 0.05, 20.0)
            turns[f"clavicle.{side}"] = whole @ turn_about(_UP, -sign * forward)
            thigh = turn_about(_UP, sign * 7.0) @ turn_about(_RIGHT, -84.0)
            turns[f"upperleg01.{side}"] = thigh
            turns[f"lowerleg01.{side}"] = np.eye(3)
        return turns

    def _arm(
        self,
        side: str,
        pose: BodyPose,
        trunk: Bent,
        wrist: tuple[Array, Matrix, dict[str, Matrix]],
        turns: dict[str, Matrix],
    ) -> None:
        """Bend one arm so that its wrist is where it should be."""
        skeleton, (upper, lower) = self.skeleton, self._lengths[side]
        names = [f"{bone}.{side}" for bone in ("upperarm01", "lowerarm01", "wrist")]
        numbers = [skeleton.number(name) for name in names]
        shoulder = trunk.heads[numbers[0]]
        outwards = 1.0 if side == "R" else -1.0
        pole = np.array([outwards * 0.75, 0.35, -0.75])
        found = reach(shoulder, wrist[0], upper, lower, pole, pose.edge)
        elbow, end = np.array(found.elbow), np.array(found.wrist)
        rest = skeleton.heads[numbers]
        rest_upper, rest_lower = rest[1] - rest[0], rest[2] - rest[1]
        rest_normal = np.cross(rest_upper, rest_lower)
        normal = np.cross(elbow - shoulder, end - elbow)
        if float(np.linalg.norm(normal)) < 1.0:
            normal = np.cross(elbow - shoulder, pole)
        turns[names[0]] = frame_of(elbow - shoulder, normal) @ frame_of(rest_upper, rest_normal).T
        lower_turn = frame_of(end - elbow, normal) @ frame_of(rest_lower, rest_normal).T
        turns[names[1]] = lower_turn
        # Half of the turn of the hand about the forearm happens in the forearm.
        turns[f"lowerarm02.{side}"] = _twisted(lower_turn, wrist[1], unit(rest_lower), 0.5)
        turns[names[2]] = wrist[1]
        turns.update(wrist[2])


def _twisted(base: Matrix, hand: Matrix, axis: Array, share: float) -> Matrix:
    """Return `base` with a share of the turn that leads from it to `hand` about the modelled axis."""
    relative = base.T @ hand
    across = unit(np.cross(axis, _UP if abs(float(axis[2])) < 0.9 else _RIGHT))
    turned = relative @ across
    turned = turned - axis * float(turned @ axis)
    if float(np.linalg.norm(turned)) < 1e-6:
        return base
    turned = unit(turned)
    angle = math.degrees(math.atan2(float(np.cross(across, turned) @ axis), float(across @ turned)))
    return np.asarray(base @ turn_about(axis, angle * share))
