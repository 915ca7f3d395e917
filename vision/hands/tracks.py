"""Tracking arms: foreground regions become the tracks of players' arms over the table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.hands.ownership import ArmOwnership
from vision.hands.sleeves import Colour, sleeve_colour
from vision.motion.background import (
    MIN_REGION_SHARE,
    ForegroundRegion,
    MotionFrame,
    count_pixels,
    polygon_mask,
)
from vision.table.layout import Layout, Place, Zone
from vision.types import Mask

GONE_SECONDS = 0.25
"""An arm that is unseen for this long has left the image."""
_ENTERING_SECONDS = 0.25
"""How long the owner of a new track may still change. Later, the arm may turn or be seen in pieces."""
_MIN_SLEEVE_REACH_MM = 300.0
"""Reach from the border to the hand from which the border crosses the sleeve."""
_PAUSE_RADIUS_MM = 22.0
"""A hand pauses if it stays within this radius ..."""
_MIN_PAUSE_SECONDS = 0.12
"""... for this long."""
_PATH_SECONDS = 8.0
"""How long the places of a hand are kept."""
_MAX_RESTING_MOTION, _MIN_RESTING_FOREGROUND = 0.02, 0.3
"""An arm at rest has at most this share of moving pixels, and more than this share of foreground."""
_FINGERS_MM = 16.0
"""Radius around the tip that must be covered and unmoving while a hand rests."""
_ARM_HALF_WIDTH_MM, _MIN_LOST_ARM_SHARE = 60.0, 0.5
"""A region belongs to a lost arm if this share of it lies this near to the arm's last place."""
_REACHES_ON_MM = 150.0
"""Something that moves this much farther in than a hand that seems to rest is the hand. A card that it lets
go is not so far ahead."""
_MIN_MOVING_SHARE = 0.05
"""An inner region moves if this share of it does."""
_MIN_OVERLAP_SHARE = 0.25
"""A region continues an arm if it shares this much with it."""
_MIN_HAND_CARDS = 1.8
"""Least size of a hand with its wrist, in areas of a card."""
_PIXEL_STEP = 5
"""Only every Nth pixel of a region is mapped to the table, to save time."""
_MIN_COVER_SHARE = 0.07
"""A zone is covered if this share of its area is."""
_MIN_HIDDEN_SHARE = 0.3
"""Hands and heads that rest hide a spot of a row if they cover this share: many a hand rests on its row."""
_MOSTLY_VISIBLE_SHARE = 0.6
"""Share of its largest size that an arm must have to count as mostly visible."""
_PILE_DISC_MM = 58.0
"""Radius of the area of a pile."""
_SPOT_DISC_MM = 40.0
"""Radius of the area of a spot in a row."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A place where a hand paused."""

    place: Place
    """Where, in mm."""
    start: float
    """Seconds of the source."""
    end: float
    """Seconds of the source."""


