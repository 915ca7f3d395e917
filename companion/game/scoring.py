"""Compare reported events with the true ones: the measures of `shithead score`.

Matching. Revisions are applied first, and withdrawn events removed. A reported event can match a true one of
the same type if the fields in `COMPARED_FIELDS` agree; the order of cards does not matter. Its `t` must lie
between `EARLY_S` before the true event's `t_start` and `LATE_S` after its `t_end`. The matching is one to one
and as large as possible. Reported events, in the order of `t`, each take the open true event whose window
closes first. That is optimal because each true event is one interval.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.events import EVENT_KINDS, EventLineReader
from engine.files.bounded import read_capped
from engine.files.json_text import parse_json

EARLY_S = 0.5
"""A clock may run this far ahead of the truth's `t_start`."""
LATE_S = 2.0
"""An event may be reported with a time that is so much later than the truth's `t_end`."""
_BINS = 10
"""Equal parts of 0..1 in which confidences are compared with how often they are right."""
REMARKS = ("unclear", "late_breach", "recount", "consequence")
"""Lines that ask, infer or correct a count. No card moves, so the truth need not have them."""
COMPARED_FIELDS: dict[str, tuple[str, ...]] = {
    "deal": ("up",),
    "exchange": ("player", "up_or_count"),
    "play": ("player", "cards"),
    "flip": ("player", "cards"),
    "pick_up": ("player", "cards"),
    "burn": ("cards",),
    "show": ("player", "cards", "to", "answers"),
    "draw": ("player", "count"),
    "take_up": ("player", "cards"),
    "take_down": ("player", "count"),
    "out": ("player",),
    "game_over": ("loser",),
}
"""The fields that must agree, by event type."""

EventLine = dict[str, Any]


@dataclass(slots=True)
class EventCounts:
    """Counts for one event type."""

    true: int = 0
    reported: int = 0
    matched: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return counts with precision, recall and F1. A measure without data is None."""
        precision = self.matched / self.reported if self.reported else None
        recall = self.matched / self.true if self.true else None
        both = self.true + self.reported
        return {
            "true": self.true,
            "reported": self.reported,
            "matched": self.matched,
            "precision": _rounded(precision),
            "recall": _rounded(recall),
            "f1": _rounded(2.0 * self.matched / both if both else None),
        }


@dataclass(slots=True)
class Score:
    """The outcome of one comparison."""

    kinds: dict[str, EventCounts] = field(default_factory=dict)
    overall: EventCounts = field(default_factory=EventCounts)
    players_judged: int = 0
    """Events of a player that are right, except perhaps for the player."""
    players_right: int = 0
    rulings_judged: int = 0
    rulings_right: int = 0
    rulings_unproven: int = 0
    """Unproven rulings on legal events without a true verdict: neither right nor wrong."""
    illegal_true: int = 0
    illegal_found: int = 0
    false_alarms: int = 0
    corrections: int = 0
    asked: int = 0
    """`unclear` events: questions to the players."""
    delays_s: list[float] = field(default_factory=list)
    certainty: list[tuple[float, bool]] = field(default_factory=list)
    """The confidence of each reported event that has one, and whether the event is right."""
    missed: list[EventLine] = field(default_factory=list)
    spurious: list[EventLine] = field(default_factory=list)
    """What people read as *invented*. Reports of earlier versions have this name."""
    mistaken: list[tuple[EventLine, EventLine]] = field(default_factory=list)
    """A true event and the one reported in its place: right type and time, wrong player or cards."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that `shithead score --json` prints."""
        return {
            "events": {kind: tally.to_json() for kind, tally in self.kinds.items()},
            "overall": self.overall.to_json(),
            "players": {"judged": self.players_judged, "right": self.players_right},
            "rulings": {
                "judged": self.rulings_judged,
                "right": self.rulings_right,
                "unproven": self.rulings_unproven,
                "share_right": _rounded(
                    self.rulings_right / self.rulings_judged if self.rulings_judged else None
                ),
            },
            "illegal": {
                "true": self.illegal_true,
                "found": self.illegal_found,
                "false_alarms": self.false_alarms,
            },
            "corrections": self.corrections,
            "asked": self.asked,
            "delay_s": {
                "median": _rounded(statistics.median(self.delays_s) if self.delays_s else None),
                "p95": _rounded(percentile(self.delays_s, 0.95)),
            },
            "missed": self.missed,
            "spurious": self.spurious,
            "mistaken": [{"true": true, "reported": reported} for true, reported in self.mistaken],
        }


