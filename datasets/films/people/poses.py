"""Turns a timeline into poses of bodies and into cards in the air, moment by moment."""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.films.choreography.layout import Layout, Seat
from datasets.films.geometry import ArmPose, Pose, rotated
from datasets.films.people.acting import FAN_HEIGHT_MM, Held, Lean
from datasets.films.people.body import BodyPose, HandPose
from datasets.films.people.hands import GRIPS, blended
from datasets.films.people.levels import Level
from datasets.films.people.rig import turn_about
from datasets.films.timeline import ArmMove, ArmName, CardMove, Timeline, eased
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

Corners = NDArray[np.float64]
"""4 x 3 mm on the table, clockwise from the top left of a card on the side of its face."""
_RIM_MM = 12.0
_SWAY_STEP = 0.12
_LEAN_TAKES_S = 0.7
_FAN_TILT = 52.0
"""How far the cards of a fan lean back from lying flat, degrees; their faces look at the player."""
_FAN_STEP = 11.0
"""Angle between two cards of a fan, degrees."""
_MOST_IN_FAN = 9
_PALM_MM = 26.0
"""Distance of the middle of a held card in front of the thumb of a fan."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How one person sits."""

    lean: float
    nod: float
    sway: tuple[float, float, float]
    """Size (degrees), period (seconds) and phase of the slow motion of the trunk."""


def random_habit(level: Level, rng: random.Random) -> Habit:
    """Return how a random person sits at a level."""
    return Habit(
        rng.uniform(*level.upright),
        rng.uniform(18.0, 32.0),
        (rng.uniform(0.3, 1.0), rng.uniform(4.0, 9.0), rng.uniform(0.0, 6.28)),
    )


