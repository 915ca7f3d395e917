"""Records: a game as text that people can read and compare, and that reads back to the same game.

    [Rules "winnersh"]
    [Options ""]
    [Players "Ann, Bob"]
    [Dealer "Bob"]

    1. deal: Ann 4C 9S KD / Bob 2C 7H 7S
    2. Ann plays 9S 9D from hand [t=41.3 confidence=0.98]
       ; legal
    3. Bob plays ?? from hand
       ; unproven: the card played, which nobody identified

A line that starts with `;` is a remark. Reading a record ignores remarks and works out the rulings again. A
revision is a line of its own, `[revise=2]`. Names that are not plain words stand in quotation marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import BadInputError
from engine.events import Event, EventLineReader
from engine.fields import PlayerNameReader, read_count, read_players
from engine.files.json_text import parse_json
from engine.notation.record_lines import event_text, name_text, parse_event, parse_names
from engine.referee.referee import Outcome, Referee
from engine.ruleset import Ruleset, build_variant, load_ruleset

_TAG = re.compile(r'^\[(\w+) (".*")\]$')


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that could not be read."""

    line: int
    """The number of the line, from 1."""
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A game as it was reported: everything needed to replay it."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None = None
    loser: str | None = None
    """The Shithead of the game before."""
    losses: Mapping[str, int] = field(default_factory=dict)
    log: tuple[Event, ...] = ()
    """Every reported event, revisions and withdrawals included."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further facts about the game: date, place, film."""

    def referee(self) -> Referee:
        """Replay the game and return the referee after the last event."""
        referee = self._fresh()
        for event in self.log:
            referee.observe(event)
        return referee

    def _fresh(self) -> Referee:
        return Referee(self.rules, self.players, dealer=self.dealer, loser=self.loser, losses=self.losses)

    def to_text(self) -> str:
        """Return the record as text, with the rulings as remarks."""
        lines = [f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in self._tags()]
        lines.append("")
        referee = self._fresh()
        for event in self.log:
            lines.append(event_text(event))
            lines += [f"   ; {' '.join(remark.split())}" for remark in remarks(referee.observe(event))]
        return "\n".join(lines) + "\n"

    def _tags(self) -> list[tuple[str, str]]:
        tags = [("Rules", self.rules.base), ("Options", ", ".join(self.rules.options))]
        if self.rules.name != self.rules.base:
            tags.append(("Variant", self.rules.name))
        if self.rules.changes:
            tags.append(("Mechanics", json.dumps(dict(self.rules.changes), ensure_ascii=False)))
        if self.rules.own_rules:
            tags.append(("Sentences", json.dumps(dict(self.rules.own_rules), ensure_ascii=False)))
        tags.append(("Players", ", ".join(map(name_text, self.players))))
        for name, player in (("Dealer", self.dealer), ("Loser", self.loser)):
            if player is not None:
                tags.append((name, player))
        if self.losses:
            tags.append(("Losses", json.dumps(dict(self.losses), ensure_ascii=False)))
        return [*tags, *self.tags.items()]


def remarks(outcome: Outcome) -> list[str]:
    """Return the remarks on the outcome of an event, one for each line."""
    lines = []
    if outcome.ruling is not None:
        ruling = outcome.ruling
        lines += [f"{b['cite']} ({b['rule']}): {b['says']}" for b in ruling["breaches"]]
        verdict = ruling["verdict"]
        needs = f": {'; '.join(ruling['needs'])}" if verdict == "unproven" else ""
        lines = [verdict + needs, *lines, *ruling["effects"]["rituals"]]
    elif outcome.confirms:
        lines.append("as expected")
    for event in outcome.follow_ups:
        if event.event == "late_breach":
            rule = (event.breach or {}).get("rule", "")
            lines.append(f"late breach of {event.concerns} ({rule}): {event.says}")
        elif event.event == "out":
            lines.append(f"{event.player} is out")
        elif event.event == "game_over":
            lines.append(f"{event.loser} is the Shithead")
    return lines


def read_record(text: str) -> tuple[Record, list[Damage]]:
    """Read a record; return it with the damaged lines, which it leaves out.

    Raises:
        BadInputError: the text does not name the players, or names a ruleset that does not exist.
    """
    tags: dict[str, str] = {}
    events: list[tuple[int, str, Event]] = []
    damaged: list[Damage] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith(";"):
            continue
        try:
            if stripped.startswith("["):
                name, value = _read_tag(stripped)
                if name in tags:
                    raise BadInputError(f"the tag {name[:40]} appears twice")
                tags[name] = value
            else:
                events.append((number, stripped, parse_event(stripped)))
        except BadInputError as error:
            damaged.append(Damage(number, stripped, str(error)))
    record = _build(tags)
    lines, whole = EventLineReader(record.players), []
    for number, line, event in events:
        try:
            whole.append(lines.take(event))
        except BadInputError as error:
            damaged.append(Damage(number, line, str(error)))
    return replace(record, log=tuple(whole)), sorted(damaged, key=lambda damage: damage.line)


def _read_tag(line: str) -> tuple[str, str]:
    found = _TAG.match(line)
    try:
        value = parse_json(found[2]) if found else None
    except json.JSONDecodeError:
        value = None
    if found is None or not isinstance(value, str):
        raise BadInputError('a tag is written [Name "value"]')
    return found[1], value


def _build(tags: dict[str, str]) -> Record:
    if "Players" not in tags:
        raise BadInputError("this is not a record of a game: it does not name the players")
    players = read_players(parse_names(tags.pop("Players")))
    rules, names = _rules(tags), PlayerNameReader(players)
    losses = _json_table(tags.pop("Losses", "{}"), "Losses")
    return Record(
        rules=rules,
        players=players,
        dealer=names.read(tags.pop("Dealer", None), "Dealer"),
        loser=names.read(tags.pop("Loser", None), "Loser"),
        losses={names.require(name, "Losses"): read_count(n, "Losses") or 0 for name, n in losses.items()},
        tags=tags,
    )


def _rules(tags: dict[str, str]) -> Ruleset:
    base = tags.pop("Rules", "")
    options = [option.strip() for option in tags.pop("Options", "").split(",") if option.strip()]
    changes = _json_table(tags.pop("Mechanics", "{}"), "Mechanics")
    sentences = _json_table(tags.pop("Sentences", "{}"), "Sentences")
    variant = tags.pop("Variant", base)
    if variant == base and not changes and not sentences:
        return load_ruleset(base, options)
    data: dict[str, Any] = {"name": variant, "base": base, "options": options, "mechanics": changes}
    data["rules"] = sentences
    return build_variant(data, default_name=variant)


def _json_table(text: str, name: str) -> dict[str, Any]:
    try:
        table = parse_json(text)
    except json.JSONDecodeError:
        table = None
    if not isinstance(table, dict):
        raise BadInputError(f"the tag {name} does not hold a table")
    return table
