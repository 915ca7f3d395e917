"""Filter out past events that a watcher reports after it started in mid-game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.game.corrections import Misread, with_real_cards
from engine.cards import copies
from engine.events import PUTS_ON_PILE, Event
from engine.referee.reconciling import without


class ReplayFilter:
    """Keeps past events out of the log, for a watcher that started in mid-game.

    Such a watcher takes the table for a fresh deal, and the cards on the pile for plays. A card that lay on
    the pile cannot be played before the pile is taken away. Covered cards, which the watcher cannot see, go
    with the pile.
    """

    def __init__(self, lying: Sequence[str], misread: Sequence[Misread] = (), packs: int = 1) -> None:
        """Take over the known pile.

        Args:
            lying: Its cards, the lowest first.
            misread: Corrected plays among them, which the watcher may report as before.
            packs: Number of packs.
        """
        self._lying = tuple(lying)
        self._misread = [(told, really) for told, really in misread if not Counter(really) - Counter(lying)]
        self._packs = packs
        self._told_again: dict[int, Counter[str]] = {}
        """Cards of the pile that the watcher reported again, by event id."""
        self._passed: dict[int, int] = {}
        """The log's id of an event, by the id of its first form."""
        self._went: dict[int, tuple[tuple[str, ...], list[Misread]]] = {}
        """The former pile, by the id of the event that took it away."""

    @property
    def misread(self) -> Sequence[Misread]:
        """Corrected plays whose cards are still on the pile."""
        return self._misread

    def new_events(self, events: Sequence[Event]) -> list[Event]:
        """Return the new events. A revision that makes a past event new loses its `revise`."""
        news = (self._news(event) for event in events)
        return [event for event in news if event is not None]

    def _news(self, event: Event) -> Event | None:
        """Return an event for the log, or None if it is past and the log does not know it."""
        if event.id <= 0:
            return event  # not one of the watcher's own
        first = event.revise or event.id
        past = event.event == "deal"
        if event.event in PUTS_ON_PILE and not event.withdrawn:
            # Cards that already lay there may count as part of the first play onto them.
            new = self._new_cards(event, first)
            seen_better = event.revise is not None and first not in self._passed
            past = bool(event.cards) and not new and (event.event == "play" or seen_better)
            event = replace(event, cards=new or event.cards)
        elif event.event in PUTS_ON_PILE:
            self._told_again.pop(first, None)
        elif event.event in ("pick_up", "burn", "show"):
            event = self._with_pile(event, first)
        told = self._passed.get(first)
        if told is not None:
            return replace(event, revise=told, withdrawn=past or event.withdrawn)
        if past or event.withdrawn:
            return None
        self._passed[first] = event.id
        return replace(event, revise=None)

    def _new_cards(self, event: Event, first: int) -> tuple[str, ...]:
        """Return the cards of a play that were not on the pile before."""
        again = Counter[str]()
        for number, cards in self._told_again.items():
            again += cards if number != first else Counter()
        before, new = again.copy(), []
        for card in event.cards:
            if self._lay_there(card, again):
                again[card] += 1
            else:
                new.append(card)
        self._told_again[first] = again - before
        return tuple(new)

    def _lay_there(self, card: str, again: Counter[str]) -> bool:
        """Return whether a card lay on the pile, besides those reported `again`."""
        lying = self._lying.count(card)
        if lying >= copies(card, self._packs) or again[card] < lying:
            return True
        return not again[card] and any(
            card in told and card not in really and not any(again[other] for other in {*really} - {*told})
            for told, really in self._misread
        )

    def _with_pile(self, event: Event, first: int) -> Event:
        """Add the cards that the watcher does not know to an event that takes the pile away."""
        if event.revise is None:
            self._went[first] = self._lying, self._misread
            self._lying, self._misread = (), []
        lay, misread = self._went.get(first, ((), []))
        if event.event == "show" or event.withdrawn:
            return event
        # A count is given if only some of the cards were taken.
        whole = event.cards and event.count is None
        event = with_real_cards(event, misread)
        return replace(event, cards=(*without(lay, event.cards), *event.cards)) if whole else event
