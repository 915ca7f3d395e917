"""Turn looks at the table and reaches of arms into events: what was done, and by which player.

Nothing here knows a rule of the game. It uses physical facts. Each card exists once. Cards do not move by
themselves. A card under a hand is unknown, not gone. The person whose arm was there did it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import dropwhile

from engine.cards import all_copies_among
from engine.events import Event
from vision.decks.card_classes import rank_of
from vision.following.burn_pile import BurnPile
from vision.following.card_locations import CardLocations
from vision.following.draws import Draws
from vision.following.joined_game import JoinedGame
from vision.following.looks import AGREEING_LOOKS, PATIENCE_LOOKS, Deal, Look
from vision.following.misplaced_pile import MisplacedPile, Put
from vision.following.patches import REACH_MM
from vision.following.pick_ups import Taking
from vision.following.pile_geometry import lie_over, nearest
from vision.following.plays import PlayPile
from vision.following.put_away import PutAway, hand_that_put
from vision.following.reported_events import ReportedEvents
from vision.following.rows import Rows
from vision.following.scene import HANDLES_MM, NEAR_MM, ON_PILE_MM, Scene
from vision.following.shows import Shown, Shows
from vision.following.up_cards import UpCards
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.questions import LOST_TRACK, format_question
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone
from vision.table.observations import MIN_NAME_P, Observation, fuse_looks
from vision.table.rows import mean_place

_QUICK, _STEADY, _SLOW = 0.13, 0.2, 0.3
"""Seconds between looks: the more urgent, the shorter."""
_PLAY_FROM_DRAW_MM = 280.0
"""The play pile is begun no farther from the draw pile than this."""
_ANSWERED_SECONDS = 5.0
"""A show of the same rank no later than this after another is an answer to it."""
_PUT_AWAY_SECONDS = 5.0
"""A card that comes to light beside the piles this soon after a show is the shown card, put away."""
_WITH_BURN_SECONDS = 2.0
"""A card that comes to light on the burn pile this soon after a burn lay hidden in the burnt pile. Nobody
shows a card so soon."""
_MOVES_DRAW_PILE_SECONDS = 6.0
"""If a draw pile was moved, its old place is seen bare within this time."""
_LATELY_SECONDS = 1.5
"""While a pile is being looked for, the table is looked at often until this long after an arm was seen."""
_FIRST_PLAY_SECONDS = 3.0
"""The first card of a game was put down no longer ago than this."""
_AT_SPOT_MM = 25.0
"""A card in a row lies this near to the middle of its spot."""
_SET = 3
"""This many cards of one rank that rest under a hand were put down: a shown card is held out alone."""


class EventMaker:
    """Follows one game from the deal on. Feed it the hands of every frame, and every look."""

    def __init__(self, deal: Deal) -> None:
        """Begin with a finished deal."""
        self._scene = Scene(deal.layout, deal.packs, deal.draws_as_played, ReportedEvents(deal.told))
        self.rows = Rows(deal.up, deal.packs, deal.confidence)
        self._burn_pile = BurnPile(self._scene)
        self._taking = Taking(self._scene, self._burn_pile)
        self._draws = Draws(self._scene, lambda *drawn: self._play.settle_by_draw(*drawn))
        self._took: ArmTrack | None = None
        """The reach that seems to have ended with the pile in the hand; the pile may yet turn out to be
        burnt."""
        self._shows = Shows(self._scene)
        self._put_away = PutAway(self._scene)
        self._misplaced = MisplacedPile(self._scene)
        self._put_face_down: list[tuple[float, Place]] = []
        """Times and places of face-down cards that hands put down lately: perhaps the moved draw pile."""
        self._last_show_at = -math.inf
        """When the last reported show happened."""
        self._under_hands: list[tuple[Look, list[Observation]]] = []
        """The latest looks and the cards that rest under hands in them, until the play pile is found."""
        self._upcards = UpCards(
            self._scene,
            self.rows,
            self._before_action,
            lambda: self.pile,
            lambda name, t: self._play.take_off_misread(name, t),
        )
        self._locations = CardLocations(
            self._scene, self.rows, self._burn_pile, self._taking, lambda: self.pile
        )
        self._play = self._play_pile(deal.t)
        self._as_it_lies: list[list[Observation]] | None = None
        """Looks at the play pile since a person placed it; None: the cards there are known."""
        up = self._upcards.by_player()
        self._deal = self.log.add("deal", deal.t, deal.now, up=up, confidence=deal.confidence)
        self._joined: JoinedGame | None = None
        """Set in a joined game until the play pile is found."""
        self._guessed_pile = False
        """Whether the play pile is believed to be where it is only because of the first cards seen there."""

    def events_of_deal(self) -> list[Event]:
        """Return the events of the deal itself; call it once, before anything is fed."""
        return self.log.take()

    def go_on(self, bare: Collection[Zone]) -> None:
        """Continue in mid-game: cards are no longer exchanged, and no card lies at `bare`."""
        self._scene.started = True
        for zone in bare:
            self.rows.spots[zone].up, self.rows.spots[zone].down = None, False

    def join(self, lying: Sequence[Observation]) -> None:
        """Join a game that is going on: cards beside the rows and the draw pile are no act.

        Call it before `events_of_deal`. The pile nearest to the draw pile is believed to be the play pile,
        until the next play or a person shows which it is.
        """
        self._scene.started = True
        self._burn_pile.know(lying)
        self._joined = JoinedGame(self._scene, self._near_draw_pile(lying))
        if pile := self._joined.likely_pile:
            self._place_pile(pile)
            self._put_below(pile)
        self._deal = self.log.mark_under_way(self._deal, tuple(self.pile))

    def put_right(self, layout: Layout, t: float) -> None:
        """Move the places to where a person says they are: the cards found there have come by no act.

        Events that were reported stay as they are.
        """
        was, self._scene.layout = self.layout, layout
        for seat, (before, now) in enumerate(zip(was.seats, layout.seats, strict=True)):
            if now is not before:
                self._upcards.put_right(seat, t)
        if layout.play != was.play:
            believed, self._play = self._play.pile, self._play_pile(t)
            self._play.pile.cards = believed.cards
            self._as_it_lies, self._joined, self._guessed_pile = [], None, False
        if layout.draw != was.draw:
            self._draws.look(t, there=True)

    def _play_pile(self, t: float) -> PlayPile:
        return PlayPile(
            self._scene, self._upcards, self._taking, self._locations.off_the_pile, self._before_action, t
        )

    @property
    def started(self) -> bool:
        """Whether anything has been played since the deal; until then cards may be exchanged."""
        return self._scene.started

    @property
    def under_way(self) -> bool:
        """Whether the game was going on when the table was first seen."""
        return self._deal.under_way

    @property
    def knows_pile(self) -> bool:
        """Whether the play pile is known: a person has shown it, or somebody has played or picked up."""
        return self.layout.play is not None and self._just_joined is None

    @property
    def _just_joined(self) -> JoinedGame | None:
        """The game that was joined, until somebody plays or picks up."""
        return self._joined if self.log.turns == 0 else None

    @property
    def log(self) -> ReportedEvents:
        """The events so far."""
        return self._scene.log

    @property
    def layout(self) -> Layout:
        """The layout as far as it is known."""
        return self._scene.layout

    @property
    def pile(self) -> list[str]:
        """The cards on the play pile, bottom first."""
        return self._play.pile.names

    def on_hands(self, hands: HandsFrame) -> list[Event]:
        """Take in the arms of one frame; return the events that they decide."""
        self._scene.by_hands = hands.by_hands
        over_draw_pile = hands.covered.get(DRAW, frozenset())
        seats = frozenset(reach.seat for reach in hands.tracks)
        alone = len(hands.tracks) == 1 and hands.bodies.get(DRAW, frozenset()) <= seats
        if DRAW in hands.covered and not over_draw_pile and alone:
            over_draw_pile = seats  # the hand, apart from its arm
        for reach in hands.tracks:
            self._scene.remember(reach)
            self._draws.watch(reach, hands.t, covered=reach.seat in over_draw_pile)
        for zone, seats in hands.covered.items():
            if zone == PLAY and self._as_it_lies is None:
                self._play.cover(seats, hands.t)
            elif zone.kind == "row":
                self._upcards.touch(zone, hands.t)
        self._scene.lean(hands.bodies, hands.t)
        self._draws.lean(hands.bodies.get(DRAW, frozenset()), hands.t)
        for reach in hands.ended:
            # Before there is a pile, a card that seems to be held out may be the first card played.
            showed = self._shows.reach_ended(reach) and self.layout.play is not None
            if self._taking.took_in_hand(reach):
                self._took = reach
            elif reach is not self._taking.taking_back:
                self._draws.reach_ended(reach, hands.t, self._taking.gathered(reach), showed=showed)
        home = {reach.seat for reach in hands.tracks if self._draws.is_home(reach, hands.t)}
        for reach in hands.tracks:
            took = self._taking.took_in_hand(reach) or reach is self._taking.taking_back
            if reach.seat in home and not took and not self._shows.active:
                self._draws.came_home(reach, hands.t, self._taking.gathered(reach))
        self._report_what_is_done(hands, home)
        return self.log.take()

    def on_look(self, look: Look) -> list[Event]:
        """Take in one look at the table; return the events that it decides."""
        look = self._locations.without_cards_in_rows(look)
        by_zone: dict[Zone | None, list[Observation]] = {}
        for card in look.cards:
            by_zone.setdefault(self.layout.zone_at(card.x, card.y), []).append(card)
        holder = partial(self._locations.holder, look.hidden)
        self._shows.look(look, holder, self._locations.lies)
        lying = tuple(under for under in look.under_arms if not self._shows.hold_across(under.seen))
        look = replace(look, under_arms=lying)
        still = [under for under in look.under_arms if not under.moving]
        at_rest = [under.seen for under in still]
        self.rows.look_under_arms(((self.layout.zone_at(c.x, c.y), c) for c in at_rest), look.t)
        for zone in self.rows.spots:
            there = by_zone.get(zone, [])
            if zone not in look.hidden and self._shows_all(zone, there, look.t):
                self._upcards.look(zone, there, look.patches.get(zone), look.t)
            if self._scene.by_hands and self._upcards.may_show_exchange(zone):
                self._look_beside_hand(zone, [*there, *at_rest], look.t)
        left = [u for u in still if self._scene.is_left_behind(u)]
        put = [u.seen for u in left if holder(u.seen, u.seat) == u.seat]
        put = self._not_held([seen for seen in put if self.layout.zone_at(seen.x, seen.y) in (None, BURN)])
        free, on_burn_pile = self._not_held(by_zone.get(None, [])), by_zone.get(BURN, [])
        if BURN in look.hidden:
            self._look_beside_piles(look, free, [*on_burn_pile, *put])
        else:
            self._look_beside_piles(look, [*free, *on_burn_pile], put)
        if BURN not in look.hidden:
            self._taking.look_at_moved_pile([*look.cards, *(u.seen for u in look.under_arms)], look.t)
        if self.layout.play is None:
            self._find_set_under_hand(look)
        elif self._as_it_lies is not None:
            if PLAY not in look.hidden:
                self._take_as_it_lies([*self._as_it_lies, by_zone.get(PLAY, [])], look.t)
        elif PLAY in look.hidden or self._is_beneath_body(look, by_zone):
            self._play.glimpse(look, by_zone.get(PLAY, []))
        else:
            self._play.look(by_zone.get(PLAY, []), look)
            self._draws.forget(self._taking.taking_back)
            self._forget_false_pile(look.t)
        if DRAW not in look.hidden and not self._scene.leaned(DRAW, look.t):
            self._look_at_draw_pile(look, there=bool(by_zone.get(DRAW)))
            self._follow_draw_pile(look.t)
        self._deal = self._upcards.corrected_deal(self._deal, look.t)
        return self.log.take()

    def _look_beside_hand(self, zone: Zone, cards: Sequence[Observation], t: float) -> None:
        """Take in a spot's cards that can be seen while a hand rests there, or comes back again and again."""
        place = self.layout.spot(zone)
        at_spot = [card for card in cards if math.dist(card.place, place) < _AT_SPOT_MM]
        if at_spot:
            # The spot's face-down card may show beside its face-up card.
            upper = min(at_spot, key=lambda card: (card.face == "down", math.dist(card.place, place)))
            self._upcards.look_beside_hand(zone, upper, t)

    def _not_held(self, cards: Sequence[Observation]) -> list[Observation]:
        """Return the cards that lie on the table, without those in a fan that somebody holds."""
        if not self._scene.by_hands:
            return list(cards)
        return [card for card in cards if not self.layout.is_at_a_player(card.place)]

    def _shows_all(self, zone: Zone, there: Sequence[Observation], t: float) -> bool:
        """Return whether no card of a spot is hidden, if only these cards are seen there."""
        if not there:
            return self._may_be_bare(zone, t)
        shows_top = self.rows.spots[zone].up is None or any(card.face == "up" for card in there)
        return shows_top or self._may_be_taken(zone)

    def _may_be_bare(self, zone: Zone, t: float) -> bool:
        """Return whether a spot where no card is seen may be bare, rather than covered.

        A sleeve that looks like the table may cover it while its owner reaches in. A head may lean over it.
        """
        if self._scene.is_reaching(zone.seat, t):
            return False
        spot = self.rows.spots[zone]
        if self._scene.by_hands and spot.up is not None and spot.down:
            return False  # no hand takes a face-up card and the one under it at once
        return self._may_be_taken(zone)

    def _may_be_taken(self, zone: Zone) -> bool:
        """Return whether a card may have been taken from a spot: only a hand takes one away."""
        touched = self.rows.spots[zone].touched
        if not self._scene.by_hands or touched is None:
            return True
        return self._scene.nearest_hand(self.layout.spot(zone), touched - 1.0, within=HANDLES_MM) is not None

    def _is_beneath_body(self, look: Look, by_zone: Mapping[Zone | None, list[Observation]]) -> bool:
        """Return whether a body hides the play pile, though it looks like the table: dark hair, a dark cloth.

        No card is read there. Since it lay free, a player has leaned over it and no hand has been near. Some
        face-up cards of that player's row are not read either.
        """
        play, since = self.layout.play, self._taking.lay_free
        seems_gone = bool(self.pile) and not by_zone.get(PLAY)
        if play is None or not seems_gone or not self._scene.by_hands:
            return False
        if self._scene.somebody_was_at(play, since):
            return False
        leaned = self._scene.leaned(PLAY, since)
        spots = ((zone, spot) for zone, spot in self.rows.spots.items() if zone.seat in leaned)
        return any(spot.up and zone not in look.hidden and not by_zone.get(zone) for zone, spot in spots)

    def _follow_draw_pile(self, now: float) -> None:
        """Move the draw pile to where a hand has just put face-down cards, if its own place is bare."""
        self._put_face_down = [put for put in self._put_face_down if now - put[0] < _MOVES_DRAW_PILE_SECONDS]
        if self._put_face_down and self._draws.all_drawn:
            _, place = self._put_face_down.pop()
            self._scene.layout = self.layout.with_pile(DRAW, place)
            self._draws.look(now, there=True)

    def _note_face_down(self, fresh: Sequence[Observation], now: float) -> None:
        """Note where a hand has put face-down cards, unless they are those of a burnt play pile."""
        burnt = self._seconds_since_burn(now) < _MOVES_DRAW_PILE_SECONDS
        lay_there = self.layout.draw is not None and now - self._draws.bare_since < _MOVES_DRAW_PILE_SECONDS
        undecided = self._play.touched is not None or self._taking.whole is not None
        if burnt or undecided or not lay_there:
            return
        for card in fresh:
            place = card.place
            burn = self.layout.burn
            on_burn_pile = burn is not None and math.dist(place, burn) < NEAR_MM
            by_hand = hand_that_put(self._scene, place, now) is not None
            if card.face == "down" and by_hand and not on_burn_pile and not self.layout.is_at_a_player(place):
                self._put_face_down.append((now, place))

    def _look_at_draw_pile(self, look: Look, *, there: bool) -> None:
        draw, picture = self.layout.draw, look.patches.get(DRAW)
        if draw is None or picture is None or lie_over(look.cards, draw):
            self._draws.look(look.t, there=there)
            return
        near = nearest(look.cards, draw, REACH_MM)
        self._draws.look(look.t, there=there, picture=picture, near=near)

    def look_interval(self, hands: HandsFrame) -> float:
        """Return after how many seconds another look may decide something; inf when nothing is open.

        Looks cost more than anything else, so they are rare when nothing is urgent.
        """
        if self._as_it_lies is not None and PLAY not in hands.covered:
            return _QUICK
        pile = self._play.look_interval(hands, _QUICK, _STEADY)
        if math.isfinite(pile):
            return pile
        if self._put_face_down and DRAW not in hands.covered:
            return _SLOW
        if self._shows.left is not None:
            return _STEADY
        if self._shows.lasts(hands.t) and hands.tracks:
            return _SLOW  # an answering hand may reach in beneath the arm that rests
        moved = self._taking.whole is not None or self._taking.moved_to is not None
        if (moved or not self.knows_pile) and hands.t - self._scene.arm_seen < _LATELY_SECONDS:
            return _STEADY
        spots = self.rows.spots
        touched = any(s.touched is not None and z not in hands.covered for z, s in spots.items())
        if self._scene.by_hands and not self._scene.started:  # a card may show beside a hand that stays
            touched = touched or not all(spot.is_seen for spot in spots.values())
        if touched or (self._draws.unseen and DRAW not in hands.covered):
            return _SLOW
        rests = [reach for reach in hands.tracks if 0.2 < reach.pause_seconds < 2.5]
        return math.inf if all(self._draws.seems_to_draw(reach) for reach in rests) else _SLOW

    def finish(self, t: float) -> list[Event]:
        """Decide what is still open at the end of the source."""
        self._play.judge(t, None, forced=True)
        self._taking.report_part(t)
        self._taking.report_whole(t)
        self._report_show(t)
        self._draws.report(t)
        self._upcards.report_at_the_end(t)
        return self.log.take()

    def lose(self, t: float) -> Event:
        """Return the question for players whose table can no longer be followed. Feed nothing after it."""
        return Event(id=0, event="unclear", t=t, decided_at=t, says=format_question(LOST_TRACK))

    def _look_beside_piles(self, look: Look, free: list[Observation], under_arms: list[Observation]) -> None:
        """Take in cards outside the rows and piles: they are burnt, shown, or the first of the game."""
        t = look.t
        fresh = self._burn_pile.look(free, t, under_arms=under_arms, burnt=look.burnt)
        self._note_face_down(fresh, t)
        if not fresh:
            return
        if self.layout.play is None and self._first_on_pile(fresh, t):
            return
        known = {name for name, _ in self._locations.lying()}
        if played := self._played_on_moved_pile(fresh, known):
            self._go_on_with_moved_pile(played, t)
            return
        if first := self._first_of_joined_game(look, fresh, known):
            self._play = self._play_pile(t)
            self._misplaced.begin(first[-1], t)
            self._begin_pile(first, self._burn_pile.looks, t)
            return
        settled = self.layout.play is not None and self._taking.whole is None
        if settled and (puts := self._misplaced.look(fresh, t, known)):
            self._put_pile_where(puts, t)
            return
        self._burn_pile.add(fresh, t)
        lie_still = self._taking.whole is None and self._taking.part is None
        if lie_still and not self._shows.is_named and t - self._last_show_at > _PUT_AWAY_SECONDS:
            beside = [card for card in fresh if self.layout.zone_at(card.x, card.y) != PLAY]
            burnt = [card for card in beside if self._was_just_burnt(card, t)]
            self._scene.burned += [str(card.best[0]) for card in burnt if card.best[1] >= MIN_NAME_P]
            beside = [card for card in beside if card not in burnt]
            self._put_away.look(beside, t, {*known, *self._play.read_under_hand(t)})
        if self._taking.whole is not None or (self._shows.active and not self._shows.holds_out(fresh)):
            self._burn_pile.place_where_put(t)
        elif t - self._last_show_at < _PUT_AWAY_SECONDS:
            self._burn_pile.place_where_put(self._last_show_at)

    def _was_just_burnt(self, card: Observation, now: float) -> bool:
        """Return whether a card that comes to light came with the pile that was just burnt."""
        burn = self.layout.burn
        on_burn_pile = burn is not None and math.dist(card.place, burn) <= ON_PILE_MM
        return on_burn_pile and self._seconds_since_burn(now) <= _WITH_BURN_SECONDS

    def _seconds_since_burn(self, now: float) -> float:
        """Return how long ago the last event was a burn; infinite if it was none."""
        last = self.log.last
        return now - last.t if last is not None and last.event == "burn" else math.inf

    def _played_on_moved_pile(
        self, fresh: Sequence[Observation], known: Collection[str]
    ) -> list[Observation]:
        """Return the cards that were put on a pile that seemed taken but was only moved."""
        undecided = self._play.touched is not None or self._taking.whole is not None
        if self.pile or undecided or self._shows.active:
            return []
        return [c for c in fresh if c.best[0] not in known and self._taking.plays_on_moved_pile(c)]

    def _first_of_joined_game(
        self, look: Look, fresh: Sequence[Observation], known: Collection[str]
    ) -> list[Observation]:
        """Return the first cards played in a joined game, if they show that the play pile is elsewhere.

        The pile that was believed to be it must still lie there: else its own cards may come to light.
        """
        joined = self._just_joined
        if joined is None or self._taking.whole is not None:
            return []
        if not any(self.layout.zone_at(card.x, card.y) == PLAY for card in look.cards):
            return []
        ups = [c for c in self._near_draw_pile(fresh) if c.best[0] not in known]
        return [c for c in ups if joined.shows_play_pile(c) and not self._shows.shown_before(c)]

    def _go_on_with_moved_pile(self, played: Sequence[Observation], now: float) -> None:
        """Move the play pile to where it was taken, and put these cards on it."""
        moved = self._taking.take_back(now)
        self._play = self._play_pile(now)
        self._play.pile.put(moved)
        self._begin_pile(played, self._burn_pile.looks, now)

    def _put_pile_where(self, puts: Sequence[Put], now: float) -> None:
        """Move the play pile to where players have put down these cards: it was believed elsewhere."""
        self._misplaced.correct_first(now)
        top = puts[-1].card
        self._scene.layout = self.layout.with_pile(PLAY, top.place)
        self._play = self._play_pile(now)
        for put in puts:
            self._play.report_earlier(put.seat, put.card, put.t, now)

    def _first_on_pile(self, fresh: Sequence[Observation], now: float) -> bool:
        """Place the play pile where the first face-up cards come to rest near the draw pile."""
        ups = [c for c in self._near_draw_pile(fresh) if not self._shows.shown_before(c)]
        if not ups:
            return False
        self._shows.lie_free(ups)
        self._misplaced.begin(ups[-1], now)
        self._begin_pile(ups, self._burn_pile.looks, now)
        return True

    def _find_set_under_hand(self, look: Look) -> None:
        """Place the play pile where a set rests under a hand in two looks, though it never lay free.

        A hand may put down four of a kind as the first play and sweep it off without leaving.
        """
        held = [u.seen for u in look.under_arms if not u.moving and self._scene.hand_rests(u.seat)]
        there = [c for c in held if self.layout.zone_at(c.x, c.y) is None]
        self._under_hands = [*self._under_hands[-1:], (look, self._near_draw_pile(there))]
        fused = fuse_looks([cards for _, cards in self._under_hands])
        both = [card.observation for card in fused if card.look_count == AGREEING_LOOKS]
        ranks = Counter(rank_of(c.best[0]) for c in both)
        rank = next((rank for rank, count in ranks.most_common(1) if count >= _SET), None)
        if rank is None:
            return
        self._begin_pile([c for c in both if rank_of(c.best[0]) == rank], [], look.t)
        for seen_before, _ in self._under_hands:
            self._play.glimpse(seen_before, [])

    def _near_draw_pile(self, cards: Sequence[Observation]) -> list[Observation]:
        """Return the face-up cards that have a name and may lie on the play pile."""
        draw = self.layout.draw or self.layout.middle
        ups = [c for c in cards if c.face == "up" and c.best[1] >= MIN_NAME_P]
        near = [c for c in ups if math.dist(c.place, draw) < _PLAY_FROM_DRAW_MM]
        return [c for c in near if not self.layout.is_at_a_player(c.place)]

    def _begin_pile(
        self, cards: Sequence[Observation], looks: Sequence[Sequence[Observation]], now: float
    ) -> None:
        """Place the play pile where these cards are, and examine the looks that showed them there."""
        place = self._place_pile(cards)
        self._guessed_pile = True
        self._burn_pile.know(cards)
        if (joined := self._just_joined) is not None:
            self._put_below(joined.below(place))
            self._report_pile_of_joined_game(now)
        on_pile = [[c for c in look if self.layout.zone_at(c.x, c.y) == PLAY] for look in looks]
        # Only looks before the first card are dropped. A later one may have overlooked it.
        on_pile = list(dropwhile(lambda look: not look, on_pile))
        bare = self._bare_looks(place, cards)
        since = max(bare, default=now - _FIRST_PLAY_SECONDS)
        self._play.begin(on_pile, self._put_down_at(place, since), now, bare)

    def _place_pile(self, cards: Sequence[Observation]) -> Place:
        """Place the play pile in the middle of these cards, and return that place (mm)."""
        place = mean_place([card.place for card in cards])
        self._scene.layout = self.layout.with_pile(PLAY, place)
        return place

    def _forget_false_pile(self, now: float) -> None:
        """Forget where the play pile seemed to begin, if no card lies there and none was played.

        Print on the table may be read as a card for a few looks.
        """
        settled = self._play.touched is None and not self.pile
        if self._guessed_pile and settled and not self._scene.started:
            self._scene.layout = replace(self.layout, play=None)
            self._play, self._guessed_pile = self._play_pile(now), False

    def _put_below(self, lying: Sequence[Observation]) -> None:
        """In a joined game, put the cards on the play pile that lay there at first."""
        view = self._play.pile.view([lying] * AGREEING_LOOKS, self._locations.off_the_pile())
        self._play.pile.put(view.new, free=True)

    def _report_pile_of_joined_game(self, now: float) -> None:
        """Add the play pile to the deal of a joined game, unless something has happened since."""
        if self._deal.under_way and self.log.is_newest(self._deal):
            self._deal = self.log.revise(self._deal, now, cards=tuple(self.pile))

    def _bare_looks(self, place: Place, cards: Sequence[Observation]) -> list[float]:
        """Return when looks showed a place bare, with no hand there, before these cards lay there."""
        without = self._burn_pile.times_without(place, cards)
        return [t for t in without if self._scene.was_clear(place, t)]

    def _put_down_at(self, place: Place, since: float) -> float:
        """Return when the hand that was there last paused nearest to a place, or was last seen.

        A player may keep an arm over the card, to draw. So the end of the reach can be too late.
        """
        hand = self._scene.nearest_hand(place, since) if self._scene.by_hands else None
        if hand is not None:
            return hand.t
        last = self._scene.last_arm(since)
        if last is None:
            return since
        near = [stop for stop in last.pauses if math.dist(stop.place, place) < NEAR_MM]
        nearest = min(near, key=lambda stop: math.dist(stop.place, place), default=None)
        return last.last_seen if nearest is None else nearest.start

    def _take_as_it_lies(self, looks: list[list[Observation]], now: float) -> None:
        """Put on the pile the cards at its corrected place, once looks agree; there may be none."""
        view = self._play.pile.view(looks[-AGREEING_LOOKS:], self._locations.off_the_pile())
        unsettled = any(looks[-AGREEING_LOOKS:]) and not view.cards and len(looks) < PATIENCE_LOOKS
        if len(looks) < AGREEING_LOOKS or unsettled:
            self._as_it_lies = looks
            return
        if view.cards:
            self._play.pile.put(view.new, free=True)
            self._scene.started = True
            self._report_pile_of_joined_game(now)
        else:
            self._play.pile.cards.clear()
        self._as_it_lies = None

    def _report_what_is_done(self, hands: HandsFrame, home: set[int]) -> None:
        """Report the events that waited for hands to leave, in the order in which they happened.

        `home`: seats whose hands have come home, though their reaches go on.
        """
        now, present = hands.t, {reach.seat for reach in hands.tracks}
        self._taking.report_when_done(now, present, pile_open=self._play.touched is not None)
        if self._took is not None and self._taking.whole is None:
            if self._taking.only_seemed_taken:
                self._draws.reach_ended(self._took, now, -math.inf)
            elif self._taking.burnt:  # after the burn the same hand may have drawn, too
                self._draws.reach_ended(self._took, now, self._taking.gathered(self._took))
            self._took = None
        self._draws.withdraw_with_play(now)
        if self._play.touched is None:
            self._report_put_away(None, now)
            if self._taking.whole is None:  # a player who burns a pile draws after that
                self._draws.report_when_done(now, present - home)
            left = self._shows.left
            looks = 0 if left is None else self._burn_pile.looks_since(left)
            if self._shows.over(now, present, looks):
                self._report_show(now)
        self._upcards.report_when_done(now, present, pile_open=self._play.touched is not None)

    def _report_show(self, now: float) -> None:
        lying = all_copies_among((name for name, _ in self._locations.lying()), self._scene.packs)
        shown = self._shows.take(lying)
        if shown is None:
            return
        put_away = self._burn_pile.places_since(shown.since) or self._burn_pile.looks_otherwise(
            shown.since, shown.t
        )
        if shown.taken_home and not put_away:
            return  # a player who takes the card home has changed their mind
        self._put_away.forget()  # it would be the same card
        self._add_show(shown, now)

    def _report_put_away(self, seat: int | None, now: float) -> None:
        """Report a show whose card came to light only afterwards; `seat` (None: nobody) acts now.

        If that card turns out to lie on the play pile, or to have been burned, it was played.
        """
        shown = self._put_away.take(seat, now)
        if shown is None:
            return
        if shown.card not in all_copies_among([*self.pile, *self._scene.burned], self._scene.packs):
            self._add_show(shown, now)

    def _add_show(self, shown: Shown, now: float) -> None:
        whole = self._taking.whole
        self._before_action(shown.seat, now, before_taking=whole is not None and whole.t > shown.t)
        self._scene.started = True
        self._scene.burned += shown.cards
        self._last_show_at = shown.t
        self._burn_pile.place_where_put(shown.t)
        player = [seat.player for seat in self.layout.seats]
        answers = tuple((player[a], player[b]) for a, b in shown.answers)
        earlier = self.log.last
        if earlier is not None and _answers(shown, player[shown.seat], earlier):
            from_row = bool(self._upcards.take_from_row(shown.cards)) or earlier.answered_from == "up"
            answers = (*earlier.answers, (player[shown.seat], player[shown.to]), *answers)
            fields = {"t": shown.t, "answers": answers, "answered_from": "up" if from_row else None}
            self.log.revise(earlier, now, **fields)
            return
        from_row = bool(self._upcards.take_from_row(shown.cards[1:]))
        self.log.add(
            "show",
            shown.t,
            now,
            player=player[shown.seat],
            cards=(shown.card,),
            to=player[shown.to],
            answers=answers,
            answered_from="up" if from_row else None,
            confidence=shown.confidence,
        )

    def _before_action(
        self,
        seat: int | None,
        now: float,
        t: float | None = None,
        *,
        took_pile: bool = False,
        before_taking: bool = False,
    ) -> None:
        """Report earlier events before what a seat (None: unknown) does now, or did at `t`.

        A draw that was not over at `t` may have come after that act, and show who acted. `took_pile`: the act
        was to take the pile. `before_taking`: the act was before the pile was taken.
        """
        if took_pile and seat is not None:
            self._draws.forget_passing(seat)
        self._report_put_away(seat, now)
        if seat is not None:
            self._shows.forget(seat)
        if not before_taking:
            self._taking.report_whole(now)
        self._taking.report_part_before(seat, now)
        self._draws.withdraw_with_play(now)
        if t is None or not self._draws.may_follow(seat, t):
            self._draws.report(now)


def _answers(shown: Shown, player: str, earlier: Event) -> bool:
    """Return whether a player answers the show just reported, with a card of the same rank."""
    just = earlier.event == "show" and shown.t - earlier.t < _ANSWERED_SECONDS
    last = earlier.answers[-1][0] if earlier.answers else earlier.player
    return just and player != last and rank_of(earlier.cards[0]) == rank_of(shown.card)
