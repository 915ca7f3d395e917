"""Movements of hands to the draw pile and back: which hands went there, and where they turned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

from vision.following.draw_visits import PAUSE_SECONDS, DrawVisit
from vision.following.scene import DRAW_NEAR_MM, LOST_SECONDS, NEAR_MM, Scene, along_and_aside, is_on_the_way
from vision.hands.tracks import ArmTrack
from vision.table.layout import Place

Path = list[tuple[float, Place]]
"""Times and places of a hand."""

_QUICKEST_SECONDS = 0.19
"""No hand goes to the draw pile and back in less than three frames at fifteen frames a second."""
_PASSES_MM_PER_S = 400.0
"""A hand that never goes slower than this at the draw pile passes it. On nine films of people, no hand that
took a card was faster than 261 mm/s. Most that only passed went at more than 420 mm/s."""
_TAKES_SECONDS = 0.12
"""No fingers take a card in less than three frames at fifteen frames a second."""
_BLINK_SECONDS = 0.3
"""Something over the draw pile may go unnoticed for this long."""
_AWAY_MM = 220.0
"""A hand that has been this far from the draw pile makes a new trip to it."""
_BACK_MM = 20.0
"""A hand on its way home that takes a card goes back at least this far for it."""
_ASIDE_MM, _BEYOND_MM = 40.0, 40.0
"""A hand that pauses farther beside the pile or beyond it, seen from its player, points at something else."""
DRAGGED_MM = 60.0
"""The tip of a hand that drags a card off the pile may seem this far beyond it: the card looks like its
end."""
_CLOSE_ASIDE_MM = 28.0
"""A hand that takes a card pauses no farther beside the pile than this."""


class DrawWays:
    """Describes where hands have been, relative to the draw pile. Ask only while there is one."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @property
    def pile(self) -> Place:
        """The place of the draw pile."""
        draw = self._scene.layout.draw
        assert draw is not None
        return draw

    def _home(self, seat: int) -> Place:
        """Return where a seat's hands are at home: the middle of its row."""
        return self._scene.layout.seats[seat].centre

    def trips(self, reach: ArmTrack, visits: Sequence[DrawVisit]) -> list[list[Path]]:
        """Return the trips of a reach to the draw pile, each cut into pieces where the hand paused elsewhere.

        A trip ends where the hand is far from the pile. It goes on if the hand was only lost from sight, as a
        dark hand is on dark wood. Then only the near end of the arm is seen, and something is still over the
        pile.
        """
        draw, home = self.pile, self._home(reach.seat)
        blinks = [(a.end, b.start) for a, b in pairwise(visits) if b.start - a.end <= _BLINK_SECONDS]
        hidden = [*((visit.start, visit.end) for visit in visits), *blinks]
        trips: list[Path] = [[]]
        for t, place in reach.path:
            if math.dist(place, draw) <= _AWAY_MM:
                trips[-1].append((t, place))
                continue
            short = math.dist(place, home) < math.dist(draw, home)
            lost = short and any(start <= t < end for start, end in hidden)
            if trips[-1] and not lost:
                trips.append([])
        cut = [self._cut_at_stops(reach, trip) for trip in self._without_losses(reach.seat, trips) if trip]
        return [
            [piece for piece in pieces if piece and piece[-1][0] - piece[0][0] >= _QUICKEST_SECONDS]
            for pieces in cut
        ]

    def _without_losses(self, seat: int, trips: Sequence[Path]) -> list[Path]:
        """Return trips, joined if the hand was only lost from sight at the pile between them."""
        joined: list[Path] = []
        there = -math.inf
        for trip in trips:
            at_pile = [t for t, place in trip if self.is_at_pile(seat, place)]
            if at_pile and at_pile[0] - there < LOST_SECONDS:
                joined[-1] = [*joined[-1], *trip]
            else:
                joined.append(trip)
            there = max(at_pile, default=-math.inf)
        return joined

    def _cut_at_stops(self, reach: ArmTrack, trip: Path) -> list[Path]:
        """Return a trip, cut where the hand paused elsewhere, if it need not pass the draw pile from there.

        Add the trip cut also at pauses nearer home, because the hand may have paused on its way from
        elsewhere. Do not cut it where the hand was at the pile just before and just after. Such a hand rests,
        and its tip seems to jump.
        """
        places, pieces = [place for _, place in trip], []
        at_pile = [t for t, place in trip if self.is_at_pile(reach.seat, place)]
        stays = [(a, b) for a, b in pairwise(at_pile) if b - a < LOST_SECONDS]
        for nearer_home in (False, True):
            away = [
                s for s in reach.pauses if self.is_elsewhere(reach.seat, s.place, nearer_home=nearer_home)
            ]
            away = [s for s in away if s.place in places and not any(a <= s.start < b for a, b in stays)]
            # A hand that rests elsewhere may seem to move a little, also towards the draw pile.
            left, came = [-math.inf, *(s.end for s in away)], [*(s.start for s in away), math.inf]
            for after, until in zip(left, came, strict=True):
                pieces.append([at for at in trip if after < at[0] <= until])
        return pieces

    def is_elsewhere(self, seat: int, place: Place, *, nearer_home: bool = False) -> bool:
        """Return whether a hand at `place` is neither at home nor at the draw pile, nor beyond the pile.

        `nearer_home`: a hand that is nearer to home than to the draw pile counts as well.
        """
        draw, home = self.pile, self._home(seat)
        if math.dist(place, home) < math.dist(place, draw):
            return nearer_home
        return not self.is_at_pile(seat, place) and not is_on_the_way(draw, place, home)

    def was_at_pile(self, reach: ArmTrack, since: float, within: float = DRAW_NEAR_MM) -> bool:
        """Return whether a hand with tracked fingers was `within` so many mm of the draw pile after a time.

        A hand that just passed does not count.
        """
        path = [at for at in reach.path if at[0] >= since]
        if not any(self._scene.at_draw_pile(place, within) for _, place in path):
            return False
        near = [k for k, (_, place) in enumerate(path) if math.dist(place, self.pile) <= within]
        steps = [step for k in near for step in pairwise(path[max(0, k - 1) : k + 2])]
        passes = all(math.dist(here, there) > _PASSES_MM_PER_S * (t - t0) for (t0, here), (t, there) in steps)
        return not (steps and passes)

    def may_have_been_at_pile(self, reach: ArmTrack, visits: Sequence[DrawVisit], since: float) -> bool:
        """Return whether a hand that was not seen to stay at the draw pile may have drawn after a time.

        `visits` are those of its arm since then. Either the hand was first seen there, so it may have been
        there before. Or it was beside the pile while its arm stayed over that, and its fingers reached it.
        """
        if not reach.path:
            return False
        begun, first = reach.path[0]
        first_seen_there = begun >= since and self._scene.at_draw_pile(first)
        beside = [t for t, place in reach.path if math.dist(place, self.pile) <= NEAR_MM]
        stays = [visit for visit in visits if visit.end - visit.start >= PAUSE_SECONDS]
        return first_seen_there or any(visit.start <= t <= visit.end for visit in stays for t in beside)

    def stay(self, reach: ArmTrack, since: float) -> tuple[float, float]:
        """Return from when till when a hand with tracked fingers was at the draw pile, or else beside it."""
        path = [at for at in reach.path if at[0] >= since]
        beside = [at for at in path if self._scene.at_draw_pile(at[1], NEAR_MM)]
        there = [t for t, place in beside if self._scene.at_draw_pile(place)] or [t for t, _ in beside]
        return min(there, default=reach.start), max(there, default=reach.last_seen)

    def stays(self, reach: ArmTrack, since: float) -> int:
        """Return how often a hand with tracked fingers stayed at the draw pile after a time."""
        return sum(end - start >= _TAKES_SECONDS for start, end in self._unbroken_stays(reach, since))

    def longest_stay(self, reach: ArmTrack, since: float) -> float:
        """Return for how many seconds at most a hand with tracked fingers stayed there, or beside it."""
        stays = self._unbroken_stays(reach, since, NEAR_MM)
        return max((end - start for start, end in stays), default=0.0)

    def _unbroken_stays(
        self, reach: ArmTrack, since: float, within: float = DRAW_NEAR_MM
    ) -> list[tuple[float, float]]:
        there = [t for t, place in reach.path if t >= since and self._scene.at_draw_pile(place, within)]
        begun = [k for k, t in enumerate(there) if k == 0 or t - there[k - 1] > LOST_SECONDS]
        ends = [*(k - 1 for k in begun[1:]), len(there) - 1]
        pairs = zip(begun, ends, strict=True) if there else ()
        return [(there[start], there[end]) for start, end in pairs]

    def turns_there(self, reach: ArmTrack, trip: Path) -> bool:
        """Return whether the hand's farthest point is the draw pile, or a card that it took from there."""
        home = self._home(reach.seat)
        farthest = max((place for _, place in trip), key=lambda place: math.dist(place, home))
        there = [t for t, place in trip if self.is_at_pile(reach.seat, place)]
        if not there or self.is_at_pile(reach.seat, farthest):
            return bool(there)
        beyond, aside = self._from_pile(reach.seat, farthest)
        took = there[-1] - there[0] >= _QUICKEST_SECONDS
        return took and beyond <= DRAGGED_MM and abs(aside) <= _ASIDE_MM

    def is_at_pile(self, seat: int, place: Place, farthest: float = _BEYOND_MM) -> bool:
        """Return whether a seat's hand at `place` is at the draw pile: above it, or just short of it.

        `farthest`: the tip may seem to be this far beyond it, mm.
        """
        if not self._scene.at_draw_pile(place):
            return False
        if math.dist(self._home(seat), self.pile) < 1.0:
            return True
        beyond, aside = self._from_pile(seat, place)
        return beyond <= farthest and abs(aside) <= _ASIDE_MM

    def is_where_cards_are_taken(self, seat: int, place: Place, short: float) -> bool:
        """Return whether a hand at `place`, at most `short` mm before the pile, is where hands take cards."""
        beyond, aside = self._from_pile(seat, place)
        return -short <= beyond <= 0 and abs(aside) <= _CLOSE_ASIDE_MM

    def _from_pile(self, seat: int, place: Place) -> tuple[float, float]:
        """Return how far `place` lies beyond the draw pile, seen from a seat, and how far beside it, mm."""
        draw, home = self.pile, self._home(seat)
        way = max(math.dist(home, draw), 1.0)
        return along_and_aside(((draw[0] - home[0]) / way, (draw[1] - home[1]) / way), draw, place)

    def leads_to_pile(self, reach: ArmTrack, start: float, end: float) -> bool:
        """Return whether a hand was on the straight way from home to the draw pile all the time."""
        home, way = self._home(reach.seat), (place for t, place in reach.path if start <= t <= end)
        return all(is_on_the_way(place, home, self.pile) for place in way)

    def goes_back(self, reach: ArmTrack) -> bool:
        """Return whether a hand, after its last pause, was at the draw pile and moved away from home there.

        A hand that puts a card on a pile behind the draw pile passes the draw pile on its way home. But it
        does not turn there. It is also not there any more if it was lost from sight for longer than passing
        takes. If a hand seems to pause on its way home, perhaps only the near end of its arm is seen.
        """
        home = self._home(reach.seat)
        half = math.dist(self.pile, home) / 2
        since = max((s.end for s in reach.pauses if math.dist(s.place, home) > half), default=reach.start)
        later = ((t, place) for t, place in reach.path if t >= since)
        way = [(t, math.dist(place, home)) for t, place in later if self.is_at_pile(reach.seat, place)]
        if any(_QUICKEST_SECONDS < b - a < LOST_SECONDS for (a, _), (b, _) in pairwise(way)):
            return True
        if not way or way[-1][0] - way[0][0] < _QUICKEST_SECONDS:
            return False
        nearest = accumulate((far for _, far in way), min)
        return any(far - near >= _BACK_MM for (_, far), near in zip(way, nearest, strict=True))

    def was_lost_at_pile(self, reach: ArmTrack) -> bool:
        """Return whether a reach continues the one before, which was lost from sight at the draw pile."""
        earlier = [other for other in self._scene.reaches if other.seat == reach.seat and other is not reach]
        if not earlier or not earlier[-1].path or not reach.path:
            return False
        (ended, there), (began, here) = earlier[-1].path[-1], reach.path[0]
        both_at_pile = self.is_at_pile(reach.seat, there) and self.is_at_pile(reach.seat, here)
        return both_at_pile and 0.0 <= began - ended < LOST_SECONDS
