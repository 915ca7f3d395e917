"""A lively company: it drinks, hesitates, takes cards back, tosses them, tidies rows, holds cards in sight.

None of that is an event; a game that is followed is followed through it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.films.choreography.gestures import Gestures, Setting
from datasets.films.choreography.layout import Layout
from datasets.films.choreography.object_handling import Handling
from datasets.films.choreography.stage import Manner, Piece
from datasets.films.choreography.tabletop import placed
from datasets.films.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, Camera, Points, Pose
from datasets.films.rendering.objects import Thing, random_thing
from datasets.films.story import Step

_CLEAR_MM = math.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM) / 2.0 + 22.0
"""So far from the middle of where a card may lie nothing else stands, nor hides the table."""
_TRIES = 200
_FAN = 3
"""Cards in a hand that is seen."""
_SHIFTS = 0.4
"""Chance that a hand that holds cards shifts before an act."""
_AT_ONCE = ("draw", "burn", "show")
"""Before these nobody does anything else."""


@dataclass(frozen=True, slots=True)
class Liveliness:
    """How often what is no event happens, each as the chance before an act; and what stands about."""

    hesitates: float
    """A card is held over the pile, and taken home again."""
    changes_mind: float
    """A card is put on the pile and taken back; then another is played."""
    drinks: float
    tidies: float
    in_sight: frozenset[str]
    """Whose cards in hand are held within the picture, their backs up, and never quite still."""
    standing: Mapping[str, tuple[Thing, Pose]]
    """By the names of their pieces: things that stand on the table from the beginning, and where."""

    @property
    def things(self) -> dict[str, Thing]:
        """What stands about, by the names of the pieces."""
        return {name: thing for name, (thing, _) in self.standing.items()}


def random_liveliness(layout: Layout, camera: Camera, rng: random.Random) -> Liveliness:
    """Return how lively one company is; glasses, coins and the like stand where they hide no card."""
    kinds = [
        rng.choice(["glass", "glass", "glass", "bowl"]) for _ in range(rng.randint(1, len(layout.seats)))
    ]
    kinds += rng.sample(["mat", "coin", "slip", "pen", "phone", "wallet"], rng.randint(0, 3))
    standing: dict[str, tuple[Thing, Pose]] = {}
    for number, kind in enumerate(kinds):
        thing = random_thing(kind, rng)
        place = _room_for(thing, [*standing.values()], layout, camera, rng)
        if place is not None:
            standing[f"{kind} {number}"] = (thing, place)
    return Liveliness(
        hesitates=rng.uniform(0.05, 0.2),
        changes_mind=rng.uniform(0.05, 0.2),
        drinks=rng.uniform(0.05, 0.2),
        tidies=rng.uniform(0.0, 0.12),
        in_sight=_who_is_in_sight(layout, rng),
        standing=standing,
    )


def _who_is_in_sight(layout: Layout, rng: random.Random) -> frozenset[str]:
    share = rng.choice([0.0, 0.0, 0.5, 1.0])
    return frozenset(seat.player for seat in layout.seats if rng.random() < share)


def lively_manner(manner: Manner, rng: random.Random) -> Manner:
    """Return how the same person moves in lively company: sets may be stacked, cards tossed."""
    sets = rng.choice([manner.sets, manner.sets, "stack", "squared"])
    return replace(manner, sets=sets, tosses=rng.choice([0.0, 0.3, 0.8]))


def _room_for(
    thing: Thing,
    others: Sequence[tuple[Thing, Pose]],
    layout: Layout,
    camera: Camera,
    rng: random.Random,
) -> Pose | None:
    """Return where a thing stands clear of cards and other things and hides no card; None: nowhere."""
    cards = np.array([(pose.x, pose.y) for pose in _card_places(layout)])
    width, depth = layout.table
    for _ in range(_TRIES):
        x = rng.uniform(-0.5, 0.5) * (width - 2.0 * thing.radius - 20.0)
        y = rng.uniform(-0.5, 0.5) * (depth - 2.0 * thing.radius - 20.0)
        pose = Pose(x, y, rng.uniform(0, 360))
        covers = np.concatenate([thing.outline(pose), _seen_at(thing, pose, camera), [(x, y)]])
        away = np.linalg.norm(covers[:, None] - cards[None], axis=2).min()
        apart = all(
            math.hypot(x - there.x, y - there.y) > thing.radius + other.radius + 12.0
            for other, there in others
        )
        if away > _CLEAR_MM and apart:
            return pose
    return None


def _seen_at(thing: Thing, pose: Pose, camera: Camera) -> Points:
    """Return the points of the table (mm) that the upper edge of a thing hides from the camera."""
    pixels = camera.project(thing.outline(pose), thing.height)
    mapped = np.c_[pixels, np.ones(len(pixels))] @ np.linalg.inv(camera.plane()).T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _card_places(layout: Layout) -> list[Pose]:
    rows = [place for seat in layout.seats for place in seat.row]
    waiting = [seat.row[-1].shifted(88.0, 10.0) for seat in layout.seats]
    # Sets are fanned, piles come to lie askew.
    pile = [layout.play.shifted(dx, dy) for dx in (-45.0, 0.0, 45.0) for dy in (-45.0, 0.0, 45.0)]
    return [*rows, *waiting, *pile, layout.draw, layout.burn]


class LivelyGestures(Gestures):
    """What people do at the table, with what they do beside their game."""

    def __init__(self, setting: Setting, lively: Liveliness) -> None:
        """Put down what stands about, before anything else happens."""
        super().__init__(setting)
        self._lively = lively
        self._handling = Handling(self._stage, lively.things, self._rng)
        self._held: dict[str, list[Piece]] = {}
        self._standing = []
        for name, (_, pose) in lively.standing.items():
            piece = self._stage.new_piece(name, face_up=True)
            self._stage.lie(piece, pose)
            self._standing.append(piece)

    def before(self, step: Step, later: Sequence[Step]) -> None:
        """Play what happens before a step and is no event; `later` is what is still to come."""
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
        """Hold a fan of cards at the table's edge, beside one's row, or shift it a little."""
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
        stage.now = began + rng.uniform(0.0, 0.2)  # nobody waits for it

    def hesitate(self, player: str, card: str) -> None:
        """Hold a card over the pile and take it home again."""
        stage, arm = self._stage, (player, "main")
        middle = stage.layout.play.shifted(self._rng.gauss(0, 15), self._rng.gauss(0, 15))
        target = stage.over(arm, replace(middle, z=self._rng.uniform(35.0, 60.0)))
        piece = stage.new_piece(card, face_up=True)
        stage.carry(arm, target, [piece], [stage.held(target, piece.number)], face_up=True)
        stage.wait(0.25, 0.8)
        stage.go_home(arm, [piece])
        stage.wait(0.3, 0.9)

    def change_mind(self, player: str, card: str) -> None:
        """Put a card on the pile and take it back, with the hand still on it or after a while."""
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
        """Push the cards of one's row a few millimetres."""
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
        """Somebody else drinks while the game goes on."""
        glasses = [piece for piece in self._standing if str(piece.card).startswith("glass")]
        others = [name for name in self._tabletop.up if name != player]
        if not glasses or not others:
            return
        piece, began = self._rng.choice(glasses), self._stage.now
        self._handling.drink(min(others, key=lambda name: self._way(name, placed(piece))), piece)
        self._stage.now = began + self._rng.uniform(0.2, 2.0)

    def _way(self, player: str, pose: Pose) -> float:
        edge = self._stage.layout.seat(player).edge
        return math.hypot(pose.x - edge.x, pose.y - edge.y)

    def _still_in_hand(self, player: str, later: Sequence[Step]) -> str | None:
        """Return a card that this player plays from the hand later, and that nobody sees now."""
        table = self._tabletop
        lying = {piece.card for piece in (*table.pile, *table.burned)}
        lying |= {piece.card for row in table.up.values() for _, piece in row}
        for step in later:
            if step.event == "play" and step.player == player and step.source == "hand":
                return next((card for card in step.cards if card not in lying), None)
        return None