@dataclass(slots=True)
class ArmTrack:
    """The track of one arm, from entering the image to leaving it."""

    number: int
    """Counts tracks from 1."""
    seat: int
    """The seat of the player whose arm it is."""
    start: float
    """When the arm entered, seconds of the source."""
    last_seen: float
    """When the arm was last seen, seconds of the source."""
    tip: Place = (0.0, 0.0)
    """Where the hand is, mm."""
    pauses: list[Pause] = field(default_factory=list)
    """Places where the hand paused, oldest first."""
    path: list[tuple[float, Place]] = field(default_factory=list)
    """Times and places (mm) of the hand, newest last."""
    farthest: tuple[Place, Place, Colour | None] | None = None
    """Contact with the border (mm), hand (mm) and sleeve at the farthest reach; None if the owner is
    uncertain."""
    _max_area: int = 0
    _max_length: float = 0.0
    _pause_start: float = 0.0
    _anchor: Place = (0.0, 0.0)

    @classmethod
    def begin(cls, number: int, seat: int, t: float) -> ArmTrack:
        """Return a new track, at a time in seconds of the source."""
        return cls(number, seat, t, t, _pause_start=t)

    @property
    def pause_seconds(self) -> float:
        """For how many seconds the hand has paused at its present place."""
        return self.last_seen - self._pause_start

    @property
    def is_entering(self) -> bool:
        """Whether the track is new, and the hand has not paused yet."""
        return not self.pauses and self.last_seen - self.start < _ENTERING_SECONDS

    def is_mostly_visible(self, area: int) -> bool:
        """Return whether most of the arm is visible, given its area in pixels; and remember the area.

        A smaller part is something that the hand left behind.
        """
        self._max_area = max(area, self._max_area)
        return area >= _MOSTLY_VISIBLE_SHARE * self._max_area

    def extends(self, length: float) -> bool:
        """Return whether an arm of this length (mm) reaches at least as far as before; remember it."""
        farther = length >= self._max_length
        self._max_length = max(length, self._max_length)
        return farther

    def update(self, tip: Place, t: float) -> None:
        """Add the position of the hand (mm) at a time (seconds)."""
        self.tip, self.last_seen = tip, t
        self.path = [*(at for at in self.path if t - at[0] <= _PATH_SECONDS), (t, tip)]
        if math.dist(tip, self._anchor) > _PAUSE_RADIUS_MM:
            self._anchor, self._pause_start = tip, t
        elif t - self._pause_start >= _MIN_PAUSE_SECONDS:
            if self.pauses and self.pauses[-1].start == self._pause_start:
                self.pauses.pop()
            self.pauses.append(Pause(self._pause_place(), self._pause_start, t))

    def copy(self) -> ArmTrack:
        """Return a copy that does not change when this track goes on."""
        return replace(self, pauses=[*self.pauses])

    def become(self, other: ArmTrack) -> None:
        """Take over the state of another copy of this track."""
        for one in fields(self):
            setattr(self, one.name, getattr(other, one.name))

    def _pause_place(self) -> Place:
        """Return where the hand was for most of the pause, and not where it leaves from."""
        tips = [place for t, place in self.path if t >= self._pause_start]
        middle = statistics.median(x for x, _ in tips), statistics.median(y for _, y in tips)
        return min(tips, key=lambda place: math.dist(place, middle))


@dataclass(frozen=True, slots=True)
class HandsFrame:
    """The arms in one frame."""

    t: float
    """Seconds of the source."""
    tracks: tuple[ArmTrack, ...]
    """Tracks of the arms in the image."""
    ended: tuple[ArmTrack, ...]
    """Tracks of the arms that have just left."""
    covered: dict[Zone, frozenset[int]]
    """Zones that are covered or not at rest, each with the seats whose arms cover it.

    No seats: something else moves there.
    """
    by_hands: bool = False
    """Whether the tracks are those of hands with landmarks; else they are those of arms."""
    bodies: Mapping[Zone, frozenset[int]] = field(default_factory=dict)
    """By pile: the seats whose players are over it with any part of the body, such as a head. Empty if the
    tracks are those of arms."""

    def copy(self) -> HandsFrame:
        """Return a copy that does not change when its tracks go on."""
        return replace(self, tracks=tuple(track.copy() for track in self.tracks))


class DelayedTracks:
    """The tracks as they were at a frame that is taken in later, while they go on in newer frames."""

    def __init__(self) -> None:
        self._tracks: dict[int, ArmTrack] = {}

    def take_in(self, hands: HandsFrame) -> HandsFrame:
        """Return a frame whose tracks keep their identity; `hands` holds the tracks, or copies of them."""
        tracks, ended = (tuple(map(self._updated, part)) for part in (hands.tracks, hands.ended))
        for track in ended:
            del self._tracks[track.number]
        return replace(hands, tracks=tracks, ended=ended)

    def _updated(self, track: ArmTrack) -> ArmTrack:
        now = track.copy()
        known = self._tracks.setdefault(track.number, now)
        known.become(now)
        return known


