"""Finds the arms that reach in over the table: by their hands, or else by whatever enters the picture.

If arms are in the picture only to act, whatever enters it is an arm that acts. Background differences show
such arms well. But many people rest their hands at their places, lean their heads over the table, or hold
their cards in sight. Then hands with landmarks distinguish the arm that acts from all that. So hands are
followed if some rest, and if most of those that act are found: a glove may not be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from vision.hands.hand_tracks import LIES_SECONDS, HandTracker
from vision.hands.landmarks import HandFinder
from vision.hands.tracks import ArmTracker, HandsFrame
from vision.motion.background import MotionFrame
from vision.table.layout import Layout, Place, Zone
from vision.types import Image, Mask

_NEAR_PILES_MM = 220.0
"""Only arm tips this near to the piles count. Arms farther out are at rest."""
_SAME_MM = 140.0
"""A hand belongs to an arm whose tip is this near."""
_PRIOR_FOUND, _PRIOR_MISSED = 20.0, 10.0
"""Frames that count for and against hands before any was seen."""
_MIN_FOUND_SHARE = 0.4
"""Hands are followed if at least this share of the tips of arms over the piles are hands that were found."""
_RESTING_SECONDS = 30.0
"""A hand that rested in the picture no longer ago than this may be back at any time."""
_SELDOM = 8
"""While hands are not followed, every so many frames are looked at for hands that rest."""


class ReachTracker:
    """Follows arms by their hands if hands rest in the picture, else by whatever enters it."""

    def __init__(self, detector: HandFinder | None = None, numbers: Iterator[int] | None = None) -> None:
        """Prepare; without a detector, arms are followed by whatever enters the picture.

        `numbers` gives each reach its own.
        """
        self._detector = detector
        self._numbers = numbers = numbers or count(1)
        self._arms = ArmTracker(numbers)
        self._hands = HandTracker(detector, numbers) if detector is not None else None
        self._found, self._missed = _PRIOR_FOUND, _PRIOR_MISSED
        self._before: dict[int, Place] = {}
        self._rested = -math.inf
        self._frame = 0
        self._last: HandsFrame | None = None
        self.by_hands = False
        """Whether arms are followed by their hands."""

    def anew(self) -> ReachTracker:
        """Return a tracker for the same people in another view: it knows whether their hands rest."""
        tracker = ReachTracker(self._detector, self._numbers)
        tracker._found, tracker._missed, tracker._rested = self._found, self._missed, self._rested
        tracker.by_hands = self.by_hands
        return tracker

    @property
    def _followed(self) -> HandTracker | None:
        """The tracker of hands, if arms are followed by their hands."""
        return self._hands if self.by_hands else None

    @property
    def masks(self) -> dict[int, Mask]:
        """The arm of each seat that reaches in, in pixels of the small image."""
        return (self._followed or self._arms).masks

    @property
    def visible_masks(self) -> tuple[Mask, ...]:
        """The arms that are no part of the table, however long they rest."""
        hands = self._followed
        if hands is None:
            return self._arms.visible_masks
        return (*self._arms.visible_masks, *hands.masks.values(), *hands.resting_masks)

    @property
    def resting_masks(self) -> tuple[Mask, ...]:
        """Hands that rest; empty if arms are not followed by their hands."""
        return () if self._followed is None else self._followed.resting_masks

    def feed(self, picture: Image, motion: MotionFrame, layout: Layout) -> HandsFrame:
        """Update with one frame.

        Args:
            picture: The frame, in which `layout` holds.
            motion: What moves in it.
            layout: Seats and piles.
        """
        arms = self._arms.feed(motion, layout)
        if self._hands is None:
            return arms
        self._frame += 1
        if not self.by_hands and self._frame % _SELDOM != 1:
            self._last = arms
            return arms
        hands = self._hands.feed(picture, motion, layout, seldom=not self.by_hands)
        if self._hands.rests:
            self._rested = motion.t
        self._compare(arms, layout)
        before, wanted = self.by_hands, self._is_by_hands(motion.t)
        if not _is_somebody_acting(hands if before else arms, layout):
            self.by_hands = wanted
        frame = arms
        if self.by_hands:
            bodies = self._bodies_over_piles(arms, hands, layout, motion.scale)
            frame = replace(hands, bodies=bodies)
        if before != self.by_hands and self._last is not None:
            frame = replace(frame, ended=self._last.tracks)
        self._last = frame
        return frame

    def interrupted(self, t: float) -> HandsFrame | None:
        """Return the end of all reaches, because the table is lost from sight; None if there are none.

        Only the places of hands are exact enough for what they have done until then.
        """
        last = self._last
        if self._hands is None or last is None or not last.by_hands or not last.tracks:
            return None
        self._last = None
        self._hands.end_reaches()
        return HandsFrame(t, (), last.tracks, {}, by_hands=True)

    def _bodies_over_piles(
        self, arms: HandsFrame, hands: HandsFrame, layout: Layout, scale: float
    ) -> dict[Zone, frozenset[int]]:
        """Return the piles that people lean over, with their seats; `scale` is that of the small image.

        An arm seems to rest where it was lost from sight. So the pile must also be covered now. If another
        player's hand is seen in it near the piles, it may be that player's arm, or both: arms that touch look
        like one.
        """
        assert self._hands is not None
        seats_in = partial(self._hands.seats_in, scale=scale)
        near = {track.seat for track in hands.tracks if _is_near_piles(track.tip, layout)}
        return {
            zone: seats.union(*(near & seats_in(self._arms.masks[seat]) for seat in seats))
            for zone, seats in arms.covered.items()
            if zone.kind != "row" and zone in hands.covered and seats
        }

    def _is_by_hands(self, t: float) -> bool:
        """Return whether hands rest in the picture, and most of those that act are found."""
        found = self._found >= _MIN_FOUND_SHARE * (self._found + self._missed)
        return found and t - self._rested <= _RESTING_SECONDS

    def _compare(self, arms: HandsFrame, layout: Layout) -> None:
        """Count how many tips of arms that move over the piles are hands that were found."""
        assert self._hands is not None
        tips = {reach.number: reach.tip for reach in arms.tracks if reach.path}
        for number, tip in tips.items():
            moved = self._before.get(number, tip) != tip
            if not moved or not _is_near_piles(tip, layout):
                continue
            if any(math.dist(tip, place) < _SAME_MM for place in self._hands.places):
                self._found += 1
            else:
                self._missed += 1
        self._before = tips


def _is_somebody_acting(hands: HandsFrame, layout: Layout) -> bool:
    """Return whether somebody acts at the piles: then a switch would cut the act in two."""
    return any(
        _is_near_piles(track.tip, layout) and track.pause_seconds < LIES_SECONDS for track in hands.tracks
    )


def _is_near_piles(tip: Place, layout: Layout) -> bool:
    return math.dist(tip, layout.draw or layout.middle) <= _NEAR_PILES_MM
