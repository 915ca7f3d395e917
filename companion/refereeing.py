"""Watcher and referee joined: frames in, event lines with rulings out.

The watcher says what was seen, the referee what it means; neither knows the other. Here events get the ids
under which players, the store and the screen speak of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from engine.errors import BadInputError
from engine.events import Event
from vision.layout import Layout, load_layout
from vision.reading import CardReader, CardReading, Image
from vision.watch import TableView, Watcher

Line = dict[str, Any]
"""One event line, as `shithead watch` prints it."""


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


class Judge(Protocol):
    """What is needed of `engine.referee.Referee`."""

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


class Refereeing:
    """One game, watched and refereed."""

    def __init__(
        self,
        watcher: Watcher,
        make_judge: Callable[[Sequence[str]], Judge],
        players: Sequence[str] | None = None,
    ) -> None:
        """Join `watcher` with the judge of these players; None: of those whom the deal shows."""
        self._watcher, self._make_judge = watcher, make_judge
        self._judge = make_judge(players) if players is not None else None
        self._lines: list[Line] = []
        self._ids: dict[int, int] = {}
        self._concluded: dict[int, _Conclusion] = {}
        """Lines that the referee added and nobody saw, by their id."""
        self._count = 0

    @classmethod
    def open(
        cls,
        *,
        rules: str = "winnersh",
        players: Sequence[str] | None,
        options: Sequence[str] = (),
        dealer: str | None = None,
        layout: Path | None = None,
        deck: str | None = None,
        reader: CardReader | None = None,
    ) -> Refereeing:
        """Set up a game.

        Args:
            rules: A ruleset's name.
            players: Clockwise as seen from above, the first at the bottom edge of the picture. None: as many
                as there are rows of cards, by number.
            options: House options of the ruleset.
            dealer: Who dealt; None: not known.
            layout: A file that says where seats and piles are; None: found at the deal.
            deck: The name of an enrolled deck.
            reader: Reads the pictures; None: the reader that ships with the program.

        Raises:
            BadInputError: rules, options, players, dealer, deck or layout are not usable.
        """
        from engine.questions import deal_for
        from engine.referee import Referee
        from engine.ruleset import load_ruleset
        from vision.reader import reader_for_deck

        _check_players(players, dealer)
        ruleset = load_ruleset(rules, tuple(options))
        deal = deal_for(ruleset, len(players) if players else _USUAL_PLAYERS)
        if deal is None:
            raise BadInputError(f"players: one pack does not serve {len(players or ())} in {rules}")
        given = _named(load_layout(layout), players) if layout is not None else None
        watcher = Watcher(
            reader or reader_for_deck(deck),
            players,
            given,
            row_length=deal["up"],
        )

        def make_judge(names: Sequence[str]) -> Judge:
            return Referee(ruleset, tuple(names), options=tuple(options), dealer=dealer)

        return cls(watcher, make_judge, players)

    @property
    def table(self) -> Any:
        """The referee's public table; None until it is known who plays."""
        return self._judge.table if self._judge is not None else None

    @property
    def lines(self) -> Sequence[Line]:
        """Every event of the game with its ruling, oldest first; corrected ones in their place."""
        return self._lines

    @property
    def readings(self) -> Sequence[CardReading]:
        """The cards that were read last, in pixels of the source."""
        return self._watcher.view.readings

    @property
    def view(self) -> TableView:
        """What the watcher believes of the table."""
        return self._watcher.view

    @property
    def layout(self) -> Layout | None:
        """Where seats and piles are, once that is known."""
        return self._watcher.layout

    @property
    def looks(self) -> int:
        """How often the networks were run."""
        return self._watcher.looks

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return not self._watcher.view.still

    def feed(self, frame: Image, t: float) -> list[Line]:
        """Take the picture at `t` seconds; returns the lines decided by it."""
        return self._rule(self._watcher.feed(frame, t))

    def finish(self, t: float) -> list[Line]:
        """Take the end of the source; returns the lines decided by it."""
        return self._rule(self._watcher.finish(t))

    def undo(self) -> Line | None:
        """Take the last event back and return it; None where there is none.

        What the referee concluded from it goes with it.
        """
        last = None if self._judge is None else self._judge.undo()
        if last is None:
            return None
        line = next((line for line in self._lines if line["id"] == last.id), last.to_json())
        self._lines = [other for other in self._lines if other is not line]
        self._bring_up_to_date((), last.decided_at)
        return line

    def correct(self, event_id: int, event: Event | None) -> None:
        """Put `event` in place of an earlier one and rule anew on everything; None: it never happened.

        Raises:
            BadInputError: there is no event of this id, or it is the referee's own conclusion.
        """
        index = next((i for i, line in enumerate(self._lines) if line["id"] == event_id), None)
        if index is None or self._judge is None:
            raise BadInputError(f"event {event_id}: there is no such event")
        if event_id in self._concluded:
            raise BadInputError("That is the referee's own conclusion; correct the event it rests on")
        old = self._lines[index]
        if event is None:
            gone = replace(Event.from_json(old), id=event_id, withdrawn=True)
            outcome = self._judge.correct(event_id, gone)
            del self._lines[index]
        else:
            put = replace(event, id=event_id, revise=None, withdrawn=False)
            outcome = self._judge.correct(event_id, put)
            self._lines[index] = put.to_json()
        self._bring_up_to_date(outcome.follow_ups, float(old["decided_at"]))

    def _rule(self, events: Sequence[Event]) -> list[Line]:
        """Have events judged; returns their lines, each followed by what the rules conclude from it."""
        told = []
        for seen in events:
            if self._judge is None:
                seats = self._watcher.layout.seats if self._watcher.layout else ()
                self._judge = self._make_judge([seat.player for seat in seats])
            event = self._numbered(seen)
            outcome = self._judge.observe(event)
            told.append(self._told(event, outcome.ruling))
            if event.revise is None:
                told += [self._conclude(follow) for follow in outcome.follow_ups]
            else:
                told += self._bring_up_to_date(outcome.follow_ups, event.decided_at)
        return told

    def _conclude(self, event: Event) -> Line:
        """Enter an event that the referee concludes; returns its line."""
        numbered = self._numbered(replace(event, id=0))
        self._concluded[numbered.id] = _conclusion(event)
        return self._told(numbered, None)

    def _bring_up_to_date(self, fresh: Sequence[Event], now: float) -> list[Line]:
        """After a replay: take over all rulings and conclusions; returns the lines that tell the changes.

        Args:
            fresh: What the referee concludes that it did not conclude before.
            now: When this was decided.
        """
        assert self._judge is not None
        outcomes = self._judge.outcomes
        held = {_conclusion(event) for outcome in outcomes.values() for event in outcome.follow_ups}
        told: list[Line] = []
        lines, self._lines = self._lines, []
        for line in lines:
            number = line["id"]
            if number in self._concluded:
                if self._concluded[number] in held:
                    self._lines.append(line)
                else:
                    told.append(self._revising({**line, "withdrawn": True}, now))
                continue
            ruling = outcomes[number].ruling if number in outcomes else None
            if ruling != line.get("ruling"):
                line = {name: value for name, value in line.items() if name != "ruling"}
                line |= {} if ruling is None else {"ruling": ruling}
                told.append(self._revising(line, now))
            self._lines.append(line)
        return told + [self._conclude(event) for event in fresh]

    def _revising(self, line: Line, now: float) -> Line:
        """Return `line` as a line of its own that takes its place."""
        self._count += 1
        return {**line, "decided_at": round(now, 3), "revise": line["id"], "id": self._count}

    def _numbered(self, event: Event) -> Event:
        """Return the event under the next free id, with what it revises named by the id that was told."""
        self._count += 1
        if event.id:
            self._ids[event.id] = self._count
        revise = None if event.revise is None else self._ids.get(event.revise, event.revise)
        return replace(event, id=self._count, revise=revise)

    def _told(self, event: Event, ruling: dict[str, Any] | None) -> Line:
        line = event.to_json()
        if ruling is not None:
            line["ruling"] = ruling
        earlier = next((i for i, old in enumerate(self._lines) if old["id"] == event.revise), None)
        if earlier is None:
            self._lines.append(line)
        elif event.withdrawn:
            del self._lines[earlier]
        else:
            self._lines[earlier] = {**line, "id": self._lines[earlier]["id"]}
        return line