class ArmTracker:
    """Tracks foreground regions over frames as the arms of players."""

    def __init__(self, numbers: Iterator[int] | None = None) -> None:
        """Prepare; `numbers` gives each track its own."""
        self._open: dict[int, ArmTrack] = {}
        self._numbers = numbers or count(1)
        self._layout: Layout | None = None
        self._rows: dict[int, Mask] = {}
        """The area of each seat's row."""
        self._contacts: dict[int, tuple[float, float]] = {}
        self._ownership = ArmOwnership()
        self._strayed_at: dict[int, float] = {}
        """When an arm of each seat last seemed to enter where only another player's can."""
        self.masks: dict[int, Mask] = {}
        """The arm of each seat in the latest frame, in pixels of the small image."""
        self.visible_masks: tuple[Mask, ...] = ()
        """The masks that show most of their arm."""

    def feed(self, motion: MotionFrame, layout: Layout) -> HandsFrame:
        """Update the tracks with the motion of one frame."""
        arm_masks: dict[int, Mask] = {}
        owners = [self._owner_of(region, motion, layout) for region in motion.border_regions]
        for region, seen_owner in zip(motion.border_regions, owners, strict=True):
            lost = self._lost_owner(region, motion, layout, owners) if seen_owner not in self._open else None
            seat = seen_owner if lost is None else lost
            if seat in arm_masks:
                arm_masks[seat] = arm_masks[seat] | region.mask
                continue
            region = self._with_hidden_part(seat, region, motion)
            arm_masks[seat] = region.mask
            self._contacts[seat] = region.contact or self._contacts[seat]
        arm_masks |= self._resting_arms(motion, arm_masks)
        for region in motion.inner_regions:
            owner = self._island_owner(region, motion, layout, arm_masks)
            if owner is not None:
                arm_masks[owner] = arm_masks.get(owner, region.mask) | region.mask
        for seat, mask in arm_masks.items():
            self._follow(seat, ForegroundRegion(mask, None), motion, layout)
        self.masks = arm_masks
        self.visible_masks = tuple(
            mask for seat, mask in arm_masks.items() if self._open[seat].is_mostly_visible(count_pixels(mask))
        )
        t = motion.t
        ended = [track for track in self._open.values() if t - track.last_seen > GONE_SECONDS]
        for track in ended:
            del self._open[track.seat]
            if track.farthest is not None:
                self._ownership.learn(layout, track.seat, *track.farthest)
        return HandsFrame(
            t, tuple(self._open.values()), tuple(ended), self._covered(motion, layout, arm_masks)
        )

    def _owner_of(self, region: ForegroundRegion, motion: MotionFrame, layout: Layout) -> int:
        """Return the seat that a region belongs to, by where it crosses the border and where the hand is.

        An arm that reaches farther in shows this better, so a track may change its owner.
        """
        assert region.contact is not None
        owner = self._owner_before(region, self._open)
        tip = region.tip(region.contact, motion.recently_moving)
        contact = _place(layout, region.contact, motion.scale)
        if owner is None:
            hand = contact if tip is None else _place(layout, tip, motion.scale)
            return self._ownership.owner_of(layout, contact, hand)[0]
        track = self._open[owner]
        hand = track.tip if tip is None else _place(layout, tip, motion.scale)
        other = self._ownership.certain_other_owner(layout, owner, contact, hand)
        if other is not None:  # of two arms that crossed, and were seen as one, this is the other one
            before, self._strayed_at[owner] = self._strayed_at.get(owner, -math.inf), motion.t
            if 0 < motion.t - before < GONE_SECONDS:
                self._track_of(other, motion.t)
                return other
        if not track.extends(math.dist(contact, hand)) or not track.is_entering:
            return owner
        far = math.dist(contact, hand) >= _MIN_SLEEVE_REACH_MM
        sleeve = sleeve_colour(region, motion.small_image) if far else None
        seat, sure = self._ownership.owner_of(layout, contact, hand, owner, sleeve)
        if seat != owner and seat in self._open:
            return owner
        track.farthest = (contact, hand, sleeve) if sure else None
        if seat == owner:
            return owner
        track.seat, self._open[seat] = seat, self._open.pop(owner)
        self._contacts[seat] = self._contacts[owner]
        self.masks[seat] = self.masks.pop(owner)
        return seat

    def _owner_before(self, region: ForegroundRegion, seats: Collection[int]) -> int | None:
        """Return which of `seats` had the arm that overlaps the region most; None if none does enough."""
        shared = {s: count_pixels(region.mask & mask) for s, mask in self.masks.items() if s in seats}
        seat = max(shared, key=lambda s: shared[s], default=None)
        return (
            seat
            if seat is not None and shared[seat] > _MIN_OVERLAP_SHARE * count_pixels(region.mask)
            else None
        )

    def _lost_owner(
        self, region: ForegroundRegion, motion: MotionFrame, layout: Layout, seen: Collection[int]
    ) -> int | None:
        """Return the seat whose arm was lost at the place of a new region; None if there is none.

        In bad light, an arm is seen in pieces. `seen` are the seats whose arms are visible.
        """
        area = count_pixels(region.mask)
        for seat, track in self._open.items():
            if seat in seen or not track.path:
                continue
            hand = layout.plane.to_pixels(disc(track.tip, _ARM_HALF_WIDTH_MM)) * motion.scale
            arm = np.zeros(region.mask.shape, np.uint8)
            ends = np.round([self._contacts[seat], hand.mean(axis=0)]).astype(int)
            cv2.line(arm, ends[0].tolist(), ends[1].tolist(), 1, max(1, round(float(np.ptp(hand[:, 0])))))
            if count_pixels(region.mask & (arm > 0)) > _MIN_LOST_ARM_SHARE * area:
                return seat
        return None

    def _with_hidden_part(self, seat: int, region: ForegroundRegion, motion: MotionFrame) -> ForegroundRegion:
        """Return a resting region with what it covered before, as a still hand on wood is hard to see."""
        before = self.masks.get(seat)
        if before is None:
            return region
        whole = region.mask | before
        return ForegroundRegion(whole, region.contact) if _is_at_rest(whole, motion) else region

    def _resting_arms(self, motion: MotionFrame, seen: Collection[int]) -> dict[int, Mask]:
        """Return the masks of arms that rest where they were but are only partly visible now, by seat.

        No arm leaves without moving. After an arm has left, the table looks undisturbed, except for cards
        that it moved or put into its own row. `seen` are the seats whose arms are visible.
        """
        there = {}
        for seat, before in self.masks.items():
            if seat in seen or not _is_at_rest(before, motion):
                continue
            arm = before & (motion.foreground | ~motion.recently_moving)
            beyond = arm & ~self._rows[seat] if seat in self._rows else arm
            differs = count_pixels(motion.foreground & beyond)
            if differs > _MIN_RESTING_FOREGROUND * max(count_pixels(beyond), MIN_REGION_SHARE * arm.size):
                there[seat] = arm
        return there

    def _follow(self, seat: int, region: ForegroundRegion, motion: MotionFrame, layout: Layout) -> None:
        """Update the track of a seat with its region in this frame."""
        track = self._track_of(seat, motion.t)
        tip = region.tip(self._contacts[seat], motion.recently_moving)
        if tip is None:
            track.update(track.tip, motion.t)
            return
        contact = _place(layout, self._contacts[seat], motion.scale)
        place = _place(layout, tip, motion.scale)
        farther = math.dist(contact, place) - math.dist(contact, track.tip) > _REACHES_ON_MM
        if track.path and not farther and self._rests(track.tip, region, motion, layout):
            place = track.tip
        track.update(place, motion.t)

    def _rests(self, tip: Place, region: ForegroundRegion, motion: MotionFrame, layout: Layout) -> bool:
        """Return whether the hand rests at its last place: still covered, and nothing moves there.

        Nothing moves there either if it is under a sleeve now.
        """
        around = _disc_mask(tip, _FINGERS_MM, layout, motion.moving.shape, motion.scale)
        area = max(1, count_pixels(around))
        covered = count_pixels(around & region.mask) > 0.6 * area
        return covered and count_pixels(around & motion.moving) < 0.1 * area

    def _island_owner(
        self, region: ForegroundRegion, motion: MotionFrame, layout: Layout, arm_masks: Collection[int]
    ) -> int | None:
        """Return the seat whose hand an inner region is; None if it is no hand.

        Cards that a hand leaves behind do not move, and are smaller than a hand with its wrist. A region that
        moves and is large may be an arm that enters.
        """
        area = count_pixels(region.mask)
        moves = count_pixels(region.mask & motion.moving) > _MIN_MOVING_SHARE * area
        large = area >= _MIN_HAND_CARDS * _card_area(layout, region, motion.scale)
        if not moves and not large:
            return None
        seat = self._owner_before(region, self.masks)
        if seat is not None:
            return seat
        if not (moves and large):
            return None
        lost = self._lost_owner(region, motion, layout, arm_masks)
        return self._entering_owner(region, motion, layout) if lost is None else lost

    def _entering_owner(self, region: ForegroundRegion, motion: MotionFrame, layout: Layout) -> int | None:
        """Return the seat of an arm with a sleeve like the floor, by the side it enters from; or None."""
        pixels = np.argwhere(region.mask)[::_PIXEL_STEP, ::-1].astype(np.float64)
        places = layout.plane.to_mm(pixels / motion.scale)
        outermost = int(np.linalg.norm(places - layout.middle, axis=1).argmax())
        seat = layout.seat_reaching_in((float(places[outermost][0]), float(places[outermost][1])))
        if seat is not None:
            x, y = pixels[outermost]
            self._contacts[seat] = float(x), float(y)
        return seat

    def _track_of(self, seat: int, t: float) -> ArmTrack:
        """Return the track of a seat, which starts at time `t` if there is none."""
        if seat not in self._open:
            self._open[seat] = ArmTrack.begin(next(self._numbers), seat, t)
        return self._open[seat]

    def _covered(
        self, motion: MotionFrame, layout: Layout, arm_masks: dict[int, Mask]
    ) -> dict[Zone, frozenset[int]]:
        """Return the covered zones with the seats whose arms cover them."""
        if layout is not self._layout:
            self._layout = layout
            self._rows = {k: _row_mask(seat.row, layout, motion) for k, seat in enumerate(layout.seats)}
        return covered_zones(motion, layout, arm_masks)


