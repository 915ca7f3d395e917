"""Finds the arms that reach in over the table: by their hands, or else by whatever enters the picture.

Hands with landmarks distinguish arms that act from arms that rest, and from heads. But a hand in a glove, or
a drawn one, may not be found. So everything that enters the picture is followed as well. Its tips over the
piles show how many hands are found. If few are, arms are followed by whatever enters the picture.
"""

from __future__ import annotations

import math
from itertools import count

from vision.hands.hand_tracks import HandTracker
from vision.hands.landmarks import FindsHands
from vision.hands.tracks import ArmTracker, HandsFrame
from vision.motion.background import Mask, MotionFrame
from vision.table.layout import Layout, Place
from vision.types import Image

_NEAR_PILES_MM = 220.0
"""Only tips of arms so near to the piles count: farther out, arms rest."""
_SAME_MM = 140.0
"""A hand is that of an arm whose tip is so near."""
_PRIOR_FOUND, _PRIOR_MISSED = 20.0, 10.0
"""Frames that count for and against hands before any was seen."""
_MIN_FOUND_SHARE = 0.4
"""Hands are believed if at least this share of the tips of arms over the piles are hands that were found."""


class ReachTracker:
    """Follows arms by hands where they are found, else by what enters the picture."""

    def __init__(self, detector: FindsHands | None = None) -> None:
        """Prepare; without a detector, arms are followed by what enters the picture alone."""
        numbers = count(1)
        self._arms = ArmTracker(numbers)
        self._hands = HandTracker(detector, numbers) if detector is not None else None
        self._found, self._missed = _PRIOR_FOUND, _PRIOR_MISSED
        self._before: dict[int, Place] = {}
        self._last: HandsFrame | None = None
        self.by_hands = detector is not None
        """Whether hands are believed."""

    @property
    def masks(self) -> dict[int, Mask]:
        """The arm of each seat that reaches in, in pixels of the small image."""
        return self._hands.masks if self._hands is not None and self.by_hands else self._arms.masks

    @property
    def visible_masks(self) -> tuple[Mask, ...]:
        """The arms that are no part of the table, however long they rest."""
        if self._hands is None or not self.by_hands:
            return self._arms.visible_masks
        return (*self._arms.visible_masks, *self._hands.masks.values(), *self._hands.resting_masks)

    @property
    def resting_masks(self) -> tuple[Mask, ...]:
        """Hands that rest; empty where hands are not believed."""
        return self._hands.resting_masks if self._hands is not None and self.by_hands else ()

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
        hands = self._hands.feed(picture, motion, layout)
        believed = self.by_hands
        self._compare(arms, layout)
        frame = hands if self.by_hands else arms
        if believed != self.by_hands and self._last is not None:
            frame = HandsFrame(frame.t, frame.tracks, self._last.tracks, frame.covered)
        self._last = frame
        return frame

    def _compare(self, arms: HandsFrame, layout: Layout) -> None:
        """Count how many tips of arms that move over the piles are hands that were found."""
        assert self._hands is not None
        middle = layout.draw or layout.middle
        tips = {reach.number: reach.tip for reach in arms.tracks if reach.path}
        for number, tip in tips.items():
            moved = self._before.get(number, tip) != tip
            if not moved or math.dist(tip, middle) > _NEAR_PILES_MM:
                continue
            if any(math.dist(tip, place) < _SAME_MM for place in self._hands.places):
                self._found += 1
            else:
                self._missed += 1
        self._before = tips
        self.by_hands = self._found >= _MIN_FOUND_SHARE * (self._found + self._missed)
