"""The public knowledge of a game in progress, and the changes that events make to it.

Hand sizes are always known, because the deal, plays, draws and pick-ups are visible. A card in a hand is
known only if it was seen: picked up from the pile, taken from the up-cards, or exchanged. Observations may be
wrong, so nothing here raises an error. If sizes or cards do not add up, the last observation counts and the
rest becomes unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cards import RANK_OF, RANK_TEXTS, SUIT_OF, UNKNOWN, copies
from engine.deals import deal_for, left_of, packs_for
from engine.events import Event
from engine.judging.matching import may_be_same
from engine.judging.situation import CLOCKWISE, Holding, Situation
from engine.ruleset import Ruleset
from engine.sentences import Said, say

_MOST_UNSEEN = 104
"""The most cards that a place may receive unseen: two packs."""


@dataclass(slots=True)
class Seat:
    """The knowledge of one player's cards."""

    hand: list[str]
    """One entry for each card; `??` is a card that was not seen."""
    up: list[str]
    down: int
    owed: int = 0
    """How many due cards count as drawn although nobody saw the draw."""
    may_draw: int = 0
    """How many cards the player may draw but need not."""
    noted: bool = False
    """Whether a note has already reported that nobody saw the due draw."""
    doubtful: bool = False
    """Whether the hand may really be empty: the player used table cards despite a breach, and it stood."""
    newly_unknown: int = 0
    """How many cards have become unidentified in the hand, or entered it so, since the last reset to 0."""

    def holding(self) -> Holding:
        """Return the cards as an immutable value."""
        return Holding(tuple(self.hand), tuple(self.up), self.down)

    def forget_hand(self) -> None:
        """Forget which cards the hand holds; its size is kept."""
        self.newly_unknown += sum(card != UNKNOWN for card in self.hand)
        self.hand[:] = [UNKNOWN] * len(self.hand)

    def add_unseen(self, where: str | None, count: int) -> int:
        """Add `count` unseen cards to a place; return how many entered the hand.

        `where` is `up` or `down`; anything else is the hand.
        """
        count = max(0, min(count, _MOST_UNSEEN))
        if where == "down":
            self.down += count
            return 0
        if where == "up":
            self.up.extend([UNKNOWN] * count)
            return 0
        self.hand.extend([UNKNOWN] * count)
        return count

    def take_from_hand(self, cards: Iterable[str]) -> list[str]:
        """Remove cards from the hand; return those that were not known to be there."""
        unseen = []
        for card in cards:
            if card != UNKNOWN and _take_known(self.hand, card):
                continue
            if self.hand:
                # An unidentified card may be any of the known ones. A surplus card replaces any of them.
                if card == UNKNOWN or UNKNOWN not in self.hand:
                    self.forget_hand()
                self.hand.remove(UNKNOWN)
                unseen.append(card)
        return unseen

    def take_from_up(self, cards: Iterable[str]) -> None:
        """Remove up-cards: the card itself, else an unidentified one, else one of its rank, else any.

        An unidentified card may be any of them. Then nobody knows which ones are left.
        """
        for card in cards:
            if card != UNKNOWN and _take_known(self.up, card):
                continue
            match = next((up for up in self.up if RANK_OF[up] == RANK_OF[card]), None)
            if card == UNKNOWN or (match is None and UNKNOWN not in self.up):
                self.up[:] = [UNKNOWN] * len(self.up)
            match = UNKNOWN if UNKNOWN in self.up else match
            if match is not None:
                self.up.remove(match)


def _take_known(cards: list[str], card: str) -> bool:
    """Remove the card itself, or one that may be the same with a suit missing; return whether one was found.

    In the second case the remaining cards of the rank lose their suits, because any of them may be gone.
    """
    if SUIT_OF[card] and card in cards:
        cards.remove(card)
        return True
    matches = [place for place, other in enumerate(cards) if other != UNKNOWN and may_be_same(card, other)]
    for place in matches:
        cards[place] = RANK_TEXTS[RANK_OF[card]]
    if matches:
        del cards[matches[0]]
    return bool(matches)


