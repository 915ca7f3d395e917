"""Find cards that were hidden under those of a play.

A set put down as one squared stack shows only its top card. If its player then draws more than they were seen
to play, there was another card, and the referee rules the draw *unproven*. Each card exists once per pack. If
exactly as many cards of that rank are unaccounted for as were hidden, it was those. Until then the players
are asked, and later events may answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from companion.game.event_log import SETTLED
from engine.cards import RANK_OF, RANK_TEXTS, SUITS, UNKNOWN, copies
from engine.events import TAKES_PILE, Event
from engine.referee.public import PublicTable
from vision.questions import HIDDEN_CARD, format_question

_PUT_DOWN = ("play", "flip", "show")
_CONCLUDED = 0.9
"""Highest confidence of a card that was inferred and not seen."""
Line = Mapping[str, Any]


@dataclass(slots=True)
class _Stack:
    """A play with unseen cards."""

    play: int
    """The id of its line."""
    t: float
    seen: tuple[str, ...]
    told_by: int
    """The id of the line that revealed it: a draw that was too large, or a burn that seemed not to be due."""
    drew: int | None
    missing: int
    """Number of hidden cards; 0 if that is not clear."""
    could_be: tuple[str, ...]
    """Unaccounted cards of its rank."""
    in_hand: frozenset[str]
    """Cards that were publicly known to be in the player's hand before."""
    concluded: tuple[str, ...] = ()
    """The hidden cards, once known."""

    def taken_away(self, lines: Sequence[Line]) -> Line | None:
        """Return the line that took the visible cards off the pile."""
        later = (line for line in lines if line["event"] in TAKES_PILE and line["t"] > self.t)
        return next((line for line in later if self.seen[-1] in (line.get("cards") or ())), None)

    def must_be(self, lines: Sequence[Line]) -> tuple[str, ...]:
        """Return the hidden cards, or nothing if the lines do not determine them.

        Cards put down later were not hidden, unless by the player who picked the pile up. A player known to
        hold more cards of the rank has put those down.
        """
        took = self.taken_away(lines)
        since = [line for line in lines if line["event"] in _PUT_DOWN and line["t"] > self.t]
        if took is not None and took["event"] == "pick_up":
            since = [x for x in since if x["t"] < took["t"] or x.get("player") != took.get("player")]
        elsewhere = {card for line in since for card in line.get("cards") or ()}
        may_be = [card for card in self.could_be if card not in elsewhere]
        still_told = any(line["id"] == self.told_by and line.get("count") == self.drew for line in lines)
        for cards in ([card for card in may_be if card in self.in_hand], may_be):
            if cards and len(cards) == self.missing and still_told:
                return tuple(cards)
        return ()


class HiddenCards:
    """Asks for hidden cards, once per play, and names them once events determine them."""

    def __init__(self, packs: int = 1) -> None:
        """With more than one of `packs`, each card exists several times, so it is only asked."""
        self._packs = packs
        self._known: set[int] = set()
        """Ids of plays that have been handled."""
        self._stacks: list[_Stack] = []

    def events(self, told: Sequence[Line], lines: Sequence[Line], table: PublicTable) -> list[Event]:
        """Return the consequences of the lines just decided: a question, and corrected plays.

        `lines` are the game's present lines, `table` is its public table.
        """
        standing = {line["id"]: line for line in lines}
        self._stacks = [stack for stack in self._stacks if _stands(stack, standing.get(stack.play))]
        now = max((float(line["decided_at"]) for line in told), default=0.0)
        events = [event for stack in self._stacks for event in _brought_up_to_date(stack, lines, now)]
        for line in told:
            stack = self._begun(line, lines, table) if _is_beyond_what_was_seen(line) else None
            if stack is not None:
                self._stacks.append(stack)
                events += _brought_up_to_date(stack, lines, now)
                if not stack.concluded and line["event"] == "draw":
                    events.append(_question(stack, line))
        return events

    def _begun(self, line: Line, lines: Sequence[Line], table: PublicTable) -> _Stack | None:
        """Return the play with unseen cards that a line reveals, or None if it is already known."""
        player = line.get("player")
        play = next((earlier for earlier in reversed(lines) if earlier["event"] in _PUT_DOWN), None)
        if play is None or play["id"] in self._known or player is None or play.get("player") != player:
            return None
        cards = tuple(play.get("cards") or ())
        if play["event"] != "play" or not cards or UNKNOWN in cards:
            return None
        rank = RANK_TEXTS.get(RANK_OF[cards[-1]], "")
        seen = {*cards, *_lying_elsewhere(table, lines, player)}
        could_be = tuple(rank + suit for suit in SUITS if rank + suit not in seen)
        if cards[-1][:-1] != rank or not could_be:
            return None
        self._known.add(play["id"])
        return _Stack(
            play=play["id"],
            t=float(play["t"]),
            seen=cards,
            told_by=line.get("revise") or line["id"],
            drew=line.get("count"),
            missing=_missing(line, cards) if copies(cards[-1], self._packs) == 1 else 0,
            could_be=could_be,
            in_hand=frozenset(table.hands[player].known),
        )


