"""Draws: trips to the draw pile, counted, and reported once the player has finished."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile

from engine.events import Event
from vision.following.draw_paths import DRAGGED_MM, DrawWays
from vision.following.draw_visits import PAUSE_SECONDS, REMEMBERED, STUCK_MM, DrawPilePictures, DrawVisit
from vision.following.looks import BARE_LOOKS
from vision.following.patches import REACH_MM, Patch
from vision.following.reported_events import PutDown
from vision.following.scene import HANDLES_MM, NEAR_MM, Scene
from vision.hands.tracks import ArmTrack
from vision.table.layout import DRAW

BeforeDraw = Callable[[str | None, int, float], None]
"""Called with the player, the number of cards and the time, just before a draw is reported."""

_GAP_SECONDS = 0.35
"""Pauses at the draw pile closer in time than this are one."""
_DRAW_SECONDS = 0.7
"""A hand that draws rests at the draw pile for so long at most."""
_UNSEEN_PLAY_SECONDS = 2.0
"""How long to wait for the play of a hand that seems to have put nothing down: it may still come to light."""
_MEANWHILE_SECONDS = 1.5
"""The draw pile's picture cannot separate draws of two players that are closer in time than this."""
_AFTER_PLAY_SECONDS = 1.0
"""A draw that nobody saw most likely came this long after the play. In films, the median from the end of a
play to the middle of the draw is 0.8 seconds (760 draws)."""
_FINISHED_SECONDS = 0.55
"""A hand that has been gone this long has most likely finished drawing ..."""
_AGAIN_SECONDS = 6.0
"""... but a hand that comes back within this time continues its draw, if nothing else has happened."""
_AT_ONCE_SECONDS = 0.1
"""A card that a hand puts down lies free as soon as the hand leaves."""
_HOME_SECONDS = 0.4
"""A hand that has been at its player's place, or at the row, for so long has come home."""
_LEFT_SECONDS = 0.3
"""A body that has not been over the draw pile for this long has left it."""
_BLIND_SECONDS = 0.4
"""If no frame is given for longer, the table was lost from sight."""
_STUCK_SECONDS = 0.3
"""A tip that has stayed where it is for this long is stuck, or seems to be."""
_SHORT_MM = 60.0
"""A hand that takes a card pauses on its player's side of the pile's middle, no farther from it."""
_FAR_SHORT_MM = 85.0
"""The tip of an arm over the pile may seem this far short of it, if the hand is only partly seen."""
_TOSS_SECONDS = 0.2
"""A hand that tosses a card stays where it did so. It may be seen to stay only this long after the toss."""
_SOON_SECONDS, _STAYS_SECONDS, _STAYS_MM = 4.0, 0.5, 120.0
"""An arm may draw if it comes over the pile this soon after its player's card was put down, and stays this
long. Meanwhile its tip must seem no farther from the pile than the third number."""


@dataclass(slots=True)
class _Drawn:
    """Cards that a player has drawn. More may follow."""

    seat: int
    count: int
    """The number by the hand's movements: 0 if it was over the draw pile but did not seem to take a card."""
    firm: int
    """How many of them are certain: the hand came only for them, or paused exactly where hands take cards."""
    start: float
    t: float
    doubtful: int = 0
    """How many of them are doubtful: only the hand shows them, or only the picture."""
    pictured: bool = False
    """Whether only the draw pile's picture shows the draw."""
    stays: list[tuple[float, float]] = field(default_factory=list)
    """For each reach, the first and the last moment at the draw pile, if the fingers are tracked."""
    longest_stay: float = 0.0
    """For how many seconds at most the hand stayed there, if its fingers are tracked."""
    number: int | None = None
    """The number of the reach that drew the latest of them; None if only the picture shows the draw."""
    beside: bool = False
    """Whether the hand was only beside the draw pile, so that a picture must show the draw."""
    put_down_there: bool = False
    """Whether the hand may have paused only to put a card down, beside or before the draw pile."""

    @property
    def nothing_showed(self) -> bool:
        """Whether every one of them is doubtful."""
        return self.doubtful >= self.count


