"""Finds where a play pile went: into a hand, or to the burn pile."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from engine.events import PUTS_ON_PILE, Event
from vision.following.burn_pile import BurnPile
from vision.following.certainty import CERTAIN
from vision.following.looks import AGREEING_LOOKS, BARE_LOOKS
from vision.following.scene import HANDLES_MM, NEAR_MM, ON_PILE_MM, NearHand, Scene, off_the_way
from vision.following.sets import NewCard
from vision.hands.tracks import ArmTrack
from vision.table.layout import Place
from vision.table.observations import Observation

_RESOLVE_SECONDS, _UNSEEN_SECONDS = 0.45, 1.0
"""It is reported where a pile went so long after the hand has gone. Looks that agree show what it left beside
the pile; after the second time there may be none."""
_PARTIAL_SECONDS = 2.5
"""Upper cards left alone if the rest was not taken within this time."""
_AT_BURN_PILE_MM, _DETOUR_MM = 60.0, 100.0
"""A hand went to the burn pile if it came this near (mm). The burn pile must lie farther than the second
distance from the hand's straight way home."""
_COMES_TO_LIGHT_SECONDS = 3.0
"""A body that hid the burn pile has left this soon after the burn."""
_LETS_GO_SECONDS = 0.4
"""A hand lets go of what it carried this soon after it has come to the burn pile."""


@dataclass(slots=True)
class Taken:
    """Cards that were taken off the pile."""

    seat: int
    reach: ArmTrack | None
    cards: tuple[str, ...]
    t: float
    played: Event | None = None
    """The play of exactly these cards by that seat, if it was the last event."""
    put: Event | None = None
    """That seat's play of some of these cards, if they were only read under its hand as it took the pile."""
    surely: bool = False
    """Whether a picture shows that they have gone."""
    shown: float = math.inf
    """When they were last seen on the pile."""
    aside_at: float | None = None
    """When a hand was seen to put them beside the piles; None if none was."""
    by_body: bool = False
    """Whether no hand was seen at the pile, only the body of that seat."""


