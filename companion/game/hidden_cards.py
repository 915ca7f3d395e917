"""Cards that must have lain hidden under those of a play: which ones is asked, or follows from what is seen.

A set that is put down as one squared stack shows its uppermost card alone. Who then draws more than they were
seen to put down tells that there was another; the referee rules such a draw *unproven*. Each card is there
once: where so many of its rank are nowhere to be seen as must have lain hidden, it was those. Until then it
is asked, and what is seen of the game later may answer it.
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
from vision.questions import HIDDEN_CARD, asked

_PUT_DOWN = ("play", "flip", "show")
_CONCLUDED = 0.9
"""How sure a card is at most that was concluded and not seen."""
Line = Mapping[str, Any]


@dataclass(slots=True)
class _Stack:
    """A play of which not all was seen."""

    play: int
    """The id of its line."""
    t: float
    seen: tuple[str, ...]
    told_by: int
    """The id of the line that tells of too large a draw, or of a burn that was not seen to be due."""
    drew: int | None
    missing: int
    """How many cards lay hidden; 0 where that is not told plainly."""
    could_be: tuple[str, ...]
    """Cards of its rank that were nowhere to be seen."""
    in_hand: frozenset[str]
    """What everybody had seen going into the player's hand before."""
    concluded: tuple[str, ...] = ()
    """The hidden cards, once it is known which they were."""

    def taken_away(self, lines: Sequence[Line]) -> Line | None:
        """Return the line that tells how the cards that were seen were taken off the pile."""
        later = (line for line in lines if line["event"] in TAKES_PILE and line["t"] > self.t)
        return next((line for line in later if self.seen[-1] in (line.get("cards") or ())), None)

    def must_be(self, lines: Sequence[Line]) -> tuple[str, ...]:
        """Return the cards that lay hidden; empty where that does not follow from the lines.

        What is put down later did not lie there, unless by somebody who has picked the pile up. Who puts down
        some of a rank and has more of it in hand, as everybody saw, has put down those.
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
    """Asks for hidden cards, once for each play, and tells them where they follow from what is seen."""

    def __init__(self, packs: int = 1) -> None:
        """With more than one of the `packs` each card is there several times: then it is only asked."""
        self._packs = packs
        self._known: set[int] = set()
        """The ids of plays of which it was told."""
        self._stacks: list[_Stack] = []

    def events(self, told: Sequence[Line], lines: Sequence[Line], table: PublicTable) -> list[Event]:
        """Return what follows from the lines just told: a question, and plays that are put right.

        `lines` are those of the game as they stand, `table` is what everybody sees of it.
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
        """Return the play of which a line tells that not all was seen; None where that was told before."""
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
    """Return what is asked about a play once its player has drawn more than was seen of it."""
    who, t, decided_at = draw["player"], draw["t"], draw["decided_at"]
    says = asked(HIDDEN_CARD, who, count=len(stack.seen))
    about = {"player": who, "cards": stack.could_be, "concerns": stack.play}
    return Event(id=0, event="unclear", t=t, decided_at=decided_at, says=says, **about)


def _brought_up_to_date(stack: _Stack, lines: Sequence[Line], now: float) -> list[Event]:
    """Return the events that tell which cards lay hidden, or that they did not; none where nothing is new."""
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
    """Tell whether a play is still told as it was when it was seen that cards lay hidden, but for those."""
    if line is None or line.get(SETTLED):
        return False
    return [card for card in line.get("cards") or () if card not in stack.concluded] == [*stack.seen]


def _lying_elsewhere(table: PublicTable, lines: Sequence[Line], player: str) -> Iterator[str]:
    """Yield the cards of which everybody knows that this player has not just played them.

    What was burnt the lines tell: the referee has its own guesses in the burn pile.
    """
    yield from table.pile
    for line in lines:
        yield from line.get("cards") or () if line["event"] == "burn" else ()
    for row in table.up.values():
        yield from row
    for other, hand in table.hands.items():
        yield from hand.known if other != player else ()


def _is_beyond_what_was_seen(line: Line) -> bool:
    """Tell whether a line tells of more than was seen to be put down, and the referee asks what that was."""
    ruling = line.get("ruling") or {}
    if line["event"] not in ("draw", "burn") or ruling.get("verdict") != "unproven" or line.get("withdrawn"):
        return False
    return any("who" in fact["facts"] for fact in (ruling.get("said") or {}).values())


def _missing(line: Line, cards: Sequence[str]) -> int:
    """Return how many cards the player of `cards` must have put down unseen; 0 where that is not plain.

    Who drew as many as that would make has put down so many more. Where a pile is burned that shows two or
    three of a rank on top, the others of the four lay there.
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
