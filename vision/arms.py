"""Whose arm reaches where: limbs in the picture become reaches of players over the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.layout import Layout, Place, Zone
from vision.stillness import Mask, Motion, polygon_mask

GONE_SECONDS = 0.25
"""An arm that has not been seen for so long has left the picture."""
_STOP_MM = 22.0
_STOP_SECONDS = 0.12
_COVER_SHARE = 0.07
_PILE_DISC_MM = 58.0
_SPOT_DISC_MM = 40.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A place where a hand paused."""

    place: Place
    start: float
    end: float


@dataclass(slots=True)
class Reach:
    """One reach of a player into the picture, from coming in to going out."""

    number: int
    seat: int
    start: float
    last: float
    """When the arm was last seen."""
    tip: Place = (0.0, 0.0)
    stops: list[Stop] = field(default_factory=list)
    _since: float = 0.0
    _anchor: Place = (0.0, 0.0)

    @property
    def resting(self) -> float:
        """For how many seconds the hand has paused where it is now."""
        return self.last - self._since

    def follow(self, tip: Place, t: float) -> None:
        """Take in where the hand is at `t`."""
        self.tip, self.last = tip, t
        if math.dist(tip, self._anchor) > _STOP_MM:
            self._anchor, self._since = tip, t
        elif t - self._since >= _STOP_SECONDS:
            if self.stops and self.stops[-1].start == self._since:
                self.stops.pop()
            self.stops.append(Stop(tip, self._since, t))


@dataclass(frozen=True, slots=True)
class Hands:
    """What the arms do in one frame."""

    t: float
    reaches: tuple[Reach, ...]
    """Reaches that are in the picture."""
    ended: tuple[Reach, ...]
    """Reaches that have just gone out of it."""
    covered: dict[Zone, frozenset[int]]
    """Zones that cannot be seen at rest now, and whose arms are over them (empty: something else moves)."""


class ArmTracker:
    """Follows limbs from frame to frame as reaches of the players."""

    def __init__(self) -> None:
        self._open: dict[int, Reach] = {}
        self._count = 0
        self._layout: Layout | None = None
        self._discs: dict[Zone, Mask] = {}
        self.masks: dict[int, Mask] = {}
        """Where each seat's arm is in the latest frame, in pixels of the small picture."""

    def feed(self, motion: Motion, layout: Layout) -> Hands:
        """Take in one frame's limbs."""
        plane, scale, t = layout.plane, motion.scale, motion.t
        over: dict[int, Mask] = {}
        for limb in motion.limbs:
            contact, tip = plane.table(np.array([limb.contact, limb.tip]) / scale)
            seat = layout.seat_at_edge((float(contact[0]), float(contact[1])))
            if seat in over:
                over[seat] = over[seat] | limb.mask
                continue
            over[seat] = limb.mask
            self._reach(seat, t).follow((float(tip[0]), float(tip[1])), t)
        self.masks = over
        ended = [reach for reach in self._open.values() if t - reach.last > GONE_SECONDS]
        for reach in ended:
            del self._open[reach.seat]
        return Hands(t, tuple(self._open.values()), tuple(ended), self._covered(motion, layout, over))

    def _reach(self, seat: int, t: float) -> Reach:
        if seat not in self._open:
            self._count += 1
            self._open[seat] = Reach(self._count, seat, t, t, _since=t)
        return self._open[seat]

    def _covered(self, motion: Motion, layout: Layout, over: dict[int, Mask]) -> dict[Zone, frozenset[int]]:
        if layout is not self._layout:
            self._layout = layout
            self._discs = {zone: _disc(layout, zone, motion) for zone in layout.zones()}
        covered = {}
        for zone, disc in self._discs.items():
            area = max(1, int(disc.sum()))
            seats = frozenset(s for s, mask in over.items() if (mask & disc).sum() > _COVER_SHARE * area)
            if seats or (motion.moving & disc).sum() > _COVER_SHARE * area:
                covered[zone] = seats
        return covered


def disc(place: Place, radius: float) -> NDArray[np.float64]:
    """Return a circle on the table as a polygon (24 x 2 mm)."""
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    return np.stack([place[0] + radius * np.cos(turns), place[1] + radius * np.sin(turns)], axis=1)


def _disc(layout: Layout, zone: Zone, motion: Motion) -> Mask:
    place = layout.place_of(zone)
    assert place is not None
    radius = _SPOT_DISC_MM if zone.kind == "row" else _PILE_DISC_MM
    return polygon_mask(layout.plane.pixels(disc(place, radius)) * motion.scale, motion.moving.shape)


def stops_at(reach: Reach, layout: Layout, since: float = -math.inf) -> Sequence[Zone | None]:
    """Return the zones where a reach paused after `since`, in order; None for a pause elsewhere."""
    return [layout.zone_at(*stop.place) for stop in reach.stops if stop.end > since]
