"""What tells that somebody was at the draw pile: when an arm is over it, and what it looks like."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from vision.following.patches import PATCH_MM
from vision.following.records import Patch, changed_share
from vision.hands.tracks import ArmTrack, Pause
from vision.table.layout import Place

STUCK_MM = 75.0
"""A tip that has moved no farther for a while stays where it is, or seems to."""
_PASSING_MM = 25.0
"""A hand that passes moves farther from one frame to the next."""
PAUSE_SECONDS = 0.25
_REMEMBERED = 60
"""Looks: some fifteen seconds."""
_AS_BEFORE, _OTHERWISE = 0.02, 0.07
"""Less of the draw pile's picture than the first looks otherwise while nothing is taken from it, but for an
arm's shadow; more than the second where a card has been, however squarely they lie. Twice as much as changed
between two looks just before it must be, too: the camera may sway."""
_TELLING, _MUCH_LESS, _LESS = 3, 0.3, 0.6
"""So many draws tell how much of this pile's picture looks otherwise after one; hardly a card was drawn where
it is less than the first share of the least of them, a shadow, and maybe none where it is less than the
second: what was put down beside the pile may reach over its edge."""
_BACK_SECONDS = 0.4
"""No hand takes a card home and is back sooner: what the pile looks like meanwhile, its shadow may do."""
_PASSES_SECONDS = 0.15
"""An arm over the pile for no longer takes nothing: what it puts down beside it may reach over its edge."""
_NEARER_MM = 5.0
"""By so much outlines of a card that lies still differ."""
_STILL = 3
"""So many looks tell whether the camera is still."""


@dataclass(slots=True)
class DrawVisit:
    """A time during which an arm was over the draw pile."""

    reach: int
    """The number of the arm's reach."""
    start: float
    end: float
    tip: Place
    """Where the arm's tip seemed to be when it began."""
    stuck: bool
    """Whether it seemed to rest there before and until it came loose, if it did, at the draw pile."""
    loose: Place | None = None
    """Where the tip was last, once it came loose at the draw pile."""
    paused: bool = False
    """Whether the tip paused there then, and did not just pass."""
    open: bool = True

    @property
    def counts(self) -> bool:
        """Whether it was as long as a hand takes to draw."""
        drawn = self.stuck and (self.loose is None or self.paused)
        return drawn and self.end - self.start >= PAUSE_SECONDS

    def meanwhile(self, reach: ArmTrack) -> list[Pause]:
        """Return where the reach's hand seemed to pause during it."""
        return [stop for stop in reach.pauses if stop.start <= self.end and self.start <= stop.end]

    def follow(self, tip: Place, *, at_pile: bool) -> None:
        """Take in where the tip seems to be in a further frame."""
        if self.loose is not None:
            self.paused |= at_pile and math.dist(tip, self.loose) < _PASSING_MM
        elif not at_pile:
            self.stuck &= math.dist(tip, self.tip) < STUCK_MM
        if at_pile or self.loose is not None:
            self.loose = tip


class _Sight(NamedTuple):
    """What one look showed of the draw pile."""

    t: float
    picture: Patch
    near: float
    """How near to its middle, mm, a face-up card lay."""


