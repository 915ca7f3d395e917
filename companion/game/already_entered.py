"""Find the line of an act that a person entered before the camera reported it.

A camera may report an act that a person has already entered. The report would look like a second act: a card
played from nowhere, or one draw too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Any

from engine.events import PUTS_ON_PILE, TAKES_PILE, Event

_ACTS = (*PUTS_ON_PILE, *TAKES_PILE, "draw", "show", "take_up", "take_down", "exchange")
_SAME_SECONDS = 20.0
"""A person enters an act, and a camera reports it, within this time of each other."""


def line_entered_for(
    event: Event, lines: Sequence[dict[str, Any]], by_hand: Container[int]
) -> dict[str, Any] | None:
    """Return the line of the act that a camera reports again; None if it is new.

    Args:
        event: The camera's report.
        lines: The lines of the game, oldest first.
        by_hand: Ids of the lines that people entered and no camera has reported.
    """
    if event.event not in _ACTS or event.revise is not None:
        return None
    on_pile = event.event in PUTS_ON_PILE
    line: dict[str, Any]
    for line in reversed(lines):
        if line["id"] in by_hand and _is_same(event, line):
            return line
        may_be_played_again = on_pile and line["event"] in TAKES_PILE
        done_something_else = not on_pile and line.get("player") == event.player
        if may_be_played_again or done_something_else:
            return None
    return None


def _is_same(event: Event, line: dict[str, Any]) -> bool:
    kinds = PUTS_ON_PILE if event.event in PUTS_ON_PILE else (event.event,)
    if line["event"] not in kinds or event.player not in (None, line.get("player")):
        return False
    if event.event in PUTS_ON_PILE:
        return not Counter(event.cards) - Counter(line.get("cards") or ())
    return bool(abs(float(line["t"]) - event.decided_at) <= _SAME_SECONDS)
