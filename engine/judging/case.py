"""One case before the judge: the situation, and the ruling as it grows."""

from __future__ import annotations

from typing import Any

from engine.cards import RANK_OF, UNKNOWN
from engine.demand import Demand, possible_demands
from engine.judging.matching import may_be_same
from engine.judging.questions import deal_for, start_place, starting_cards, sure_start_card
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE, Action, Holding, Situation
from engine.ruleset import Rule
from engine.sentences import Said, facts_of, say

Ruling = dict[str, Any]
"""The contract's ruling object."""


class Case:
    """A situation, the action in it, and what has been found so far.

    `effects` say what follows if the action stands, legal or not; None in them is *not known*.
    """

    def __init__(self, situation: Situation, action: Action) -> None:
        self.situation = situation
        self.action = action
        self.mechanics = situation.rules.mechanics
        self.player: str | None = situation.turn if action.player is None else action.player
        self.holding: Holding = situation.holding(self.player)
        self.breaches: list[dict[str, Any]] = []
        self.needs: list[Said] = []
        self.notes: list[Said] = []
        self.effects: dict[str, Any] = {
            "next": situation.turn,
            "direction": CLOCKWISE if situation.clockwise else ANTICLOCKWISE[0],
            "burn": False,
            "extra_turn": False,
            "draw": 0,
            "picks_up": None,
            "skipped": [],
            "left": [],
            "back_in": [],
            "shithead": None,
            "rituals": [],
            "loser_says": None,
        }
        self._demands: frozenset[Demand] | None = None

    def demands(self) -> frozenset[Demand]:
        """Return every demand that the pile may make."""
        if self._demands is None:
            self._demands = possible_demands(self.mechanics, self.situation.pile, self.situation.last_set)
        return self._demands

    def breach(self, mechanism: str, says: Said, *more: str) -> None:
        """Record a breach of the rule that decides about `mechanism`, or about the first of `more`."""
        rule = self.situation.rules.rule_for(mechanism, *more)
        if all(found["rule"] != rule.id or found["says"] != says for found in self.breaches):
            self.breaches.append(breach_entry(rule, says))

    def need(self, what: Said) -> None:
        """Record hidden cards that decide the verdict."""
        if what not in self.needs:
            self.needs.append(what)

    def note(self, text: Said) -> None:
        """Record what players should know and nobody did wrong."""
        self.notes.append(text)

    def ruling(self) -> Ruling:
        """Return the finished ruling."""
        ruling: Ruling = {
            "verdict": "illegal" if self.breaches else "unproven" if self.needs else "legal",
            "breaches": self.breaches,
            "effects": self.effects,
            "notes": self.notes,
        }
        if ruling["verdict"] == "unproven":
            ruling["needs"] = self.needs
        return ruling

    # What is asked of the table again and again

    def check_in_game(self) -> bool:
        """Breach if the acting player has left the game. Returns whether they are in it."""
        if self.player in self.situation.left:
            self.breach("gone", say("{who} has left the game and takes no turn.", who=self.player))
            return False
        return True

    def check_turn(self) -> None:
        """Breach if it is somebody else's turn."""
        turn = self.situation.turn
        if not self.check_in_game() or self.player == turn:
            return
        if turn is None:
            self._check_starter()
            return
        new_pile = self.situation.pile == () and not self.is_opening()
        if new_pile and self.mechanics.after_pick_up == "picker":
            says = say("{who} cannot lead: {turn} starts the new pile.", who=self.player, turn=turn)
            self.breach("turn_leads", says)
        else:
            self.breach("turn", say("It is {turn}'s turn, not {who}'s.", turn=turn, who=self.player))

    def check_replenished(self) -> None:
        """Breach if an extra turn is taken with a hand that should have been replenished before.

        It shows where the last card gives another turn and nobody has left: only its player can be to act.
        """
        situation, hand = self.situation, self.holding.hand
        if not situation.pile or situation.left or hand is None or self.player != situation.turn:
            return
        due = self.mechanics.min_hand - len(hand)
        if RANK_OF[situation.pile[-1]] in self.mechanics.again and due > 0 and situation.draw_pile:
            says = say(
                "{who} holds {count}: the hand is made up before the extra turn.",
                who=self.player,
                count=len(hand),
            )
            self.breach("draw_first", says, "draw")

    def is_opening(self) -> bool:
        """Whether this is the very first turn: because it is said, or because nothing else is possible."""
        situation = self.situation
        if situation.opening is not None:
            return situation.opening
        if situation.pile != () or situation.burned != () or situation.left:
            return False
        deal, hand = deal_for(situation.rules, len(situation.players)), self.holding.hand
        if deal is None or hand is None or len(hand) != deal["hand"]:
            return False
        # With nothing burned an empty pile was picked up: where the picker leads, that hand has grown.
        undrawn = situation.draw_pile == deal["draw_pile"]
        return undrawn or (situation.draw_pile is None and self.mechanics.after_pick_up == "picker")

    def _check_starter(self) -> None:
        """Breach if the cards that are known prove that somebody else takes the very first turn."""
        situation, mechanics = self.situation, self.mechanics
        if self.player is None or not mechanics.start_order or not self.is_opening():
            return
        last = len(mechanics.start_order)
        own = self.holding.hand
        place = start_place(mechanics, own) if own is not None and UNKNOWN not in own else 0
        face_up = {card for holding in situation.cards.values() for card in holding.up or ()}
        sure = sure_start_card(mechanics, len(situation.players), face_up)
        for other, holding in situation.cards.items():
            if other == self.player or not holding.hand:
                continue
            better = start_place(mechanics, holding.hand)
            # Whoever holds the sure card starts, whatever the hidden cards are.
            if better < last and (better < place or (sure in holding.hand and place == 0)):
                cards = starting_cards(mechanics, holding.hand)[:1]
                says = say(
                    "{other} starts with {cards:the}, not {who}.", other=other, cards=cards, who=self.player
                )
                self.breach("start", says)
                return

    def check_opening(self, played: tuple[str, ...]) -> None:
        """Breach if somebody starts with another card than the one that decides who starts."""
        if not self.mechanics.start_card_played or not self.holding.hand or not self.is_opening():
            return
        if UNKNOWN in self.holding.hand:
            return
        due = starting_cards(self.mechanics, self.holding.hand)
        if due and played and not any(may_be_same(one, other) for one in due for other in played):
            says = say(
                "{who} starts with {due:the}, not {played:the}.", who=self.player, due=due[:1], played=played
            )
            self.breach("start_card", says)

    def others_in_game(self) -> list[str]:
        """Return the other players who still have cards, in playing order after the acting player."""
        players = self.situation.players
        if self.player is None:
            return []
        here = players.index(self.player)
        order = players[here + 1 :] + players[:here]
        if self.effects["direction"] != CLOCKWISE:
            order = order[::-1]
        return [p for p in order if p not in self.situation.left and not self.situation.holding(p).empty]

    def end_if_over(self, remaining: list[str]) -> None:
        """Name the Shithead if only one of `remaining` is left, with the rituals that go with it."""
        if len(remaining) != 1:
            return
        loser = remaining[0]
        self.effects |= {"shithead": loser, "next": None, "extra_turn": False}
        if self.mechanics.loser_says_title:
            self.effects["rituals"].append(self.mechanics.loser_says_title)
            self.effects["loser_says"] = self.mechanics.loser_says_title
        if self.mechanics.third_loss_title and self.situation.losses.get(loser) == 2:
            self.effects["rituals"].append(self.mechanics.third_loss_title)

    def picks_up(self, player: str | None) -> None:
        """Enter that `player` takes the pile, and the library that this may make."""
        self.effects["picks_up"] = player
        pile, hand = self.situation.pile, self.situation.holding(player).hand
        if self.mechanics.library and pile is not None and hand is not None:
            before, more = len(hand), len(pile)
            if before < self.mechanics.library <= before + more:
                self.effects["rituals"].append(self.mechanics.library_title)


def breach_entry(rule: Rule, says: Said) -> dict[str, Any]:
    """Return a breach as the contract writes it, with the form and the facts of its sentence."""
    return {"rule": rule.id, "cite": rule.cite, "quote": rule.quote, "says": says} | facts_of(says)