_USUAL_PLAYERS = 4
_Conclusion = tuple[str, str | None, str | None, int | None]


def _conclusion(event: Event) -> _Conclusion:
    """Return what makes two conclusions of the referee the same."""
    return event.event, event.player, event.loser, event.concerns


def _check_players(players: Sequence[str] | None, dealer: str | None) -> None:
    if players is None:
        if dealer is not None:
            raise BadInputError(f"dealer: {dealer!r} is named, but the players are not")
        return
    if len(players) < 2:
        raise BadInputError(f"players: at least two are needed, {len(players)} named")
    twice = next((name for name in players if list(players).count(name) > 1), None)
    if twice is not None:
        raise BadInputError(f"players: {twice!r} is named twice")
    if dealer is not None and dealer not in players:
        raise BadInputError(f"dealer: {dealer!r} is not one of the players")


def _named(layout: Layout, players: Sequence[str] | None) -> Layout:
    """Return the layout with the players' names on its seats; with its own when none are given."""
    if players is None:
        return layout
    if len(layout.seats) != len(players):
        raise BadInputError(f"layout: it has {len(layout.seats)} seats for {len(players)} players")
    seats = tuple(replace(seat, player=name) for seat, name in zip(layout.seats, players, strict=True))
    return replace(layout, seats=seats)