def _question(stack: _Stack, draw: Line) -> Event:
    """Return the question about a play whose player drew too much."""
    who, t, decided_at = draw["player"], draw["t"], draw["decided_at"]
    says = format_question(HIDDEN_CARD, who, count=len(stack.seen))
    about = {"player": who, "cards": stack.could_be, "concerns": stack.play}
    return Event(id=0, event="unclear", t=t, decided_at=decided_at, says=says, **about)


def _brought_up_to_date(stack: _Stack, lines: Sequence[Line], now: float) -> list[Event]:
    """Return the events that add the hidden cards, or remove them again. There may be none."""
    found = stack.must_be(lines)
    if found == stack.concluded:
        return []
    before, stack.concluded = stack.concluded, found
    took = stack.taken_away(lines)
    events = []
    for line in lines:
        if line["event"] == "unclear" and line.get("concerns") == stack.play and found:
            events.append(replace(_revising(line, line.get("cards") or (), now), withdrawn=True))
        elif line["id"] == stack.play or line is took:
            cards = [card for card in line["cards"] if card not in before]
            at = cards.index(stack.seen[-1])
            cards[at:at] = found
            events.append(_revising(line, cards, now))
    return events


def _revising(line: Line, cards: Sequence[str], now: float) -> Event:
    """Return the event of a line with these cards, decided now."""
    event = Event.from_json(dict(line))
    return replace(
        event,
        id=0,
        revise=line["id"],
        cards=tuple(cards),
        count=None if event.count is None else len(cards),
        confidence=min(event.confidence, _CONCLUDED),
        decided_at=max(now, event.decided_at),
    )


def _stands(stack: _Stack, line: Line | None) -> bool:
    """Return whether a play has not changed, apart from its hidden cards."""
    if line is None or line.get(SETTLED):
        return False
    return [card for card in line.get("cards") or () if card not in stack.concluded] == [*stack.seen]


def _lying_elsewhere(table: PublicTable, lines: Sequence[Line], player: str) -> Iterator[str]:
    """Yield the cards that this player publicly cannot have just played.

    Burnt cards come from the lines, because the referee's burn pile includes guesses.
    """
    yield from table.pile
    for line in lines:
        yield from line.get("cards") or () if line["event"] == "burn" else ()
    for row in table.up.values():
        yield from row
    for other, hand in table.hands.items():
        yield from hand.known if other != player else ()


def _is_beyond_what_was_seen(line: Line) -> bool:
    """Return whether a line reveals more cards than were seen, and the referee asks for them."""
    ruling = line.get("ruling") or {}
    if line["event"] not in ("draw", "burn") or ruling.get("verdict") != "unproven" or line.get("withdrawn"):
        return False
    return any("who" in fact["facts"] for fact in (ruling.get("said") or {}).values())


def _missing(line: Line, cards: Sequence[str]) -> int:
    """Return the number of unseen cards that the player of `cards` put down; 0 if that is not clear.

    If the player drew exactly that many more, they put down that many. If a burned pile shows two or three of
    a rank on top, the rest of the four were hidden.
    """
    if line["event"] == "burn":
        top = cards[-1][:-1]
        run = list(takewhile(lambda card: card[:-1] == top, reversed(line.get("cards") or ())))
        return len(SUITS) - len(run) if run else 0
    ruling = line["ruling"]
    said: Mapping[str, Any] = ruling.get("said") or {}
    needs = [said[need] for need in ruling.get("needs") or () if need in said]
    missing = int(needs[0]["facts"].get("count", 1)) if len(needs) == 1 else 0
    return missing if line.get("count") == len(cards) + missing else 0
