"""One case before the judge: the situation, and the ruling as it grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.cards import JOKER, RANK_OF, SUIT_OF, SUITS, UNKNOWN
from engine.deals import deal_for, left_of
from engine.demand import Demand, demand_of_top_card, possible_demands
from engine.judging.known_cards import (
    came_from_own,
    cards_in_two_places,
    impossible_cards,
    unseen_cards,
)
from engine.judging.questions import start_mechanisms, start_place, starting_cards
from engine.judging.situation import (
    ANTICLOCKWISE,
    CLOCKWISE,
    NOTHING_KNOWN,
    Action,
    Holding,
    Situation,
)
from engine.ruleset import Rule
from engine.sentences import Said, facts_of, say
from engine.unseen import UnseenCards

Ruling = dict[str, Any]
"""The JSON object of a ruling, as in `docs/files.md`."""


class UndecidedError(Exception):
    """Raised if an unknown fact decides the ruling. The judge then rules on every possibility."""

    def __init__(self, name: str, need: Said | None, answers: Sequence[Any] = (True, False)) -> None:
        super().__init__(name)
        self.name, self.need, self.answers = name, need, answers


class Case:
    """A situation, the action in it, and the findings so far.

    `effects` are the consequences if the action stands, legal or not. None in them means *not known*.

    Args:
        situation: the table before the action.
        action: the action to rule on.
        assumed: the assumed answer for each unknown fact, by its name in `decide`; `demand` is the demand of
            the pile.
    """

    __slots__ = (
        *("action", "applied", "breaches", "effects", "holding", "mechanics", "needs", "notes", "over"),
        *("player", "situation", "took_back", "_assumed", "_demands", "_doubtful"),
        *("_others_clockwise", "_unseen"),
    )

    def __init__(
        self, situation: Situation, action: Action, assumed: Mapping[str, Any] | None = None
    ) -> None:
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
        self.applied: list[tuple[str, ...]] = []
        """Mechanisms that took effect, each followed by more general names: the ruling cites their rules."""
        self.over = False
        """Whether the game was over before the action."""
        self.took_back = False
        """Whether the player takes the played card back together with the pile."""
        self._assumed = assumed or {}
        self._demands: frozenset[Demand] | None = None
        self._unseen: UnseenCards | None = None
        self._doubtful: list[str] | None = None
        self._others_clockwise: list[str] | None = None

    def decide(self, name: str, value: bool | None, need: Said | None = None) -> bool:
        """Return `value`, or the assumed answer if the value is not known.

        Args:
            name: the name of the fact; the same everywhere in a case.
            value: None: not known.
            need: the missing knowledge, in words for the players.

        Raises:
            UndecidedError: the value is not known, and nothing is assumed yet.
        """
        if value is not None:
            return value
        if name not in self._assumed:
            raise UndecidedError(name, need)
        return bool(self._assumed[name])

    def decide_demand(self) -> None:
        """Make sure that the pile makes only one demand, because the ruling uses it several times.

        Raises:
            UndecidedError: there are several, and none is assumed yet.
        """
        if len(self.demands()) > 1:
            raise UndecidedError("demand", say("what lies on top of the pile"), sorted(self.demands()))

    @property
    def unseen(self) -> UnseenCards:
        """The cards that an unidentified card can be."""
        if self._unseen is None:
            self._unseen = unseen_cards(self.situation, self.action)
        return self._unseen

    def reuse(self, before: Case) -> None:
        """Take over what was found out about the same situation and action with fewer assumptions."""
        self._unseen = before._unseen
        if "demand" not in self._assumed:
            self._demands = before._demands

    def demands(self) -> frozenset[Demand]:
        """Return every demand that the pile may make."""
        if self._demands is None:
            pile = self.situation.pile
            plain = demand_of_top_card(self.mechanics, pile)
            if plain is None and "demand" in self._assumed:
                plain = frozenset((self._assumed["demand"],))
            if plain is None:
                unknown = pile is None or not all(SUIT_OF[card] for card in pile)
                unseen = self.unseen if unknown else None
                plain = possible_demands(self.mechanics, pile, self.situation.sets, unseen)
            self._demands = plain
        return self._demands

    def breach(self, mechanism: str, says: Said, *more: str) -> None:
        """Record a breach of the rule on `mechanism`; without one, of the rule on the first of `more`."""
        rule = self.situation.rules.rule_for(mechanism, *more)
        if all(found["rule"] != rule.id or found["says"] != says for found in self.breaches):
            self.breaches.append(breach_entry(rule, says))

    def need(self, what: Said) -> None:
        """Record missing knowledge that decides the verdict."""
        if what not in self.needs:
            self.needs.append(what)

    def note(self, text: Said) -> None:
        """Record a fact for the players that is not a breach."""
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

    # Questions about the table

    def dealt(self, where: str) -> int:
        """Return how many cards each player was dealt; `where` is `down`, `up` or `hand`."""
        deal = deal_for(self.situation.rules, len(self.situation.players))
        return deal[where] if deal is not None else int(getattr(self.mechanics.deal, where))

    def deck_is_empty(self) -> bool | None:
        """Return whether the draw pile is empty; None: not known.

        It is empty if the acting player holds too few cards: otherwise the player would have drawn.
        """
        if self.situation.draw_pile is not None:
            return self.situation.draw_pile == 0
        hand = self.holding.hand
        least = self.mechanics.min_hand if self.mechanics.draw == "to-minimum" else self.dealt("hand")
        return True if hand is not None and len(hand) < least else None

    def draw_pile_remains(self) -> bool:
        """Return whether the draw pile surely has cards. If that is unknown, record that it is needed."""
        empty = self.deck_is_empty()
        if empty is None:
            self.need(say("whether the draw pile is empty"))
        return empty is False

    def check_in_game(self) -> bool:
        """Return whether the acting player is in the game; record a breach if not, or if the game is over."""
        loser = self.loser()
        if loser is not None:
            self.over = True
            self.breach("over", say("The game is over: {who} is the Shithead.", who=loser))
            return False
        if self.player is not None and self.player in self.situation.left:
            says = say("{who} has left the game and cannot act.", who=self.player)
            self.breach("gone", says)
            return False
        return True

    def loser(self) -> str | None:
        """Return the Shithead if the game was over before the action, else None."""
        situation = self.situation
        if situation.shithead is not None:
            return situation.shithead
        inside = self._others
        if self.player is not None and self.player not in situation.left:
            inside = [self.player, *inside]
        return inside[0] if len(inside) == 1 else None

    @property
    def _others(self) -> list[str]:
        """The other players in the game, clockwise from the acting player; all if nobody acts."""
        if self._others_clockwise is None:
            players, left, cards = self.situation.players, self.situation.left, self.situation.cards
            if self.player is not None:
                here = players.index(self.player)
                players = players[here + 1 :] + players[:here]
            self._others_clockwise = [
                p for p in players if p not in left and not cards.get(p, NOTHING_KNOWN).empty
            ]
        return self._others_clockwise

    def check_turn(self) -> None:
        """Record a breach if it is not the acting player's turn."""
        turn = self.situation.turn
        if not self.check_in_game() or self.player == turn:
            return
        if turn is None:
            self._check_starter()
            return
        opening = self.is_opening()
        if opening and self._due_starter() == turn:
            self._check_starter()
        elif self._was_picked_up() and not opening:
            says = say("{who} cannot lead: {turn} starts the new pile.", who=self.player, turn=turn)
            self.breach("turn_leads", says, "turn")
        else:
            self.breach("turn", say("It is {turn}'s turn, not {who}'s.", turn=turn, who=self.player))

    def _was_picked_up(self) -> bool:
        """Return whether the pile is empty because the player to move picked it up, and leads for that."""
        situation = self.situation
        picker_leads = self.mechanics.after_pick_up == "picker"
        return situation.pile == () and not situation.burned and picker_leads  # not burned instead

    def forced_by(self) -> int:
        """Return the rank on top of the pile that forces the next player to pick up; 0: there is none."""
        forces, pile = self.mechanics.forces_pick_up, self.situation.pile
        return RANK_OF[pile[-1]] if forces and pile and RANK_OF[pile[-1]] in forces else 0

    def may_be_forced(self) -> bool:
        """Return whether an unidentified card on top of the pile may force the player to pick up."""
        pile = self.situation.pile
        if pile == () or (pile and pile[-1] != UNKNOWN):
            return False
        return any(self.unseen.of_rank(rank) for rank in self.mechanics.forces_pick_up)

    def check_replenished(self) -> None:
        """Record a breach if a player takes an extra turn without drawing first.

        The top card must give another turn, and nobody may have left the game. Only then is it certain that
        the player to act also played the top card.
        """
        situation, hand = self.situation, self.holding.hand
        if not situation.pile or situation.left or hand is None or self.player != situation.turn:
            return
        due = self.mechanics.min_hand - len(hand)
        if RANK_OF[situation.pile[-1]] not in self.mechanics.again or self.mechanics.draw != "to-minimum":
            return
        if due > 0 and situation.draw_pile:
            says = say(
                "{who} holds only {count}: the hand is refilled before the extra turn.",
                who=self.player,
                count=len(hand),
            )
            self.breach("draw_first", says, "draw")

    def check_cards(self) -> None:
        """Record a breach if a moved card is known to be elsewhere.

        Without such a breach, note each of the player's cards that is known in two places.
        """
        if not self.doubtful and came_from_own(self.action, self.holding):
            return
        impossible = list(impossible_cards(self.situation, self.action))
        for mechanism, says in impossible:
            self.breach(mechanism, says)
        if not impossible:
            for card in self.doubtful:
                self.note(say("{card:The} is known in two places: one of them was misread.", card=card))

    @property
    def doubtful(self) -> list[str]:
        """The player's cards that are known in two places. They prove nothing."""
        if self._doubtful is None:
            self._doubtful = cards_in_two_places(self.situation, self.player)
        return self._doubtful

    # The very first turn

    def is_opening(self) -> bool:
        """Return whether this is surely the very first turn.

        The situation may say so. Otherwise the known piles and the hand must have their sizes after the deal.
        """
        situation = self.situation
        if situation.opening is not None:
            return situation.opening
        if situation.pile != () or situation.burned != () or situation.left:
            return False
        deal, hand = deal_for(situation.rules, len(situation.players)), self.holding.hand
        if deal is None or hand is None or len(hand) != deal["hand"]:
            return False
        # Later, an empty pile without burned cards was picked up. If the picker leads, that hand has grown.
        undrawn = situation.draw_pile == deal["draw_pile"]
        return undrawn or (situation.draw_pile is None and self.mechanics.after_pick_up == "picker")

    def _due_starter(self) -> str | None:
        """Return who takes the very first turn if the seats alone decide it and the dealer is known."""
        situation = self.situation
        if self.mechanics.start != "left-of-dealer" or situation.dealer is None:
            return None
        return left_of(situation.players, situation.dealer)

    def _check_starter(self) -> None:
        """Record a breach if the situation proves that somebody else takes the very first turn."""
        if self.player is None or not self.is_opening():
            return
        due = self._due_starter()
        if due is not None:
            if due != self.player:
                says = say("{due} starts, on the dealer's left, not {who}.", due=due, who=self.player)
                self.breach("start", says)
        elif self.mechanics.start == "cards":
            self._check_start_by_cards(self.player)

    def _check_start_by_cards(self, player: str) -> None:
        """Record a breach if another hand is known to hold a card that comes before the starter's best."""
        situation, mechanics = self.situation, self.mechanics
        order, last = self._start_sequence(), len(mechanics.start_order)
        best: tuple[int, int] = (self._place_of_starter(), order.get(player, 0))
        found = None
        for other, holding in situation.cards.items():
            place = start_place(mechanics, holding.hand or ())
            if other != player and place < last and (place, order.get(other, 0)) < best:
                found, best = other, (place, order.get(other, 0))
        if found is None:
            return
        cards = starting_cards(mechanics, situation.holding(found).hand or ())[:1]
        if best[0] < self._earliest_place(self.holding):
            says = say("{other} starts with {cards:the}, not {who}.", other=found, cards=cards, who=player)
        else:
            says = say(
                "{who} held {card:the}: {starter} could not start with {cards:the}.",
                who=found,
                card=cards[0],
                starter=player,
                cards=self.action.cards,
            )
        tied = any(RANK_OF[card] == RANK_OF[cards[0]] for card in self.holding.hand or ())
        mechanism, *more = start_mechanisms(mechanics, best[0], tied=tied)
        self.breach(mechanism, says, *more)

    def _start_sequence(self) -> dict[str, int]:
        """Return each player's place in the sequence that breaks ties; empty if there is no such sequence."""
        dealer, players = self.situation.dealer, self.situation.players
        if self.mechanics.start_by != "after-dealer" or dealer is None:
            return {}
        here = players.index(dealer)
        return {player: place for place, player in enumerate((*players[here + 1 :], *players[: here + 1]))}

    def _place_of_starter(self) -> int:
        """Return the earliest place in the start order with which the acting player may start."""
        played = _every_suit(self.action.cards) if self.action.type == "play" else ()
        if self.mechanics.start_card_played and played and UNKNOWN not in played:
            # A hidden card that comes earlier does not help: the starter must play it.
            return start_place(self.mechanics, (*(self.holding.hand or ()), *played))
        return self._earliest_place(self.holding)

    def _earliest_place(self, holding: Holding) -> int:
        """Return the earliest place in the start order that a known or hidden card of the hand may have."""
        mechanics, hand = self.mechanics, holding.hand
        if hand is not None and UNKNOWN not in hand:
            return start_place(mechanics, hand)
        # The cards just played are no longer unseen, but they were among the hidden ones of the hand.
        return start_place(mechanics, (*(hand or ()), *self.action.cards, *self.unseen.cards()))

    def check_opening(self, played: tuple[str, ...]) -> None:
        """Record a breach if the first play lacks the card that decides who starts."""
        if not self.mechanics.start_card_played or not self.holding.hand or not self.is_opening():
            return
        due = starting_cards(self.mechanics, self.holding.hand)
        place = start_place(self.mechanics, due)
        if due and UNKNOWN not in played and place < start_place(self.mechanics, _every_suit(played)):
            says = say(
                "{who} starts with {due:the}, not {played:the}.", who=self.player, due=due[:1], played=played
            )
            self.breach("start_card", says, *start_mechanisms(self.mechanics, place))

    # Effects

    def others_in_game(self) -> list[str]:
        """Return the other players who are in the game, in playing order after the acting player."""
        if self.player is None:
            return []
        return self._others[:: 1 if self.effects["direction"] == CLOCKWISE else -1]

    def end_if_over(self, remaining: list[str]) -> None:
        """Enter the Shithead and the Shithead's rituals, if only one player remains."""
        if len(remaining) != 1:
            return
        loser = remaining[0]
        self.effects |= {"shithead": loser, "next": None, "extra_turn": False}
        self.applied.append(("end",))
        if self.mechanics.loser_says_title:
            self.effects["rituals"].append(self.mechanics.loser_says_title)
            self.effects["loser_says"] = self.mechanics.loser_says_title
            self.applied.append(("loser_says",))
        if self.mechanics.third_loss_title and self.situation.losses.get(loser) == 2:
            self.effects["rituals"].append(self.mechanics.third_loss_title)
            self.applied.append(("third_loss",))

    def picks_up(self, player: str | None, *, hand: int | None, more: int = 0) -> None:
        """Enter that `player` picks up the pile, and the library ritual if the hand grows so large.

        Args:
            player: who picks up; None: not known.
            hand: how many cards the player holds just before; None: not known.
            more: how many cards come with the pile that do not lie on it in the situation.
        """
        self.effects["picks_up"] = player
        pile, library = self.situation.pile, self.mechanics.library
        if player is None or not library or pile is None or hand is None:
            return
        if hand < library <= hand + len(pile) + more:
            self.effects["rituals"].append(self.mechanics.library_title)
            self.applied += [("library",), ("library_size",)]

    def next_after_pick_up(self) -> None:
        """Enter who leads after the acting player has picked up."""
        others = self.others_in_game()
        picker_leads = self.mechanics.after_pick_up == "picker" or not others
        self.effects["next"] = self.player if picker_leads else others[0]
        self.applied.append(("pick_up_next",))


def _every_suit(cards: Iterable[str]) -> tuple[str, ...]:
    """Return the cards, with one of each suit for a card whose suit is not known."""
    return tuple(
        text
        for card in cards
        for text in ([card] if SUIT_OF[card] or card in (JOKER, UNKNOWN) else [card + suit for suit in SUITS])
    )


def breach_entry(rule: Rule, says: Said) -> dict[str, Any]:
    """Return a breach as a JSON object, with the template and the values of its sentence.

    The fields are `rule`, `cite`, `quote`, `says`, `form` and `facts`.
    """
    return {"rule": rule.id, "cite": rule.cite, "quote": rule.quote, "says": says} | facts_of(says)
