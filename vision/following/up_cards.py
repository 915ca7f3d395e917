"""Reports acts on the cards in the rows: exchanges before the game; cards taken up, down or flipped later."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from engine.cards import copies
from engine.events import Event, Source
from vision.following.patches import Patch
from vision.following.reported_events import BeforeAction
from vision.following.rows import Change, Rows
from vision.following.scene import JUST_SECONDS, NEAR_MM, Scene
from vision.table.layout import Zone
from vision.table.observations import Observation

_UNTRACED_SECONDS = 1.0
"""A card that has not come to light for this long was taken into the hand."""
_ONE_ACT_SECONDS = 4.0
"""Face-up cards that a hand takes up within this time after one another are one act."""
_ROW_NEAR_MM = NEAR_MM * 0.7
"""A hand that acts at a spot is nearer to its middle than this."""
_LINGERS_SECONDS = 1.0
"""A hand that stays at a spot for longer has finished its act by then."""
_EXCHANGE_SECONDS = 10.0
"""If the game has begun, and a card is still unread after this time, the exchange is no longer reported."""


@dataclass(slots=True)
class _Vanished:
    """A face-up card that left its row and has not come to light elsewhere."""

    seat: int
    card: str
    t: float


class UpCards:
    """Follows the rows and reports what the players do with them."""

    def __init__(
        self,
        scene: Scene,
        rows: Rows,
        before_action: BeforeAction,
        pile: Callable[[], list[str]],
        misread: Callable[[str, float], None],
    ) -> None:
        """Begin with the dealt rows.

        `pile` returns the cards on the play pile. `misread` notes that one of them was misread there.
        """
        self._scene, self.rows, self._before_action, self._pile = scene, rows, before_action, pile
        self._misread = misread
        self._vanished: list[_Vanished] = []
        self._exchanging: dict[int, float] = {}
        self._dealt = self.by_player()
        self._flipped: Counter[int] = Counter()
        """For each seat: how many face-down cards were flipped whose spots have not been seen bare yet."""
        self._turned: dict[int, list[Change]] = {}
        """The spots that are known to be bare because of each seat's last flip."""
        self._down_gone: list[Change] = []
        """Spots whose face-down cards have gone: the cards may yet turn up on the pile."""

    def source_without(
        self, source: Source | None, player: str | None, cards: Sequence[str]
    ) -> Source | None:
        """Return where a play's cards came from, if `source` is that of these and one that was not played."""
        row = self._dealt.get(player or "", ())
        if source != "hand+up" or any(card in row for card in cards):
            return source
        return "hand"

    def by_player(self) -> dict[str, tuple[str, ...]]:
        """Return the face-up cards before each player."""
        seats = self._scene.layout.seats
        return {seat.player: tuple(self.rows.up_of(i)) for i, seat in enumerate(seats)}

    def look(self, zone: Zone, cards: list[Observation], patch: Patch | None, now: float) -> None:
        """Take in one look at an uncovered spot."""
        exchange = self.may_show_exchange(zone)
        change = self.rows.look(zone, cards, patch, exchange=exchange)
        spot = self.rows.spots[zone]
        if spot.touched is None:
            spot.hidden_since = math.inf
        if change is None:
            return
        if change.before is None and change.after is not None and self._is_on_pile(change.after):
            self._misread(change.after, now)  # it never left the row
        self._changed(change, exchange=exchange)

    def look_beside_hand(self, zone: Zone, card: Observation, now: float) -> None:
        """Take in a card that shows at a spot beside or under a hand, while it may show an exchange."""
        change = self.rows.look_beside_hand(zone, card, now)
        if change is not None:
            self.rows.spots[zone].hidden_since = math.inf
            self._changed(change, exchange=True)

    def may_show_exchange(self, zone: Zone) -> bool:
        """Return whether another card at a spot may have come by an exchange.

        No game has begun, or hands have hidden the spot since before it began.
        """
        return not self._scene.started or math.isfinite(self.rows.spots[zone].hidden_since)

    def touch(self, zone: Zone, now: float) -> None:
        """Note that something is over a spot."""
        change = self.rows.touch(zone, now)
        if not self._scene.started:
            spot = self.rows.spots[zone]
            spot.hidden_since = min(spot.hidden_since, now)
        if change is not None:
            self._changed(change, exchange=not self._scene.started)

    def _changed(self, change: Change, *, exchange: bool) -> None:
        """Note a change at a spot; `exchange`: it may be part of one."""
        seat, change = change.zone.seat, replace(change, t=self._done_at(change))
        into_hand = exchange and change.after is not None  # it made room for another card
        if change.before is not None and not into_hand and not self._is_on_pile(change.before):
            self._vanished.append(_Vanished(seat, change.before, change.t))
        if exchange:
            self._exchanging[seat] = change.t
        elif change.down_gone and self._flipped[seat]:
            self._turned.setdefault(seat, []).append(change)
        elif change.down_gone:
            self._down_gone.append(change)
        if change.down_gone:
            self._flipped[seat] = max(0, self._flipped[seat] - 1)

    def _done_at(self, change: Change) -> float:
        """Return when a hand did its act at a spot: soon after it came there, however long it stayed."""
        place = self._scene.layout.spot(change.zone)
        near = self._scene.stops_near(place, change.t - JUST_SECONDS, _ROW_NEAR_MM)
        came = min((math.dist(stop.place, place), stop.start) for stop, _ in near)[1] if near else change.t
        return min(change.t, came + _LINGERS_SECONDS)

    def _is_on_pile(self, card: str) -> bool:
        """Return whether a card that has left its row lies on the pile, and not another copy of it."""
        last = self._scene.log.last
        one = copies(card, self._scene.packs) == 1
        return card in self._pile() and (one or (last is not None and card in last.cards))

    def put_right(self, seat: int, t: float) -> None:
        """Place a seat's row where a person says it is: cards that seemed gone were not the row's."""
        self.rows.put_right(seat, t)
        self._vanished = [gone for gone in self._vanished if gone.seat != seat]
        self._down_gone = [change for change in self._down_gone if change.zone.seat != seat]
        self._turned.pop(seat, None)
        self._exchanging.pop(seat, None)

    def take_from_row(self, names: Collection[str], seat: int | None = None) -> int:
        """Note that a seat (None: any) has played cards; return how many of them came from a row."""
        count = 0
        for name in names:
            zone, vanished = self._was_in_row(name, seat)
            spot = None if zone is None else self.rows.spots[zone]
            if spot is not None and spot.may_be_exchanged:  # perhaps unseen: accuse nobody
                spot.up, spot.put_right = None, True
                continue
            if spot is not None:
                spot.up = None
            elif vanished is not None:
                self._vanished.remove(vanished)
            count += zone is not None or vanished is not None
        return count

    def _was_in_row(self, name: str, seat: int | None) -> tuple[Zone | None, _Vanished | None]:
        """Return the spot from which a seat seems to have played a card, or the card that left it before.

        With several packs, another copy may come from a hand. The card in a row is still there if the row is
        another player's, or if nobody has reached there.
        """
        spots, gone = self.rows.owners(name), [gone for gone in self._vanished if gone.card == name]
        if copies(name, self._scene.packs) > 1:
            gone = [one for one in gone if seat in (None, one.seat)]
            near = [zone for zone in spots if seat in (None, zone.seat)]
            spots = [zone for zone in near if not self.rows.is_undisturbed(zone) and not gone]
        return next(iter(spots), None), next(iter(gone), None)

    def source_of(self, names: Sequence[str], seat: int | None) -> Source:
        """Return the source of cards that a seat played, and note that they have left it."""
        from_row = self.take_from_row(names, seat)
        if from_row == len(names):
            return "up"
        if from_row:
            return "hand+up"
        return "down" if seat is not None and self._flips(seat) else "hand"

    def _flips(self, seat: int) -> bool:
        """Return whether a card that this seat just played is one of its face-down cards.

        It is if the player has no face-up card left, and the hand paused at a face-down one.
        """
        if self.rows.up_of(seat):
            return False
        row = self._scene.layout.seats[seat].row
        gone = [change.zone for change in self._down_gone]
        zones = [Zone("row", seat, k) for k in range(len(row))]
        places = [row[zone.spot] for zone in zones if self.rows.spots[zone].down or zone in gone]
        reach = self._scene.last_reach(seat)
        stops = reach.pauses if reach is not None else []
        flipped = any(math.dist(stop.place, place) < _ROW_NEAR_MM for stop in stops for place in places)
        if not flipped:
            return False
        self._turned[seat] = [change for change in self._down_gone if change.zone in zones]
        if self._turned[seat]:
            self._down_gone = [change for change in self._down_gone if change.zone not in zones]
        else:
            self._flipped[seat] = min(self._flipped[seat] + 1, self.rows.down_of(seat))
        return True

    def take_back_flip(self, seat: int) -> None:
        """Note that a seat's last flip came from the hand: the card gone from its row was taken down."""
        turned = self._turned.pop(seat, [])
        self._down_gone += turned
        if not turned:
            self._flipped[seat] = max(0, self._flipped[seat] - 1)

    def report_when_done(self, now: float, present: Collection[int], *, pile_open: bool) -> None:
        """Report exchanges and cards taken up, once the hands have left.

        `pile_open`: the cards put on the play pile are not settled yet; a card that has gone may turn up
        there.
        """
        for seat in [seat for seat in self._exchanging if seat not in present]:
            self._report_exchange(seat, now)
            self._forget_exchange(seat, now)
        busy = {*present, *self._exchanging}
        waiting = any(gone.seat in busy or now - gone.t <= _UNTRACED_SECONDS for gone in self._vanished)
        if self._scene.started and not waiting and not pile_open:
            self.report_taken_up(now)
        if not pile_open and not any(self._may_be_put_down(change, present) for change in self._down_gone):
            self.report_taken_down(now)

    def _may_be_put_down(self, change: Change, present: Collection[int]) -> bool:
        """Return whether the hand that took a face-down card is still there, and may be about to play it."""
        reach = self._scene.last_reach(change.zone.seat)
        return change.zone.seat in present and reach is not None and reach.start <= change.t

    def _report_exchange(self, seat: int, now: float) -> None:
        row = [spot for zone, spot in self.rows.spots.items() if zone.seat == seat]
        if any(spot.up is None or not spot.is_seen for spot in row):
            return
        t = self._exchanging.pop(seat)
        self._vanished = [gone for gone in self._vanished if gone.seat != seat]
        player = self._scene.layout.seats[seat].player
        up = tuple(self.rows.up_of(seat))
        was, self._dealt[player] = Counter(self._dealt[player]), up
        if count := (Counter(up) - was).total():
            fields = {"up": {player: up}, "count": count, "confidence": 0.95}
            self._scene.log.add("exchange", t, now, player=player, **fields)
            into_hand = was - Counter(up)
            self._scene.log.takes_into_hand(player, into_hand)
            self._played_from_hand_after(t, player, was, into_hand, now)

    def _played_from_hand_after(
        self, t: float, player: str, was: Counter[str], into_hand: Counter[str], now: float
    ) -> None:
        """Revise a player's play after an exchange at `t`: it came from the hand if its cards went there.

        A player who exchanges and plays in one go does both before the row is seen again.
        """
        log = self._scene.log
        play = log.last_play_of(player)
        if play is None or play.withdrawn or play.t <= t or play.source not in ("up", "hand+up"):
            return
        from_row = Counter(play.cards) & was
        if from_row <= into_hand:
            log.revise(play, now, source="hand")

    def _forget_exchange(self, seat: int, now: float) -> None:
        """Give up an exchange that cannot be read, so that cards taken up later are reported."""
        t = self._exchanging.get(seat)
        if t is not None and self._scene.started and now - t > _EXCHANGE_SECONDS:
            del self._exchanging[seat]
            self._vanished = [gone for gone in self._vanished if gone.seat != seat or gone.t > t]

    def report_taken_down(self, now: float) -> None:
        """Report face-down cards that have gone, and not to the play pile."""
        gone, self._down_gone = self._down_gone, []
        for change in gone:
            play = self._play_of(change)
            if play is not None:
                self._scene.log.revise(play, now, event="flip", source="down")
                self._turned[change.zone.seat] = [change]
                continue
            self._before_action(change.zone.seat, now)
            player = self._scene.player(change.zone.seat)
            self._scene.log.add("take_down", change.t, now, player=player, count=1, confidence=0.8)

    def _play_of(self, change: Change) -> Event | None:
        """Return the last play if its card is the face-down card that has gone, by the same reach.

        Then the card was flipped, though the pause at the spot that shows a flip at once was missed.
        """
        last, seat = self._scene.log.last, change.zone.seat
        reach = self._scene.last_reach(seat)
        if last is None or reach is None or last.player != self._scene.player(seat) or self.rows.up_of(seat):
            return None
        alone = last.event == "play" and last.source == "hand" and len(last.cards) == 1
        one_reach = reach.start <= min(last.t or 0.0, change.t)
        return last if alone and one_reach and not last.withdrawn else None

    def report_at_the_end(self, now: float) -> None:
        """Report cards that have gone from the rows, except those of players in the middle of an exchange."""
        self._vanished = [gone for gone in self._vanished if gone.seat not in self._exchanging]
        self.report_taken_up(now)
        self.report_taken_down(now)

    def report_taken_up(self, now: float) -> None:
        """Report face-up cards that have gone into hands."""
        for seat in sorted({gone.seat for gone in self._vanished}):
            mine = [gone for gone in self._vanished if gone.seat == seat]
            self._vanished = [gone for gone in self._vanished if gone.seat != seat]
            self._before_action(seat, now)
            cards = tuple(gone.card for gone in mine)
            t = max(gone.t for gone in mine)
            player, last = self._scene.player(seat), self._scene.log.last
            if (
                last is None
                or (last.event, last.player) != ("take_up", player)
                or t - last.t >= _ONE_ACT_SECONDS
            ):
                self._scene.log.add("take_up", t, now, player=player, cards=cards, confidence=0.9)
            else:
                self._scene.log.revise(last, now, t=t, cards=(*last.cards, *cards))

    def corrected_deal(self, deal: Event, now: float) -> Event:
        """Rename face-up cards if many looks agree; return the deal, revised if nothing else has happened."""
        renamed = self.rows.better_names()
        if not renamed or self._scene.started or self._exchanging or not self._scene.log.is_newest(deal):
            return deal
        self._dealt = self.by_player()
        return self._scene.log.revise(deal, now, up=self._dealt)
