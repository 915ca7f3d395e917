"""Background subtraction: which pixels move, and which show something other than the table, such as arms.

It works on a small copy of the frame, which takes little time. The networks run only when and where things
are at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.images import max_channel
from vision.motion.stabiliser import StabilisedFrame
from vision.types import Image, Mask

SMALL_WIDTH = 320
"""Longer side of the small image, in pixels."""
_MOVING_LEVEL, _MOVING_SHARE = 6.0, 0.06
"""A pixel moves if it differs from the last frame by this level (0-255) plus this share of the table's
brightness."""
_FOREGROUND_LEVEL, _FOREGROUND_SHARE = 9.0, 0.12
"""A pixel is foreground if it differs from the table by this level (0-255, largest channel) plus this share
of the table's brightness. Shadows and flicker grow with the light; a dark sleeve on a dark floor differs
little."""
_NOISE_FACTOR = 5.0
"""Least level of a difference, as a multiple of the camera's noise."""
_ABSORB_SECONDS = 1.0
"""Anything that rests for this long becomes part of the table, unless it is part of an arm."""
_ABSORB_ALL_SECONDS = 6.0
"""After this long, a resting arm becomes part of the table too."""
_LEARNING_RATE = 0.04
"""Weight of each new frame in the image of the table, which follows changes of the light."""
MIN_REGION_SHARE = 0.002
"""Size of the smallest region, as a share of the image. An arm is larger."""
_BORDER_PX = 2
"""Width of the image border that an arm must cross."""
_RECENT_SECONDS = 0.2
"""How long ago a pixel may have moved to count as recently moving."""
_CARD_SHADOW_PX = 3
"""Width of the shadow around a card, in pixels of the small image."""
_MIN_TIP_PIXELS, _MIN_TIP_SHARE = 8, 0.12
"""Least number of recently moving pixels for a tip, and the least share of its region."""


@dataclass(frozen=True, slots=True, eq=False)
class ForegroundRegion:
    """A connected foreground region, in pixels of the small image."""

    mask: Mask
    """Its pixels."""
    contact: tuple[float, float] | None
    """The middle (x, y) of where it crosses the image border; None if it does not reach the border."""

    def tip(self, contact: tuple[float, float], recently_moving: Mask) -> tuple[float, float] | None:
        """Return the recently moving part farthest from `contact` (both x, y); None if the region rests.

        Only moving pixels count, because a card that was just put down may still touch the arm.
        """
        inside = np.argwhere(self.mask & recently_moving)
        if len(inside) < max(_MIN_TIP_PIXELS, _MIN_TIP_SHARE * count_pixels(self.mask)):
            return None
        reach = np.linalg.norm(inside - np.array([contact[1], contact[0]]), axis=1)
        y, x = inside[reach >= np.quantile(reach, 0.95)].mean(axis=0)
        return float(x), float(y)


@dataclass(frozen=True, eq=False)
class MotionFrame:
    """The motion in one frame, and its differences from the table at rest."""

    t: float
    """Seconds of the source."""
    scale: float
    """Pixels of the small image per pixel of the frame."""
    small_image: Image
    """The small image, BGR."""
    moving: Mask
    """Pixels that differ from the frame before."""
    recently_moving: Mask
    """Pixels that moved within the last 0.2 seconds."""
    foreground: Mask
    """Pixels that differ from the table at rest."""
    border_regions: tuple[ForegroundRegion, ...]
    """Foreground regions that touch the image border, largest first: arms."""
    inner_regions: tuple[ForegroundRegion, ...]
    """Other foreground regions. Each may be a hand whose sleeve looks like the floor, or cards put down."""

    @property
    def moving_share(self) -> float:
        """Share of the image that moves."""
        return count_pixels(self.moving) / self.moving.size

    @property
    def still(self) -> bool:
        """Whether almost nothing moves."""
        return self.moving_share < 0.0005

    def covered_share(self, mask: Mask, polygon: ArrayLike) -> float:
        """Return the share of a polygon (N x 2 px of the frame) that a mask covers; 0 outside the image."""
        area = polygon_mask(np.asarray(polygon, np.float64) * self.scale, self.moving.shape)
        total = count_pixels(area)
        return count_pixels(mask & area) / total if total else 0.0

    def border_mask(self) -> Mask:
        """Return the mask of all regions that touch the border."""
        mask = np.zeros_like(self.moving)
        for region in self.border_regions:
            mask |= region.mask
        return mask


