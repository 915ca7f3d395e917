"""What is publicly known of a game in progress, and how each event changes it.

Hand sizes are always known (deal, plays, draws and pick-ups are all seen); the cards of a hand only where
they were seen: picked up from the pile, taken in from the up-cards, or exchanged. Observations may be
imperfect, so nothing here raises: where sizes or cards do not add up, what was seen last is believed and the
rest is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cards import RANK_OF, RANK_TEXTS, SUIT_OF, UNKNOWN, copies
from engine.events import Event
from engine.judging.matching import may_be_same
from engine.judging.questions import deal_for, left_of, packs_for
from engine.judging.situation import CLOCKWISE, Holding, Situation
from engine.ruleset import Ruleset
from engine.sentences import Said, say

_MOST_UNSEEN = 104
"""No more cards than two packs hold can have come in unseen."""


@dataclass(slots=True)
class Seat:
    """One player's cards as far as they are known."""

    hand: list[str]
    """One entry for each card, `??` where it was not seen."""
    up: list[str]
    down: int
    owed: int = 0
    """Cards that were due to be drawn, count as drawn, and have not been seen to be."""
    may_draw: int = 0
    """Cards that may be drawn and need not be."""
    noted: bool = False
    """Whether it has been said that a due draw was not seen."""
    doubtful: bool = False
    """Whether the hand may really be empty: the player went on to the table cards, was told, and it stood."""
    blurred: int = 0
    """Cards that entered the hand unidentified, or were known there and are no more, since last asked."""

    def holding(self) -> Holding:
        """Return the same as an immutable value."""
        return Holding(tuple(self.hand), tuple(self.up), self.down)

    def blur(self) -> None:
        """Forget which cards the hand holds; its size is kept."""
        self.blurred += sum(card != UNKNOWN for card in self.hand)
        self.hand[:] = [UNKNOWN] * len(self.hand)

    def add_unseen(self, where: str | None, count: int) -> int:
        """Enter cards that came in unseen (`where`: hand, up, down); returns how many came into the hand."""
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
        """Remove cards from the hand; return those that had not been known to be there."""
        unseen = []
        for card in cards:
            if card != UNKNOWN and _take_known(self.hand, card):
                continue
            if self.hand:
                # An unidentified card may be one that was known; so is one that takes a known one's place.
                if card == UNKNOWN or UNKNOWN not in self.hand:
                    self.blur()
                self.hand.remove(UNKNOWN)
                unseen.append(card)
        return unseen

    def take_from_up(self, cards: Iterable[str]) -> None:
        """Remove up-cards: the card itself, else an unidentified one, one of its rank, or any."""
        for card in cards:
            if card != UNKNOWN and _take_known(self.up, card):
                continue
            match = UNKNOWN if UNKNOWN in self.up else None
            match = match or next((up for up in self.up if RANK_OF[up] == RANK_OF[card]), None)
            match = match or (self.up[-1] if self.up else None)
            if match is not None:
                self.up.remove(match)


def _take_known(cards: list[str], card: str) -> bool:
    """Remove the card itself, or one that it may be for want of a suit; returns whether there was one.

    Where a rank alone was named, it is not known which of its suits are left.
    """
    if SUIT_OF[card] and card in cards:
        cards.remove(card)
        return True
    alike = [place for place, other in enumerate(cards) if other != UNKNOWN and may_be_same(card, other)]
    for place in alike:
        cards[place] = RANK_TEXTS[RANK_OF[card]]
    if alike:
        del cards[alike[0]]
    return bool(alike)


