"""Late breaches: breaches that are proven only by cards seen afterwards.

A hidden card that leaves a hand may have entered it after the suspicious event. So a suspicion counts the
unseen cards that entered the hand since the event. It is proven only by more incriminating cards than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.cards import FULL_PACK, RANK_OF, UNKNOWN
from engine.deals import packs_for
from engine.demand import Demand
from engine.events import Event
from engine.judging.beats import demand_in_words, may_be_played_on_all
from engine.judging.case import breach_entry
from engine.judging.questions import start_mechanisms, start_place
from engine.mechanics import Mechanics
from engine.referee.state import Knowledge
from engine.ruleset import Ruleset
from engine.sentences import Said, say


@dataclass(slots=True)
class PickUpSuspicion:
    """A pick-up that may break the duty to play: the hand held cards that nobody had seen."""

    event: int
    """The id of the pick-up."""
    player: str
    demands: frozenset[Demand]
    """The demands that the pile may have made."""
    unseen_since: int = 0
    """How many unseen cards have entered the hand since."""
    playable: list[str] = field(default_factory=list)
    """Cards seen since that could have been played."""
    doubtful: set[int] = field(default_factory=set)
    """Ranks in this pile and in later ones that the player picked up: each may have held an unseen card."""


@dataclass(slots=True)
class StartSuspicion:
    """A first turn by a player with cards in the hand that nobody had seen."""

    event: int
    """The id of the first turn."""
    starter: str
    played: tuple[str, ...]
    claim: int | None
    """The place of the starter's best card in the start order; None: not known."""
    packs: int
    sequence: tuple[str, ...] = ()
    """The players in the order that breaks ties; empty if there is none."""
    elsewhere: Counter[str] = field(default_factory=Counter)
    """Cards that the starter cannot have held."""
    held: list[tuple[str, str]] = field(default_factory=list)
    """(player, card) for each card that another player held at the start, as later events showed."""


@dataclass(slots=True)
class Suspicions:
    """All events that may later turn out to be breaches."""

    rules: Ruleset
    pick_ups: list[PickUpSuspicion] = field(default_factory=list)
    start: StartSuspicion | None = None
    received_unseen: set[str] = field(default_factory=set)
    """Players whose hands have received unseen cards since the start."""
    up_plays: dict[str, int] = field(default_factory=dict)
    """By player: the id of the last event that played an up-card with a hand that counted as empty."""

    @property
    def _mechanics(self) -> Mechanics:
        return self.rules.mechanics

    def note_start(self, event: Event, player: str, state: Knowledge, *, certain: bool) -> None:
        """Note the starter, and the cards known at that time.

        Args:
            event: the first turn.
            player: the starter.
            state: the knowledge of the table before the event.
            certain: whether the played cards were surely read correctly.
        """
        mechanics = self._mechanics
        if mechanics.start != "cards":
            return
        own = {*state.seats[player].hand, *event.cards}
        certain = certain and UNKNOWN not in event.cards
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

    def note_pick_up(self, event: Event, player: str, demands: frozenset[Demand], hidden: int) -> None:
        """Note a pick-up that may be a breach because of `hidden` unseen cards in the hand."""
        if hidden:
            self.pick_ups.append(PickUpSuspicion(event.id, player, demands))

    def note_pile_taken(self, player: str, pile: Iterable[str]) -> None:
        """Note a picked-up pile in which the observer may have overlooked a card.

        A fallible observer may have missed one card of a set. So a card of that rank in the hand proves
        nothing any more. `pile` is empty if the observer has seen every card.
        """
        ranks = {RANK_OF[card] for card in pile}
        for suspicion in self.pick_ups:
            if suspicion.player == player:
                suspicion.doubtful |= ranks

    def forget(self, player: str) -> None:
        """Drop every suspicion about a player who may have acted unseen."""
        self.pick_ups = [suspicion for suspicion in self.pick_ups if suspicion.player != player]
        self.up_plays.pop(player, None)
        self.received_unseen.add(player)

    def note_unseen_cards(self, player: str, count: int) -> None:
        """Note that unseen cards entered a hand."""
        if count:
            self.received_unseen.add(player)
            self.up_plays.pop(player, None)
        for suspicion in self.pick_ups:
            if suspicion.player == player:
                suspicion.unseen_since += count

    def proven_by_cards(self, event: Event, player: str, cards: Iterable[str]) -> list[Event]:
        """Return the late breaches that are proven by cards leaving a hand that nobody had seen there."""
        known = [card for card in cards if card != UNKNOWN]
        return [
            *self._proven_pick_up(event, player, known),
            *self._proven_start(event, player, known),
        ]

    def _proven_pick_up(self, event: Event, player: str, cards: list[str]) -> list[Event]:
        found = []
        for suspicion in [s for s in self.pick_ups if s.player == player]:
            suspicion.playable += [
                card
                for card in cards
                if RANK_OF[card] not in suspicion.doubtful
                and may_be_played_on_all(self._mechanics, suspicion.demands, card)
            ]
            if len(suspicion.playable) > suspicion.unseen_since:
                self.pick_ups.remove(suspicion)
                card = suspicion.playable[-1]
                asked = demand_in_words(min(suspicion.demands))
                says = say(
                    "{who} picked up while holding {card:the}, although {asked} could be played.",
                    who=player,
                    card=card,
                    asked=asked,
                )
                found.append(self._late(event, suspicion.event, player, says, "must_play"))
        return found

    def _proven_start(self, event: Event, player: str, cards: list[str]) -> list[Event]:
        """Return the late breach of the starter if `player` held a card that comes before the starter's."""
        start = self.start
        if (
            start is None
            or player == start.starter
            or player in self.received_unseen
            or event.id == start.event
        ):
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
        """Return whether a held card comes before every card that the starter can have held."""
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

    def proven_by_hand_play(self, event: Event, player: str) -> list[Event]:
        """Return the late breach of a player who played an up-card and now plays from the hand."""
        earlier = self.up_plays.pop(player, None)
        if earlier is None:
            return []
        says = say("{who} played a face-up card although there was still a card in the hand.", who=player)
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
