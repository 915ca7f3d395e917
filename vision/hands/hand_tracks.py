"""Tracks hands by their landmarks, and tells whose they are and which of them reach in.

A hand that rests at its player's place holds cards, or nothing, and does nothing on the table. A reach begins
when a hand comes in over the table, or moves over its own row, and ends when it is home again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hands.landmarks import MIDDLE_KNUCKLE, WRIST, Hand, HandFinder, Tile
from vision.hands.tracks import GONE_SECONDS, ArmTrack, HandsFrame, covered_zones
from vision.motion.background import MotionFrame, count_pixels
from vision.table.layout import Layout, Place, Zone
from vision.types import Image, Mask

_HOLDING_TIPS = (4, 8, 12)
"""The fingertips that hold a card: of the thumb, the index and the middle finger."""
_PILES_TILE_MM, _SEAT_TILE_MM, _BEHIND_ROW_MM = 480.0, 420.0, 40.0
"""Sides of the tiles in which palms are looked for: around the piles, and so far behind each row."""
_MIN_UNEXPLAINED_SHARE = 0.004
"""A tile is searched for palms if this share of it moves outside the known hands."""
_ROW_TURNS = 2
"""Palms are looked for around one of the rows and around the piles in every other frame, because the search
takes the most time."""
_AT_HOME_TURNS = 3
"""A hand whose player does not reach in is followed in every third frame."""
_JOIN_MM, _LOST_SECONDS = 160.0, 0.4
"""A hand continues a track that ended so near and so recently."""
_BODY_BEYOND_MM = 150.0
"""How far beyond the picture's border the body of a player is taken to be."""
_DIRECTION_WEIGHT = 4.0
"""Concentration of the von Mises distribution of an arm's direction around that to its player's body."""
_HOME_MM, _HOME_SPREAD_MM = 100.0, 150.0
"""How far behind its row a player's wrists mostly are, and the standard deviation of where."""
_AT_ONE_PLACE_LOG_ODDS = math.log(100.0)
"""A wrist behind one player's row, and behind nobody else's, is that player's. A hand that holds cards may
point anywhere."""
_FRAME_WEIGHT = 0.05
"""Weight of one frame's evidence of whose hand it is. Frames that follow each other err alike."""
_PASSES_P = 1e-3
"""Probability that a track passes to another player's hand in the next frame."""
_OTHER_FOUND_P = 0.2
"""Probability that a hand which is found where one was lost belongs to another player.

It was measured together with the two numbers before it. With all three, a hand over a pile is assigned to
the acting player in 91 % of 450 frames of four films of people. If evidence fades after ten frames instead,
it is in 90 %. Then a player who pauses on the other side loses the hand to the neighbour."""
_IN_MM = 55.0
"""A hand reaches in from so far beyond its own row, towards the middle."""
_STIRS_MM, _STIRS_SECONDS = 22.0, 0.5
"""Over its own row it reaches as well if it moves so far within so many seconds."""
_RESTS_SECONDS = 1.0
"""A hand that has been at its player's place for so long rests there."""
LIES_SECONDS = 4.0
"""A hand that has not moved for so long lies there, and does nothing."""
_FOREARM_MM, _ARM_WIDTH_MM, _FINGER_MM = 320.0, 80.0, 14.0
"""Length and width of a forearm, and how far a hand reaches beyond its landmarks."""
_LEAST_HAND_MM = 40.0
"""A hand spans this much. In two films of people that did not suggest this number, 8 of 2,780 hands that were
found span less. The pattern of a tablecloth can look like a tiny hand."""
_PART_SHARE = 0.4
"""A find that lies inside a known hand, and is smaller than this share of it, is a part of that hand. In 17
films of people that did not suggest this number, 32 of 153 hands found so are smaller, and 4 more below
0.54."""
_DIFFERS_SHARE = 0.1
"""The table looks different in at least this share of a hand that reaches in over it. Two films of people did
not suggest this number, and one of them is nearly black. In them, it does so in 0.31 or more of each of 487
such hands. Patterns of a cloth that pass as hands differ in none of theirs."""
_STILL_PIXELS, _STILL_SECONDS = 6, 0.3
"""A hand around which fewer pixels of the small image move stays where it is, for at most so many seconds."""