class DrawPilePictures:
    """What the draw pile looked like in the latest looks that showed it: backs are alike, but lie apart."""

    def __init__(self, visits: Collection[DrawVisit]) -> None:
        """Take over the visits to it, oldest first, which are added to elsewhere."""
        self._visits = visits
        self._seen: deque[_Sight] = deque(maxlen=_REMEMBERED)
        self._drawn: deque[float] = deque(maxlen=_TELLING)
        """How much of it, as a share, looked otherwise after each of the latest draws."""

    def look(self, t: float, picture: Patch | None, near: float = PATCH_MM) -> None:
        """Take in one look that showed it; None: there is no picture.

        `near`: so far from its middle, mm, lies the nearest face-up card; `PATCH_MM`: it is in no picture.
        """
        if picture is None or (self._seen and self._seen[-1].picture.shape != picture.shape):
            self._seen.clear()
        if picture is not None:
            self._seen.append(_Sight(t, picture, near))

    @property
    def is_stale(self) -> bool:
        """Whether somebody has been there since it was seen last."""
        last = self._seen[-1].t if self._seen else math.inf
        return any(visit.end > last and not visit.open for visit in self._visits)

    def seen_since(self, t: float) -> bool:
        """Return whether it has been seen after a time."""
        return bool(self._seen) and self._seen[-1].t > t

    def is_as_before(self, start: float, end: float, *, surely: bool = False) -> bool:
        """Tell whether it has been seen before `start` and after `end`, and looks as if nothing was drawn.

        `surely`: that less changed than a draw mostly changes is not enough; now and then two cards lie
        nearly as one.
        """
        changed = self._changed_between(start, end)
        least = _AS_BEFORE if surely else max(_AS_BEFORE, _MUCH_LESS * self._usual)
        return changed is not None and changed < least

    def show_taking(
        self, start: float, end: float, last_drawn: float = -math.inf, *, surely: bool = False
    ) -> bool | None:
        """Return whether a card was taken between these times; None if no picture tells.

        None also if somebody else was there before it was seen again.
        `surely`: no hand was seen to take it, and a shadow must not be enough. So all pictures since
        `last_drawn` are compared with the latest one.
        """
        before, since = self._before(start), [sight for sight in self._seen if sight.t > end]
        after = (since[-1] if surely else since[0]) if since else None
        if not before or after is None or any(end < visit.start < after.t for visit in self._visits):
            return None
        first = next((k for k, sight in enumerate(before[:-1]) if sight.t > last_drawn), -1)
        compared = before[first if surely else -1 :]
        if any(changed_share(sight.picture, after.picture) < _AS_BEFORE for sight in compared):
            return False
        changed = changed_share(before[-1].picture, after.picture)
        # A card that has come to lie in the picture, or has gone, changes at most a strip along its edge.
        nearer = abs(before[-1].near - after.near)
        least = self._least(before) if surely else max(_AS_BEFORE, 2 * self._sway(before))
        if changed - nearer / (2 * PATCH_MM) >= least:
            return True
        return False if nearer > _NEARER_MM and changed < _LESS * self._usual else None

    def _least(self, before: Sequence[_Sight]) -> float:
        """Return how much of it must look different after a card was taken, by what was seen before."""
        return max(_OTHERWISE, 2 * self._sway(before), _LESS * self._usual)

    def _sway(self, before: Sequence[_Sight]) -> float:
        """Return how much of it looks different from one look to the next while nobody is there."""
        still = pairwise(before[-_STILL:])
        return max(
            (changed_share(a.picture, b.picture) for a, b in still if not self._was_there(a.t, b.t)),
            default=0.0,
        )

    def hardly_show_draw(self, start: float, end: float) -> bool:
        """Tell whether less changed between these times than each of the latest draws has changed."""
        changed = self._changed_between(start, end)
        return self.show_draws and changed is not None and changed < _LESS * self._usual

    def _changed_between(self, start: float, end: float) -> float | None:
        """Return what share of it looks otherwise after `end` than before `start`; None: it was not seen."""
        before = self._before(start)
        if not before or self._seen[-1].t <= max(start, end):
            return None
        return changed_share(before[-1].picture, self._seen[-1].picture)

    @property
    def _usual(self) -> float:
        """How much of it, at least, looked otherwise after a draw; 0 where that is not known."""
        return min(self._drawn) if self.show_draws else 0.0

    @property
    def show_draws(self) -> bool:
        """Whether every one of the latest draws was to be seen: a pile may also lie too neatly for that."""
        return len(self._drawn) == _TELLING and min(self._drawn) >= _OTHERWISE

    def learn(self, start: float, end: float) -> None:
        """Note what a draw between these times, of which hands tell, has changed."""
        changed = self._changed_between(start, end)
        if changed is not None:
            self._drawn.append(changed)

    def times_changed(self, since: float, last_drawn: float = -math.inf) -> int:
        """Return how often, at least, it came to look otherwise since then while somebody was there.

        0 if it looks again as it did before, at any time after a card was drawn last: an arm that rests
        beside it may have been in its picture meanwhile. 0 as well if a card has come to lie in its picture,
        or is there no more.
        """
        before = self._before(since)
        if not before or abs(before[-1].near - self._seen[-1].near) > _NEARER_MM:
            return 0
        seen = [*self._seen]
        least = self._least(before)
        since_last = [sight for sight in before[:-1] if sight.t > last_drawn]
        if any(changed_share(sight.picture, seen[-1].picture) < least for sight in (*since_last, before[-1])):
            return 0
        different = [before[-1].picture]
        since_then = (sight for sight in seen[len(before) - 1 :] if not self._is_amid_visit(sight.t))
        for earlier, sight in pairwise(since_then):
            new = all(changed_share(other, sight.picture) >= least for other in different)
            if new and self._was_there(earlier.t, sight.t, _PASSES_SECONDS):
                different.append(sight.picture)
        return len(different) - 1

    def _was_there(self, start: float, end: float, longer: float = 0.0) -> bool:
        """Return whether somebody was there meanwhile, and for `longer` than so many seconds."""
        meanwhile = (visit for visit in self._visits if visit.start <= end and start < visit.end)
        return any(visit.end - visit.start > longer for visit in meanwhile)

    def _is_amid_visit(self, t: float) -> bool:
        """Tell whether a hand was gone at `t` for too short a time to have taken anything home."""
        gaps = ((a.end, b.start) for a, b in pairwise(self._visits) if a.reach == b.reach)
        return any(a <= t < b and b - a < _BACK_SECONDS for a, b in gaps)

    def _before(self, t: float) -> list[_Sight]:
        """Return what was seen up to a time, oldest first; none where somebody has been there since."""
        t = min((visit.start for visit in self._visits if visit.start <= t <= visit.end), default=t)
        before = [sight for sight in self._seen if sight.t <= t]
        if not before or any(before[-1].t < visit.end and visit.start < t for visit in self._visits):
            return []
        return before
