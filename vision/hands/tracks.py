"""Whose arm reaches where: limbs in the picture become reaches of players over the table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.hands.ownership import Shoulders
from vision.hands.sleeves import Colour, colour_of
from vision.motion.background import ARM_SHARE, Limb, Mask, Motion, count_of, polygon_mask
from vision.table.layout import Layout, Place, Zone

GONE_SECONDS = 0.25
"""An arm that has not been seen for so long has left the picture."""
_COMES_IN_SECONDS = 0.25
"""So long it may turn out that a reach is another player's: later the arm may turn and be seen in pieces."""
_SLEEVE_MM = 300.0
"""So far in is the hand when it is the sleeve that crosses the border."""
_STOP_MM = 22.0
_STOP_SECONDS = 0.12
_PATH_FRAMES = 120
_RESTING_MOVES, _STILL_THERE = 0.02, 0.3
"""Of an arm that rests no larger share moves, and more than the second differs from the table."""
_FINGERS_MM = 16.0
_ARM_MM, _LOST_SHARE = 60.0, 0.5
"""Of a limb that lies with so large a share where an arm, this far to both sides, was a moment ago."""
_ISLAND_MOVES = 0.05
_ISLAND_OVERLAP = 0.25
_HAND_IN_CARDS = 1.8
_EVERY = 5
"""Of so many of an island's pixels one is looked at."""
_COVER_SHARE = 0.07
_MOST_OF_IT = 0.6
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
    path: list[tuple[float, Place]] = field(default_factory=list)
    """Where the hand was when, newest last."""
    farthest: tuple[Place, Place, Colour | None] | None = None
    """Where it crossed the border, the hand, and the sleeve, farthest in; None: not surely this seat's."""
    _largest: int = 0
    _length: float = 0.0
    _since: float = 0.0
    _anchor: Place = (0.0, 0.0)

    @property
    def resting(self) -> float:
        """For how many seconds the hand has paused where it is now."""
        return self.last - self._since

    @property
    def comes_in(self) -> bool:
        """Whether it has just begun and the hand has not paused yet."""
        return not self.stops and self.last - self.start < _COMES_IN_SECONDS

    def is_whole(self, area: int) -> bool:
        """Tell whether most of the arm is there still, by how many pixels of it are; and note it.

        What is no more than a part of it is what it left behind.
        """
        self._largest = max(area, self._largest)
        return area >= _MOST_OF_IT * self._largest

    def reaches_farther(self, length: float) -> bool:
        """Tell whether an arm of this length (mm) is as long as it has been, and note it."""
        farther = length >= self._length
        self._length = max(length, self._length)
        return farther

    def follow(self, tip: Place, t: float) -> None:
        """Take in where the hand is at `t`."""
        self.tip, self.last = tip, t
        self.path = [*self.path[-_PATH_FRAMES:], (t, tip)]
        if math.dist(tip, self._anchor) > _STOP_MM:
            self._anchor, self._since = tip, t
        elif t - self._since >= _STOP_SECONDS:
            if self.stops and self.stops[-1].start == self._since:
                self.stops.pop()
            self.stops.append(Stop(self._paused_at(), self._since, t))

    def _paused_at(self) -> Place:
        """Return where the hand has been most of the time since it paused, and not whence it leaves."""
        tips = [place for t, place in self.path if t >= self._since]
        middle = statistics.median(x for x, _ in tips), statistics.median(y for _, y in tips)
        return min(tips, key=lambda place: math.dist(place, middle))


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
        self._rows: dict[int, Mask] = {}
        """Where the cards of each seat's row lie."""
        self._contacts: dict[int, tuple[float, float]] = {}
        self._shoulders = Shoulders()
        self._strayed: dict[int, float] = {}
        """When a seat's arm last seemed to come in where only somebody else's can."""
        self.masks: dict[int, Mask] = {}
        """Where each seat's arm is in the latest frame, in pixels of the small picture."""
        self.whole: tuple[Mask, ...] = ()
        """Those of them of which most is there still."""

    def feed(self, motion: Motion, layout: Layout) -> Hands:
        """Take in one frame's limbs."""
        over: dict[int, Mask] = {}
        doors = [self._owned(limb, motion, layout) for limb in motion.limbs]
        for limb, door in zip(motion.limbs, doors, strict=True):
            lost = self._lost_there(limb, motion, layout, doors) if door not in self._open else None
            seat = door if lost is None else lost
            if seat in over:
                over[seat] = over[seat] | limb.mask
                continue
            limb = self._kept_whole(seat, limb, motion)
            over[seat] = limb.mask
            self._contacts[seat] = limb.contact or self._contacts[seat]
        over |= self._in_pieces(motion, over)
        for island in motion.islands:
            owner = self._owner(island, motion, layout, over)
            if owner is not None:
                over[owner] = over.get(owner, island.mask) | island.mask
        for seat, mask in over.items():
            self._follow(seat, Limb(mask, None), motion, layout)
        self.masks = over
        self.whole = tuple(mask for seat, mask in over.items() if self._open[seat].is_whole(count_of(mask)))
        t = motion.t
        ended = [reach for reach in self._open.values() if t - reach.last > GONE_SECONDS]
        for reach in ended:
            del self._open[reach.seat]
            if reach.farthest is not None:
                self._shoulders.learn(layout, reach.seat, *reach.farthest)
        return Hands(t, tuple(self._open.values()), tuple(ended), self._covered(motion, layout, over))

    def _owned(self, limb: Limb, motion: Motion, layout: Layout) -> int:
        """Return whose arm a limb is, by where it crosses the picture's border and where the hand is.

        The farther it has come in, the better that tells: a reach may turn out to be another player's.
        """
        assert limb.contact is not None
        owner = self._owner_before(limb, self._open)
        tip = limb.tip(limb.contact, motion.recent)
        contact = _place(layout, limb.contact, motion.scale)
        if owner is None:
            hand = contact if tip is None else _place(layout, tip, motion.scale)
            return self._shoulders.seat(layout, contact, hand)[0]
        reach = self._open[owner]
        hand = reach.tip if tip is None else _place(layout, tip, motion.scale)
        other = self._shoulders.instead_of(layout, owner, contact, hand)
        if other is not None:  # of two arms that crossed, and were seen as one, this is the other
            before, self._strayed[owner] = self._strayed.get(owner, -math.inf), motion.t
            if 0 < motion.t - before < GONE_SECONDS:
                self._reach(other, motion.t)
                return other
        if not reach.reaches_farther(math.dist(contact, hand)) or not reach.comes_in:
            return owner
        far = math.dist(contact, hand) >= _SLEEVE_MM
        sleeve = colour_of(limb, motion.small) if far else None
        seat, sure = self._shoulders.seat(layout, contact, hand, owner, sleeve)
        if seat != owner and seat in self._open:
            return owner
        reach.farthest = (contact, hand, sleeve) if sure else None
        if seat == owner:
            return owner
        reach.seat, self._open[seat] = seat, self._open.pop(owner)
        self._contacts[seat] = self._contacts[owner]
        self.masks[seat] = self.masks.pop(owner)
        return seat

    def _owner_before(self, limb: Limb, seats: Collection[int]) -> int | None:
        """Return which of `seats` has the arm that a good part of a limb was a frame ago; None for none."""
        shared = {s: count_of(limb.mask & mask) for s, mask in self.masks.items() if s in seats}
        seat = max(shared, key=lambda s: shared[s], default=None)
        return seat if seat is not None and shared[seat] > _ISLAND_OVERLAP * count_of(limb.mask) else None

    def _lost_there(self, limb: Limb, motion: Motion, layout: Layout, seen: Collection[int]) -> int | None:
        """Return whose arm was lost from sight where a limb that was nobody's is now; None for nobody's.

        An arm in bad light is seen in pieces. `seen` are the seats whose arms are in sight.
        """
        area = count_of(limb.mask)
        for seat, reach in self._open.items():
            if seat in seen or not reach.path:
                continue
            hand = layout.plane.pixels(disc(reach.tip, _ARM_MM)) * motion.scale
            arm = np.zeros(limb.mask.shape, np.uint8)
            ends = np.round([self._contacts[seat], hand.mean(axis=0)]).astype(int)
            cv2.line(arm, ends[0].tolist(), ends[1].tolist(), 1, max(1, round(float(np.ptp(hand[:, 0])))))
            if count_of(limb.mask & (arm > 0)) > _LOST_SHARE * area:
                return seat
        return None

    def _kept_whole(self, seat: int, limb: Limb, motion: Motion) -> Limb:
        """Return a resting limb with what it covered a frame ago: a still hand on wood is hardly seen."""
        before = self.masks.get(seat)
        if before is None:
            return limb
        whole = limb.mask | before
        return Limb(whole, limb.contact) if _is_at_rest(whole, motion) else limb

    def _in_pieces(self, motion: Motion, seen: Collection[int]) -> dict[int, Mask]:
        """Return the arms that rest where they were, though not all of them may be seen now, by their seats.

        None leaves without moving; and where one has just been the table looks as it does at rest, but for
        the cards that it has moved, or left in its own row. `seen` are the seats whose arms are in sight.
        """
        there = {}
        for seat, before in self.masks.items():
            if seat in seen or not _is_at_rest(before, motion):
                continue
            arm = before & (motion.foreign | ~motion.recent)
            beyond = arm & ~self._rows[seat] if seat in self._rows else arm
            differs = count_of(motion.foreign & beyond)
            if differs > _STILL_THERE * max(count_of(beyond), ARM_SHARE * arm.size):
                there[seat] = arm
        return there

    def _follow(self, seat: int, limb: Limb, motion: Motion, layout: Layout) -> None:
        reach = self._reach(seat, motion.t)
        tip = limb.tip(self._contacts[seat], motion.recent)
        if tip is None or (reach.path and self._rests(reach.tip, limb, motion, layout)):
            reach.follow(reach.tip, motion.t)
            return
        reach.follow(_place(layout, tip, motion.scale), motion.t)

    def _rests(self, tip: Place, limb: Limb, motion: Motion, layout: Layout) -> bool:
        """Tell whether the hand still is where it was: covered there, and nothing moves."""
        around = _about(tip, _FINGERS_MM, layout, motion)
        area = max(1, count_of(around))
        covered = count_of(around & limb.mask) > 0.6 * area
        return covered and count_of(around & motion.moving) < 0.1 * area

    def _owner(self, island: Limb, motion: Motion, layout: Layout, over: Collection[int]) -> int | None:
        """Return whose hand an island is: whose arm was there a frame ago. None for what is no hand.

        Cards that a hand leaves behind neither move nor are as large as a hand with its wrist. What does both
        and was nobody's yet may be an arm that comes in.
        """
        area = count_of(island.mask)
        moves = count_of(island.mask & motion.moving) > _ISLAND_MOVES * area
        large = area >= _HAND_IN_CARDS * _card_area(layout, island, motion.scale)
        if not moves and not large:
            return None
        seat = self._owner_before(island, self.masks)
        if seat is not None:
            return seat
        if not (moves and large):
            return None
        lost = self._lost_there(island, motion, layout, over)
        return self._enters(island, motion, layout) if lost is None else lost

    def _enters(self, island: Limb, motion: Motion, layout: Layout) -> int | None:
        """Return whose arm comes in from beyond a row, the floor hiding its sleeve; None for nobody's."""
        pixels = np.argwhere(island.mask)[::_EVERY, ::-1].astype(np.float64)
        places = layout.plane.table(pixels / motion.scale)
        outermost = int(np.linalg.norm(places - layout.middle, axis=1).argmax())
        seat = layout.seat_reaching_in((float(places[outermost][0]), float(places[outermost][1])))
        if seat is not None:
            x, y = pixels[outermost]
            self._contacts[seat] = float(x), float(y)
        return seat

    def _reach(self, seat: int, t: float) -> Reach:
        if seat not in self._open:
            self._count += 1
            self._open[seat] = Reach(self._count, seat, t, t, _since=t)
        return self._open[seat]

    def _covered(self, motion: Motion, layout: Layout, over: dict[int, Mask]) -> dict[Zone, frozenset[int]]:
        if layout is not self._layout:
            self._layout = layout
            self._discs = {zone: _disc(layout, zone, motion) for zone in layout.zones()}
            self._rows = {k: _row(seat.row, layout, motion) for k, seat in enumerate(layout.seats)}
        covered = {}
        for zone, disc in self._discs.items():
            area = max(1, count_of(disc))
            seats = frozenset(s for s, mask in over.items() if count_of(mask & disc) > _COVER_SHARE * area)
            if seats or count_of(motion.moving & disc) > _COVER_SHARE * area:
                covered[zone] = seats
        return covered