def covered_zones(
    motion: MotionFrame, layout: Layout, arms: Mapping[int, Mask], others: Mask | None = None
) -> dict[Zone, frozenset[int]]:
    """Return the zones that are covered, or in which something moves, with the seats whose arms cover them.

    Args:
        motion: The frame.
        layout: The zones.
        arms: By seat, in pixels of the small image.
        others: What else covers zones.
    """
    covered = {}
    for zone, disc in _zone_masks(layout, motion.moving.shape, motion.scale).items():
        area = max(1, count_pixels(disc))
        least = _MIN_COVER_SHARE * area
        least_of_others = _MIN_HIDDEN_SHARE * area if zone.kind == "row" else least
        seats = frozenset(seat for seat, mask in arms.items() if count_pixels(mask & disc) > least)
        over = seats or (others is not None and count_pixels(others & disc) > least_of_others)
        if over or count_pixels(motion.moving & disc) > least:
            covered[zone] = seats
    return covered


def disc(place: Place, radius: float) -> NDArray[np.float64]:
    """Return a circle on the table as a polygon (24 x 2 mm)."""
    turns = np.linspace(0, math.tau, 24, endpoint=False)
    return np.stack([place[0] + radius * np.cos(turns), place[1] + radius * np.sin(turns)], axis=1)


