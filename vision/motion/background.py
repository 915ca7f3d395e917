"""What moves in the picture, and what is not the table: arms.

Works on a small copy of the picture, so that it costs next to nothing; the networks run only where and when
things have come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.images import strongest
from vision.motion.stabiliser import SteadyFrame
from vision.types import Image

Mask = NDArray[np.bool_]

SMALL_WIDTH = 320
_MOVING_LEVEL, _MOVING_SHARE = 6.0, 0.06
_FOREIGN_LEVEL, _FOREIGN_SHARE = 9.0, 0.12
"""A pixel has changed when it differs by more than this level (0-255, strongest of three colours) plus this
share of how bright the table is there: shadows and flicker scale with the light, and a dark sleeve over a
dark floor differs by little."""
_NOISE_FACTOR = 5.0
_ABSORB_SECONDS = 1.0
"""What has not moved for so long, and hangs on no arm, belongs to the table."""
_ABSORB_ALL_SECONDS = 6.0
_BLEND = 0.04
"""How fast the picture of the table follows the light, a frame."""
ARM_SHARE = 0.002
"""The smallest arm, as a share of the picture."""
_BORDER = 2
_RECENT_SECONDS = 0.2
_CARD_EDGE = 3
"""Pixels about a card that its shadow darkens."""
_TIP_PIXELS, _TIP_SHARE = 8, 0.12


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """Something that reaches into the picture from its border, in pixels of the small picture."""

    mask: Mask
    contact: tuple[float, float] | None
    """The middle of where it crosses the border; None where it is not seen to reach that far."""

    def tip(self, contact: tuple[float, float], recent: Mask) -> tuple[float, float] | None:
        """Return the farthest part from `contact` that has just moved; None when it rests.

        Only what moved counts: a card that the hand has just left behind hangs together with the arm too.
        """
        inside = np.argwhere(self.mask & recent)
        if len(inside) < max(_TIP_PIXELS, _TIP_SHARE * count_of(self.mask)):
            return None
        reach = np.linalg.norm(inside - np.array([contact[1], contact[0]]), axis=1)
        y, x = inside[reach >= np.quantile(reach, 0.95)].mean(axis=0)
        return float(x), float(y)


@dataclass(frozen=True, eq=False)
class Motion:
    """One frame, compared with the one before and with the table as it was at rest."""

    t: float
    scale: float
    """Small pixels per full pixel."""
    small: Image
    moving: Mask
    recent: Mask
    """What moved within the last moments."""
    foreign: Mask
    limbs: tuple[Limb, ...]
    """What reaches in from the border, largest first."""
    islands: tuple[Limb, ...]
    """What else differs from the table and is large enough for a hand: the end of an arm whose sleeve cannot
    be told from the floor, or cards that have been put down."""

    @property
    def moving_share(self) -> float:
        """Share of the picture that moves."""
        return count_of(self.moving) / self.moving.size

    @property
    def still(self) -> bool:
        """Whether nothing at all moves."""
        return self.moving_share < 0.0005

    def share(self, mask: Mask, polygon: ArrayLike) -> float:
        """Return the share of a polygon (N x 2, full pixels) that `mask` covers; 0 outside the picture."""
        area = polygon_mask(np.asarray(polygon, np.float64) * self.scale, self.moving.shape)
        total = count_of(area)
        return count_of(mask & area) / total if total else 0.0

    def limb_mask(self) -> Mask:
        """Return where any arm is."""
        mask = np.zeros_like(self.moving)
        for limb in self.limbs:
            mask |= limb.mask
        return mask


class Stillness:
    """Watches the small picture; knows the table at rest and tells arms from it."""

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None
        self._table: NDArray[np.float32] | None = None
        self._bare: NDArray[np.float32] | None = None
        self._moved_at: NDArray[np.float64] | None = None
        self._noise = 1.0
        self._scale = 1.0
        self._last: Motion | None = None
        self._arms: tuple[Mask, ...] = ()

    def spare(self, arms: Sequence[Mask]) -> None:
        """Note where arms are, in pixels of the small picture: one that rests is no part of the table.

        A sleeve as dark as the floor hides that an arm reaches in from the border.
        """
        self._arms = tuple(arms)

    def feed(self, frame: SteadyFrame, t: float, *, swaying: bool = False) -> Motion:
        """Compare one frame (full size) with what went before. Times must increase.

        `swaying`: the camera has just moved, and the frame may lie a little off the one before.
        """
        small, scale = frame.reduced(SMALL_WIDTH)
        self._scale = scale
        now = np.asarray(cv2.GaussianBlur(small, (3, 3), 0), np.float32)
        if self._before is None or self._before.shape != now.shape:
            self._before, self._table, self._bare = now, now.copy(), now.copy()
            self._moved_at = np.full(now.shape[:2], t, np.float64)
        assert self._table is not None
        assert self._bare is not None
        assert self._moved_at is not None
        difference = _difference_beyond_a_pixel if swaying else _difference
        change = difference(now, self._before)
        # The median pixel rests, whatever moves: it tells the camera's noise.
        self._noise += 0.05 * (float(np.median(change[::3, ::3])) - self._noise)
        bright, noise = strongest(self._table), _NOISE_FACTOR * self._noise
        moving = _cleaned(change > max(_MOVING_LEVEL, noise) + _MOVING_SHARE * bright)
        differs = difference(now, self._table)
        enough = max(_FOREIGN_LEVEL, noise) + _FOREIGN_SHARE * bright
        # Where cards have been taken away, the bare table comes to light again: that is no arm.
        foreign = _cleaned((differs > enough) & (difference(now, self._bare) > enough))
        self._moved_at[moving] = t
        parts = _parts(foreign | moving)
        limbs = tuple(part for part in parts if part.contact is not None)
        islands = tuple(part for part in parts if part.contact is None)
        recent = (t - self._moved_at) <= _RECENT_SECONDS
        motion = Motion(t, scale, small, moving, recent, foreign, limbs, islands)
        self._learn(now, motion, t)
        self._before, self._last = now, motion
        return motion

    @property
    def calm(self) -> bool:
        """Whether nothing moved in the last frame, and nothing lay there that is not the table."""
        last = self._last
        return last is not None and not (last.moving.any() or last.foreign.any())

    def again(self, t: float) -> Motion:
        """Return what the last frame was, at a later time: for a frame that shows nothing new.

        Raises ValueError before the first frame.
        """
        if self._last is None or self._moved_at is None:
            raise ValueError("there was no frame before")
        self._last = replace(self._last, t=t, recent=(t - self._moved_at) <= _RECENT_SECONDS)
        return self._last

    def absorb(self, polygon: ArrayLike) -> None:
        """Take the inside of a polygon (N x 2, full pixels) into the picture of the table as it is now."""
        if self._before is not None and self._table is not None:
            inside = polygon_mask(np.asarray(polygon, np.float64) * self._scale, self._before.shape)
            cv2.copyTo(self._before, inside.astype(np.uint8), self._table)

    def uncover(self, quads: Sequence[ArrayLike]) -> None:
        """Guess how the table looks under cards (each 4 x 2, full pixels) that lay there in the first frame.

        It is taken to go on as it is about them: what comes to light when one is taken away is then no arm.
        """
        if self._before is None or self._bare is None:
            return
        unchanged = _difference(self._before, self._bare) < _FOREIGN_LEVEL
        cards = np.zeros(unchanged.shape, np.bool_)
        for quad in quads:
            inside = polygon_mask(np.asarray(quad, np.float64) * self._scale, unchanged.shape)
            if inside.any() and unchanged[inside].mean() > 0.5:
                cards |= inside
        bare = np.asarray(np.clip(np.round(self._bare), 0, 255), np.uint8)
        about = _grown(cards, _CARD_EDGE).astype(np.uint8)
        self._bare = np.asarray(cv2.inpaint(bare, about, _CARD_EDGE, cv2.INPAINT_TELEA), np.float32)

    def _learn(self, now: NDArray[np.float32], motion: Motion, t: float) -> None:
        """Take what has come to rest into the picture of the table."""
        assert self._table is not None
        assert self._moved_at is not None
        rested = t - self._moved_at
        arms = np.logical_or.reduce([motion.limb_mask(), *self._arms])
        settled = (rested >= _ABSORB_SECONDS) & ~_grown(arms, 5)
        settled |= rested >= _ABSORB_ALL_SECONDS
        # All that differs from the table is taken in, also where the table lies bare again.
        cv2.copyTo(now, settled.astype(np.uint8), self._table)
        calm = ~(motion.foreign | motion.moving | arms)  # of a resting arm no more and more is lost to it
        cv2.accumulateWeighted(now, self._table, _BLEND, calm.astype(np.uint8))


def count_of(mask: Mask) -> int:
    """Return how many pixels a mask covers; many times as fast as its sum."""
    return int(np.count_nonzero(mask))


def polygon_mask(polygon: ArrayLike, shape: tuple[int, ...]) -> Mask:
    """Return the inside of a polygon (N x 2, pixels) as a mask of the given shape."""
    mask = np.zeros(shape[:2], np.uint8)
    points = np.clip(np.asarray(polygon, np.float64), -30000, 30000)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    return mask.astype(np.bool_)


def _difference(now: NDArray[np.float32], then: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the strongest difference of the three colours, a pixel."""
    return strongest(np.asarray(cv2.absdiff(now, then), np.float32))


