"""What the cards of an enrolled deck look like, and how much what lies in an outline looks like one of them.

Of each card a small picture is kept. It is laid over a part of a picture by a homography, which is improved
by Gauss-Newton steps (inverse compositional image alignment, Baker and Matthews 2004). Each block counts as
far as it agrees: one that is covered shall pull at nothing. What is compared is how much darker each place is
than the paper about it, so that neither the colour of the light nor a shadow's edge counts for much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import homography, rectify
from vision.types import Image, Quad

PICTURE_WIDTH, PICTURE_HEIGHT = 60, 84
"""Pixels of a card's picture."""

UNIT = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], np.float32)
"""A card's corners where its width and its height are 1 and its middle is 0: what planes map from."""
_AROUND = 0.35
"""Half the side of a place's neighbourhood, of the picture's width."""
_PAPER = 0.35
"""Of the picture's width: within so far of any ink there is paper (a pip is smaller)."""
_DARK = 16.0
"""Grey levels that darkness itself counts for: in deep shadow noise shall not look like ink."""
_FAINTEST, _FAINT = 4.0, 0.5
"""Levels, and share of the picture's contrast: what differs less than this from its surroundings is faint."""
_RIM = 0.04
"""Of the picture's width: the outermost part shows the table as often as the card."""
_BLOCKS = (4, 6)
"""Across and down."""
_EMPTY = 0.05
"""Mean square of a block in which hardly anything is seen."""
_LEAST_HEARD = 0.1
"""Weight in alignment of a block that does not agree, such as one that lies under another card."""
_DAMPING, _LONGEST_STEP = 0.02, 0.15


def ink(image: Image) -> NDArray[np.float32]:
    """Return a picture's green and blue (height x width, 0..255): red ink is as dark there as black."""
    return np.asarray((image[..., 0].astype(np.float32) + image[..., 1]) * np.float32(0.5))


def picture_of(image: Image, quad: Quad) -> NDArray[np.uint8]:
    """Return the small picture (PICTURE_HEIGHT x PICTURE_WIDTH) of the card that lies in a quad."""
    flat = ink(rectify(image, quad, 2 * PICTURE_WIDTH, 2 * PICTURE_HEIGHT))
    small = cv2.resize(flat, (PICTURE_WIDTH, PICTURE_HEIGHT), interpolation=cv2.INTER_AREA)
    return np.asarray(np.rint(small), np.uint8)


def plane_of(quad: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the homography (3 x 3) from UNIT to a quad."""
    return homography(UNIT, quad)


def local(picture: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    """Return how a card's picture, `width` pixels wide, differs from its surroundings, place by place."""
    size = (2 * round(_AROUND * width) + 1,) * 2
    lit = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, np.ones((round(_PAPER * width),) * 2, np.uint8))
    picture = np.asarray(255 * (picture + _DARK) / (lit + _DARK), np.float32)
    apart = picture - cv2.blur(picture, size, borderType=cv2.BORDER_REFLECT)
    around = cv2.sqrBoxFilter(apart, -1, size, borderType=cv2.BORDER_REFLECT)
    faint = _FAINTEST**2 + _FAINT**2 * float(np.vdot(apart, apart)) / apart.size
    return np.asarray(apart / np.sqrt(around + np.float32(faint)))


class Aligned(NamedTuple):
    """Cards of a deck laid over parts of a picture."""

    planes: NDArray[np.float64]
    """N x 3 x 3, from UNIT to each one's part."""
    likeness: NDArray[np.float64]
    """N: about 1 where the part shows the card, about 0 where it shows anything else."""


