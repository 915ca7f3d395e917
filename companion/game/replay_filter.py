"""What a watcher that begins in mid-game tells of the past, kept from the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.events import Event


class ReplayFilter:
    """Keeps from the book what a watcher that begins in mid-game reports of the past.

    It takes the table as it stands for a fresh deal, and the cards on the pile for plays. A card that lay on
    the pile when the game was broken off cannot be played until the pile has gone somewhere. With the pile go
    those that others covered, of which the watcher has seen nothing.
    """

    def __init__(self, lying: Sequence[str]) -> None:
        """`lying`: the cards on the pile, the lowest first."""
        self._lying = tuple(lying)
        self._dropped: set[int] = set()
        self._went: dict[int, tuple[str, ...]] = {}
        """By the number of the event that took the pile away: what had lain there."""

    def less(self, events: Sequence[Event]) -> list[Event]:
        """Return what is news in the events; one that makes news of a past one no longer revises it."""
        return [self._news(event) for event in events if not self._is_past(event)]

    def _news(self, event: Event) -> Event:
        if event.event in ("play", "flip") and not event.withdrawn:
            # Cards that already lay there may be taken for a part of the first play upon them.
            new = tuple(card for card in event.cards if card not in self._lying)
            event = replace(event, cards=new or event.cards)
        elif event.event in ("pick_up", "burn", "show"):
            event = self._with_pile(event)
        return replace(event, revise=None) if event.revise in self._dropped else event

    def _is_past(self, event: Event) -> bool:
        if event.revise is not None and event.revise in self._dropped:
            # What it saw of the past it may see better later: with a card that is news, it is a play.
            past = event.event != "play" or event.withdrawn or self._lies(event)
        else:
            past = event.event == "deal" or (event.event == "play" and self._lies(event))
        if past:
            self._dropped.add(event.id)
        return past

    def _with_pile(self, event: Event) -> Event:
        """Return an event that takes the pile away, with the cards of which the watcher knows nothing."""
        lay = self._went.get(event.revise, ()) if event.revise is not None else self._lying
        self._went[event.id] = lay
        self._lying = ()
        # A count is given where only some of the cards were taken.
        whole = event.event != "show" and event.cards and event.count is None and not event.withdrawn
        below = tuple(card for card in lay if card not in event.cards) if whole else ()
        return replace(event, cards=below + event.cards)

    def _lies(self, event: Event) -> bool:
        return bool(event.cards) and set(self._lying).issuperset(event.cards)
