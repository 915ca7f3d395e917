"""The book of one game: every event with its ruling, under the ids by which people speak of them.

It knows nothing of cameras: events come from a watcher (`companion.game.refereeing`) or from people who
enter them by touch (`companion.game.touch_game`), and go to the referee. What was written down can be read
back, and the game goes on. What people have put right or taken back stands: no later look of the watcher
changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from companion.i18n.sentences import storable_ruling
from engine.errors import BadInputError
from engine.events import Event, Source

EventLine = dict[str, Any]
"""One event line, as `shithead watch` prints it."""
BY_HAND = "hand"
"""The value of a line's field `by` where a person entered the event."""
SETTLED = "settled"
"""The field of a line that says that a person put the event right."""
ASSUMED = "assumed"
"""The value of `by` where nobody said so: a draw that was due, in a game that no camera watches."""
CONCLUSIONS = ("out", "game_over", "late_breach")
"""Kinds of events that the referee concludes; a person may enter the first two as well."""

_AT_THE_PILE = ("play", "flip", "burn", "pick_up", "show")
_OF_A_COUNT = ("out", "game_over")
"""Those of them that follow from how many cards a player is believed to have."""
_COUNTED_IN: dict[str, Source] = {"up": "up", "hand+up": "up", "down": "down"}
"""Where a card lay that was missed, by where the cards came from that seemed to be the last."""
_JUST_BEFORE_S = 0.001


class Outcome(Protocol):
    """What the referee says to one event."""

    @property
    def ruling(self) -> dict[str, Any] | None:
        """The contract's ruling, for events that are judged."""
        ...

    @property
    def follow_ups(self) -> tuple[Event, ...]:
        """Events that the rules conclude from this one."""
        ...


class GameReferee(Protocol):
    """What is needed of `engine.referee.referee.Referee`."""

    @property
    def table(self) -> Any:
        """The public table."""
        ...

    @property
    def outcomes(self) -> Mapping[int, Outcome]:
        """What is made of each event that counts, by its id, as things stand now."""
        ...

    def observe(self, event: Event) -> Outcome:
        """Take in one event."""
        ...

    def undo(self) -> Event | None:
        """Take back the last event and return it."""
        ...

    def correct(self, event_id: int, event: Event) -> Outcome:
        """Put another event in place of an earlier one, and replay."""
        ...


