"""Draws the frames of a timeline with whole people over the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.choreography.layout import Layout
from datasets.films.geometry import Camera
from datasets.films.people.body import BodyPose, Person
from datasets.films.people.drawing import SHADOW_HALF, SHADOW_MM, CardInAir, Studio
from datasets.films.people.figures import Figure
from datasets.films.people.hands import hand_landmarks
from datasets.films.people.masks import FrameMasks, masks_of
from datasets.films.people.poses import Cast
from datasets.films.people.rig import Bent
from datasets.films.rendering.cards import CardArtist
from datasets.films.rendering.layers import Image
from datasets.films.rendering.light import Light
from datasets.films.rendering.renderer import SHUTTER_S, Renderer
from datasets.films.rendering.sensor import Sensor
from datasets.films.timeline import CardMove, Timeline

_BANDS = ((0.0, 45.0), (45.0, 150.0), (150.0, 2000.0))
"""Heights (mm) of what casts a shadow; each band has its own softness."""
_MIDDLE_MM = (18.0, 90.0, 300.0)
_STREAK_PX = 3.0
"""Motion while the shutter is open up to which one drawing suffices."""
_MOST_DRAWINGS = 4
_FEWEST_DRAWINGS = 2
"""Even without motion, so that edges are smooth: each drawing looks at another point of a pixel."""


@dataclass(frozen=True, eq=False)
class People:
    """The people of one film: who does what, what they look like, and where they are drawn."""

    cast: Cast
    figures: Mapping[str, Figure]
    layout: Layout
    studio: Studio


class PeopleRenderer(Renderer):
    """Draws the frames of one film in order, with whole people."""

    def __init__(
        self,
        timeline: Timeline,
        table: Image,
        cards: CardArtist,
        people: People,
        camera: Camera,
        light: Light,
        blur: float,
        sensor: Sensor | None,
        objects: frozenset[str],
    ) -> None:
        """Prepare to draw; `table` is the picture of the bare table, `blur` a sigma in pixels."""
        super().__init__(timeline, table, cards, {}, sensor)
        self._people, self._camera, self._light, self._blur = people, camera, light, blur
        self._objects = objects
        self._bodies = {name: Person(figure.skeleton) for name, figure in people.figures.items()}
        self._turns = {seat.player: _turn(seat.angle) for seat in people.layout.seats}
        self._poses: dict[str, BodyPose] = {}
        self._bent: dict[str, Bent] = {}
        self._changes = 0
        self._last: tuple[list[tuple[str | None, bytes]], int, Image, NDArray[np.float32]] | None = None
        shift = np.array(
            [[SHADOW_MM, 0.0, -SHADOW_HALF[0]], [0.0, SHADOW_MM, -SHADOW_HALF[1]], [0.0, 0.0, 1.0]]
        )
        self._to_picture = camera.plane(0.0) @ shift

    def _frame(self, t: float, number: int) -> Image:
        self._advance(t)
        frame = self._canvas.copy()
        carried = self.carried()
        self._draw_cards([move for move in carried if move.card in self._objects], t, frame)
        cards = [move for move in carried if move.card not in self._objects]
        streak = self._people.cast.speed(t, SHUTTER_S) * self._cards.scale
        drawings = max(1, min(_MOST_DRAWINGS, math.ceil(streak / _STREAK_PX)))
        drawn, heights = self._drawn(t, cards, drawings)
        self._shade(frame, heights)
        self._lay(frame, drawn)
        return self._sensor.expose(frame, t, number) if self._sensor else frame

    def masks(self, t: float) -> FrameMasks:
        """Return what is where in the latest frame, which is that of time `t`."""
        drawn, in_air = self.over_table(t)
        resting = [move for move in self.resting() if move.card not in self._objects]
        movement = self._sensor.movement(t) if self._sensor else None
        return masks_of(
            t, resting, self._camera, drawn, [card.number for card in in_air], self.numbers, movement
        )

    def over_table(self, t: float) -> tuple[NDArray[np.uint8], list[CardInAir]]:
        """Return what is over the table in the latest frame, at time `t`, and the cards in the air.

        The picture is h x w x 2, as `masks_of` takes it, with the persons' `numbers`.
        """
        in_air = self.pose(t, [move for move in self.carried() if move.card not in self._objects])
        return self._people.studio.numbers(self.numbers, in_air), in_air

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the persons, from 1 in the order of their seats."""
        return {player: number for number, player in enumerate(self._bodies, start=1)}

    def carried(self) -> list[CardMove]:
        """Return the moves of the cards in the air in the latest frame."""
        return [*self._held.values(), *self._moving]

    def shows_front(self, card: CardInAir) -> bool:
        """Return whether the camera sees the side of a card on which its corners run clockwise."""
        a, b, _, d = self._camera.project_all(card.corners)
        return float(np.linalg.det(np.array([b - a, d - a]))) > 0.0  # numpy crosses no plane vectors

    def landmarks(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Return the 21 landmarks (21 x 3 mm) of each hand in the latest pose, by player and side."""
        return {
            (player, side): hand_landmarks(self._bodies[player].skeleton, bent, side) @ self._turns[player].T
            for player, bent in self._bent.items()
            for side in "LR"
        }

    def _drawn(self, t: float, cards: Sequence[CardMove], drawings: int) -> tuple[Image, NDArray[np.float32]]:
        """Return people and cards in the air with their motion blur (BGRA), and their map of shadows."""
        studio = self._people.studio
        in_air = self.pose(t, cards)
        key = [(card.face, card.corners.tobytes()) for card in in_air]
        last = self._last
        if drawings == 1 and last and last[0] == key and last[1] == self._changes:
            return last[2], last[3]
        heights = studio.shadows(in_air)
        samples = max(drawings, _FEWEST_DRAWINGS)
        total = studio.draw(in_air, (0, samples)).astype(np.float32)
        for step in range(1, samples):
            if drawings > 1:
                in_air = self.pose(t - SHUTTER_S * step / samples, cards)
            total += studio.draw(in_air, (step, samples))
        drawn = (total / samples).astype(np.uint8)
        self._last = (key, self._changes, drawn, heights) if drawings == 1 else None
        return drawn, heights

    def pose(self, t: float, moves: Sequence[CardMove]) -> list[CardInAir]:
        """Put everybody in the pose of time `t`, and return the cards that are in the air then."""
        people = self._people
        for player, body in self._bodies.items():
            wanted = people.cast.pose(player, t)
            if self._poses.get(player) == wanted:
                continue
            self._poses[player] = wanted
            self._changes += 1
            bent = self._bent[player] = body.take(wanted)
            turn = self._turns[player]
            meshes = []
            for part in people.figures[player].parts:
                points, normals = part.skin.follow(bent)
                meshes.append((points @ turn.T, normals @ turn.T))
            people.studio.place(player, meshes)
        in_air = []
        for move in moves:
            face_up, corners = people.cast.in_air(move, t)
            in_air.append(CardInAir(move.piece, move.card if face_up or move.card else None, corners))
        for player in self._bodies:
            in_air += [CardInAir(-1, card, corners) for card, corners in people.cast.fan(player, t)]
        return in_air

    def _shade(self, frame: Image, heights: NDArray[np.float32]) -> None:
        """Darken the table where people and cards shade it; the higher they are, the softer."""
        light, size = self._light, (self._camera.width, self._camera.height)
        small = (size[0] // 4, size[1] // 4)
        shrink = np.diag([0.25, 0.25, 1.0])
        keep = np.ones((small[1], small[0]), np.float32)
        for (low, high), middle in zip(_BANDS, _MIDDLE_MM, strict=True):
            mask = ((heights > low) & (heights <= high)).astype(np.float32)
            if not mask.any():
                continue
            sigma = (2.0 + light.softness * middle * 0.35) / SHADOW_MM
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.float32)
            cast = cv2.warpPerspective(mask, shrink @ self._to_picture, small, flags=cv2.INTER_LINEAR)
            keep *= 1.0 - np.asarray(cast, np.float32) * light.darkness * 0.8
        large = cv2.resize(keep, size, interpolation=cv2.INTER_LINEAR)
        factor = np.asarray(large * 255.0, np.uint8)
        cv2.multiply(frame, cv2.merge([factor, factor, factor]), frame, 1.0 / 255.0)

    def _lay(self, frame: Image, drawn: Image) -> None:
        """Lay people over the table, in the light of the lamp."""
        rows, columns = (np.flatnonzero(drawn[:, :, 3].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return
        y0, y1 = max(int(rows[0]) - 4, 0), min(int(rows[-1]) + 5, frame.shape[0])
        x0, x1 = max(int(columns[0]) - 4, 0), min(int(columns[-1]) + 5, frame.shape[1])
        part = np.ascontiguousarray(drawn[y0:y1, x0:x1])
        if self._blur > 0.05:
            part = np.asarray(cv2.GaussianBlur(part, (0, 0), self._blur), np.uint8)
        alpha = part[:, :, 3]
        lit = self._light.lit(np.ascontiguousarray(part[:, :, :3]), (x0, y0, x1, y1))
        below = frame[y0:y1, x0:x1]
        cv2.multiply(below, cv2.merge([255 - alpha] * 3), below, 1.0 / 255.0)
        cv2.add(below, lit, below)


def _turn(angle: float) -> NDArray[np.float32]:
    turn = math.radians(angle)
    return np.array(
        [[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0.0, 0.0, 1.0]],
        np.float32,
    )
