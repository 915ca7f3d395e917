"""Late breaches: what was not allowed, and is proven only by cards seen afterwards.

A card that leaves a hand unseen until then may have been drawn since. So a suspicion counts the unseen cards
that came into the hand after the event, and is proven only by more telling cards than those.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.cards import RANK_OF, UNKNOWN
from engine.demand import Demand
from engine.events import Event
from engine.judging.beats import effect_in_words, set_goes_everywhere
from engine.judging.case import breach_entry
from engine.mechanics import Mechanics
from engine.ruleset import Ruleset
from engine.sentences import Said, say


@dataclass(slots=True)
class PickUpSuspicion:
    """A pick-up where whoever can play must play, by a player whose hand was not all known."""

    event: int
    player: str
    demands: frozenset[Demand]
    came_in: int = 0
    """Unseen cards that have entered the hand since."""
    telling: list[str] = field(default_factory=list)
    """Cards seen since that could have been played."""
    doubtful: set[int] = field(default_factory=set)
    """Ranks in piles that the player has picked up: one more of them may have lain there unseen."""


@dataclass(slots=True)
class Suspicions:
    """Everything that may yet turn out to have been a breach."""

    rules: Ruleset
    pick_ups: list[PickUpSuspicion] = field(default_factory=list)
    start_event: int | None = None
    starter: str | None = None
    start_card: str | None = None
    drew: set[str] = field(default_factory=set)
    """Players whose hands have taken in unseen cards since the start."""
    up_plays: dict[str, int] = field(default_factory=dict)
    """The last event in which a player with an empty hand played an up-card."""

    @property
    def _mechanics(self) -> Mechanics:
        return self.rules.mechanics

    def started(self, event: Event, player: str, start_card: str | None) -> None:
        """Note who took the first turn, and the card whose holder should have (None: none is sure)."""
        self.start_event, self.starter, self.start_card = event.id, player, start_card

    def picked_up(self, event: Event, player: str, demands: frozenset[Demand], hidden: int) -> None:
        """Note a pick-up that the hidden cards of the hand decide about."""
        if hidden:
            self.pick_ups.append(PickUpSuspicion(event.id, player, demands))

    def took(self, player: str, pile: Iterable[str]) -> None:
        """Note a pile that a player has picked up, in which a card may have been overlooked.

        Of a set that was put down an observer that errs may have seen one card too few: a card of that rank
        in the hand proves nothing any more. `pile` is empty where all that was put down has been seen.
        """
        ranks = {RANK_OF[card] for card in pile}
        for suspicion in self.pick_ups:
            if suspicion.player == player:
                suspicion.doubtful |= ranks

    def forget(self, player: str) -> None:
        """Drop every suspicion about a player who may have acted unseen."""
        self.pick_ups = [suspicion for suspicion in self.pick_ups if suspicion.player != player]
        self.up_plays.pop(player, None)
        self.drew.add(player)

    def came_in(self, player: str, count: int) -> None:
        """Note that unseen cards entered a hand."""
        if count:
            self.drew.add(player)
            self.up_plays.pop(player, None)
        for suspicion in self.pick_ups:
            if suspicion.player == player:
                suspicion.came_in += count

    def seen(self, event: Event, player: str, cards: Iterable[str]) -> list[Event]:
        """Return the late breaches proven by cards that left a hand in which they had not been known."""
        known = [card for card in cards if card != UNKNOWN]
        return [
            *self._seen_after_pick_up(event, player, known),
            *self._seen_after_start(event, player, known),
        ]

    def _seen_after_pick_up(self, event: Event, player: str, cards: list[str]) -> list[Event]:
        found = []
        for suspicion in [s for s in self.pick_ups if s.player == player]:
            suspicion.telling += [
                card
                for card in cards
                if RANK_OF[card] not in suspicion.doubtful
                and set_goes_everywhere(self._mechanics, suspicion.demands, card)
            ]
            if len(suspicion.telling) > suspicion.came_in:
                self.pick_ups.remove(suspicion)
                card = suspicion.telling[-1]
                asked = effect_in_words(min(suspicion.demands))
                says = say(
                    "{who} picked up although {card:the} was in the hand: {asked} could be played, "
                    "and whoever can play must.",
                    who=player,
                    card=card,
                    asked=asked,
                )
                found.append(self._late(event, suspicion.event, player, "must_play", says))
        return found

    def _seen_after_start(self, event: Event, player: str, cards: list[str]) -> list[Event]:
        """The card that decides who starts, seen in another hand than the starter's."""
        if self.starter is None or self.start_event is None or player == self.starter or player in self.drew:
            return []
        for card in cards:
            if card == self.start_card:
                says = say(
                    "{who} held {card:the} and should have started, not {starter}.",
                    who=player,
                    card=card,
                    starter=self.starter,
                )
                late = self._late(event, self.start_event, self.starter, "start", says)
                self.starter = None
                return [late]
        return []

    def held_after_all(self, event: Event, player: str) -> list[Event]:
        """Return the late breach of a player who plays from a hand that an up-card play took to be empty."""
        earlier = self.up_plays.pop(player, None)
        if earlier is None:
            return []
        says = say("{who} played an up-card although there was still a card in the hand.", who=player)
        return [self._late(event, earlier, player, "up_hand", says)]

    def _late(self, event: Event, concerns: int, player: str, mechanism: str, says: Said) -> Event:
        return Event(
            id=0,
            event="late_breach",
            t=event.t,
            decided_at=event.decided_at,
            player=player,
            concerns=concerns,
            breach=breach_entry(self.rules.rule_for(mechanism), says),
            says=says,
        )