class BackgroundSubtractor:
    """Learns the table at rest from a sequence of frames, and finds motion and foreground."""

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None
        self._table: NDArray[np.float32] | None = None
        self._bare: NDArray[np.float32] | None = None
        self._moved_at: NDArray[np.float64] | None = None
        self._noise = 1.0
        self._scale = 1.0
        self._last: MotionFrame | None = None
        self._arms: tuple[Mask, ...] = ()

    def protect_arms(self, arms: Sequence[Mask]) -> None:
        """Set where arms are (small masks), so that a resting arm is not learnt as part of the table.

        If a sleeve is as dark as the floor, an arm cannot be recognised by reaching in from the border.
        """
        self._arms = tuple(arms)

    def feed(self, frame: StabilisedFrame, t: float, *, camera_moving: bool = False) -> MotionFrame:
        """Return the motion in a frame. Times must increase.

        Args:
            frame: The frame, stabilised.
            t: Seconds of the source.
            camera_moving: Whether the camera has just moved, so that the frame may be off by a pixel.
        """
        small_image, scale = frame.downscaled(SMALL_WIDTH)
        self._scale = scale
        now = _smooth(small_image)
        if self._before is None or self._before.shape != now.shape:
            self._before, self._table, self._bare = now, now.copy(), now.copy()
            self._moved_at = np.full(now.shape[:2], t, np.float64)
        assert self._table is not None
        assert self._bare is not None
        assert self._moved_at is not None
        difference = _difference_beyond_shift if camera_moving else _difference
        change = difference(now, self._before)
        # Most pixels are at rest at any time, so the median shows the camera's noise.
        self._noise += 0.05 * (float(np.median(change[::3, ::3])) - self._noise)
        bright, noise = max_channel(self._table), _NOISE_FACTOR * self._noise
        moving = _without_specks(change > max(_MOVING_LEVEL, noise) + _MOVING_SHARE * bright)
        differs = difference(now, self._table)
        enough = max(_FOREGROUND_LEVEL, noise) + _FOREGROUND_SHARE * bright
        # If cards were taken away, the bare table appears again. That is not foreground.
        foreground = _without_specks((differs > enough) & (difference(now, self._bare) > enough))
        self._moved_at[moving] = t
        regions = _connected_regions(foreground | moving)
        border_regions = tuple(region for region in regions if region.contact is not None)
        inner_regions = tuple(region for region in regions if region.contact is None)
        recently_moving = (t - self._moved_at) <= _RECENT_SECONDS
        motion = MotionFrame(
            t, scale, small_image, moving, recently_moving, foreground, border_regions, inner_regions
        )
        self._learn(now, motion, t)
        self._before, self._last = now, motion
        return motion

    @property
    def calm(self) -> bool:
        """Whether nothing moved in the last frame, and nothing was in the foreground."""
        last = self._last
        return last is not None and not (last.moving.any() or last.foreground.any())

    def repeat(self, t: float) -> MotionFrame:
        """Return the last result with a later time, for a frame that shows nothing new.

        Raises:
            ValueError: There was no frame before.
        """
        if self._last is None or self._moved_at is None:
            raise ValueError("there was no frame before")
        self._last = replace(self._last, t=t, recently_moving=(t - self._moved_at) <= _RECENT_SECONDS)
        return self._last

    def absorb(self, polygon: ArrayLike, seen: MotionFrame) -> None:
        """Count the inside of a polygon (N x 2 px of the frame), as it was `seen`, as table."""
        picture = _smooth(seen.small_image)
        if self._table is not None and self._table.shape == picture.shape:
            inside = polygon_mask(np.asarray(polygon, np.float64) * self._scale, picture.shape)
            cv2.copyTo(picture, inside.astype(np.uint8), self._table)

    def inpaint_cards(self, quads: Sequence[ArrayLike]) -> None:
        """Estimate how the table looks under cards (4 x 2 px of the frame each) of the first frame.

        The surroundings are continued (inpainting). The table that appears when a card is taken away is then
        not foreground.
        """
        if self._before is None or self._bare is None:
            return
        unchanged = _difference(self._before, self._bare) < _FOREGROUND_LEVEL
        cards = np.zeros(unchanged.shape, np.bool_)
        for quad in quads:
            inside = polygon_mask(np.asarray(quad, np.float64) * self._scale, unchanged.shape)
            if inside.any() and unchanged[inside].mean() > 0.5:
                cards |= inside
        bare = np.asarray(np.clip(np.round(self._bare), 0, 255), np.uint8)
        about = _dilated(cards, _CARD_SHADOW_PX).astype(np.uint8)
        self._bare = np.asarray(cv2.inpaint(bare, about, _CARD_SHADOW_PX, cv2.INPAINT_TELEA), np.float32)

    def _learn(self, now: NDArray[np.float32], motion: MotionFrame, t: float) -> None:
        """Update the image of the table with pixels that have come to rest."""
        assert self._table is not None
        assert self._moved_at is not None
        rested = t - self._moved_at
        arms = np.logical_or.reduce([motion.border_mask(), *self._arms])
        settled = (rested >= _ABSORB_SECONDS) & ~_dilated(arms, 5)
        settled |= rested >= _ABSORB_ALL_SECONDS
        # Every difference from the table is copied, even if the bare table is visible again.
        cv2.copyTo(now, settled.astype(np.uint8), self._table)
        calm = ~(motion.foreground | motion.moving | arms)  # a resting arm must not fade into the table
        cv2.accumulateWeighted(now, self._table, _LEARNING_RATE, calm.astype(np.uint8))