def read_lines(path: str | Path) -> list[EventLine]:
    """Return the JSON objects of a JSON-lines file.

    Raises:
        BadInputError: the file cannot be read, or a line is not a JSON object. The message names file and
            line.
    """
    try:
        text = read_capped(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise BadInputError(f"{path}: {reason}") from None
    lines = []
    # Not splitlines(), which would also split at characters that names may contain.
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            line = parse_json(raw)
        except json.JSONDecodeError:
            raise BadInputError(f"{path}: line {number} is not JSON: {raw[:60]!r}") from None
        if not isinstance(line, dict):
            raise BadInputError(f"{path}: line {number} is not a JSON object: {raw[:60]!r}")
        lines.append(line | {"line": number})
    return lines


def truth_path(film: Path) -> Path:
    """Return the path of the truth of a film: OUT.mp4 has OUT.truth.jsonl."""
    return film.with_suffix(".truth.jsonl")


def read_truth(path: str | Path) -> list[EventLine]:
    """Return the true events of a film, without its first line.

    Raises:
        BadInputError: as `read_lines`, or a line is not an event with its times.
    """
    lines = read_lines(path)
    if not lines or "film" not in lines[0]:
        raise BadInputError(f"{path}: the first line does not describe a film")
    events, known = lines[1:], EventLineReader()
    for line in events:
        _check(path, line, ("t_start", "t_end"), known)
    return events


def read_events(path: str | Path) -> list[EventLine]:
    """Return the final events of a watched game: with revisions applied, without withdrawn ones.

    Raises:
        BadInputError: as `read_lines`, or a line is not an event with its time, or revises an unknown one.
    """
    standing: dict[int, EventLine] = {}
    stands_for: dict[Any, int] = {}
    known = EventLineReader()
    for place, line in enumerate(read_lines(path)):
        revised = line.get("revise")
        slot = place
        if revised is not None:
            if not isinstance(revised, int) or revised not in stands_for:
                raise BadInputError(
                    f"{path}: line {line['line']} revises event {revised!r}, which no earlier line has"
                )
            slot = stands_for[revised]
        if line.get("withdrawn"):
            if revised is None:
                raise BadInputError(
                    f"{path}: line {line['line']} withdraws an event, but `revise` does not say which"
                )
            standing.pop(slot, None)
        else:
            _check(path, line, ("t",), known)
            standing[slot] = line
        if isinstance(line.get("id"), int):
            stands_for[line["id"]] = slot
    for line in standing.values():
        if line["event"] == "late_breach":  # the event that it concerns may have been revised
            concerned = standing.get(stands_for.get(line.get("concerns"), -1), {})
            line["concerns"] = concerned.get("id")
    return sorted(standing.values(), key=lambda line: float(line["t"]))


def _check(path: str | Path, line: EventLine, times: Sequence[str], known: EventLineReader) -> None:
    where = f"{path}: line {line['line']}"
    try:
        known.read(line)
    except BadInputError as error:
        raise BadInputError(f"{where}: {error}") from None
    for name in times:
        if line.get(name) is None:
            raise BadInputError(f"{where}: {name} is not there: when it happened, in seconds")


def event_key(line: EventLine) -> tuple[Any, ...]:
    """Return the fields of an event that must agree for it to be right."""
    return tuple(_READ[name](line) for name in COMPARED_FIELDS.get(str(line["event"]), ()))


def _up(line: EventLine) -> Any:
    up: dict[str, Sequence[str]] = line.get("up") or {}
    return tuple(sorted((str(player), tuple(sorted(map(str, cards)))) for player, cards in up.items()))


def _up_or_count(line: EventLine) -> Any:
    """Return the exchanging player's up-cards after an exchange if they were seen, else their number."""
    mine = [cards for player, cards in _up(line) if player == line.get("player")]
    return mine[0] if mine else line.get("count")


_READ: dict[str, Callable[[EventLine], Any]] = {
    "player": lambda line: line.get("player"),
    "to": lambda line: line.get("to"),
    "loser": lambda line: line.get("loser"),
    "count": lambda line: line.get("count", 1),
    "cards": lambda line: tuple(sorted(map(str, line.get("cards") or ()))),
    "answers": lambda line: tuple((str(a), str(b)) for a, b in line.get("answers") or ()),
    "up": _up,
    "up_or_count": _up_or_count,
}


def compare(events: Sequence[EventLine], truth: Sequence[EventLine]) -> Score:
    """Compare reported events with true ones, as `read_events` and `read_truth` return them."""
    score = Score(asked=sum(line["event"] == "unclear" for line in events))
    true = [line for line in truth if line["event"] not in REMARKS]
    reported = [line for line in events if line["event"] not in REMARKS]
    pairs = _match(reported, true, lambda line: (line["event"], *event_key(line)))
    _count(score, pairs, reported, true)
    _credit(score, pairs, reported, true)
    _judge(score, pairs, events, true)
    _correct(score, pairs, reported, true)
    right = {id(line) for line, _ in pairs}
    score.certainty = [
        (float(line["confidence"]), id(line) in right)
        for line in reported
        if line.get("confidence") is not None
    ]
    score.delays_s = [
        float(line["decided_at"]) - float(fact["t_end"]) for line, fact in pairs if "decided_at" in line
    ]
    return score


def calibration_error(certainty: Sequence[tuple[float, bool]]) -> float | None:
    """Return the expected calibration error (Naeini et al., 2015) over ten equal bins; None without data.

    Args:
        certainty: Pairs of a confidence, 0..1, and whether what it was about is right.
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in certainty:
        bins.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((confidence, right))
    gaps = (abs(sum(confidence - right for confidence, right in inside)) for inside in bins.values())
    return sum(gaps) / len(certainty) if certainty else None


Pairs = list[tuple[EventLine, EventLine]]
"""(reported, true)."""


def _match(
    reported: Iterable[EventLine], true: Iterable[EventLine], what: Callable[[EventLine], Any]
) -> Pairs:
    """Return the largest one-to-one matching of lines with equal `what` and fitting times."""
    open_facts: dict[Any, list[EventLine]] = {}
    for fact in sorted(true, key=lambda line: float(line["t_end"])):
        open_facts.setdefault(what(fact), []).append(fact)
    pairs = []
    for line in sorted(reported, key=lambda line: float(line["t"])):
        facts = open_facts.get(what(line), [])
        t = float(line["t"])
        for fact in facts:  # the one whose window closes first comes first
            if float(fact["t_start"]) - EARLY_S <= t <= float(fact["t_end"]) + LATE_S:
                pairs.append((line, fact))
                facts.remove(fact)
                break
    return pairs


def _count(score: Score, pairs: Pairs, reported: Sequence[EventLine], true: Sequence[EventLine]) -> None:
    for kind in EVENT_KINDS:
        tally = EventCounts(
            true=sum(line["event"] == kind for line in true),
            reported=sum(line["event"] == kind for line in reported),
            matched=sum(line["event"] == kind for line, _ in pairs),
        )
        if tally.true or tally.reported:
            score.kinds[kind] = tally
    score.overall = EventCounts(len(true), len(reported), len(pairs))


def _credit(score: Score, pairs: Pairs, reported: Sequence[EventLine], true: Sequence[EventLine]) -> None:
    """Count events credited to the right player, and those that are wrong in nothing else."""
    matched = {id(line) for pair in pairs for line in pair}

    def rest(lines: Sequence[EventLine]) -> list[EventLine]:
        return [
            line for line in lines if id(line) not in matched and "player" in COMPARED_FIELDS[line["event"]]
        ]

    def but_for_the_player(line: EventLine) -> tuple[Any, ...]:
        fields = [name for name in COMPARED_FIELDS[line["event"]] if name != "player"]
        return (line["event"], *(_READ[name](line) for name in fields))

    score.players_right = sum("player" in COMPARED_FIELDS[line["event"]] for line, _ in pairs)
    wrong = _match(rest(reported), rest(true), but_for_the_player)
    score.players_judged = score.players_right + len(wrong)


def _judge(score: Score, pairs: Pairs, events: Sequence[EventLine], true: Sequence[EventLine]) -> None:
    """Count correct rulings, breaches that were found, and false accusations."""
    score.illegal_true = sum(line.get("legal") is False for line in true)
    fact_of = {id(line): fact for line, fact in pairs}
    late = {line["concerns"] for line in events if line["event"] == "late_breach"} - {None}
    for line in events:
        fact = fact_of.get(id(line))
        ruling = line.get("ruling")
        ruled_out = isinstance(ruling, dict) and ruling.get("verdict") == "illegal"
        accused = ruled_out or (line["event"] not in REMARKS and line.get("id") in late)
        broke = fact is not None and fact.get("legal") is False
        # A breach that follows from an intended one need not be found, and is no false alarm.
        unmeant = fact is not None and fact.get("verdict") == "illegal"
        score.illegal_found += accused and broke
        score.false_alarms += accused and not broke and not unmeant
        if fact is None or not isinstance(ruling, dict):
            continue
        score.rulings_judged += 1
        right = _ruling_right(ruling, fact)
        score.rulings_right += right is True
        score.rulings_unproven += right is None


def _ruling_right(ruling: EventLine, fact: EventLine) -> bool | None:
    """Return whether a ruling is what the truth asks for; None if that is open."""
    verdict = ruling.get("verdict")
    if fact.get("legal") is False:
        broken = {breach.get("rule") for breach in ruling.get("breaches") or () if isinstance(breach, dict)}
        return verdict == "illegal" and (fact.get("rule") is None or fact["rule"] in broken)
    if "verdict" in fact:
        return bool(verdict == fact["verdict"])
    return None if verdict == "unproven" else bool(verdict == "legal")


def _correct(score: Score, pairs: Pairs, reported: Sequence[EventLine], true: Sequence[EventLine]) -> None:
    """Count the corrections that would make the log true: each change, addition or removal."""
    matched = {id(line) for pair in pairs for line in pair}
    wrong = [line for line in reported if id(line) not in matched]
    open_facts = [fact for fact in true if id(fact) not in matched]
    for what in (lambda line: (line["event"], line.get("player")), lambda line: line["event"]):
        for line, fact in _match(wrong, open_facts, what):
            score.mistaken.append((fact, line))
            wrong = [other for other in wrong if other is not line]
            open_facts = [other for other in open_facts if other is not fact]
    score.missed, score.spurious = open_facts, wrong
    score.corrections = len(score.mistaken) + len(open_facts) + len(wrong)


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value below which `share` of the values lie, interpolated, or None without values."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
