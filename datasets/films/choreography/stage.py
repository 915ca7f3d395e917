"""The stage: the pieces on the table, the arms, and a few verbs from which gestures are built."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from datasets.films.choreography.layout import Layout, Seat
from datasets.films.geometry import CARD_THICKNESS_MM, ArmPose, Grip, Pose
from datasets.films.timeline import Action, ArmMove, ArmName, CardMove, Timeline

GRIP_TO_CENTRE_MM = 24.0
"""Distance of the middle of a held card in front of finger and thumb."""


@dataclass(slots=True)
class Piece:
    """One piece of cardboard: on the table, in an arm's grip, or out of the picture (pose None)."""

    number: int
    card: str | None
    pose: Pose | None
    face_up: bool


@dataclass(frozen=True, slots=True)
class Manner:
    """The manner of movement of one person."""

    speed: float
    """Speed of the hand; 1 is average."""
    sets: str
    """How sets lie: `fan`, `down` (fanned to the player), `singly`, `stack` (singly) or `squared`."""
    jitter_mm: float
    jitter_degrees: float
    straight_on: float
    """Chance that the hand goes straight from a play to the draw pile."""
    tosses: float = 0.0
    """Chance that played cards are released before the pile, and slide there."""


def random_manner(rng: random.Random, messy: float) -> Manner:
    """Return a random manner; `messy` goes from 0 (squared piles) to 1."""
    return Manner(
        speed=rng.uniform(0.8, 1.3),
        sets=rng.choice(["fan", "fan", "singly", "down"]),
        jitter_mm=2.0 + 10.0 * messy * rng.uniform(0.6, 1.4),
        jitter_degrees=2.5 + 16.0 * messy * rng.uniform(0.6, 1.4),
        straight_on=rng.choice([0.0, 0.3, 0.9]),
    )


