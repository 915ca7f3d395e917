"""Playing with nothing hidden: the effects of acts on the table.

`CompiledRules` holds a ruleset for a number of players as look-up tables. `apply` does not ask whether an act
is legal. An illegal play that stands has effects like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.deals import deal_for
from engine.demand import ANYTHING, Demand, demand_after, failures, suit_value
from engine.errors import BadInputError
from engine.judging.questions import start_place
from engine.ruleset import Ruleset
from engine.simulation.table import (
    FLIP,
    PICK_UP,
    PLAY,
    SHOW,
    TAKE_UP,
    Act,
    Pack,
    Table,
    cards_of,
    replaced,
)

_new = tuple.__new__
"""Makes a `Table` from a tuple of its fields, in a third of the constructor's time."""


class CompiledRules:
    """One ruleset for one number of players.

    Args:
        rules: the ruleset with its options.
        seats: the number of players.

    Raises:
        BadInputError: there are not enough cards for the players.
    """

    def __init__(self, rules: Ruleset, seats: int) -> None:
        deal = deal_for(rules, seats) if seats >= 2 else None
        if deal is None:
            raise BadInputError(
                "ruleset {name!r}: there are not enough cards for {seats} players",
                name=rules.name,
                seats=seats,
            )
        self.rules, self.seats, self.counts = rules, seats, deal
        self.mechanics = m = rules.mechanics
        self._as_played = m.draw == "as-played"
        self.pack = Pack(deal["packs"], deal["jokers"])
        self.rank_bits = {rank: self.pack.rank_bits(rank) for rank in sorted(set(self.pack.ranks))}
        self.same_rank = tuple(self.rank_bits[rank] for rank in self.pack.ranks)
        """By card: all cards of its rank, as bits."""
        self.shown_bits = sum(self.rank_bits.get(rank, 0) for rank in m.shown)
        self.burn_bits = sum(self.rank_bits.get(rank, 0) for rank in m.burns)
        self.demands: list[Demand] = []
        self.playable: list[int] = []
        """By demand: the cards that may be played alone, as bits."""
        self._numbers: dict[Demand, int] = {}
        self._after: list[dict[int, int]] = []
        """By demand: a cache from a set (bits) to the demand after it."""
        self._start_places = tuple(start_place(m, (code,)) for code in self.pack.codes)
        special = m.skips | m.reverses | m.forces_pick_up | m.again
        self._ordinary = tuple(rank not in special for rank in self.pack.ranks)
        """By card: whether it has no power over the turn."""
        self.plain = not (m.suit_order or m.colours)
        """Whether suits and colours never matter. Then a set may be played if one of its cards may."""
        self._plain_run = not (m.four_anywhere or m.four_through)
        self._number(ANYTHING)

    # Demands, numbered in the order in which they occur

    def _number(self, demand: Demand) -> int:
        number = self._numbers.get(demand)
        if number is None:
            number = self._numbers[demand] = len(self.demands)
            self.demands.append(demand)
            self._after.append({})
            self.playable.append(sum(bit for bit in self.pack.bits if self.set_goes(demand, bit)))
        return number

    def _traits(self, cards: int) -> tuple[int, int, int]:
        """Return rank, best suit value and colour bits of a set. A mixed set has its highest card's rank."""
        rank = self.pack.ranks[cards.bit_length() - 1]
        suit = colours = 0
        for card in cards_of(cards):
            suit = max(suit, suit_value(self.mechanics, self.pack.suits[card]))
            colours |= self.pack.colours[card]
        return rank, suit, colours

    def set_goes(self, demand: Demand, cards: int) -> bool:
        """Return whether a set (bits) of one rank may be played on a demand."""
        return not failures(self.mechanics, demand, *self._traits(cards))

    def _demand_after(self, before: int, cards: int) -> int:
        after = self.demands[before]
        for bits in self.rank_bits.values():  # an illegal set of two ranks lies there like two sets
            if same := cards & bits:
                after = demand_after(self.mechanics, after, *self._traits(same))
        number = self._after[before][cards] = self._number(after)
        return number

    # The start

    def deal(self, rng: Random) -> Table:
        """Shuffle and deal: down-cards first, hands last. The turn is not decided yet and stays at seat 0."""
        cards = list(range(len(self.pack.codes)))
        rng.shuffle(cards)
        parts = []
        for count in (self.counts["down"], self.counts["up"], self.counts["hand"]):
            dealt, cards = cards[: count * self.seats], cards[count * self.seats :]
            parts.append(
                tuple(sum(1 << card for card in dealt[seat :: self.seats]) for seat in range(self.seats))
            )
        downs, ups, hands = parts
        none = (0,) * self.seats
        return Table(tuple(cards), 0, hands, ups, downs, (), (), 0, 0, 0, 1, 0, none, -1, 0)

    def exchange(self, table: Table, seat: int, hand_out: int, up_out: int) -> Table:
        """Return the table after a player exchanged hand cards for up-cards (both as bits)."""
        hand = table.hands[seat] ^ hand_out | up_out
        up = table.ups[seat] ^ up_out | hand_out
        return table._replace(hands=replaced(table.hands, seat, hand), ups=replaced(table.ups, seat, up))

    def starters(self, table: Table, dealer: int, loser: int = -1) -> list[int]:
        """Return the seats that may take the first turn; several if the rules do not break the tie.

        Args:
            table: the table after the exchange.
            dealer: the dealer's seat.
            loser: the seat of the last Shithead; -1: not known.
        """
        m = self.mechanics
        if m.start == "left-of-dealer":
            return [(dealer + 1) % self.seats]
        if m.start_loser and loser >= 0:
            return [loser]
        last = len(m.start_order)
        places = [min([self._start_places[c] for c in cards_of(hand)], default=last) for hand in table.hands]
        first = [seat for seat, place in enumerate(places) if place == min(places)]
        if m.start_by == "after-dealer":
            return [min(first, key=lambda seat: (seat - dealer - 1) % self.seats)]
        return first

    # Effects of acts

    def run_of(self, pile: Sequence[int], rank: int) -> int:
        """Return how many cards of `rank` the pile adds to four of a kind."""
        ranks, through = self.pack.ranks, self.mechanics.four_through
        if self.mechanics.four_anywhere:
            return sum(ranks[card] == rank for card in pile)
        count = 0
        for card in reversed(pile):
            if ranks[card] == rank:
                count += 1
            elif ranks[card] not in through:
                break
        return count

    def apply(self, table: Table, act: Act) -> Table:
        """Return the table after an act, legal or not. The act includes the draw that is due."""
        kind = act.kind
        if kind == PLAY:
            return self._apply_play(table, act, act.hand | act.up)
        if kind == PICK_UP:
            return self._pick_up(table, act.player, act.player)
        if kind == SHOW:
            return self._apply_show(table, act)
        if kind == FLIP:
            return self._apply_flip(table, act)
        seat = act.player
        if kind == TAKE_UP:
            hands = replaced(table.hands, seat, table.hands[seat] | act.up)
            ups = replaced(table.ups, seat, table.ups[seat] ^ act.up)
            return table._replace(hands=hands, ups=ups, acts=table.acts + 1)
        card = 1 << act.down
        hands = replaced(table.hands, seat, table.hands[seat] | card)
        downs = replaced(table.downs, seat, table.downs[seat] ^ card)
        return table._replace(hands=hands, downs=downs, acts=table.acts + 1)

    def _apply_play(self, table: Table, act: Act, cards: int, down: int = 0) -> Table:
        # This is the hot path of a simulation, so it uses local variables instead of helper functions.
        deck, drawn, hands, ups, downs, pile, sets, demand, burned, _, step, out, since, _, acts = table
        m, seat, from_hand, from_up = self.mechanics, act.player, act.hand, act.up
        top = cards.bit_length() - 1
        count = 1 if cards == 1 << top else cards.bit_count()
        hand = hands[seat]
        if from_hand:
            hand, drawn = self._hand_after(hand ^ from_hand, from_hand, deck, drawn)
            hands = (*hands[:seat], hand, *hands[seat + 1 :])
        if from_up:
            if m.up_place_first and not self.set_goes(self.demands[demand], cards):
                ups = replaced(ups, seat, ups[seat] ^ from_up)
                return self._pick_up(table._replace(ups=ups, pile=(*pile, *cards_of(cards))), seat, seat)
            ups = replaced(ups, seat, ups[seat] ^ from_up)
        if down:
            downs = replaced(downs, seat, downs[seat] ^ down)
        pile, demand, burned, lying = self._lay(pile, demand, burned, cards, top, count)
        again = m.burn_again and not lying and self.pack.ranks[top] not in m.forces_pick_up
        gone = not (hand or ups[seat] or downs[seat])
        if gone:
            out |= 1 << seat
            since = replaced(since, seat, 0)
        plain = self._ordinary[top]
        turn = (seat + step) % self.seats if plain and not out and not again else seat
        acts += 1
        after = (
            deck,
            drawn,
            hands,
            ups,
            downs,
            pile,
            (*sets, lying) if lying else sets if pile else (),
            demand,
            burned,
            turn,
            step,
            out,
            since,
            -1,
            acts,
        )
        laid = _new(Table, after)
        if not plain:
            return self._special(laid, seat, self.pack.ranks[top], cards.bit_count(), again, gone)
        return laid if not out or (again and not gone) else self._pass_on(laid, seat)

    def _hand_after(self, hand: int, played: int, deck: tuple[int, ...], drawn: int) -> tuple[int, int]:
        """Return the hand after it draws for the cards `played`, and the new number of drawn cards."""
        if drawn < len(deck):
            need = played.bit_count() if self._as_played else self.mechanics.min_hand - hand.bit_count()
            if need > 0:
                for card in deck[drawn : drawn + need]:
                    hand |= 1 << card
                    drawn += 1
        return hand, drawn

    def _lay(
        self, pile: tuple[int, ...], demand: int, burned: int, cards: int, top: int, count: int
    ) -> tuple[tuple[int, ...], int, int, int]:
        """Return pile, demand and burned cards after a play, and how many played cards stay on the pile."""
        if self.pack.ranks[top] in self.mechanics.forces_pick_up:
            aside = cards & self.same_rank[top]
            others = cards & ~aside  # of a set that illegally has two ranks
            return (*pile, *cards_of(others)), demand, burned | aside, others.bit_count()
        if self._burns(pile, cards, top, count):
            burned |= cards
            for card in pile:
                burned |= 1 << card
            return (), 0, burned, 0
        after = self._after[demand].get(cards)
        after = self._demand_after(demand, cards) if after is None else after
        return ((*pile, top) if count == 1 else (*pile, *cards_of(cards))), after, burned, count

    def _burns(self, pile: tuple[int, ...], cards: int, top: int, count: int) -> bool:
        """Return whether a play of `count` cards, the highest of them `top`, burns the pile.

        `engine.judging.effects` has this rule for cards as text, also for unknown ones. Asking it would be
        much slower. Tests compare the two.
        """
        if count > 1 and (same := (cards & self.same_rank[top]).bit_count()) < count:
            # The set illegally has two ranks, and the lower one separates the upper one from the pile.
            return bool(cards & self.burn_bits) or same >= self.mechanics.four
        if cards & self.burn_bits or count >= self.mechanics.four:
            return True
        if not pile:
            return False
        if self._plain_run and not self.same_rank[top] >> pile[-1] & 1:
            return False
        return self.run_of(pile, self.pack.ranks[top]) + count >= self.mechanics.four

    def _special(self, table: Table, seat: int, rank: int, count: int, again: bool, gone: bool) -> Table:
        """Return the table after the effects of a played card with power over the turn.

        Args:
            table: the table with the cards already on the pile.
            seat: the player's seat.
            rank: the rank of the played cards.
            count: how many cards were played.
            again: whether the player burned the pile and therefore has another turn.
            gone: whether the player has left the game.
        """
        m = self.mechanics
        if rank in m.reverses and (m.reverse_once or count & 1):
            table = table._replace(step=-table.step)
        if (again or rank in m.again) and not gone:
            return table
        if rank in m.forces_pick_up:
            return self._force_pick_up(table, seat)
        return self._pass_on(table, seat, count if rank in m.skips and table.pile else 0)

    def _pass_on(self, table: Table, seat: int, skip: int = 0) -> Table:
        """Complete the turn of `seat`: skip `skip` players and pass the turn on, or end the game."""
        out, since, seats, step = table.out, table.since, self.seats, table.step
        if out:
            if self.mechanics.back_in:
                mask = 1 << seat
                since = tuple(
                    [
                        seen | mask if out >> other & 1 and other != seat else seen
                        for other, seen in enumerate(since)
                    ]
                )
            inside = seats - out.bit_count()
            if inside <= 1:
                loser = next((other for other in range(seats) if not out >> other & 1), seat)
                return table._replace(turn=-1, since=since, loser=loser)
            if skip:
                others = inside - (not out >> seat & 1)
                skip = min(skip, others)
                if skip == others and out >> seat & 1:
                    skip = 0
        elif skip >= seats:
            skip = seats - 1
        here = (seat + step) % seats
        while out >> here & 1 or skip:
            if not out >> here & 1:
                skip -= 1
            here = (here + step) % seats
        return table._replace(turn=here, since=since)

    def _pick_up(self, table: Table, seat: int, turn_of: int) -> Table:
        """Move the pile to the hand of `seat` in the turn of `turn_of`, and pass the turn on."""
        hand = table.hands[seat]
        for card in table.pile:
            hand |= 1 << card
        table = table._replace(
            hands=replaced(table.hands, seat, hand), pile=(), sets=(), demand=0, acts=table.acts + 1
        )
        if self.mechanics.after_pick_up == "picker":
            return self._settle_end(table._replace(turn=seat), turn_of)
        if seat == turn_of:
            return self._pass_on(table, seat)
        table = self._pass_on(table, turn_of)
        return table if table.turn < 0 else table._replace(turn=self._next_inside(table, seat))

    def _settle_end(self, table: Table, turn_of: int) -> Table:
        ended = self._pass_on(table, turn_of)
        return ended if ended.turn < 0 else ended._replace(turn=table.turn)

    def _next_inside(self, table: Table, seat: int) -> int:
        here = (seat + table.step) % self.seats
        while table.out >> here & 1:
            here = (here + table.step) % self.seats
        return here

    def _force_pick_up(self, table: Table, seat: int) -> Table:
        """Make the next player after `seat` pick up the pile."""
        ended = self._pass_on(table, seat)
        if ended.turn < 0:
            return ended
        return self._pick_up(table, ended.turn, seat)._replace(acts=table.acts)

    def _apply_flip(self, table: Table, act: Act) -> Table:
        card = 1 << act.down
        if self.playable[table.demand] & card:
            return self._apply_play(table, act, card, down=card)
        seat = act.player
        downs = replaced(table.downs, seat, table.downs[seat] ^ card)
        hands = replaced(table.hands, seat, table.hands[seat] | card)
        return self._pick_up(table._replace(downs=downs, hands=hands), seat, seat)

    def _apply_show(self, table: Table, act: Act) -> Table:
        """Apply a show with all its answers: burn the shown cards and move the pile."""
        hands, ups, burned = list(table.hands), list(table.ups), table.burned | act.hand
        hands[act.player] ^= act.hand
        for number in range(act.answers):
            giver = act.to if number % 2 == 0 else act.player
            place = hands if hands[giver] & self.shown_bits else ups
            card = place[giver] & self.shown_bits
            card &= -card
            place[giver] ^= card
            burned |= card
        picker = act.to if act.answers % 2 == 0 else act.player
        out, since, pile = table.out, table.since, table.pile
        for card in pile:
            hands[picker] |= 1 << card
        drawn, hand = table.drawn, hands[act.player]
        while hand.bit_count() < self.mechanics.min_hand and drawn < len(table.deck):
            hand |= 1 << table.deck[drawn]
            drawn += 1
        hands[act.player] = hand
        last_answered = self.seats - out.bit_count() == 2 and picker == act.player
        for seat in range(self.seats):
            empty = not (hands[seat] or ups[seat] or table.downs[seat])
            if empty and not out >> seat & 1:
                out |= 1 << seat
                since = replaced(since, seat, 0)
            elif not empty:
                out &= ~(1 << seat)
        if last_answered and out >> picker & 1:
            # If the last card of the game is answered, its owner is the Shithead, even on an empty pile.
            out = ((1 << self.seats) - 1) ^ (1 << picker)
        after = table._replace(
            hands=tuple(hands),
            ups=tuple(ups),
            drawn=drawn,
            burned=burned,
            pile=(),
            sets=(),
            demand=0,
            out=out,
            since=since,
            acts=table.acts + 1,
        )
        after = self._pass_on(after, act.player)
        return after if after.turn < 0 else after._replace(turn=self._next_inside(after, picker))

    def everywhere(self, table: Table) -> list[int]:
        """Return the numbers of all cards on the table. Each card must be there exactly once."""
        places = [*table.hands, *table.ups, *table.downs, table.burned]
        found = [card for place in places for card in cards_of(place)]
        return [*found, *table.pile, *table.deck[table.drawn :]]
