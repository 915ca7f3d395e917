"""Cards held out over the table: who shows which card to whom, and who answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from vision.arms import Reach
from vision.events_record import Look
from vision.layout import Layout
from vision.slots import Seen, name_cards, vote

_HELD_MM = 45.0
_HELD_SECONDS = 0.4
_MIN_NAME = 0.4
_QUIET_SECONDS = 0.6
_RESTING_SECONDS = 0.12


@dataclass(frozen=True, slots=True)
class Shown:
    """A card shown, with its answers, as one event."""

    seat: int
    card: str
    to: int
    answers: tuple[tuple[int, int], ...]
    cards: tuple[str, ...]
    """All cards held out: the shown one and those of the answers."""
    t: float
    confidence: float


@dataclass(slots=True)
class _Hold:
    """One player's card in the air, over the looks of one reach."""

    seat: int
    reach: Reach
    first: float
    last: float
    looks: list[list[Seen]] = field(default_factory=list)


class Shows:
    """Collects held-out cards until all hands that held one have gone."""

    def __init__(self) -> None:
        self._open: dict[int, _Hold] = {}
        self._done: list[_Hold] = []

    @property
    def active(self) -> bool:
        """Whether a card is held out, or was until just now."""
        return bool(self._done) or any(_long_enough(hold) for hold in self._open.values())

    def holds(self, card: str | None) -> bool:
        """Tell whether this card is or was just held out still."""
        held = [*self._done, *self._open.values()]
        return any(_long_enough(hold) and _name(hold)[0] == card for hold in held)

    def look(self, look: Look, known: Collection[str], reaches: Sequence[Reach]) -> None:
        """Take in the cards that arms hold in one look; `known` cards lie on the table and are no such."""
        for seat, card in look.in_hand:
            reach = next((r for r in reversed(reaches) if r.seat == seat), None)
            name, p = card.best
            if reach is None or card.face != "up" or name is None or p < 0.25 or name in known:
                continue
            if reach.resting < _RESTING_SECONDS:
                continue
            hold = self._open.get(seat)
            if hold is None or math.dist(_place(hold.looks[-1][0]), _place(card)) > _HELD_MM:
                if hold is not None and _long_enough(hold):
                    continue  # on its way from where it was held out
                hold = self._open[seat] = _Hold(seat, reach, look.t, look.t)
            hold.looks.append([card])
            hold.last = look.t

    def forget(self, seat: int | None) -> None:
        """Note that what the seat held has been played."""
        if seat is not None:
            self._open.pop(seat, None)

    def reach_ended(self, reach: Reach, layout: Layout) -> None:
        """Note that an arm has gone out of the picture."""
        hold = self._open.pop(reach.seat, None)
        if hold is not None and _long_enough(hold):
            self._done.append(hold)

    def over(self, now: float, present: Collection[int]) -> bool:
        """Tell whether every hand that held a card out has gone for good."""
        if not self._done or self._open.keys() & set(present):
            return False
        return now - max(hold.reach.last for hold in self._done) > _QUIET_SECONDS

    def take(self, layout: Layout, elsewhere: Collection[str]) -> Shown | None:
        """Return the finished show, or None, and forget it. `elsewhere`: cards that lie on the table."""
        holds = sorted(self._done, key=lambda hold: hold.first)
        self._done = []
        named = [(hold, *_name(hold)) for hold in holds]
        named = [entry for entry in named if entry[1] is not None and entry[1] not in elsewhere]
        if not named:
            return None
        directed = [(hold, layout.seat_shown(hold.seat, _place(hold.looks[-1][0]))) for hold, _, _ in named]
        first, card, p = named[0]
        assert card is not None
        return Shown(
            seat=first.seat,
            card=card,
            to=directed[0][1],
            answers=tuple((hold.seat, to) for hold, to in directed[1:]),
            cards=tuple(name for _, name, _ in named if name),
            t=max(hold.reach.last for hold, _, _ in named),
            confidence=0.9 * p,
        )


def _long_enough(hold: _Hold) -> bool:
    return hold.last - hold.first >= _HELD_SECONDS and len(hold.looks) >= 2


def _name(hold: _Hold) -> tuple[str | None, float]:
    # Held in the air the card sways: looks are lined up on the last one before they vote.
    x, y, angle = hold.looks[-1][0].x, hold.looks[-1][0].y, hold.looks[-1][0].angle
    lined = [[Seen(x, y, angle, card.face, card.odds) for card in look] for look in hold.looks]
    settled = vote(lined)
    name, p = name_cards([settled[0].seen])[0]
    return (name, p) if p >= _MIN_NAME else (None, p)


def _place(card: Seen) -> tuple[float, float]:
    return card.x, card.y