@dataclass(slots=True)
class Knowledge:
    """The public state of one game. `Referee` is the only one that changes it."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None
    seats: dict[str, Seat]
    draw_pile: int | None
    turn: str | None = None
    clockwise: bool = True
    pile: list[str] = field(default_factory=list)
    last_set: int = 0
    burned: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)
    """Who has left, in that order, and who has completed a turn since."""
    loser: str | None = None
    opening: bool = True
    losses: Mapping[str, int] = field(default_factory=dict)
    due_pick_up: str | None = None
    """Who has to pick up as the rules say; entered as done at once, the event then confirms it."""
    due_burn: bool = False
    """Whether the last play burned the pile; entered as done at once, the event then confirms it."""
    open_burn: str | None = None
    """Who would have burned the pile, where unidentified cards decide it."""

    def situation(self) -> Situation:
        """Return the table as the judge sees it."""
        return Situation(
            rules=self.rules,
            players=self.players,
            dealer=self.dealer,
            turn=self.turn,
            clockwise=self.clockwise,
            pile=tuple(self.pile),
            draw_pile=self.draw_pile,
            burned=tuple(self.burned),
            cards={player: seat.holding() for player, seat in self.seats.items()},
            left={player: tuple(since) for player, since in self.left.items()},
            last_set=self.last_set or None,
            opening=self.opening,
            losses=self.losses,
        )

    # Changes

    def move_pile_to(self, player: str, count: int | None = None) -> None:
        """Put the pile, or its top `count` cards, into a player's hand."""
        taken = self.pile if count is None or count >= len(self.pile) else self.pile[len(self.pile) - count :]
        self.seats[player].hand.extend(taken)
        self.seats[player].blurred += taken.count(UNKNOWN)
        self.pile = self.pile[: len(self.pile) - len(taken)]
        self.last_set = 0

    def burn_pile(self) -> None:
        """Put the pile on the burn pile."""
        self.burned.extend(self.pile)
        self.pile, self.last_set = [], 0

    def surely_not_burned(self, cards: Sequence[str]) -> list[str]:
        """Return the cards on the burn pile that cannot lie there: with `cards` they outnumber all copies."""
        packs = packs_for(self.rules.mechanics, len(self.players))
        found: list[str] = []
        for card in dict.fromkeys(cards):
            burned = 0 if card == UNKNOWN else self.burned.count(card)
            surplus = burned + cards.count(card) - copies(card, packs)
            found += [card] * max(0, min(burned, surplus))
        return found

    def draw(self, player: str, count: int) -> None:
        """Move unseen cards from the draw pile into a hand."""
        self.seats[player].hand.extend([UNKNOWN] * count)
        if self.draw_pile is not None:
            self.draw_pile = max(0, self.draw_pile - count)

    def owe(self, player: str, count: int) -> None:
        """Enter a draw that is due as made: one is easily missed, and not to have seen it proves nothing."""
        self.draw(player, count)
        self.seats[player].owed += count

    def draw_notes(self) -> list[Said]:
        """Say once who has not been seen to draw what was due."""
        notes: list[Said] = []
        for player, seat in self.seats.items():
            if seat.owed and not seat.noted:
                seat.noted = True
                one = say("{who} has not been seen to draw a card.", who=player)
                more = say("{who} has not been seen to draw {count} cards.", who=player, count=seat.owed)
                notes.append(one if seat.owed == 1 else more)
        return notes

    def spend_answers(self, show: Event) -> None:
        """Take the cards of a show's answers out of the hands, or from the table where they lay."""
        shown = RANK_TEXTS[min(self.rules.mechanics.shown, default=3)]
        named = list(show.cards[1:])
        for giver, _ in show.answers:
            seat = self.seats[giver]
            card = named.pop(0) if named else next((c for c in seat.hand if c[:-1] == shown), shown)
            if seat.hand:
                seat.take_from_hand((card,))
            elif show.answered_from == "down" and not seat.up:
                seat.down = max(0, seat.down - 1)
            else:
                card = next((c for c in seat.up if c[:-1] == shown), card)
                seat.take_from_up((card,))
            if card not in show.cards:
                self.burned.append(card)

    def next_inside(self, player: str) -> str | None:
        """Return the next player in playing order who is still in the game."""
        here, step = self.players.index(player), 1 if self.clockwise else -1
        for distance in range(1, len(self.players)):
            other = self.players[(here + step * distance) % len(self.players)]
            if other not in self.left:
                return other
        return None

    def complete_turn(self, player: str) -> None:
        """Enter that a player has completed a turn: it closes the way back in for others."""
        for gone, since in self.left.items():
            if gone != player:
                since.append(player)

    def follow(self, player: str | None, effects: Mapping[str, Any]) -> None:
        """Enter whose turn follows and who has left or come back."""
        self.turn = effects["next"]
        self.clockwise = effects["direction"] == CLOCKWISE
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
    """Return what is known once the cards are dealt and before any was seen.

    Args:
        rules: the ruleset.
        players: names, clockwise.
        dealer: who dealt, if known.
        loser: the last Shithead, if known; some rulesets let them start.
        losses: games lost so far in this sitting.
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