@dataclass(slots=True)
class Knowledge:
    """The public state of one game; None is unknown. Only the referee changes it."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None
    seats: dict[str, Seat]
    draw_pile: int | None
    turn: str | None = None
    clockwise: bool = True
    """Whether play goes clockwise, as far as anybody knows."""
    direction_known: bool = True
    """Whether no unidentified card may have turned the direction round."""
    possible_effects: Sequence[Mapping[str, Any]] = ()
    """The different consequences of the last act (`next`, `direction`, `picks_up`): unread cards decide."""
    possible_answer: tuple[Event, Mapping[str, Any]] | None = None
    """The last show with one answer that may have been missed, and what would follow from it."""
    pile: list[str] = field(default_factory=list)
    sets: list[int] = field(default_factory=list)
    """The sizes of the topmost sets of the pile, last set last."""
    burned: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    """By player who has left, in order: the players who have completed a turn since."""
    loser: str | None = None
    opening: bool = True
    losses: Mapping[str, int] = field(default_factory=dict)
    due_pick_up: str | None = None
    """The player who must pick up. The state contains the pick-up, and its event only confirms it."""
    pick_up_mechanism: str = ""
    """The mechanism that requires the due pick-up."""
    due_burn: bool = False
    """Whether the last play burned the pile. The state contains the burn, and its event only confirms it."""
    possible_burner: str | None = None
    """The player who may have burned the pile, if unidentified cards decide it."""

    def situation(self) -> Situation:
        """Return the knowledge as the judge's input."""
        return Situation(
            rules=self.rules,
            players=self.players,
            dealer=self.dealer,
            turn=self.turn,
            clockwise=self.clockwise if self.direction_known else None,
            pile=tuple(self.pile),
            draw_pile=self.draw_pile,
            burned=tuple(self.burned),
            cards={player: seat.holding() for player, seat in self.seats.items()},
            left={player: tuple(since) for player, since in self.left.items()},
            sets=tuple(self.sets),
            opening=self.opening,
            shithead=self.loser,
            losses=self.losses,
        )

    # Changes

    def put_on_pile(self, cards: Sequence[str]) -> None:
        """Put a set on the pile."""
        if cards:
            self.pile.extend(cards)
            self.sets.append(len(cards))

    def put_under_last_set(self, cards: Sequence[str]) -> None:
        """Enter further cards of the last set, under its seen cards."""
        if self.sets:
            under = len(self.pile) - self.sets[-1]
            self.pile[under:under] = cards
            self.sets[-1] += len(cards)
        else:
            self.put_on_pile(cards)

    def replace_pile(self, cards: Sequence[str]) -> None:
        """Replace the cards of the pile (bottom first). The sizes of its sets are then not known."""
        self.pile, self.sets = list(cards), []

    def move_pile_to(self, player: str, count: int | None = None) -> None:
        """Put the pile, or its top `count` cards, into a player's hand."""
        taken = self.pile if count is None or count >= len(self.pile) else self.pile[len(self.pile) - count :]
        self.seats[player].hand.extend(taken)
        self.seats[player].newly_unknown += taken.count(UNKNOWN)
        self.replace_pile(self.pile[: len(self.pile) - len(taken)])

    def burn_pile(self) -> None:
        """Move the pile to the burn pile."""
        self.burned.extend(self.pile)
        self.replace_pile(())

    def surely_not_burned(self, cards: Sequence[str]) -> list[str]:
        """Return the cards that cannot lie on the burn pile: with `cards` they outnumber all copies."""
        packs = packs_for(self.rules.mechanics, len(self.players))
        found: list[str] = []
        for card in dict.fromkeys(cards):
            burned = 0 if card == UNKNOWN else self.burned.count(card)
            surplus = burned + cards.count(card) - copies(card, packs)
            found += [card] * max(0, min(burned, surplus))
        return found

    def lies_elsewhere(self, card: str, player: str) -> bool:
        """Return whether every copy of a card is known to lie where the player cannot have it from."""
        if not SUIT_OF[card]:
            return False
        seats = [seat for name, seat in self.seats.items() if name != player]
        known = self.burned.count(card) + self.pile.count(card)
        known += sum(seat.hand.count(card) + seat.up.count(card) for seat in seats)
        return known >= packs_for(self.rules.mechanics, len(self.players))

    def draw(self, player: str, count: int) -> None:
        """Move `count` unseen cards from the draw pile into a hand."""
        self.seats[player].hand.extend([UNKNOWN] * count)
        if self.draw_pile is not None:
            self.draw_pile = max(0, self.draw_pile - count)

    def assume_drawn(self, player: str, count: int) -> None:
        """Enter a due draw as done. Draws are easily missed, so an unseen one proves nothing."""
        self.draw(player, count)
        self.seats[player].owed += count

    def draw_notes(self) -> list[Said]:
        """Return one note on each player whose due draw nobody saw. A second call does not repeat it."""
        notes: list[Said] = []
        for player, seat in self.seats.items():
            if seat.owed and not seat.noted:
                seat.noted = True
                one = say("Nobody saw {who} draw a card.", who=player)
                more = say("Nobody saw {who} draw {count} cards.", who=player, count=seat.owed)
                notes.append(one if seat.owed == 1 else more)
        return notes

    def spend_answers(self, show: Event) -> None:
        """Move the answers of a show from the hands or rows to the burn pile.

        Cards that the event names are only removed, because the caller burns them.
        """
        shown = RANK_TEXTS[min(self.rules.mechanics.shown, default=3)]
        named = list(show.cards[1:])
        for giver, _ in show.answers:
            seat = self.seats[giver]
            held = seat.hand or seat.up
            known = [card for card in held if RANK_TEXTS.get(RANK_OF[card]) == shown]
            # With unidentified cards beside it, a known card need not be the one that answered.
            certain = len(known) == 1 and UNKNOWN not in held
            card = named.pop(0) if named else known[0] if certain else shown
            if seat.hand:
                seat.take_from_hand((card,))
            elif show.answered_from == "down" and not seat.up:
                seat.down = max(0, seat.down - 1)
            else:
                seat.take_from_up((card,))
            if card not in show.cards:
                self.burned.append(card)

    def next_inside(self, player: str) -> str | None:
        """Return the next player in playing order who is still in the game; None if not known."""
        if not self.direction_known and len(self.players) - len(self.left) > 2:
            return None
        here, step = self.players.index(player), 1 if self.clockwise else -1
        for distance in range(1, len(self.players)):
            other = self.players[(here + step * distance) % len(self.players)]
            if other not in self.left:
                return other
        return None

    def set_direction(self, direction: str | None) -> None:
        """Enter in which direction play goes on; None: not known."""
        self.direction_known = direction is not None
        if direction is not None:
            self.clockwise = direction == CLOCKWISE

    def complete_turn(self, player: str) -> None:
        """Enter that a player has completed a turn, which may end the time for showing others back in."""
        for gone, since in self.left.items():
            if gone != player:
                since.append(player)

    def apply_effects(self, player: str | None, effects: Mapping[str, Any]) -> None:
        """Apply the effects of a ruling: next turn, direction, and who has left, come back or lost."""
        self.turn = effects["next"]
        self.set_direction(effects["direction"])
        if player is not None and effects["extra_turn"] is not True:
            self.complete_turn(player)
        for gone in effects["left"]:
            self.left.setdefault(gone, [])
        for back in effects["back_in"]:
            self.left.pop(back, None)
        if effects["shithead"] is not None:
            self.loser = effects["shithead"]


def fresh_knowledge(
    rules: Ruleset,
    players: Sequence[str],
    dealer: str | None = None,
    loser: str | None = None,
    losses: Mapping[str, int] | None = None,
) -> Knowledge:
    """Return the knowledge after the deal, before any card was seen.

    Args:
        rules: the ruleset.
        players: names, clockwise.
        dealer: the dealer, if known.
        loser: the last Shithead, if known, who starts in some rulesets.
        losses: by player: how many games they have lost this evening.
    """
    deal = deal_for(rules, len(players))
    counts = deal or {"down": 0, "up": 0, "hand": 0, "draw_pile": 0}
    seats = {
        player: Seat([UNKNOWN] * counts["hand"], [UNKNOWN] * counts["up"], counts["down"])
        for player in players
    }
    turn = None
    if rules.mechanics.start == "left-of-dealer" and dealer is not None:
        turn = left_of(players, dealer)
    elif rules.mechanics.start_loser and loser is not None:
        turn = loser
    return Knowledge(
        rules=rules,
        players=tuple(players),
        dealer=dealer,
        seats=seats,
        draw_pile=counts["draw_pile"] if deal else None,
        turn=turn,
        losses=dict(losses or {}),
    )