class Draws:
    """Counts the cards that each player takes from the draw pile."""

    def __init__(self, scene: Scene, before_draw: BeforeDraw) -> None:
        self._scene, self._before_draw = scene, before_draw
        self._drawn: _Drawn | None = None
        self._earlier: list[_Drawn] = []
        """Draws of hands that others joined at the draw pile before it was known who had played."""
        self._reported: tuple[Event, _Drawn] | None = None
        self._pile_showed: list[bool] = []
        self.bare_since = math.inf
        """Since when looks have shown no draw pile; inf if the last one showed it."""
        self._visits: deque[DrawVisit] = deque(maxlen=REMEMBERED)
        self._empty: dict[int, bool] = {}
        """Whether the draw pile was seen to be empty when a reach began, by the reach's number."""
        self._hidden_times: list[tuple[int | None, DrawVisit]] = []
        """The seats whose bodies were over the draw pile, and when; oldest first. None: nothing was seen."""
        self._fed = math.inf
        """The time of the latest frame."""
        self._resumed = -math.inf
        """When the table was last found again."""
        self._counted: dict[int, float] = {}
        """The times until which the draws of reaches that go on have been counted."""
        self._pictures = DrawPilePictures(self._visits)
        self._ways = DrawWays(scene)

    @property
    def _last_drawn(self) -> float:
        """The time of the latest reported draw."""
        return -math.inf if self._reported is None else self._reported[1].t

    @property
    def all_drawn(self) -> bool:
        """Whether no recent look has shown the draw pile."""
        return len(self._pile_showed) >= BARE_LOOKS and not any(self._pile_showed)

    @property
    def unseen(self) -> bool:
        """Whether the draw pile has not been seen since somebody was there."""
        return self._pictures.is_stale

    def seems_to_draw(self, reach: ArmTrack) -> bool:
        """Return whether a hand rests at the draw pile, but no longer than drawing takes.

        A hand that rests longer may hold a card out over the pile.
        """
        soon = reach.pause_seconds < _DRAW_SECONDS and not self.all_drawn
        return soon and self._scene.at_draw_pile(reach.tip)

    def watch(self, reach: ArmTrack, t: float, *, covered: bool) -> None:
        """Note in each frame whether a reach's arm is over the draw pile.

        After an arm has put a card down, its tip seems to be at that card until the card is known to lie
        there. If the arm comes over the draw pile in the meantime, the hand is there.
        """
        self._empty.setdefault(reach.number, self.all_drawn)
        visit = next((v for v in reversed(self._visits) if v.reach == reach.number), None)
        if visit is not None and visit.open:
            visit.open, visit.end = covered, t
            if covered:
                visit.follow(reach.tip, at_pile=self._ways.is_at_pile(reach.seat, reach.tip, DRAGGED_MM))
        elif covered:
            before = [place for when, place in reach.path if t - when <= _STUCK_SECONDS]
            stuck = t - reach.start > _STUCK_SECONDS and not self._ways.is_at_pile(reach.seat, reach.tip)
            stuck &= all(math.dist(place, reach.tip) < STUCK_MM for place in before)
            self._visits.append(DrawVisit(reach.number, t, t, reach.tip, stuck))

    def is_home(self, reach: ArmTrack, now: float) -> bool:
        """Return whether a hand with tracked fingers has come home, though its reach goes on.

        Many people go on moving their hands there. Their draws are known all the same.
        """
        if not self._scene.by_hands or reach.start > now - _HOME_SECONDS:
            return False
        seat = self._scene.layout.seats[reach.seat]
        lately = [*takewhile(lambda at: now - at[0] <= _HOME_SECONDS, reversed(reach.path))]
        return bool(lately) and all(
            seat.is_on_player_side(place) or seat.is_at_row(place) for _, place in lately
        )

    def came_home(self, reach: ArmTrack, now: float, since: float) -> None:
        """Count the draws of a reach that goes on at home."""
        self.reach_ended(reach, now, since)
        self._counted[reach.number] = now

    def lean(self, seats: Collection[int], t: float) -> None:
        """Note in each frame the seats whose bodies are over the draw pile: a head may hide a hand.

        After a knock nothing is seen for a while. Then any player may have drawn.
        """
        if self._scene.by_hands and t - self._fed > _BLIND_SECONDS:
            lately = (visit.start for visit in self._visits if visit.end > self._fed - _LEFT_SECONDS)
            self._hidden(None, min(lately, default=self._fed), math.nextafter(t, self._fed))
            self._resumed = t
        self._fed = t
        for seat in seats:
            visit = next((v for s, v in reversed(self._hidden_times) if s == seat), None)
            if visit is None or (t - visit.end > _LEFT_SECONDS and self._pictures.seen_since(visit.end)):
                self._hidden(seat, t, t)
            else:
                visit.end = t

    def _hidden(self, seat: int | None, start: float, end: float) -> None:
        """Note that a seat (None: any) may have drawn unseen between these times."""
        visit = DrawVisit(-1 if seat is None else -2 - seat, start, end, (0.0, 0.0), stuck=False, open=False)
        self._visits.append(visit)
        self._hidden_times.append((seat, visit))

    def _report_hidden(self, now: float, present: Collection[int]) -> None:
        """Report draws that nobody saw: a player still had to draw, and the draw pile has changed.

        Wait while a hand of that player is `present`, because it may be drawing. Report nothing if an earlier
        draw explains the change.
        """
        log, waits = self._scene.log, []
        for seat, visit in self._hidden_times:
            quiet = now - visit.end
            seen = self._pictures.seen_since(visit.end) and quiet > _FINISHED_SECONDS
            if not seen and quiet <= _UNSEEN_PLAY_SECONDS:
                waits.append((seat, visit))
                continue
            if self._drawn is not None:
                continue
            show_taking = partial(
                self._pictures.show_taking, visit.start, visit.end, self._last_drawn, surely=True
            )
            if not show_taking():
                continue
            who = self._due_since(visit) if seat is None else self._hand_hidden_at_pile(visit, seat)
            if who in present:
                waits.append((seat, visit))
                continue
            was_told = visit.start <= self._last_drawn <= visit.end
            if who is None or was_told:
                continue
            drawn = _Drawn(who, 1, 0, visit.start, visit.end, pictured=True)
            due = self._due(who) or self._play_of_who_draws(drawn, now)
            if due is None or due.t > visit.end:
                continue
            glimpsed = visit.end == visit.start  # within one frame nobody takes a card
            if not self._owed(drawn, due) and (glimpsed or not show_taking(plainly=True)):
                continue
            drawn.t = min(visit.end, max(visit.start, due.t + _AFTER_PLAY_SECONDS))
            drawn.count = max(1, self._owed(drawn, due))
            if not log.is_past(due, drawn.t):
                self._drawn = drawn
                self.report(now)
        self._hidden_times = waits

    def _due_since(self, visit: DrawVisit) -> int | None:
        """Return the only seat that had to draw by the end of a visit; None if none or several had."""
        return _only(self._dues_by(visit.end))

    def _dues_by(self, t: float) -> dict[int, PutDown]:
        """Return the seats that had to draw by a time, and for what."""
        dues = ((seat, self._due(seat)) for seat in range(len(self._scene.layout.seats)))
        return {seat: due for seat, due in dues if due is not None and due.t <= t}

    def _hand_hidden_at_pile(self, visit: DrawVisit, seat: int) -> int:
        """Return the seat that had to draw and whose hand was at the pile while the body of `seat` hid it.

        It was lost from sight there, or its arm was over the pile. Return `seat` if there was no such hand,
        or several were. A head hides other players' hands, too.
        """
        scene = self._scene
        ends = [(reach.seat, *reach.path[-1]) for reach in scene.reaches if reach.path]
        lost = {who for who, t, at in ends if visit.start <= t <= visit.end and scene.at_draw_pile(at)}
        there = (lost | self._over_pile(visit.start, visit.end)) & self._dues_by(visit.end).keys()
        return min(there) if len(there) == 1 else seat

    def _over_pile(self, start: float, end: float) -> set[int]:
        """Return the seats whose arms were over the draw pile between two times."""
        seats = {reach.number: reach.seat for reach in self._scene.reaches}
        meanwhile = (visit.reach for visit in self._visits if visit.start < end and start < visit.end)
        return {seats[number] for number in meanwhile if number in seats}

    def look(self, t: float, *, there: bool, picture: Patch | None = None, near: float = REACH_MM) -> None:
        """Note whether one look, free of arms, showed the draw pile, and its picture.

        `near`: the distance of the nearest face-up card from the pile's middle (mm), at most `REACH_MM`.
        """
        self._pile_showed = [*self._pile_showed[-BARE_LOOKS:], there]
        self.bare_since = math.inf if there else min(t, self.bare_since)
        self._pictures.look(t, picture, near)

    def reach_ended(
        self, reach: ArmTrack, now: float, since: float = -math.inf, *, showed: bool = False
    ) -> None:
        """Count the draws of a reach that is over.

        `since`: until then the arm had another task, even if it was over the draw pile. `showed`: it held a
        card out. An arm that does so may lie over the draw pile all the while.
        """
        since = max(since, self._counted.pop(reach.number, -math.inf))
        was_there = [] if showed else [visit for visit in self._visits if visit.reach == reach.number]
        seemed_empty, there = self._empty.pop(reach.number, False), self._pile_showed[-1:] == [True]
        if self._scene.layout.draw is None or (seemed_empty and not there):
            return
        visits = [visit for visit in was_there if visit.start >= since]
        if self._scene.by_hands:
            self._fingers_were_there(reach, visits, now, since)
            return
        count, firm = self._count(reach, visits, max(since, self._came_to_play_at(reach)))
        put_down_there = count == 1 and self._paused_only_to_put_down(reach)
        if count and not firm:
            firm = int(self._went_only_there(reach))
        if not count and not showed:
            count = int(self._is_faint(reach, visits))
        if not count and not was_there:
            return
        self._report_of_another(reach.seat, now)
        if count and self._drawn is not None and self._drawn.count and self._ways.was_lost_at_pile(reach):
            count, firm = count - 1, min(firm, count - 1)
        self._add(reach, count, firm, put_down_there=put_down_there)

    def _fingers_were_there(
        self, reach: ArmTrack, visits: Sequence[DrawVisit], now: float, since: float
    ) -> None:
        """Count the draws of a hand with tracked fingers after a time; `visits` are its arm's to the pile.

        The hand of a player who still has to draw may also have been beside the pile. It may lay its arm over
        the pile only to put its card down beyond it. Then the pile looks unchanged.
        """
        due, stay = self._due(reach.seat) is not None, self._ways.stay(reach, since)
        at_pile = self._ways.was_at_pile(reach, since)
        if not at_pile and due and self._ways.may_have_been_at_pile(reach, visits, since):
            at_pile = self._pictures.show_taking(*stay) is not False
        if at_pile or (due and self._ways.was_at_pile(reach, since, NEAR_MM)):
            self._report_of_another(reach.seat, now)
            count = self._ways.stays(reach, since)
            longest = self._ways.longest_stay(reach, since)
            self._add(reach, count, count, stay=stay, longest_stay=longest, beside=not at_pile)

    def _report_of_another(self, seat: int, now: float) -> None:
        """Report another seat's draws before this seat's draws are counted, if it is known what for."""
        if self._drawn is None or self._drawn.seat == seat:
            return
        known = self._due(self._drawn.seat) is not None or self._goes_on(self._drawn)
        if self._scene.by_hands and not known:
            self._earlier.append(self._drawn)
            self._drawn = None
        else:
            self.report(now)

    def _due(self, seat: int) -> PutDown | None:
        """Return the cards that a seat's player has put down and not drawn for."""
        return self._scene.log.put_down_by(self._scene.player(seat))

    def _add(
        self,
        reach: ArmTrack,
        count: int,
        firm: int,
        *,
        stay: tuple[float, float] | None = None,
        longest_stay: float = 0.0,
        put_down_there: bool = False,
        beside: bool = False,
    ) -> None:
        """Add the draws of a reach to its seat's draws that are not reported yet."""
        if self._drawn is None:
            self._drawn = _Drawn(
                reach.seat, count, firm, reach.start, reach.last_seen, number=reach.number, beside=beside
            )
            self._drawn.put_down_there = put_down_there
        else:
            self._drawn.count += count
            self._drawn.firm += firm
            self._drawn.t, self._drawn.number = reach.last_seen, reach.number
            self._drawn.put_down_there &= not count
            self._drawn.beside &= beside
        if stay is not None:
            self._drawn.stays.append(stay)
        self._drawn.longest_stay = max(self._drawn.longest_stay, longest_stay)

    def forget(self, reach: ArmTrack | None) -> None:
        """Note that a reach took a card back from the play pile, and drew none."""
        drawn = self._drawn
        if reach is not None and drawn is not None and drawn.number == reach.number:
            self._drawn = None

    def forget_passing(self, seat: int) -> None:
        """Note that the play pile went with a seat's last reach: past the draw pile it only carried cards."""
        if self._due(seat) is None:
            self.forget(self._scene.last_reach(seat))

    def _count(self, reach: ArmTrack, visits: Sequence[DrawVisit], since: float) -> tuple[int, int]:
        """Return how often a reach went to the draw pile after `since`, and how often it surely took one."""
        over = [(visit.start, visit.end, False) for visit in visits if visit.counts]
        stops = [
            (s.start, s.end, self._ways.is_where_cards_are_taken(reach.seat, s.place, _SHORT_MM))
            for s in reach.pauses
            if s.start >= since and self._ways.is_at_pile(reach.seat, s.place)
        ]
        pauses: list[bool] = []
        last = -math.inf
        for start, end, surely in sorted([*stops, *over]):
            if start - last > _GAP_SECONDS:
                pauses.append(False)
            pauses[-1] |= surely
            last = max(last, end)
        # A trip too quick for a pause counts as well, if the draw pile is its farthest point.
        quick = sum(
            any(
                piece[0][0] >= since
                and not any(start <= piece[-1][0] and piece[0][0] <= end for start, end, _ in [*stops, *over])
                and self._ways.turns_there(reach, piece)
                for piece in trip
            )
            for trip in self._ways.trips(reach, visits)
        )
        return len(pauses) + quick, sum(pauses)

    def _came_to_play_at(self, reach: ArmTrack) -> float:
        """Return when a reach came to the play pile with what its player has to draw for; -inf: it did not.

        Nobody draws before that: the hand only passed the draw pile, however slowly.
        """
        due = self._due(reach.seat)
        if due is None or due.t < reach.start:
            return -math.inf
        came = (stop.start for stop in self._scene.pauses_at_play_pile(reach))
        return max((t for t in came if t <= due.t), default=-math.inf)

    def _went_only_there(self, reach: ArmTrack) -> bool:
        """Return whether a hand came after its player's play, and paused only at its own side of the pile."""
        put_down = self._due(reach.seat)
        came_after = put_down is not None and reach.start >= put_down.t and bool(reach.pauses)
        return came_after and all(self._ways.is_at_pile(reach.seat, stop.place, 0.0) for stop in reach.pauses)

    def _paused_only_to_put_down(self, reach: ArmTrack) -> bool:
        """Return whether a hand paused once, and its player's card was put down as that pause ended."""
        put_down = self._due(reach.seat)
        if put_down is None or len(reach.pauses) != 1:
            return False
        return reach.pauses[0].start < put_down.t <= reach.pauses[0].end + _AT_ONCE_SECONDS

    def _is_faint(self, reach: ArmTrack, visits: Sequence[DrawVisit]) -> bool:
        """Return whether a player who has to draw may have drawn, though the arm's tip was not at the pile.

        There are four signs. The arm came over the draw pile from a pause elsewhere, and stayed. On its way
        home the hand went back to the pile. A further reach paused on its own side of the pile. A further
        reach stayed on the way to the pile while something was over the pile: the hand itself may not be
        seen.
        """
        put_down = self._due(reach.seat)
        if put_down is None:
            return False
        if reach.start < put_down.t and self._ways.goes_back(reach):
            return True
        soon = [
            visit for visit in visits if put_down.t <= visit.end and visit.start <= put_down.t + _SOON_SECONDS
        ]
        if reach.start >= put_down.t and self._was_hidden_at_pile(reach, soon):
            return True
        return any(
            self._stayed_over_pile(reach, visit)
            if reach.start < put_down.t
            else self._paused_short_of_pile(reach, visit)
            for visit in soon
        )

    def _stayed_over_pile(self, reach: ArmTrack, visit: DrawVisit) -> bool:
        """Return whether an arm came over the draw pile after a pause elsewhere, and stayed there."""
        draw = self._ways.pile
        before = [stop.place for stop in reach.pauses if stop.end <= visit.start]
        came = any(self._ways.is_elsewhere(reach.seat, place) for place in before)
        near = all(math.dist(stop.place, draw) < _STAYS_MM for stop in visit.meanwhile(reach))
        return came and near and visit.end - visit.start >= _STAYS_SECONDS

    def _was_hidden_at_pile(self, reach: ArmTrack, visits: Sequence[DrawVisit]) -> bool:
        """Return whether something was over the draw pile while the seen part of the arm led to it."""
        if not visits or visits[-1].end - visits[0].start < PAUSE_SECONDS:
            return False
        return self._ways.leads_to_pile(reach, visits[0].start, visits[-1].end)

    def _paused_short_of_pile(self, reach: ArmTrack, visit: DrawVisit) -> bool:
        return visit.end - visit.start >= PAUSE_SECONDS and any(
            self._ways.is_where_cards_are_taken(reach.seat, stop.place, _FAR_SHORT_MM)
            for stop in visit.meanwhile(reach)
        )

    def report_when_done(self, now: float, present: Collection[int]) -> None:
        """Report the draw once the player's hand has not come back for a while."""
        self._report_hidden(now, present)
        drawn = self._drawn or next(iter(self._earlier), None)
        if drawn is None or drawn.seat in present:
            return
        # The play before the draw may not be known yet, because the hand was over the pile until now.
        unseen = self._due(drawn.seat) is None and self._scene.by_hands and not self._only_confirms(drawn)
        quiet = now - max(drawn.t, self._resumed)
        if quiet > (_UNSEEN_PLAY_SECONDS if unseen else _FINISHED_SECONDS):
            self.report(now)

    def withdraw_with_play(self, now: float) -> None:
        """Withdraw a draw that nothing showed if its player has taken back the play that it was for."""
        if self._reported is None:
            return
        log, (event, drawn) = self._scene.log, self._reported
        play = log.last_play_of(event.player)
        if play is None or not play.withdrawn:
            return
        if drawn.nothing_showed and log.since(play) == [log.latest(event)]:
            log.revise(event, now, withdrawn=True)
            self._reported = None

    def _only_confirms(self, drawn: _Drawn) -> bool:
        """Return whether a draw only shows cards that were reported already, because they were needed."""
        before = self._reported
        return before is not None and self._goes_on(drawn) and drawn.count <= before[1].doubtful

    def may_follow(self, seat: int | None, t: float) -> bool:
        """Return whether a draw waits to be reported that may be for what a seat (None: unknown) did at `t`.

        Its reach went on after `t`, and it is that seat's, or nobody knows yet what it is for. The seat's own
        draw that is for nothing else counts anyway: `t` may be too late by what hid the pile.
        """
        drawn = self._drawn
        if drawn is None:
            return False
        for_nothing_yet = self._due(drawn.seat) is None
        if drawn.seat == seat:
            return for_nothing_yet or drawn.t > t
        return for_nothing_yet and self._scene.by_hands and drawn.t > t

    def report(self, now: float) -> None:
        """Report the draws that wait, first those of players who had to draw: the others may be theirs."""
        waiting = self._earlier if self._drawn is None else [*self._earlier, self._drawn]
        self._earlier, self._drawn = [], None
        for drawn in sorted(waiting, key=lambda drawn: self._due(drawn.seat) is None):
            self._report_one(drawn, now)

    def _report_one(self, drawn: _Drawn, now: float) -> None:
        log, player = self._scene.log, self._scene.player(drawn.seat)
        due = self._due(drawn.seat)
        if due is not None and self._was_before(drawn, due):
            return
        if due is None and self._scene.by_hands and self._may_have_drawn(drawn):
            owing = self._who_owes(drawn)
            if owing is None:
                owing = self._whose_doubtful(drawn)
            if owing is None:
                due = self._play_of_who_draws(drawn, now)
            if owing is None and due is None and self._was_drawn_beneath(drawn):
                owing = self._only_one_who_owes(drawn.t)
            if owing is not None:
                drawn.seat, player = owing, self._scene.player(owing)
                due = self._due(owing)
        if not drawn.pictured:
            self._weigh(drawn, due)
        if not drawn.count:
            return
        if due is not None:  # the arm that put the cards down may have been over the draw pile already
            drawn.t = max(drawn.t, due.t)
        if self._goes_on(drawn):
            assert self._reported is not None
            event, before = self._reported
            too_many = max(0, drawn.count - (0 if due is None else due.count))
            none = min(too_many, before.doubtful)
            drawn.count += before.count - none
            drawn.doubtful += before.doubtful - none
            self._before_draw(player, drawn.count, now)
            told = log.revise(event, now, t=drawn.t, count=drawn.count)
        else:
            self._before_draw(player, drawn.count, now)
            told = log.add("draw", drawn.t, now, player=player, count=drawn.count, confidence=0.9)
        self._reported = told, drawn

    def _was_before(self, drawn: _Drawn, due: PutDown) -> bool:
        """Return whether a hand left the draw pile before the card came for which it seems to have drawn."""
        without, _ = self._scene.card_came
        last, left = self._scene.log.last, max((end for _, end in drawn.stays), default=math.inf)
        return left <= without and last is not None and last.t == due.t

    def _may_have_drawn(self, drawn: _Drawn) -> bool:
        """Return whether the draw pile may look different since a hand with tracked fingers was there."""
        return any(self._pictures.show_taking(*stay) is not False for stay in drawn.stays)

    def _was_drawn_beneath(self, drawn: _Drawn) -> bool:
        """Return whether the draw pile looks different since a hand stayed there for longer than it takes.

        Such a hand points, or rests.
        """
        rests = drawn.longest_stay > _DRAW_SECONDS
        return rests and any(self._pictures.show_taking(*stay) for stay in drawn.stays)

    def _who_owes(self, drawn: _Drawn) -> int | None:
        """Return the seat that still had to draw and whose arm was over the draw pile, too; None: not one.

        A hand that owes no card may point at the pile, or rest there.
        """
        over = set[int]().union(*(self._over_pile(*stay) for stay in drawn.stays)) - {drawn.seat}
        return _only([seat for seat in over if self._due(seat) is not None])

    def _only_one_who_owes(self, by: float) -> int | None:
        """Return the only seat that needs cards for what it put down by a time; None if not just one."""
        return _only([seat for seat, due in self._dues_by(by).items() if self._needed(seat, due)])

    def _whose_doubtful(self, drawn: _Drawn) -> int | None:
        """Return the seat of the last draw if this one is a doubtful part of it; else None.

        Its player leaned over the draw pile now, and the one whose hand this seems to be did not.
        """
        if self._reported is None or not self._reported[1].doubtful:
            return None
        seat = self._reported[1].seat
        leaned = set[int]().union(*(self._scene.leaned(DRAW, *stay) for stay in drawn.stays))
        return seat if seat in leaned and drawn.seat not in leaned else None

    def _play_of_who_draws(self, drawn: _Drawn, now: float) -> PutDown | None:
        """Give the last play to the player who draws, if another hand was only nearer; return that play.

        Players draw for the cards that they have put down. So the player who seems to have played must not
        have drawn, and the player who draws must have been at the play pile. Whoever was seen to take the
        card into the hand has played it. If nobody was seen to play, the draw alone decides.
        """
        log, player = self._scene.log, self._scene.player(drawn.seat)
        last = log.last
        if last is None or last.event != "play" or last.player == player or last.t is None:
            return None
        if last.source != "hand" or not 0.0 <= drawn.t - last.t < _SOON_SECONDS:
            return None
        if last.player is not None:
            if self._scene.player_held_card:
                return None
            put_down = log.put_down_by(last.player)
            surely = self._scene.player_in_doubt and any(
                self._pictures.show_taking(*stay, plainly=True) for stay in drawn.stays
            )
            at_pile = surely or self._scene.was_at_play_pile(drawn.seat, last.t)
            if put_down is None or put_down.t != last.t or not at_pile:
                return None
            without, first = self._scene.card_came
            if any(start <= without and first <= end for start, end in drawn.stays):
                return None  # the hand was at the draw pile while the card was put down
            if max((end for _, end in drawn.stays), default=drawn.t) <= last.t:
                return None  # it was there before
        log.revise(last, now, player=player)
        return log.put_down_by(player)

    def _weigh(self, drawn: _Drawn, due: PutDown | None) -> None:
        """Correct the number of cards that a hand seems to have drawn, by pictures of the draw pile."""
        pictures = self._pictures
        gone = self._pile_showed[-1:] == [False]
        if self._scene.by_hands:
            owed = 0 if due is None else self._owed(drawn, due)
            needless = not owed and (due is not None or not self._scene.started)
            taken = [pictures.show_taking(*stay, plainly=needless) for stay in drawn.stays]
            least = 0 if drawn.beside and not any(taken) else owed
            none_taken = bool(taken) and all(took is False for took in taken)
            told = due is None and self._was_told_meanwhile(drawn)
            tossed = due is not None and self._tossed_from_there(drawn, due)
            if told or (none_taken and (pictures.show_absence or tossed)):
                drawn.count = 0
            else:  # a card less may not show on a very neat pile
                seen = min(max(least, drawn.count), sum(took is True for took in taken))
                drawn.count = max(least, seen)
                drawn.doubtful = drawn.count - seen
            if due is not None and drawn.count:
                pictures.learn(drawn.start, drawn.t)
            return
        untouched = pictures.is_as_before(drawn.start, drawn.t)
        times = pictures.times_changed(drawn.start, self._last_drawn)
        if due is None or (untouched and self._scene.log.is_past(due)):
            # The player has no card to draw: nothing was put down, or not since others played. So only plain
            # signs of a draw count.
            drawn.count = 0 if untouched else max(drawn.firm, min(drawn.count, times))
            return
        not_shown = untouched and pictures.show_draws
        surely = untouched and pictures.is_as_before(drawn.start, drawn.t, surely=True)
        by_hand = 0 if surely and not drawn.firm else drawn.count
        if drawn.put_down_there and pictures.hardly_show_draw(drawn.start, drawn.t):
            by_hand = 0
        if pictures.show_draws and times:  # more than owed are believed only if hand and pictures agree
            by_hand = min(by_hand, max(due.count, drawn.firm, times))
        if gone and by_hand:  # fewer may have been left than were owed
            times = min(times, by_hand)
        drawn.count = max(by_hand, min(due.count, times))
        drawn.doubtful = drawn.count if not_shown else drawn.count - by_hand
        if drawn.firm:
            pictures.learn(drawn.start, drawn.t)

    def _tossed_from_there(self, drawn: _Drawn, due: PutDown) -> bool:
        """Return whether a hand stayed at the draw pile as it tossed its card, and not at the play pile."""
        play = self._scene.layout.play
        if play is None or not drawn.stays:
            return False
        start, end = drawn.stays[-1]
        if not start - _TOSS_SECONDS <= due.t <= end:
            return False
        reach = next((r for r in self._scene.reaches if r.number == drawn.number), None)
        return reach is not None and all(math.dist(at, play) > HANDLES_MM for _, at in reach.path)

    def _owed(self, drawn: _Drawn, due: PutDown) -> int:
        """Return how many cards a player needs for what was put down.

        If the pile is empty now, fewer may have been left, but the hand took the last one.
        """
        needed = self._needed(drawn.seat, due)
        return min(needed, max(1, drawn.count)) if self._pile_showed[-1:] == [False] else needed

    def _needed(self, seat: int, due: PutDown) -> int:
        """Return how many cards a player needs for what was put down, if there are enough."""
        player, log = self._scene.player(seat), self._scene.log
        return max(0, due.count - (0 if self._scene.draws_as_played else log.spare_cards(player, due.t)))

    def _was_told_meanwhile(self, drawn: _Drawn) -> bool:
        """Return whether an earlier reported draw may have caused this change of the picture."""
        if self._reported is None:
            return False
        last = self._reported[1]
        if last.seat == drawn.seat:
            return any(start <= last.t for start, _ in drawn.stays)
        return abs(drawn.t - last.t) < _MEANWHILE_SECONDS

    def _goes_on(self, drawn: _Drawn) -> bool:
        """Return whether a draw continues the one just reported: nothing else has happened since."""
        if self._reported is None:
            return False
        event, before = self._reported
        soon = drawn.start - before.t < _AGAIN_SECONDS
        return soon and before.seat == drawn.seat and self._scene.log.is_newest(event)


def _only(seats: Collection[int]) -> int | None:
    """Return the seat if it is just one; else None."""
    return next(iter(seats)) if len(seats) == 1 else None
