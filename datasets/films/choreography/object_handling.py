"""Hands that move the things on a table: bring a glass, drink from it, take it away."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from datasets.films.choreography.stage import Piece, Stage
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import ArmPose, Pose
from datasets.films.rendering.objects import Thing
from datasets.films.timeline import ArmName


class Handling:
    """The verbs of the stage, for things that are gripped at their edge."""

    def __init__(self, stage: Stage, things: Mapping[str, Thing], rng: random.Random) -> None:
        """`things` by the names of their pieces; it may grow."""
        self._stage, self._things, self._rng = stage, things, rng

    def lift(self, arm: ArmName, piece: Piece) -> None:
        """Reach for a thing and take hold of it."""
        self._stage.reach(arm, self._grip(arm, piece, placed(piece)))
        self._stage.wait(0.08, 0.3)

    def put(self, arm: ArmName, pieces: Sequence[Piece], ends: Sequence[Pose]) -> None:
        """Carry things to where they come to stand, and let go."""
        self._stage.carry(arm, self._grip(arm, pieces[0], ends[0]), pieces, ends, lift=40.0)
        self._stage.wait(0.08, 0.3)

    def drink(self, player: str, piece: Piece) -> None:
        """Take a thing off the table and put it back some seconds later, a little beside."""
        arm, before = (player, "main"), placed(piece)
        self.lift(arm, piece)
        self._stage.go_home(arm, [piece])
        self._stage.wait(1.0, 3.5)
        near = replace(before, x=before.x + self._rng.gauss(0, 3), y=before.y + self._rng.gauss(0, 3))
        self.put(arm, [piece], [near])
        self._stage.go_home(arm)

    def _grip(self, arm: ArmName, piece: Piece, pose: Pose) -> ArmPose:
        """Return the arm's pose that holds a thing at its near edge."""
        thing = self._things.get(piece.card or "")
        if thing is None:
            return self._stage.over(arm, pose)
        near = min(thing.width, thing.depth) / 2.0 - 4.0
        raised = replace(pose, z=pose.z + min(thing.height * 0.6, 60.0))
        return self._stage.over(arm, raised, forward=max(near, 0.0))
