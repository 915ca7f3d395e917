"""Cards held out over the table: the player who shows, the player who is shown the card, and the answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from vision.decks.card_classes import rank_of
from vision.following.certainty import FAIRLY_LIKELY, READ_AT_ALL
from vision.following.looks import AGREEING_LOOKS, Look
from vision.following.scene import Scene, off_the_way
from vision.hands.tracks import GONE_SECONDS, ArmTrack
from vision.table.layout import Place
from vision.table.observations import Observation, assign_names, fuse_looks

_HELD_STILL_MM, _AT_TIP_MM = 45.0, 60.0
"""A card that moves less than the first distance is held still. Its middle is at most the second distance
from the fingertips."""
_HELD_STILL_SECONDS = 0.4
"""A card that is held out is held still for at least so long."""
ELSEWHERE_MM = 80.0
"""No hand holds a card at two places farther apart than this."""
_GONE_HOME_SECONDS = 0.6
"""A hand that has not come back for this long has left for good. Looks that agree then show whether it has
put its card down or away."""
_AWAITS_ANSWER_SECONDS = 10.0
"""An answer comes no later than this after a card was held out."""
_CROSSING_SECONDS = 2.0
"""A card under crossing arms may have last been seen this long ago."""
_HOME_MM, _STRAYS_MM = 100.0, 45.0
"""A hand that goes this far goes home with its card, unless it strays farther than the second distance."""


class Lies(Protocol):
    """Finds out whether a card under a seat's arm lies where it is; see `CardLocations.lies`."""

    def __call__(self, card: Observation, seat: int, *, holds_another: bool, answers: bool) -> bool:
        """Return whether the card lies there.

        `holds_another`: that seat's hand holds out another card, far from there; `answers`: a card of its
        rank.
        """
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """A shown card, with its answers, as one event."""

    seat: int
    card: str
    to: int
    answers: tuple[tuple[int, int], ...]
    cards: tuple[str, ...]
    """All cards held out: the shown card and those of the answers."""
    since: float
    """When the card was first seen held out."""
    t: float
    confidence: float
    taken_home: bool
    """Whether each hand was seen to go straight home with its card."""


@dataclass(slots=True)
class _Hold:
    """One player's card in the air, over the looks of one reach."""

    seat: int
    """The seat of the holder."""
    reach: ArmTrack
    """The arm it is seen under; if arms cross, this is another player's."""
    first: float
    last: float
    looks: list[Observation] = field(default_factory=list)
    """Its readings in the looks, oldest first."""

    elsewhere: bool = False
    """Whether it is seen under an arm that holds out another card far away: two arms look like one."""

    own_arm: float = -math.inf
    """When the holder's own arm was last seen, after the other arm over the card had gone."""

    @property
    def left(self) -> float:
        """When the hand that held it was last seen."""
        return max(self.reach.last_seen, self.own_arm)

    @property
    def place(self) -> Place:
        """Where it was seen last."""
        return self.looks[-1].place

    @property
    def lasts(self) -> bool:
        """Whether it has been held out for long enough."""
        return self.last - self.first >= _HELD_STILL_SECONDS and len(self.looks) >= AGREEING_LOOKS

    @property
    def named(self) -> tuple[str | None, float]:
        """Its name, or None if that is unclear, and the probability of the likeliest name."""
        # A card in the air sways, so its looks are aligned with the last one before they vote.
        x, y, angle = self.looks[-1].x, self.looks[-1].y, self.looks[-1].angle
        (settled,) = fuse_looks([[replace(seen, x=x, y=y, angle=angle)] for seen in self.looks])
        name, p = assign_names([settled.observation])[0]
        return (name, p) if p >= FAIRLY_LIKELY else (None, p)

    @property
    def name(self) -> str | None:
        """Its name; None if that is unclear."""
        return self.named[0]

    def shows(self, card: Observation) -> bool:
        """Return whether a card is where this one was seen last."""
        return math.dist(self.place, card.place) < _HELD_STILL_MM

    def is_far_from(self, card: Observation) -> bool:
        """Return whether a card is too far from this one for the same hand to hold both."""
        return math.dist(self.place, card.place) > ELSEWHERE_MM

    @property
    def crosses(self) -> bool:
        """Whether it is seen under another player's arm."""
        return self.seat != self.reach.seat

    @property
    def went_home(self) -> bool:
        """Whether the hand was seen to go straight home afterwards."""
        after = [place for t, place in self.reach.path if t >= self.last]
        if not after or math.dist(after[0], after[-1]) < _HOME_MM:
            return False
        return all(off_the_way(after[0], after[-1], place) <= _STRAYS_MM for place in after)


