"""Late breaches: what was not allowed, and is proven only by cards seen afterwards.

A card that leaves a hand unseen until then may have been drawn since. So a suspicion counts the unseen cards
that came into the hand after the event, and is proven only by more telling cards than those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.cards import FULL_PACK, RANK_OF, UNKNOWN
from engine.deals import packs_for
from engine.demand import Demand
from engine.events import Event
from engine.judging.beats import effect_in_words, set_goes_everywhere
from engine.judging.case import breach_entry
from engine.judging.questions import start_mechanisms, start_place
from engine.mechanics import Mechanics
from engine.referee.state import Knowledge
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
class StartSuspicion:
    """A first turn by a player whose hand was not all known."""

    event: int
    starter: str
    played: tuple[str, ...]
    claim: int | None
    """How early the starter's best card comes in the start order; None: that is not known."""
    packs: int
    sequence: tuple[str, ...] = ()
    """The players in the order that breaks ties, where one does."""
    elsewhere: Counter[str] = field(default_factory=Counter)
    """Cards that the starter cannot have held."""
    held: list[tuple[str, str]] = field(default_factory=list)
    """Cards that others held then, as was seen since: (player, card)."""


@dataclass(slots=True)
class Suspicions:
    """Everything that may yet turn out to have been a breach."""

    rules: Ruleset
    pick_ups: list[PickUpSuspicion] = field(default_factory=list)
    start: StartSuspicion | None = None
    drew: set[str] = field(default_factory=set)
    """Players whose hands have taken in unseen cards since the start."""
    up_plays: dict[str, int] = field(default_factory=dict)
    """The last event in which a player with an empty hand played an up-card."""

    @property
    def _mechanics(self) -> Mechanics:
        return self.rules.mechanics

    def started(self, event: Event, player: str, state: Knowledge, *, certain: bool) -> None:
        """Note who took the first turn, and what was known of the hands then.

        Args:
            event: the first turn.
            player: who took it.
            state: the table before it.
            certain: whether the cards that were played have surely been read right.
        """
        mechanics = self._mechanics
        if mechanics.start != "cards":
            return
        own = {*state.seats[player].hand, *event.cards}
        claims = mechanics.start_card_played and certain and event.event == "play"
        sequence: tuple[str, ...] = ()
        if mechanics.start_by == "after-dealer" and state.dealer is not None:
            here = state.players.index(state.dealer)
            sequence = (*state.players[here + 1 :], *state.players[: here + 1])
        self.start = StartSuspicion(
            event.id,
            player,
            event.cards,
            start_place(mechanics, tuple(own)) if claims else None,
            packs_for(mechanics, len(state.players)),
            sequence,
        )
        for name, seat in state.seats.items():
            self.start.elsewhere.update(card for card in seat.up if card != UNKNOWN)
            if name != player:
                self.start.elsewhere.update(card for card in seat.hand if card != UNKNOWN)

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
                    "{who} picked up while holding {card:the}, although {asked} could be played.",
                    who=player,
                    card=card,
                    asked=asked,
                )
                found.append(self._late(event, suspicion.event, player, says, "must_play"))
        return found

    def _seen_after_start(self, event: Event, player: str, cards: list[str]) -> list[Event]:
        """A card seen in another hand than the starter's, that comes before whatever the starter held."""
        start = self.start
        if start is None or player == start.starter or player in self.drew or event.id == start.event:
            return []
        start.elsewhere.update(cards)
        start.held += [(player, card) for card in cards]
        for holder, card in start.held:
            if self._comes_first(start, holder, card):
                self.start = None
                place = start_place(self._mechanics, (card,))
                return [
                    self._late_start(event, start, holder, card, start_mechanisms(self._mechanics, place))
                ]
        return []

    def _late_start(
        self, event: Event, start: StartSuspicion, holder: str, card: str, mechanisms: tuple[str, ...]
    ) -> Event:
        if start.claim is None:
            says = say(
                "{who} held {card:the} and should have started, not {starter}.",
                who=holder,
                card=card,
                starter=start.starter,
            )
        else:
            says = say(
                "{who} held {card:the}: {starter} could not start with {cards:the}.",
                who=holder,
                card=card,
                starter=start.starter,
                cards=start.played,
            )
        return self._late(event, start.event, start.starter, says, *mechanisms)

    def _comes_first(self, start: StartSuspicion, holder: str, card: str) -> bool:
        """Whether a card that was held comes before every card that the starter can have held."""
        mechanics = self._mechanics
        place, order = start_place(mechanics, (card,)), start.sequence
        if place >= len(mechanics.start_order):
            return False
        wins_ties = bool(order) and order.index(holder) < order.index(start.starter)
        if start.claim is not None:
            return place < start.claim
        last = place - wins_ties
        ahead = [other for other in FULL_PACK if start_place(mechanics, (other,)) <= last]
        return all(start.elsewhere[other] >= start.packs for other in ahead)

    def held_after_all(self, event: Event, player: str) -> list[Event]:
        """Return the late breach of a player who plays from a hand that an up-card play took to be empty."""
        earlier = self.up_plays.pop(player, None)
        if earlier is None:
            return []
        says = say("{who} played an up-card although there was still a card in the hand.", who=player)
        return [self._late(event, earlier, player, says, "up_hand")]

    def _late(
        self, event: Event, concerns: int, player: str, says: Said, mechanism: str, *more: str
    ) -> Event:
        return Event(
            id=0,
            event="late_breach",
            t=event.t,
            decided_at=event.decided_at,
            player=player,
            concerns=concerns,
            breach=breach_entry(self.rules.rule_for(mechanism, *more), says),
            says=says,
        )