def _difference_beyond_a_pixel(now: NDArray[np.float32], then: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the same for what no shift by a pixel explains: beyond the brightest and darkest near by."""
    near = np.ones((3, 3), np.uint8)
    brighter, darker = cv2.subtract(now, cv2.dilate(then, near)), cv2.subtract(cv2.erode(then, near), now)
    return strongest(np.maximum(np.maximum(brighter, darker), 0.0, dtype=np.float32))


def _cleaned(mask: Mask) -> Mask:
    """Drop specks."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return np.asarray(opened, np.bool_)


def _grown(mask: Mask, size: int) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)), np.bool_)


def _parts(mask: Mask) -> tuple[Limb, ...]:
    """Return the connected parts of a mask that are large enough for a hand, largest first."""
    joined = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    border = _border(mask.shape)
    joined[border] = mask[border]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    parts = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < ARM_SHARE * mask.size:
            continue
        part = labels == label
        edge = np.argwhere(part & border)
        y, x = edge.mean(axis=0) if len(edge) >= 3 else (0.0, 0.0)
        parts.append(Limb(part, (float(x), float(y)) if len(edge) >= 3 else None))
    return tuple(sorted(parts, key=lambda limb: -count_of(limb.mask)))


@cache
def _border(shape: tuple[int, ...]) -> Mask:
    border = np.ones(shape[:2], np.bool_)
    border[_BORDER:-_BORDER, _BORDER:-_BORDER] = False
    return border
