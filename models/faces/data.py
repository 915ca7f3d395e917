"""Training samples: one card in a small synthetic photograph, cut out as the reader cuts it out.

`vision.recognition.crops` cuts the pieces, in training and in the running reader. So training sees what
inference sees: wrong corners, few pixels, blur, glare, neighbours and covered parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import corner_mask
from datasets.photos import surfaces
from datasets.scenes.light import motion_kernel
from models.faces.labels import IGNORE, JOKER, NONE, rank_label, suit_label
from models.faces.photos import RealCard
from models.faces.styles import (
    FACE_HEIGHT,
    FACE_WIDTH,
    ArtFaces,
    Face,
    invented_face,
    ornament,
    some_back,
    some_card,
)
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, card_plane, homography, transform
from vision.recognition.crops import FaceCrops, face_crops

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

SMALLEST, LARGEST = 34, 220
"""Least and greatest height of a card in the synthetic photographs, pixels."""

_REAL_SHARE = 0.2
_WIDE_SHARE = 0.35
_NOTHING_SHARE = 0.09
"""Share of the synthetic photographs with a back, an ornament or nothing at the quad."""
_POOR_SHARE = 0.15
"""Share of the outlines that are badly wrong."""
_SIDEWAYS_SHARE = 0.03
"""Share of the cards that are cut out on their side, as happens to foreshortened ones.

