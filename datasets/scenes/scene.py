"""Rendered pictures of cards on tables, with the truth: the corners of every card, and its visible share.

The same seed, decks and surfaces give the same pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scenes.camera import Camera, random_camera
from datasets.scenes.cards import Art, CardStock, ScenePack
from datasets.scenes.layouts import USUAL_CLUSTERS, Placement, card_outline, random_layout
from datasets.scenes.light import Picture, add_glare, light_up, through_lens
from datasets.scenes.objects import OBJECTS, DrawObject
from datasets.scenes.table import random_plan
from vision.geometry import homography, image_border, polygon_area
from vision.types import Quad

MIN_VISIBLE = 0.15
"""Least visible share of a labelled card. The pixels of other cards are `UNSURE`."""
WHOLE_TABLES = ((480.0, 1050.0, 0.5), (260.0, 480.0, 0.33), (130.0, 260.0, 0.17))
"""Width of the view in mm, as (least, most, share): a whole table, a part of it, a few cards."""
_SHOWN_VIEW = (170.0, 300.0)
"""Least and greatest width of the view of a card alone, mm."""
UNSURE = 255
"""Value of an owner map besides the numbers of the cards: too little of this card is visible for a label."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneCard:
    """One card of a scene that is visible enough to have a label."""

    card: str
    """`9S`, `BACK`, or `??` for an invented face."""
    face_up: bool
    quad: Quad
    """Corners of the whole card in pixels, from its top left; they may lie outside the picture."""
    visible: float
    """Visible share of the whole card, 0..1."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A rendered picture and its truth."""

    image: NDArray[np.uint8]
    """Size x size x 3, BGR."""
    cards: tuple[SceneCard, ...]
    owner: NDArray[np.uint8]
    """Size x size: for each pixel 1 + index in `cards` of the visible card, 0 for no card, or `UNSURE`."""


class SceneMaker:
    """Renders scenes from decks and surfaces."""

    def __init__(
        self,
        stock: CardStock,
        textures: Sequence[NDArray[np.uint8]],
        size: int = 448,
        *,
        views: Sequence[tuple[float, float, float]] = WHOLE_TABLES,
        clusters: Mapping[str, float] = USUAL_CLUSTERS,
        min_visible: float = MIN_VISIBLE,
    ) -> None:
        """Prepare to render pictures of `size` x `size` pixels.

        Args:
            stock: The cards.
            textures: The surfaces, BGR.
            size: Side of the pictures, pixels.
            views: Widths of the view, as in `WHOLE_TABLES`.
            clusters: Shares of the clusters, as in `datasets.scenes.layouts.USUAL_CLUSTERS`.
            min_visible: Least visible share of a labelled card, 0..1.
        """
        self.stock, self.textures, self.size = stock, textures, size
        self.views, self.clusters, self.min_visible = views, clusters, min_visible

    def make(self, seed: int) -> Scene:
        """Return scene number `seed`."""
        rng = np.random.default_rng([seed, 2026])
        view = self._view(rng)
        camera = random_camera(rng, self.size, view)
        canvas = _Canvas(self._table(rng, camera, view), camera, self.size / view)
        packs = [self.stock.pick(rng) for _ in range(1 if rng.random() < 0.85 else 2)]
        layout = random_layout(rng, view, self.clusters) if rng.random() < 0.97 else []
        light = rng.normal(0, 2.0, 2)  # shift of shadows, mm per mm of height
        for place in layout:
            canvas.lay(place, packs[int(rng.integers(len(packs)))], rng, light)
        return canvas.finish(rng, self.min_visible)

    def make_alone(self, seed: int, card: str) -> Scene:
        """Return scene number `seed` of those that show one card alone, from nearby."""
        rng = np.random.default_rng([seed, 2027])
        view = float(rng.uniform(*_SHOWN_VIEW))
        turn, roll = rng.uniform(0, 2 * np.pi, 2)
        tilt, fov = np.radians([min(30.0, abs(rng.normal(0, 12))), rng.uniform(42, 78)])
        camera = Camera.above(self.size, view, float(tilt), float(turn), float(roll), float(fov))
        canvas = _Canvas(self._table(rng, camera, view), camera, self.size / view)
        x, y = rng.normal(0, 10, 2)
        pack = replace(self.stock.pick(rng), cards=[card])
        light = rng.normal(0, 2.0, 2)
        canvas.lay(Placement(float(x), float(y), float(rng.uniform(0, 2 * np.pi)), True), pack, rng, light)
        return canvas.finish(rng, self.min_visible, objects=())

    def _view(self, rng: np.random.Generator) -> float:
        kind = rng.random() * sum(share for _, _, share in self.views)
        chosen = int(np.searchsorted(np.cumsum([share for _, _, share in self.views]), kind, side="right"))
        least, most, _ = self.views[min(chosen, len(self.views) - 1)]
        return float(rng.uniform(least, most))

    def _table(self, rng: np.random.Generator, camera: Camera, view: float) -> Picture:
        plan, to_plan = random_plan(rng, self.textures, view)
        matrix = camera.plane() @ np.linalg.inv(to_plan)
        size = (self.size, self.size)
        mode = cv2.BORDER_REFLECT
        return np.asarray(cv2.warpPerspective(plan, matrix, size, borderMode=mode), np.float32)


