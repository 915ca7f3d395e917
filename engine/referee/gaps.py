"""What may have happened without being seen, and what therefore is not proven.

An observer that is certain of all it reports (confidence 1) is taken at its word. A camera is not: it misses
a turn now and then, or one card of a set. What it reports next contradicts the record, and whoever is accused
on the record's word alone may have done nothing wrong. So where a missed act, or a missed card, would explain
what was seen, the ruling is `unproven` and says what is missing, and the record gives way to what was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from engine.cards import FULL_PACK, JOKER, RANK_OF, UNKNOWN, UNKNOWN_RANK, copies
from engine.demand import run_on_top
from engine.events import Event
from engine.judging.case import Ruling
from engine.judging.judge import rule_on
from engine.judging.questions import packs_for
from engine.judging.situation import Action, Holding, Situation
from engine.referee.late_breaches import Suspicions
from engine.referee.reconciling import without
from engine.referee.state import Knowledge, Seat
from engine.sentences import Said, say

MOST = 4
"""Cards that leave a hand in one turn: seldom more, with four of a rank."""


class Gaps:
    """Where one game's record may have holes.

    Args:
        state: what is known of the game; it is corrected where something must have been missed.
        suspicions: what may yet prove to have been a breach; dropped about who may have acted unseen.
    """

    def __init__(self, state: Knowledge, suspicions: Suspicions) -> None:
        self.fallible = False
        """Whether the observer has ever been less than certain."""
        self.holes = 0
        """How often something has proven to have been missed."""
        self._state, self._suspicions = state, suspicions
        self._missed: Counter[str] = Counter()
        """Turns that went over each player's head, or that nobody saw."""
        self._shaken: set[str] = set()
        """Cards on the pile while somebody may have picked it up unseen."""
        self._last: str | None = None
        """Who played last."""

    # What the record says, put right

    def note(self, event: Event) -> None:
        """Note how sure the observer is of an event, and what it confirms."""
        self.fallible = self.fallible or event.confidence < 1
        if event.event == "burn":
            self._shaken.difference_update(event.cards)

    def odd(self, notes: Sequence[Said]) -> list[Said]:
        """Count what did not fit the record (`engine.referee.reconciling`) as something missed; return it."""
        self.holes += bool(notes) and self.fallible
        return list(notes)

    def played(self, player: str, cards: Sequence[str]) -> None:
        """Note who played last."""
        self._last = player
        self._shaken.difference_update(cards)

    def passed_over(self, player: str) -> None:
        """Enter that `player` acted in somebody else's turn: turns before may have been missed."""
        state, over = self._state, []
        other = state.turn
        while other is not None and other != player and other not in over:
            over.append(other)
            other = state.next_inside(other)
        if other == player and self.fallible:
            self._missed.update(over)
            for name in over:
                self._suspicions.forget(name)
        self.doubt_pile()

    def doubt_pile(self) -> None:
        """Enter that the pile may have been picked up unseen."""
        self._shaken.update(self._state.pile)

    def bring_back(self, action: Action) -> list[Said]:
        """Let a player who counted as out hold the cards just seen of them; return what was odd."""
        state, player = self._state, action.player
        gone = player is not None and player in state.left and state.loser is None
        if player is None or not action.cards or not self.fallible or not gone:
            return []
        self.holes += 1
        del state.left[player]
        seat = state.seats[player]
        if action.type == "flip" or action.source == "down":
            seat.down = 1
        elif action.source == "up":
            seat.up = list(action.cards)
        else:
            seat.hand = [UNKNOWN] * len(action.cards)
        if state.turn != player:
            state.turn = None
        return [say("{who} was taken to be out, and is not.", who=player)]

    def unburn(self, cards: Sequence[str]) -> list[Said]:
        """Take back that cards were burned, if they may have been picked up before; return what was odd."""
        back = [card for card in self._state.surely_not_burned(cards) if card in self._shaken]
        if not self.fallible or not back:
            return []
        self.holes += 1
        self._state.burned = without(self._state.burned, back)
        return [say("The pile must have been picked up unseen before it was burned.")]

    # What is not proven

    def weigh(self, situation: Situation, action: Action, ruling: Ruling) -> Ruling:
        """Return the ruling, or a milder one if something that was missed would explain what was seen.

        Only where something has proven to have been missed before: till then the record is trusted.
        """
        player = action.player or ""
        seat = self._state.seats.get(player)
        if not self.holes or seat is None or ruling["verdict"] != "illegal":
            return ruling
        held = self._may_hold(seat, self._missed[player], action)
        if held is not None:
            situation = replace(situation, cards={**situation.cards, player: held})
            milder = rule_on(situation, action)
            if len(milder["breaches"]) < len(ruling["breaches"]):
                if action.type != "pick_up":
                    seat.hand, seat.up = list(held.hand or ()), list(held.up or ())
                ruling = _opened(milder, say("what {who} did unseen before", who=player))
        return self._weigh_turn(situation, action, ruling) if ruling["verdict"] == "illegal" else ruling

    def _weigh_turn(self, situation: Situation, action: Action, ruling: Ruling) -> Ruling:
        """The same for an act out of turn, which one unseen act of the player passed over would explain."""
        player, other = action.player or "", self._state.turn
        if other is None or not self._may_have_acted(other, player):
            return ruling
        acted = say("whether {who} acted unseen", who=other)
        tables = [(replace(situation, turn=player), acted)]
        if action.type != "pick_up":
            took = say("whether {who} picked up the pile unseen", who=other)
            tables.append((replace(situation, turn=player, pile=()), took))
        for table, unseen in tables:
            milder = rule_on(table, action)
            if milder["verdict"] != "illegal":
                self.passed_over(player)
                return _opened(milder, unseen)
        return ruling

    def _may_have_acted(self, other: str, player: str) -> bool:
        """Whether one act of `other` that nobody saw would make it `player`'s turn.

        Where cards would have been due afterwards, that draw would have been missed as well: too much.
        """
        state, seat = self._state, self._state.seats[other]
        if other == player or state.next_inside(other) != player:
            return False
        mechanics = state.rules.mechanics
        draws = mechanics.draw == "as-played" or len(seat.hand) <= mechanics.min_hand
        return not (state.draw_pile and draws)

    def _may_hold(self, seat: Seat, missed: int, action: Action) -> Holding | None:
        """Return what the player may hold if something was missed, or None if that changes nothing."""
        held = seat.holding()
        if action.type == "pick_up":
            unknown = (UNKNOWN,) * len(seat.hand)
            return replace(held, hand=unknown) if missed and seat.hand else None
        blindly = action.type in ("flip", "take_down") or action.source == "down"
        if self._state.draw_pile or not (blindly or action.type == "take_up" or action.source in _WITH_UP):
            return None
        played = without(action.cards, seat.up) if action.source == "hand+up" else []
        gone = len(seat.hand) - len(played) + (len(seat.up) if blindly else 0)
        if gone > MOST * missed:
            return None
        return Holding(tuple(played), () if blindly else held.up, held.down)

    def explain_draw(self, player: str, count: int, allowed: int) -> Said | None:
        """Return which missed cards would make a draw beyond what is due right, and enter them; else None."""
        state, seat, surplus = self._state, self._state.seats[player], count - allowed
        if not self.fallible or surplus <= 0 or state.draw_pile is None:
            return None
        if surplus > state.draw_pile:  # nobody can: it was counted wrongly
            state.draw(player, state.draw_pile)
            return say("how many cards were left on the draw pile")
        mechanics = state.rules.mechanics
        as_played = mechanics.draw == "as-played"
        missing = surplus if as_played else len(seat.hand) + surplus - mechanics.min_hand
        if not 1 <= missing <= min(MOST, len(seat.hand)):
            return None
        unseen = [UNKNOWN] * missing
        if not allowed and player == state.turn and not state.opening:
            state.pile.extend(unseen)
            state.last_set, state.due_burn, state.due_pick_up = missing, False, None
            state.complete_turn(player)
            state.turn = None  # it may have been a card that gives another turn
        elif player == self._last and missing <= MOST - state.last_set:
            under = len(state.pile) - state.last_set
            state.pile[under:under] = unseen
            state.last_set += missing if state.pile else 0
        elif self._missed[player]:
            state.pile[:0] = unseen
        else:
            return None
        self.holes += 1
        seat.blur()
        del seat.hand[:missing]
        state.draw(player, surplus)
        if missing == 1:
            return say("whether {who} played a card that nobody saw", who=player)
        return say("whether {who} played {count} cards that nobody saw", who=player, count=missing)

    def explain_burn(self, event: Event) -> Said | None:
        """Return what was missed where the burn cannot be due to what was seen, and enter it; else None.

        Then other cards are burned than lay on the pile, or more cards of the top one's rank would have made
        four of a kind: laid on one another, they look like one.
        """
        state = self._state
        player = event.player or state.turn or self._last
        if not self.fallible or player is None or player in state.left:
            return None
        extra = [card for card in without(event.cards, state.pile) if card != UNKNOWN]
        rest = [] if extra else self._rest_of_four(player)
        unseen = extra or rest
        if not unseen:
            return None
        self.holes += 1
        seat = state.seats[player]
        misread = extra and player == self._last and without(state.pile, event.cards)
        if not misread:
            seat.take_from_hand(unseen)
            self._owe(player, len(unseen))
        state.pile = list(event.cards) if extra else [*state.pile, *rest]
        state.burn_pile()
        again = state.rules.mechanics.burn_again
        state.turn = player if again else state.next_inside(player)
        return say("what {who} played before the pile was burned", who=player)

    def _rest_of_four(self, player: str) -> list[str]:
        """Return what a player may have put down unseen to make four of a kind; else nothing.

        That is who played last, or whose turn it is if most of the four lie there.
        """
        state, mechanics = self._state, self._state.rules.mechanics
        rank, hand = RANK_OF[state.pile[-1]], state.seats[player].hand
        missing = mechanics.four - run_on_top(mechanics, state.pile, rank)[0]
        there = len(hand) - state.seats[player].owed  # what is due counts as drawn, but was not put down
        may_have = player == self._last or (player == state.turn and missing <= mechanics.four // 2)
        if not may_have or rank == UNKNOWN_RANK or not 1 <= missing <= there:
            return []
        seen = [*state.burned, *state.pile]
        for name, seat in state.seats.items():
            seen += seat.up if name == player else [*seat.up, *seat.hand]
        held = [card for card in hand if RANK_OF[card] == rank]
        packs = packs_for(mechanics, len(state.seats))
        every = sum(copies(card, packs) for card in (*FULL_PACK, JOKER) if RANK_OF[card] == rank)
        left = every - sum(RANK_OF[card] == rank for card in seen)
        if left < missing or len(held) + hand.count(UNKNOWN) < missing:
            return []
        return [*held, *[UNKNOWN] * missing][:missing]

    def _owe(self, player: str, played: int) -> None:
        """Enter what is to be drawn after cards that were played unseen."""
        mechanics, state = self._state.rules.mechanics, self._state
        due = played
        if mechanics.draw == "to-minimum":
            due = max(0, mechanics.min_hand - len(state.seats[player].hand))
        state.owe(player, min(due, state.draw_pile or 0))

    def explain_pick_up(self, event: Event, player: str) -> None:
        """Believe what was seen of a pile that is picked up; cards unheard of were played in missed turns."""
        state = self._state
        if not self.fallible:
            return
        under = without(state.pile, event.cards)
        if event.count == len(event.cards) and under and self._shaken.issuperset(under):
            self.holes += 1
            state.pile = list(event.cards)  # what lay under them must have gone before
        if any(card != UNKNOWN for card in without(event.cards, state.pile)):
            self.holes += 1
            whole = len(event.cards) >= len(state.pile)
            kept = [] if whole else without(state.pile, event.cards)
            state.pile = [*kept, *event.cards]
            state.turn = state.turn if state.turn == player else None
        more = (event.count or 0) - len(state.pile)
        state.pile.extend([UNKNOWN] * max(0, more))


_WITH_UP = ("up", "hand+up")


def _opened(ruling: Ruling, what: Said) -> Ruling:
    """Return a ruling that holds only if `what` is as it may be: not legal, but unproven."""
    if ruling["verdict"] == "legal":
        ruling.pop("basis", None)
        ruling |= {"verdict": "unproven", "needs": [what]}
    return ruling