They are labelled NONE.
"""

_INDEX_MM = np.array([(x, y) for x in (2.0, 4.5, 7.0) for y in (4.0, 7.5, 11.0, 14.0)], np.float64)
"""Points of the top left index, mm from the corner of the card. They show how much of it is covered."""


@dataclass(frozen=True)
class Sample:
    """One card as the networks see it, and its labels (see `models.faces.labels`)."""

    crops: FaceCrops
    corners: tuple[Picture, Picture]
    """The two corner pieces that are trained on: one for each corner, in one of its two sizes."""
    rank: int
    suit: int
    corner_ranks: tuple[int, int]
    corner_suits: tuple[int, int]


class Photograph:
    """A square picture in the making: first the table, then cards, then light."""

    def __init__(self, rng: np.random.Generator, height: float) -> None:
        self.rng = rng
        self.height = height
        self.size = int(np.ceil(height * 1.5))
        self.picture = self._table()
        self.covered = np.zeros((self.size, self.size), np.uint8)

    def _table(self) -> Picture:
        rng, size = self.rng, self.size
        if rng.random() < 0.2:
            return np.full((size, size, 3), rng.integers(5, 250, 3), np.uint8)
        tiles = surfaces()
        tile = tiles[int(rng.integers(len(tiles)))]
        cut = int(rng.integers(24, min(tile.shape[:2]) + 1))
        y, x = rng.integers(0, np.array(tile.shape[:2]) - cut + 1)
        part = tile[y : y + cut, x : x + cut]
        return np.asarray(cv2.resize(part, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)

    def place(self, centre: Points, angle: float, tilt: Points) -> Points:
        """Return the corners (4 x 2 pixels) of a card at `centre`, turned (radians) and tilted (2 x 2)."""
        width, height = self.height * CARD_WIDTH_MM / CARD_HEIGHT_MM, self.height
        flat = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
        return np.asarray((flat @ turning(angle)) @ tilt.T + centre)

    def paste(self, face: Face, quad: Points, mask: NDArray[np.uint8] | None = None) -> None:
        """Paint a card at a quad; with `mask` its corners are round."""
        high, wide = face.shape[:2]
        if self.height < high / 1.5:
            # Reduced by area first, because a camera averages over a pixel. A warp would skip strokes.
            factor = self.height * 1.1 / high
            wide, high = max(8, round(wide * factor)), max(8, round(high * factor))
            face = np.asarray(cv2.resize(face, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
        corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]]) - 0.5
        matrix = homography(corners, quad)
        size = (self.size, self.size)
        if mask is None:
            cv2.warpPerspective(face, matrix, size, self.picture, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)
            return
        warped = cv2.warpPerspective(
            face, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        share = cv2.warpPerspective(mask, matrix, size, flags=cv2.INTER_LINEAR)
        self.picture = np.asarray(
            cv2.blendLinear(
                warped,
                self.picture,
                share.astype(np.float32) / 255,
                (255 - share).astype(np.float32) / 255,
            ),
            np.uint8,
        )

    def share_hidden(self, quad: Points, places: Points) -> float:
        """Return the share of `places` (N x 2 mm on the card) that are covered or outside the photo."""
        points = np.round(transform(card_plane(quad), places)).astype(int)
        inside = ((points >= 0) & (points < self.size)).all(axis=1)
        points = np.clip(points, 0, self.size - 1)
        hidden = self.covered[points[:, 1], points[:, 0]] > 0
        return float((hidden | ~inside).mean())

    def cover(self, quad: Points) -> None:
        """Mark a polygon as covered."""
        cv2.fillConvexPoly(self.covered, np.round(quad).astype(np.int32), 255)

    def finger(self) -> None:
        """Paint a finger (an arm, if the card is small) that reaches in from one side."""
        rng, size = self.rng, self.size
        skin = np.array([rng.uniform(60, 150), rng.uniform(90, 180), rng.uniform(130, 230)])
        start = rng.uniform(0, 2 * np.pi)
        edge = size / 2 + size * 0.8 * np.array([np.cos(start), np.sin(start)])
        tip = size / 2 + rng.normal(0, 0.2, 2) * size
        width = max(2, round(self.height * rng.uniform(0.12, 0.35)))
        ends = [np.round(edge).astype(int).tolist(), np.round(tip).astype(int).tolist()]
        cv2.line(self.picture, ends[0], ends[1], skin.tolist(), width, cv2.LINE_AA)
        cv2.line(self.covered, ends[0], ends[1], 255, width)


def _light(rng: np.random.Generator, picture: Picture) -> Picture:
    """Return the picture in uneven, coloured, perhaps dim light, with shadows and glare."""
    size = picture.shape[0]
    cells = int(rng.integers(2, 5))
    gain = 1 + rng.normal(0, rng.uniform(0, 0.22), (cells, cells, 1)).astype(np.float32)
    exposure = rng.uniform(0.25, 0.7) if rng.random() < 0.25 else rng.uniform(0.7, 1.25)
    tint = 1 + rng.normal(0, rng.uniform(0.02, 0.14), (1, 1, 3))
    field = cv2.resize(
        (gain * exposure * tint).astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR
    )
    if rng.random() < 0.2:
        shadow = np.full((size, size), 255, np.uint8)
        corner, reach = rng.uniform(0, size, 2), rng.uniform(-1.5, 1.5, (2, 2)) * size
        points = np.round([corner, corner + reach[0], corner + reach[1]]).astype(np.int32)
        cv2.fillConvexPoly(shadow, points, int(rng.uniform(90, 210)))
        blur = max(0.5, rng.uniform(0, 0.05) * size)
        soft = cv2.GaussianBlur(shadow, (0, 0), blur).astype(np.float32) / 255
        field = field * soft[:, :, None]
    lit = cv2.multiply(picture.astype(np.float32), field)
    if rng.random() < 0.3:
        small = np.zeros((32, 32), np.float32)
        centre, axes = rng.integers(0, 32, 2).tolist(), rng.integers(1, 9, 2).tolist()
        cv2.ellipse(small, centre, axes, rng.uniform(0, 180), 0, 360, (rng.uniform(30, 230),), -1)
        glare = cv2.resize(cv2.GaussianBlur(small, (0, 0), rng.uniform(0.6, 3)), (size, size))
        lit = lit + glare[:, :, None]
    if rng.random() < 0.2:
        # Haze: the reflection of a lamp all over a glossy card.
        lit = lit * (1 - (haze := rng.uniform(0, 0.45))) + haze * rng.uniform(120, 255)
    return np.asarray(cv2.convertScaleAbs(np.maximum(lit, 0)), np.uint8)


def _lens(rng: np.random.Generator, picture: Picture, height: float) -> Picture:
    """Return the picture as a camera takes it: blur, motion, sharpening, noise, compression."""
    if rng.random() < 0.6:
        # Up to about a pixel at any size, or a share of the card if it is out of focus.
        sigma = rng.uniform(0.2, 1.1) if rng.random() < 0.75 else rng.uniform(0.003, 0.016) * height
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), max(0.2, sigma)), np.uint8)
    if rng.random() < 0.12:
        length = int(np.clip(rng.uniform(0.01, 0.05) * height, 2, 12))
        picture = np.asarray(cv2.filter2D(picture, -1, motion_kernel(rng, length)), np.uint8)
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
        picture = np.asarray(
            cv2.addWeighted(picture, 1 + (k := rng.uniform(0.3, 1.5)), soft, -k, 0), np.uint8
        )
    if rng.random() < 0.7:
        sigma = rng.uniform(1, 14)
        noise = cv2.randn(np.zeros(picture.shape, np.int16), np.zeros(3), np.full(3, sigma))
        picture = np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)
    if rng.random() < 0.5:
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 96))])[1]
        picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return picture


def turning(angle: float) -> Points:
    """Return the 2 x 2 matrix that turns rows of points by an angle, radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, sin], [-sin, cos]])


