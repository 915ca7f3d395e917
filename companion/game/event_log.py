"""The log of one game: every event with its ruling, under the ids that people see.

The log knows nothing of cameras. Events come from a watcher (`companion.game.refereeing`) or from people
(`companion.game.touch_game`), and go to the referee. A stored log can be read back, and the game goes on.
Events that people have corrected or removed stay as they are, even if the watcher revises them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.game.already_entered import line_entered_for
from companion.i18n.sentences import storable_ruling
from engine.errors import BadInputError
from engine.events import Event, Source

if TYPE_CHECKING:
    from engine.referee.referee import Referee

EventLine = dict[str, Any]
"""One event line, as `shithead watch` prints it."""
BY_HAND = "hand"
"""Value of a line's field `by` if a person entered the event."""
SETTLED = "settled"
"""Field of a line that is set if a person corrected the event."""
ASSUMED = "assumed"
"""Value of `by` for a draw that was due and is assumed, in a game without a camera."""
CONCLUSIONS = ("out", "game_over", "late_breach")
"""Kinds of events that the referee infers. A person may also enter the first two."""

_AT_THE_PILE = ("play", "flip", "burn", "pick_up", "show")
_OF_A_COUNT = ("out", "game_over")
"""The kinds that are inferred from the number of cards a player has."""
_COUNTED_IN: dict[str, Source] = {"up": "up", "hand+up": "up", "down": "down"}
"""Origin of a missed card, by the source of the cards that seemed to be the last."""
_JUST_BEFORE_S = 0.001


