"""Hands that move the objects on a table: bring a glass, drink from it, take it away."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from datasets.films.choreography.stage import Piece, Stage
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import ArmPose, Grip, Pose
from datasets.films.rendering.objects import TableObject
from datasets.films.timeline import ArmName

_FLAT_MM = 30.0
"""A round object that is higher is held like a glass."""


class ObjectHandling:
    """Moves objects on the stage. A hand grips them at their edge."""

    def __init__(self, stage: Stage, objects: Mapping[str, TableObject], rng: random.Random) -> None:
        """Handle `objects`, by the names of their pieces. More may be added later."""
        self._stage, self._objects, self._rng = stage, objects, rng

    def lift(self, arm: ArmName, piece: Piece) -> None:
        """Reach for an object and grip it."""
        self._stage.reach(arm, self._grip(arm, piece, placed(piece)))
        self._stage.wait(0.08, 0.3)

    def put(self, arm: ArmName, pieces: Sequence[Piece], ends: Sequence[Pose]) -> None:
        """Carry objects to their places, and let go."""
        self._stage.carry(arm, self._grip(arm, pieces[0], ends[0]), pieces, ends, lift=40.0)
        self._stage.wait(0.08, 0.3)

    def drink(self, player: str, piece: Piece) -> None:
        """Lift an object off the table, and put it back nearby a few seconds later."""
        arm, before = (player, "main"), placed(piece)
        self.lift(arm, piece)
        self._stage.go_home(arm, [piece])
        self._stage.wait(1.0, 3.5)
        near = replace(before, x=before.x + self._rng.gauss(0, 3), y=before.y + self._rng.gauss(0, 3))
        self.put(arm, [piece], [near])
        self._stage.go_home(arm)

    def _grip(self, arm: ArmName, piece: Piece, pose: Pose) -> ArmPose:
        """Return the pose of an arm that grips an object at its near edge."""
        item = self._objects.get(piece.card or "")
        if item is None:
            return self._stage.over(arm, pose)
        near = min(item.width, item.depth) / 2.0 - 4.0
        raised = replace(pose, z=pose.z + min(item.height * 0.6, 60.0))
        grip: Grip = "grasp" if item.round and item.height > _FLAT_MM else "hold"
        return self._stage.over(arm, raised, grip, forward=max(near, 0.0))