class Cast:
    """The people of a film and what they do when."""

    def __init__(
        self,
        layout: Layout,
        timeline: Timeline,
        level: Level,
        homes: Mapping[ArmName, ArmPose],
        held: Sequence[Held],
        leans: Sequence[Lean],
        rng: random.Random,
    ) -> None:
        """Sort the moves of each arm. `homes` says where arms are that have not moved yet."""
        self._layout, self._homes = layout, homes
        self._habits = {seat.player: random_habit(level, rng) for seat in layout.seats}
        self._moves: dict[ArmName, list[ArmMove]] = {}
        for move in timeline.arm_moves:
            self._moves.setdefault(move.arm, []).append(move)
        self._starts = {arm: [move.start_s for move in moves] for arm, moves in self._moves.items()}
        self._held = {
            seat.player: [one for one in held if one.player == seat.player] for seat in layout.seats
        }
        self._leans = {
            seat.player: [one for one in leans if one.player == seat.player] for seat in layout.seats
        }

    def arm(self, name: ArmName, t: float) -> tuple[ArmMove | None, ArmPose]:
        """Return the latest move of an arm and its pose at time `t`."""
        number = bisect.bisect_right(self._starts.get(name, []), t) - 1
        if number < 0:
            first = self._moves.get(name)
            return None, first[0].start if first else self._homes[name]
        move = self._moves[name][number]
        return move, move.at(t)

    def speed(self, t: float, over: float) -> float:
        """Return the motion of the fastest hand in the `over` seconds before `t`, mm."""
        fastest = 0.0
        for name in self._moves:
            now, before = self.arm(name, t)[1], self.arm(name, t - over)[1]
            fastest = max(fastest, math.dist((now.x, now.y, now.z), (before.x, before.y, before.z)))
        return fastest

    def pose(self, player: str, t: float) -> BodyPose:
        """Return the pose of a person at time `t`, in the frame of the seat."""
        seat, habit = self._layout.seat(player), self._habits[player]
        along, edge = rotated(seat.edge.x, seat.edge.y, -seat.angle)
        main, other = self._hand(seat, "main", t, edge), self._hand(seat, "other", t, edge)
        left, right = (other, main) if seat.right_handed else (main, other)
        size, period, phase = habit.sway
        # In steps too small to see, so that a person who does nothing is not redrawn in every frame.
        lean = habit.lean + _stepped(size * math.sin(t * 6.2832 / period + phase))
        side = _stepped(0.6 * size * math.sin(t * 6.2832 / (period * 1.7) + phase * 2.0))
        for one in self._leans[player]:
            share = eased((t - one.from_s) / _LEAN_TAKES_S) * eased(
                (one.to_s + _LEAN_TAKES_S - t) / _LEAN_TAKES_S
            )
            lean, side = max(lean, lean + (one.degrees - lean) * share), side + one.side * share
        towards = math.degrees(math.atan2(main.point[0] - along, max(edge + 150.0 - main.point[1], 60.0)))
        return BodyPose(along, edge, left, right, lean, side, habit.nod, max(-25.0, min(25.0, 0.4 * towards)))

    def _hand(self, seat: Seat, which: str, t: float, edge: float) -> HandPose:
        move, now = self.arm((seat.player, which), t)
        x, y = rotated(now.x, now.y, -seat.angle)
        # Over the table a hand is over it, and behind its edge it may sink into the lap.
        sink = min(max((y - edge - _RIM_MM) / 70.0, 0.0), 1.0)
        z = max(now.z, 3.0 - 90.0 * sink)
        if move is None:
            grip = GRIPS[now.grip]
        else:
            share = (t - move.start_s) / max(move.end_s - move.start_s, 1e-6)
            grip = blended(GRIPS[move.start.grip], GRIPS[move.end.grip], eased((share - 0.1) / 0.7))
        heading = (now.heading - seat.angle + 90.0 + 180.0) % 360.0 - 180.0
        return HandPose((x, y, z), -90.0 + max(-55.0, min(55.0, heading)), grip)

    # -- cards in hands ----------------------------------------------------------------------------

    def fan(self, player: str, t: float) -> list[tuple[str, Corners]]:
        """Return the names and corners of the cards in a player's fan at time `t`, from back to front."""
        cards = [one.card for one in self._held[player] if one.from_s <= t < one.to_s and one.card]
        if not cards:
            return []
        seat = self._layout.seat(player)
        hand = self.arm((player, "other"), t)[1]
        if hand.grip != "fan":
            return []
        shown = cards[-_MOST_IN_FAN:]
        step = min(_FAN_STEP, 70.0 / max(len(shown) - 1, 1))
        placed = []
        for number, card in enumerate(shown):
            turn = (number - (len(shown) - 1) / 2.0) * step
            flat = _flat(Pose(0.0, 0.0, turn).shifted(0.0, -_PALM_MM))
            flat[:, 2] += number * 0.5
            tilted = flat @ turn_about(np.array([1.0, 0.0, 0.0]), -_FAN_TILT).T
            at = np.array([hand.x, hand.y, hand.z + 4.0])
            placed.append((card, _turned(tilted, seat.angle) + at))
        return placed

    def in_air(self, move: CardMove, t: float) -> tuple[bool, Corners]:
        """Return whether the face of a moving card is up, and its corners at time `t`."""
        pose, face_up, _ = move.at(t)
        share = eased((t - move.start_s) / max(move.end_s - move.start_s, 1e-6))
        turned = 0.0
        if move.face_start != move.face_end:
            turned = 180.0 * min(max((share - 0.25) / 0.5, 0.0), 1.0)
            face_up = move.face_start if turned < 90.0 else move.face_end
        flat = _flat(Pose(0.0, 0.0))
        shows_face = move.face_start
        if not shows_face:  # the back is up: turned over about the long axis
            flat[:, 0] = -flat[:, 0]
        if turned:
            flat = flat @ turn_about(np.array([0.0, 1.0, 0.0]), turned).T
        corners = _turned(flat, pose.angle)
        tilt = self._tilt(move, share) * (-1.0 if face_up else 1.0)
        if tilt and move.arm:
            angle = math.radians(self._layout.seat(move.arm[0]).angle)
            right = np.array([math.cos(angle), math.sin(angle), 0.0])
            corners = corners @ turn_about(right, tilt).T
        return face_up, corners + np.array([pose.x, pose.y, pose.z])

    @staticmethod
    def _tilt(move: CardMove, share: float) -> float:
        """Return how far a card is tilted as it leaves a fan or goes into one, degrees."""
        high = FAN_HEIGHT_MM
        start = _FAN_TILT * (1.0 - eased(share / 0.5)) if move.start.z > high else 0.0
        end = _FAN_TILT * eased((share - 0.5) / 0.5) if move.leaves and move.end.z > high else 0.0
        return max(start, end)


def _stepped(degrees: float) -> float:
    return float(round(degrees / _SWAY_STEP) * _SWAY_STEP)


def _flat(pose: Pose) -> Corners:
    """Return the corners of a card that lies flat, face up."""
    half = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) / 2.0
    corners = half * np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM])
    turned = np.array([rotated(x, y, pose.angle) for x, y in corners]) + np.array([pose.x, pose.y])
    return np.asarray(np.c_[turned, np.full(4, pose.z)])


def _turned(points: Corners, angle: float) -> Corners:
    """Return points turned about the vertical by `angle` degrees, clockwise in the picture."""
    turn = math.radians(angle)
    matrix = np.array(
        [[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0, 0, 1.0]]
    )
    return np.asarray(points @ matrix.T)
