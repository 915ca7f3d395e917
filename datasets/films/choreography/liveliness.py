"""A lively company: people drink, hesitate, take cards back, toss cards, tidy rows, and hold cards in sight.

None of this is an event, and the watcher must follow the game all the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.films.choreography.gestures import Gestures, Setting
from datasets.films.choreography.layout import Layout
from datasets.films.choreography.object_handling import ObjectHandling
from datasets.films.choreography.stage import Manner, Piece
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import Camera, Points, Pose
from datasets.films.rendering.objects import TableObject, random_object
from datasets.films.story import Step
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

_CLEAR_MM = math.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM) / 2.0 + 22.0
"""Objects keep this distance from the middle of any possible card, and hide nothing within it."""
_TRIES = 200
_FAN = 3
"""Number of cards in a hand that is in sight."""
_SHIFTS = 0.4
"""Chance that a hand with cards shifts before an act."""
_AT_ONCE = ("draw", "burn", "show")
"""Events that follow at once, with nothing else before them."""


@dataclass(frozen=True, slots=True)
class Liveliness:
    """Chances before an act of things that are no events, and the objects on the table."""

    hesitates: float
    """A player holds a card over the pile, and takes it back."""
    changes_mind: float
    """A player puts a card on the pile, takes it back, and plays another."""
    drinks: float
    tidies: float
    in_sight: tuple[str, ...]
    """Players, by seat, who hold their cards within the picture, backs up, and never quite still."""
    standing: Mapping[str, tuple[TableObject, Pose]]
    """Objects on the table from the beginning, with their poses, by the names of their pieces."""

    @property
    def objects(self) -> dict[str, TableObject]:
        """The objects by the names of their pieces."""
        return {name: item for name, (item, _) in self.standing.items()}


def random_liveliness(layout: Layout, camera: Camera, rng: random.Random) -> Liveliness:
    """Return the liveliness of one company, with objects that hide no card."""
    kinds = [
        rng.choice(["glass", "glass", "glass", "bowl"]) for _ in range(rng.randint(1, len(layout.seats)))
    ]
    kinds += rng.sample(["mat", "coin", "slip", "pen", "phone", "wallet"], rng.randint(0, 3))
    standing: dict[str, tuple[TableObject, Pose]] = {}
    for number, kind in enumerate(kinds):
        item = random_object(kind, rng)
        place = _room_for(item, [*standing.values()], layout, camera, rng)
        if place is not None:
            standing[f"{kind} {number}"] = (item, place)
    return Liveliness(
        hesitates=rng.uniform(0.05, 0.2),
        changes_mind=rng.uniform(0.05, 0.2),
        drinks=rng.uniform(0.05, 0.2),
        tidies=rng.uniform(0.0, 0.12),
        in_sight=_who_is_in_sight(layout, rng),
        standing=standing,
    )


def _who_is_in_sight(layout: Layout, rng: random.Random) -> tuple[str, ...]:
    share = rng.choice([0.0, 0.0, 0.5, 1.0])
    return tuple(seat.player for seat in layout.seats if rng.random() < share)


def lively_manner(manner: Manner, rng: random.Random) -> Manner:
    """Return the manner of the same person in lively company: it may stack sets and toss cards."""
    sets = rng.choice([manner.sets, manner.sets, "stack", "squared"])
    return replace(manner, sets=sets, tosses=rng.choice([0.0, 0.3, 0.8]))


def _room_for(
    item: TableObject,
    others: Sequence[tuple[TableObject, Pose]],
    layout: Layout,
    camera: Camera,
    rng: random.Random,
) -> Pose | None:
    """Return a pose clear of cards and other objects that hides no card, or None."""
    cards = np.array([(pose.x, pose.y) for pose in _card_places(layout)])
    width, depth = layout.table
    for _ in range(_TRIES):
        x = rng.uniform(-0.5, 0.5) * (width - 2.0 * item.radius - 20.0)
        y = rng.uniform(-0.5, 0.5) * (depth - 2.0 * item.radius - 20.0)
        pose = Pose(x, y, rng.uniform(0, 360))
        covers = np.concatenate([item.outline(pose), _seen_at(item, pose, camera), [(x, y)]])
        away = np.linalg.norm(covers[:, None] - cards[None], axis=2).min()
        apart = all(
            math.hypot(x - there.x, y - there.y) > item.radius + other.radius + 12.0
            for other, there in others
        )
        if away > _CLEAR_MM and apart:
            return pose
    return None


def _seen_at(item: TableObject, pose: Pose, camera: Camera) -> Points:
    """Return the points of the table (mm) that the upper edge of an object hides from the camera."""
    pixels = camera.project(item.outline(pose), item.height)
    mapped = np.c_[pixels, np.ones(len(pixels))] @ np.linalg.inv(camera.plane()).T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _card_places(layout: Layout) -> list[Pose]:
    rows = [place for seat in layout.seats for place in seat.row]
    waiting = [seat.row[-1].shifted(88.0, 10.0) for seat in layout.seats]
    # Sets are fanned, and piles get askew.
    pile = [layout.play.shifted(dx, dy) for dx in (-45.0, 0.0, 45.0) for dy in (-45.0, 0.0, 45.0)]
    return [*rows, *waiting, *pile, layout.draw, layout.burn]


class LivelyGestures(Gestures):
    """The gestures of people at the table, and what they do besides the game."""

    def __init__(self, setting: Setting, lively: Liveliness) -> None:
        """Put the objects on the table, before anything else happens."""
        super().__init__(setting)
        self._lively = lively
        self._handling = ObjectHandling(self._stage, lively.objects, self._rng)
        self._held: dict[str, list[Piece]] = {}
        self._standing = []
        for name, (_, pose) in lively.standing.items():
            piece = self._stage.new_piece(name, face_up=True)
            self._stage.lie(piece, pose)
            self._standing.append(piece)

    def before(self, step: Step, later: Sequence[Step]) -> None:
        """Play acts before a step that are no events; `later` holds the steps after it."""
        for player in self._lively.in_sight:
            if player not in self._held or self._rng.random() < _SHIFTS:
                self._hold(player)
        if step.event in _AT_ONCE or step.player is None:
            return
        rng, lively, player = self._rng, self._lively, step.player
        if rng.random() < lively.drinks:
            self._somebody_drinks(player)
        if rng.random() < lively.tidies:
            self.tidy(rng.choice(list(self._tabletop.up)))
        card = self._still_in_hand(player, later) if step.event in ("play", "pick_up") else None
        if card is not None and rng.random() < lively.changes_mind:
            self.change_mind(player, card)
        elif card is not None and rng.random() < lively.hesitates:
            self.hesitate(player, card)

    def _hold(self, player: str) -> None:
        """Hold a fan of cards at the edge of the table beside the row, or shift it a little."""
        stage, rng, arm = self._stage, self._rng, (player, "other")
        began, seat = stage.now, stage.layout.seat(player)
        if player not in self._held:
            self._held[player] = [stage.new_piece(None, face_up=False) for _ in range(_FAN)]
            side = -1.0 if seat.right_handed else 1.0
            spot = seat.edge.shifted(side * rng.uniform(185.0, 230.0), rng.uniform(-15.0, 30.0))
        else:
            here = stage.arm_pose(arm)
            spot = Pose(here.x + rng.gauss(0, 6), here.y + rng.gauss(0, 6))
        target = stage.arm_at(arm, spot.x, spot.y, 70.0, "hold")
        middle = stage.held(target)
        ends = [
            middle.shifted(14.0 * along, 2.0 * along * along, 9.0 * along, 0.5 * index)
            for index, along in enumerate(i - (_FAN - 1) / 2.0 for i in range(_FAN))
        ]
        stage.carry(arm, target, self._held[player], ends, lift=0.0)
        stage.now = began + rng.uniform(0.0, 0.2)  # the game does not wait for it

    def hesitate(self, player: str, card: str) -> None:
        """Hold a card over the pile, and take it back."""
        stage, arm = self._stage, (player, "main")
        middle = stage.layout.play.shifted(self._rng.gauss(0, 15), self._rng.gauss(0, 15))
        target = stage.over(arm, replace(middle, z=self._rng.uniform(35.0, 60.0)))
        piece = stage.new_piece(card, face_up=True)
        stage.carry(arm, target, [piece], [stage.held(target, piece.number)], face_up=True)
        stage.wait(0.25, 0.8)
        stage.go_home(arm, [piece])
        stage.wait(0.3, 0.9)

    def change_mind(self, player: str, card: str) -> None:
        """Put a card on the pile and take it back, at once or after a while."""
        stage, arm = self._stage, (player, "main")
        piece = stage.new_piece(card, face_up=True)
        self._put(arm, [piece], self._places_on_pile(player, 1))
        if self._rng.random() < 0.5:
            stage.go_home(arm, wait=True)
            stage.wait(0.2, 1.5)
            self._take(arm, piece)
        else:
            stage.wait(0.2, 0.9)
            stage.go_home(arm, [piece])
        stage.wait(0.3, 0.8)

    def tidy(self, player: str) -> None:
        """Push the cards of the row by a few millimetres."""
        stage, rng, arm = self._stage, self._rng, (player, "main")
        table = self._tabletop
        pieces = [*table.down[player], *(piece for _, piece in table.up[player])]
        if not pieces:
            return
        stage.reach(arm, stage.over(arm, placed(pieces[-1]), "flat", forward=8.0))
        dx, dy = rng.gauss(0, 5), rng.gauss(0, 5)
        ends = [replace(placed(piece), x=placed(piece).x + dx, y=placed(piece).y + dy) for piece in pieces]
        there = stage.arm_pose(arm)
        moved = replace(there, x=there.x + dx, y=there.y + dy)
        stage.carry(arm, moved, pieces, ends, seconds=rng.uniform(0.25, 0.5), lift=0.0)
        stage.go_home(arm, wait=True)

    def _somebody_drinks(self, player: str) -> None:
        """Another player drinks while the game continues."""
        glasses = [piece for piece in self._standing if str(piece.card).startswith("glass")]
        others = [name for name in self._tabletop.up if name != player]
        if not glasses or not others:
            return
        piece, began = self._rng.choice(glasses), self._stage.now
        self._handling.drink(min(others, key=lambda name: self._distance(name, placed(piece))), piece)
        self._stage.now = began + self._rng.uniform(0.2, 2.0)

    def _distance(self, player: str, pose: Pose) -> float:
        edge = self._stage.layout.seat(player).edge
        return math.hypot(pose.x - edge.x, pose.y - edge.y)

    def _still_in_hand(self, player: str, later: Sequence[Step]) -> str | None:
        """Return a card that this player will play from the hand, and that is hidden now."""
        table = self._tabletop
        lying = {piece.card for piece in (*table.pile, *table.burned)}
        lying |= {piece.card for row in table.up.values() for _, piece in row}
        for step in later:
            if step.event == "play" and step.player == player and step.source == "hand":
                return next((card for card in step.cards if card not in lying), None)
        return None