@dataclass(slots=True, eq=False)
class _Track:
    """One hand."""

    hand: Hand
    last_seen: float
    points: NDArray[np.float64]
    """21 x 2 landmarks, in mm."""
    owner: NDArray[np.float64]
    """For each seat, the logarithm of the probability that the hand is its player's, up to a constant."""
    path: list[tuple[float, Place]] = field(default_factory=list)
    """Times and places (mm) of the fingertips that hold cards, newest last."""
    stirred: float = -math.inf
    """When it last moved."""
    appeared: float = -math.inf
    """When it came into sight; unknown if it was there from the beginning."""
    velocity: NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))
    """In pixels per second."""
    looked_at: float = -math.inf
    """When it was last looked for where it was."""
    home_since: float = math.inf
    """Since when it has been at its player's place; infinite while it is not."""

    @property
    def tip(self) -> Place:
        """The place where the fingers hold something, mm."""
        x, y = self.points[list(_HOLDING_TIPS)].mean(axis=0)
        return float(x), float(y)

    @property
    def seat(self) -> int:
        """The seat whose hand it is most likely."""
        return int(self.owner.argmax())

    def stirs(self, now: float) -> bool:
        """Return whether the hand has moved lately."""
        return now - self.stirred <= _STIRS_SECONDS

    def predicted(self, t: float) -> Hand:
        """Return the hand at its expected place at `t` seconds, from its last velocity."""
        return Hand(self.hand.points + self.velocity * (t - self.last_seen), self.hand.p)

    def note(self, t: float) -> None:
        """Note where the hand is at a time."""
        tip = self.tip
        self.path = [*(at for at in self.path if t - at[0] <= _STIRS_SECONDS), (t, tip)]
        if any(math.dist(place, tip) > _STIRS_MM for _, place in self.path):
            self.stirred = t


