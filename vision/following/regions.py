"""The parts of a picture that are looked at more closely, by what lies there."""

from __future__ import annotations

from collections.abc import Iterable

from vision.following.patches import patch_box
from vision.following.records import Patch
from vision.geometry import bounding_box
from vision.hands.tracks import HandsFrame, disc
from vision.motion.background import MotionFrame
from vision.table.layout import Layout, Place, Zone
from vision.table.observations import observe
from vision.types import CardReading, Region

_PILE_MM, _TABLE_MIDDLE_MM, _HELD_MM = 110.0, 250.0, 110.0
_PAUSE_SECONDS = 0.2


def zones_of(reading: CardReading, layout: Layout) -> set[Zone]:
    """Return the zone in which a card lies, if it lies in one."""
    return {zone for seen in observe([reading], layout.plane) if (zone := layout.zone_at(seen.x, seen.y))}


def crowded(layout: Layout, hands: HandsFrame) -> list[Region]:
    """Return where cards may lie half covered by others.

    That is about the play pile, or where it will be, and where a hand pauses: what it holds may hide a card.
    """
    if layout.play is not None:
        middle = layout.play, _PILE_MM
    else:
        middle = layout.draw or layout.middle, _TABLE_MIDDLE_MM
    paused = [(reach.tip, _HELD_MM) for reach in hands.tracks if reach.pause_seconds >= _PAUSE_SECONDS]
    return [_region(layout, *about) for about in (middle, *paused)]


def _region(layout: Layout, place: Place, reach: float) -> Region:
    return bounding_box(layout.plane.to_pixels(disc(place, reach)))


def patches(layout: Layout, zones: Iterable[Zone], motion: MotionFrame) -> dict[Zone, Patch]:
    """Return the small pictures of zones."""
    patches = {}
    for zone in zones:
        (left, top), (right, bottom) = patch_box(layout, zone, motion.scale)
        patches[zone] = motion.small_image[top:bottom, left:right].copy()
    return patches
