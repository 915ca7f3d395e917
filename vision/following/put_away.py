"""Shown cards that come to light only when they are put away.

A hand that holds a card out hides it, or is hidden behind it. Then the card is read for the first time when
it lies beside the piles.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from vision.following.certainty import FAIRLY_LIKELY
from vision.following.scene import HANDLES_MM, PUT_DOWN_SECONDS, NearHand, Scene
from vision.following.shows import ELSEWHERE_MM, Shown
from vision.hands.tracks import Pause
from vision.table.layout import Place
from vision.table.observations import Observation

_HELD_OUT_SECONDS = 0.5
"""A card is held out for at least so long."""
_REPORTED_SECONDS, _TO_WHOM_SECONDS = 1.5, 8.0
"""A show is reported so long after the card was put away. If nobody knows to whom, the next act tells it."""


def hand_that_put(scene: Scene, place: Place, now: float) -> NearHand | None:
    """Return the hand that has just put something down at a place; None if none was near enough."""
    return scene.nearest_hand(place, now - PUT_DOWN_SECONDS, within=HANDLES_MM)


def hand_and_hold(
    scene: Scene, place: Place, now: float, within: float = math.inf
) -> tuple[NearHand, Pause | None] | None:
    """Return the hand that was just near a place, and where that hand held something out before.

    The result is None if no hand was near, or `within` so many mm. The hold is None if the hand did not pause
    elsewhere.
    """
    hand = scene.nearest_hand(place, now - PUT_DOWN_SECONDS, within=within)
    if hand is None:
        return None
    reach = scene.last_reach(hand.seat)
    holds = [
        stop
        for stop in (reach.pauses if reach is not None else ())
        if stop.end - stop.start >= _HELD_OUT_SECONDS and math.dist(stop.place, place) > ELSEWHERE_MM
    ]
    return hand, max(holds, key=lambda stop: stop.end - stop.start, default=None)


class PutAway:
    """Finds shows by the cards that are put away after them."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._shown: Shown | None = None
        self._to: int | None = None

    def look(self, fresh: Sequence[Observation], now: float, known: Collection[str]) -> None:
        """Take in the cards that have just come to rest beside the piles, while no pile was moved.

        `known` are the cards that lie elsewhere: none of them was shown.
        """
        if len(fresh) != 1:
            return
        (card,) = fresh
        (name, p), place = card.best, card.place
        if card.face != "up" or name is None or p < FAIRLY_LIKELY or name in known:
            return
        found = hand_and_hold(self._scene, place, now, HANDLES_MM)
        if found is None:
            return
        hand, hold = found
        layout, seat = self._scene.layout, hand.seat
        others = [other for other in range(len(layout.seats)) if other != seat]
        if hold is not None:
            self._to = layout.seat_pointed_at(seat, hold.place)
        else:
            self._to = others[0] if len(others) == 1 else None
        since = hand.t if hold is None else hold.start
        self._shown = Shown(seat, name, seat, (), (name,), since, hand.t, 0.9 * p, taken_home=False)

    def forget(self) -> None:
        """Forget a card that was put away."""
        self._shown = None

    def take(self, seat: int | None, now: float) -> Shown | None:
        """Return the show that is to be reported by now, and forget it; None if there is none.

        `seat` is about to do something; None: nobody is. Whoever acts after a show was shown the card, unless
        the hand pointed at somebody.
        """
        shown = self._shown
        if shown is None or (seat is None and now - shown.t < _REPORTED_SECONDS):
            return None
        to = self._to if self._to is not None else seat
        if to is None and now - shown.t < _TO_WHOM_SECONDS:
            return None
        self._shown = None
        if to is None or to == shown.seat:
            return None
        return replace(shown, to=to)