class HandTracker:
    """Tracks hands over frames."""

    def __init__(self, detector: HandFinder, numbers: Iterator[int] | None = None) -> None:
        """Prepare; `numbers` gives each reach its own."""
        self._detector = detector
        self._numbers = numbers or count(1)
        self._tracks: list[_Track] = []
        self._lost: list[_Track] = []
        self._reaches: dict[int, ArmTrack] = {}
        self._looked_everywhere = False
        self._frame = 0
        self._acting: dict[int, _Track] = {}
        """The hand of each seat that reaches in."""
        self.masks: dict[int, Mask] = {}
        """The arm of each seat that reaches in, in pixels of the small image."""
        self.resting_masks: tuple[Mask, ...] = ()
        """The hands that rest."""

    @property
    def rests(self) -> bool:
        """Whether a hand has been at its player's place for a while."""
        return any(track.last_seen - track.home_since >= _RESTS_SECONDS for track in self._tracks)

    @property
    def places(self) -> list[Place]:
        """The places of the tracked hands, mm."""
        return [track.tip for track in self._tracks]

    def feed(
        self, picture: Image, motion: MotionFrame, layout: Layout, *, seldom: bool = False
    ) -> HandsFrame:
        """Update the tracks with one frame.

        Args:
            picture: The frame, in which `layout` holds.
            motion: What moves in it.
            layout: Seats and piles.
            seldom: Whether only some frames are given: then a hand may come to rest unseen.
        """
        self._frame += 1
        self._follow(picture, motion, layout)
        self._search(picture, motion, layout, seldom=seldom)
        self._tracks = [track for track in self._tracks if _differs_from_table(track, layout, motion)]
        t = motion.t
        self._acting = reaching = self._reaching(t, layout)
        ended = self._update_reaches(reaching, t)
        self.masks = {seat: _arm_mask(track, layout, motion) for seat, track in reaching.items()}
        self.resting_masks = tuple(
            _arm_mask(track, layout, motion, whole=False)
            for track in self._tracks
            if reaching.get(track.seat) is not track
        )
        return HandsFrame(
            t, tuple(self._reaches.values()), tuple(ended), self._covered(motion, layout), by_hands=True
        )

    def seats_in(self, region: Mask, scale: float) -> frozenset[int]:
        """Return the seats whose hands reach in and are seen in a region of the small image.

        `scale` is that of the small image: its pixels per pixel of the frame.
        """
        middles = {
            seat: np.round(track.hand.middle * scale).astype(int) for seat, track in self._acting.items()
        }
        height, width = region.shape
        return frozenset(
            seat for seat, (x, y) in middles.items() if 0 <= x < width and 0 <= y < height and region[y, x]
        )

    def end_reaches(self) -> None:
        """Let a hand that goes on begin a reach of its own."""
        self._reaches.clear()

    def _reaching(self, t: float, layout: Layout) -> dict[int, _Track]:
        """Return the hand of each seat that reaches in: of two, the one that moves, or is farther in."""
        reaching: dict[int, _Track] = {}
        for track in self._tracks:
            if not self._reaches_in(track, layout, t):
                continue
            other = reaching.get(track.seat)
            if other is None or _rank(track, layout, t) > _rank(other, layout, t):
                reaching[track.seat] = track
        return reaching

    def _update_reaches(self, reaching: Mapping[int, _Track], t: float) -> list[ArmTrack]:
        """Continue or begin the reach of each seat that reaches in; return and forget those that are over."""
        for seat, track in reaching.items():
            reach = self._reaches.get(seat)
            if reach is None:
                reach = self._reaches[seat] = ArmTrack.begin(next(self._numbers), seat, t)
            reach.update(track.tip, t)
        ended = [reach for reach in self._reaches.values() if t - reach.last_seen > GONE_SECONDS]
        for reach in ended:
            del self._reaches[reach.seat]
        return ended

    def _follow(self, picture: Image, motion: MotionFrame, layout: Layout) -> None:
        """Find the known hands again."""
        kept: list[_Track] = []
        for track in self._tracks:
            hand = track.hand
            moving = _moving_around(hand, motion) >= _STILL_PIXELS
            often = track.seat in self._reaches or self._frame % _AT_HOME_TURNS == 0
            if (moving and often) or motion.t - track.looked_at > _STILL_SECONDS:
                track.looked_at = motion.t
                again = self._detector.redetect(picture, [hand])
                if not again and track.velocity.any():
                    again = self._detector.redetect(picture, [track.predicted(motion.t)])
                if not again or any(again[0].is_same(other.hand) for other in kept):
                    self._lost.append(track)
                    continue
                hand = again[0]
                if not _is_hand_sized(layout.plane.to_mm(hand.points)):
                    continue
            if hand is not track.hand:
                track.velocity = (hand.middle - track.hand.middle) / max(motion.t - track.last_seen, 1e-3)
            self._see(track, hand, motion.t, layout)
            kept.append(track)
        self._tracks = kept
        self._lost = [track for track in self._lost if motion.t - track.last_seen < _LOST_SECONDS]

    def _see(self, track: _Track, hand: Hand, t: float, layout: Layout) -> None:
        track.hand, track.last_seen = hand, t
        track.points = layout.plane.to_mm(hand.points)
        track.owner = _passed_on(track.owner, _PASSES_P)
        track.owner += _FRAME_WEIGHT * _owner_log_likelihood(layout, track.points)
        track.note(t)
        at_home = _depth(layout, track) <= _IN_MM
        track.home_since = min(track.home_since, t) if at_home else math.inf

    def _search(self, picture: Image, motion: MotionFrame, layout: Layout, *, seldom: bool) -> None:
        """Look for further hands where something moves that is no known hand; `seldom`: at a row anyway."""
        unexplained = motion.recently_moving.copy()
        for track in self._tracks:
            _draw(unexplained, _hull(track.hand.points, 1.25) * motion.scale, value=0)
        piles, *rows = _tiles(layout)
        if not self._looked_everywhere:  # hands that rest from the beginning do not move
            self._looked_everywhere = True
            for tile in rows:
                self._find_in(tile, picture, motion.t, layout, resting=True)
        least = -1.0 if seldom else _MIN_UNEXPLAINED_SHARE
        turn, now = divmod(self._frame, 1 if seldom else _ROW_TURNS)
        due = [t for t in rows if now == 0 and _share_in(unexplained, t, motion.scale) > least]
        chosen = [due[turn % len(due)]] if due else []
        at_piles = _share_in(unexplained, piles, motion.scale)
        if (seldom or now != 0) and at_piles > _MIN_UNEXPLAINED_SHARE:
            chosen.append(piles)
        for tile in chosen:
            self._find_in(tile, picture, motion.t, layout, resting=seldom)

    def _find_in(
        self, tile: Tile, picture: Image, t: float, layout: Layout, *, resting: bool = False
    ) -> None:
        """Track the hands in a tile that are not tracked yet; `resting`: they may have been there long."""
        known = [track.hand for track in self._tracks]
        for hand in self._detector.find(picture, tile, known, _LEAST_HAND_MM * _pixels_per_mm(layout, tile)):
            points = layout.plane.to_mm(hand.points)
            if not _is_hand_sized(points) or any(_is_part_of(hand, other) for other in known):
                continue
            appeared = -math.inf if resting else t
            new = _Track(hand, t, points, np.zeros(len(layout.seats)), appeared=appeared)
            track = self._continued(points) or new
            self._see(track, hand, t, layout)
            self._tracks.append(track)

    def _continued(self, points: NDArray[np.float64]) -> _Track | None:
        """Return, and remove, the track that was lost where a hand (21 x 2 mm) is found; None: none was."""
        tip = points[list(_HOLDING_TIPS)].mean(axis=0)
        near = [track for track in self._lost if math.dist(track.tip, tip) < _JOIN_MM]
        if not near:
            return None
        track = min(near, key=lambda track: math.dist(track.tip, tip))
        self._lost.remove(track)
        track.owner = _passed_on(track.owner, _OTHER_FOUND_P)
        return track

    @staticmethod
    def _reaches_in(track: _Track, layout: Layout, t: float) -> bool:
        """Return whether a hand is over the table, or does something at its own row."""
        if _depth(layout, track) > _IN_MM and t - max(track.stirred, track.appeared) <= LIES_SECONDS:
            return True
        return layout.seats[track.seat].is_at_row(track.tip) and track.stirs(t)

    def _covered(self, motion: MotionFrame, layout: Layout) -> dict[Zone, frozenset[int]]:
        """Return the covered zones, with the seats whose arms reach in over them."""
        others = motion.border_mask()
        for mask in self.resting_masks:
            others |= mask
        return covered_zones(motion, layout, self.masks, others)