class _Canvas:
    """A picture in the making. Cards are laid on it, bottom first."""

    def __init__(self, picture: Picture, camera: Camera, unit: float) -> None:
        self.picture, self.camera, self.unit = picture, camera, unit
        self.size = picture.shape[0]
        self.owner = np.zeros(picture.shape[:2], np.uint16)
        self.laid: list[SceneCard] = []

    def lay(
        self, place: Placement, pack: ScenePack, rng: np.random.Generator, light: NDArray[np.float64]
    ) -> None:
        outline = card_outline(place)
        quad = self.camera.project(outline, place.height)
        if polygon_area(quad) <= 4 or not np.isfinite(quad).all() or np.abs(quad).max() > 6 * self.size:
            return
        self._shadow(outline, place.height, light, rng)
        if place.below:
            self._edges(outline, place, rng)
        card, levels = pack.draw(rng, place.face_up)
        self._paste(levels, quad, np.float32(rng.uniform(0.92, 1.02)))
        self.laid.append(SceneCard(card, place.face_up, quad, 0.0))
        cv2.fillConvexPoly(self.owner, np.round(quad).astype(np.int32), (len(self.laid),))

    def _shadow(
        self,
        outline: NDArray[np.float64],
        height: float,
        light: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> None:
        thrown = outline + light * (0.5 + height) + rng.normal(0, 0.2, 2)
        quad = self.camera.project(thrown, 0.0 if height < 3 else height * 0.5)
        margin = int(3 + 3 * self.unit)
        x0, y0, x1, y1 = self._region(quad, margin)
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.fillConvexPoly(mask, np.round(quad - (x0, y0)).astype(np.int32), (1.0,))
        soft = cv2.GaussianBlur(mask, (0, 0), max(0.5, rng.uniform(0.4, 2.0) * self.unit))
        self.picture[y0:y1, x0:x1] *= 1 - np.float32(rng.uniform(0.15, 0.6)) * soft[..., None]

    def _edges(self, outline: NDArray[np.float64], place: Placement, rng: np.random.Generator) -> None:
        """Draw the side of a stack: many thin layers, each a little shifted."""
        step = max(1, place.below // 14)
        slip = rng.uniform(0, 1.2)
        for layer in range(0, place.below, step):
            shifted = outline + rng.normal(0, slip, 2)
            quad = self.camera.project(shifted, place.height * layer / place.below)
            shade = rng.uniform(150, 235) - rng.uniform(0, 12, 3)
            points = [np.round(quad * 16).astype(np.int32)]
            cv2.fillPoly(self.picture, points, shade.tolist(), cv2.LINE_AA, 4)

    def _region(self, quad: Quad, margin: int) -> tuple[int, int, int, int]:
        low = np.clip(np.floor(quad.min(axis=0)) - margin, 0, self.size).astype(int)
        high = np.clip(np.ceil(quad.max(axis=0)) + margin + 1, 0, self.size).astype(int)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def _paste(self, levels: Sequence[Art], quad: Quad, tint: np.float32) -> None:
        x0, y0, x1, y1 = self._region(quad, 1)
        if x1 <= x0 or y1 <= y0:
            return
        sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
        long_side = float(sides[[1, 3]].max())
        art = next((level for level in reversed(levels) if level.shape[0] >= long_side), levels[0])
        height, width = art.shape[:2]
        corners = image_border(width, height)
        matrix = homography(corners, quad - np.array((x0, y0), np.float32))
        pasted = cv2.warpPerspective(art, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR).astype(
            np.float32
        )
        under = self.picture[y0:y1, x0:x1]
        under *= 1 - pasted[..., 3:] / 255
        under += pasted[..., :3] * tint

    def finish(
        self,
        rng: np.random.Generator,
        min_visible: float,
        objects: Sequence[tuple[DrawObject, float]] = OBJECTS,
    ) -> Scene:
        """Draw objects over the cards, light the scene, and return the picture with its truth."""
        covered = np.zeros((self.size, self.size), np.uint8)
        glossy = self.owner > 0
        if rng.random() < 0.35:
            self.picture = add_glare(self.picture, glossy, rng)
        for draw, share in objects:
            if rng.random() < share:
                covered = np.maximum(covered, draw(self.picture, rng, self.unit))
        self.owner[covered > 127] = 0
        picture = light_up(self.picture, rng)
        cards, owner = self._visible_cards(min_visible)
        return Scene(through_lens(picture, rng), cards, owner)

    def _visible_cards(self, min_visible: float) -> tuple[tuple[SceneCard, ...], NDArray[np.uint8]]:
        seen = np.bincount(self.owner.ravel(), minlength=len(self.laid) + 1)
        owner = np.zeros(self.owner.shape, np.uint8)
        cards: list[SceneCard] = []
        for number, card in enumerate(self.laid, start=1):
            visible = float(seen[number]) / polygon_area(card.quad)
            if visible >= min_visible and seen[number] >= 30 and len(cards) < UNSURE - 1:
                cards.append(SceneCard(card.card, card.face_up, card.quad, min(visible, 1.0)))
                owner[self.owner == number] = len(cards)
            elif seen[number]:
                owner[self.owner == number] = UNSURE
        return tuple(cards), owner
