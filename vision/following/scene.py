"""The state that all parts of the event logic share: the layout, the reaches and the log."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from engine.cards import copies
from vision.following.looks import UnderArm
from vision.following.reported_events import ReportedEvents
from vision.hands.tracks import ArmTrack, HandsFrame, Pause
from vision.table.layout import PLAY, Layout, Place, Zone

NEAR_MM = 110.0
"""A hand that acts at a place is nearer to its middle than this."""
HANDLES_MM = 130.0
"""A hand that took a card, or put one down away from the play pile, was seen this near to its place."""
PUT_DOWN_SECONDS = 2.0
"""The times of an act and of the first look at its card differ by no more than this."""
ARM_SECONDS = 0.3
"""An arm last seen no longer ago than this may still be over the table."""
JUST_SECONDS = 0.8
"""An act no longer ago than this may not be seen well yet."""
ON_PILE_MM = 60.0
"""A played card lies this near to the top card of the pile."""
_HAND_AWAY_MM = 85.0
"""A hand that pauses within this distance of a place has been there: fingertips reach past what they hold."""
_UNDER_ARM_MM, _SHADOW_AWAY_MM = 40.0, 100.0
"""A card this near to the line from home to a hand's tip may be in that hand. It lies up to the second
distance from the tip, which may be that of the card's shadow (mm)."""
DRAW_NEAR_MM = 82.0
"""A hand that draws is this near to the middle of the draw pile."""
_REMEMBERED_REACHES = 8
"""Number of reaches that are kept."""
_LEANS_SECONDS = 20.0
"""How long the bodies over the piles are remembered."""
_ACTS_SECONDS = 0.7
"""Nobody plays a card in less time."""
_ABOUT_SECONDS = 1.5
"""The time of an act may be this far off."""
_NEAREST_HAND_MM, _AS_NEAR_MM = 260.0, 40.0
"""A hand that put a card down came this near to its middle. Two hands came about equally near if their
distances differ by less than the second number."""
_RESTS_SECONDS = 0.12
"""A hand that pauses for so long rests."""
_PASSED_MM = 60.0
"""An arm that passes nearer to a place than this may seem to be at it."""
_MOMENT_SECONDS = 0.25
"""Frames no farther apart in time than this belong together; an arm may be lost from sight in between."""
LOST_SECONDS = 0.5
"""A hand that is lost from sight over the table, and seen there again within this time, has not been home."""
_TAP_SECONDS, _TAP_MM = 0.22, NEAR_MM * 0.6
"""A hand laid on the bare place of the pile stays for so long, this near to its middle."""


@dataclass(frozen=True, slots=True)
class NearHand:
    """A hand that came near to a place."""

    seat: int
    t: float
    """When it first came about as near as it ever did. On its way back it may pass there again."""
    mm: float
    """How near it came."""
    rivals: frozenset[int] = frozenset()
    """The seats of other hands that came about as near."""


