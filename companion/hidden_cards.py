"""Cards that must have lain hidden under those of a play: which ones, only somebody at the table can say.

A set that is put down as one squared stack shows its uppermost card alone. Who then draws more than they were
seen to put down tells that there was another; the referee rules such a draw *unproven*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.cards import RANK_OF, RANK_TEXTS, SUITS, UNKNOWN
from engine.events import Event
from engine.public import PublicTable
from vision.questions import HIDDEN_CARD, asked

_PUT_DOWN = ("play", "flip", "show")


class HiddenCards:
    """Asks for the card, once for each play."""

    def __init__(self) -> None:
        self._asked: set[int] = set()

    def question(
        self, told: Iterable[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]], table: PublicTable
    ) -> Event | None:
        """Return what is to be asked about the lines just told; None: nothing.

        `lines` are those of the game as they stand, `table` is what everybody sees of it.
        """
        draw = next((line for line in told if _is_beyond_what_was_seen(line)), None)
        if draw is None:
            return None
        play = next((line for line in reversed(lines) if line["event"] in _PUT_DOWN), None)
        if play is None or play["id"] in self._asked or play.get("player") != draw["player"]:
            return None
        cards = list(play.get("cards") or ())
        if play["event"] != "play" or not cards or UNKNOWN in cards:
            return None
        seen = {*table.pile, *table.burned, *(card for row in table.up.values() for card in row), *cards}
        rank = RANK_TEXTS.get(RANK_OF[cards[-1]], "")
        may_be = tuple(rank + suit for suit in SUITS if rank + suit not in seen)
        if cards[-1][:-1] != rank or not may_be:
            return None
        self._asked.add(play["id"])
        who, t, decided_at = draw["player"], draw["t"], draw["decided_at"]
        says = asked(HIDDEN_CARD, who, count=len(cards))
        about = {"player": who, "cards": may_be, "concerns": play["id"]}
        return Event(id=0, event="unclear", t=t, decided_at=decided_at, says=says, **about)


def _is_beyond_what_was_seen(line: Mapping[str, Any]) -> bool:
    verdict = (line.get("ruling") or {}).get("verdict")
    return line["event"] == "draw" and verdict == "unproven" and not line.get("withdrawn")
