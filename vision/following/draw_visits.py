"""The signs that somebody was at the draw pile: an arm over it, and changes of its picture."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from vision.following.patches import PATCH_MM, REACH_MM, Patch, changed_share
from vision.hands.tracks import ArmTrack, Pause
from vision.table.layout import Place

STUCK_MM = 75.0
"""A tip that has moved no farther than this for a while stays where it is, or seems to."""
_PASSING_MM = 25.0
"""A hand that passes moves farther than this from one frame to the next."""
PAUSE_SECONDS = 0.25
"""An arm that stays over the draw pile for so long may draw."""
REMEMBERED = 60
"""So many looks at the draw pile are kept, about fifteen seconds, and so many visits to it."""
_AS_BEFORE, _OTHERWISE = 0.02, 0.07
"""Less than the first share of the draw pile's picture changes while nothing is taken, apart from an arm's
shadow. More than the second share changes where a card has been, however squarely the cards lie. The change
must also be twice that between two looks just before, because the camera may sway."""
_TELLING_DRAWS, _SHADOW_SHARE, _DRAW_SHARE = 3, 0.3, 0.6
"""This many draws show how much of this pile's picture a draw changes. A change of less than the first share
of the smallest one is a shadow, and hardly a draw. Below the second share, perhaps no card was drawn: a card
put down beside the pile may reach over its edge."""
_BACK_SECONDS = 0.4
"""No hand takes a card home and is back sooner. A change of the pile's picture in the meantime may be its
shadow."""
_PASSES_SECONDS = 0.15
"""An arm over the pile for no longer takes nothing. A card that it puts down beside the pile may reach over
its edge."""
_NEARER_MM = 5.0
"""The outlines of a card that lies still differ by this much."""
_STILL_LOOKS = 3
"""This many looks show whether the camera is still."""


@dataclass(slots=True)
class DrawVisit:
    """A time during which an arm was over the draw pile."""

    reach: int
    """The number of the arm's reach."""
    start: float
    end: float
    """When the arm was no longer there."""
    tip: Place
    """Where the arm's tip seemed to be when the visit began."""
    stuck: bool
    """Whether the tip seemed to rest there before the visit, and until it came loose at the draw pile, if it
    did."""
    loose: Place | None = None
    """The latest place of the tip, once it came loose at the draw pile."""
    paused: bool = False
    """Whether the tip then paused at the draw pile, and did not just pass."""
    open: bool = True

    @property
    def counts(self) -> bool:
        """Whether the visit was long enough to draw."""
        drawn = self.stuck and (self.loose is None or self.paused)
        return drawn and self.end - self.start >= PAUSE_SECONDS

    def meanwhile(self, reach: ArmTrack) -> list[Pause]:
        """Return where the reach's hand seemed to pause during the visit."""
        return [stop for stop in reach.pauses if stop.start <= self.end and self.start <= stop.end]

    def follow(self, tip: Place, *, at_pile: bool) -> None:
        """Take in the tip's apparent place in a further frame."""
        if self.loose is not None:
            self.paused |= at_pile and math.dist(tip, self.loose) < _PASSING_MM
        elif not at_pile:
            self.stuck &= math.dist(tip, self.tip) < STUCK_MM
        if at_pile or self.loose is not None:
            self.loose = tip


class _Sight(NamedTuple):
    """The draw pile in one look."""

    t: float
    picture: Patch
    near: float
    """The distance (mm) from its middle to the nearest face-up card."""


