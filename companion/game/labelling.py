"""The truth of a film, as people confirm and correct it event by event. Free of Kivy.

It begins with what the watcher proposed. Each change replays the whole log through the referee, so rulings
and inferred events always fit the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.game.event_log import BY_HAND, CONCLUSIONS
from companion.game.interface import EventLine
from companion.game.refereeing import make_referee
from companion.game.replay import ReplayStep
from companion.game.scoring import read_events, read_lines, read_truth, truth_path
from companion.game.setup import GameSetup
from companion.i18n.sentences import storable_ruling
from companion.store.kept_films import KeptGame
from engine.errors import BadInputError
from engine.events import REMARKS, Event
from engine.files.atomic import write_whole
from engine.files.json_text import json_lines

ACT_S = 1.0
"""People note when the cards came to rest. The act is taken to begin this much earlier."""
_FIRST_INFERRED = 1_000_000
"""Ids of events that the referee infers."""
_ENTERED = "by"
_EVENT_FIELDS = ("t_start", "t_end", "t", "decided_at", "confidence", "why", "settled", "revise", "ruling")
"""Fields of an event line that a truth does not have, or has in another form."""


@dataclass(frozen=True, slots=True)
class _Version:
    """The events at one time, by id, and which of them people have confirmed."""

    events: Mapping[int, Event]
    confirmed: frozenset[int] = frozenset()
    by_hand: frozenset[int] = frozenset()
    """Events that people entered."""


class Labels:
    """The events of a film. Every change can be undone."""

    def __init__(
        self, header: Mapping[str, Any], lines: Iterable[EventLine], confirmed: Iterable[int] = ()
    ) -> None:
        """Begin with `lines`, which have `id` and `t`. Questions and inferred events are left out.

        Raises:
            BadInputError: the rules or the players of the header cannot be used.
        """
        self.header = dict(header)
        """The first line of the truth."""
        self._undone: list[_Version] = []
        self._done: list[_Version] = []
        kept = [line for line in lines if _is_reported(line)]
        events = (Event.from_json(dict(line)) for line in kept)
        by_hand = frozenset(int(line["id"]) for line in kept if line.get(_ENTERED) == BY_HAND)
        self._now = _Version(
            {event.id: replace(event, revise=None) for event in events}, frozenset(confirmed), by_hand
        )
        self.steps: tuple[ReplayStep, ...] = ()
        """All events in the order of their times."""
        self.before: Any = None
        """The public table before the first event."""
        self._judge()

    @property
    def setup(self) -> GameSetup:
        """The game, with its film as the source."""
        return GameSetup(
            source=str(self.header.get("film")),
            players=tuple(self.header["players"]),
            rules=self.header["rules"],
            options=tuple(self.header.get("options") or ()),
            dealer=self.header.get("dealer"),
            kept=False,
        )

    @property
    def unconfirmed(self) -> list[EventLine]:
        """The proposals that nobody has confirmed yet."""
        return [step.line for step in self.steps if step.line.get("confirmed") is False]

    @property
    def can_redo(self) -> int:
        """Number of changes that can be redone."""
        return len(self._undone)

    def until(self, t: float) -> tuple[tuple[EventLine, ...], Any]:
        """Return the events up to `t` seconds, and the public table after them."""
        seen = [step for step in self.steps if float(step.line["t"]) <= t]
        return tuple(step.line for step in seen), seen[-1].table if seen else self.before

    def confirm(self, event_id: int) -> None:
        """Note that an event is right.

        Raises:
            BadInputError: there is no such event, or the referee inferred it.
        """
        self._known(event_id)
        self._change(replace(self._now, confirmed=self._now.confirmed | {event_id}))

    def correct(self, event_id: int, event: Event | None) -> None:
        """Replace an event, or remove it with None. A replacement is confirmed.

        Raises:
            BadInputError: there is no such event, or the referee inferred it.
        """
        self._known(event_id)
        events = dict(self._now.events)
        if event is None:
            del events[event_id]
            self._change(replace(self._now, events=events))
            return
        events[event_id] = replace(event, id=event_id, revise=None, withdrawn=False)
        self._change(replace(self._now, events=events, confirmed=self._now.confirmed | {event_id}))

    def enter(self, event: Event, t: float) -> None:
        """Add an event at `t` seconds that the watcher missed."""
        number = max(self._now.events, default=0) + 1
        events = {**self._now.events, number: replace(event, id=number, t=t, decided_at=t, revise=None)}
        confirmed, by_hand = self._now.confirmed | {number}, self._now.by_hand | {number}
        self._change(_Version(events, confirmed, by_hand))

    def undo(self) -> bool:
        """Take back the last change. Return whether there was one."""
        if not self._done:
            return False
        self._undone.append(self._now)
        self._now = self._done.pop()
        self._judge()
        return True

    def redo(self) -> bool:
        """Make the change again that was taken back last. Return whether there was one."""
        if not self._undone:
            return False
        self._done.append(self._now)
        self._now = self._undone.pop()
        self._judge()
        return True

    def truth_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the truth file, as in `docs/files.md`."""
        header = {**self.header, "labelled": True, "unconfirmed": len(self.unconfirmed)}
        return [header, *(_truth_line(step.line) for step in self.steps)]

    def save(self, path: Path) -> None:
        """Write the truth file, all or nothing.

        Raises:
            OSError: it cannot be written.
        """
        write_whole(path, json_lines(self.truth_lines()))

    def _known(self, event_id: int) -> None:
        if is_inferred({"id": event_id}):
            raise BadInputError("The referee inferred this. Correct the event behind it.")
        if event_id not in self._now.events:
            raise BadInputError("event {event_id}: there is no such event", event_id=event_id)

    def _change(self, version: _Version) -> None:
        before = self._now
        self._now = version
        try:
            self._judge()
        except BadInputError:
            self._now = before
            self._judge()
            raise
        self._done.append(before)
        self._undone.clear()

    def _judge(self) -> None:
        """Let a fresh referee see all events."""
        setup = self.setup
        referee = make_referee(setup.rules, setup.players, options=setup.options, dealer=setup.dealer)
        self.before = referee.table
        told: list[tuple[Event, bool, Any]] = []
        for event in sorted(self._now.events.values(), key=lambda event: (event.t, event.id)):
            outcome = referee.observe(event)
            told.append((event, False, referee.table))
            told += [
                (replace(follow, t=event.t, decided_at=event.decided_at), True, referee.table)
                for follow in outcome.follow_ups
            ]
        steps = []
        for number, (event, inferred, table) in enumerate(told):
            if inferred:
                steps.append(ReplayStep({**event.to_json(), "id": _FIRST_INFERRED + number}, table))
            else:
                now = referee.outcomes.get(event.id)
                steps.append(ReplayStep(self._line(event, None if now is None else now.ruling), table))
        self.steps = tuple(steps)

    def _line(self, event: Event, ruling: dict[str, Any] | None) -> EventLine:
        line: dict[str, Any] = event.to_json()
        if ruling is not None:
            line["ruling"] = storable_ruling(ruling)
        if event.id in self._now.by_hand:
            line[_ENTERED] = BY_HAND
        if event.id not in self._now.confirmed:
            line["confirmed"] = False
        return line


