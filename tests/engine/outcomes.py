"""What tests ask of the referee's outcomes."""

from __future__ import annotations

from engine.outcome import Outcome


def verdict(outcome: Outcome) -> str:
    """Return the verdict on an event that was judged."""
    assert outcome.ruling is not None
    return str(outcome.ruling["verdict"])


def broken(outcome: Outcome) -> list[str]:
    """Return the ids of the rules that an event broke."""
    assert outcome.ruling is not None
    return [breach["rule"] for breach in outcome.ruling["breaches"]]


def kinds(outcome: Outcome) -> list[str]:
    """Return the kinds of events that the referee concluded."""
    return [event.event for event in outcome.follow_ups]