class DrawPilePictures:
    """The latest pictures of the draw pile. All backs look the same, but they lie in different places."""

    def __init__(self, visits: Collection[DrawVisit]) -> None:
        """Begin with the visits to the pile, oldest first; others add to them."""
        self._visits = visits
        self._seen: deque[_Sight] = deque(maxlen=REMEMBERED)
        self._draw_shares: deque[float] = deque(maxlen=_TELLING_DRAWS)
        """The share of the picture that changed with each of the latest draws."""

    def look(self, t: float, picture: Patch | None, near: float = REACH_MM) -> None:
        """Take in one look at the pile; None: there is no picture.

        `near`: the distance (mm) from its middle to the nearest face-up card, at most `REACH_MM`.
        """
        if picture is None or (self._seen and not picture.is_comparable(self._seen[-1].picture)):
            self._seen.clear()
        if picture is not None:
            self._seen.append(_Sight(t, picture, near))

    @property
    def is_stale(self) -> bool:
        """Whether somebody has been at the pile since it was last seen."""
        last = self._seen[-1].t if self._seen else math.inf
        return any(visit.end > last and not visit.open for visit in self._visits)

    def seen_since(self, t: float) -> bool:
        """Return whether the pile has been seen after a time."""
        return bool(self._seen) and self._seen[-1].t > t

    def is_as_before(self, start: float, end: float, *, surely: bool = False) -> bool:
        """Return whether the pile was seen before `start` and after `end`, and looks as if nothing was drawn.

        `surely`: a change smaller than that of most draws is not enough, because two cards sometimes lie
        almost exactly on each other.
        """
        changed = self._changed_between(start, end)
        least = _AS_BEFORE if surely else max(_AS_BEFORE, _SHADOW_SHARE * self._usual)
        return changed is not None and changed < least

    def show_taking(
        self,
        start: float,
        end: float,
        last_drawn: float = -math.inf,
        *,
        surely: bool = False,
        plainly: bool = False,
    ) -> bool | None:
        """Return whether a card was taken between these times; None if no picture shows it.

        Return None also if somebody else was there before the pile was seen again. `surely`: no hand was seen
        to take the card, so a shadow must not be enough. All pictures since `last_drawn` are then compared
        with the latest one. `plainly`: the picture must change as much as it does by a draw, and by more than
        a knock of the camera changes it.
        """
        before, since = self._before(start), [sight for sight in self._seen if sight.t > end]
        after = (since[-1] if surely else since[0]) if since else None
        if not before or after is None or any(end < visit.start < after.t for visit in self._visits):
            return None
        first = next((k for k, sight in enumerate(before[:-1]) if sight.t > last_drawn), -1)
        compared = before[first if surely else -1 :]
        shares = (changed_share(sight.picture, after.picture, smoothed=plainly) for sight in compared)
        if any(share < _AS_BEFORE for share in shares):
            return False
        changed = changed_share(before[-1].picture, after.picture)
        # A card that came into the picture, or left it, changes at most a strip along its edge.
        nearer = abs(before[-1].near - after.near)
        if nearer > _NEARER_MM and changed < _DRAW_SHARE * self._usual:
            return False
        least = self._least(before) if surely or plainly else max(_AS_BEFORE, 2 * self._sway(before))
        return True if changed - nearer / (2 * PATCH_MM) >= least else None

    def _least(self, before: Sequence[_Sight]) -> float:
        """Return the share of the picture that must change if a card was taken, given the looks before."""
        return max(_OTHERWISE, 2 * self._sway(before), _DRAW_SHARE * self._usual)

    def _sway(self, before: Sequence[_Sight]) -> float:
        """Return the share of the picture that changes from one look to the next while nobody is there.

        The least change counts: an arm's shadow may be in the last look, before the arm is.
        """
        still = pairwise(before[-_STILL_LOOKS:])
        return min(
            (changed_share(a.picture, b.picture) for a, b in still if not self._was_there(a.t, b.t)),
            default=0.0,
        )

    def hardly_show_draw(self, start: float, end: float) -> bool:
        """Return whether the change between these times is clearly smaller than that of each latest draw."""
        changed = self._changed_between(start, end)
        return self.show_draws and changed is not None and changed < _DRAW_SHARE * self._usual

    def _changed_between(self, start: float, end: float) -> float | None:
        """Return the share that changed from before `start` to after `end`; None if the pile was not seen."""
        before = self._before(start)
        if not before or self._seen[-1].t <= max(start, end):
            return None
        return changed_share(before[-1].picture, self._seen[-1].picture)

    @property
    def _usual(self) -> float:
        """The smallest share of the picture that a recent draw changed; 0 if that is unknown."""
        return min(self._draw_shares) if self.show_draws else 0.0

    @property
    def show_draws(self) -> bool:
        """Whether the picture showed every one of the latest draws; a very neat pile may not show them."""
        return len(self._draw_shares) == _TELLING_DRAWS and min(self._draw_shares) >= _OTHERWISE

    @property
    def show_absence(self) -> bool:
        """Whether the picture would show a draw, so that none was made if it stays the same.

        If the camera is held in a hand, smoothing hides the edge of the next card of a neat pile.
        """
        in_hand = bool(self._seen) and self._seen[-1].picture.hand_held
        return self.show_draws and not in_hand

    def learn(self, start: float, end: float) -> None:
        """Note how much a draw between these times, which hands have shown, has changed the picture."""
        changed = self._changed_between(start, end)
        if changed is not None:
            self._draw_shares.append(changed)

    def times_changed(self, since: float, last_drawn: float) -> int:
        """Return how often, at least, the picture changed after `since` while somebody was there.

        Return 0 if the pile now looks as in an earlier picture since the last draw. An arm that rests beside
        the pile may have been in the picture meanwhile. Return 0 also if a face-up card has come into the
        picture or left it.
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
        """Return whether somebody was there between these times, for more than `longer` seconds."""
        meanwhile = (visit for visit in self._visits if visit.start <= end and start < visit.end)
        return any(visit.end - visit.start > longer for visit in meanwhile)

    def _is_amid_visit(self, t: float) -> bool:
        """Return whether a hand had left at `t`, but was back too soon to have taken anything home."""
        gaps = ((a.end, b.start) for a, b in pairwise(self._visits) if a.reach == b.reach)
        return any(a <= t < b and b - a < _BACK_SECONDS for a, b in gaps)

    def _before(self, t: float) -> list[_Sight]:
        """Return the looks up to a time, oldest first; none if somebody has been there since the last."""
        t = min((visit.start for visit in self._visits if visit.start <= t <= visit.end), default=t)
        before = [sight for sight in self._seen if sight.t <= t]
        if not before or any(before[-1].t < visit.end and visit.start < t for visit in self._visits):
            return []
        return before
