"""A film of a table at which nobody plays Shithead.

Arms reach over it, things come, move and go, a pack of cards is shuffled and not dealt.
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
from datasets.films.choreography.object_handling import Handling
from datasets.films.choreography.stage import Piece, Stage, random_manner
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import CARD_THICKNESS_MM, Grip, Pose
from datasets.films.production import TABLE_MM, Shot, pick_deck, place_camera, set_up_picture
from datasets.films.rendering.arms import random_look
from datasets.films.rendering.objects import Thing, ThingArtist, random_thing
from datasets.films.rendering.video import FilmWriter
from datasets.films.timeline import Timeline
from datasets.progress import Progress

PEOPLE = ("Ann", "Bob", "Cat", "Dan")
_BROUGHT = ("glass", "glass", "mat", "mat", "coin", "phone", "slip", "wallet", "bowl", "pen")
_MOST_THINGS = 11
_GAP_MM = 12.0
_PACK = 52
_PACK_RADIUS_MM = 130.0
"""What shuffling takes of the table."""


class BusyTable:
    """What people do at a table at which no game is played; each method is one thing somebody does."""

    def __init__(self, stage: Stage, rng: random.Random) -> None:
        """Begin with what `stage` has: an empty table."""
        self._stage, self._rng = stage, rng
        self.things: dict[str, Thing] = {}
        """Everything that was ever on the table, by the names of the pieces."""
        self._hands = Handling(stage, self.things, rng)
        self._lying: list[Piece] = []
        self._pack: list[Piece] = []
        self._taken: list[tuple[Pose, float]] = []
        """Where there is no room, with how far it reaches."""

    def go_on(self, seconds: float) -> None:
        """Go on until so much time has passed; the pack is shuffled twice on the way."""
        stage, rng = self._stage, self._rng
        shuffles = [seconds * 0.3, seconds * 0.65]
        while stage.now < seconds:
            if shuffles and stage.now > shuffles[0]:
                if self.shuffle(rng.choice(PEOPLE)):
                    shuffles.pop(0)
                elif self._lying:  # no room for it yet
                    self.take(rng.choice(PEOPLE))
            acts: list[Callable[[str], None]] = [self.gesture]
            if len(self._lying) < _MOST_THINGS:
                acts += [self.bring] * 3
            if self._lying:
                acts += [self.take, self.move, self.move, self.drink, self.drink]
            player, began = rng.choice(PEOPLE), stage.now
            rng.choice(acts)(player)
            if rng.random() < 0.35:  # somebody else reaches in meanwhile, and touches nothing
                ended, stage.now = stage.now, began + rng.uniform(0.1, 0.6)
                self.gesture(rng.choice([other for other in PEOPLE if other != player]))
                stage.now = max(stage.now, ended)
            stage.wait(0.2, 1.6)

    def bring(self, player: str) -> None:
        """Put down a new thing, or a few coins at once."""
        kind = self._rng.choice(_BROUGHT)
        names = [
            f"{kind} {len(self.things) + n}" for n in range(self._rng.randint(2, 5) if kind == "coin" else 1)
        ]
        self.things.update({name: random_thing(kind, self._rng) for name in names})
        spot = self._room_for(player, 45.0 if kind == "coin" else self.things[names[0]].radius)
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
        """Take something off the table and put it back some seconds later."""
        self._hands.drink(player, self._rng.choice(self._lying))

    def move(self, player: str) -> None:
        """Move something to another place."""
        piece, arm = self._rng.choice(self._lying), (player, "main")
        spot = self._room_for(player, self.things[str(piece.card)].radius)
        if spot is None:
            return
        self._hands.lift(arm, piece)
        self._hands.put(arm, [piece], [spot])
        self._stage.go_home(arm)

    def gesture(self, player: str) -> None:
        """Reach in for nothing: point, tap the table, or wipe over it."""
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
        """Bring the pack, riffle it a few times, cut it, leave it a while, take it away.

        Returns False where there is no room for that.
        """
        stage, rng, arm = self._stage, self._rng, (player, "main")
        spot = self._room_for(player, _PACK_RADIUS_MM)
        if spot is None:
            return False
        spot = replace(spot, angle=stage.layout.seat(player).angle + rng.gauss(0, 6))
        self._pack = [stage.new_piece(None, face_up=False) for _ in range(_PACK)]
        self._hands.put(arm, self._pack, _heap(spot))
        for _ in range(rng.randint(2, 4)):
            self._riffle(player, spot)
        cut = rng.randint(18, 34)
        self._pack = [*self._pack[cut:], *self._pack[:cut]]
        beside = spot.shifted(80.0, 0.0)
        for part, ends in (
            (self._pack[:-cut], _heap(beside)[:-cut]),
            (self._pack[-cut:], _heap(beside)[-cut:]),
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
        """Part the pack into halves side by side and let their cards fall into each other."""
        stage, rng = self._stage, self._rng
        main, other = (player, "main"), (player, "other")
        side = 1.0 if stage.layout.seat(player).right_handed else -1.0
        half = _PACK // 2 + rng.randint(-4, 4)
        lower, upper = self._pack[:half], self._pack[half:]
        beside, middle = spot.shifted(74.0 * side, 0.0), spot.shifted(37.0 * side, 0.0)
        stage.reach(main, stage.over(main, spot))
        stage.carry(main, stage.over(main, beside), upper, _heap(beside)[: len(upper)])
        outer, inner = beside.shifted(25.0 * side, 20.0), spot.shifted(-25.0 * side, 20.0)
        stage.reach(other, stage.over(other, inner, "flat"))
        stage.reach(main, stage.over(main, outer, "flat"))
        pairs = itertools.zip_longest(lower, upper)
        self._pack = [piece for pair in pairs for piece in pair if piece is not None]
        for place, piece in zip(_heap(middle), self._pack, strict=True):
            loose = place.shifted(rng.gauss(0, 2.5), rng.gauss(0, 2.0), rng.gauss(0, 2.0))
            stage.carry(main, stage.arm_pose(main), [piece], [loose], seconds=0.045, lift=6.0)
        together = stage.over(main, spot.shifted(45.0 * side, 20.0), "flat")
        stage.carry(main, together, self._pack, _heap(spot), seconds=0.5, lift=0.0)
        stage.wait(0.2, 0.5)

    def _room_for(self, player: str, radius: float) -> Pose | None:
        """Return a free place within the player's reach, None where none was found."""
        rng, edge = self._rng, self._stage.layout.seat(player).edge
        taken = [*self._taken]
        taken += [(placed(piece), self.things[str(piece.card)].radius) for piece in self._lying]
        for _ in range(60):
            x = rng.uniform(-1, 1) * (TABLE_MM[0] / 2.0 - radius - 5.0)
            y = rng.uniform(-1, 1) * (TABLE_MM[1] / 2.0 - radius - 5.0)
            clear = all(
                math.hypot(x - pose.x, y - pose.y) > radius + other + _GAP_MM for pose, other in taken
            )
            if clear and math.hypot(x - edge.x, y - edge.y) < 560.0:
                return Pose(x, y, rng.uniform(0, 360))
        return None


