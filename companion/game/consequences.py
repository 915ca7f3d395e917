"""The choices after a breach: it is taken back, the pile is picked up, it stands, or a house rule says more.

The players choose, and the choice is recorded as an event. The sentence of a house rule is a choice too.
None of the published rulesets names a penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from companion.game.interface import EventLine
from companion.game.ruling_views import newest_ruling, ruling_of
from engine.errors import BadInputError
from engine.events import Consequence, Event
from engine.ruleset import Rule, load_ruleset

_ACTS = ("play", "flip", "show", "pick_up", "take_up", "take_down", "exchange")


def unsettled_breach(lines: Sequence[EventLine]) -> EventLine | None:
    """Return the newest ruling's event if it is a breach that the players have yet to decide about.

    Once another player acts, the breach stands.
    """
    line = newest_ruling(lines)
    if line is None or (ruling_of(line) or {}).get("verdict") != "illegal":
        return None
    later = lines[lines.index(line) + 1 :]
    if any(other.get("event") == "consequence" and other.get("concerns") == line["id"] for other in later):
        return None
    moved_on = any(
        other.get("event") in _ACTS and other.get("player") != line.get("player") for other in later
    )
    return None if moved_on else line


def possible_consequences(line: EventLine, table: Any, rule: Rule | None = None) -> tuple[Consequence, ...]:
    """Return the choices after a breach, in the order in which a screen offers them.

    Args:
        line: The breach.
        table: The referee's public table.
        rule: The house rule about a breach, if there is one.
    """
    absent: set[Consequence] = set()
    if rule is None:
        absent.add("by_rule")
    if line.get("event") == "late_breach":
        absent.add("taken_back")
    if line.get("event") == "pick_up" or not getattr(table, "pile", ()) or not line.get("player"):
        absent.add("picked_up")
    return tuple(choice for choice in get_args(Consequence) if choice not in absent)


def consequence_rule(rules: str, options: Sequence[str] = ()) -> Rule | None:
    """Return the house rule about what follows a breach, or None if the ruleset says nothing about it."""
    try:
        return load_ruleset(rules, tuple(options)).find_rule("breach")
    except BadInputError:  # a house variant whose file is gone
        return None


def consequence_event(line: EventLine, choice: Consequence, now: float) -> Event:
    """Return the event that records a choice at `now` seconds of the source."""
    breaches = (ruling_of(line) or {}).get("breaches") or ()
    return Event(
        id=0,
        event="consequence",
        t=now,
        decided_at=now,
        player=line.get("player"),
        cards=tuple(line.get("cards") or ()),
        concerns=int(line["id"]),
        breach=dict(breaches[0]) if breaches else None,
        says=choice,
    )