class EventLog:
    """The event lines of one game, kept consistent with its referee."""

    def __init__(self, referee: Referee | None) -> None:
        """Start empty. None: the referee comes once the players are known (`set_referee`)."""
        self._referee = referee
        self.lines: list[EventLine] = []
        """Every event with its ruling, oldest first. Corrected events keep their place."""
        self._ids: dict[int, int] = {}
        """The ids in this log, by the watcher's own ids."""
        self._concluded: dict[int, _Conclusion] = {}
        """Lines of events that the referee inferred, by id."""
        self._entered: dict[int, str] = {}
        """`BY_HAND` or `ASSUMED` for events that were not seen, by id."""
        self._entered_by_hand: set[int] = set()
        """Ids of events that people entered and the watcher has not reported."""
        self._settled: set[int] = set()
        """Ids of events that people corrected or removed."""
        self._count = 0

    @property
    def referee(self) -> Referee | None:
        """The referee; None until the players are known."""
        return self._referee

    def set_referee(self, referee: Referee) -> None:
        """Use `referee` from now on."""
        self._referee = referee

    @property
    def table(self) -> Any:
        """The referee's public table; None until the players are known."""
        return self._referee.table if self._referee is not None else None

    @property
    def last_t(self) -> float:
        """Time of the last event or decision, in seconds of the source."""
        return max((float(max(line["t"], line["decided_at"])) for line in self.lines), default=0.0)

    @property
    def ended_at(self) -> float | None:
        """Time of the event that ended the game, in seconds of the source; None while it goes on."""
        return next((float(line["t"]) for line in self.lines if line["event"] == "game_over"), None)

    def is_due(self, event: Event) -> bool:
        """Return whether the last act at the pile leads to this event: a burn, or a pick-up after a show."""
        last = next((line for line in reversed(self.lines) if line["event"] in _AT_THE_PILE), None)
        effects = ((last or {}).get("ruling") or {}).get("effects", {})
        if event.event == "pick_up":
            return event.player is not None and effects.get("picks_up") == event.player
        return event.event == "burn" and bool(effects.get("burn"))

    def add(self, events: Sequence[Event]) -> list[EventLine]:
        """Judge events. Return their lines, each followed by the events that the rules infer.

        Revisions of events that people settled are ignored. So are acts that a person has entered.
        """
        referee, told = self._appointed(), []
        for seen in events:
            if seen.revise is not None and self.number_of(seen.revise) in self._settled:
                continue
            entered = line_entered_for(seen, self.lines, self._entered_by_hand) if seen.id else None
            if entered is not None:
                self._entered_by_hand.discard(entered["id"])
                self._settled.add(entered["id"])
                self._ids[seen.id] = entered["id"]
                continue
            event = self._numbered(seen)
            outcome = referee.observe(event)
            told.append(self._told(event, outcome.ruling))
            if event.revise is None:
                told += [self._conclude(follow) for follow in outcome.follow_ups]
            else:
                told += self._bring_up_to_date(outcome.follow_ups, event.decided_at)
        return told

    def number_of(self, seen_id: int) -> int:
        """Return the number of the line about an event that the watcher knows by this id."""
        return self._ids.get(seen_id, seen_id)

    def name_hidden(self, ruled: Sequence[EventLine]) -> Sequence[Event]:
        """Return events that name hidden cards, or ask for them, because of lines just ruled on."""
        now = max((float(line["decided_at"]) for line in ruled), default=0.0)
        numbers = [int(line.get("revise") or line["id"]) for line in ruled]
        return self._appointed().name_hidden(numbers, now, self._settled)

    def enter(self, event: Event, by: str = BY_HAND) -> list[EventLine]:
        """Add an event that a person reports, or that is assumed. Return the lines that this adds."""
        self._entered[self._count + 1] = by
        if by == BY_HAND:
            self._entered_by_hand.add(self._count + 1)
        # Give it a fresh id: the watcher's ids are separate.
        return self.add([replace(event, id=0, revise=None, withdrawn=False)])

    def undo(self) -> EventLine | None:
        """Remove the last event and return its line, or None if there is none.

        The events inferred from it go too. Inferences that it had refuted come back.
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
        """Replace an earlier event by `event`, or remove it with None, and judge the game again.

        The referee infers from its count of cards that a player is out and the game is over. If that is
        wrong, the count is wrong, and one more card is added.

        Raises:
            BadInputError: there is no such event, or the referee inferred it from an event that can be
                corrected.
        """
        index = next((i for i, line in enumerate(self.lines) if line["id"] == event_id), None)
        if index is None or self._referee is None:
            raise BadInputError("event {event_id}: there is no such event", event_id=event_id)
        if event_id in self._concluded:
            if event is not None or not self._deny(self._concluded[event_id]):
                raise BadInputError("The referee inferred this. Correct the event behind it.")
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
        """Give a player another card who was wrongly counted out. Return whether that is possible.

        The card is added just before the act that seemed to be their last, and later events are judged again.
        """
        referee = self._appointed()
        found = ((n, o.follow_ups) for n, o in referee.outcomes.items() if o.follow_ups)
        drawn = next(((n, all_) for n, all_ in found if conclusion in map(_conclusion, all_)), None)
        index = next((i for i, line in enumerate(self.lines) if drawn and line["id"] == drawn[0]), None)
        if drawn is None or index is None or conclusion[0] not in _OF_A_COUNT:
            return False
        line = self.lines[index]
        if line["event"] == "out":  # a person reported it, so that report is wrong
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
        """Read back an interrupted game: its lines as they were written, with revisions in order.

        The referee sees the same events again. Its inferences get the ids that they had.

        Raises:
            BadInputError: a line is not an event.
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
                if line["by"] == BY_HAND and not line.get(SETTLED):
                    self._entered_by_hand.add(event.revise or event.id)
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
        self, referee: Referee, standing: Mapping[int, Event], names: Mapping[_Conclusion, int]
    ) -> None:
        """Rebuild the lines from the remaining events and the referee's outcomes."""
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

    def _appointed(self) -> Referee:
        if self._referee is None:
            raise BadInputError("the players are not known yet")
        return self._referee

    def _conclude(self, event: Event) -> EventLine:
        """Add an event that the referee infers, and return its line."""
        numbered = self._numbered(replace(event, id=0))
        self._concluded[numbered.id] = _conclusion(event)
        return self._told(numbered, None)

    def _bring_up_to_date(self, fresh: Sequence[Event], now: float) -> list[EventLine]:
        """Update all rulings and inferences after a replay. Return lines that describe the changes.

        Args:
            fresh: Events that the referee infers now and did not infer before.
            now: Time of the decision.
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
        """Return a copy of `line` that revises it."""
        self._count += 1
        return {**line, "decided_at": round(now, 3), "revise": line["id"], "id": self._count}

    def _numbered(self, event: Event) -> Event:
        """Return the event with the next free id, and with its references translated to this log's ids."""
        self._count += 1
        if not event.id:
            return replace(event, id=self._count)
        self._ids[event.id] = self._count
        revise = event.revise
        if revise is not None:
            revise = self.number_of(revise)
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
    """Return the key by which two inferences of the referee are the same."""
    return event.event, event.player, event.loser, event.concerns
