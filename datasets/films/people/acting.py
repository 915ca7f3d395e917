"""The stage and the gestures of whole people: hands that rest, fans of cards, and what else people do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from datasets.films.choreography.gestures import Setting
from datasets.films.choreography.layout import Layout, Seat
from datasets.films.choreography.liveliness import Liveliness, LivelyGestures
from datasets.films.choreography.stage import Manner, Piece, Stage
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import ArmPose, Grip, Pose
from datasets.films.people.levels import Level
from datasets.films.rendering.objects import TableObject
from datasets.films.story import Step
from datasets.films.timeline import ArmName

FAN_HEIGHT_MM = 62.0
"""Height of the thumb that holds a fan."""
_CARD_IN_FAN_MM = 105.0
"""Height of the middle of a card as it enters or leaves a fan."""
_LAP_MM = 95.0
"""Distance of hands in the lap from the edge of the table."""
_LAP_DEPTH_MM = -70.0
_HAND_MM = 62.0
"""Distance of resting finger tips from what stands on the table."""
_FLAT_MM = 12.0
"""On objects up to this height a hand may rest."""
_TRIES = 12
_ACTS = ("play", "flip", "pick_up", "show", "exchange")


@dataclass(slots=True)
class Held:
    """A card in a fan, from one moment to another."""

    player: str
    from_s: float
    to_s: float
    card: str | None
    """Its name; None while nobody ever sees it on the table."""


@dataclass(frozen=True, slots=True)
class Lean:
    """Somebody leans forward for a while."""

    player: str
    from_s: float
    to_s: float
    degrees: float
    side: float
    """How far to the right of the person, degrees."""


def seated(layout: Layout) -> Layout:
    """Return the layout with hands at home in front of the people, not out of the picture."""
    seats = []
    for seat in layout.seats:
        aside = 60.0 if seat.right_handed else -60.0
        seats.append(replace(seat, home=replace(seat.edge.shifted(aside, _LAP_MM), z=_LAP_DEPTH_MM)))
    return replace(layout, seats=tuple(seats))


class PeopleStage(Stage):
    """A stage on which hands rest in sight and hold fans. Level 0 keeps them in the lap."""

    def __init__(
        self,
        layout: Layout,
        manners: dict[str, Manner],
        rng: random.Random,
        level: Level,
        standing: Mapping[str, tuple[TableObject, Pose]] | None = None,
    ) -> None:
        """Begin at time 0; `standing` are the objects on the table, by the names of their pieces."""
        super().__init__(layout, manners, rng)
        self.level = level
        self.held_cards: list[Held] = []
        self.leans: list[Lean] = []
        self._standing = standing or {}
        self.objects = frozenset(self._standing)
        """Names of the pieces that are no cards."""
        self._homes: dict[ArmName, ArmPose] = {}

    # -- places of hands ---------------------------------------------------------------------------

    def home(self, arm: ArmName) -> ArmPose:
        """Return the pose in which an arm rests."""
        if arm not in self._homes:
            self._homes[arm] = self._new_home(arm)
        return self._homes[arm]

    def _new_home(self, arm: ArmName) -> ArmPose:
        seat, rng = self.layout.seat(arm[0]), self.rng
        sign = _side(seat, arm)
        if not self.level.rests:
            spot = seat.edge.shifted(sign * rng.uniform(70.0, 110.0), _LAP_MM + rng.uniform(-10.0, 10.0))
            return self.arm_at(arm, spot.x, spot.y, _LAP_DEPTH_MM, "away")
        if arm[1] == "other":
            spot = seat.edge.shifted(sign * rng.uniform(150.0, 200.0), rng.uniform(-30.0, 5.0))
            return self.arm_at(arm, spot.x, spot.y, FAN_HEIGHT_MM, "fan")
        for _ in range(_TRIES):
            spot = self._resting_spot(seat, sign)
            if self._is_clear(spot):
                break
        return self.arm_at(arm, spot.x, spot.y, 4.0, "rest")

    def _resting_spot(self, seat: Seat, sign: float) -> Pose:
        """Return a spot for the finger tips of a resting hand, on the own row or beside it."""
        rng = self.rng
        if rng.random() < self.level.on_row:
            card = rng.choice(seat.row)
            return card.shifted(rng.gauss(0.0, 12.0), rng.uniform(5.0, 45.0))
        outer = seat.row[-1] if sign > 0 else seat.row[0]
        return outer.shifted(sign * rng.uniform(62.0, 105.0), rng.uniform(-20.0, 60.0))

    def _is_clear(self, spot: Pose) -> bool:
        return all(
            math.hypot(spot.x - pose.x, spot.y - pose.y) > item.radius + _HAND_MM
            for item, pose in self._standing.values()
            if item.height > _FLAT_MM
        )

    def _store(self, arm: ArmName) -> ArmPose:
        """Return the pose of a hand that puts a card into the fan or the lap, or takes one from it."""
        if not self.level.rests or arm[1] == "other":
            return self.home(arm)
        fan = self.home((arm[0], "other"))
        seat = self.layout.seat(arm[0])
        towards = Pose(fan.x, fan.y, seat.angle).shifted(_side(seat, arm) * 34.0, -6.0)
        return self.arm_at(arm, towards.x, towards.y, _CARD_IN_FAN_MM, "point")

    def _stored(self, arm: ArmName) -> Pose:
        """Return the pose of a card as it enters or leaves the fan or the lap."""
        if not self.level.rests or arm[1] == "other":
            home = self.home(arm)
            return replace(self.held(home), z=home.z)
        fan = self.home((arm[0], "other"))
        seat = self.layout.seat(arm[0])
        return Pose(fan.x, fan.y, seat.angle, _CARD_IN_FAN_MM)

    # -- verbs -------------------------------------------------------------------------------------

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
        """Move an arm with pieces, as any stage does; cards from the hand are first taken from the fan."""
        fresh = [piece for piece in pieces if piece.pose is None and not self._is_object(piece)]
        if fresh and arm[1] == "main" and self.level.rests and not leaves:
            super().carry(arm, self._store(arm), (), (), hurry=1.5)
            self.wait(0.05, 0.15)
            for piece in fresh:
                piece.pose = self._stored(arm)
                self._leave_fan(arm[0], piece.card)
        super().carry(
            arm,
            target,
            pieces,
            ends,
            face_up=face_up,
            hurry=hurry,
            seconds=seconds,
            slide=slide,
            lift=lift,
            leaves=leaves,
        )
        if leaves and self.level.rests:
            for piece, end in zip(pieces, ends, strict=True):
                self.held_cards.append(Held(self._nearest(end), self.now + slide, float("inf"), piece.card))

    def _nearest(self, pose: Pose) -> str:
        """Return the player who sits nearest to a pose."""
        return min(
            self.layout.seats, key=lambda seat: (seat.edge.x - pose.x) ** 2 + (seat.edge.y - pose.y) ** 2
        ).player

    def go_home(
        self, arm: ArmName, pieces: Sequence[Piece] = (), *, wait: bool = False, hurry: float = 1.1
    ) -> float:
        """Take an arm and its pieces home: cards go into the fan or the lap, a glass goes to the mouth."""
        began = self.now
        if any(map(self._is_object, pieces)):
            return self._to_mouth(arm, pieces, hurry)
        if pieces:
            target = self._store(arm)
            self.carry(arm, target, pieces, [self._stored(arm) for _ in pieces], hurry=hurry, leaves=True)
        gone = self.now
        if self.level.rests or not pieces:
            if arm[1] == "main":
                self._homes.pop(arm, None)
            super().carry(arm, self.home(arm), (), (), hurry=hurry)
            gone = gone if pieces else self.now
        self.now = gone if wait or pieces else began
        return gone

    def _to_mouth(self, arm: ArmName, pieces: Sequence[Piece], hurry: float) -> float:
        seat = self.layout.seat(arm[0])
        mouth = seat.edge.shifted(_side(seat, arm) * 45.0, 95.0)
        target = self.arm_at(arm, mouth.x, mouth.y, 285.0, "grasp")
        there = replace(self.held(target, 1, forward=38.0), z=250.0)
        self.carry(arm, target, pieces, [there for _ in pieces], hurry=hurry)
        return self.now

    def _is_object(self, piece: Piece) -> bool:
        return piece.card in self.objects

    def _leave_fan(self, player: str, card: str | None) -> None:
        """Take a card out of the fan: the very one if it was seen before, else any unknown one."""
        fan = [held for held in self.held_cards if held.player == player and held.to_s > self.now]
        chosen = next((held for held in fan if card is not None and held.card == card), None)
        chosen = chosen or next((held for held in fan if held.card is None), None)
        if chosen is None:
            return
        chosen.card, chosen.to_s = card or chosen.card, self.now

    def lean(self, player: str, seconds: float, degrees: float, side: float) -> None:
        """Let somebody lean forward from now on; the clock stands still."""
        self.leans.append(Lean(player, self.now, self.now + seconds, degrees, side))

    def is_free(self, arm: ArmName) -> bool:
        """Return whether an arm has nothing to do now."""
        return self._free_from.get(arm, 0.0) <= self.now


def _side(seat: Seat, arm: ArmName) -> float:
    """Return 1 for an arm on the right of its player, -1 for one on the left."""
    return 1.0 if (arm[1] == "main") == seat.right_handed else -1.0


def name_fans(held: Sequence[Held], deck: Iterable[str], seen: Iterable[str], rng: random.Random) -> None:
    """Give a name to each unknown card in a fan: one that is never seen on the table."""
    hidden = sorted(set(deck) - set(seen) - {card.card for card in held if card.card})
    rng.shuffle(hidden)
    for card in held:
        if card.card is None:
            card.card = hidden.pop() if hidden else rng.choice(sorted(deck))


def people_gestures(stage: PeopleStage) -> Callable[[Setting, Liveliness], PeopleGestures]:
    """Return the maker of the gestures of whole people on a stage."""

    def make(setting: Setting, lively: Liveliness) -> PeopleGestures:
        return PeopleGestures(setting, lively, stage)

    return make


class PeopleGestures(LivelyGestures):
    """The gestures of whole people. Others act besides the player whose turn it is."""

    def __init__(self, setting: Setting, lively: Liveliness, stage: PeopleStage) -> None:
        """Put the objects on the table."""
        super().__init__(setting, lively)
        self._people, self._objects = stage, lively.standing

    def before(self, step: Step, later: Sequence[Step]) -> None:
        """Play acts before a step that are no events; `later` holds the steps after it."""
        super().before(step, later)
        stage, rng, level = self._people, self._rng, self._people.level
        if step.player is None or step.event not in _ACTS:
            return
        busy = {step.player, *(after.player for after in later[:2])}
        others = [name for name in self._tabletop.up if name not in busy and stage.is_free((name, "main"))]
        if rng.random() < level.leans:
            side = rng.uniform(-8.0, 8.0)
            stage.lean(rng.choice([*self._tabletop.up]), rng.uniform(1.8, 5.0), rng.uniform(28.0, 46.0), side)
        if not others:
            return
        player = rng.choice(others)
        acts: Mapping[str, float] = {
            "point": level.points,
            "gesticulate": level.gesticulates,
            "snack": level.snacks,
            "reach_too": level.reaches_too,
        }
        for act, chance in acts.items():
            if rng.random() < chance:
                began = stage.now
                getattr(self, act)(player)
                stage.now = began + rng.uniform(0.0, 0.4)  # the game does not wait
                return

    def point(self, player: str) -> None:
        """Show with a finger what is meant, twice or three times."""
        stage, rng, arm = self._people, self._rng, (player, "main")
        aim = rng.choice(
            [stage.layout.play, rng.choice([pose for seat in stage.layout.seats for pose in seat.row])]
        )
        for _ in range(rng.randint(2, 3)):
            x, y = aim.x + rng.gauss(0, 25), aim.y + rng.gauss(0, 25)
            stage.reach(arm, stage.over(arm, Pose(x, y, 0.0, rng.uniform(20.0, 60.0)), "show", forward=70.0))
            stage.wait(0.1, 0.5)
        stage.go_home(arm, wait=True)

    def gesticulate(self, player: str) -> None:
        """Talk with an open hand over the edge of the table."""
        stage, rng, arm = self._people, self._rng, (player, "main")
        seat = stage.layout.seat(player)
        for _ in range(rng.randint(3, 6)):
            spot = seat.edge.shifted(_side(seat, arm) * rng.uniform(40.0, 220.0), rng.uniform(-170.0, -30.0))
            grip: Grip = rng.choice(("open", "open", "show"))
            stage.reach(arm, stage.arm_at(arm, spot.x, spot.y, rng.uniform(90.0, 210.0), grip))
            stage.wait(0.0, 0.3)
        stage.go_home(arm, wait=True)

    def snack(self, player: str) -> None:
        """Take something out of a bowl to the mouth."""
        stage, arm = self._people, (player, "main")
        bowls = [pose for name, (_, pose) in self._objects.items() if name.startswith("bowl")]
        if not bowls:
            return
        edge = stage.layout.seat(player).edge
        bowl = min(bowls, key=lambda pose: (pose.x - edge.x) ** 2 + (pose.y - edge.y) ** 2)
        stage.reach(arm, stage.over(arm, replace(bowl, z=45.0), "point", forward=0.0))
        stage.wait(0.2, 0.5)
        mouth = edge.shifted(_side(stage.layout.seat(player), arm) * 25.0, 110.0)
        stage.reach(arm, stage.arm_at(arm, mouth.x, mouth.y, 300.0, "point"))
        stage.wait(0.2, 0.6)
        stage.go_home(arm, wait=True)

    def reach_too(self, player: str) -> None:
        """Reach for the pile although it is another's turn, and draw back."""
        stage, rng, arm = self._people, self._rng, (player, "main")
        pile = self._tabletop.pile
        middle = placed(pile[-1]) if pile else stage.layout.play
        stage.reach(
            arm,
            stage.over(
                arm, replace(middle, z=rng.uniform(25.0, 60.0)), "hold", forward=rng.uniform(30.0, 90.0)
            ),
        )
        stage.wait(0.1, 0.6)
        stage.go_home(arm, wait=True)
