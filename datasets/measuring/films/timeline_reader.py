"""Reads the frames of a film from its timeline, like a good reader but without networks.

It serves to measure following without errors of reading. It models a reader, and does not measure one. A
visible index names a card, and half an index names it with doubt. Some cards are missed, and fast ones are
not read.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Points, Pose
from datasets.films.people.picture import PeopleRenderer
from datasets.films.production import Scene
from datasets.films.rendering.layers import Layer, clip
from datasets.films.rendering.renderer import SHUTTER_S
from datasets.films.timeline import CardMove
from vision.decks.card_classes import rank_and_colour
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, transform_points
from vision.recognition.index_detector import INDEX_CENTRE_MM
from vision.types import CardReading, Image, Mask, Region

_INDEX_HALF_MM = (3.0, 7.0)
_TURNING = 0.9
"""Least share of its width at which a turning card is read."""
_FAST_MM, _BLURRED_MM = 6.0, 2.0
"""Motion while the shutter is open from which a card is not read, or read with doubt."""
_SHOWS, _HALF = 0.85, 0.5
"""Visible share of an index that names a card, and that names it with doubt."""
_OPEN, _A_STRIP, _A_TRACE = 0.5, 0.15, 0.02
"""Visible share of a card to be found anywhere, to be read by half an index, and to be found at all."""
_SURE, _WELL, _FAIRLY = 0.9995, 0.99, 0.96
_OVERLOOKED, _OVERLOOKED_COVERED, _OVERLOOKED_HALF = 0.02, 0.08, 0.3
_OFF_PIXELS = 0.4
_ARM = -1
_IN_AIR = 3
"""The number of cards in the air in `PeopleRenderer.over_table`."""


class _Part(NamedTuple):
    """A card that may be in the picture."""

    number: int
    move: CardMove
    pose: Pose
    face_up: bool
    speed: float
    """Motion while the shutter is open, mm."""
    quad: Points
    """Its corners, pixels."""


class TimelineReader:
    """Reads the latest frame of a scene's renderer; implements `vision.types.CardReader`.

    `t` must be set to that frame's time.
    """

    def __init__(self, scene: Scene) -> None:
        """Read the frames of a scene, with random errors from its seed."""
        self._scene, self.t = scene, 0.0
        self._rng = random.Random(f"reader {scene.shot.seed}")

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: Mask | None = None
    ) -> list[CardReading]:
        """Return the readings of the frame at `t`, as `CardReader.read` does."""
        owner: NDArray[np.int32] = np.zeros(image.shape[:2], np.int32)
        people = isinstance(self._scene.renderer, PeopleRenderer)
        parts = self._laid_under_people(owner) if people else self._laid_on(owner)
        readings = [self._read(part, owner, crowded) for part in parts]
        return [reading for reading in readings if reading is not None]

    def _laid_under_people(self, owner: NDArray[np.int32]) -> list[_Part]:
        """Return the cards as `_laid_on` does, where whole people are over the table.

        Cards in a fan hide what is behind them, and are not read.
        """
        renderer, parts = self._scene.renderer, list[_Part]()
        assert isinstance(renderer, PeopleRenderer)
        for move in renderer.resting():
            quad = self._scene.camera.project(move.end.corners(), move.end.z)
            parts.append(_Part(len(parts) + 1, move, move.end, move.face_end, 0.0, quad))
            cv2.fillConvexPoly(owner, _in_sixteenths(quad), len(parts), cv2.LINE_8, 4)
        over, in_air = renderer.over_table(self.t)
        kind, number = over[:, :, 1], over[:, :, 0]
        owner[kind > 0] = _ARM
        moves = {move.piece: move for move in renderer.carried()}
        for place, card in enumerate(in_air, start=1):
            if card.number not in moves:
                continue
            move = moves[card.number]
            pose, _, width = move.at(self.t)
            before = move.at(self.t - SHUTTER_S)[0]
            speed = math.dist((pose.x, pose.y, pose.z), (before.x, before.y, before.z))
            quad = self._scene.camera.project_all(card.corners)
            face_up = card.face is not None and renderer.shows_front(card)
            part = _Part(len(parts) + 1, move, pose, face_up, speed if width > _TURNING else math.inf, quad)
            parts.append(part)
            owner[(kind == _IN_AIR) & (number == place)] = part.number
        return parts

    def _laid_on(self, owner: NDArray[np.int32]) -> list[_Part]:
        """Return the cards, lowest first, and draw their numbers into `owner` (height x width)."""
        renderer, parts = self._scene.renderer, list[_Part]()

        def lay(move: CardMove, pose: Pose, face_up: bool, speed: float) -> None:
            quad = self._scene.camera.project(pose.corners(), pose.z)
            parts.append(_Part(len(parts) + 1, move, pose, face_up, speed, quad))
            cv2.fillConvexPoly(owner, _in_sixteenths(quad), len(parts), cv2.LINE_8, 4)

        for move in renderer.resting():
            lay(move, move.end, move.face_end, 0.0)
        for moves, arm in renderer.in_the_air(self.t):
            for move in moves:
                pose, face_up, width = move.at(self.t)
                before = move.at(self.t - SHUTTER_S)[0]
                speed = math.hypot(pose.x - before.x, pose.y - before.y)
                lay(move, pose, face_up, speed if width > _TURNING else math.inf)
            layer = renderer.arm_layer(arm) if arm else None
            if layer is not None:
                _hide(owner, layer)
        return parts

    def _read(
        self, part: _Part, owner: NDArray[np.int32], crowded: Sequence[Region] | None
    ) -> CardReading | None:
        quad, chance = part.quad, self._rng.random()
        shows = _share_shown(quad, part.number, owner)
        if part.speed > _FAST_MM or shows < _A_TRACE or part.move.card in self._scene.objects:
            return None
        off = self._rng.gauss(0, _OFF_PIXELS), self._rng.gauss(0, _OFF_PIXELS)
        seen = (quad + np.array(off)).astype(np.float32)
        if not part.face_up:
            found = shows >= _OPEN and chance >= _OVERLOOKED
            return CardReading(seen, "down", 0.95, None, 0.95) if found else None
        middle = quad.mean(axis=0)
        if shows < _OPEN and not _is_in(crowded, (float(middle[0]), float(middle[1]))):
            return None
        return self._named(part, seen, shows, chance, max(self._indices(part, owner)))

    def _named(
        self, part: _Part, quad: NDArray[np.float32], shows: float, chance: float, index: float
    ) -> CardReading | None:
        """Return the reading of a face-up card, by the visible shares of the card and its better index."""
        name, well = str(part.move.card), shows > _OPEN
        if index >= _SHOWS:
            if chance < (_OVERLOOKED if well else _OVERLOOKED_COVERED):
                return None
            p = self._confidence(name) if well else min(self._confidence(name), _FAIRLY)
            p = 0.8 if part.speed > _BLURRED_MM else p
            return CardReading(quad, "up", 0.99, name, p)
        if index >= _HALF and shows > _A_STRIP:
            other = _mate(name)
            doubt = ((other, 0.1),) if other else ()
            return None if chance < _OVERLOOKED_HALF else CardReading(quad, "up", 0.8, name, 0.85, doubt)
        return CardReading(quad, "up", 0.8, None, 0.3, ((name, 0.3),)) if shows >= _OPEN else None

    def _confidence(self, name: str) -> float:
        """Return the confidence for a card: almost 1 for most, less for some in each film."""
        luck = random.Random(f"{self._scene.shot.seed} {name}").random()
        return _SURE if luck < 0.8 else _WELL if luck < 0.95 else _FAIRLY

    def _indices(self, part: _Part, owner: NDArray[np.int32]) -> list[float]:
        """Return the visible share of each of the two indices of a card."""
        across, down = CARD_WIDTH_MM / 2 - INDEX_CENTRE_MM[0], CARD_HEIGHT_MM / 2 - INDEX_CENTRE_MM[1]
        steps = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
        shares = []
        for sign in (-1, 1):
            spots = [
                (sign * across + x * _INDEX_HALF_MM[0], sign * down + y * _INDEX_HALF_MM[1]) for x, y in steps
            ]
            pixels = transform_points(_from_card(part.quad), np.array(spots))
            columns, rows = np.floor(pixels).astype(int).T
            inside = (rows >= 0) & (rows < owner.shape[0]) & (columns >= 0) & (columns < owner.shape[1])
            shares.append(float((owner[rows[inside], columns[inside]] == part.number).sum()) / len(steps))
        return shares


def _hide(owner: NDArray[np.int32], layer: Layer) -> None:
    """Draw the cover of an arm into `owner`."""
    height, width = owner.shape
    x0, y0, x1, y1 = clip(layer.rect, (0, 0, width, height))
    if x0 < x1 and y0 < y1:
        covers = layer.keep[y0 - layer.y : y1 - layer.y, x0 - layer.x : x1 - layer.x, 0] < 128
        owner[y0:y1, x0:x1][covers] = _ARM


def _in_sixteenths(quad: Points) -> NDArray[np.int32]:
    return np.round(quad * 16.0).astype(np.int32)


def _share_shown(quad: Points, number: int, owner: NDArray[np.int32]) -> float:
    """Return the visible share of a card, inside the picture."""
    low, high = np.floor(quad.min(axis=0)).astype(int), np.ceil(quad.max(axis=0)).astype(int) + 1
    alone = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(alone, _in_sixteenths(quad - low), 1, cv2.LINE_8, 4)
    (x0, y0), (x1, y1) = np.maximum(low, 0), high
    return float((owner[y0:y1, x0:x1] == number).sum()) / max(int(alone.sum()), 1)


def _is_in(regions: Sequence[Region] | None, place: tuple[float, float]) -> bool:
    x, y = place
    return regions is None or any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in regions)


def _from_card(quad: Points) -> NDArray[np.float64]:
    """Return the homography from a card's own plane, mm from its middle, to pixels."""
    half = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) / 2.0
    corners = (half * (CARD_WIDTH_MM, CARD_HEIGHT_MM)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, quad.astype(np.float32)), np.float64)


def _mate(name: str) -> str | None:
    """Return the other card of the same rank and colour; None for a joker."""
    mates = {"H": "D", "D": "H", "S": "C", "C": "S"}
    mate = name[:-1] + mates.get(name[-1], "")
    return mate if mate != name[:-1] and rank_and_colour(mate) == rank_and_colour(name) else None