def _heap(spot: Pose) -> list[Pose]:
    """Return where the cards of a squared pack lie, bottom first."""
    return [replace(spot, z=index * CARD_THICKNESS_MM) for index in range(_PACK)]


def make_busy_film(shot: Shot, seconds: float, out: Path, progress: Progress | None = None) -> Timeline:
    """Render a busy table to `out`; the same shot and length give the same film.

    Raises:
        BadInputError: The shot asks for what does not exist, or the film cannot be written.
    """
    rng = random.Random(f"busy {shot.seed}")
    camera, _ = place_camera(shot, rng)
    layout = make_layout(PEOPLE, 3, TABLE_MM, camera, rng)
    manners = {player: random_manner(rng, rng.random()) for player in PEOPLE}
    looks = {seat.player: random_look(rng, seat.right_handed) for seat in layout.seats}
    stage = Stage(layout, manners, rng)
    stage.wait(1.0, 2.0)
    table = BusyTable(stage, rng)
    table.go_on(seconds)
    timeline = stage.timeline()
    artist = functools.partial(ThingArtist, things=table.things)
    deck = pick_deck(shot.deck, set())
    renderer, _ = set_up_picture(shot, camera, deck, looks, timeline, rng, artist)
    with FilmWriter(out, shot.fps, (shot.width, shot.height), shot.codec, shot.crf) as writer:
        for t, frame in renderer.frames(shot.fps):
            writer.write(frame)
            if progress:
                progress(t, timeline.duration_s)
    return timeline