@dataclass(slots=True)
class Scene:
    """The part of the game's state that every part of the event logic needs."""

    layout: Layout
    packs: int = 1
    """How many packs the game is played with."""
    draws_as_played: bool = False
    """As of `Deal`."""
    log: ReportedEvents = field(default_factory=ReportedEvents)
    reaches: list[ArmTrack] = field(default_factory=list)
    """The latest reaches, oldest first; the last may still be going on."""
    started: bool = False
    """Whether anything has been played, shown or picked up since the deal."""
    card_came: tuple[float, float] = (-math.inf, math.inf)
    """When looks last showed the play pile without the card that was put down last, and first with it."""
    player_held_card: bool = False
    """Whether the player of the last card put on the pile had been seen to take it into the hand."""
    player_in_doubt: bool = False
    """Whether several players may have put that card down."""
    burned: list[str] = field(default_factory=list)
    by_hands: bool = False
    """Whether reaches are those of hands with landmarks, whose places are exact."""
    _leans: list[tuple[float, Mapping[Zone, frozenset[int]]]] = field(default_factory=list)
    """The seats whose bodies were lately over each pile, oldest first."""

    def __post_init__(self) -> None:
        self.log.was_hidden = self._was_hidden

    def _was_hidden(self, player: str | None, start: float, end: float) -> bool:
        """Return whether bodies hid the play pile long enough for an act, or the act of this player at `end`.

        The player's own body does not count if the hand was seen there.
        """
        play = self.layout.play
        seats = {seat for seat, one in enumerate(self.layout.seats) if one.player == player}
        acted = {seat for seat in seats if play is not None and self._was_near(seat, play, end)}
        if not acted and self.leaned(PLAY, end - _ABOUT_SECONDS, end + _ABOUT_SECONDS):
            return True
        others = set(range(len(self.layout.seats))) - acted
        times = [t for t, bodies in self._leans if start < t < end and bodies.get(PLAY, frozenset()) & others]
        return sum(b - a for a, b in pairwise(times) if b - a < _MOMENT_SECONDS) >= _ACTS_SECONDS

    def player(self, seat: int | None) -> str | None:
        """Return the name of a seat's player."""
        return None if seat is None else self.layout.seats[seat].player

    def held_by_others(self, seat: int | None) -> set[str]:
        """Return the cards that were seen to go into the hands of players other than a seat's (None: of all).

        With several packs, cards that exist more than once are left out: another copy may be elsewhere.
        """
        own = self.player(seat)
        held = {card for card, holder in self.log.held.items() if holder != own}
        return {card for card in held if copies(card, self.packs) == 1}

    def remember(self, reach: ArmTrack) -> None:
        """Note a reach, if it is new."""
        if reach not in self.reaches:
            self.reaches = [*self.reaches[-_REMEMBERED_REACHES + 1 :], reach]

    def last_reach(self, seat: int | None, before: float = math.inf) -> ArmTrack | None:
        """Return the latest reach of a seat that began before a time."""
        own = (reach for reach in reversed(self.reaches) if reach.seat == seat)
        return next((reach for reach in own if reach.start <= before), None)

    def with_rest(self, reach: ArmTrack) -> ArmTrack:
        """Return a reach with those that continue it, because the hand was lost from sight over the table."""
        if not self.by_hands:
            return reach
        for later in self.reaches:
            if later.seat == reach.seat and self._continues(reach, later):
                path, pauses = [*reach.path, *later.path], [*reach.pauses, *later.pauses]
                reach = replace(reach, path=path, pauses=pauses, last_seen=later.last_seen)
        return reach

    def _continues(self, reach: ArmTrack, later: ArmTrack) -> bool:
        """Return whether a hand was lost from sight in one reach and found again in a later one."""
        if not (reach.path and later.path):
            return False
        (lost, there), (found, here) = reach.path[-1], later.path[0]
        seat = self.layout.seats[reach.seat]
        home = any(seat.is_on_player_side(place) or seat.is_at_row(place) for place in (there, here))
        return 0.0 < found - lost < LOST_SECONDS and not home

    def last_arm(self, since: float = -math.inf) -> ArmTrack | None:
        """Return the reach whose arm was seen last; None if none was seen at `since` or later."""
        recent = (reach for reach in self.reaches if reach.last_seen >= since)
        return max(recent, key=lambda reach: reach.last_seen, default=None)

    @property
    def arm_seen(self) -> float:
        """When an arm was last seen; minus infinity if none was."""
        last = self.last_arm()
        return -math.inf if last is None else last.last_seen

    def is_reaching(self, seat: int, t: float) -> bool:
        """Return whether a seat's arm is in the picture at `t`, or was a moment before."""
        reach = self.last_reach(seat)
        return reach is not None and t - reach.last_seen < _MOMENT_SECONDS

    def reached_about(self, seat: int, t: float) -> bool:
        """Return whether a seat's hand was seen to reach in at a time, or a moment later."""
        reaches = (reach for reach in self.reaches if reach.seat == seat)
        return any(reach.start - _MOMENT_SECONDS <= t <= reach.last_seen for reach in reaches)

    def is_left_behind(self, held: UnderArm) -> bool:
        """Return whether every hand is away from a card that still touches an arm in the picture.

        If arms cross, the card may be in another hand than the one that it seems to touch.
        """
        reach = self.last_reach(held.seat)
        if reach is None:
            return False
        here = [other for other in self.reaches if reach.last_seen - other.last_seen < _MOMENT_SECONDS]
        return all(self._is_away(one, held.seen.place) for one in here)

    def _is_away(self, reach: ArmTrack, place: Place) -> bool:
        """Return whether a hand is away from a place.

        A card in the hand casts a shadow ahead of it, and the shadow may seem the tip.
        """
        home = self.layout.seats[reach.seat].centre
        ahead = off_the_way(home, reach.tip, place) < _UNDER_ARM_MM
        return math.dist(reach.tip, place) > (_SHADOW_AWAY_MM if ahead else _HAND_AWAY_MM)

    def hand_rests(self, seat: int) -> bool:
        """Return whether a seat's hand rests where it is."""
        reach = self.last_reach(seat)
        return reach is not None and reach.pause_seconds >= _RESTS_SECONDS

    def stops_near(
        self, place: Place, since: float, reach_mm: float = NEAR_MM
    ) -> list[tuple[Pause, ArmTrack]]:
        """Return the pauses near a place that ended after `since`."""
        return [
            (stop, reach)
            for reach in self.reaches
            for stop in reach.pauses
            if stop.end >= since and math.dist(stop.place, place) < reach_mm
        ]

    def nearest_hand(
        self, place: Place, start: float, end: float = math.inf, within: float = math.inf
    ) -> NearHand | None:
        """Return the hand that came nearest to a place between two times; None if none came near.

        If two came about equally near, the one that arrived last counts: the other passed by, or rested.
        `within`: the hand must have come so near, mm.
        """
        hands: list[tuple[float, NearHand]] = []
        for reach in self.reaches:
            way = [(t, math.dist(where, place)) for t, where in reach.path if t <= end]
            near = min((mm for t, mm in way if t >= start), default=math.inf)
            if near <= _NEAREST_HAND_MM:
                came = next(t for t, mm in way if t >= start and mm < near + _AS_NEAR_MM)
                away = [t for t, mm in way if t < came and mm >= near + _AS_NEAR_MM]
                arrived = next(t for t, _ in way if not away or t > away[-1])
                hands.append((arrived, NearHand(reach.seat, came, near)))
        nearest = min((hand.mm for _, hand in hands), default=math.inf)
        as_near = [(arrived, hand) for arrived, hand in hands if hand.mm < nearest + _AS_NEAR_MM]
        if not as_near:
            return None
        _, last = max(as_near, key=lambda one: one[0])
        rivals = frozenset({hand.seat for _, hand in as_near} - {last.seat})
        return replace(last, rivals=rivals) if last.mm <= within else None

    def first_to_draw(self, seats: Collection[int] | None, since: float) -> NearHand | None:
        """Return the hand of a seat (None: of any) that first came to the draw pile after `since`.

        A hand that was there already only points at the pile, or rests there.
        """
        visits = []
        for reach in self.reaches:
            counts = seats is None or reach.seat in seats
            for is_there, path in groupby(reach.path, lambda at: self.at_draw_pile(at[1])) if counts else ():
                t, where = next(path)
                if is_there and t > since:
                    visits.append(NearHand(reach.seat, t, math.dist(where, self.layout.draw or where)))
        return min(visits, key=lambda visit: visit.t, default=None)

    def lean(self, bodies: Mapping[Zone, frozenset[int]], t: float) -> None:
        """Note the seats whose bodies are over the piles: a head may hide the hand that acts there."""
        if bodies:
            since = t - _LEANS_SECONDS
            self._leans = [*(lean for lean in self._leans if lean[0] >= since), (t, bodies)]

    def leaned(self, pile: Zone, start: float, end: float = math.inf) -> dict[int, float]:
        """Return the seats whose bodies were over a pile between two times, each with the first such time."""
        seats: dict[int, float] = {}
        for t, bodies in self._leans:
            if start <= t <= end:
                seats = dict.fromkeys(bodies.get(pile, ()), t) | seats
        return seats

    def was_at_play_pile(self, seat: int, t: float) -> bool:
        """Return whether a seat's hand was near the play pile about a time, or its body over the pile."""
        play = self.layout.play
        leaned = seat in self.leaned(PLAY, t - _ABOUT_SECONDS, t + _ABOUT_SECONDS)
        return leaned or (play is not None and self._was_near(seat, play, t))

    def was_clear(self, place: Place, t: float) -> bool:
        """Return whether every hand was away from a place at a time, and a moment before and after it."""
        about = (tip for when, tip in self._tips() if abs(when - t) < _MOMENT_SECONDS)
        return all(math.dist(tip, place) > _HAND_AWAY_MM for tip in about)

    def _was_near(self, seat: int, place: Place, t: float) -> bool:
        """Return whether a seat's hand was near a place about a time."""
        about = (tip for when, tip in self._tips(seat) if abs(when - t) <= _ABOUT_SECONDS)
        return any(math.dist(tip, place) <= _NEAREST_HAND_MM for tip in about)

    def pauses_at_play_pile(self, reach: ArmTrack) -> list[Pause]:
        """Return where a reach paused near the play pile, and nearer to it than to the draw pile."""
        play, draw = self.layout.play, self.layout.draw
        if play is None:
            return []
        near = [stop for stop in reach.pauses if math.dist(stop.place, play) < NEAR_MM]
        return [s for s in near if draw is None or math.dist(s.place, play) < math.dist(s.place, draw)]

    def is_just_at_pile(self, hands: HandsFrame) -> bool:
        """Return whether a hand pauses at the play pile, or has just done so."""
        play = self.layout.play
        if play is None:
            return False
        stops = [stop for reach in hands.tracks for stop in reach.pauses[-2:]]
        return any(hands.t - s.end < JUST_SECONDS and math.dist(s.place, play) < NEAR_MM for s in stops)

    def tapped(self, since: float) -> int | None:
        """Return the seat whose hand lay for a moment on the place of the play pile; None if none did."""
        if self.layout.play is None:
            return None
        for stop, reach in reversed(self.stops_near(self.layout.play, since, _TAP_MM)):
            farthest = self.farthest(reach)
            on_its_way = farthest is not None and self.at_draw_pile(farthest)
            if stop.end - stop.start >= _TAP_SECONDS and not on_its_way:
                return reach.seat
        return None

    def owes_an_answer(self, seat: int | None) -> bool:
        """Return whether the last event is a card held out to a seat's player.

        If that player then lays a hand on the bare place of the pile, this picks up an empty pile. At any
        other time the hand only points or rests.
        """
        last = self.log.last
        if seat is None or last is None or last.event != "show":
            return False
        return self.player(seat) == (last.answers[-1][1] if last.answers else last.to)

    def somebody_was_at(self, place: Place, since: float) -> bool:
        """Return whether any hand came near a place after `since`."""
        return any(t > since and math.dist(tip, place) < NEAR_MM for t, tip in self._tips())

    def _tips(self, seat: int | None = None) -> Iterator[tuple[float, Place]]:
        """Yield when and where the tips of a seat's hands (None: of all hands) were seen."""
        for reach in self.reaches:
            if seat in (None, reach.seat):
                yield from reach.path

    def farthest(self, reach: ArmTrack) -> Place | None:
        """Return the place of a reach farthest from where it came in; None if its path is unknown."""
        if not reach.path:
            return None
        entry = reach.path[0][1]
        return max((place for _, place in reach.path), key=lambda place: math.dist(place, entry))

    def at_draw_pile(self, place: Place, within: float = DRAW_NEAR_MM) -> bool:
        """Return whether a hand at `place` is within so many mm of the draw pile, and nearest to it."""
        draw = self.layout.draw
        if draw is None or math.dist(place, draw) > within:
            return False
        others = (self.layout.play, self.layout.burn)
        return all(math.dist(place, draw) < math.dist(place, pile) for pile in others if pile is not None)


def off_the_way(start: Place, end: Place, place: Place) -> float:
    """Return how far (mm) a place lies from the straight line between two others."""
    along, aside, way = _from_way(start, end, place)
    return math.hypot(along - min(max(along, 0.0), way), aside)


def is_on_the_way(place: Place, start: Place, end: Place) -> bool:
    """Return whether an arm on the straight way from `start` to `end` may seem to be at a place."""
    along, aside, way = _from_way(start, end, place)
    return abs(aside) <= _PASSED_MM and -_PASSED_MM <= along <= way


def _from_way(start: Place, end: Place, place: Place) -> tuple[float, float, float]:
    """Return how far a place lies along and beside the way from `start` to `end`, and its length, mm."""
    way = math.dist(start, end)
    if way < 1.0:
        return math.dist(start, place), 0.0, 0.0
    direction = ((end[0] - start[0]) / way, (end[1] - start[1]) / way)
    return *along_and_aside(direction, start, place), way


def along_and_aside(direction: Place, start: Place, place: Place) -> tuple[float, float]:
    """Return how far `place` lies from `start` along a unit vector and beside it, mm."""
    x, y = place[0] - start[0], place[1] - start[1]
    return x * direction[0] + y * direction[1], x * direction[1] - y * direction[0]
