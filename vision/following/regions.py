"""The parts of a picture that are looked at more closely, by what lies there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from vision.following.patches import Patch, patch_box
from vision.following.scene import NEAR_MM
from vision.geometry import bounding_box
from vision.hands.tracks import HandsFrame, disc
from vision.motion.background import MotionFrame, count_pixels
from vision.table.layout import Layout, Place, Zone
from vision.table.observations import observe
from vision.types import CardReading, Mask, Region

_TABLE_MIDDLE_MM = 250.0
"""The play pile will be no farther than this from the draw pile."""
_PAUSE_SECONDS = 0.2
"""A hand that pauses for so long may hold a card."""
_BEHIND_ROW_MM, _NEAR_ZONE_MM = 100.0, 130.0
"""Nothing lies so far behind a row, unless it is nearer than the second distance to a row or pile."""
_BESIDE_SHARE = 0.02
"""People who hide more than this share of a small picture shade the rest of it as well. In one film a head
hides 3 to 7 % of the draw pile's picture, and 31 % of that looks different."""
_AT_PILES_MM = 150.0
"""Hands at the piles may hold cards."""


def zone_of(reading: CardReading, layout: Layout) -> Zone | None:
    """Return the zone in which a card lies; None if it lies in none."""
    return next((layout.zone_at(seen.x, seen.y) for seen in observe([reading], layout.plane)), None)


def crowded(layout: Layout, hands: HandsFrame) -> list[Region]:
    """Return where cards may lie half covered by others.

    That is about the play pile, or where it will be, and where a hand pauses: what it holds may hide a card.
    """
    if layout.play is not None:
        middle = layout.play, NEAR_MM
    else:
        middle = layout.draw or layout.middle, _TABLE_MIDDLE_MM
    paused = [(reach.tip, NEAR_MM) for reach in hands.tracks if reach.pause_seconds >= _PAUSE_SECONDS]
    return [_region(layout, *about) for about in (middle, *paused)]


def _region(layout: Layout, place: Place, reach: float) -> Region:
    return bounding_box(layout.plane.to_pixels(disc(place, reach)))


def people(layout: Layout, motion: MotionFrame, reaching: Iterable[Mask], resting: Iterable[Mask]) -> Mask:
    """Return where people hide the table, given the masks of hands.

    That is behind the rows, where hands rest, and where heads are. At the piles, what comes in from the
    border may be a hand that was not found, with a card.
    """
    behind, away = _behind_rows(layout, motion.scale, motion.moving.shape)
    bodies = motion.border_mask() & away
    for mask in reaching:
        bodies &= ~mask
    return np.asarray(np.logical_or.reduce([behind, bodies, *resting]), np.bool_)


@lru_cache(maxsize=4)
def _behind_rows(layout: Layout, scale: float, shape: tuple[int, int]) -> tuple[Mask, Mask]:
    """Return where only players are, beyond their rows, and what is away from the piles (small masks)."""
    y, x = np.indices(shape)
    places = layout.plane.to_mm(np.stack([x.ravel(), y.ravel()], axis=1) / scale)
    behind, near = np.zeros((2, len(places)), np.bool_)
    for seat in layout.seats:
        behind |= (places - seat.centre) @ np.array(seat.facing) > _BEHIND_ROW_MM
    for zone in layout.zones():
        near |= np.linalg.norm(places - np.array(layout.place_of(zone)), axis=1) < _NEAR_ZONE_MM
    piles = [place for place in (layout.draw, layout.play, layout.burn) if place is not None]
    ways = [np.linalg.norm(places - np.array(place), axis=1) for place in piles or [layout.middle]]
    away = np.min(ways, axis=0) > _AT_PILES_MM
    return (behind & ~near).reshape(shape), away.reshape(shape)


def is_beside_people(zone: Zone, layout: Layout, motion: MotionFrame) -> bool:
    """Return whether people hide a part of a zone's small picture, so that they shade the rest."""
    (left, top), (right, bottom) = patch_box(layout, zone, motion.scale)
    part = motion.border_mask()[top:bottom, left:right]
    return part.size > 0 and count_pixels(part) > _BESIDE_SHARE * part.size


def patches(
    layout: Layout, zones: Iterable[Zone], motion: MotionFrame, *, hand_held: bool
) -> dict[Zone, Patch]:
    """Return the small pictures of zones; `hand_held`: of a camera that sways."""
    patches = {}
    for zone in zones:
        (left, top), (right, bottom) = patch_box(layout, zone, motion.scale)
        pixels = motion.small_image[top:bottom, left:right].copy()
        patches[zone] = Patch(pixels, hand_held)
    return patches
