"""Small pictures of the piles and rows, which show any change there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.following.comparisons import compare
from vision.hands.tracks import disc
from vision.table.layout import Layout, Zone
from vision.types import Image

_LIGHT_LEVEL = 25.0
"""A change of light alone changes a place by less than this (0-255)."""
_SWAY_SIGMA_PX = 1.2
"""Smoothing of two pictures of a camera that is held in a hand. Each may be off by a part of a pixel. In one
film that sways by 3 pixels, half of the pictures of a draw pile that nobody touches differ by 0.13 or more.
If smoothed, they differ by 0.01. Draws change them by 0.16 or more either way. With a camera on a stand,
smoothing would only hide the edge of the next card of a neat pile."""
_OTHER_LEVEL, OTHER_SHARE = 10.0, 0.08
"""A place has changed if more than this share of its pixels differs by more than this level (0-255). A change
of the light does not count. At rest almost none differ; a card put on another changes a fifth or more."""
PATCH_MM = 50.0
"""Half the side of a small picture: it reaches at least this far from the middle of a place."""
REACH_MM = 58.0
"""A card nearer than this to the middle of a place can change its picture. Pixels there are about 3 mm wide,
and a shadow of a few mm lies around a card."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A small picture of one place."""

    pixels: Image
    """Height x width x 3, BGR."""
    hand_held: bool = False
    """Whether the camera sways, so that the picture may be off by a part of a pixel."""

    def is_comparable(self, other: Patch) -> bool:
        """Return whether the two have the same size, and the camera is held alike."""
        return self.pixels.shape == other.pixels.shape and self.hand_held == other.hand_held


def patch_box(layout: Layout, zone: Zone, scale: float) -> NDArray[np.int64]:
    """Return the corners (2 x 2: top left, bottom right) of a zone's patch in the small picture.

    `scale` is that of the small picture: its pixels per full pixel.
    """
    place = layout.place_of(zone)
    assert place is not None
    corners = layout.plane.to_pixels(disc(place, PATCH_MM)) * scale
    low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0)) + 1
    return np.maximum(np.stack([low, high]).astype(np.int64), 0)


def same_patch(first: Patch | None, second: Patch | None) -> bool:
    """Return whether two small pictures of one place show the same; False if one is missing."""
    return changed_share(first, second) < OTHER_SHARE


def changed_share(first: Patch | None, second: Patch | None, *, smoothed: bool = False) -> float:
    """Return the share of a place that differs between two small pictures; 1 if one is missing.

    A moderate change of the whole picture is a change of the light, and does not count. `smoothed`: a knock
    that moved the camera by a part of a pixel does not count, either.
    """
    if first is None or second is None:
        return 1.0
    if smoothed:
        first, second = replace(first, hand_held=True), replace(second, hand_held=True)
    how = (_SWAY_SIGMA_PX,) if smoothed else ()
    share = compare("patch", first.pixels, second.pixels, how, lambda: share_of_change(first, second))
    return 1.0 if share is None else share


def share_of_change(first: Patch, second: Patch) -> float:
    """Return the share of a place that differs between two small pictures, by their pixels alone."""
    before, now = first.pixels, second.pixels
    if before.shape != now.shape or before.size == 0:
        return 1.0
    if first.hand_held and second.hand_held:
        before, now = _smoothed(before), _smoothed(now)
    change = before.astype(np.int16) - now.astype(np.int16)
    light = np.median(change, axis=(0, 1))
    if np.abs(light).max() > _LIGHT_LEVEL:
        return 1.0
    return float((np.abs(change - light).max(axis=-1) > _OTHER_LEVEL).mean())


def _smoothed(pixels: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), _SWAY_SIGMA_PX), np.uint8)