class Sketches:
    """All cards of a deck, each both ways up, at one size. Number 2 k is card k, 2 k + 1 the same turned."""

    def __init__(self, pictures: Sequence[NDArray[np.uint8]], width: int, height: int) -> None:
        """Take cards' small pictures to a size in pixels."""
        self.width, self.height = width, height
        rows, columns = np.mgrid[0:height, 0:width]
        x, y = (columns.ravel() + 0.5) / width - 0.5, (rows.ravel() + 0.5) / height - 0.5
        self._places = np.stack([x, y, np.ones_like(x)]).astype(np.float32)
        rim = max(1, round(_RIM * width))
        inside = np.zeros((height, width), np.float32)
        inside[rim:-rim, rim:-rim] = 1
        self.inside = inside.ravel()
        block = (rows * _BLOCKS[1] // height) * _BLOCKS[0] + columns * _BLOCKS[0] // width
        self._block = (block.ravel()[:, None] == np.arange(_BLOCKS[0] * _BLOCKS[1])).astype(np.float32)
        self._block_size = width * height / self._block.shape[1]
        small = [cv2.resize(p, (width, height), interpolation=cv2.INTER_AREA) for p in pictures]
        ways = [way.astype(np.float32) for p in small for way in (p, cv2.rotate(p, cv2.ROTATE_180))]
        self.cards = np.stack([local(way, width).ravel() for way in ways]) * self.inside
        slopes = np.stack([self._slopes(card.reshape(height, width)) for card in self.cards])
        self._slope = slopes
        self._curvature = np.stack(
            [[((part[:, None] * slope).T @ slope).ravel() for part in self._block.T] for slope in slopes]
        )

    def _slopes(self, card: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how each place changes with each of a homography's eight numbers."""
        across, down = (
            np.gradient(card, axis=1).ravel() * self.width,
            np.gradient(card, axis=0).ravel() * self.height,
        )
        x, y = self._places[:2]
        along = across * x + down * y
        parts = [across * x, across * y, across, down * x, down * y, down, -along * x, -along * y]
        return np.stack(parts, axis=1).astype(np.float32)

    def seen(self, parts: Sequence[NDArray[np.float32]], planes: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return what lies in each plane (N x 3 x 3) of its part of a picture: N x pixels of a sketch."""
        x, y, depth = np.moveaxis(planes.astype(np.float32) @ self._places, 1, 0)
        depth = np.maximum(depth, np.float32(1e-3))
        columns, rows = ((axis / depth).reshape(-1, self.height, self.width) for axis in (x, y))
        flat = [
            cv2.remap(part, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for part, column, row in zip(parts, columns, rows, strict=True)
        ]
        return (
            np.stack([local(np.asarray(one, np.float32), self.width).ravel() for one in flat]) * self.inside
        )

    def alike(self, seen: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the likeness of what is seen (N x pixels) to every sketch: N x sketches, 1 for the same."""
        shared = 2 * seen @ self.cards.T
        energy = np.einsum("np,np->n", seen, seen)[:, None] + np.einsum("kp,kp->k", self.cards, self.cards)
        return np.asarray(shared / np.maximum(energy, 1e-3), np.float64)

    def _agreement(
        self, seen: NDArray[np.float32], which: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the likeness (N) of what is seen to the sketches `which` (N), and that of each block."""
        cards = self.cards[which]
        shared = (seen * cards) @ self._block
        energy = 0.5 * (seen * seen + cards * cards) @ self._block
        likeness = shared.sum(axis=1) / np.maximum(energy.sum(axis=1), 1e-3)
        return likeness.astype(np.float64), shared / (energy + _EMPTY * self._block_size)

    def align(
        self,
        parts: Sequence[NDArray[np.float32]],
        planes: NDArray[np.float64],
        which: NDArray[np.intp],
        steps: int,
    ) -> Aligned:
        """Return the sketches `which` (N) laid over parts of a picture, their `planes` improved in steps."""
        best = Aligned(planes.copy(), np.full(len(planes), -np.inf))
        for step in range(steps + 1):
            seen = self.seen(parts, planes)
            likeness, blocks = self._agreement(seen, which)
            better = likeness > best.likeness
            best.planes[better], best.likeness[better] = planes[better], likeness[better]
            if step < steps:
                planes = _moved(planes, self._step(seen, which, np.clip(blocks, _LEAST_HEARD, 1)))
        return best

    def _step(
        self, seen: NDArray[np.float32], which: NDArray[np.intp], heard: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the Gauss-Newton step (N x 8) by which each card's plane is to be moved."""
        apart = (seen - self.cards[which]) * (heard.astype(np.float32) @ self._block.T)
        slope = np.stack([one @ self._slope[k] for one, k in zip(apart, which, strict=True)])
        curvature = (heard[:, None] @ self._curvature[which])[:, 0].reshape(-1, 8, 8)
        own = np.einsum("nii->ni", curvature)
        curvature = (
            curvature + _DAMPING * np.eye(8) * (own + 0.05 * own.mean(axis=1, keepdims=True))[:, :, None]
        )
        curvature += 1e-6 * np.eye(8)
        step = np.linalg.solve(curvature, slope[..., None].astype(np.float64))[..., 0]
        return np.asarray(np.clip(step, -_LONGEST_STEP, _LONGEST_STEP))


def _moved(planes: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return planes (N x 3 x 3) moved by a step (N x 8), which is taken in the card's own plane."""
    by = np.concatenate([step, np.zeros((len(step), 1))], axis=1).reshape(-1, 3, 3) + np.eye(3)
    moved = planes @ np.linalg.inv(by)
    return np.asarray(moved / moved[:, 2:, 2:])


@dataclass(frozen=True, eq=False)
class CardPictures:
    """The cards of a deck as they look, coarsely and finely."""

    cards: tuple[str, ...]
    coarse: Sketches
    fine: Sketches

    @classmethod
    def of(cls, cards: Sequence[str], pictures: NDArray[np.uint8]) -> CardPictures:
        """Return a deck's cards by their small pictures (N x PICTURE_HEIGHT x PICTURE_WIDTH)."""
        halves = [
            np.asarray(cv2.resize(p, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)) for p in pictures
        ]
        return cls(tuple(cards), Sketches(halves, 15, 21), Sketches(halves, 30, 42))
