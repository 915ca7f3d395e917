"""Draws the frames of a timeline. Cards at rest are drawn once, and moving ones in every frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from datasets.films.geometry import CARD_THICKNESS_MM, ArmPose
from datasets.films.rendering.arms import ArmArtist
from datasets.films.rendering.cards import CardArtist
from datasets.films.rendering.layers import Image, Layer, motion_blur_kernel
from datasets.films.rendering.sensor import Sensor
from datasets.films.timeline import ArmMove, ArmName, CardMove, Timeline

SHUTTER_S = 1.0 / 60.0
_HIGHEST_PILE_MM = 25.0
_HELD_FROM_MM = 35.0
"""A card that rests at this height or above is in a hand, because no pile is so high."""
_SHARP_PX = 2.5
"""Motion while the shutter is open up to which a card looks sharp."""


class ArmInPicture(NamedTuple):
    """An arm in one frame."""

    name: ArmName
    pose: ArmPose
    motion: tuple[float, float]
    """Its motion while the shutter is open, mm."""


class Renderer:
    """Draws the frames of one film in order."""

    def __init__(
        self,
        timeline: Timeline,
        table: Image,
        cards: CardArtist,
        arms: dict[str, ArmArtist],
        sensor: Sensor | None,
    ) -> None:
        """Prepare to draw; `table` is the picture of the bare table."""
        self._timeline = timeline
        self._table = table
        self._cards = cards
        self._arms = arms
        self._sensor = sensor
        self._canvas = table.copy()
        self._resting: dict[int, tuple[CardMove, Layer]] = {}
        self._held: dict[int, CardMove] = {}
        """Cards that hands hold still."""
        self._moving: list[CardMove] = []
        self._next_card = 0
        self._next_arm = 0
        self._arm_state: dict[ArmName, ArmMove] = {}
        """The latest move of each arm, in the order in which the arms came."""
        self.resting_version = 0
        """Grows with every change of the cards at rest."""

    def frames(self, fps: float) -> Iterator[tuple[float, Image]]:
        """Yield (time, frame) from the first to the last. The caller may keep a frame."""
        for number in range(math.ceil(self._timeline.duration_s * fps)):
            t = number / fps
            yield t, self._frame(t, number)

    def resting(self) -> list[CardMove]:
        """Return the cards on the table, bottom first, as the moves that put them there."""
        return [move for move, _ in self._resting.values()]

    def _frame(self, t: float, number: int) -> Image:
        self._advance(t)
        frame = self._canvas.copy()
        in_the_air = self.in_the_air(t)
        for _, arm in in_the_air:
            shadow = self._arms[arm.name[0]].shadow(arm.pose) if arm else None
            if shadow:
                shadow.lay_on(frame)
        for cards, arm in in_the_air:
            self._draw_cards(cards, t, frame)
            layer = self.arm_layer(arm) if arm else None
            if layer:
                layer.lay_on(frame)
        return self._sensor.expose(frame, t, number) if self._sensor else frame

    def in_the_air(self, t: float) -> list[tuple[list[CardMove], ArmInPicture | None]]:
        """Return the cards and arms over the table in the latest frame, at time `t`, lowest first.

        First come the cards that no arm carries. Then comes each arm after the cards that it carries, in the
        order in which the arms came.
        """
        arms, carried = self._visible_arms(t), [*self._held.values(), *self._moving]
        reaching = {arm.name for arm in arms}
        loose = [move for move in carried if move.arm not in reaching]
        return [(loose, None), *(([m for m in carried if m.arm == arm.name], arm) for arm in arms)]

    def arm_layer(self, arm: ArmInPicture) -> Layer | None:
        """Return an arm as a layer, or None if it is outside the picture."""
        return self._arms[arm.name[0]].layer(arm.pose, arm.motion)

    def _draw_cards(self, moves: list[CardMove], t: float, frame: Image) -> None:
        """Draw the moving cards at time `t`, lowest first."""
        began = -1.0
        for move in moves:
            place, face_up, squeeze = move.at(t)
            # Only the lowest of several carried cards casts a shadow on the table.
            over, shade = (1.0, 0.2) if move.start_s == began else (max(place.z * 0.8, 1.0), 1.0)
            began = move.start_s
            layer = self._cards.layer(move.card or "", face_up, place, squeeze, over, shade)
            before = move.at(t - SHUTTER_S)[0]
            motion = (place.x - before.x, place.y - before.y)
            streak = math.hypot(*motion) * self._cards.scale
            if layer and streak > _SHARP_PX:
                layer = layer.motion_blurred(motion_blur_kernel(motion, streak))
            if layer:
                layer.lay_on(frame)

    def _advance(self, t: float) -> None:
        """Lift the cards that have started to move by time `t`, and lay down those that have stopped."""
        moves = self._timeline.card_moves
        while self._next_card < len(moves) and moves[self._next_card].start_s <= t:
            move = moves[self._next_card]
            self._next_card += 1
            self._land([m for m in self._moving if m.piece == move.piece])
            self._held.pop(move.piece, None)
            self._lift(move.piece)
            self._moving.append(move)
        self._land([move for move in self._moving if move.end_s <= t])
        arm_moves = self._timeline.arm_moves
        while self._next_arm < len(arm_moves) and arm_moves[self._next_arm].start_s <= t:
            arm_move = arm_moves[self._next_arm]
            if arm_move.start.grip == "away":
                self._arm_state.pop(arm_move.arm, None)  # the last arm to come reaches over the others
            self._arm_state[arm_move.arm] = arm_move
            self._next_arm += 1

    def _land(self, moves: list[CardMove]) -> None:
        for move in moves:
            self._moving.remove(move)
            if move.leaves:
                continue
            if move.end.z >= _HELD_FROM_MM:
                self._held[move.piece] = move
                continue
            shade = 1.0 / (1.0 + 0.35 * min(move.end.z, _HIGHEST_PILE_MM) / CARD_THICKNESS_MM)
            layer = self._cards.layer(move.card or "", move.face_end, move.end, shade=shade)
            if layer is None:
                continue
            self._resting[move.piece] = (move, layer)
            layer.lay_on(self._canvas)
            self.resting_version += 1

    def _lift(self, piece: int) -> None:
        entry = self._resting.pop(piece, None)
        if entry is None:
            return
        rect = entry[1].rect
        x0, y0, x1, y1 = rect
        self._canvas[y0:y1, x0:x1] = self._table[y0:y1, x0:x1]
        for _, layer in self._resting.values():
            layer.lay_on(self._canvas, rect)
        self.resting_version += 1

    def _visible_arms(self, t: float) -> list[ArmInPicture]:
        """Return the arms that may be in the picture, in the order in which they came."""
        arms = []
        for name, move in self._arm_state.items():
            if t >= move.end_s and move.end.grip == "away":
                continue
            pose = move.at(t)
            before = move.at(t - SHUTTER_S)
            arms.append(ArmInPicture(name, pose, (pose.x - before.x, pose.y - before.y)))
        return arms
