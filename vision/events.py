"""From looks at the table and reaches of arms to events: what happened, and who did it.

Nothing here knows a rule of the game. What is used is physical: each card exists once, cards do not move by
themselves, what a hand covers is unknown and not gone, and who did a thing is whose arm was there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.events import Event, EventKind, Source
from vision.arms import Hands, Reach
from vision.events_pile import MIN_NAME, Pile, PileCard, PileView, one_set
from vision.events_record import EventLog, Look, Patch, UnderArm, same_patch
from vision.events_rows import Change, Rows
from vision.events_shows import Shows
from vision.layout import BURN, DRAW, PLAY, Layout, Place, Zone
from vision.reading import UNKNOWN_CARD
from vision.slots import Seen, vote

_QUICK, _STEADY, _SLOW = 0.13, 0.2, 0.3
"""Seconds between looks, by how much hurries."""
NEAR_MM = 110.0
"""A hand that pauses within this of a place has been there: fingertips reach past what they hold."""
_SETTLE_LOOKS = 2
_GIVE_UP_LOOKS = 4
_SURE = 0.75
_GLIMPSE_COVERED = 0.5
_GLIMPSE_SURE = 0.85
_HAND_AWAY_MM = 85.0
_MOVING_SURE = 0.95
_UNDER_HAND_SECONDS = 4.0
_LEFT_SECONDS = 0.3
_GLIMPSE_SECONDS = 0.8
_SET_SECONDS = 2.5
_DRAW_QUIET_SECONDS = 1.0
_RESOLVE_SECONDS = 0.45
_PARTIAL_SECONDS = 2.5
_DRAW_GAP_SECONDS = 0.35
_REMEMBERED_REACHES = 8
_TAP_SECONDS = 0.22
_PLAY_FROM_DRAW_MM = 280.0


@dataclass(slots=True)
class _Emptied:
    """The pile has gone; whether to a hand or to the burn pile is not known yet."""

    seat: int
    reach: Reach | None
    cards: tuple[str, ...]
    t: float


@dataclass(slots=True)
class _Drawn:
    """Cards that a player has drawn and may go on drawing."""

    seat: int
    count: int
    t: float


@dataclass(slots=True)
class _TakenUp:
    """An up-card that left its row and has not come to light elsewhere."""

    seat: int
    card: str
    t: float


class EventMaker:
    """Follows one game from the deal on. Feed it every frame's hands and every look."""

    def __init__(
        self,
        layout: Layout,
        up: Sequence[Sequence[str]],
        t: float,
        now: float,
        *,
        confidence: float = 1.0,
        hand_cards: int = 3,
    ) -> None:
        self.layout = layout
        self.log = EventLog()
        self.pile = Pile()
        self.rows = Rows(layout, up)
        self.hand_sizes = [hand_cards] * len(layout.seats)
        self.burned: list[str] = []
        self._shows = Shows()
        self._reaches: list[Reach] = []
        self._looks: list[list[Seen]] = []
        self._glimpses: list[list[Seen]] = []
        self._under_hand: list[tuple[float, Seen]] = []
        self._pile_touched: float | None = None
        self._visits: dict[int, int] = {}
        self._settled_at = t
        self._heap: list[Seen] = []
        self._heap_looks: list[list[Seen]] = []
        self._grown: list[tuple[float, Seen]] = []
        self._emptied: _Emptied | None = None
        self._partial: tuple[int, tuple[str, ...], float] | None = None
        self._drawn: _Drawn | None = None
        self._taken_up: list[_TakenUp] = []
        self._exchanging: dict[int, float] = {}
        self._started = False
        self._last_play: Event | None = None
        self._as_left: Patch | None = None
        self._bare: Patch | None = None
        self._draw_looks: list[bool] = []
        self._out: set[int] = set()
        self._deal = self.log.add("deal", t, now, up=self._up_by_player(), confidence=confidence)

    # -- what comes in -----------------------------------------------------------------------------

    def on_hands(self, hands: Hands) -> list[Event]:
        """Take in one frame's arms; returns the events decided by it."""
        for reach in hands.reaches:
            if reach not in self._reaches:
                self._reaches = [*self._reaches[-_REMEMBERED_REACHES + 1 :], reach]
        for zone, seats in hands.covered.items():
            if zone == PLAY:
                self._pile_covered(seats, hands.t)
            elif zone.kind == "row":
                self.rows.touch(zone, hands.t)
        for reach in hands.ended:
            self._reach_ended(reach, hands.t)
        self._advance(hands)
        return self.log.take()

    def on_look(self, look: Look) -> list[Event]:
        """Take in one look at the table; returns the events decided by it."""
        by_zone: dict[Zone | None, list[Seen]] = {}
        for card in look.cards:
            by_zone.setdefault(self.layout.zone_at(card.x, card.y), []).append(card)
        self._shows.look(look, self._not_in_hand, self._reaches)
        for zone in self.rows.spots:
            if zone not in look.hidden:
                change = self.rows.look(zone, by_zone.get(zone, []))
                if change:
                    self._row_changed(change, look.t)
        self._look_at_heap([*by_zone.get(None, []), *by_zone.get(BURN, [])], look)
        if PLAY not in look.hidden and self.layout.play is not None:
            self._looks.append(by_zone.get(PLAY, []))
            self._judge_pile(look.t, look.pile_patch)
        elif self.layout.play is not None:
            self._glimpse_pile(look, by_zone.get(PLAY, []))
        if DRAW not in look.hidden:
            self._draw_looks = [*self._draw_looks[-4:], bool(by_zone.get(DRAW))]
        self._correct_deal(look.t)
        return self.log.take()

    def look_interval(self, hands: Hands) -> float:
        """Return after how many seconds another look may decide something; inf when nothing is open.

        Looks cost most of all that is done: where nothing hurries they are made rarely.
        """
        if self._pile_touched is not None and PLAY not in hands.covered:
            return _QUICK if len(self._looks) <= _SETTLE_LOOKS else _STEADY
        if any(self._just_at_pile(reach, hands.t) for reach in hands.reaches):
            return _STEADY
        if self._emptied is not None or self.layout.play is None:
            recent = bool(self._reaches) and hands.t - self._reaches[-1].last < 1.5
            return _STEADY if recent else math.inf
        open_rows = (z for z, s in self.rows.spots.items() if s.touched is not None)
        if any(zone not in hands.covered for zone in open_rows):
            return _SLOW
        resting = [reach for reach in hands.reaches if 0.2 < reach.resting < 2.5]
        return _SLOW if any(not self._at_draw_pile(reach.tip) for reach in resting) else math.inf

    def _at_draw_pile(self, place: Place) -> bool:
        draw, play = self.layout.draw, self.layout.play
        if draw is None or math.dist(place, draw) > NEAR_MM * 0.75:
            return False
        return play is None or math.dist(place, draw) < math.dist(place, play)

    def _just_at_pile(self, reach: Reach, t: float) -> bool:
        """Tell whether a hand paused at the pile until a moment ago, and may have left something there."""
        play = self.layout.play
        return play is not None and any(
            t - stop.end < _GLIMPSE_SECONDS and math.dist(stop.place, play) < NEAR_MM
            for stop in reach.stops[-2:]
        )

    def finish(self, t: float) -> list[Event]:
        """Decide what is still open at the end of the source."""
        if self._pile_touched is not None and self._looks:
            self._judge_pile(t, None, forced=True)
        self._resolve_emptied(t)
        self._flush_show(t)
        self._flush_draw(t)
        self._flush_taken_up(t)
        return self.log.take()

    # -- the play pile -----------------------------------------------------------------------------

    def _pile_covered(self, seats: frozenset[int], t: float) -> None:
        if self._pile_touched is not None and self._looks:
            # A hand comes back before the pile was seen well: what was seen must do.
            self._judge_pile(t, None, forced=True)
        self._looks.clear()
        self._pile_touched = t
        for seat in seats:
            self._visits[seat] = self._visits.get(seat, 0) + 1

    def _glimpse_pile(self, look: Look, free: list[Seen]) -> None:
        """Take in what shows of the pile beside a hand: a card just put down, surely read twice."""
        part = [held for held in look.under_arms if not held.moving and self._left_behind(held)]
        at = self.layout.zone_at
        cards = free + [held.seen for held in part if at(held.seen.x, held.seen.y) == PLAY]
        self._glimpses = [*self._glimpses[-1:], cards]
        self._note_under_hand(look)
        if len(self._glimpses) < _SETTLE_LOOKS:
            return
        view = self.pile.view(self._glimpses, self._elsewhere())
        if view.new and view.confidence >= _GLIMPSE_SURE:
            self._played(view, look.t, None)

    def _left_behind(self, held: UnderArm) -> bool:
        """Tell whether a hand has left, or is leaving, a card that still hangs together with the arm."""
        reach = next((r for r in reversed(self._reaches) if r.seat == held.seat), None)
        away = reach is not None and math.dist(reach.tip, (held.seen.x, held.seen.y)) > _HAND_AWAY_MM
        return away or held.covered < _GLIMPSE_COVERED

    def _note_under_hand(self, look: Look) -> None:
        """Remember cards read on the pile beside or under a hand: they may go with it unseen."""
        for held in look.under_arms:
            name, p = held.seen.best
            if name is None or p < MIN_NAME or held.seen.face != "up" or (held.moving and p < _MOVING_SURE):
                continue
            if self.layout.zone_at(held.seen.x, held.seen.y) == PLAY:
                self._under_hand = [*self._under_hand[-20:], (look.t, held.seen)]

    def _judge_pile(self, now: float, patch: Patch | None, *, forced: bool = False) -> None:
        if self._pile_touched is None:
            self._looks = self._looks[-_GIVE_UP_LOOKS:]
            self._find_overlooked(now)
            return
        looks = len(self._looks)
        if looks < _SETTLE_LOOKS and not forced:
            return
        view = self.pile.view(self._looks, self._elsewhere())
        patient = not forced and looks < _GIVE_UP_LOOKS + 1
        if view.new:
            if view.confidence >= _SURE or not patient:
                self._played(view, now, patch)
        elif view.cards == 0 and not self.pile.cards and self._seen_under_hand(now):
            self._settle_passed_through(now, patch)
        elif self.pile.cards and view.cards == 0:
            if same_patch(patch, self._as_left) and not forced:
                self._pile_settled(now, patch)  # the reader overlooks what plainly still lies there
            elif looks >= _SETTLE_LOOKS and (not patient or self._looks_bare(patch)):
                self._gone(now, patch)
        elif self._top_missing(view) and looks >= _SETTLE_LOOKS + 1 and not same_patch(patch, self._as_left):
            self._top_taken(view, now, patch)
        elif not patient or same_patch(patch, self._as_left):
            self._nothing_new(now, patch)

    def _looks_bare(self, patch: Patch | None) -> bool:
        """Tell whether the pile's place looks as it did without cards, as far as that is known."""
        return patch is None or self._bare is None or same_patch(patch, self._bare)

    def _find_overlooked(self, now: float) -> None:
        """Add to the last play a card of its set that only later looks show; no hand was there since."""
        last = self._last_play
        if last is None or self.log.last is not last or len(self._looks) < _SETTLE_LOOKS:
            return
        view = self.pile.view(self._looks, self._elsewhere())
        missed = [card for card in view.new if card[0][:-1] == last.cards[-1][:-1] and card[1] >= _SURE]
        if missed:
            self.pile.put(missed)
            names = tuple(name for name, _, _ in missed)
            self._last_play = self.log.revise(last, now, cards=last.cards + names)
            self._count_hand(self._seat_of(last.player), -len(names))

    def _seat_of(self, player: str | None) -> int | None:
        return next((i for i, seat in enumerate(self.layout.seats) if seat.player == player), None)

    def _pile_settled(self, now: float, patch: Patch | None) -> None:
        self._pile_touched, self._settled_at = None, now
        self._visits.clear()
        self._glimpses.clear()
        self._as_left = patch
        if patch is not None and not self.pile.cards:
            self._bare = patch

    def _played(self, view: PileView, now: float, patch: Patch | None) -> None:
        new = self._not_overlooked(view.new)
        if not new:
            self._pile_settled(now, patch)
            return
        place = new[-1][2]
        seat = self._who((place.x, place.y))
        t = self._pile_touched if self._pile_touched is not None else now
        self._before_action(seat, now)
        names = tuple(name for name, _, _ in new)
        source = self._source_of(names, seat)
        self._shows.forget(seat)
        self.pile.put(new)
        self._started = True
        last = self._last_play
        kind: EventKind = "flip" if source == "down" else "play"
        player = None if seat is None else self.layout.seats[seat].player
        if (
            last is not None
            and self.log.last is last
            and last.player == player
            and t - last.t < _SET_SECONDS
            and {name[:-1] for name in (*last.cards, *names)} == {names[0][:-1]}
        ):
            joined = source if last.source == source else "hand+up"
            changes = {"t": t, "cards": last.cards + names, "source": joined}
            self._last_play = self.log.revise(last, now, **changes)
        else:
            self._last_play = self.log.add(
                kind, t, now, player=player, cards=names, source=source, confidence=min(p for _, p, _ in new)
            )
        self._count_hand(seat, -len(names) if source in ("hand", "hand+up") else 0)
        if UNKNOWN_CARD in names:
            says = f"{player or 'Somebody'} played a card that cannot be read. Which card is it?"
            self.log.add("unclear", t, now, player=player, says=says)
        self._pile_settled(now, patch)

    def _not_overlooked(self, new: Sequence[tuple[str, float, Seen]]) -> list[tuple[str, float, Seen]]:
        """Return what is really new: cards that seemed gone and are there again were overlooked."""
        missed: tuple[str, ...] = ()
        if self._emptied is not None and {name for name, _, _ in new} & set(self._emptied.cards):
            missed, self._emptied = self._emptied.cards, None
            self.pile.cards = []
        elif self._partial is not None and {name for name, _, _ in new} & set(self._partial[1]):
            missed, self._partial = self._partial[1], None
        places = {name: seen for name, _, seen in new}
        self.pile.cards += [PileCard(name, places.get(name)) for name in missed]
        return [card for card in new if card[0] not in missed]

    def _source_of(self, names: Sequence[str], seat: int | None) -> Source:
        """Tell where played cards came from, and note that they are no longer there."""
        from_row = 0
        for name in names:
            zone = self.rows.owner(name)
            taken = next((held for held in self._taken_up if held.card == name), None)
            if zone is not None:
                self.rows.spots[zone].up = None
                from_row += 1
            elif taken is not None:
                self._taken_up.remove(taken)
                from_row += 1
        if from_row == len(names):
            return "up"
        if from_row:
            return "hand+up"
        if seat is not None and not self.rows.up_of(seat) and self._paused_at_row(seat):
            return "down"
        return "hand"

    def _paused_at_row(self, seat: int) -> bool:
        """Tell whether the seat's last reach paused over its own row, where a down-card lies."""
        reach = next((r for r in reversed(self._reaches) if r.seat == seat), None)
        row = self.layout.seats[seat].row
        spots = [place for k, place in enumerate(row) if self.rows.spots[Zone("row", seat, k)].down]
        return reach is not None and any(
            math.dist(stop.place, place) < NEAR_MM * 0.7 for stop in reach.stops for place in spots
        )

    def _seen_under_hand(self, now: float) -> list[tuple[str, float, Seen]]:
        """Return cards that were read twice, once surely, on the pile under a hand but never free."""
        known = set(self.pile.names) | self._elsewhere()
        recent = [seen for t, seen in self._under_hand if now - t < _UNDER_HAND_SECONDS]
        cards = []
        for name in {str(seen.best[0]) for seen in recent} - known:
            seen = [card for card in recent if card.best[0] == name]
            surest = max(seen, key=lambda card: card.best[1])
            if len(seen) >= _SETTLE_LOOKS and surest.best[1] >= _GLIMPSE_SURE:
                cards.append((name, surest.best[1], surest))
        return cards

    def _settle_passed_through(self, now: float, patch: Patch | None) -> None:
        """Judge cards that rested on the empty pile under a hand and are gone with it.

        If the hand went on to the burn pile they were played and burnt; else they were never let go.
        """
        seat = self._who(self.layout.play)
        reach = next((r for r in reversed(self._reaches) if r.seat == seat), None)
        if seat is None or reach is None:
            self._pile_settled(now, patch)
        elif self._went_on_to_burn_pile(_Emptied(seat, reach, (), self._settled_at)):
            self._gone(now, patch)
        elif now - reach.last > _LEFT_SECONDS:
            self._pile_settled(now, patch)

    def _gone(self, now: float, patch: Patch | None) -> None:
        """Note that the pile was taken away."""
        unseen = self._seen_under_hand(now)
        if unseen:
            hidden = {name for name, _, _ in unseen}
            self._pile_touched = min(t for t, seen in self._under_hand if seen.best[0] in hidden)
            self._played(PileView(tuple(one_set(unseen)), (), len(unseen), 2), now, None)
        seat = self._who(self.layout.play)
        names = tuple(self.pile.names)
        if self._partial is not None and self._partial[0] == seat:
            names += self._partial[1]
        self._partial = None
        self._before_action(seat, now)
        if seat is not None:
            reach = next((r for r in reversed(self._reaches) if r.seat == seat), None)
            self._emptied = _Emptied(seat, reach, names, now)
        self.pile.cards.clear()
        self._pile_settled(now, patch)

    def _resolve_emptied(self, now: float) -> None:
        """Decide where the pile went: to the burn pile if that grew or the hand went on to it."""
        gone, self._emptied = self._emptied, None
        if gone is None:
            return
        player = self.layout.seats[gone.seat].player
        self._shows.forget(gone.seat)
        t = gone.reach.last if gone.reach else gone.t
        self._started = True
        if self._went_on_to_burn_pile(gone):
            self.burned += gone.cards
            self._place_burn_pile(gone)
            self.log.add("burn", min(t, now), now, player=player, cards=gone.cards, confidence=0.95)
        else:
            self.log.add("pick_up", min(t, now), now, player=player, cards=gone.cards, confidence=0.95)
            self._count_hand(gone.seat, len(gone.cards))

    def _place_burn_pile(self, gone: _Emptied) -> None:
        """Note where the burn pile is: where cards came to lie when the first pile was burnt."""
        cards = [(c.x, c.y) for t, c in self._grown if t >= gone.t - 2.0]
        if self.layout.burn is None and cards:
            x, y = (sum(v) / len(cards) for v in zip(*cards, strict=True))
            self.layout = self.layout.with_pile(BURN, (x, y))

    def _went_on_to_burn_pile(self, gone: _Emptied) -> bool:
        """Tell whether the hand that took the pile went on to the burn pile, or to where cards then lie."""
        play = self.layout.play
        if any(card.best[0] in gone.cards for t, card in self._grown if t >= gone.t - 2.0):
            return True
        if play is None or gone.reach is None:
            return False
        left_play = [s.start for s in gone.reach.stops if math.dist(s.place, play) < NEAR_MM]
        since = left_play[0] if left_play else gone.reach.start
        after = [s.place for s in gone.reach.stops if s.start > since]
        passed = [place for t, place in gone.reach.path if t > since]
        grown = [(c.x, c.y) for t, c in self._grown if t >= gone.t - 2.0]
        burn = [] if self.layout.burn is None else [self.layout.burn]
        return any(
            math.dist(place, goal) < min(NEAR_MM, math.dist(place, play))
            for goals, places in ((burn + grown, after), (grown, passed))
            for goal in goals
            for place in places
        )

    def _top_missing(self, view: PileView) -> bool:
        return bool(self.pile.cards) and view.cards > 0 and self.pile.cards[-1].name not in view.old

    def _top_taken(self, view: PileView, now: float, patch: Patch | None) -> None:
        """Note that upper cards are gone: the first half of a pick-up in two goes, or a taking back."""
        names = self.pile.names
        keep = max((names.index(name) + 1 for name in view.old if name in names), default=0)
        if keep:
            seat = self._who(self.layout.play)
            if seat is not None:
                self._partial = seat, tuple(names[keep:]), now
                del self.pile.cards[keep:]
        self._pile_settled(now, patch)

    def _nothing_new(self, now: float, patch: Patch | None) -> None:
        tapped = self._tapped()
        self.pile.place_again(self._looks)
        if tapped is not None and not self.pile.cards and self._started and self._emptied is None:
            self._before_action(tapped, now)
            player = self.layout.seats[tapped].player
            t = self._pile_touched if self._pile_touched is not None else now
            self.log.add("pick_up", t, now, player=player, cards=(), confidence=0.6)
        self._pile_settled(now, patch)

    def _tapped(self) -> int | None:
        """Return whose hand lay on the (empty) pile's place for a moment since it was last settled."""
        play = self.layout.play
        for reach in reversed(self._reaches):
            for stop in reach.stops:
                near = play is not None and math.dist(stop.place, play) < NEAR_MM * 0.6
                if near and stop.start > self._settled_at - 0.3 and stop.end - stop.start >= _TAP_SECONDS:
                    return reach.seat
        return None

    # -- burnt and shown cards ---------------------------------------------------------------------

    def _look_at_heap(self, cards: list[Seen], look: Look) -> None:
        """Take in cards that lie in no row and on no pile: the burn pile, or the first card of the game."""
        self._heap_looks = [*self._heap_looks[-2:], cards]
        settled = [s.seen for s in vote(self._heap_looks) if s.looks >= _SETTLE_LOOKS]
        fresh = [c for c in settled if not any(c.is_at(known, 10.0, 10.0) for known in self._heap)]
        if not fresh:
            return
        if self.layout.play is None and self._first_on_pile(fresh):
            return
        self._heap = [*self._heap, *fresh][-120:]
        near = [c for c in fresh if self._somebody_was_at((c.x, c.y))]
        if near:
            self._grown = [*self._grown[-20:], *((look.t, card) for card in near)]
            if self.layout.burn is None and (self._emptied or self._shows.active):
                x, y = (sum(v) / len(near) for v in zip(*((c.x, c.y) for c in near), strict=True))
                self.layout = self.layout.with_pile(BURN, (x, y))

    def _first_on_pile(self, fresh: Sequence[Seen]) -> bool:
        """Put the play pile where the first face-up cards come to rest near the draw pile."""
        draw = self.layout.draw or self.layout.middle
        ups = [
            c
            for c in fresh
            if c.face == "up" and math.dist((c.x, c.y), draw) < _PLAY_FROM_DRAW_MM and c.best[0]
        ]
        ups = [c for c in ups if not self._shows.shown_before(c)]
        if not ups:
            return False
        x, y = (sum(v) / len(ups) for v in zip(*((c.x, c.y) for c in ups), strict=True))
        self.layout = self.layout.with_pile(PLAY, (x, y))
        self._pile_touched = max((r.last for r in self._reaches), default=self._settled_at)
        zone = self.layout.zone_at
        self._looks = [[c for c in look if zone(c.x, c.y) == PLAY] for look in self._heap_looks[-2:]]
        self._judge_pile(self._pile_touched, None)
        return True

    def _somebody_was_at(self, place: Place) -> bool:
        return any(
            math.dist(where, place) < NEAR_MM
            for reach in self._reaches
            for t, where in reach.path
            if t > self._settled_at - 3.0
        )

    def _flush_show(self, now: float) -> None:
        shown = self._shows.take(self.layout, self._lying())
        if shown is None:
            return
        self._before_action(shown.seat, now)
        seats = self.layout.seats
        self.log.add(
            "show",
            shown.t,
            now,
            player=seats[shown.seat].player,
            cards=(shown.card,),
            to=seats[shown.to].player,
            answers=tuple((seats[a].player, seats[b].player) for a, b in shown.answers),
            confidence=shown.confidence,
        )
        self._started = True
        self.burned += shown.cards
        for seat in (shown.seat, *(a for a, _ in shown.answers)):
            self._count_hand(seat, -1)

    # -- rows --------------------------------------------------------------------------------------

    def _row_changed(self, change: Change, now: float) -> None:
        seat = change.zone.seat
        if change.before is not None and change.before not in self.pile.names:
            self._taken_up.append(_TakenUp(seat, change.before, change.t))
        if not self._started:
            self._exchanging[seat] = change.t
        elif change.down_gone and not (self._last_play and self._last_play.event == "flip"):
            self._before_action(seat, now)
            player = self.layout.seats[seat].player
            self.log.add("take_down", change.t, now, player=player, count=1, confidence=0.8)
            self._count_hand(seat, 1)

    def _flush_exchange(self, seat: int, now: float) -> None:
        t = self._exchanging.get(seat)
        row = [spot for zone, spot in self.rows.spots.items() if zone.seat == seat]
        if t is None or any(spot.up is None or spot.touched is not None for spot in row):
            return
        del self._exchanging[seat]
        self._taken_up = [held for held in self._taken_up if held.seat != seat]
        player = self.layout.seats[seat].player
        now_up = tuple(self.rows.up_of(seat))
        changed = len(set(now_up) - set(self._deal.up.get(player, ())))
        if changed:
            self.log.add(
                "exchange", t, now, player=player, up={player: now_up}, count=changed, confidence=0.95
            )

    def _flush_taken_up(self, now: float) -> None:
        for seat in {held.seat for held in self._taken_up}:
            cards = tuple(held.card for held in self._taken_up if held.seat == seat)
            t = max(held.t for held in self._taken_up if held.seat == seat)
            player = self.layout.seats[seat].player
            self._taken_up = [held for held in self._taken_up if held.seat != seat]
            self._before_action(seat, now)
            self.log.add("take_up", t, now, player=player, cards=cards, confidence=0.9)
            self._count_hand(seat, len(cards))

    def _correct_deal(self, now: float) -> None:
        renamed = self.rows.better_names()
        if renamed and not self._started and not self._exchanging and self.log.last is self._deal:
            self._deal = self.log.revise(self._deal, now, up=self._up_by_player())

    # -- reaches, and what waits for them ----------------------------------------------------------

    def _reach_ended(self, reach: Reach, now: float) -> None:
        self._shows.reach_ended(reach)
        draws = self._draws_in(reach)
        if draws:
            if self._drawn is not None and self._drawn.seat != reach.seat:
                self._flush_draw(now)
            count = draws + (self._drawn.count if self._drawn else 0)
            self._drawn = _Drawn(reach.seat, count, reach.last)

    def _draws_in(self, reach: Reach) -> int:
        """Return how often a reach went to the draw pile and paused there."""
        if len(self._draw_looks) >= 4 and not any(self._draw_looks):
            return 0
        count, last = 0, -math.inf
        for stop in reach.stops:
            if self._at_draw_pile(stop.place):
                count += stop.start - last > _DRAW_GAP_SECONDS
                last = stop.end
        if not count and reach.path:
            # Too quick to be a pause: but that is as far as the hand went.
            entry = reach.path[0][1]
            count = int(
                self._at_draw_pile(max((p for _, p in reach.path), key=lambda p: math.dist(p, entry)))
            )
        return count

    def _advance(self, hands: Hands) -> None:
        """Decide what has waited long enough."""
        now = hands.t
        present = {reach.seat for reach in hands.reaches}
        for seat in list(self._exchanging):
            if seat not in present:
                self._flush_exchange(seat, now)
        if self._emptied and self._emptied.seat not in present:
            last = self._emptied.reach.last if self._emptied.reach else self._emptied.t
            if now - max(last, self._emptied.t) > _RESOLVE_SECONDS:
                self._resolve_emptied(now)
        if self._partial and now - self._partial[2] > _PARTIAL_SECONDS and self._partial[0] not in present:
            self._part_taken(now)
        if self._pile_touched is None:
            if self._drawn and self._drawn.seat not in present and now - self._drawn.t > _DRAW_QUIET_SECONDS:
                self._flush_draw(now)
            if self._shows.over(now, present):
                self._flush_show(now)
            if (
                self._started
                and self._taken_up
                and all(h.seat not in present and now - h.t > 1.0 for h in self._taken_up)
            ):
                self._flush_taken_up(now)

    def _part_taken(self, now: float) -> None:
        """Say what became of upper cards that left alone: taken back by who played them, or picked up."""
        assert self._partial is not None
        (seat, cards, t), self._partial = self._partial, None
        player = self.layout.seats[seat].player
        last = self._last_play
        if last is not None and last.player == player and last.cards == cards and self.log.last is last:
            self._last_play = None
            self.log.revise(last, now, withdrawn=True)
        else:
            self.log.add("pick_up", t, now, player=player, cards=cards, count=len(cards), confidence=0.6)
        self._count_hand(seat, len(cards))

    def _before_action(self, seat: int | None, now: float) -> None:
        """Let what happened earlier be reported earlier."""
        if self._emptied is not None:
            self._resolve_emptied(now)
        if self._partial is not None and self._partial[0] != seat:
            self._part_taken(now)
        if self._drawn is not None:
            self._flush_draw(now)

    def _flush_draw(self, now: float) -> None:
        drawn, self._drawn = self._drawn, None
        if drawn is None:
            return
        player = self.layout.seats[drawn.seat].player
        self.log.add("draw", drawn.t, now, player=player, count=drawn.count, confidence=0.9)
        self._count_hand(drawn.seat, drawn.count)

    # -- what is known -----------------------------------------------------------------------------

    def _who(self, place: Place | None) -> int | None:
        """Return whose arm was at `place` since the pile was last settled: the last to pause there."""
        recent = [r for r in self._reaches if r.last >= self._settled_at - 0.5]
        paused = [
            (stop.end, reach.seat)
            for reach in recent
            for stop in reach.stops
            if place is not None
            and stop.end >= self._settled_at - 0.5
            and math.dist(stop.place, place) < NEAR_MM
        ]
        if paused:
            return max(paused)[1]
        if self._visits:
            return max(self._visits, key=lambda seat: self._visits[seat])
        return recent[-1].seat if recent else None

    def _not_in_hand(self, card: Seen) -> bool:
        """Tell whether a card under an arm lies on the pile, or is one that is known to lie just there."""
        name = card.best[0]
        if any(other.best[0] == name and other.is_at(card, 30.0, 20.0) for other in self._heap):
            return True
        zone = self.layout.zone_at(card.x, card.y)
        return zone == PLAY or (name is not None and zone is not None and self._lying().get(name) == zone)

    def _lying(self) -> dict[str, Zone]:
        """Return which cards are known to lie in which zone."""
        lying = dict.fromkeys(self.burned, BURN)
        lying |= dict.fromkeys([*self.pile.names, *(self._emptied.cards if self._emptied else ())], PLAY)
        return lying | {spot.up: zone for zone, spot in self.rows.spots.items() if spot.up}

    def _elsewhere(self) -> set[str]:
        """Return the cards that cannot be on the play pile: in an untouched row, or burnt."""
        return self.rows.undisturbed() | set(self.burned)

    def _count_hand(self, seat: int | None, change: int) -> None:
        if seat is None:
            return
        self.hand_sizes[seat] = max(0, self.hand_sizes[seat] + change)
        empty = not self.hand_sizes[seat] and not self.rows.up_of(seat) and not self.rows.down_of(seat)
        if empty and seat not in self._out and self.log.last is not None:
            self._out.add(seat)
            last = self.log.last
            player = self.layout.seats[seat].player
            self.log.add("out", last.t, last.decided_at, player=player, confidence=0.8)

    def _up_by_player(self) -> dict[str, tuple[str, ...]]:
        return {seat.player: tuple(self.rows.up_of(i)) for i, seat in enumerate(self.layout.seats)}