def count_pixels(mask: Mask) -> int:
    """Return the number of pixels in a mask; this is many times as fast as its sum."""
    return int(np.count_nonzero(mask))


def polygon_mask(polygon: ArrayLike, shape: tuple[int, ...]) -> Mask:
    """Return the inside of a polygon (N x 2 px) as a mask of the given shape."""
    mask = np.zeros(shape[:2], np.uint8)
    points = np.clip(np.asarray(polygon, np.float64), -30000, 30000)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    return mask.astype(np.bool_)


def _smooth(image: Image) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(image, (3, 3), 0), np.float32)


def _difference(now: NDArray[np.float32], then: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest difference of the three channels for each pixel."""
    return max_channel(np.asarray(cv2.absdiff(now, then), np.float32))


def _difference_beyond_shift(now: NDArray[np.float32], then: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the part of the difference that no shift by one pixel explains.

    A pixel is compared with the brightest and the darkest of its 3 x 3 neighbours.
    """
    near = np.ones((3, 3), np.uint8)
    brighter, darker = cv2.subtract(now, cv2.dilate(then, near)), cv2.subtract(cv2.erode(then, near), now)
    return max_channel(np.maximum(np.maximum(brighter, darker), 0.0, dtype=np.float32))


def _without_specks(mask: Mask) -> Mask:
    """Return a mask without specks of single pixels."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return np.asarray(opened, np.bool_)


def _dilated(mask: Mask, size: int) -> Mask:
    """Return a mask dilated by a square with sides of `size` pixels."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)), np.bool_)


def _connected_regions(mask: Mask) -> tuple[ForegroundRegion, ...]:
    """Return the connected regions of a mask that are large enough for a hand, largest first."""
    joined = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    border = _border_mask(mask.shape)
    joined[border] = mask[border]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    regions = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < MIN_REGION_SHARE * mask.size:
            continue
        region = labels == label
        edge = np.argwhere(region & border)
        y, x = edge.mean(axis=0) if len(edge) >= 3 else (0.0, 0.0)
        regions.append(ForegroundRegion(region, (float(x), float(y)) if len(edge) >= 3 else None))
    return tuple(sorted(regions, key=lambda region: -count_pixels(region.mask)))


@cache
def _border_mask(shape: tuple[int, ...]) -> Mask:
    """Return the mask of the image border."""
    border = np.ones(shape[:2], np.bool_)
    border[_BORDER_PX:-_BORDER_PX, _BORDER_PX:-_BORDER_PX] = False
    return border