def is_inferred(line: EventLine) -> bool:
    """Return whether the referee inferred an event of a film's labels."""
    return int(line["id"]) >= _FIRST_INFERRED


def read_labels(truth: Path) -> Labels:
    """Return the labels of a truth file, to go on with them.

    Raises:
        BadInputError: it is no truth, or its rules cannot be used.
    """
    events = read_truth(truth)
    header = {name: value for name, value in read_lines(truth)[0].items() if name != "line"}
    lines = [
        {**line, "id": line.get("id") or number, "t": line["t_end"], "decided_at": line["t_end"]}
        for number, line in enumerate(events, start=1)
    ]
    confirmed = [line["id"] for line in lines if line.get("confirmed") is not False]
    return _labels(truth, header, lines, confirmed)


def propose_labels(header: Mapping[str, Any], events: Path, confirmed: Iterable[int] = ()) -> Labels:
    """Return labels that begin with the event lines of a watched game.

    Raises:
        BadInputError: the lines cannot be read, or the header's rules cannot be used.
    """
    return _labels(events, header, read_events(events), confirmed)


def kept_labels(kept: KeptGame) -> Labels:
    """Return the labels of a kept game: its truth, or else its log as people corrected it.

    Raises:
        BadInputError: its files cannot be read.
    """
    truth = truth_path(kept.film)
    if truth.is_file():
        return read_labels(truth)
    about = kept.read_about()
    waiting = about.pop("unconfirmed", None) or []
    lines = read_events(kept.events)
    confirmed = [line["id"] for line in lines if line["id"] not in waiting]
    return _labels(kept.about, about, lines, confirmed)


def _labels(
    path: Path, header: Mapping[str, Any], lines: Sequence[EventLine], confirmed: Iterable[int]
) -> Labels:
    players = header.get("players")
    if not (isinstance(players, list | tuple) and players and isinstance(header.get("rules"), str)):
        raise BadInputError("{path}: players and rules are not named", path=path)
    return Labels(header, lines, confirmed)


def _is_reported(line: EventLine) -> bool:
    """Return whether a line stands for something that happened, and that the referee does not infer."""
    if line["event"] in CONCLUSIONS:
        return bool(line.get(_ENTERED) == BY_HAND)
    return line["event"] not in REMARKS


def _truth_line(line: EventLine) -> dict[str, Any]:
    t, ruling = float(line["t"]), line.get("ruling") or {}
    kept = {name: value for name, value in line.items() if name not in _EVENT_FIELDS}
    truth = {"t_start": round(max(0.0, t - ACT_S), 3), "t_end": round(t, 3), **kept}
    if "verdict" in ruling:
        truth["verdict"] = ruling["verdict"]
    if ruling.get("verdict") == "illegal":
        truth |= {"legal": False, "rule": ruling["breaches"][0]["rule"]}
    return truth
