"""Name the cards that were hidden under those of a play.

A set put down as one squared stack shows only its top card. A draw or a burn may then show that there were
more (`Outcome.hidden`). Each card exists once per pack. If exactly as many cards of that rank are unaccounted
for as were hidden, it was those. If the player is known to have held exactly so many, it was most likely
those, because players put down all cards of a rank. Until then the players are asked, and later events may
answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.cards import FULL_PACK, RANK_OF, UNKNOWN, is_whole
from engine.deals import packs_for
from engine.events import PUTS_DOWN, TAKES_PILE, Event
from engine.referee.outcome import Outcome
from engine.referee.state import Knowledge

_MOST_CONFIDENCE = 0.9
"""Highest confidence of a card that was inferred and not seen."""


@dataclass(slots=True)
class _Stack:
    """A play with hidden cards."""

    play: Event
    shown_by: Event
    """The draw or burn that revealed it."""
    count: int
    """Number of hidden cards; 0: not known."""
    may_be: tuple[str, ...]
    """The unaccounted cards of its rank."""
    held: tuple[str, ...]
    """Those of them that its player is known to have held."""
    named: tuple[str, ...] = ()
    """The hidden cards, once known."""

    def stands(self, play: Event | None) -> bool:
        """Return whether the play has not changed, apart from its hidden cards."""
        return play is not None and self.play.cards == tuple(c for c in play.cards if c not in self.named)

    def taken_by(self, events: Sequence[Event]) -> Event | None:
        """Return the event that took the visible cards off the pile."""
        later = (event for event in events if event.event in TAKES_PILE and event.t > self.play.t)
        return next((event for event in later if self.play.cards[-1] in event.cards), None)

    def determined(self, events: Sequence[Event]) -> tuple[str, ...]:
        """Return the hidden cards, or nothing if the events do not determine them.

        Cards put down later were not hidden, unless by the player who picked the pile up.
        """
        if not any(event.id == self.shown_by.id and event.count == self.shown_by.count for event in events):
            return ()
        took = self.taken_by(events)
        since = [event for event in events if event.event in PUTS_DOWN and event.t > self.play.t]
        if took is not None and took.event == "pick_up":
            since = [event for event in since if event.t < took.t or event.player != took.player]
        elsewhere = {card for event in since for card in event.cards}
        may_be = tuple(card for card in self.may_be if card not in elsewhere)
        held = tuple(card for card in self.held if card in may_be)
        return next((cards for cards in (may_be, held) if len(cards) == self.count), ())

    def update(self, events: Sequence[Event], now: float) -> Iterator[Event]:
        """Yield the events that name the hidden cards, or take the names back. There may be none."""
        found, before = self.determined(events), self.named
        if found == before:
            return
        self.named, took = found, self.taken_by(events)
        for event in events:
            if event.event == "unclear" and event.concerns == self.play.id and found:
                yield replace(_revision(event, event.cards, now), withdrawn=True)
            elif event.id == self.play.id or event is took:
                cards = [card for card in event.cards if card not in before]
                at = cards.index(self.play.cards[-1])
                yield _revision(event, [*cards[:at], *found, *cards[at:]], now)

    def question(self, now: float) -> Event:
        """Return the question which cards are hidden, as an event that still needs its words."""
        about = Event(id=0, event="unclear", t=self.shown_by.t, decided_at=now, player=self.play.player)
        return replace(about, cards=self.may_be, concerns=self.play.id)


class HiddenCardNamer:
    """Names the hidden cards of one game once events determine them, and asks for them once until then."""

    def __init__(self) -> None:
        self._stacks: list[_Stack] = []
        self._handled: set[int] = set()
        """The ids of plays that had hidden cards."""

    def follow(
        self,
        ruled: Mapping[int, Outcome],
        events: Sequence[Event],
        state: Knowledge,
        now: float,
        settled: Collection[int],
        taken_back: Sequence[Event],
    ) -> list[Event]:
        """Return the consequences of events just ruled on (`engine.referee.referee.Referee.name_hidden`).

        Args:
            ruled: by id: the present outcomes of those events.
            events: every valid event of the game, in the order of the reports.
            state: the knowledge of the table after them.
            now: when the consequences are decided.
            settled: the ids of events that people have corrected. Nothing is inferred about them.
            taken_back: plays that were withdrawn because their cards left the pile again.
        """
        standing = {event.id: event for event in events if event.id not in settled}
        self._stacks = [stack for stack in self._stacks if stack.stands(standing.get(stack.play.id))]
        told = [event for stack in self._stacks for event in stack.update(events, now)]
        for event in events:
            outcome = ruled.get(event.id)
            if outcome is None or outcome.hidden is None:
                continue
            stack = self._new_stack(event, outcome.hidden, events, state, taken_back)
            if stack is not None:
                self._handled.add(stack.play.id)
                self._stacks.append(stack)
                told += stack.update(events, now)
                if not stack.named and event.event == "draw":
                    told.append(stack.question(now))
        return told

    def _new_stack(
        self,
        shown_by: Event,
        count: int,
        events: Sequence[Event],
        state: Knowledge,
        taken_back: Sequence[Event],
    ) -> _Stack | None:
        """Return the play with `count` hidden cards that an event reveals, or None if it is already known."""
        play = next((event for event in reversed(events) if event.event in PUTS_DOWN), None)
        if play is None or play.id in self._handled or play.player is None or play.player != shown_by.player:
            return None
        if play.event != "play" or not play.cards or UNKNOWN in play.cards or not is_whole(play.cards[-1]):
            return None
        # Burnt cards come from the events, because the state's burn pile includes guesses.
        seen = {*play.cards, *state.pile}
        seen.update(*(event.cards for event in events if event.event == "burn"))
        for name, seat in state.seats.items():
            seen.update(seat.up, () if name == play.player else filter(is_whole, seat.hand))
        rank = RANK_OF[play.cards[-1]]
        may_be = tuple(card for card in FULL_PACK if RANK_OF[card] == rank and card not in seen)
        own = _held_at(play, [*events, *taken_back])
        held = tuple(card for card in may_be if card in own)
        drawn_for_all = shown_by.count == len(play.cards) + count
        if shown_by.event == "draw" and not drawn_for_all and len(held) != count:
            count = 0
        one_pack = packs_for(state.rules.mechanics, len(state.seats)) == 1
        return _Stack(play, shown_by, count if one_pack else 0, may_be, held) if may_be else None


def _held_at(play: Event, events: Sequence[Event]) -> set[str]:
    """Return the cards that a player is known to have held before a play.

    They were picked up, taken up, or put down and taken back.
    """
    held: set[str] = set()
    for event in sorted(events, key=lambda event: event.t):
        if event.player != play.player or event.t >= play.t:
            continue
        if event.withdrawn or event.event in ("pick_up", "take_up"):
            held.update(event.cards)
        else:
            held.difference_update(event.cards)
    return held


def _revision(event: Event, cards: Sequence[str], now: float) -> Event:
    """Return the event with these cards, as a revision of itself that is decided now."""
    return replace(
        event,
        id=0,
        revise=event.id,
        cards=tuple(cards),
        count=None if event.count is None else len(cards),
        confidence=min(event.confidence, _MOST_CONFIDENCE),
        decided_at=max(now, event.decided_at),
    )
