"""Finds the hands of whole people from a film's timeline, like a good hand model but without networks.

It serves to measure following without errors of reading, as `timeline_reader` does. It models a hand model,
and does not measure one. A hand is found if enough of its landmarks are seen. Some are missed at the first
try, and fast ones mostly. Landmarks are off by a little.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from datasets.films.people.picture import PeopleRenderer
from datasets.films.production import Scene
from datasets.films.rendering.renderer import SHUTTER_S
from vision.hands.landmarks import Hand, Tile
from vision.types import Image

_SEEN_SHARE = 0.5
"""A hand is found if at least this share of its landmarks are seen."""
_BLURRED_MM = 14.0
"""Motion while the shutter is open from which a hand is hardly found."""
_MISSED, _LOST, _MISSED_BLURRED = 0.15, 0.02, 0.7
"""How often a hand is missed: at a search, where it was before, and if it is blurred."""
_OFF_MM = 4.0
_OF_HAND = 2
"""The kind of a hand's pixels in `PeopleRenderer.over_table`."""
_P = 0.9


class TimelineHands:
    """Finds the hands in the latest frame of a scene's renderer, as `vision.hands.landmarks.HandFinder` does.

    `t` must be set to that frame's time.
    """

    def __init__(self, scene: Scene) -> None:
        """Find the hands of a scene of whole people, with random errors from its seed.

        Raises:
            ValueError: the scene has no whole people.
        """
        if not isinstance(scene.renderer, PeopleRenderer):
            raise ValueError("no whole people")
        self._scene, self._renderer, self.t = scene, scene.renderer, 0.0
        self._rng = random.Random(f"hands {scene.shot.seed}")
        self._at = -math.inf
        self._hands: list[tuple[Hand, bool]] = []
        """The hands that are seen in the frame of `_at`, and whether each is blurred."""
        self._before: dict[tuple[str, str], NDArray[np.float64]] = {}

    def find(
        self, picture: Image, tile: Tile, known: Sequence[Hand] = (), least_size: float = 0.0
    ) -> list[Hand]:
        """Return the hands in a tile that are not known yet; `least_size` has no effect."""
        x, y, side = tile
        return [
            hand
            for hand, blurred in self._seen()
            if max(abs(hand.middle[0] - x), abs(hand.middle[1] - y)) < side / 2
            and not any(hand.is_same(other) for other in known)
            and self._rng.random() >= (_MISSED_BLURRED if blurred else _MISSED)
        ]

    def redetect(self, picture: Image, before: Sequence[Hand]) -> list[Hand]:
        """Return the hands of an earlier picture that are still at their places, or near them."""
        found = []
        for old in before:
            near = [(math.dist(h.middle, old.middle), k) for k, (h, _) in enumerate(self._seen())]
            apart, k = min(near, default=(math.inf, -1))
            if apart > old.size:
                continue
            hand, blurred = self._seen()[k]
            if self._rng.random() >= (_MISSED_BLURRED if blurred else _LOST):
                found.append(hand)
        return found

    def _seen(self) -> list[tuple[Hand, bool]]:
        """Return the hands that are seen at `t`, and whether each is blurred."""
        if self._at == self.t:
            return self._hands
        over, _ = self._renderer.over_table(self.t)
        height, width = over.shape[:2]
        numbers = self._renderer.numbers
        passed = max(self.t - self._at, 1e-3)
        self._at, self._hands, landmarks = self.t, [], self._renderer.landmarks()
        for (player, side), places in landmarks.items():
            points = self._scene.camera.project_all(places)
            columns, rows = np.floor(points).astype(int).T
            inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
            there = over[rows[inside], columns[inside]]
            seen = (there[:, 0] == numbers[player]) & (there[:, 1] == _OF_HAND)
            if int(seen.sum()) < _SEEN_SHARE * len(points):
                continue
            before = self._before.get((player, side), places)
            speed = float(np.linalg.norm(places[9] - before[9])) / passed
            off = np.array([[self._rng.gauss(0.0, _OFF_MM) for _ in range(2)] for _ in points])
            off = off * self._scene.camera.scale() * np.array(0.5)
            self._hands.append((Hand(points + off, _P), speed * SHUTTER_S > _BLURRED_MM))
        self._before = landmarks
        return self._hands
