"""A film of a table without a game.

Arms reach over it, and objects come, move and go. A pack of cards is shuffled, and not dealt.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from datasets.films.choreography.layout import make_layout
from datasets.films.choreography.object_handling import ObjectHandling
from datasets.films.choreography.stage import Piece, Stage, random_manner
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import CARD_THICKNESS_MM, Grip, Pose
from datasets.films.production import TABLE_MM, Shot, pick_deck, place_camera, set_up_picture
from datasets.films.rendering.arms import random_look
from datasets.films.rendering.objects import ObjectArtist, TableObject, random_object
from datasets.films.rendering.video import FilmWriter
from datasets.films.timeline import Timeline
from datasets.progress import Progress

PEOPLE = ("Ann", "Bob", "Cat", "Dan")
_BROUGHT = ("glass", "glass", "mat", "mat", "coin", "phone", "slip", "wallet", "bowl", "pen")
_MOST_OBJECTS = 11
_GAP_MM = 12.0
_PACK = 52
_PACK_RADIUS_MM = 130.0
"""Radius of the space that shuffling needs."""


class BusyTable:
    """The acts of people at a table without a game, one for each method."""

    def __init__(self, stage: Stage, rng: random.Random) -> None:
        """Begin with the empty table of `stage`."""
        self._stage, self._rng = stage, rng
        self.objects: dict[str, TableObject] = {}
        """All objects that were ever on the table, by the names of their pieces."""
        self._hands = ObjectHandling(stage, self.objects, rng)
        self._lying: list[Piece] = []
        self._pack: list[Piece] = []
        self._taken: list[tuple[Pose, float]] = []
        """Occupied places, with their radii in millimetres."""

    def act_for(self, seconds: float) -> None:
        """Act until this time has passed. The pack is shuffled twice in it."""
        stage, rng = self._stage, self._rng
        shuffles = [seconds * 0.3, seconds * 0.65]
        while stage.now < seconds:
            if shuffles and stage.now > shuffles[0]:
                if self.shuffle(rng.choice(PEOPLE)):
                    shuffles.pop(0)
                elif self._lying:  # no room for it yet
                    self.take(rng.choice(PEOPLE))
            acts: list[Callable[[str], None]] = [self.gesture]
            if len(self._lying) < _MOST_OBJECTS:
                acts += [self.bring] * 3
            if self._lying:
                acts += [self.take, self.move, self.move, self.drink, self.drink]
            player, began = rng.choice(PEOPLE), stage.now
            rng.choice(acts)(player)
            if rng.random() < 0.35:  # meanwhile somebody else reaches in, and touches nothing
                ended, stage.now = stage.now, began + rng.uniform(0.1, 0.6)
                self.gesture(rng.choice([other for other in PEOPLE if other != player]))
                stage.now = max(stage.now, ended)
            stage.wait(0.2, 1.6)

    def bring(self, player: str) -> None:
        """Put down a new object, or a few coins at once."""
        kind = self._rng.choice(_BROUGHT)
        names = [
            f"{kind} {len(self.objects) + n}" for n in range(self._rng.randint(2, 5) if kind == "coin" else 1)
        ]
        self.objects.update({name: random_object(kind, self._rng) for name in names})
        spot = self._room_for(player, 45.0 if kind == "coin" else self.objects[names[0]].radius)
        if spot is None:
            return
        pieces = [self._stage.new_piece(name, face_up=True) for name in names]
        ends = [spot]
        for index in range(1, len(pieces)):
            turn = index * math.tau / 5.0 + self._rng.uniform(-0.3, 0.3)
            ends.append(replace(spot, x=spot.x + 29.0 * math.cos(turn), y=spot.y + 29.0 * math.sin(turn)))
        self._hands.put((player, "main"), pieces, ends)
        self._lying += pieces
        self._stage.go_home((player, "main"))

    def take(self, player: str) -> None:
        """Take something away for good."""
        piece = self._rng.choice(self._lying)
        self._lying.remove(piece)
        self._hands.lift((player, "main"), piece)
        self._stage.go_home((player, "main"), [piece])

    def drink(self, player: str) -> None:
        """Lift something off the table, and put it back a few seconds later."""
        self._hands.drink(player, self._rng.choice(self._lying))

    def move(self, player: str) -> None:
        """Move something to another place."""
        piece, arm = self._rng.choice(self._lying), (player, "main")
        spot = self._room_for(player, self.objects[str(piece.card)].radius)
        if spot is None:
            return
        self._hands.lift(arm, piece)
        self._hands.put(arm, [piece], [spot])
        self._stage.go_home(arm)

    def gesture(self, player: str) -> None:
        """Point, tap the table, or wipe over it."""
        stage, rng, arm = self._stage, self._rng, (player, "main")
        x, y = rng.uniform(-260, 260), rng.uniform(-160, 160)
        grips: tuple[Grip, ...] = ("point", "flat", "hold")
        grip = rng.choice(grips)
        for _ in range(rng.randint(1, 4)):
            stage.reach(arm, stage.arm_at(arm, x, y, 30.0 if grip == "flat" else 55.0, grip))
            stage.wait(0.1, 0.7)
            x, y = x + rng.gauss(0, 60), y + rng.gauss(0, 40)
        stage.go_home(arm, wait=rng.random() < 0.5)

    def shuffle(self, player: str) -> bool:
        """Bring the pack, riffle it a few times, cut it, leave it for a while, and take it away.

        Returns False if there is no room for it.
        """
        stage, rng, arm = self._stage, self._rng, (player, "main")
        spot = self._room_for(player, _PACK_RADIUS_MM)
        if spot is None:
            return False
        spot = replace(spot, angle=stage.layout.seat(player).angle + rng.gauss(0, 6))
        self._pack = [stage.new_piece(None, face_up=False) for _ in range(_PACK)]
        self._hands.put(arm, self._pack, _squared_pack(spot))
        for _ in range(rng.randint(2, 4)):
            self._riffle(player, spot)
        cut = rng.randint(18, 34)
        self._pack = [*self._pack[cut:], *self._pack[:cut]]
        beside = spot.shifted(80.0, 0.0)
        for part, ends in (
            (self._pack[:-cut], _squared_pack(beside)[:-cut]),
            (self._pack[-cut:], _squared_pack(beside)[-cut:]),
        ):
            stage.reach(arm, stage.over(arm, spot))
            stage.carry(arm, stage.over(arm, beside), part, ends)
        stage.go_home(arm)
        stage.go_home((player, "other"), wait=True)
        self._taken.append((spot, _PACK_RADIUS_MM))
        for _ in range(rng.randint(0, 3)):
            self.gesture(rng.choice(PEOPLE))
            stage.wait(0.5, 2.0)
        stage.reach(arm, stage.over(arm, placed(self._pack[-1])))
        stage.go_home(arm, self._pack)
        self._taken.clear()
        return True

    def _riffle(self, player: str, spot: Pose) -> None:
        """Split the pack into halves side by side, and interleave their cards."""
        stage, rng = self._stage, self._rng
        main, other = (player, "main"), (player, "other")
        side = 1.0 if stage.layout.seat(player).right_handed else -1.0
        half = _PACK // 2 + rng.randint(-4, 4)
        lower, upper = self._pack[:half], self._pack[half:]
        beside, middle = spot.shifted(74.0 * side, 0.0), spot.shifted(37.0 * side, 0.0)
        stage.reach(main, stage.over(main, spot))
        stage.carry(main, stage.over(main, beside), upper, _squared_pack(beside)[: len(upper)])
        outer, inner = beside.shifted(25.0 * side, 20.0), spot.shifted(-25.0 * side, 20.0)
        stage.reach(other, stage.over(other, inner, "flat"))
        stage.reach(main, stage.over(main, outer, "flat"))
        pairs = itertools.zip_longest(lower, upper)
        self._pack = [piece for pair in pairs for piece in pair if piece is not None]
        for place, piece in zip(_squared_pack(middle), self._pack, strict=True):
            loose = place.shifted(rng.gauss(0, 2.5), rng.gauss(0, 2.0), rng.gauss(0, 2.0))
            stage.carry(main, stage.arm_pose(main), [piece], [loose], seconds=0.045, lift=6.0)
        together = stage.over(main, spot.shifted(45.0 * side, 20.0), "flat")
        stage.carry(main, together, self._pack, _squared_pack(spot), seconds=0.5, lift=0.0)
        stage.wait(0.2, 0.5)

    def _room_for(self, player: str, radius: float) -> Pose | None:
        """Return a free place within reach of the player, or None."""
        rng, edge = self._rng, self._stage.layout.seat(player).edge
        taken = [*self._taken]
        taken += [(placed(piece), self.objects[str(piece.card)].radius) for piece in self._lying]
        for _ in range(60):
            x = rng.uniform(-1, 1) * (TABLE_MM[0] / 2.0 - radius - 5.0)
            y = rng.uniform(-1, 1) * (TABLE_MM[1] / 2.0 - radius - 5.0)
            clear = all(
                math.hypot(x - pose.x, y - pose.y) > radius + other + _GAP_MM for pose, other in taken
            )
            if clear and math.hypot(x - edge.x, y - edge.y) < 560.0:
                return Pose(x, y, rng.uniform(0, 360))
        return None


def _squared_pack(spot: Pose) -> list[Pose]:
    """Return the poses of the cards in a squared pack, bottom first."""
    return [replace(spot, z=index * CARD_THICKNESS_MM) for index in range(_PACK)]


def make_busy_film(shot: Shot, seconds: float, out: Path, progress: Progress | None = None) -> Timeline:
    """Render a busy table to `out`; the same shot and length give the same film.

    Raises:
        BadInputError: the light, surface or deck does not exist, or the film cannot be written.
    """
    rng = random.Random(f"busy {shot.seed}")
    camera, _ = place_camera(shot, rng)
    layout = make_layout(PEOPLE, 3, TABLE_MM, camera, rng)
    manners = {player: random_manner(rng, rng.random()) for player in PEOPLE}
    looks = {seat.player: random_look(rng, seat.right_handed) for seat in layout.seats}
    stage = Stage(layout, manners, rng)
    stage.wait(1.0, 2.0)
    table = BusyTable(stage, rng)
    table.act_for(seconds)
    timeline = stage.timeline()
    artist = functools.partial(ObjectArtist, objects=table.objects)
    deck = pick_deck(shot.deck, set())
    renderer, _ = set_up_picture(shot, camera, deck, looks, timeline, rng, artist)
    with FilmWriter(out, shot.fps, (shot.width, shot.height), shot.codec, shot.crf) as writer:
        for t, frame in renderer.frames(shot.fps):
            writer.write(frame)
            if progress:
                progress(t, timeline.duration_s)
    return timeline