class Taking:
    """Holds cards taken off the pile until it is clear what was done with them."""

    def __init__(self, scene: Scene, burn_pile: BurnPile) -> None:
        self._scene, self._burn_pile = scene, burn_pile
        self.lay_free = -math.inf
        """When cards were last seen on the pile with no arm over it."""
        self.whole: Taken | None = None
        """The whole pile, until it is known whether it went to a hand or to the burn pile."""
        self._last: Taken | None = None
        """The whole pile as it was last taken, also after this was reported."""
        self.part: Taken | None = None
        """Upper cards: the first half of a pick-up in two goes, or a play taken back."""
        self._picked_up: tuple[Event, Taken, float] | None = None
        """The latest pick-up, its cards, and when it was reported: the pile may yet turn out to be burnt."""
        self.burnt = False
        """Whether the pile that was last taken was reported as burnt."""
        self.only_seemed_taken = False
        """Whether the pile that seemed taken was only overlooked."""
        self._bare_looks = 0
        """How many of the latest looks show nothing where the pile may have been moved to."""
        self._reported: tuple[Event, Taken, Place | None] | None = None
        """The reported event about the pile last taken, its cards, and the burn pile's place before."""

    def overlooked(self, seen: Collection[str], now: float) -> tuple[str, ...]:
        """Return the cards that only seemed taken, because some of them are `seen` on the pile again.

        If a pick-up was reported although no hand was seen there, withdraw it: a body only hid the cards.
        """
        if self.whole is not None and set(seen) & set(self.whole.cards):
            cards, self.whole, self.only_seemed_taken = self.whole.cards, None, True
            return cards
        if self.part is not None and not self.part.surely and set(seen) & set(self.part.cards):
            cards, self.part = self.part.cards, None
            return cards
        if self._reported is not None:
            event, taken, _ = self._reported
            newest = event.event == "pick_up" and self._scene.log.is_newest(event)
            if taken.by_body and newest and set(seen) & set(taken.cards):
                self._reported = self._picked_up = None
                self._scene.log.revise(event, now, withdrawn=True)
                return taken.cards
        return ()

    def hand_that_put_aside(self, cards: Collection[str], shown: float) -> NearHand | None:
        """Return the hand that put cards beside the piles since they were last `shown`; None if none did."""
        if not self._scene.by_hands:
            return None
        places = self._burn_pile.places_since(shown, cards, sure=True)
        hands = (self._scene.nearest_hand(place, shown, within=HANDLES_MM) for place in places)
        return min(filter(None, hands), key=lambda hand: hand.mm, default=None)

    def took_whole(
        self,
        seat: int,
        cards: tuple[str, ...],
        now: float,
        shown: float,
        hand: NearHand | None,
        *,
        aside: bool,
    ) -> None:
        """Note that a seat took the whole pile, or the rest of it after a first go.

        `shown`: when it was last seen. `hand`: that seat's hand at the pile. With `aside`, it is the hand
        that put the cards beside the piles.
        """
        if self.may_take_the_rest(seat):
            cards += self._first_go()
        at = math.inf if hand is None else hand.t
        self.whole = self._last = self._taken(seat, cards, now, at)
        self.burnt = self.only_seemed_taken = False
        self.whole.shown = shown
        self.whole.by_body = self._scene.by_hands and (hand is None or math.isinf(hand.mm))
        if aside:
            self.whole.aside_at = at

    def gathered(self, reach: ArmTrack) -> float:
        """Return until when a reach was busy with the pile last taken; -inf if another reach took it.

        Cards that are lifted meanwhile, and touch the arm in the picture, may come over the draw pile. The
        arm that carries them to the burn pile may come over it, too. These are no draws.
        """
        taken = self._last
        if taken is None or taken.reach is not reach or self._scene.layout.play is None:
            return -math.inf
        pauses = self._scene.pauses_at_play_pile(reach)
        at_play = [stop.end for stop in pauses if stop.start <= taken.t]
        if self.burnt or self.went_on_to_burn_pile(taken):
            burning = self._burning(taken)
            seen = self._burn_pile.seen_at(taken.t, taken.cards)
            at_play.append(seen if burning is None else min(burning[0] + _LETS_GO_SECONDS, burning[1]))
        return max(at_play, default=-math.inf)

    def took_part(self, seat: int, cards: tuple[str, ...], now: float, *, surely: bool) -> None:
        """Note that a seat took the upper cards; `surely`: a picture shows that they have gone."""
        self.report_part_before(seat, now)
        self.part = self._taken(seat, cards + self._first_go(), now)
        self.part.surely = surely

    def _first_go(self) -> tuple[str, ...]:
        """Return and forget the upper cards that the seat which takes more of the pile took before."""
        part, self.part = self.part, None
        return () if part is None else part.cards

    def _taken(self, seat: int, cards: tuple[str, ...], now: float, at: float = math.inf) -> Taken:
        player = self._scene.player(seat)
        last = self._last_act(player)
        own = last is not None and last.event in PUTS_ON_PILE and last.player == player
        reach = self._scene.last_reach(seat, at)
        if last is None or not own:
            return Taken(seat, reach, cards, now)
        if sorted(last.cards) == sorted(cards):
            return Taken(seat, reach, cards, now, played=last)
        told_now = last.decided_at == now and last.revise is None
        return Taken(seat, reach, cards, now, put=last if told_now else None)

    def _last_act(self, player: str | None) -> Event | None:
        """Return the last event; if it is only a player's draw for a play, return that play."""
        log = self._scene.log
        last, play = log.last, log.last_play_of(player)
        has_drawn = last is not None and last.event == "draw" and last.player == player
        return play if has_drawn and play is not None and len(log.since(play)) == 1 else last

    def may_take_the_rest(self, seat: int | None) -> bool:
        """Return whether a seat has taken the upper cards of a pile that it may pick up in two goes.

        A player who takes back a play has changed their mind, and may then pick up the pile without it.
        """
        return self.part is not None and self.part.seat == seat and self.part.played is None

    @property
    def taking_back(self) -> ArmTrack | None:
        """The reach that took back its player's own play; None if there is none, or the cards were burnt."""
        taken = self.part or self.whole
        if taken is None or taken.played is None or (not self.part and self.went_on_to_burn_pile(taken)):
            return None
        return taken.reach

    def took_in_hand(self, reach: ArmTrack) -> bool:
        """Return whether a reach ended with the pile in the hand; such a hand draws no card."""
        taken = self.whole
        return taken is not None and taken.reach is reach and not self.went_on_to_burn_pile(taken)

    def report_when_done(self, now: float, present: Collection[int], *, pile_open: bool) -> None:
        """Report what has become clear once the hand has left.

        `pile_open`: the latest act at the pile is not known yet; it may have taken the rest.
        """
        self._report_burnt_after_all(now)
        whole, part = self.whole, self.part
        if whole is not None and whole.seat not in present:
            last = whole.reach.last_seen if whole.reach is not None else whole.t
            quiet = now - max(last, whole.t)
            seen = self._burn_pile.looks_since(last) >= AGREEING_LOOKS and not self._burn_pile.may_have_grown(
                last
            )
            seen |= quiet > _UNSEEN_SECONDS
            if quiet > _RESOLVE_SECONDS and (seen or self.went_on_to_burn_pile(whole)):
                self.report_whole(now)
        elif (
            whole is not None and self._burn_pile.places_since(whole.t, whole.cards) and self._burnt_at(whole)
        ):
            self.report_whole(now)  # the hand may stay, to draw, but the cards have been found
        if part is not None and part.seat not in present:
            taken_back = part.surely and part.played is not None
            if taken_back or (now - part.t > _PARTIAL_SECONDS and not pile_open):
                self.report_part(now)

    def report_whole(self, now: float) -> None:
        """Report a burn if the burn pile grew or the hand went there; otherwise a pick-up."""
        taken, self.whole = self.whole, None
        if taken is None:
            return
        scene, before = self._scene, self._scene.layout.burn
        scene.started = True
        reach = taken.reach
        t = taken.t if reach is None or reach.last_seen < taken.shown else reach.last_seen
        burnt = self.burnt = self.went_on_to_burn_pile(taken)
        if burnt:
            scene.burned += [*self._burn_pile.came_with(taken.cards, taken.t), *taken.cards]
            self._burn_pile.place_where_put(taken.t, taken.cards)
            t = self._burnt_at(taken) or t
            fields = {"player": scene.player(taken.seat), "cards": taken.cards, "confidence": 0.95}
            face_up = self._top_aside(taken, before) is not None
            told: Event | None = scene.log.add("burn", min(now, t), now, **fields, face_up=face_up)
        else:
            told = self._report_in_hand(taken, min(now, t), now, confidence=0.95)
        self._reported = None if told is None else (told, taken, before)

    @property
    def moved_to(self) -> Observation | None:
        """The top card of the pile last taken, if the pile may only have been moved; else None.

        It lies face up beside the piles, where no burn pile was, and nothing else has happened since.
        """
        if self._reported is None:
            return None
        event, taken, before = self._reported
        return self._top_aside(taken, before) if self._scene.log.is_newest(event) else None

    def _top_aside(self, taken: Taken, before: Place | None) -> Observation | None:
        """Return the top card of those taken if it lies face up, away from the burn pile `before`."""
        top = self._burn_pile.where_lies(taken.cards[-1]) if taken.cards else None
        if top is None:
            return None
        aside = before is None or math.dist(top.place, before) > NEAR_MM
        return top if aside else None

    def plays_on_moved_pile(self, card: Observation) -> bool:
        """Return whether a card that has come to lie was put on the pile last taken, which was only moved."""
        top = self.moved_to
        if top is None or self._reported is None or card.face != "up" or card.best[1] < CERTAIN:
            return False
        on_top = math.dist(top.place, card.place) <= ON_PILE_MM
        return on_top and card.best[0] not in self._reported[1].cards

    def look_at_moved_pile(self, cards: Sequence[Observation], now: float) -> None:
        """Report that a pile that was only moved is picked up from there; `cards` are all that are seen.

        Several looks must show its place bare, and a hand must have been there since the first report.
        """
        top = self.moved_to
        if top is None or any(math.dist(top.place, c.place) <= ON_PILE_MM for c in cards):
            self._bare_looks = 0
            return
        self._bare_looks += 1
        assert self._reported is not None
        event = self._reported[0]
        hand = self._scene.nearest_hand(top.place, event.decided_at, within=_AT_BURN_PILE_MM)
        if self._bare_looks < BARE_LOOKS or hand is None:
            return
        self._forget_burn()
        fields = {"t": hand.t, "player": self._scene.player(hand.seat), "face_up": False}
        self._scene.log.revise(event, now, event="pick_up", **fields)

    def take_back(self, now: float) -> list[NewCard]:
        """Withdraw the report that the pile was taken; return its cards, bottom first."""
        top = self.moved_to
        if top is None or self._reported is None:
            return []
        event, taken, _ = self._reported
        self._forget_burn()
        self._scene.log.revise(event, now, withdrawn=True)
        return [NewCard(name, CERTAIN, self._burn_pile.where_lies(name) or top) for name in taken.cards]

    def _forget_burn(self) -> None:
        """Undo the effects of the report on the pile last taken: that pile was only moved."""
        if self._reported is None:
            return
        event, taken, burn = self._reported
        if self._scene.log.latest(event).event == "burn":
            self._scene.burned = self._scene.burned[: -len(taken.cards)]
        self._scene.layout = replace(self._scene.layout, burn=burn)
        self._reported, self._picked_up, self.burnt, self._bare_looks = None, None, False, 0

    def _report_burnt_after_all(self, now: float) -> None:
        """Turn the pick-up just reported into a burn if the pile comes to light where a body hid it."""
        if self._picked_up is None:
            return
        picked_up, taken, told = self._picked_up
        if now - told > _COMES_TO_LIGHT_SECONDS or self.whole is not None:
            self._picked_up = None
        elif self._burn_pile.comes_to_light(told, taken.cards):
            self._picked_up, self.burnt = None, True
            self._scene.burned += taken.cards
            self._burn_pile.place_where_put(told, taken.cards)
            self._scene.log.revise(picked_up, now, event="burn")

    def report_part_before(self, seat: int | None, now: float) -> None:
        """Report taken upper cards before a seat acts, unless that seat may still take the rest."""
        if not self.may_take_the_rest(seat):
            self.report_part(now)

    def report_part(self, now: float) -> None:
        """Report upper cards that left alone: the player took back a play, or picked them up."""
        part, self.part = self.part, None
        if part is None:
            return
        self._report_in_hand(part, part.t, now, confidence=0.6, partly=True)

    def _report_in_hand(
        self, taken: Taken, t: float, now: float, *, confidence: float, partly: bool = False
    ) -> Event | None:
        """Report a pick-up, or withdraw the play of these cards if its own player took them back.

        Nobody puts a card on the pile while taking it. A card read there only then was misread.
        """
        log, cards = self._scene.log, taken.cards
        if taken.played is not None:
            log.revise(taken.played, now, withdrawn=True)
            log.takes_into_hand(taken.played.player, cards)
            return None
        if taken.put is not None:
            log.revise(taken.put, now, withdrawn=True)
            cards = tuple(card for card in cards if card not in taken.put.cards)
        player, count = self._scene.player(taken.seat), len(cards) if partly else None
        event = log.add("pick_up", t, now, player=player, cards=cards, count=count, confidence=confidence)
        if self._scene.by_hands and taken is self._last:
            self._picked_up = event, taken, now
        return event

    def went_on_to_burn_pile(self, taken: Taken) -> bool:
        """Return whether the hand that took the cards went to the burn pile, or to where they now lie."""
        since = min(taken.t, taken.shown) if self._scene.by_hands else taken.t
        return self._burn_pile.has_since(since, taken.cards) or self._burnt_at(taken) is not None

    def _burnt_at(self, taken: Taken) -> float | None:
        """Return when the hand was done at the burn pile; None if it did not go there."""
        burning = self._burning(taken)
        return None if burning is None else burning[1]

    def _burning(self, taken: Taken) -> tuple[float, float] | None:
        """Return from when till when the hand seemed to be at the burn pile; None if it did not go there.

        A hand did not go there if the burn pile looks unchanged. It may leave earlier than it seems: the
        cards that it let go count as its end until they are known to lie.
        """
        play, reach = self._scene.layout.play, taken.reach
        if taken.aside_at is not None:
            return taken.aside_at, taken.aside_at
        if play is None or reach is None:
            return None
        reach = self._scene.with_rest(reach)
        grown = self._burn_pile.places_since(taken.t, taken.cards, unlike=reach.start)
        goals = [*grown, *([] if self._scene.layout.burn is None else [self._scene.layout.burn])]

        def is_there(place: Place, places: Sequence[Place]) -> bool:
            nearest = min((math.dist(place, other) for other in places), default=math.inf)
            return nearest < min(NEAR_MM, math.dist(place, play))

        at_play = (
            stop.start
            for stop in reach.pauses
            if math.dist(stop.place, play) < NEAR_MM and not is_there(stop.place, goals)
        )
        since = next(at_play, reach.start)
        later = (stop for stop in reach.pauses if stop.start > since and stop.end > self.lay_free)
        paused = [(stop.start, stop.end) for stop in later if is_there(stop.place, goals)]
        seen = self._burn_pile.places_since(taken.t, taken.cards, sure=True, unlike=reach.start)
        path = [(t, place) for t, place in reach.path if t > max(since, self.lay_free)]
        passed = [(t, t) for t, place in path if is_there(place, seen) or self._is_detour(reach, play, place)]
        burning = paused[0] if paused else min(passed, default=None)
        burn = self._scene.layout.burn
        if burning is None or any(burn is not None and math.dist(place, burn) > NEAR_MM for place in grown):
            return burning
        return None if self._burn_pile.is_untouched(reach.start, burning[1]) else burning

    def _is_detour(self, reach: ArmTrack, play: Place, place: Place) -> bool:
        """Return whether a hand came to the burn pile at `place`, which is not on its straight way home."""
        burn = self._scene.layout.burn
        if burn is None or math.dist(place, burn) > _AT_BURN_PILE_MM:
            return False
        return off_the_way(play, reach.path[-1][1], burn) > _DETOUR_MM