def some_tilt(rng: np.random.Generator) -> Points:
    """Return a 2 x 2 map that foreshortens in a random direction, as a view from the side does."""
    angle, squeeze = rng.uniform(0, np.pi), rng.uniform(0.55, 1.0) ** 0.7
    cos, sin = np.cos(angle), np.sin(angle)
    axes = np.array([[cos, -sin], [sin, cos]])
    return np.asarray(axes @ np.diag([squeeze, 1.0]) @ axes.T)


def as_taken(rng: np.random.Generator, picture: Picture, height: float) -> Picture:
    """Return a picture in random light, as a camera takes it. `height` is that of a card in it, pixels."""
    return _lens(rng, _light(rng, picture), height)


def _wrong_quad(rng: np.random.Generator, quad: Points, height: float, poor_share: float) -> Points:
    """Return the quad as a detector might give it: shifted and scaled, with each corner moved by itself."""
    poor = rng.random() < poor_share
    spread = (rng.uniform(0.03, 0.06) if poor else rng.uniform(0, 0.03)) * height
    centre = quad.mean(axis=0)
    scale = 1 + rng.normal(0, 0.02)
    wrong = (quad - centre) * scale + centre + rng.normal(0, spread * 0.6, 2) + rng.normal(0, spread, (4, 2))
    limit = (0.14 if poor else 0.08) * height
    return np.asarray(quad + np.clip(wrong - quad, -limit, limit))