def _is_hand_sized(points: NDArray[np.float64]) -> bool:
    """Return whether landmarks (21 x 2 mm) span as much as those of a hand."""
    return bool(np.ptp(points, axis=0).max() >= _LEAST_HAND_MM)


def _differs_from_table(track: _Track, layout: Layout, motion: MotionFrame) -> bool:
    """Return whether the table looks different where a hand reaches in over it; True for hands at home."""
    if _depth(layout, track) <= _IN_MM:
        return True
    mask = np.zeros(motion.moving.shape, np.bool_)
    _draw(mask, _hull(track.hand.points) * motion.scale)
    differs = mask & (motion.foreground | motion.recently_moving)
    return count_pixels(differs) >= _DIFFERS_SHARE * count_pixels(mask)


def _is_part_of(hand: Hand, known: Hand) -> bool:
    """Return whether what looks like a hand is a part of a known hand: it is much smaller and lies in it."""
    outline, (x, y) = cv2.convexHull(known.points.astype(np.float32)), hand.middle
    inside = cv2.pointPolygonTest(outline, (float(x), float(y)), measureDist=False) >= 0
    return inside and hand.size < _PART_SHARE * known.size


def _depth(layout: Layout, track: _Track) -> float:
    """Return how far a hand is beyond its player's row, towards the middle of the table, mm."""
    seat = layout.seats[track.seat]
    (x, y), (across, down) = seat.centre, seat.facing
    tip_x, tip_y = track.tip
    return -((tip_x - x) * across + (tip_y - y) * down)


def _rank(track: _Track, layout: Layout, t: float) -> tuple[bool, float]:
    """Return what decides which of a player's two hands acts."""
    return track.stirs(t), _depth(layout, track)


def _passed_on(owner: NDArray[np.float64], passes_p: float) -> NDArray[np.float64]:
    """Return the log-probabilities of a hand's owner if it may have passed to another player's hand.

    With the evidence of each frame this is the forward step of a hidden Markov model (Rabiner 1989).
    """
    p = np.exp(owner - owner.max())
    return np.asarray(np.log((1.0 - passes_p) * p / p.sum() + passes_p / len(p)))


