"""Gaps in the record: unseen events, and the breaches that they leave unproven.

The referee believes an observer that is always certain (confidence 1). A camera is not: it sometimes misses a
turn, or one card of a set. Its next report then contradicts the record, and the accused player may have done
nothing wrong. So the referee checks whether a missed act or a missed card would explain the report. If it
would, the ruling is `unproven` and names the missing fact, and the record is changed to fit the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.cards import FULL_PACK, JOKER, RANK_OF, SUIT_OF, UNKNOWN, UNKNOWN_RANK, copies
from engine.deals import packs_for
from engine.demand import run_on_top
from engine.events import Event
from engine.judging.case import Ruling
from engine.judging.completions import common_ruling
from engine.judging.judge import rule_on
from engine.judging.situation import Action, Holding, Situation
from engine.referee.late_breaches import Suspicions
from engine.referee.reconciling import without
from engine.referee.state import Knowledge, Seat
from engine.sentences import Said, say

MOST_PER_TURN = 4
"""The most cards that usually leave a hand in one turn: four of a rank."""


Explanation = tuple[Said, int | None]
"""The missing knowledge, and how many cards lay unseen under the last play (see `Outcome.hidden`)."""


class Gaps:
    """Searches for gaps in the record of one game.

    Args:
        state: the knowledge of the game. It is corrected if something must have been missed.
        suspicions: the suspected breaches. Those about a player who may have acted unseen are dropped.
    """

    def __init__(self, state: Knowledge, suspicions: Suspicions) -> None:
        self.fallible = False
        """Whether the observer has ever been less than certain."""
        self.times_missed = 0
        """How often an event has proven that something was missed."""
        self._state, self._suspicions = state, suspicions
        self._missed: Counter[str] = Counter()
        """By player: the turns that were skipped or that nobody saw."""
        self._maybe_picked_up: set[str] = set()
        """Cards that lay on the pile while somebody may have picked it up unseen."""
        self._last: str | None = None
        """The player who played last."""
        self._played: tuple[str, ...] = ()
        """The cards that were played last."""
        self._run: tuple[int, set[str]] = (UNKNOWN_RANK, set())
        """The rank that was played last, and who has played it since another was."""

    # Corrections of the record

    def note_confidence(self, event: Event) -> None:
        """Note whether the observer is certain of an event. Cards seen in a burn were not picked up."""
        self.fallible = self.fallible or event.confidence < 1
        if event.event == "burn":
            self._maybe_picked_up.difference_update(event.cards)

    def count_missed(self, notes: Sequence[Said]) -> list[Said]:
        """Count contradictions of the record (`engine.referee.reconciling`) as one miss; return the notes."""
        self.times_missed += bool(notes) and self.fallible
        return list(notes)

    def note_play(self, player: str, cards: Sequence[str]) -> None:
        """Note who played last. The played cards were not picked up."""
        self._last, self._played = player, tuple(cards)
        rank = RANK_OF[cards[-1]] if cards else UNKNOWN_RANK
        self._run = (rank, {player} | (self._run[1] if rank == self._run[0] else set()))
        self._maybe_picked_up.difference_update(cards)

    def note_skipped_turns(self, player: str) -> None:
        """Enter that `player` acted in another player's turn: the turns between them may have been missed."""
        state, over = self._state, []
        other = state.turn
        while other is not None and other != player and other not in over:
            over.append(other)
            other = state.next_inside(other)
        if other == player and self.fallible:
            self._missed.update(over)
            for name in over:
                self._suspicions.forget(name)
        self.note_possible_pick_up()

    def note_possible_pick_up(self) -> None:
        """Enter that the pile may have been picked up unseen."""
        self._maybe_picked_up.update(self._state.pile)

    def reinstate(self, action: Action) -> list[Said]:
        """Bring back a player who counted as out but now acts with cards; return the notes on it."""
        state, player = self._state, action.player
        gone = player is not None and player in state.left and state.loser is None
        if player is None or not action.cards or not self.fallible or not gone:
            return []
        self.times_missed += 1
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
        return [say("{who} was counted as out, but is not.", who=player)]

    def take_off_burn_pile(self, cards: Sequence[str]) -> list[Said]:
        """Take the cards off the burn pile if they may have been picked up instead; return the notes on it.

        Args:
            cards: cards that were just seen again.
        """
        back = [card for card in self._state.surely_not_burned(cards) if card in self._maybe_picked_up]
        if not self.fallible or not back:
            return []
        self.times_missed += 1
        self._state.burned = without(self._state.burned, back)
        return [say("Somebody must have picked up the pile before it was burned, and nobody saw it.")]

    def find_pick_up(self, player: str, cards: Sequence[str]) -> Said | None:
        """Enter an unseen pick-up if a card of the pile leaves the player's hand.

        Returns:
            The missing knowledge, or None if no pick-up was missed.
        """
        state = self._state
        packs = packs_for(state.rules.mechanics, len(state.players))
        again = packs == 1 and any(SUIT_OF[card] and card in state.pile for card in cards)
        if not self.fallible or not again:
            return None
        self.times_missed += 1
        state.move_pile_to(player)
        return say("whether {who} picked up the pile without being seen", who=player)

    # Doubts about rulings

    def milder_ruling(self, situation: Situation, action: Action, ruling: Ruling, event: Event) -> Ruling:
        """Return the ruling, or a milder one if a missed act would explain the event.

        A card in two places or an act after the end is itself a sign of a misreading. Other breaches are only
        doubted after some event has proven that something was missed, or if the event says that others may
        have acted. Until then the record is trusted.
        """
        player = action.player or ""
        seat = self._state.seats.get(player)
        if seat is None or ruling["verdict"] != "illegal" or not self.fallible:
            return ruling
        ruling = self._without_doubtful_breaches(ruling)
        if seat.doubtful and action.from_table and ruling["verdict"] == "illegal":
            up = seat.holding().up if action.source == "up" or action.type == "take_up" else ()
            emptied = {**situation.cards, player: seat.holding()._replace(hand=(), up=up)}
            milder = rule_on(situation._replace(cards=emptied), action)
            if len(milder["breaches"]) < len(ruling["breaches"]):
                ruling = as_unproven(milder, say("whether {who}'s hand is really empty", who=player))
        if ruling["verdict"] == "illegal":
            ruling = self._with_cards_beneath(situation, action, ruling)
        if ruling["verdict"] == "illegal":
            ruling = self._with_another_top(situation, action, ruling)
        if ruling["verdict"] != "illegal" or not (self.times_missed or event.unseen):
            return ruling
        held = self._may_hold(seat, self._missed[player], action)
        if held is not None:
            situation = situation._replace(cards={**situation.cards, player: held})
            milder = rule_on(situation, action)
            if len(milder["breaches"]) < len(ruling["breaches"]):
                if action.type != "pick_up":
                    seat.hand, seat.up = list(held.hand or ()), list(held.up or ())
                ruling = as_unproven(milder, say("what {who} did earlier without being seen", who=player))
        if ruling["verdict"] != "illegal":
            return ruling
        return self._milder_on_turn(situation, action, ruling, unseen=event.unseen)

    def _without_doubtful_breaches(self, ruling: Ruling) -> Ruling:
        """Drop breaches that rest on a misread card or on a wrong count of the cards."""
        rules = self._state.rules
        misread, over = rules.rule_for("one_pack").id, rules.rule_for("over").id
        open_to_doubt = [breach for breach in ruling["breaches"] if breach["rule"] in (misread, over)]
        if not open_to_doubt:
            return ruling
        ended = any(breach["rule"] == over for breach in open_to_doubt)
        need = say("whether the game is really over") if ended else say("which of the two cards was misread")
        breaches = [breach for breach in ruling["breaches"] if breach not in open_to_doubt]
        if breaches:
            return {**ruling, "breaches": breaches}
        return {**ruling, "breaches": [], "verdict": "unproven", "needs": [need]}

    def _with_cards_beneath(self, situation: Situation, action: Action, ruling: Ruling) -> Ruling:
        """Return a milder ruling on a play if cards may lie unseen under those that were played.

        They are cards of the same rank that the player is known to hold.
        """
        seat = self._state.seats[action.player or ""]
        if action.type != "play" or action.source != "hand" or not action.cards:
            return ruling
        rank = RANK_OF[action.cards[-1]]
        beneath = [card for card in without(seat.hand, action.cards) if RANK_OF[card] == rank]
        if rank == UNKNOWN_RANK or not beneath:
            return ruling
        milder = rule_on(situation, replace(action, cards=(*beneath, *action.cards)))
        if milder["verdict"] == "illegal":
            return ruling
        need = say("whether {cards:the} lay under {played:the}", cards=beneath, played=action.cards)
        return as_unproven(milder, need)

    def piles_in_another_order(self, pile: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the pile with another rank of the last play on top.

        If cards of several ranks lie side by side, nobody sees from above in which order they were put down.
        """
        played = self._played
        if not self.fallible or not played or tuple(pile[-len(played) :]) != played:
            return
        for top in played:
            if RANK_OF[top] != RANK_OF[played[-1]]:
                yield (*pile[: -len(played)], *without(played, [top]), top)

    def _with_another_top(self, situation: Situation, action: Action, ruling: Ruling) -> Ruling:
        """Return a milder ruling if another rank of the last play may lie on top."""
        for pile in self.piles_in_another_order(situation.pile or ()):
            milder = rule_on(situation._replace(pile=pile), action)
            if milder["verdict"] != "illegal":
                return as_unproven(milder, say("what lies on top of the pile"))
        return ruling

    def _milder_on_turn(
        self, situation: Situation, action: Action, ruling: Ruling, *, unseen: bool
    ) -> Ruling:
        """Return a milder ruling on an act out of turn if an unseen act of the skipped player explains it."""
        player, other = action.player or "", self._state.turn
        if other is None or other == player:
            return ruling
        tables = []
        if self._may_have_acted(other, player, unseen=unseen):
            acted = say("whether {who} acted without being seen", who=other)
            tables.append((situation._replace(turn=player), acted))
            if action.type != "pick_up":
                took = say("whether {who} picked up the pile without being seen", who=other)
                tables.append((situation._replace(turn=player, pile=()), took))
        for table, need in tables:
            milder = rule_on(table, action)
            if milder["verdict"] != "illegal":
                self.note_skipped_turns(player)
                return as_unproven(milder, need)
        return self._milder_on_player(situation, action, ruling, other) if unseen else ruling

    def _milder_on_player(self, situation: Situation, action: Action, ruling: Ruling, other: str) -> Ruling:
        """Return a milder ruling on an act that a body hid if it fits `other`, whose turn it was."""
        by_other = rule_on(situation, replace(action, player=other))
        if by_other["verdict"] == "illegal":
            return ruling
        self.note_skipped_turns(action.player or "")
        need = say("whether it was {who} who acted, and not {other}", who=other, other=action.player)
        return common_ruling([by_other, ruling], [need])

    def _may_have_acted(self, other: str, player: str, *, unseen: bool) -> bool:
        """Return whether one unseen act of `other` would have made it `player`'s turn.

        If `other` had to draw afterwards, the camera would have missed the draw too. That is unlikely unless
        somebody hid the piles.
        """
        state, seat = self._state, self._state.seats[other]
        if state.next_inside(other) != player:
            return False
        mechanics = state.rules.mechanics
        draws = mechanics.draw == "as-played" or len(seat.hand) <= mechanics.min_hand
        return unseen or not (state.draw_pile and draws)

    def _may_hold(self, seat: Seat, missed: int, action: Action) -> Holding | None:
        """Return the cards that the player may hold if turns were missed; None if that explains nothing.

        Args:
            seat: the player's cards.
            missed: how many of the player's turns may have been missed.
            action: the action to explain.
        """
        held = seat.holding()
        if action.type == "pick_up":
            unknown = (UNKNOWN,) * len(seat.hand)
            return held._replace(hand=unknown) if missed and seat.hand else None
        blindly = action.type in ("flip", "take_down") or action.source == "down"
        if self._state.draw_pile or not (blindly or action.type == "take_up" or action.source in _WITH_UP):
            return None
        played = without(action.cards, seat.up) if action.source == "hand+up" else []
        gone = len(seat.hand) - len(played) + (len(seat.up) if blindly else 0)
        if gone > MOST_PER_TURN * missed:
            return None
        return Holding(tuple(played), () if blindly else held.up, held.down)

    def explain_draw(self, player: str, count: int, allowed: int) -> Explanation | None:
        """Explain a draw of too many cards by played cards that nobody saw, and enter them.

        Args:
            player: the player who drew.
            count: how many cards were drawn.
            allowed: how many cards the player had to draw or was allowed to draw.

        Returns:
            None if missed cards do not explain the draw.
        """
        state, seat, surplus = self._state, self._state.seats[player], count - allowed
        if not self.fallible or surplus <= 0:
            return None
        if state.draw_pile is not None and surplus > state.draw_pile:  # the draw pile was counted wrongly
            state.draw(player, state.draw_pile)
            return say("how many cards were left on the draw pile"), None
        mechanics = state.rules.mechanics
        as_played = mechanics.draw == "as-played"
        missing = surplus if as_played else len(seat.hand) + surplus - mechanics.min_hand
        if not 1 <= missing <= min(MOST_PER_TURN, len(seat.hand)):
            return None
        unseen = [UNKNOWN] * missing
        if not allowed and player == state.turn and not state.opening:
            state.put_on_pile(unseen)
            state.due_burn, state.due_pick_up = False, None
            state.complete_turn(player)
            state.turn = None  # it may have been a card that gives another turn
        elif player == self._last and missing <= MOST_PER_TURN - sum(state.sets[-1:]):
            state.put_under_last_set(unseen)
        elif self._missed[player]:
            state.pile[:0] = unseen
        else:
            return None
        self.times_missed += 1
        seat.forget_hand()
        del seat.hand[:missing]
        state.draw(player, surplus)
        one = say("whether {who} played a card that nobody saw", who=player)
        more = say("whether {who} played {count} cards that nobody saw", who=player, count=missing)
        return one if missing == 1 else more, missing

    def explain_burn(self, event: Event) -> Explanation | None:
        """Explain a burn that the seen cards do not cause, and enter the missed cards.

        Either the burned cards differ from the pile, or further cards of the top rank completed four of a
        kind. The camera sees such cards as one if they lie exactly on each other. Whoever burns the pile may
        have added them, or they lay in a set that another player put down as one stack.

        Returns:
            None if missed cards do not explain the burn.
        """
        state = self._state
        player = event.player or state.turn or self._last
        if not self.fallible or player is None or player in state.left:
            return None
        extra = [card for card in without(event.cards, state.pile) if card != UNKNOWN]
        rest = [] if extra else self._rest_of_four(player)
        unseen = extra or rest
        if not unseen:
            return self._explain_by_hidden_cards(player)
        self.times_missed += 1
        seat, mechanics = state.seats[player], state.rules.mechanics
        run = run_on_top(mechanics, event.cards, RANK_OF[state.pile[-1]])
        misread = extra and player == self._last and without(state.pile, event.cards)
        if not misread:
            seat.take_from_hand(unseen)
            self._assume_drawn(player, len(unseen))
        state.replace_pile(event.cards if extra else [*state.pile, *rest])
        state.burn_pile()
        state.turn = player if mechanics.burn_again else state.next_inside(player)
        missing = mechanics.four - run if 0 < run < mechanics.four else 0
        return say("what {who} played before the pile was burned", who=player), missing

    def _explain_by_hidden_cards(self, player: str) -> Explanation | None:
        """Explain a burn by cards of the top rank that may have lain unseen in the sets on top.

        Nobody has seen these cards, or those who played that rank are known to have held them. Whoever burns
        the pile must have played that rank, too.
        """
        state, mechanics = self._state, self._state.rules.mechanics
        rank = RANK_OF[state.pile[-1]]
        missing = mechanics.four - run_on_top(mechanics, state.pile, rank)
        ran = self._run[1] if self._run[0] == rank else set()
        held = [
            (seat, c) for n, seat in state.seats.items() if n in ran for c in seat.hand if RANK_OF[c] == rank
        ]
        known = [c for n, seat in state.seats.items() for c in (*seat.up, *(() if n in ran else seat.hand))]
        left = self._copies_left(rank, [*state.burned, *state.pile, *known])
        may_be = rank != UNKNOWN_RANK and 1 <= missing <= min(left, mechanics.four // 2)
        if player not in ran or not may_be:
            return None
        for seat, card in held[:missing]:
            seat.take_from_hand([card])
        self.times_missed += 1
        state.burn_pile()
        state.turn = player if mechanics.burn_again else state.next_inside(player)
        return say("whether the pile had four of a kind on top when {who} burned it", who=player), None

    def _rest_of_four(self, player: str) -> list[str]:
        """Return the cards that a player may have added unseen to complete four of a kind; empty if none.

        The player must have played last. The player to move also counts if at most half of the four are
        missing.
        """
        state, mechanics = self._state, self._state.rules.mechanics
        rank, hand = RANK_OF[state.pile[-1]], state.seats[player].hand
        missing = mechanics.four - run_on_top(mechanics, state.pile, rank)
        there = len(hand) - state.seats[player].owed  # owed cards count as drawn, but were not played
        may_have = player == self._last or (player == state.turn and missing <= mechanics.four // 2)
        if not may_have or rank == UNKNOWN_RANK or not 1 <= missing <= there:
            return []
        seen = [*state.burned, *state.pile]
        for name, seat in state.seats.items():
            seen += seat.up if name == player else [*seat.up, *seat.hand]
        held = [card for card in hand if RANK_OF[card] == rank]
        if self._copies_left(rank, seen) < missing or len(held) + hand.count(UNKNOWN) < missing:
            return []
        return [*held, *[UNKNOWN] * missing][:missing]

    def _copies_left(self, rank: int, seen: Sequence[str]) -> int:
        """Return how many cards of a rank are not among those seen."""
        packs = packs_for(self._state.rules.mechanics, len(self._state.seats))
        every = sum(copies(card, packs) for card in (*FULL_PACK, JOKER) if RANK_OF[card] == rank)
        return every - sum(RANK_OF[card] == rank for card in seen)

    def _assume_drawn(self, player: str, played: int) -> None:
        """Enter the draw that is due after `played` cards were played unseen."""
        mechanics, state = self._state.rules.mechanics, self._state
        due = played
        if mechanics.draw == "to-minimum":
            due = max(0, mechanics.min_hand - len(state.seats[player].hand))
        state.assume_drawn(player, min(due, state.draw_pile or 0))

    def explain_pick_up(self, event: Event, player: str) -> None:
        """Correct the pile to the cards seen in a pick-up; new ones must have been played in missed turns."""
        state = self._state
        if not self.fallible:
            return
        under = without(state.pile, event.cards)
        if event.count == len(event.cards) and under and self._maybe_picked_up.issuperset(under):
            self.times_missed += 1
            state.replace_pile(event.cards)  # the cards under them must have been picked up before
        if any(card != UNKNOWN for card in without(event.cards, state.pile)):
            self.times_missed += 1
            whole = len(event.cards) >= len(state.pile)
            kept = [] if whole else without(state.pile, event.cards)
            state.replace_pile([*kept, *event.cards])
            state.turn = state.turn if state.turn == player else None
        more = (event.count or 0) - len(state.pile)
        if more > 0:
            state.replace_pile([*state.pile, *[UNKNOWN] * more])


_WITH_UP = ("up", "hand+up")


def as_unproven(ruling: Ruling, what: Said) -> Ruling:
    """Turn a legal ruling into an unproven one that needs the knowledge `what`; return the ruling."""
    if ruling["verdict"] == "legal":
        ruling.pop("basis", None)
        ruling |= {"verdict": "unproven", "needs": [what]}
    return ruling