class SampleMaker:
    """Makes an endless series of samples; the same seed makes the same samples."""

    def __init__(
        self,
        art: ArtFaces,
        seed: int,
        invented: float = 0.5,
        real: Sequence[RealCard] = (),
        heights: tuple[float, float] = (SMALLEST, LARGEST),
        covers: bool = True,
        poor: float = _POOR_SHARE,
    ) -> None:
        """Prepare to make samples.

        Args:
            art: Faces and backs of the decks.
            seed: Decides everything.
            invented: Share of the cards in invented styles; the others come from `art`.
            real: Photographed cards. If there are any, one sample in five shows one.
            heights: Least and greatest height of a card, pixels.
            covers: Whether other things may lie on the card, and cards may be cut out on their side.
            poor: Share of the outlines that are badly wrong, by up to a seventh of the card.
        """
        self.real, self.heights, self.covers, self.poor = real, heights, covers, poor
        self.art = art
        self.rng = np.random.default_rng(seed)
        cv2.setRNGSeed(seed)
        self.invented = invented
        self.mask = corner_mask(FACE_WIDTH, FACE_HEIGHT)
        self.backs = [some_back(self.rng, art) for _ in range(80)]
        self.recent: list[Face] = [art.face(self.rng, some_card(self.rng)) for _ in range(20)]

    def _back(self) -> Face:
        return self.backs[int(self.rng.integers(len(self.backs)))]

    def _face(self, card: str, height: float) -> Face:
        if self.rng.random() < self.invented:
            return invented_face(self.rng, card, self.art, int(np.clip(1.3 * height, 120, FACE_HEIGHT)))
        return self._printed(card)

    def _printed(self, card: str) -> Face:
        """Return the face of the card in a random deck."""
        return self.art.face(self.rng, card)

    def _neighbours(self, photo: Photograph, quad: Points, angle: float, tilt: Points, above: bool) -> None:
        """Lay other cards below or above the card, as in a fan, a row or an untidy pile."""
        rng = self.rng
        fan = rng.random() < 0.6
        for _ in range(int(rng.integers(1, 3)) if above else int(rng.integers(1, 4))):
            shift = rng.normal(0, 0.12, 2) if fan else rng.normal(0, 0.5, 2)
            axes = np.array([quad[1] - quad[0], quad[3] - quad[0]])
            direction = rng.choice([-1.0, 1.0])
            along = (direction * rng.uniform(0.18, 0.95) if fan else 0.0) + shift[0]
            centre = quad.mean(axis=0) + along * axes[0] + shift[1] * axes[1]
            turn = rng.normal(0, 0.2) if fan else rng.uniform(-np.pi, np.pi)
            other = photo.place(centre, angle + turn, tilt)
            face = self._back() if rng.random() < 0.15 else self.recent[int(rng.integers(20))]
            photo.paste(face, other)
            if above:
                photo.cover(other)

    def _hidden_share(self, photo: Photograph, quad: Points, half_turn: bool) -> float:
        """Return the covered share of the index at the first corner of the quad, or at the opposite one."""
        width, height = CARD_WIDTH_MM, CARD_HEIGHT_MM
        places = np.array([width, height]) - _INDEX_MM if half_turn else _INDEX_MM
        return photo.share_hidden(quad, places)

    def _corner(self, hidden: float, rank: int, suit: int) -> tuple[int, int]:
        if rank == NONE or hidden > 0.6:
            return NONE, IGNORE
        if hidden > 0.25 or rank == JOKER:
            return IGNORE, IGNORE
        return rank, suit

    def sample(self) -> Sample:
        """Make one sample."""
        rng = self.rng
        height = float(np.exp(rng.uniform(*np.log(self.heights))))
        if len(self.real) and rng.random() < _REAL_SHARE:
            photo, quad, rank, suit = self._photographed(height)
            angle = float(np.arctan2(*(quad[1] - quad[0])[::-1]))
            tilt = np.eye(2)
        else:
            angle, tilt = rng.uniform(-np.pi, np.pi), some_tilt(rng)
            photo, quad, rank, suit = self._made_up(height, angle, tilt)
        if rng.random() < 0.33 and self.covers:
            self._neighbours(photo, quad, angle, tilt, above=True)
        if rng.random() < 0.08 and self.covers:
            photo.finger()
        photo.picture = as_taken(rng, photo.picture, height)
        return self._cut(photo, quad, rank, suit)

    def shown(self, card: str, height: float) -> tuple[Picture, Points]:
        """Return a synthetic photo of one card alone, and its quad as a detector might give it."""
        photo = Photograph(self.rng, height)
        angle, tilt = self.rng.uniform(-np.pi, np.pi), some_tilt(self.rng)
        quad = photo.place(np.full(2, photo.size / 2), angle, tilt)
        photo.paste(self._face(card, height), quad, self.mask)
        picture = as_taken(self.rng, photo.picture, height)
        return picture, _wrong_quad(self.rng, quad, height, self.poor)

    def _photographed(self, height: float) -> tuple[Photograph, Points, int, int]:
        """Return a photo of a real card, never enlarged, with its quad, rank and suit."""
        real = self.real[int(self.rng.integers(len(self.real)))]
        height = min(height, real.picture.shape[0] / 1.5)
        photo = Photograph(self.rng, height)
        size = (photo.size, photo.size)
        photo.picture = np.asarray(cv2.resize(real.picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        quad = (real.quad + 0.5) * (photo.size / real.picture.shape[0]) - 0.5
        return photo, quad, rank_label(real.card), suit_label(real.card)

    def _made_up(self, height: float, angle: float, tilt: Points) -> tuple[Photograph, Points, int, int]:
        """Return a synthetic photo of a card (sometimes a back or no card), with its quad, rank and suit."""
        rng = self.rng
        photo = Photograph(rng, height)
        quad = photo.place(np.full(2, photo.size / 2) + rng.normal(0, 0.02, 2) * height, angle, tilt)
        quad += rng.normal(0, 0.012, (4, 2)) * height
        if rng.random() < 0.55:
            self._neighbours(photo, quad, angle, tilt, above=False)
        card, kind = some_card(rng), rng.random()
        if kind < _NOTHING_SHARE:
            thing = rng.random()
            if thing < 0.55:
                photo.paste(self._back(), quad, self.mask)
            elif thing < 0.85:
                photo.paste(ornament(rng), quad, self.mask if rng.random() < 0.5 else None)
            return photo, quad, NONE, IGNORE
        face = self._face(card, height)
        self.recent[int(rng.integers(20))] = face
        photo.paste(face, quad, self.mask)
        return photo, quad, rank_label(card), suit_label(card)

    def _cut(self, photo: Photograph, quad: Points, rank: int, suit: int) -> Sample:
        if self.rng.random() < 0.5:
            quad = np.roll(quad, 2, axis=0)
        if self.covers and self.rng.random() < _SIDEWAYS_SHARE:
            quad, rank, suit = np.roll(quad, 1, axis=0), NONE, IGNORE
        seen = _wrong_quad(self.rng, quad, photo.height, self.poor)
        hidden = [self._hidden_share(photo, quad, half_turn) for half_turn in (False, True)]
        corners = [self._corner(share, rank, suit) for share in hidden]
        crops = face_crops(photo.picture, seen)
        wide = 2 * (self.rng.random(2) < _WIDE_SHARE)
        return Sample(
            crops,
            (crops.corners[0 + wide[0]], crops.corners[1 + wide[1]]),
            rank,
            suit,
            (corners[0][0], corners[1][0]),
            (corners[0][1], corners[1][1]),
        )
