"""The referee: rules on what is seen of a game, and never loses the thread.

Illegal plays that stand are recorded and the game goes on from what lies on the table. Every earlier event
can be revised, corrected or undone: the log is the truth, and the state is what replaying it gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.cards import UNKNOWN, parse_card
from engine.errors import BadInputError
from engine.events import Event
from engine.fields import MOST_CARDS, read_players
from engine.referee.apply import Follower
from engine.referee.outcome import Outcome
from engine.referee.public import HandView, PublicTable, public_table
from engine.referee.state import fresh_knowledge
from engine.ruleset import Ruleset, load_ruleset

__all__ = ["HandView", "Outcome", "PublicTable", "Referee"]


class Referee:
    """Follows one game. See `Outcome` for what each observation gives.

    Args:
        rules: a ruleset, its name, or the file of a house variant.
        players: names, clockwise.
        options: house options.
        dealer: who deals, if known.
        loser: the Shithead of the game before, if known.
        losses: games that players have lost in this sitting.

    Raises:
        BadInputError: unknown ruleset or option, or the names are not those of players.
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
        self._follower = Follower(
            self.rules, lambda: fresh_knowledge(self.rules, self.players, dealer, loser, given)
        )
        self._log: list[Event] = []
        self._events: list[Event] = []
        self._arrived: list[int] = []
        self._aliases: dict[int, int] = {}
        self._outcomes: dict[int, Outcome] = {}

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that count, revisions applied, in the order in which they happened."""
        return tuple(self._events)

    @property
    def log(self) -> tuple[Event, ...]:
        """Everything that was reported, revisions as they came."""
        return tuple(self._log)

    @property
    def outcomes(self) -> Mapping[int, Outcome]:
        """What was made of each event that counts, by its id."""
        return dict(self._outcomes)

    @property
    def table(self) -> PublicTable:
        """The table as it stands now."""
        return public_table(self._follower.state)

    def observe(self, event: Event) -> Outcome:
        """Take in what was seen and rule on it.

        A revision replays the game with the event it concerns. So does an event that is decided only after
        later ones: it is put where its time `t` says.

        Raises:
            BadInputError: another event has the same id.
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
        """Put an earlier event right, or strike it out (None), and replay the game from there.

        Raises:
            BadInputError: there is no such event.
        """
        concerned = self._aliases.get(event_id, event_id)
        if concerned not in self._outcomes:
            raise BadInputError("there is no event {event_id} to correct", event_id=event_id)
        if event is None:
            struck = next(known for known in self._events if known.id == concerned)
            return self.observe(replace(struck, revise=concerned, withdrawn=True))
        return self.observe(replace(event, revise=event_id))

    def undo(self) -> Event | None:
        """Take back the event reported last of those that count, and return it; None if there is none."""
        if not self._arrived:
            return None
        last = next(event for event in self._events if event.id == self._arrived[-1])
        self._log.append(replace(last, revise=last.id, withdrawn=True))
        self._replay_with(last.id, None)
        return last

    # Replay

    def _insert(self, event: Event) -> Outcome:
        """Put an event before those that happened later."""
        later = next(place for place, other in enumerate(self._events) if other.t > event.t)
        return self._replay([*self._events[:later], event, *self._events[later:]], event.id)

    def _replay_with(self, concerned: int, new: Event | None) -> Outcome:
        """Replay the whole game with one event replaced or left out."""
        if new is None:
            self._arrived.remove(concerned)
            return self._replay([event for event in self._events if event.id != concerned], concerned)
        new = replace(new, id=concerned, revise=None)
        return self._replay([new if event.id == concerned else event for event in self._events], concerned)

    def _replay(self, events: Sequence[Event], concerned: int) -> Outcome:
        """Replay the whole game; return the outcome of one event with everything that has changed."""
        before = self._outcomes
        self._events, self._outcomes = [], {}
        self._follower.restart()
        for event in events:
            self._take(event)
        changed = {
            key: outcome.ruling
            for key, outcome in self._outcomes.items()
            if key != concerned and key in before and before[key].ruling != outcome.ruling
        }
        own = self._outcomes.get(concerned, Outcome())
        old = {(e.event, e.player, e.loser, e.concerns) for o in before.values() for e in o.follow_ups}
        fresh = tuple(
            follow
            for outcome in self._outcomes.values()
            for follow in outcome.follow_ups
            if (follow.event, follow.player, follow.loser, follow.concerns) not in old
        )
        return replace(own, follow_ups=fresh, changed=changed)

    def _take(self, event: Event) -> Outcome:
        outcome = self._follower.take(event)
        self._events.append(event)
        self._outcomes[event.id] = outcome
        return outcome

    def _cleaned(self, event: Event) -> Event:
        """Return it with cards in the engine's spelling, and counts and rows that can be."""
        known = frozenset(self.players)
        return replace(
            event,
            cards=tuple(_card(card) for card in event.cards),
            count=event.count if event.count is not None and 0 <= event.count <= MOST_CARDS else None,
            up={p: tuple(_card(c) for c in cards) for p, cards in event.up.items() if p in known},
        )


def _card(text: str) -> str:
    """Return the card, or the unknown card for what is not one."""
    try:
        return parse_card(text)
    except BadInputError:
        return UNKNOWN