def _place(layout: Layout, pixel: tuple[float, float], scale: float) -> Place:
    """Return the place on the table (mm) of a pixel in the small image."""
    x, y = layout.plane.to_mm(np.array([pixel]) / scale)[0]
    return float(x), float(y)


def _card_area(layout: Layout, region: ForegroundRegion, scale: float) -> float:
    """Return the area of a card at the place of a region, in square pixels of the small image."""
    y, x = np.argwhere(region.mask).mean(axis=0)
    step = 8.0
    here = layout.plane.to_mm(np.array([[x, y], [x + step, y], [x, y + step]]) / scale)
    square_mm = abs(float(np.linalg.det(np.stack([here[1] - here[0], here[2] - here[0]]))))
    return CARD_WIDTH_MM * CARD_HEIGHT_MM * step * step / max(square_mm, 1e-6)


@lru_cache(maxsize=4)
def _zone_masks(layout: Layout, shape: tuple[int, ...], scale: float) -> dict[Zone, Mask]:
    """Return the area of each zone as a mask of the small image."""
    masks = {}
    for zone in layout.zones():
        place = layout.place_of(zone)
        assert place is not None
        radius = _SPOT_DISC_MM if zone.kind == "row" else _PILE_DISC_MM
        masks[zone] = _disc_mask(place, radius, layout, shape, scale)
    return masks


def _row_mask(spots: Sequence[Place], layout: Layout, motion: MotionFrame) -> Mask:
    """Return the area of a row as a mask."""
    row = np.zeros(motion.moving.shape, np.bool_)
    for spot in spots:
        row |= _disc_mask(spot, _PILE_DISC_MM, layout, row.shape, motion.scale)
    return row


def _disc_mask(place: Place, radius: float, layout: Layout, shape: tuple[int, ...], scale: float) -> Mask:
    """Return the area within a radius (mm) of a place on the table as a mask of the small image."""
    return polygon_mask(layout.plane.to_pixels(disc(place, radius)) * scale, shape)


def _is_at_rest(arm: Mask, motion: MotionFrame) -> bool:
    """Return whether almost no pixel of an arm moves."""
    return count_pixels(motion.moving & arm) <= _MAX_RESTING_MOTION * count_pixels(arm)
