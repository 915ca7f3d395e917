"""The events that were reported, and what follows from them: cards owed, cards held, who acted last."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Protocol

from engine.events import PUTS_DOWN, Event, EventKind

_TURNS: tuple[EventKind, ...] = (*PUTS_DOWN, "pick_up", "take_up", "take_down")
"""Acts that take a turn."""


class BeforeAction(Protocol):
    """Reports what happened before an act, so that events keep their order."""

    def __call__(
        self, seat: int | None, now: float, t: float | None = None, *, took_pile: bool = False
    ) -> None:
        """Report it before what a seat (None: unknown) does now, or is found to have done at `t`."""
        ...


@dataclass(frozen=True, slots=True)
class PutDown:
    """Cards that a player put down and has not drawn for."""

    t: float
    count: int
    shown: bool = False
    """Whether it is one that the player showed, or answered with."""


@dataclass(slots=True)
class ReportedEvents:
    """Numbers the events, and keeps those that have not been handed over yet."""

    count: int = 0
    fresh: list[Event] = field(default_factory=list)
    last: Event | None = None
    """The latest thing that happened, in its latest form (revisions included). A question does not count.

    An exchange is reported when its player's hand has gone, though others may have begun to play.
    """
    put_down: dict[str, PutDown] = field(default_factory=dict)
    """The cards that each player last put down from the hand, less those reported as drawn since."""
    last_plays: dict[str, Event] = field(default_factory=dict)
    """Each player's last play, in its first form."""
    held: dict[str, str] = field(default_factory=dict)
    """The holder of each card that was seen to go into a hand and has not been reported elsewhere since."""
    was_hidden: Callable[[str | None, float, float], bool] = lambda player, start, end: False
    """Returns whether bodies of players other than this one hid the play pile between two times."""
    turns: int = 0
    """How many reported acts took a turn, or took the pile away."""
    _put_at: float = -math.inf
    """When cards were last played."""
    _latest: dict[int, Event] = field(default_factory=dict)
    """The latest form of each event, by the id of its first form."""

    def add(self, kind: EventKind, t: float, now: float, **fields: Any) -> Event:
        """Add a new event."""
        self.count += 1
        if kind in _TURNS and self.last is not None and self.was_hidden(fields.get("player"), self.last.t, t):
            fields["unseen"] = True
        event = Event(id=self.count, event=kind, t=t, decided_at=now, **fields)
        self.fresh.append(event)
        self._latest[event.id] = event
        self.turns += kind in _TURNS or kind == "burn"
        if kind != "unclear":
            self._moved(event)
            if kind != "exchange" or self.last is None or t >= self.last.t:
                self.last = event
        if event.player is not None and kind == "play":
            self.last_plays[event.player] = event
            if count := _from_hand(event):
                before = self.put_down.get(event.player)
                owed = before.count if before is not None and before.shown else 0
                self.put_down[event.player] = PutDown(t, count + owed)
            self._put_at = max(t, self._put_at)
        elif event.player is not None and kind == "show":
            self._showed([event.player, *(who for who, _ in event.answers)], t)
        elif event.player is not None and kind == "draw":
            self._drawn(event.player, event.count or 1)
        return event

    def mark_under_way(self, deal: Event, pile: tuple[str, ...]) -> Event:
        """Mark a deal that has not been handed over: its game was going on when it was first seen.

        `pile`: the cards on the play pile, bottom first, as far as they are known.
        """
        marked = replace(deal, under_way=True, cards=pile)
        self.fresh = [marked if event is deal else event for event in self.fresh]
        self.last = marked if self.last is deal else self.last
        self._latest[deal.id] = marked
        return marked

    def _moved(self, event: Event) -> None:
        """Note which cards have gone into a hand, and which have come out of one."""
        if event.player is not None and event.event in ("pick_up", "take_up") and not event.withdrawn:
            self.takes_into_hand(event.player, event.cards)
        else:
            for card in event.cards:
                self.held.pop(card, None)

    def takes_into_hand(self, player: str | None, cards: Iterable[str]) -> None:
        """Note that a player (None: nobody knows who) has taken cards into the hand."""
        if player is not None:
            self.held |= dict.fromkeys(cards, player)

    def _showed(self, players: Iterable[str], t: float) -> None:
        """Note that players have put down one card each: shown cards are burnt."""
        self.put_down |= {player: PutDown(t, 1, shown=True) for player in players}

    def _drawn(self, player: str, count: int, t: float = -math.inf) -> None:
        """Note that a player has drawn `count` cards; if negative, has put down that many more than reported.

        `t`: when the player put them down, if no other cards are owed.
        """
        put = self.put_down.pop(player, None) or PutDown(t, 0)
        if put.count > count:
            self.put_down[player] = PutDown(put.t, put.count - count)

    def revise(self, earlier: Event, now: float, **changes: Any) -> Event:
        """Add a corrected form of an event, and return it. It names the id of the first form.

        Fields that do not change are as in the latest form.
        """
        self.count += 1
        first, before = _first_id(earlier), self.latest(earlier)
        event = replace(before, id=self.count, decided_at=now, revise=first, **changes)
        if event.event == "draw" and event.player is not None:
            self._drawn(event.player, (event.count or 1) - (before.count or 1))
        elif event.event == "show":
            showing = [who for who, _ in event.answers[len(before.answers) :]]
            if before.event != "show" and event.player is not None and event.player in self.put_down:
                showing.append(event.player)
            self._showed(showing, event.t or now)
        else:
            more = Counter({event.player: _from_hand(event)})
            more.subtract({before.player: _from_hand(before)})
            for player, count in more.items():
                if player is not None and count:
                    self._drawn(player, -count, event.t)
        self.fresh.append(event)
        self._latest[first] = event
        self._moved(event)
        if self.last is not None and _first_id(self.last) == first:
            self.last = event
        return event

    def latest(self, event: Event) -> Event:
        """Return the latest form of an event, given any of its forms."""
        return self._latest.get(_first_id(event), event)

    def last_play_of(self, player: str | None) -> Event | None:
        """Return the latest form of a player's last play, which may be withdrawn; None if there is none."""
        play = self.last_plays.get(player or "")
        return None if play is None else self.latest(play)

    def is_newest(self, event: Event) -> bool:
        """Return whether no event has been added since this one, given any of its forms."""
        return self.last is not None and _first_id(self.last) == _first_id(event)

    def since(self, event: Event) -> list[Event]:
        """Return the events that were added after this one, given any of its forms; no questions."""
        later = [act for first, act in self._latest.items() if first > _first_id(event)]
        return [act for act in later if not act.withdrawn and act.event != "unclear"]

    def put_down_by(self, player: str | None) -> PutDown | None:
        """Return what a player (None: unknown) has put down and not drawn for; None if nothing."""
        return self.put_down.get(player or "")

    def spare_cards(self, player: str | None, before: float) -> int:
        """Return how many more hand cards a player had before a time than at the deal, as far as events show.

        A player who has picked up cards need not draw before they are played, unless the table's rules want
        it. Draws may have been missed, so nobody counts as having fewer cards than at the deal.
        """
        spare = 0
        stands = (event for event in self._latest.values() if not event.withdrawn)
        earlier = [(event.t, event) for event in stands if event.t is not None and event.t < before]
        for _, event in sorted(earlier, key=itemgetter(0)):
            change = _change_of_hand(event, player)
            if change is None:
                continue
            owes = event.event == "draw" and spare < 0
            spare = min(0, spare + change) if owes else max(0, spare) + change
        return max(0, spare)

    def is_past(self, put: PutDown, by: float = math.inf) -> bool:
        """Return whether the latest play is later than that of these cards, and not later than `by`."""
        return put.t < self._put_at <= by

    def take(self) -> list[Event]:
        """Return and forget the events that have not been handed over."""
        fresh, self.fresh = self.fresh, []
        return fresh


def _change_of_hand(event: Event, player: str | None) -> int | None:
    """Return how many cards an event added to a player's hand; None if it left the hand as it was."""
    if event.event == "show":
        return -1 if player in (event.player, *(who for who, _ in event.answers)) else None
    if event.player != player:
        return None
    if event.event in ("pick_up", "take_up"):
        return event.count or len(event.cards)
    if event.event == "draw":
        return event.count or 1
    return -_from_hand(event) or None


def _from_hand(event: Event) -> int:
    """Return how many cards an event put down from a hand. Players draw only for those."""
    played = event.event == "play" and event.source not in ("up", "down") and not event.withdrawn
    return len(event.cards) if played else 0


def _first_id(event: Event) -> int:
    return event.revise or event.id