def disc(place: Place, radius: float) -> NDArray[np.float64]:
    """Return a circle on the table as a polygon (24 x 2 mm)."""
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    return np.stack([place[0] + radius * np.cos(turns), place[1] + radius * np.sin(turns)], axis=1)


def _place(layout: Layout, pixel: tuple[float, float], scale: float) -> Place:
    """Return the place on the table (mm) that a pixel of the small picture shows."""
    x, y = layout.plane.table(np.array([pixel]) / scale)[0]
    return float(x), float(y)


def _card_area(layout: Layout, island: Limb, scale: float) -> float:
    """Return how large a card is where an island is, in square pixels of the small picture."""
    y, x = np.argwhere(island.mask).mean(axis=0)
    step = 8.0
    here = layout.plane.table(np.array([[x, y], [x + step, y], [x, y + step]]) / scale)
    square_mm = abs(float(np.linalg.det(np.stack([here[1] - here[0], here[2] - here[0]]))))
    return CARD_WIDTH_MM * CARD_HEIGHT_MM * step * step / max(square_mm, 1e-6)


def _disc(layout: Layout, zone: Zone, motion: Motion) -> Mask:
    place = layout.place_of(zone)
    assert place is not None
    radius = _SPOT_DISC_MM if zone.kind == "row" else _PILE_DISC_MM
    return _about(place, radius, layout, motion)


def _row(spots: Sequence[Place], layout: Layout, motion: Motion) -> Mask:
    """Return where cards that lie on some spots may be seen."""
    row = np.zeros(motion.moving.shape, np.bool_)
    for spot in spots:
        row |= _about(spot, _PILE_DISC_MM, layout, motion)
    return row


def _about(place: Place, radius: float, layout: Layout, motion: Motion) -> Mask:
    """Return what lies within a radius (mm) of a place on the table."""
    return polygon_mask(layout.plane.pixels(disc(place, radius)) * motion.scale, motion.moving.shape)


def _is_at_rest(arm: Mask, motion: Motion) -> bool:
    return count_of(motion.moving & arm) <= _RESTING_MOVES * count_of(arm)
