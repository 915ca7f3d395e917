"""Objects on a table: glasses, coins, phones, beer mats, slips of paper.

An object has upright walls over its outline, and a picture on top. A film moves it like a card.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Camera, Points, Pose
from datasets.films.rendering.cards import CardArtist
from datasets.films.rendering.layers import Image, Layer, bounds_of, gray3
from datasets.films.rendering.light import Light

_PX = 4.0
"""Pixels per millimetre in a picture from above."""
_FINE = {"lineType": cv2.LINE_AA}
Colour = tuple[float, float, float]
"""BGR."""


@dataclass(frozen=True, eq=False)
class TableObject:
    """One object; lengths are millimetres."""

    width: float
    depth: float
    height: float
    top: Image
    """BGRA from above, upright."""
    side: Colour
    opacity: float = 1.0
    """Opacity of its walls; below 1 for glass."""
    foot: float = 1.0
    """Width at the bottom, as a share of the top."""
    round: bool = False

    @property
    def radius(self) -> float:
        """Greatest distance of its edge from its middle."""
        return (self.width if self.round else math.hypot(self.width, self.depth)) / 2.0

    def outline(self, pose: Pose, share: float = 1.0) -> Points:
        """Return its outline at a pose, N x 2 mm, scaled by `share`."""
        if not self.round:
            return pose.corners(self.width * share, self.depth * share)
        turns = np.linspace(0.0, 2.0 * math.pi, 36, endpoint=False)
        edge = np.c_[np.cos(turns), np.sin(turns)] * self.radius * share
        return np.asarray(edge + np.array([pose.x, pose.y]))


def random_object(kind: str, rng: random.Random) -> TableObject:
    """Return a random object of a kind in `KINDS`."""
    return KINDS[kind](rng)


def _tinted(colour: Colour, share: float) -> Colour:
    return colour[0] * share, colour[1] * share, colour[2] * share


def _blank(width: float, depth: float) -> Image:
    return np.zeros((round(depth * _PX), round(width * _PX), 4), np.uint8)


def _disc(picture: Image, share: float, colour: Colour, alpha: float = 1.0, line: float = 0.0) -> None:
    """Draw a circle around the middle, `share` of the picture wide. It is `line` mm thick, or filled."""
    height, width = picture.shape[:2]
    thick = max(1, round(line * _PX)) if line else -1
    radius = max(1, round(width / 2.0 * share - line * _PX / 2.0 - 1.0))
    cv2.circle(picture, (width // 2, height // 2), radius, (*colour, 255.0 * alpha), thick, **_FINE)


def _slab(picture: Image, colour: Colour, corner: float, inset: float = 0.0) -> None:
    """Draw a filled rectangle with round corners, `inset` mm from the edge of the picture."""
    height, width = picture.shape[:2]
    edge = round((inset + corner) * _PX)
    box = np.array([[edge, edge], [width - edge, edge], [width - edge, height - edge], [edge, height - edge]])
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 255.0)
    reach = 2 * round(corner * _PX) + 1
    mask = np.asarray(
        cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))), np.uint8
    )
    picture[mask > 0] = (*colour, 255.0)


def _write(picture: Image, text: str, x: float, y: float, size: float, colour: Colour) -> None:
    """Write a word with letters `size` mm high and its lower left corner at (x, y) mm."""
    where = (round(x * _PX), round(y * _PX))
    cv2.putText(
        picture, text, where, cv2.FONT_HERSHEY_DUPLEX, size * _PX / 22.0, (*colour, 255.0), 2, cv2.LINE_AA
    )


def _glass(rng: random.Random) -> TableObject:
    wide, high = rng.uniform(64.0, 80.0), rng.uniform(85.0, 130.0)
    drink, clear = rng.choice(
        [((40, 140, 215), 0.95), ((24, 28, 48), 0.97), ((190, 184, 172), 0.3), ((46, 24, 112), 0.95)]
    )
    picture = _blank(wide, wide)
    _disc(picture, 1.0, (205, 205, 200), 0.35)
    _disc(picture, 0.88, drink, clear)
    if drink == (40, 140, 215):  # foam
        _disc(picture, 0.84, (215, 235, 245), 0.95)
        for _ in range(60):
            at = [round(wide * _PX * (0.5 + rng.gauss(0, 0.12))) for _ in range(2)]
            cv2.circle(picture, at, rng.randrange(2, 8), (190, 215, 230, 250), -1, **_FINE)
    _disc(picture, 1.0, (238, 238, 236), 0.85, line=1.6)
    middle, start = picture.shape[0] // 2, rng.uniform(0, 360)
    for share, sweep in ((0.92, 50.0), (0.74, 24.0)):
        axes = (round(middle * share), round(middle * share))
        cv2.ellipse(picture, (middle, middle), axes, 0.0, start, start + sweep, (255, 255, 255, 230), 5)
    return TableObject(
        wide, wide, high, picture, drink, 0.25 + 0.5 * clear, rng.uniform(0.72, 0.92), round=True
    )


def _coin(rng: random.Random) -> TableObject:
    wide = rng.uniform(17.0, 27.0)
    metal = rng.choice([(70, 110, 165), (85, 165, 200), (175, 180, 182)])
    dark, pale = _tinted(metal, 0.7), _tinted(metal, 1.25)
    picture = _blank(wide, wide)
    _disc(picture, 1.0, metal)
    _disc(picture, 1.0, pale, line=1.0)
    _disc(picture, 0.78, dark, line=0.6)
    _write(picture, rng.choice(["1", "2", "5", "10", "20"]), wide * 0.3, wide * 0.68, wide * 0.34, dark)
    return TableObject(wide, wide, 2.0, picture, dark, round=True)


def _phone(rng: random.Random) -> TableObject:
    wide, deep = rng.uniform(68.0, 77.0), rng.uniform(142.0, 162.0)
    picture, case = _blank(wide, deep), rng.choice([(40, 38, 36), (150, 90, 60), (70, 60, 150)])
    _slab(picture, case, 9.0)
    lit = rng.random() < 0.5
    _slab(picture, (150, 95, 60) if lit else (22, 21, 20), 7.0, inset=3.0)
    for row in range(6 if lit else 0):
        for column in range(4):
            corner = (round((9 + column * 15) * _PX), round((16 + row * 20) * _PX))
            colour = tuple(rng.uniform(50, 250) for _ in range(3))
            end = (corner[0] + round(11 * _PX), corner[1] + round(11 * _PX))
            cv2.rectangle(picture, corner, end, (*colour, 255.0), -1)
    return TableObject(wide, deep, 8.5, picture, case)


def _beer_mat(rng: random.Random) -> TableObject:
    """Cardboard that resembles a card in size, colour and print."""
    is_round = rng.random() < 0.5
    picture, ink = _blank(94.0, 94.0), rng.choice([(40, 40, 170), (40, 110, 40), (130, 60, 20), (20, 20, 20)])
    paper = (222.0, 232.0, 238.0)
    if is_round:
        _disc(picture, 1.0, paper)
    else:
        _slab(picture, paper, 7.0)
    _disc(picture, 0.86, ink, line=3.0)
    _disc(picture, 0.5, ink)
    _write(picture, rng.choice(["PILS", "ALE", "No 7", "1872", "10"]), 33.0, 51.0, 8.0, paper)
    return TableObject(94.0, 94.0, 1.4, picture, (150, 165, 175), round=is_round)


def _slip(rng: random.Random) -> TableObject:
    """A receipt: white paper with rows of figures."""
    deep = rng.uniform(110.0, 190.0)
    picture = _blank(76.0, deep)
    picture[:] = (232, 236, 238, 255)
    for row in range(2, round(deep / 7.0) - 2):
        if rng.random() < 0.8:
            _write(
                picture, rng.choice(["Soup", "Beer", "Bread", "Total", "Tea"]), 6, row * 7, 3, (60, 58, 56)
            )
            _write(picture, f"{rng.uniform(1, 40):.2f}", 52, row * 7, 3, (60, 58, 56))
    return TableObject(76.0, deep, 0.3, picture, (200, 200, 200))


def _wallet(rng: random.Random) -> TableObject:
    leather = rng.choice([(40, 60, 95), (30, 34, 40), (50, 80, 130)])
    picture = _blank(112.0, 92.0)
    _slab(picture, leather, 6.0)
    inner = (round(5 * _PX), round(5 * _PX), round(102 * _PX), round(82 * _PX))
    cv2.rectangle(picture, inner, (*_tinted(leather, 1.4), 255.0), 2)
    return TableObject(112.0, 92.0, 18.0, picture, leather)


def _bowl(rng: random.Random) -> TableObject:
    wide = rng.uniform(120.0, 165.0)
    glaze = rng.choice([(225, 228, 230), (150, 120, 70), (60, 80, 160)])
    picture = _blank(wide, wide)
    _disc(picture, 1.0, glaze)
    _disc(picture, 0.9, _tinted(glaze, 0.7))
    for _ in range(170):
        turn, away = rng.uniform(0, math.tau), wide * _PX * 0.37 * math.sqrt(rng.random())
        at = [round(wide * _PX / 2.0 + away * part) for part in (math.cos(turn), math.sin(turn))]
        nut = rng.uniform(0.6, 1.1)
        colour = (70 * nut, 135 * nut, 190 * nut, 255.0)
        cv2.ellipse(picture, at, (26, 17), rng.uniform(0, 180), 0, 360, colour, -1, **_FINE)
    return TableObject(wide, wide, 50.0, picture, glaze, foot=0.6, round=True)


def _pen(rng: random.Random) -> TableObject:
    picture, ink = _blank(9.0, 140.0), rng.choice([(150, 60, 30), (30, 30, 30), (40, 40, 190)])
    _slab(picture, ink, 4.0)
    picture[: round(30 * _PX)][picture[: round(30 * _PX), :, 3] > 0] = (215, 215, 215, 255)
    return TableObject(9.0, 140.0, 9.0, picture, ink)


KINDS: dict[str, Callable[[random.Random], TableObject]] = {
    "glass": _glass,
    "coin": _coin,
    "phone": _phone,
    "mat": _beer_mat,
    "slip": _slip,
    "wallet": _wallet,
    "bowl": _bowl,
    "pen": _pen,
}
"""Makers of the objects that people have on a table, by name."""


class ObjectArtist(CardArtist):
    """Draws cards, and objects for pieces with the name of one."""

    def __init__(
        self,
        faces: dict[str, Image],
        back: Image,
        camera: Camera,
        light: Light,
        blur: float,
        *,
        objects: Mapping[str, TableObject],
    ) -> None:
        """Prepare the deck as `CardArtist` does, and the objects by the names of their pieces."""
        super().__init__(faces, back, camera, light, blur)
        self._objects = objects

    def layer(
        self,
        card: str,
        face_up: bool,
        pose: Pose,
        squeeze: float = 1.0,
        over: float = 1.0,
        shade: float = 1.0,
    ) -> Layer | None:
        """Return a card or an object as a layer, or None if it is outside the picture."""
        item = self._objects.get(card)
        if item is None:
            return super().layer(card, face_up, pose, squeeze, over, shade)
        camera, light, top_z = self._camera, self._light, pose.z + item.height
        walls = np.r_[
            camera.project(item.outline(pose, item.foot), pose.z),
            camera.project(item.outline(pose), top_z),
        ]
        slide = np.array(light.shadow)
        shaded = camera.project(
            np.r_[
                item.outline(pose, item.foot) + slide * over,
                item.outline(pose) + slide * (over + item.height),
            ],
            max(pose.z - over, 0.0),
        )
        soft = ((over + item.height * 0.4) * light.softness + 0.8) * self.scale
        rect = bounds_of(np.r_[walls, shaded], 3.0 * soft + 3.0, camera.width, camera.height)
        if rect[0] >= rect[2] or rect[1] >= rect[3]:
            return None
        shadow = _hull(shaded, rect, light.darkness * shade)
        shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), soft), np.float32)
        side = _hull(walls, rect, item.opacity)[..., None]
        top = self._seen_from_above(item, pose, rect)
        picture = top + (1.0 - top[..., 3:] / 255.0) * side * np.array([*item.side, 255.0], np.float32) * (
            np.array([0.72, 0.72, 0.72, 1.0], np.float32)
        )
        if self._blur > 0.05:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), self._blur), np.float32)
        keep = (1.0 - picture[..., 3] / 255.0) * (1.0 - shadow) * 255.0
        add = light.lit(np.ascontiguousarray(np.clip(picture[..., :3], 0, 255).astype(np.uint8)), rect)
        return Layer(rect[0], rect[1], gray3(np.clip(keep, 0, 255).astype(np.uint8)), add)

    def _seen_from_above(
        self, item: TableObject, pose: Pose, rect: tuple[int, int, int, int]
    ) -> NDArray[np.float32]:
        """Return the top of the object in `rect` of the picture, premultiplied by alpha."""
        picture = item.top.astype(np.float32)
        picture[..., :3] *= picture[..., 3:] / 255.0
        height, width = picture.shape[:2]
        corners = self._camera.project(pose.corners(item.width, item.depth), pose.z + item.height)
        # Reduced by area first, because a warp uses only four neighbours and would flicker.
        longest = max(float(np.linalg.norm(corners[1] - corners[0])) / width, 1e-3)
        if longest < 0.7:
            size = (max(2, round(width * longest * 1.3)), max(2, round(height * longest * 1.3)))
            picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)
            height, width = picture.shape[:2]
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        target = (corners - np.array(rect[:2])).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(source, target)
        return np.asarray(
            cv2.warpPerspective(picture, matrix, (rect[2] - rect[0], rect[3] - rect[1])), np.float32
        )


def _hull(points: Points, rect: tuple[int, int, int, int], level: float) -> NDArray[np.float32]:
    """Return a picture of `rect` with `level` inside the convex hull of `points`, and 0 outside."""
    mask = np.zeros((rect[3] - rect[1], rect[2] - rect[0]), np.uint8)
    inside = np.round((points - np.array(rect[:2])) * 16.0).astype(np.int32)
    cv2.fillConvexPoly(mask, cv2.convexHull(inside), 255.0, cv2.LINE_AA, 4)
    return np.asarray(mask.astype(np.float32) * (level / 255.0), np.float32)
