"""What tests ask of the referee's outcomes."""

from __future__ import annotations

from typing import Any

from engine.events import Event
from engine.referee.outcome import Outcome


def verdict(outcome: Outcome) -> str:
    """Return the verdict on an event that was judged."""
    assert outcome.ruling is not None
    return str(outcome.ruling["verdict"])


def broken(outcome: Outcome) -> list[str]:
    """Return the ids of the rules that an event broke."""
    assert outcome.ruling is not None
    return [breach["rule"] for breach in outcome.ruling["breaches"]]


def effects(outcome: Outcome) -> dict[str, Any]:
    """Return what follows of an event that was judged, if it stands."""
    assert outcome.ruling is not None
    found: dict[str, Any] = outcome.ruling["effects"]
    return found


def notes(outcome: Outcome) -> list[str]:
    """Return what was said beside the verdict on an event that was judged."""
    assert outcome.ruling is not None
    said: list[str] = outcome.ruling["notes"]
    return said


def rule_of(event: Event) -> str:
    """Return the id of the rule that a late breach broke."""
    assert event.breach is not None
    return str(event.breach["rule"])


def kinds(outcome: Outcome) -> list[str]:
    """Return the kinds of events that the referee concluded."""
    return [event.event for event in outcome.follow_ups]