def _owner_log_likelihood(layout: Layout, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-likelihood of each seat, up to a constant.

    An arm points from its player's body, and most hands are at their players' places.
    """
    wrist, knuckle = points[WRIST], points[MIDDLE_KNUCKLE]
    bodies, homes = _bodies_and_homes(layout)
    turn = np.arctan2(*(bodies - wrist).T[::-1]) - math.atan2(*(wrist - knuckle)[::-1])
    away = np.linalg.norm(homes - wrist, axis=1) / _HOME_SPREAD_MM
    found = _DIRECTION_WEIGHT * np.cos(turn) - away**2 / 2
    at_place = np.array([seat.is_at_player((float(wrist[0]), float(wrist[1]))) for seat in layout.seats])
    return np.asarray(found + _AT_ONE_PLACE_LOG_ODDS * at_place if at_place.sum() == 1 else found)


@lru_cache(maxsize=4)
def _bodies_and_homes(layout: Layout) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each seat where its player's body is, and where the wrists mostly are (N x 2 mm each)."""
    facing = np.array([seat.facing for seat in layout.seats])
    border = np.array([layout.border_point(seat) for seat in layout.seats])
    rows = np.array([seat.centre for seat in layout.seats])
    return border + _BODY_BEYOND_MM * facing, rows + _HOME_MM * facing


@lru_cache(maxsize=4)
def _tiles(layout: Layout) -> list[Tile]:
    """Return the tiles to search for palms, in pixels: first around the piles, then around each row."""
    piles = [place for place in (layout.draw, layout.play) if place is not None] or [layout.middle]
    middle = np.mean(piles, axis=0)
    places = [(middle, _PILES_TILE_MM)]
    for seat in layout.seats:
        places.append((np.array(seat.centre) + _BEHIND_ROW_MM * np.array(seat.facing), _SEAT_TILE_MM))
    tiles = []
    for (x, y), side in places:
        ends = layout.plane.to_pixels([(x, y), (x + side, y), (x, y + side)])
        size = max(math.dist(ends[0], ends[1]), math.dist(ends[0], ends[2]))
        tiles.append((float(ends[0][0]), float(ends[0][1]), float(size)))
    return tiles


def _pixels_per_mm(layout: Layout, tile: Tile) -> float:
    """Return how many pixels a millimetre has where the middle of a tile is, across the picture."""
    x, y, _ = tile
    here, beside = layout.plane.to_mm([(x, y), (x + 1.0, y)])
    return 1.0 / max(math.dist(here, beside), 1e-6)


def _share_in(mask: Mask, tile: Tile, scale: float) -> float:
    """Return the share of a tile's pixels in the picture that a mask of the small image has."""
    x, y, side = (value * scale for value in tile)
    rows, columns = mask.shape
    top, bottom = max(0, round(y - side / 2)), min(rows, round(y + side / 2))
    left, right = max(0, round(x - side / 2)), min(columns, round(x + side / 2))
    part = mask[top:bottom, left:right]
    return count_pixels(part) / part.size if part.size else 0.0


def _moving_around(hand: Hand, motion: MotionFrame) -> int:
    """Return how many pixels of the small image move on a hand, or right beside it."""
    area = np.zeros(motion.moving.shape, np.uint8)
    _draw(area, _hull(hand.points, 1.3) * motion.scale)
    return count_pixels(motion.recently_moving & (area > 0))


def _hull(points: NDArray[np.float64], stretch: float = 1.0) -> NDArray[np.float64]:
    """Return the convex hull of points (N x 2), stretched about its middle."""
    hull = cv2.convexHull(points.astype(np.float32))[:, 0].astype(np.float64)
    middle = hull.mean(axis=0)
    stretched: NDArray[np.float64] = middle + (hull - middle) * stretch
    return stretched


def _draw(mask: NDArray[np.uint8] | Mask, polygon: NDArray[np.float64], value: int = 1) -> None:
    view = mask.view(np.uint8)
    cv2.fillPoly(view, [np.round(polygon).astype(np.int32)], value)


def _arm_mask(track: _Track, layout: Layout, motion: MotionFrame, *, whole: bool = True) -> Mask:
    """Return a hand as a mask of the small image; `whole`: with its forearm."""
    mask = np.zeros(motion.moving.shape, np.uint8)
    to_small = layout.plane.to_pixels
    _draw(mask, to_small(_hull(track.points)) * motion.scale)
    wrist, knuckle = track.points[WRIST], track.points[MIDDLE_KNUCKLE]
    way = (wrist - knuckle) / max(float(np.linalg.norm(wrist - knuckle)), 1e-6)
    here, aside = to_small([wrist, wrist + np.array([_FINGER_MM, 0.0])]) * motion.scale
    finger = math.dist(here, aside)
    size = max(1, 2 * round(finger) + 1)
    mask = np.asarray(cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))), np.uint8)
    if whole:
        ends = to_small([wrist, wrist + way * _FOREARM_MM]) * motion.scale
        width = max(1, round(finger / _FINGER_MM * _ARM_WIDTH_MM))
        a, b = (tuple(int(v) for v in np.clip(np.round(end), -5000, 5000)) for end in ends)
        cv2.line(mask, a, b, 1, width)
    return mask > 0
