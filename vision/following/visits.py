"""The arms over the play pile since the latest acts there were settled."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from vision.following.duplicates import is_one_by_name, may_have_one_name
from vision.following.pile_geometry import is_read_as, same_card
from vision.following.scene import PUT_DOWN_SECONDS, NearHand, Scene
from vision.table.layout import PLAY, Place
from vision.table.observations import MIN_NAME_P, Observation

_BEFORE_SECONDS = 0.5
"""A hand may have acted this long before the pile was settled."""
_LEAVES_SECONDS = 0.8
"""A hand may first be found at the pile only this long after its card is seen there."""
_FREE_LOOKS = 24
"""How many looks at the uncovered pile are remembered: those before a play, and all until it is decided."""
_PUTS_DOWN_MM = 65.0
"""A hand that puts a card down comes nearer than this to its middle, if it is seen at that moment. This was
true of 61 of 62 hands that were tracked without a gap, on eleven films of people."""

UnderSeat = tuple[Observation, int | None]
"""A card, and the seat of the arm that it lies under; None: under no arm."""


class Visits:
    """Counts the frames with each seat's arm over the pile, and finds the player who acted there."""

    def __init__(self, scene: Scene, t: float) -> None:
        self._scene = scene
        self._frames: Counter[int] = Counter()
        self.settled_at = t
        """When the pile was last settled."""
        self.seats_since_play: set[int] = set()
        """The seats whose arms were over the pile since the last play was reported."""
        self.played_at = t
        """When the last play was reported."""
        self._covered = t
        """When something was last over the pile."""
        self._free: deque[tuple[float, list[Observation]]] = deque(maxlen=_FREE_LOOKS)
        """The latest looks at the uncovered pile, oldest first."""
        self._untouched: deque[float] = deque(maxlen=_FREE_LOOKS)
        """When the latest of these looks were made with nothing over the pile since it was clear."""
        self._glimpses: deque[tuple[float, Sequence[UnderSeat]]] = deque(maxlen=_FREE_LOOKS)
        """The latest looks at the pile while something is over it, oldest first."""

    def look(self, cards: list[Observation], t: float, *, untouched: bool = False) -> None:
        """Note the cards of a look at the uncovered pile.

        `untouched`: nothing has been over the pile since it was clear what lies there.
        """
        self._free.append((t, cards))
        if untouched:
            self._untouched.append(t)

    def looks_since(self, t: float, without: Collection[list[Observation]]) -> list[list[Observation]]:
        """Return the latest looks at the uncovered pile after a time, without some looks."""
        return [cards for when, cards in self._free if when > t and not any(cards is one for one in without)]

    def glimpse(self, cards: Sequence[UnderSeat], t: float) -> None:
        """Note the cards of a look at the pile while something is over it."""
        self._glimpses.append((t, cards))

    def note(self, seats: Collection[int], t: float) -> None:
        """Note a frame in which these seats' arms, or something else that moves, are over the pile."""
        self._covered = t
        self._frames.update(seats)
        self.seats_since_play.update(seats)

    def settled(self, t: float) -> None:
        """Note that the acts of the arms there are now clear."""
        self.settled_at = t
        self._frames.clear()

    def told_play(self, t: float) -> None:
        """Note that a play was reported at `t`."""
        self.seats_since_play.clear()
        self.played_at = t

    def who(self, since: float = -math.inf) -> int | None:
        """Return the seat that acted at the pile since it was last settled.

        `since`: its hand was still there then.
        """
        place = self._scene.layout.play
        hand = self.hand_at(place, since)
        return self._arm_at(place, since) if hand is None else hand.seat

    def who_put_down(self, card: Observation) -> int | None:
        """Return the seat that put down a card."""
        hand = self.hand_that_put_down(card)
        return self._arm_at(card.place) if hand is None else hand.seat

    def _arm_at(self, place: Place | None, since: float = -math.inf) -> int | None:
        """Return the seat whose arm was last at a place, if hands are not tracked."""
        since = max(since, self.settled_at - _BEFORE_SECONDS)
        paused = self._scene.stops_near(place, since) if place is not None else []
        if self._frames:  # an arm that was there only earlier did nothing here
            paused = [entry for entry in paused if entry[1].seat in self._frames]
        if paused:
            return max(paused, key=lambda entry: entry[0].end)[1].seat
        if self._frames:
            return self._frames.most_common(1)[0][0]
        last = self._scene.last_arm(since)
        return None if last is None else last.seat

    def hand_at(
        self,
        place: Place | None,
        since: float,
        until: float = math.inf,
        holder: int | None = None,
    ) -> NearHand | None:
        """Return the hand that just acted at a place, at last at `until`; None if hands are not tracked.

        `holder`: the seat whose arm was over the card when it was first seen, if one was. If its hand alone
        was near, it acted, whatever bodies hid. A hand farther away counts if its own player leaned over the
        pile. If no hand was seen near, a body over the pile may have hidden it. If two players may have
        acted, or nothing was seen, the one who draws next has acted.
        """
        if place is None or not self._scene.by_hands:
            return None
        done = min(until, self._covered)
        start = max(since, self.settled_at - _BEFORE_SECONDS, done - PUT_DOWN_SECONDS)
        hand, leaned = self._scene.nearest_hand(place, start, until), self._scene.leaned(PLAY, start, until)
        own_body = hand is not None and hand.seat in leaned and not hand.rivals
        put_down = hand is not None and (hand.mm <= _PUTS_DOWN_MM or own_body)
        if hand is not None and put_down and hand.seat == holder and not hand.rivals:
            return hand
        if not put_down and len(leaned) == 1:
            return next(NearHand(seat, t, math.inf) for seat, t in leaned.items())
        if hand is None:
            return self._scene.first_to_draw(None, max(start, done))
        unseen = {seat for seat, t in leaned.items() if not self._scene.reached_about(seat, t)}
        others = unseen if put_down or unseen else set(range(len(self._scene.layout.seats)))
        hand = replace(hand, rivals=(hand.rivals | others) - {hand.seat})
        drew = self._scene.first_to_draw({hand.seat, *hand.rivals}, hand.t) if hand.rivals else None
        return hand if drew is None else drew

    def hand_that_took(self, shown: float) -> NearHand | None:
        """Return the hand that took the pile, which was last `shown` at this time; see `hand_at`.

        It may have been there long before the place was seen bare.
        """
        play = self._scene.layout.play
        if play is None or not self._scene.by_hands:
            return None
        return self._scene.nearest_hand(play, shown, within=_PUTS_DOWN_MM) or self.hand_at(play, shown)

    def _first_free(self, card: Observation, is_it: Callable[[Observation, Observation], bool]) -> float:
        """Return when a look at the uncovered pile first showed a card; infinite if none did.

        `is_it` returns whether a reading is that card, or may be it.
        """
        return next(
            (t for t, cards in self._free if any(self._is(card, seen, t, is_it) for seen in cards)), math.inf
        )

    def _still_without(self, card: Observation) -> float:
        """Return when looks had last shown the uncovered pile without a card; minus infinity if none did.

        One look may overlook a card. So it takes two, or one before anything was over the pile.
        """
        first = self._first_free(card, _may_be)
        without = [t for t, _ in self._free if t < first]
        untouched = [t for t in self._untouched if t < first]
        return max([*without[-2:-1], *untouched[-1:]], default=-math.inf)

    def _first_glimpse(self, card: Observation) -> tuple[float, int | None]:
        """Return when a card was first seen while something was over the pile, and the seat of the arm there.

        The time is infinite if it was not.
        """
        lately = ((t, cards) for t, cards in self._glimpses if t > self.settled_at)
        seen = ((t, seat) for t, cards in lately for one, seat in cards if self._is(card, one, t, _is_same))
        return next(seen, (math.inf, None))

    def when_it_came(self, card: Observation) -> tuple[float, float]:
        """Return when looks last showed the uncovered pile without a card, and when one first showed it."""
        return self._still_without(card), min(self._first_free(card, _may_be), self._first_glimpse(card)[0])

    def hand_that_put_down(self, card: Observation) -> NearHand | None:
        """Return the hand that put down a card; see `hand_at`."""
        first, holder = self._first_glimpse(card)
        left = min(first + _LEAVES_SECONDS, self._first_free(card, _is_same))
        return self.hand_at(card.place, self._still_without(card), left, holder)

    def is_sure_who(self, card: Observation) -> bool:
        """Return whether only one hand can have put down a card; True if hands are not tracked."""
        if not self._scene.by_hands:
            return True
        hand = self.hand_that_put_down(card)
        return hand is not None and not hand.rivals

    def player_at(self, card: Observation) -> str | None:
        """Return the player who put down a card."""
        return self._scene.player(self.who_put_down(card))

    def _is(
        self,
        card: Observation,
        seen: Observation,
        t: float,
        is_it: Callable[[Observation, Observation], bool],
    ) -> bool:
        """Return whether a reading at `t` is a card: `is_it` says so, or it lies near with its certain name.

        The name counts only since the pile was last settled: the card may have lain there once before.
        """
        recent = t > self.settled_at
        return is_it(card, seen) or (recent and is_one_by_name(card, seen, self._scene.packs))


def _is_same(card: Observation, seen: Observation) -> bool:
    """Return whether a reading is most likely the same card at the same place."""
    return is_read_as(seen, card.best[0], card, MIN_NAME_P)


def _may_be(card: Observation, seen: Observation) -> bool:
    """Return whether a reading may be a card: it lies there, and has no name or may have the same one."""
    return same_card(card, seen) and (not seen.probabilities or may_have_one_name(card, seen))