class Stage:
    """Pieces, arms and the clock. Every verb appends moves; none draws anything."""

    def __init__(self, layout: Layout, manners: dict[str, Manner], rng: random.Random) -> None:
        """Begin at time 0 with an empty table."""
        self.layout = layout
        self.manners = manners
        self.rng = rng
        self.now = 0.0
        self.pieces: list[Piece] = []
        self.actions: list[Action] = []
        self._card_moves: list[CardMove] = []
        self._arm_moves: list[ArmMove] = []
        self._arms: dict[ArmName, ArmPose] = {}
        self._free_from: dict[ArmName, float] = {}

    # -- pieces ------------------------------------------------------------------------------------

    def new_piece(self, card: str | None, *, face_up: bool) -> Piece:
        """Return a new piece outside the picture."""
        piece = Piece(len(self.pieces), card, None, face_up)
        self.pieces.append(piece)
        return piece

    def lie(self, piece: Piece, pose: Pose) -> None:
        """Put a piece at a pose from the beginning of the film."""
        face = piece.face_up
        self._card_moves.append(
            CardMove(piece.number, piece.card, 0.0, 0.0, pose, pose, face, face, 0.0, leaves=False)
        )
        piece.pose = pose

    # -- arms --------------------------------------------------------------------------------------

    def arm_at(self, arm: ArmName, x: float, y: float, z: float, grip: Grip) -> ArmPose:
        """Return the pose of an arm with its grip at (x, y, z) mm."""
        shoulder_x, shoulder_y = self._shoulder(arm)
        heading = math.degrees(math.atan2(y - shoulder_y, x - shoulder_x))
        return ArmPose(x, y, z, heading, grip)

    def home(self, arm: ArmName) -> ArmPose:
        """Return the pose of an arm that rests outside the picture."""
        seat = self.layout.seat(arm[0])
        pose = seat.home
        if arm[1] == "other":
            across = 140.0 if not seat.right_handed else -140.0
            pose = pose.shifted(across, 0.0)
        return self.arm_at(arm, pose.x, pose.y, pose.z, "away")

    def _shoulder(self, arm: ArmName) -> tuple[float, float]:
        seat = self.layout.seat(arm[0])
        if arm[1] == "main":
            return seat.shoulder
        across = 240.0 if not seat.right_handed else -240.0
        pose = Pose(*seat.shoulder, seat.angle).shifted(across, 0.0)
        return pose.x, pose.y

    def arm_pose(self, arm: ArmName) -> ArmPose:
        """Return the pose of an arm after its last move."""
        return self._arms.get(arm) or self.home(arm)

    def travel_time(self, arm: ArmName, target: ArmPose, hurry: float = 1.0) -> float:
        """Return how many seconds this person takes to move the arm to `target`."""
        here = self.arm_pose(arm)
        distance = math.hypot(target.x - here.x, target.y - here.y)
        return (
            (0.26 + distance / 1000.0) / (self.manners[arm[0]].speed * hurry) * self.rng.uniform(0.93, 1.07)
        )

    def reach(
        self, arm: ArmName, target: ArmPose, *, hurry: float = 1.0, seconds: float | None = None
    ) -> None:
        """Move an arm without cards, and wait until it is there."""
        self.carry(arm, target, (), (), hurry=hurry, seconds=seconds)

    def carry(
        self,
        arm: ArmName,
        target: ArmPose,
        pieces: Sequence[Piece],
        ends: Sequence[Pose],
        *,
        face_up: bool | None = None,
        hurry: float = 1.0,
        seconds: float | None = None,
        slide: float = 0.0,
        lift: float = 26.0,
        leaves: bool = False,
    ) -> None:
        """Move an arm with pieces in its grip, and put them at `ends`.

        Args:
            arm: The arm.
            target: Its pose at the end.
            pieces: The pieces, bottom first. One that is outside the picture starts in the resting hand.
            ends: The pose of each piece at the end.
            face_up: The side that is up at the end; None keeps it.
            hurry: Speed relative to that of the person.
            seconds: Overrides the duration.
            slide: Seconds that the pieces move on after the hand has let go.
            lift: Additional height of hand and cards half-way, mm.
            leaves: Whether the pieces leave the picture.
        """
        begin = max(self.now, self._free_from.get(arm, 0.0))
        took = seconds if seconds is not None else self.travel_time(arm, target, hurry)
        here = self.arm_pose(arm)
        self._arm_moves.append(ArmMove(arm, begin, begin + took, here, target, lift))
        for piece, end in zip(pieces, ends, strict=True):
            start = piece.pose or self.held(here, piece.number)
            face = piece.face_up if face_up is None else face_up
            finish = begin + took + slide
            self._card_moves.append(
                CardMove(
                    piece.number,
                    piece.card,
                    begin,
                    finish,
                    start,
                    end,
                    piece.face_up,
                    face,
                    lift,
                    leaves,
                    arm,
                )
            )
            piece.pose, piece.face_up = None if leaves else end, face
        self._arms[arm] = target
        self._free_from[arm] = begin + took
        self.now = begin + took

    def go_home(
        self, arm: ArmName, pieces: Sequence[Piece] = (), *, wait: bool = False, hurry: float = 1.1
    ) -> float:
        """Move an arm and its pieces out of the picture; returns the time at which it is gone.

        The clock stands still, unless `wait` is true or the arm carries pieces.
        """
        began, home = self.now, self.home(arm)
        ends = [
            replace(self.held(home, piece.number), z=60.0 + index * 0.5) for index, piece in enumerate(pieces)
        ]
        self.carry(arm, home, pieces, ends, hurry=hurry, leaves=True)
        gone = self.now
        if not (wait or pieces):
            self.now = began
        return gone

    def held(self, arm: ArmPose, salt: int = 0, forward: float = GRIP_TO_CENTRE_MM) -> Pose:
        """Return the pose of a card in the grip of a hand."""
        turn = math.radians(arm.heading)
        wobble = random.Random(salt)
        return Pose(
            arm.x + math.cos(turn) * forward + wobble.uniform(-3, 3),
            arm.y + math.sin(turn) * forward + wobble.uniform(-3, 3),
            arm.heading + 90.0 + wobble.uniform(-5, 5),
            max(arm.z - 5.0, 0.5),
        )

    def over(
        self, arm: ArmName, pose: Pose, grip: Grip = "hold", forward: float = GRIP_TO_CENTRE_MM
    ) -> ArmPose:
        """Return the pose of an arm that grips a card at `pose`."""
        aim = self.arm_at(arm, pose.x, pose.y, pose.z + 5.0, grip)
        turn = math.radians(aim.heading)
        x, y = pose.x - math.cos(turn) * forward, pose.y - math.sin(turn) * forward
        return replace(aim, x=x, y=y)

    # -- time --------------------------------------------------------------------------------------

    def wait(self, low: float, high: float) -> None:
        """Let between `low` and `high` seconds pass."""
        self.now += self.rng.uniform(low, high)

    def record(self, start_s: float, end_s: float, line: dict[str, object]) -> None:
        """Record an event of the truth."""
        self.actions.append(Action(start_s, end_s, line))

    def timeline(self, tail_s: float = 2.0) -> Timeline:
        """Return the timeline so far; the film ends `tail_s` after the last move."""
        last = max([self.now, *self._free_from.values()])
        return Timeline(
            tuple(sorted(self._card_moves, key=lambda move: move.start_s)),
            tuple(sorted(self._arm_moves, key=lambda move: move.start_s)),
            tuple(self.actions),
            last + tail_s,
        )

    # -- piles -------------------------------------------------------------------------------------

    def jittered(self, pose: Pose, seat: Seat, height: int) -> Pose:
        """Return the pose at which this person really puts a card meant for `pose`, `height` cards up."""
        manner, rng = self.manners[seat.player], self.rng
        return Pose(
            pose.x + rng.gauss(0.0, manner.jitter_mm * 0.5),
            pose.y + rng.gauss(0.0, manner.jitter_mm * 0.5),
            pose.angle + rng.gauss(0.0, manner.jitter_degrees * 0.5),
            height * CARD_THICKNESS_MM,
        )
