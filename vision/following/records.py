"""Records that the parts of the event logic pass to each other: looks at the table, and events."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Protocol

import cv2
import numpy as np

from engine.events import PUTS_DOWN, Event, EventKind
from vision.following.comparisons import compare
from vision.following.patches import CloseUp
from vision.table.layout import Layout, Zone
from vision.table.observations import Observation
from vision.types import Image

_TURNS: tuple[EventKind, ...] = (*PUTS_DOWN, "pick_up", "take_up", "take_down")
"""Acts that take a turn."""
_LIGHT_LEVEL = 25.0
"""A change of light alone changes a place by less than this (0-255)."""
_SWAY_SIGMA_PX = 1.2
"""Smoothing of two pictures of a swaying camera, which may be off by a part of a pixel. A film sways by 3
pixels. At rest, half of its pictures of the draw pile differ by 0.13 or more as they are. If smoothed, they
differ by 0.01. Draws change them by 0.16 or more either way. If the camera is at rest, smoothing only hides
the edge of the next card of a neat pile."""
_OTHER_LEVEL, OTHER_SHARE = 10.0, 0.08
"""A place has changed if more than this share of its pixels differs by more than this level (0-255). A change
of the light does not count. At rest almost none differ; a card put on another changes a fifth or more."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A small picture of one place."""

    pixels: Image
    """Height x width x 3, BGR."""
    swaying: bool = False
    """Whether the camera had moved shortly before."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A finished deal, with which the event logic of a game begins."""

    layout: Layout
    """Where everything is; the play pile and the burn pile may be found later."""
    up: Sequence[Sequence[str | None]]
    """The face-up cards before each seat, left to right as the player sees them; None: no card."""
    t: float
    """When it came to rest, seconds of the source."""
    now: float
    """When that was decided."""
    confidence: float = 1.0
    """Probability that every face-up card is named correctly."""
    packs: int = 1
    """How many packs the game is played with."""
    told: int = 0
    """How many events the game already has: new ones are numbered after them."""


@dataclass(frozen=True, slots=True)
class UnderArm:
    """A card that an arm partly covers, holds, or has just put down."""

    seat: int
    seen: Observation
    covered: float
    """Share of the card that lies under the arm (0..1)."""
    moving: bool


@dataclass(frozen=True, slots=True)
class Look:
    """One reading of the whole table, sorted by how reliable its parts are."""

    t: float
    cards: tuple[Observation, ...]
    """Cards that lie free of arms and movement."""
    under_arms: tuple[UnderArm, ...] = ()
    hidden: frozenset[Zone] = frozenset()
    """Zones that something covers: what is there is unknown, not gone."""
    patches: Mapping[Zone, Patch] = field(default_factory=dict)
    """Small pictures of the zones. They show whether anything there has changed at all."""
    pile: CloseUp | None = None
    """A close picture of the play pile."""
    burnt: CloseUp | None = None
    """A close picture of the burn pile; None while something covers it."""
    unchanged: tuple[Observation, ...] = ()
    """In a joined game: the cards beside the rows that nobody has touched since."""


def same_patch(first: Patch | None, second: Patch | None) -> bool:
    """Return whether two small pictures of one place show the same; False if one is missing."""
    return changed_share(first, second) < OTHER_SHARE


def changed_share(first: Patch | None, second: Patch | None) -> float:
    """Return the share of a place that differs between two small pictures; 1 if one is missing.

    A moderate change of the whole picture is a change of the light, and does not count.
    """
    if first is None or second is None:
        return 1.0
    share = compare("patch", first.pixels, second.pixels, (), lambda: _changed_share(first, second))
    return 1.0 if share is None else share


def _changed_share(first: Patch, second: Patch) -> float:
    before, now = first.pixels, second.pixels
    if before.shape != now.shape or before.size == 0:
        return 1.0
    if first.swaying or second.swaying:
        before, now = (
            np.asarray(cv2.GaussianBlur(p, (0, 0), _SWAY_SIGMA_PX), np.uint8) for p in (before, now)
        )
    change = before.astype(np.int16) - now.astype(np.int16)
    light = np.median(change, axis=(0, 1))
    if np.abs(light).max() > _LIGHT_LEVEL:
        return 1.0
    return float((np.abs(change - light).max(axis=-1) > _OTHER_LEVEL).mean())


def _smoothed(pixels: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), _SWAY_SIGMA_PX), np.uint8)


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

    def mark_under_way(self, deal: Event) -> Event:
        """Mark a deal that has not been handed over: its game was going on when it was first seen."""
        marked = replace(deal, under_way=True)
        self.fresh = [marked if event is deal else event for event in self.fresh]
        self.last = marked if self.last is deal else self.last
        self._latest[deal.id] = marked
        return marked

    def _moved(self, event: Event) -> None:
        """Note which cards have gone into a hand, and which have come out of one."""
        if event.player is not None and event.event in ("pick_up", "take_up") and not event.withdrawn:
            self.held |= dict.fromkeys(event.cards, event.player)
        else:
            for card in event.cards:
                self.held.pop(card, None)

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
            self._showed((who for who, _ in event.answers[len(before.answers) :]), event.t or now)
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
