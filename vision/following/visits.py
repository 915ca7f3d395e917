"""Whose arms were over the play pile since what they did there was last settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from vision.following.scene import NearHand, Scene
from vision.table.layout import Place
from vision.table.observations import Observation

_BEFORE_SECONDS = 0.5
_JUST_SECONDS = 2.0
"""A hand that has put down a card was nearest to it no longer ago than this, before the pile was free."""


class Visits:
    """Counts in how many frames each seat's arm was over the pile, and tells who has done something there."""

    def __init__(self, scene: Scene, t: float) -> None:
        self._scene = scene
        self._frames: Counter[int] = Counter()
        self.since = t
        """When the pile was last settled."""
        self.since_play: set[int] = set()
        """Whose arms were over the pile since the last play was told."""
        self.played = t
        """When that was."""
        self._covered = t
        """When something was last over the pile."""

    def note(self, seats: Collection[int], t: float) -> None:
        """Note a frame in which these seats' arms, or something else that moves, are over the pile."""
        self._covered = t
        self._frames.update(seats)
        self.since_play.update(seats)

    def settled(self, t: float) -> None:
        """Note that it is clear now what the arms did there."""
        self.since = t
        self._frames.clear()

    def told_play(self, t: float) -> None:
        """Note that a play was told at `t`."""
        self.since_play.clear()
        self.played = t

    def who(self, place: Place | None) -> int | None:
        """Return whose arm was at `place` since the pile was last settled: the last to pause there."""
        if (hand := self.hand_at(place)) is not None:
            return hand.seat
        since = self.since - _BEFORE_SECONDS
        paused = self._scene.stops_near(place, since) if place is not None else []
        if self._frames:  # an arm that was there earlier has done nothing here
            paused = [entry for entry in paused if entry[1].seat in self._frames]
        if paused:
            return max(paused, key=lambda entry: entry[0].end)[1].seat
        if self._frames:
            return self._frames.most_common(1)[0][0]
        recent = [reach for reach in self._scene.reaches if reach.last_seen >= since]
        return recent[-1].seat if recent else None

    def hand_at(self, place: Place | None) -> NearHand | None:
        """Return the hand that did something at `place` just now; None if hands are not seen as such.

        If none was seen near, or two were, whoever draws next has done it.
        """
        if place is None or not self._scene.by_hands:
            return None
        start = max(self.since - _BEFORE_SECONDS, self._covered - _JUST_SECONDS)
        hand = self._scene.nearest_hand(place, start)
        if hand is None:
            return self._scene.first_to_draw(None, self._covered)
        drew = self._scene.first_to_draw({hand.seat, *hand.rivals}, hand.t) if hand.rivals else None
        return hand if drew is None else drew

    def is_sure_who(self, place: Place) -> bool:
        """Return whether one hand alone can have done something at `place`, if hands are seen as such."""
        if not self._scene.by_hands:
            return True
        hand = self.hand_at(place)
        return hand is not None and not hand.rivals

    def player_at(self, card: Observation) -> str | None:
        """Return the player whose arm was where a card is, as `who`."""
        return self._scene.player(self.who((card.x, card.y)))