class EventLog:
    """The lines of one game, kept in step with its referee."""

    def __init__(self, referee: GameReferee | None) -> None:
        """Begin with an empty book; None: the judge comes once it is known who plays (`appoint`)."""
        self._referee = referee
        self.lines: list[EventLine] = []
        """Every event of the game with its ruling, oldest first; corrected ones in their place."""
        self._ids: dict[int, int] = {}
        """The ids that were told, by those under which the watcher speaks of its events."""
        self._concluded: dict[int, _Conclusion] = {}
        """Lines that the referee added and nobody saw, by their id."""
        self._entered: dict[int, str] = {}
        """By whom events were entered that nobody saw, by their id: `BY_HAND` or `ASSUMED`."""
        self._settled: set[int] = set()
        """The ids of events that people put right, struck out or took back."""
        self._count = 0

    @property
    def referee(self) -> GameReferee | None:
        """Who rules; None until it is known who plays."""
        return self._referee

    def set_referee(self, referee: GameReferee) -> None:
        """Let `judge` rule from now on."""
        self._referee = referee

    @property
    def table(self) -> Any:
        """The referee's public table; None until it is known who plays."""
        return self._referee.table if self._referee is not None else None

    @property
    def last_t(self) -> float:
        """When the last event happened or was decided, seconds of the source."""
        return max((float(max(line["t"], line["decided_at"])) for line in self.lines), default=0.0)

    @property
    def ended_at(self) -> float | None:
        """When the event happened that ended the game, seconds of the source; None while it goes on."""
        return next((float(line["t"]) for line in self.lines if line["event"] == "game_over"), None)

    def is_due(self, event: Event) -> bool:
        """Whether what happened last at the pile ends in this: it burns, or who was shown a card takes it."""
        last = next((line for line in reversed(self.lines) if line["event"] in _AT_THE_PILE), None)
        effects = ((last or {}).get("ruling") or {}).get("effects", {})
        if event.event == "pick_up":
            return event.player is not None and effects.get("picks_up") == event.player
        return event.event == "burn" and bool(effects.get("burn"))

    def take(self, events: Sequence[Event]) -> list[EventLine]:
        """Have events judged; returns their lines, each followed by what the rules conclude from it.

        What revises an event that people settled is passed over.
        """
        referee, told = self._appointed(), []
        for seen in events:
            if seen.revise is not None and self._ids.get(seen.revise, seen.revise) in self._settled:
                continue
            event = self._numbered(seen)
            outcome = referee.observe(event)
            told.append(self._told(event, outcome.ruling))
            if event.revise is None:
                told += [self._conclude(follow) for follow in outcome.follow_ups]
            else:
                told += self._bring_up_to_date(outcome.follow_ups, event.decided_at)
        return told

    def enter(self, event: Event, by: str = BY_HAND) -> list[EventLine]:
        """Take in an event that a person reports, or that is assumed; returns the lines that this adds."""
        self._entered[self._count + 1] = by
        # Its id is the book's own: whatever the watcher calls its events stays apart.
        return self.take([replace(event, id=0, revise=None, withdrawn=False)])

    def undo(self) -> EventLine | None:
        """Take the last event back and return it; None where there is none.

        What the referee concluded from it goes with it; what it had spoken against holds again.
        """
        referee = self._referee
        last = None if referee is None else referee.undo()
        if referee is None or last is None:
            return None
        self._settled.add(last.id)
        line = next((line for line in self.lines if line["id"] == last.id), last.to_json())
        self.lines = [other for other in self.lines if other is not line]
        told = {self._concluded.get(other["id"]) for other in self.lines}
        follows = [follow for outcome in referee.outcomes.values() for follow in outcome.follow_ups]
        fresh = [follow for follow in follows if _conclusion(follow) not in told]
        self._bring_up_to_date(fresh, last.decided_at)
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one and rule anew on everything; None: it never happened.

        That somebody is out, and the game over, the referee concludes from its count of cards: where that is
        not so the count is wrong, and one more card is entered.

        Raises:
            BadInputError: there is no event of this id, or it is the referee's own conclusion from something
                that can itself be put right.
        """
        index = next((i for i, line in enumerate(self.lines) if line["id"] == event_id), None)
        if index is None or self._referee is None:
            raise BadInputError("event {event_id}: there is no such event", event_id=event_id)
        if event_id in self._concluded:
            if event is not None or not self._deny(self._concluded[event_id]):
                raise BadInputError("That is the referee's own conclusion; correct the event it rests on")
            return
        old = self.lines[index]
        self._settled.add(event_id)
        if event is None:
            gone = replace(Event.from_json(old), id=event_id, withdrawn=True)
            outcome = self._referee.correct(event_id, gone)
            del self.lines[index]
        else:
            put = replace(event, id=event_id, revise=None, withdrawn=False)
            outcome = self._referee.correct(event_id, put)
            self.lines[index] = self._line(put, None)
        self._bring_up_to_date(outcome.follow_ups, float(old["decided_at"]))

    def _deny(self, conclusion: _Conclusion) -> bool:
        """Take it that a player still has a card whom the referee counted out; returns whether that can be.

        The card is entered before the act by which they seemed to be out: what follows is ruled on anew.
        """
        referee = self._appointed()
        found = ((n, o.follow_ups) for n, o in referee.outcomes.items() if o.follow_ups)
        drawn = next(((n, all_) for n, all_ in found if conclusion in map(_conclusion, all_)), None)
        index = next((i for i, line in enumerate(self.lines) if drawn and line["id"] == drawn[0]), None)
        if drawn is None or index is None or conclusion[0] not in _OF_A_COUNT:
            return False
        line = self.lines[index]
        if line["event"] == "out":  # somebody said so: it is that which is wrong
            self.correct(line["id"], None)
            return True
        out = next((follow.player for follow in drawn[1] if follow.event == "out"), line.get("player"))
        self._count += 1
        self._entered[self._count] = BY_HAND
        more = Event(
            id=self._count,
            event="recount",
            t=float(line["t"]) - _JUST_BEFORE_S,
            decided_at=self.last_t,
            player=out,
            source=_COUNTED_IN.get(str(line.get("source")), "hand"),
            count=1,
        )
        outcome = referee.observe(more)
        self.lines.insert(index, self._line(more, None))
        self._bring_up_to_date(outcome.follow_ups, self.last_t)
        return True

    def resume(self, stored: Sequence[Mapping[str, Any]]) -> None:
        """Read back a game that was broken off: its lines as they were written, revisions as they came.

        The referee hears everything again that it heard then; what it concludes it concludes anew, under the
        ids under which that was told.

        Raises:
            BadInputError: a line is no event.
        """
        referee = self._appointed()
        standing: dict[int, Event] = {}
        names: dict[_Conclusion, int] = {}
        for line in stored:
            event = Event.from_json(dict(line))
            self._count = max(self._count, event.id)
            if event.event in CONCLUSIONS and line.get("by") != BY_HAND:
                names.setdefault(_conclusion(event), event.revise or event.id)
                continue
            if line.get("by") in (BY_HAND, ASSUMED):
                self._entered[event.revise or event.id] = str(line["by"])
            if line.get(SETTLED):
                self._settled.add(event.revise or event.id)
            if event.revise is not None and event.revise not in standing:
                if event.withdrawn:
                    continue
                event = replace(event, revise=None)
            referee.observe(event)
            number = event.revise or event.id
            if event.withdrawn:
                standing.pop(number, None)
            else:
                standing[number] = replace(event, id=number, revise=None)
        self._rebuild(referee, standing, names)

    def _rebuild(
        self, referee: GameReferee, standing: Mapping[int, Event], names: Mapping[_Conclusion, int]
    ) -> None:
        """Write the lines anew from the events that stand and what the referee makes of them."""
        outcomes = referee.outcomes
        for number, event in standing.items():
            outcome = outcomes.get(number)
            self.lines.append(self._line(event, outcome.ruling if outcome else None))
            for follow in outcome.follow_ups if outcome else ():
                key = _conclusion(follow)
                told = names.get(key)
                if told is None:
                    self._count += 1
                    told = self._count
                self._concluded[told] = key
                self.lines.append(self._line(replace(follow, id=told), None))
        self.lines.sort(key=lambda line: int(line["id"]))

    def _appointed(self) -> GameReferee:
        if self._referee is None:
            raise BadInputError("it is not yet known who plays")
        return self._referee

    def _conclude(self, event: Event) -> EventLine:
        """Enter an event that the referee concludes; returns its line."""
        numbered = self._numbered(replace(event, id=0))
        self._concluded[numbered.id] = _conclusion(event)
        return self._told(numbered, None)

    def _bring_up_to_date(self, fresh: Sequence[Event], now: float) -> list[EventLine]:
        """After a replay: take over all rulings and conclusions; returns the lines that tell the changes.

        Args:
            fresh: What the referee concludes that it did not conclude before.
            now: When this was decided.
        """
        outcomes = self._appointed().outcomes
        held = {_conclusion(event) for outcome in outcomes.values() for event in outcome.follow_ups}
        told: list[EventLine] = []
        lines, self.lines = self.lines, []
        for line in lines:
            number = line["id"]
            if number in self._concluded:
                if self._concluded[number] in held:
                    self.lines.append(line)
                else:
                    told.append(self._revising({**line, "withdrawn": True}, now))
                continue
            ruling = storable_ruling(outcomes[number].ruling) if number in outcomes else None
            if ruling != line.get("ruling"):
                line = {name: value for name, value in line.items() if name != "ruling"}
                line |= {} if ruling is None else {"ruling": ruling}
                told.append(self._revising(line, now))
            self.lines.append(line)
        return told + [self._conclude(event) for event in fresh]

    def _revising(self, line: EventLine, now: float) -> EventLine:
        """Return `line` as a line of its own that takes its place."""
        self._count += 1
        return {**line, "decided_at": round(now, 3), "revise": line["id"], "id": self._count}

    def _numbered(self, event: Event) -> Event:
        """Return the event under the next free id, with what it refers to named by the id that was told."""
        self._count += 1
        if not event.id:
            return replace(event, id=self._count)
        self._ids[event.id] = self._count
        revise = None if event.revise is None else self._ids.get(event.revise, event.revise)
        concerns = None if event.concerns is None else self._ids.get(event.concerns)
        return replace(event, id=self._count, revise=revise, concerns=concerns)

    def _line(self, event: Event, ruling: dict[str, Any] | None) -> EventLine:
        line = event.to_json()
        if event.id in self._entered:
            line["by"] = self._entered[event.id]
        if event.id in self._settled:
            line[SETTLED] = True
        if ruling is not None:
            line["ruling"] = storable_ruling(ruling)
        return line

    def _told(self, event: Event, ruling: dict[str, Any] | None) -> EventLine:
        line = self._line(event, ruling)
        earlier = next((i for i, old in enumerate(self.lines) if old["id"] == event.revise), None)
        if earlier is None:
            self.lines.append(line)
        elif event.withdrawn:
            del self.lines[earlier]
        else:
            self.lines[earlier] = {**line, "id": self.lines[earlier]["id"]}
        return line


_Conclusion = tuple[str, str | None, str | None, int | None]


def _conclusion(event: Event) -> _Conclusion:
    """Return what makes two conclusions of the referee the same."""
    return event.event, event.player, event.loser, event.concerns