class Shows:
    """Collects held-out cards until all hands that held one have left."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._open: list[_Hold] = []
        self._done: list[_Hold] = []

    @property
    def active(self) -> bool:
        """Whether a card is held out, or was until just now."""
        return bool(self._held)

    @property
    def is_named(self) -> bool:
        """Whether a card that is held out, or was until just now, can be named."""
        return any(hold.name is not None for hold in self._held)

    @property
    def _held(self) -> list[_Hold]:
        """The cards that are held out, and those that were until just now."""
        return [*self._done, *(hold for hold in self._open if hold.lasts)]

    def lasts(self, now: float) -> bool:
        """Return whether a card is still held out, but not too long for an answer."""
        return any(hold.lasts and now - hold.first < _AWAITS_ANSWER_SECONDS for hold in self._open)

    def shown_before(self, card: Observation) -> bool:
        """Return whether a card that lies free was just held out still at another place."""
        return card.best[0] in self._names_far_from(card)

    def _names_far_from(self, card: Observation) -> list[str | None]:
        """Return the names of cards that are held out far from this one, or were until just now."""
        return [hold.name for hold in self._held if hold.is_far_from(card)]

    def holds_out(self, cards: Sequence[Observation]) -> bool:
        """Return whether one of the cards is where it is held out, or was when its hand was last seen."""
        pairs = ((hold, card) for hold in self._held for card in cards)
        return any(hold.name == card.best[0] and hold.shows(card) for hold, card in pairs)

    def look(self, look: Look, holder: Callable[[Observation, int], int], lies: Lies) -> None:
        """Take in the cards under arms in one look.

        If two cards are read in one place, such as half of another card beside the first, the surest counts.
        `holder` returns the seat whose hand holds a card under a seat's arm. `lies` returns whether a card
        only lies there.
        """
        for held in sorted(look.under_arms, key=lambda held: -held.seen.best[1]):
            card, seat = held.seen, holder(held.seen, held.seat)
            reach = self._scene.last_reach(held.seat)
            name, p = card.best
            if reach is None or card.face != "up" or name is None or p < READ_AT_ALL:
                continue
            if self._scene.layout.is_at_a_player(card.place):
                continue
            held_elsewhere = self._held_elsewhere(seat, card, look.t)
            another = held_elsewhere is not None or self.hold_across(card)
            answers = another and self._is_of_shown_rank(card)
            rests = self._scene.hand_rests(held.seat)
            if not rests or lies(card, seat, holds_another=another, answers=answers):
                continue
            near = [h for h in self._open if (h.seat == seat or h.elsewhere) and h.shows(card)]
            shown = None if near else held_elsewhere
            if shown is not None:
                across = self._across(card, reach, shown, look.t)
                if across is None:
                    continue
                reach, seat = across
                near = [h for h in self._open if h.seat == seat and h.shows(card)]
            if not near:
                near = [_Hold(seat, reach, look.t, look.t, elsewhere=shown is not None)]
                self._open += near
            elif near[0].last == look.t:
                continue
            near[0].looks.append(card)
            near[0].last = look.t
        self._hold_on(look)

    def _hold_on(self, look: Look) -> None:
        """Take in a held-out card that seems to lie free, because its resting arm was lost from sight."""
        for hold in self._open:
            reach, name = hold.reach, hold.looks[-1].best[0]
            stays = look.t - reach.last_seen < GONE_SECONDS and math.dist(reach.tip, hold.place) < _AT_TIP_MM
            free = (card for card in look.cards if card.face == "up" and card.best[0] == name)
            there = next(filter(hold.shows, free), None)
            if stays and there is not None and hold.last < look.t:
                hold.looks.append(there)
                hold.last = look.t

    def _held_elsewhere(self, seat: int, card: Observation, now: float) -> _Hold | None:
        """Return another card that a seat has held out for long enough, far from this one."""
        there = (
            hold
            for hold in self._open
            if hold.seat == seat
            and hold.lasts
            and now - hold.last < _CROSSING_SECONDS
            and hold.name != card.best[0]
            and hold.is_far_from(card)
        )
        return next(there, None)

    def _across(
        self, card: Observation, reach: ArmTrack, shown: _Hold, now: float
    ) -> tuple[ArmTrack, int] | None:
        """Return the holder of a card far from the shown one, and the arm it is seen under.

        No hand holds two cards so far apart: crossing arms look like one. The other arm was either seen just
        now, or it belongs to the player who is shown the first card and answers. Return None if neither is
        clear.
        """
        reaches, layout = self._scene.reaches, self._scene.layout
        others = [r for r in reaches if r.seat != shown.seat and now - r.last_seen < _CROSSING_SECONDS]
        if others:
            return (others[-1], others[-1].seat) if len({r.seat for r in others}) == 1 else None
        to = layout.seat_pointed_at(shown.seat, shown.place)
        return (reach, to) if layout.seat_pointed_at(to, card.place) == shown.seat else None

    def _is_of_shown_rank(self, card: Observation) -> bool:
        """Return whether a card of the same rank is held out far from there, or was until just now."""
        return any(rank_of(name) == rank_of(card.best[0]) for name in self._names_far_from(card))

    def hold_across(self, card: Observation) -> bool:
        """Return whether a card is held out, or was just now, by a hand that seems part of another arm."""
        return any(hold.elsewhere and hold.shows(card) for hold in (*self._done, *self._open))

    def forget(self, seat: int) -> None:
        """Note that the card a seat held has been played."""
        self._open = [hold for hold in self._open if hold.seat != seat]

    def lie_free(self, cards: Sequence[Observation]) -> None:
        """Note cards that lie where they seemed to be held out: no hand showed them."""

        def lies(hold: _Hold) -> bool:
            return any(hold.name == card.best[0] and hold.shows(card) for card in cards)

        self._open = [hold for hold in self._open if not lies(hold)]
        self._done = [hold for hold in self._done if not lies(hold)]

    def reach_ended(self, reach: ArmTrack) -> bool:
        """Note that an arm has left the picture: the card it held out longest was shown.

        Return whether it held a card out.
        """
        gone = [hold for hold in self._open if hold.reach.seat == reach.seat]
        self._open = [hold for hold in self._open if hold.reach.seat != reach.seat]
        longest: dict[int, _Hold] = {}
        for hold in sorted(gone, key=lambda hold: hold.last - hold.first):
            # The hand put nothing more away after that: two names were read in one place, one after the
            # other.
            if hold.lasts and (hold.name is not None or hold.seat not in longest):
                longest[hold.seat] = hold
        self._done += longest.values()
        return bool(longest)

    @property
    def left(self) -> float | None:
        """When the last hand that held a card out left; None if there is nothing to report."""
        return max((hold.left for hold in self._done), default=None)

    def over(self, now: float, present: Collection[int], looks: int) -> bool:
        """Return whether every hand with a held-out card has left for good, and its place has been seen.

        `looks`: how often the table was looked at since the last one left.
        """
        if any(hold.lasts and hold.reach.seat in present for hold in self._open):
            return False
        alone = [hold for hold in self._done if hold.crosses and hold.seat in present]
        for hold in alone:  # the arm over the card has left, and the holder's own arm is seen
            hold.own_arm = now
        if alone:
            return False
        quiet = -math.inf if self.left is None else now - self.left
        return quiet > _GONE_HOME_SECONDS and looks >= AGREEING_LOOKS

    def take(self, elsewhere: Collection[str]) -> Shown | None:
        """Return the finished show, or None, and forget it. `elsewhere`: cards that lie on the table."""
        pointed_at = self._scene.layout.seat_pointed_at
        holds = sorted(self._done, key=lambda hold: (hold.first, hold.crosses))
        self._done = []
        named = [(hold, *hold.named) for hold in holds]
        named = [(h, name, p) for h, name, p in named if name and (h.crosses or name not in elsewhere)]
        if not named:
            return None
        # A hand that was lost from sight and came back with the same card has held it out only once.
        once: dict[tuple[int, str | None], _Hold] = {}
        for hold, name, _ in named:
            once.setdefault((hold.seat, name), hold)
        directed = [(hold, pointed_at(hold.seat, hold.place)) for hold in once.values()]
        first, card, p = named[0]
        assert card is not None
        return Shown(
            seat=first.seat,
            card=card,
            to=directed[0][1],
            answers=tuple((hold.seat, to) for hold, to in directed[1:]),
            cards=tuple(name for _, name in once if name),
            since=first.first,
            t=max(hold.left for hold, _, _ in named),
            confidence=0.9 * p,
            taken_home=all(hold.went_home for hold, _, _ in named),
        )
