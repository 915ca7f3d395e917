"""The timeline of a film: moves of cards and arms, and the events of the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from datasets.films.geometry import ArmPose, Grip, Pose

RESTING: tuple[Grip, ...] = ("away", "rest", "fan")
"""Grips of a hand that does nothing."""
ArmName = tuple[str, str]
"""A player's name and `main` or `other` hand."""


@dataclass(frozen=True, slots=True)
class CardMove:
    """The move of one card, between two poses at rest or outside the picture."""

    piece: int
    """Number of the piece in the film."""
    card: str | None
    """Its face; None if it is never seen."""
    start_s: float
    end_s: float
    start: Pose
    end: Pose
    face_start: bool
    """Whether it starts face up."""
    face_end: bool
    lift: float
    """Additional height half-way, mm."""
    leaves: bool
    """Whether it leaves the picture."""
    arm: ArmName | None = None
    """The arm that carries it; None if it lies there from the beginning."""

    def at(self, t: float) -> tuple[Pose, bool, float]:
        """Return the pose, whether the face is up, and the share of the width that shows, at time `t`."""
        share = eased((t - self.start_s) / max(self.end_s - self.start_s, 1e-6))
        pose = self.start.blended(self.end, share)
        pose = Pose(pose.x, pose.y, pose.angle, pose.z + self.lift * math.sin(math.pi * share))
        if self.face_start == self.face_end:
            return pose, self.face_end, 1.0
        # It turns over about its long axis in the middle half of the way.
        turn = min(max((share - 0.25) / 0.5, 0.0), 1.0)
        return pose, self.face_end if turn > 0.5 else self.face_start, abs(math.cos(math.pi * turn))


@dataclass(frozen=True, slots=True)
class ArmMove:
    """The move of one arm. Between two moves it stays in place."""

    arm: ArmName
    start_s: float
    end_s: float
    start: ArmPose
    end: ArmPose
    lift: float

    def at(self, t: float) -> ArmPose:
        """Return the pose of the arm at time `t`."""
        share = eased((t - self.start_s) / max(self.end_s - self.start_s, 1e-6))
        a, b = self.start, self.end
        turn = (b.heading - a.heading + 180.0) % 360.0 - 180.0
        grip: Grip = b.grip if share > 0.4 else a.grip
        return ArmPose(
            a.x + (b.x - a.x) * share,
            a.y + (b.y - a.y) * share,
            a.z + (b.z - a.z) * share + self.lift * math.sin(math.pi * share),
            a.heading + turn * share,
            grip,
        )


def eased(share: float) -> float:
    """Return the share of the way for a share of the time (0 to 1) in a minimum-jerk movement."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@dataclass(frozen=True, slots=True)
class Action:
    """One event of the truth, with its times."""

    start_s: float
    end_s: float
    line: dict[str, object]


@dataclass(frozen=True)
class Timeline:
    """A whole film: every move, every event, and the duration."""

    card_moves: tuple[CardMove, ...]
    """Sorted by start."""
    arm_moves: tuple[ArmMove, ...]
    """Sorted by start."""
    actions: tuple[Action, ...]
    duration_s: float

    def is_still(self, t: float) -> bool:
        """Return whether nothing moves at time `t`, and no arm is in the picture except at rest."""
        away: dict[ArmName, bool] = {}
        for move in self.arm_moves:
            if move.start_s > t:
                break
            away[move.arm] = move.end_s <= t and move.end.grip in RESTING
        return all(away.values()) and not any(m.start_s <= t < m.end_s for m in self.card_moves)
