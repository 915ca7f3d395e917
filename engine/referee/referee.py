"""The referee: rules on the events of a game and keeps its state.

An illegal play that stands is recorded, and the game goes on from the cards on the table. Every earlier event
can be revised, corrected or undone: the state is always the replay of the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from engine.cards import UNKNOWN, parse_card
from engine.errors import BadInputError
from engine.events import Event
from engine.fields import MOST_CARDS, read_players
from engine.referee.apply import EventApplier
from engine.referee.hidden_cards import HiddenCardNamer
from engine.referee.outcome import Outcome
from engine.referee.public import HandView, PublicTable, public_table
from engine.referee.state import fresh_knowledge
from engine.ruleset import Ruleset, load_ruleset

__all__ = ["HandView", "Outcome", "PublicTable", "Referee"]


class Referee:
    """Follows one game. Each observed event gives an `Outcome`.

    Args:
        rules: a ruleset, its name, or the path of a house variant's file.
        players: names, clockwise.
        options: the names of options to switch on.
        dealer: the dealer, if known.
        loser: the Shithead of the previous game, if known.
        losses: by player: how many games they have lost this evening.

    Raises:
        BadInputError: the ruleset or an option is unknown, the list of players is wrong, or `dealer` or
            `loser` is not a player.
    """

    def __init__(
        self,
        rules: str | Ruleset,
        players: Sequence[str],
        *,
        options: Sequence[str] = (),
        dealer: str | None = None,
        loser: str | None = None,
        losses: Mapping[str, int] | None = None,
    ) -> None:
        self.rules = load_ruleset(rules, options)
        self.players = read_players(list(players))
        for name in (dealer, loser):
            if name is not None and name not in self.players:
                raise BadInputError("{name!r} is not one of the players", name=name)
        given = dict(losses or {})
        self._applier = EventApplier(
            self.rules, lambda: fresh_knowledge(self.rules, self.players, dealer, loser, given)
        )
        self._log: list[Event] = []
        self._events: list[Event] = []
        self._arrived: list[int] = []
        self._aliases: dict[int, int] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._hidden = HiddenCardNamer()

    @property
    def events(self) -> tuple[Event, ...]:
        """The valid events with revisions applied, in the order in which they happened."""
        return tuple(self._events)

    @property
    def log(self) -> tuple[Event, ...]:
        """Every reported event, revisions included, in the order of the reports."""
        return tuple(self._log)

    @property
    def outcomes(self) -> Mapping[int, Outcome]:
        """By id: the outcome of each valid event."""
        return dict(self._outcomes)

    @property
    def table(self) -> PublicTable:
        """The public knowledge of the table now."""
        return public_table(self._applier.state)

    def observe(self, event: Event) -> Outcome:
        """Apply a reported event and rule on it.

        A revision replaces the event that it concerns, and the game is replayed. An event that is reported
        after later ones is inserted by its time `t`, and the game is replayed too.

        Raises:
            BadInputError: an earlier event has the same id.
        """
        event = self._cleaned(event)
        if event.revise is None and event.id in self._outcomes:
            raise BadInputError("event {event_id} has been reported before", event_id=event.id)
        self._log.append(event)
        if event.revise is not None:
            concerned = self._aliases.get(event.revise, event.revise)
            if concerned in self._outcomes:
                self._aliases[event.id] = concerned
                return self._replay_with(concerned, None if event.withdrawn else event)
            if event.withdrawn:
                return Outcome()
            event = replace(event, revise=None)
        self._arrived.append(event.id)
        if self._events and event.t < self._events[-1].t:
            return self._insert(event)
        return self._take(event)

    def correct(self, event_id: int, event: Event | None) -> Outcome:
        """Correct an earlier event, or withdraw it (None), and replay the game.

        Raises:
            BadInputError: there is no such event.
        """
        concerned = self._aliases.get(event_id, event_id)
        if concerned not in self._outcomes:
            raise BadInputError("there is no event {event_id} to correct", event_id=event_id)
        if event is None:
            withdrawn = next(known for known in self._events if known.id == concerned)
            return self.observe(replace(withdrawn, revise=concerned, withdrawn=True))
        return self.observe(replace(event, revise=event_id))

    def undo(self) -> Event | None:
        """Withdraw the valid event that was reported last, and return it; None if there is none."""
        if not self._arrived:
            return None
        last = next(event for event in self._events if event.id == self._arrived[-1])
        self._log.append(replace(last, revise=last.id, withdrawn=True))
        self._replay_with(last.id, None)
        return last

    def name_hidden(self, ruled: Iterable[int], now: float, settled: Collection[int] = ()) -> list[Event]:
        """Return events that name hidden cards, take names back, or ask for them (`unclear`, without words).

        Nothing is applied: report these events to apply them.

        Args:
            ruled: the ids of events that have just been ruled on.
            now: when these events are decided.
            settled: the ids of events that people have corrected. Nothing is inferred about them.
        """
        outcomes = {number: self._outcomes[number] for number in ruled if number in self._outcomes}
        reported = sorted(self._events, key=lambda event: event.id)
        withdrawn = [event for event in self._log if event.event == "play" and event.withdrawn]
        taken_back = [event for event in withdrawn if event.revise not in settled]
        return self._hidden.follow(outcomes, reported, self._applier.state, now, settled, taken_back)

    # Replay

    def _insert(self, event: Event) -> Outcome:
        """Insert an event before those that happened later, and replay the game."""
        later = next(place for place, other in enumerate(self._events) if other.t > event.t)
        return self._replay([*self._events[:later], event, *self._events[later:]], event.id)

    def _replay_with(self, concerned: int, new: Event | None) -> Outcome:
        """Replay the whole game with one event replaced, or left out (`new` is None)."""
        if new is None:
            self._arrived.remove(concerned)
            return self._replay([event for event in self._events if event.id != concerned], concerned)
        new = replace(new, id=concerned, revise=None)
        return self._replay([new if event.id == concerned else event for event in self._events], concerned)

    def _replay(self, events: Sequence[Event], concerned: int) -> Outcome:
        """Replay the whole game; return the outcome of event `concerned`, with all new follow-ups."""
        before = self._outcomes
        self._events, self._outcomes = [], {}
        self._applier.restart()
        for event in events:
            self._take(event)
        own = self._outcomes.get(concerned, Outcome())
        old = {(e.event, e.player, e.loser, e.concerns) for o in before.values() for e in o.follow_ups}
        fresh = tuple(
            follow
            for outcome in self._outcomes.values()
            for follow in outcome.follow_ups
            if (follow.event, follow.player, follow.loser, follow.concerns) not in old
        )
        return replace(own, follow_ups=fresh)

    def _take(self, event: Event) -> Outcome:
        outcome = self._applier.apply(event)
        self._events.append(event)
        self._outcomes[event.id] = outcome
        return outcome

    def _cleaned(self, event: Event) -> Event:
        """Return the event with cards in the engine's spelling, and without impossible counts and players."""
        known = frozenset(self.players)
        return replace(
            event,
            cards=tuple(_card(card) for card in event.cards),
            count=event.count if event.count is not None and 0 <= event.count <= MOST_CARDS else None,
            up={p: tuple(_card(c) for c in cards) for p, cards in event.up.items() if p in known},
        )


def _card(text: str) -> str:
    """Return the card in the engine's spelling, or the unknown card if the text is not a card."""
    try:
        return parse_card(text)
    except BadInputError:
        return UNKNOWN
