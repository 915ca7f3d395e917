"""Follows one game event by event: rules on each event and updates the public knowledge of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.cards import JOKER_RANK, RANK_OF, RANK_TEXTS, UNKNOWN
from engine.demand import possible_demands
from engine.events import Event
from engine.judging.case import Ruling
from engine.judging.judge import rule_on, ruling_of_breach, ruling_of_end, ruling_on_doubt
from engine.judging.situation import Action
from engine.referee.gaps import MOST_PER_TURN, Gaps, as_unproven
from engine.referee.late_breaches import Suspicions
from engine.referee.outcome import Outcome
from engine.referee.reconciling import changed_places, give_up_surplus, reconcile, split_sources, without
from engine.referee.state import Knowledge
from engine.ruleset import Ruleset
from engine.sentences import Said, say

_FEW_CARDS = 2
"""A counted hand of at most this size may really be empty: its cards may have left it unseen."""


_IN_TURN = ("play", "flip", "show", "take_up", "take_down", "pick_up")
"""The acts of the player to move."""


class EventApplier:
    """The state of one game, and the handlers that apply each event to it.

    Args:
        rules: the ruleset.
        start: returns the knowledge of a fresh deal.
    """

    def __init__(self, rules: Ruleset, start: Callable[[], Knowledge]) -> None:
        self.rules = rules
        self._start = start
        self.restart()

    def restart(self) -> None:
        """Forget everything and begin with a fresh deal."""
        self.state = self._start()
        self.suspicions = Suspicions(self.rules)
        self.gaps = Gaps(self.state, self.suspicions)

    def apply(self, event: Event) -> Outcome:
        """Apply one event and rule on it. Kinds of event without a handler are ignored."""
        handler = HANDLERS.get(event.event)
        self.gaps.note_confidence(event)
        stranger = next((name for name in event.names() if name not in self.state.seats), None)
        if handler and stranger is not None:
            says = say("{who} is not one of the players.", who=stranger)
            return Outcome(ruling=ruling_of_breach(self.state.situation(), None, "deal", says))
        if self.state.possible_effects and event.event in _IN_TURN and event.player is not None:
            return self._take_possible(event, event.player)
        return handler(self, event) if handler else Outcome()

    def _take_possible(self, event: Event, player: str) -> Outcome:
        """Apply an act that shows which of the possible consequences of the last one has come about."""
        state, handler = self.state, HANDLERS[event.event]
        possible, state.possible_effects = state.possible_effects, ()
        took = [one for one in possible if one["picks_up"] == player] if event.event == "pick_up" else []
        turns = (None, player) if not self._interrupts(event) else [one["next"] for one in possible]
        fits = took or [one for one in possible if one["next"] in turns]
        ways = {one["direction"] for one in fits}
        if len(ways) == 1:
            state.set_direction(ways.pop())
        if not took or state.due_pick_up is not None:
            return handler(self, event)
        leads = {one["next"] for one in took}
        state.turn = leads.pop() if len(leads) == 1 else None
        state.move_pile_to(player)
        return Outcome(confirms=True)

    def _interrupts(self, event: Event) -> bool:
        """Return whether a play may complete four of a kind out of turn, and says nothing about the turn."""
        ranks, pile = {RANK_OF[card] for card in event.cards}, self.state.pile
        same = not pile or UNKNOWN in (*event.cards[:1], pile[-1]) or RANK_OF[pile[-1]] in ranks
        return self.rules.mechanics.out_of_turn_four and event.event == "play" and same

    def _judge(self, event: Event, action: Action, notes: Sequence[Said] = ()) -> Ruling:
        notes = [*notes, *self.gaps.reinstate(action)]
        situation, seat = self.state.situation(), self.state.seats.get(action.player or "")
        ruling = self.gaps.milder_ruling(situation, action, rule_on(situation, action), event)
        if ruling["verdict"] == "illegal" and action.type != "exchange":
            self._doubt_after_offence(action.player)
        if seat is not None:
            suspect = self.gaps.fallible and (seat.doubtful or ruling["verdict"] == "illegal")
            late_in_game = not self.state.draw_pile and len(seat.hand) <= _FEW_CARDS
            seat.doubtful = suspect and late_in_game and action.from_table
        ruling["notes"] = [*notes, *ruling["notes"], *self.state.draw_notes()]
        return ruling

    def _doubt_after_offence(self, player: str | None) -> None:
        """Trust the record less after an offence, which may also mean that something was missed."""
        if player is not None and self.state.turn not in (None, player):
            self.gaps.note_skipped_turns(player)
        self.gaps.note_possible_pick_up()

    def _deal(self, event: Event) -> Outcome:
        if not self.state.opening:
            self.restart()
        for player, cards in event.up.items():
            self.state.seats[player].up = list(cards)
        if event.under_way:
            # Nobody saw what led here: neither whose turn it is nor how many cards are left to draw.
            self.state.opening, self.state.turn, self.state.draw_pile = False, None, None
            for seat in self.state.seats.values():
                seat.may_draw = MOST_PER_TURN  # for a play before
            # The order of its pile was not seen either.
            alike = len({RANK_OF[card] for card in event.cards}) < 2
            self.state.replace_pile(event.cards if alike else (UNKNOWN,) * len(event.cards))
        return Outcome()

    def _exchange(self, event: Event) -> Outcome:
        """Rule on an exchange. The up-cards that it takes into the hand stay known there."""
        state, follow = self.state, Outcome()
        changes = dict(event.up) or ({event.player: ()} if event.player else {})
        for player, now in changes.items():
            seat = state.seats[player]
            put, taken = changed_places(seat.up, now) if now else ([], [])
            count = event.count if event.count is not None else len(taken)
            action = Action(type="exchange", player=player, count=count)
            ruling = self._judge(event, action)
            if now:
                seat.take_from_hand(put)
                seat.hand.extend(taken)
                seat.up = list(now)
            else:
                # Nobody saw which cards changed places, so neither hand nor up-cards are known any more.
                seat.forget_hand()
                seat.up[:] = [UNKNOWN] * len(seat.up)
            follow = Outcome(ruling=ruling)
        return follow

    def _play(self, event: Event) -> Outcome:
        state = self.state
        player, cards = self._actor(event), event.cards or (UNKNOWN,)
        if player is None:
            state.put_on_pile(cards)
            return Outcome()
        seat, source = state.seats[player], event.source
        late = []
        if source == "hand" and not seat.hand and not seat.may_draw:
            late = self.suspicions.proven_by_hand_play(event, player)
        took = self.gaps.find_pick_up(player, cards) if source in ("hand", None) else None
        notes = [
            *self.gaps.take_off_burn_pile(cards),
            *self.gaps.count_missed(reconcile(state, player, cards, source)),
        ]
        action = Action(type="play", player=player, cards=cards, source=source)
        ruling = self._judge(event, action, notes)
        if took is not None:
            ruling = as_unproven(ruling, took)
        self._note_start(event, player, ruling)
        from_hand, from_up = split_sources(seat.hand, seat.up, cards, source)
        if from_up and not from_hand and not seat.hand and ruling["verdict"] != "unproven":
            self.suspicions.up_plays[player] = event.id
        late += self._leave_hand(event, player, from_hand)
        seat.take_from_up(from_up)
        state.burned = without(state.burned, state.surely_not_burned(cards))
        if source == "down":
            seat.down = max(0, seat.down - 1)
        self._land(player, cards, ruling, "down_fail" if source == "down" else "up_place_first")
        return self._finish(event, player, ruling, late)

    def _leave_hand(self, event: Event, player: str, cards: Sequence[str]) -> list[Event]:
        """Remove cards from a hand; return the late breaches that this proves."""
        seat = self.state.seats[player]
        misread = {card for card in cards if self.state.lies_elsewhere(card, player)}
        unseen = seat.take_from_hand(cards)
        self.suspicions.note_unseen_cards(player, seat.newly_unknown)
        seat.newly_unknown = 0
        new = [card for card in unseen if card not in misread]
        return self.suspicions.proven_by_cards(event, player, new)

    def _flip(self, event: Event) -> Outcome:
        state, player = self.state, self._actor(event)
        cards = event.cards or (UNKNOWN,)
        if player is None:
            state.put_on_pile(cards)
            return Outcome()
        ruling = self._judge(event, Action(type="flip", player=player, cards=cards))
        self._note_start(event, player, ruling)
        state.seats[player].down = max(0, state.seats[player].down - 1)
        if ruling["effects"].get("enters_hand"):
            state.seats[player].hand.extend(cards)
            state.turn = player
            return Outcome(ruling=ruling)
        self._land(player, cards, ruling, "down_fail")
        return self._finish(event, player, ruling, [])

    def _land(self, player: str, cards: Sequence[str], ruling: Ruling, takes_back: str) -> None:
        """Put played cards on the pile or the burn pile, or into the hand of the player who must pick up.

        `takes_back` is the mechanism by which the player takes the card back with the pile, if there is one.
        """
        state, effects = self.state, ruling["effects"]
        self.gaps.note_play(player, cards)
        burnt = [card for card in cards if self._goes_aside(card)]
        if burnt:
            burnt += [card for card in cards if card == UNKNOWN]  # a set has one rank
        state.burned.extend(burnt)
        state.put_on_pile([card for card in cards if card not in burnt])
        state.due_burn = bool(effects["burn"] or burnt)
        state.possible_burner = player if effects["burn"] is None else None
        state.due_pick_up = None
        if effects["burn"]:
            state.burn_pile()
        elif effects["picks_up"] is not None:
            state.move_pile_to(effects["picks_up"])
            state.due_pick_up, state.pick_up_mechanism = effects["picks_up"], takes_back
            state.possible_answer = None
            if burnt:
                state.pick_up_mechanism = f"forces_pick_up.{burnt[0]}"

    def _goes_aside(self, card: str) -> bool:
        """Return whether a played card leaves the game at once: it forces a pick-up, or is a stray joker."""
        mechanics, rank = self.rules.mechanics, RANK_OF[card]
        return rank in mechanics.forces_pick_up or (rank == JOKER_RANK and not mechanics.plays_jokers)

    def _finish(
        self, event: Event, player: str, ruling: Ruling, late: Sequence[Event], optional: bool = False
    ) -> Outcome:
        """Pass the turn on, enter the draw that is due, and conclude who is out.

        Args:
            event: the event.
            player: the player who acted.
            ruling: the ruling on the event.
            late: the late breaches that the event proved.
            optional: whether the player may draw the due cards but need not.
        """
        state, effects = self.state, ruling["effects"]
        state.opening = False
        seat, due = state.seats[player], effects["draw"] or 0
        seat.may_draw = due if optional else 0
        if effects["draw"] is None and state.draw_pile is None:
            seat.may_draw = MOST_PER_TURN  # in a game that was joined, nobody knows whether cards are left
        if due and not optional:
            state.assume_drawn(player, due)
            seat.noted = False
            self.suspicions.note_unseen_cards(player, due)
        known = (set(state.left), state.loser)
        state.apply_effects(player, effects)
        state.possible_effects = ruling.get("possible", ())
        return Outcome(ruling=ruling, follow_ups=(*late, *self._conclusions(event, *known)))

    def _conclusions(self, event: Event, left: set[str], loser: str | None) -> list[Event]:
        state, now = self.state, Event(id=0, event="out", t=event.t, decided_at=event.decided_at)
        found = [replace(now, player=player) for player in state.left if player not in left]
        if state.loser is not None and loser is None:
            found.append(replace(now, event="game_over", loser=state.loser))
        return found

    def _note_start(self, event: Event, player: str, ruling: Ruling) -> None:
        state = self.state
        if not state.opening:
            return
        state.opening = False
        if state.turn is None and ruling["verdict"] != "illegal":
            self.suspicions.note_start(event, player, state, certain=not self.gaps.fallible)

    def _pick_up(self, event: Event) -> Outcome:
        state = self.state
        due, state.due_pick_up, state.possible_burner = state.due_pick_up, None, None
        player = event.player or due or state.turn
        if player is None:
            state.replace_pile(())
            return Outcome()
        if due is not None:
            return self._expected_pick_up(event, player, due)
        if event.cards and not state.pile:
            state.replace_pile(event.cards)
        self.gaps.explain_pick_up(event, player)
        action = Action(type="pick_up", player=player, count=event.count)
        piles = (state.pile, *self.gaps.piles_in_another_order(state.pile))
        demands = frozenset().union(
            *(possible_demands(self.rules.mechanics, pile, state.sets) for pile in piles)
        )
        ruling = self._judge(event, action)
        self._note_start(event, player, ruling)
        if ruling["verdict"] == "unproven" and self.rules.mechanics.must_play:
            hand = state.seats[player].hand
            self.suspicions.note_pick_up(event, player, demands, hand.count(UNKNOWN))
        self.suspicions.note_pile_taken(player, state.pile if self.gaps.fallible else ())
        state.move_pile_to(player, event.count)
        return self._finish(event, player, ruling, [])

    def _expected_pick_up(self, event: Event, player: str, due: str) -> Outcome:
        """Rule on a pick-up that a show, a failed flip or a joker requires of the player `due`."""
        state = self.state
        answered, state.possible_answer = state.possible_answer, None
        if player == due:
            return Outcome(confirms=True)
        taken = [card for card in event.cards if card in state.seats[due].hand]
        state.seats[due].take_from_hand(taken)
        state.seats[player].hand.extend(taken)
        if answered is not None and answered[1]["picks_up"] == player:
            show, effects = answered
            state.spend_answers(show)
            state.turn = effects["next"]
            return Outcome(confirms=True)
        says = say("{due} has to pick up the pile, not {who}.", due=due, who=player)
        ruling = ruling_of_breach(state.situation(), player, state.pick_up_mechanism, says, "turn")
        return Outcome(ruling=ruling)

    def _consequence(self, event: Event) -> Outcome:
        """Take in what the players did about a breach. Only a pile that is picked up changes the table.

        It is no act of anybody's turn, so it is not ruled on. The pick-up may still be seen.
        """
        if event.says == "picked_up" and event.player is not None and self.state.pile:
            self.state.move_pile_to(event.player)
            self.state.due_pick_up, self.state.pick_up_mechanism = event.player, "turn"
        return Outcome()

    def _burn(self, event: Event) -> Outcome:
        state = self.state
        known = all(
            card in state.burned or RANK_OF[card] in self.rules.mechanics.shown for card in event.cards
        )
        aside = known and not all(card in state.pile for card in event.cards)
        if not state.due_burn and self._was_unread(event.cards):
            return Outcome(confirms=True)
        if state.due_burn or (aside and state.possible_burner is None):
            state.due_burn = False
            return Outcome(confirms=True)
        if state.possible_burner is not None:
            burner, state.possible_burner = state.possible_burner, None
            state.burn_pile()
            if self.rules.mechanics.burn_again and burner not in state.left:
                state.turn = burner
            return Outcome(confirms=True)
        if not state.pile:
            return Outcome(confirms=True)
        missed = self.gaps.explain_burn(event)
        if missed is not None:
            need, hidden = missed
            return Outcome(ruling=ruling_on_doubt(state.situation(), event.player, need), hidden=hidden)
        if event.face_up and self.gaps.fallible:
            need = say("whether {who} took the pile out of the game or only moved it", who=event.player)
            ruling = ruling_on_doubt(state.situation(), event.player, need)
        else:
            says = say(
                "Nothing burns the pile here: {who} may not take it out of the game.", who=event.player
            )
            ruling = ruling_of_breach(state.situation(), event.player, "burn", says, *self._burn_rules())
        state.burn_pile()
        return Outcome(ruling=ruling)

    def _was_unread(self, burned: Sequence[str]) -> bool:
        """Return whether burned cards were unread ones on the pile that force a pick-up; enter it if so."""
        state, count = self.state, len(burned)
        forces = bool(burned) and all(RANK_OF[card] in self.rules.mechanics.forces_pick_up for card in burned)
        if not forces or state.pile[-count:] != [UNKNOWN] * count or state.sets[-1:] != [count]:
            return False
        del state.pile[-count:], state.sets[-1]
        state.burned.extend(burned)
        state.possible_burner = None
        forced = [one for one in state.possible_effects if one["picks_up"] is not None]
        state.possible_effects = ()
        if len({one["picks_up"] for one in forced}) == 1:
            state.due_pick_up, state.pick_up_mechanism = forced[0]["picks_up"], f"forces_pick_up.{burned[-1]}"
            state.move_pile_to(forced[0]["picks_up"])
            leads = {one["next"] for one in forced}
            state.turn = leads.pop() if len(leads) == 1 else None
            state.set_direction(forced[0]["direction"])
        return True

    def _burn_rules(self) -> list[str]:
        """Return the mechanisms that burn a pile."""
        ranks = sorted(self.rules.mechanics.burns)
        return [*(f"burn.{RANK_TEXTS[rank]}" for rank in ranks), "four"]

    def _show(self, event: Event) -> Outcome:
        state, player = self.state, self._actor(event)
        if player is None:
            state.burned.extend(event.cards)
            return Outcome()
        cards = event.cards or (UNKNOWN,)
        seat = state.seats[player]
        notes = self.gaps.count_missed(reconcile(state, player, cards[:1], None))
        action = Action(
            type="show",
            player=player,
            cards=cards,
            to=event.to,
            answers=event.answers,
            answered_from=event.answered_from,
        )
        ruling = self._judge(event, action, notes)
        if "burned" not in ruling["effects"]:
            return Outcome(ruling=ruling)  # the card cannot be shown, so the show has no effect
        possible_answer = self._possible_answer(event, player, action)
        self._note_start(event, player, ruling)
        from_hand, from_up = split_sources(seat.hand, seat.up, cards[:1], None)
        late = self._leave_hand(event, player, from_hand)
        seat.take_from_up(from_up)
        state.spend_answers(event)
        state.burned.extend(cards)
        picker = ruling["effects"]["picks_up"]
        state.due_pick_up = state.possible_burner = state.possible_answer = None
        if picker is not None and state.pile:
            state.move_pile_to(picker)
            state.due_pick_up, state.pick_up_mechanism = picker, "backfire" if event.answers else "show_next"
            state.possible_answer = possible_answer
        return self._finish(event, player, ruling, late, optional=True)

    def _possible_answer(
        self, event: Event, player: str, action: Action
    ) -> tuple[Event, Mapping[str, Any]] | None:
        """Return the show with an answer that may have been missed, and its effects; None: no such show."""
        if event.to is None or event.answers or not event.unseen:
            return None
        answers = ((event.to, player),)
        ruling = rule_on(self.state.situation(), replace(action, answers=answers))
        if ruling["verdict"] == "illegal":
            return None
        return replace(event, answers=answers), ruling["effects"]

    def _take_up(self, event: Event) -> Outcome:
        state, player = self.state, self._actor(event)
        if player is None:
            return Outcome()
        seat, cards = state.seats[player], event.cards or (UNKNOWN,)
        notes = self.gaps.count_missed(reconcile(state, player, cards, "up"))
        ruling = self._judge(event, Action(type="take_up", player=player, cards=cards), notes)
        seat.take_from_up(cards)
        seat.hand.extend(cards)
        return Outcome(ruling=ruling)

    def _take_down(self, event: Event) -> Outcome:
        state, player = self.state, self._actor(event)
        if player is None:
            return Outcome()
        count = event.count or 1
        ruling = self._judge(event, Action(type="take_down", player=player, count=count))
        seat = state.seats[player]
        seat.down = max(0, seat.down - count)
        seat.hand.extend([UNKNOWN] * count)
        self.suspicions.note_unseen_cards(player, count)
        return Outcome(ruling=ruling)

    def _draw(self, event: Event) -> Outcome:
        """Rule on a draw. Too many cards are a breach; too few give a note, because more may follow."""
        state = self.state
        owing = [player for player, seat in state.seats.items() if seat.owed]
        player = event.player or (owing[0] if owing else state.turn)
        if player is None:
            return Outcome()
        seat = state.seats[player]
        count = event.count or len(event.cards) or max(1, seat.owed)
        allowed = seat.owed + seat.may_draw
        missed = self.gaps.explain_draw(player, count, allowed)
        if missed is not None:
            seat.owed = seat.may_draw = 0
            self.suspicions.forget(player)
            need, hidden = missed
            return Outcome(ruling=ruling_on_doubt(state.situation(), player, need), hidden=hidden)
        before = None if state.draw_pile is None else state.draw_pile + seat.owed
        situation = state.situation()._replace(draw_pile=before, owed={player: min(count, allowed)})
        ruling = rule_on(situation, Action(type="draw", player=player, count=count))
        if count < seat.owed:
            note = say("{who} still has to draw {count}.", who=player, count=seat.owed - count)
            ruling["notes"].append(note)
        more = max(0, count - seat.owed)
        seat.owed -= min(count, seat.owed)
        seat.may_draw = max(0, seat.may_draw - more)
        state.draw(player, more)
        self.suspicions.note_unseen_cards(player, more)
        if count > allowed and ruling["verdict"] == "illegal":
            ruling["notes"] += give_up_surplus(state, player, count - allowed)
        return Outcome(ruling=ruling)

    def _out(self, event: Event) -> Outcome:
        """Believe that a player has no cards left, even if the count differs."""
        state, player = self.state, event.player
        if player is None or player in state.left:
            return Outcome(confirms=True)
        seat = state.seats[player]
        seat.hand, seat.up, seat.down, seat.owed, seat.may_draw = [], [], 0, 0, 0
        state.left[player] = []
        if state.turn == player:
            state.turn = state.next_inside(player)
        inside, loser, ruling = [name for name in state.players if name not in state.left], state.loser, None
        if len(inside) == 1 and loser is None:
            ruling = ruling_of_end(state.situation(), player, inside[0])
            state.loser, state.turn = inside[0], None
        return Outcome(ruling=ruling, follow_ups=tuple(self._conclusions(event, set(state.left), loser)))

    def _recount(self, event: Event) -> Outcome:
        """Believe that a player has more cards than counted: some came in unseen."""
        if event.player is not None:
            seat = self.state.seats[event.player]
            self.suspicions.note_unseen_cards(event.player, seat.add_unseen(event.source, event.count or 1))
        return Outcome()

    def _game_over(self, event: Event) -> Outcome:
        state = self.state
        confirms = event.loser is None or event.loser == state.loser
        if event.loser is not None:
            state.loser, state.turn = event.loser, None
        return Outcome(confirms=confirms)

    def _actor(self, event: Event) -> str | None:
        """Return the player of the event, or else the player whose turn it is."""
        return event.player or self.state.turn


HANDLERS: Mapping[str, Callable[[EventApplier, Event], Outcome]] = {
    "deal": EventApplier._deal,
    "exchange": EventApplier._exchange,
    "play": EventApplier._play,
    "flip": EventApplier._flip,
    "take_up": EventApplier._take_up,
    "take_down": EventApplier._take_down,
    "pick_up": EventApplier._pick_up,
    "burn": EventApplier._burn,
    "show": EventApplier._show,
    "draw": EventApplier._draw,
    "recount": EventApplier._recount,
    "consequence": EventApplier._consequence,
    "out": EventApplier._out,
    "game_over": EventApplier._game_over,
}
