"""The policies of simulated players: random or sensible."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from engine.simulation.choices import legal_acts, longest_chain, may_come_back
from engine.simulation.play import CompiledRules
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, TAKE_DOWN, TAKE_UP, Act, Table, cards_of

Policy = Callable[[CompiledRules, Table, Random], Act]
"""Chooses an act for the player whose turn it is."""

SHOW_CHANCE, PICK_UP_CHANCE = 0.2, 0.02
"""The probabilities that the random player shows a card, or picks up, although a card could be played."""


def random_act(game: CompiledRules, table: Table, rng: Random) -> Act:
    """Play a random set, or sometimes show a card or pick up if that is allowed.

    This is the fast path for plays from the hand. All other situations use `legal_acts`.
    """
    seat, random = table.turn, rng.random
    hand = table.hands[seat]
    if not hand or not game.plain or table.acts == 0:
        return _random_of_all(game, table, rng)
    playable = hand & game.playable[table.demand]
    if hand & game.shown_bits and (not playable or random() < SHOW_CHANCE):
        return _random_show(game, table, rng)
    if not playable or (table.pile and not game.mechanics.must_play and random() < PICK_UP_CHANCE):
        return Act(PICK_UP, seat)
    chosen = playable
    if chosen & (chosen - 1):
        for _ in range(int(random() * chosen.bit_count())):
            chosen &= chosen - 1
        chosen &= -chosen
    same = hand & game.same_rank[chosen.bit_length() - 1]
    if same != chosen:
        for other in cards_of(same ^ chosen):
            if random() < 0.5:
                chosen |= 1 << other
    return Act(PLAY, seat, chosen)


def _random_show(game: CompiledRules, table: Table, rng: Random) -> Act:
    """Show a card to a random player with a random number of answers."""
    seat = table.turn
    card = table.hands[seat] & game.shown_bits
    others = [
        to
        for to in range(game.seats)
        if to != seat and (not table.out >> to & 1 or may_come_back(game, table, to))
    ]
    to = others[int(rng.random() * len(others))]
    answers = int(rng.random() * (longest_chain(game, table, seat, to) + 1))
    return Act(SHOW, seat, card & -card, to=to, answers=answers)


def _random_of_all(game: CompiledRules, table: Table, rng: Random) -> Act:
    """Choose among the legal acts with equal probabilities; pick up only if there is no other act."""
    acts = legal_acts(game, table)
    wanted = [act for act in acts if act.kind != PICK_UP] or acts
    return wanted[int(rng.random() * len(wanted))]


def sensible_act(game: CompiledRules, table: Table, rng: Random) -> Act:
    """Play as people do: the lowest cards first, all cards of a rank, and special cards late.

    A large pile makes a show attractive, above all to the player on the right. Shows are always answered if
    possible.
    """
    acts = legal_acts(game, table)
    return max(acts, key=lambda act: (_worth(game, table, act), rng.random()))


def _worth(game: CompiledRules, table: Table, act: Act) -> float:
    """Return the score of an act for a sensible player; the highest score is played."""
    if act.kind == PICK_UP:
        return -60.0 - len(table.pile)
    if act.kind in (FLIP, TAKE_DOWN):
        return -50.0
    if act.kind == SHOW:
        return _worth_of_show(game, table, act)
    if act.kind == TAKE_UP:
        goes = bool(act.up & game.playable[table.demand])
        return (20.0 if goes else 0.0) - _rank_value(game, act.up) + act.up.bit_count()
    cards = act.hand | act.up
    worth = -2.0 * _rank_value(game, cards) + cards.bit_count()
    if table.drawn == len(table.deck):
        worth += 3.0 * cards.bit_count()  # the draw pile is empty, so every card gone counts
    return worth


def _worth_of_show(game: CompiledRules, table: Table, act: Act) -> float:
    """Return the score of a show: higher for large piles, and to the right, because the turn comes back."""
    if act.answers != _answers_of(game, table, act):
        return -1000.0
    right = (act.to + table.step) % game.seats == act.player
    return -45.0 + 4.0 * len(table.pile) + 3.0 * right


def _answers_of(game: CompiledRules, table: Table, act: Act) -> int:
    """Return the longest chain of answers to a show, because sensible players answer whenever they can."""
    same = [
        other.answers
        for other in legal_acts(game, table)
        if other.kind == SHOW and other.to == act.to and other.hand == act.hand
    ]
    return max(same, default=0)


def _rank_value(game: CompiledRules, cards: int) -> float:
    """Return the value of keeping a set: its rank, and more for special cards."""
    rank, mechanics = game.pack.ranks[cards.bit_length() - 1], game.mechanics
    special = rank in mechanics.burns or rank in mechanics.resets or rank in mechanics.on_anything
    return 20.0 if special else float(rank)


def sensible_exchange(game: CompiledRules, table: Table, seat: int) -> tuple[int, int]:
    """Return the hand cards and up-cards to exchange so that the best cards lie face up."""
    both = [1 << card for card in cards_of(table.hands[seat] | table.ups[seat])]
    both.sort(key=lambda bit: -(20.5 if bit & game.shown_bits else _rank_value(game, bit)))
    best = sum(both[: table.ups[seat].bit_count()])
    return best & table.hands[seat], table.ups[seat] & ~best


POLICIES: dict[str, Policy] = {"random": random_act, "sensible": sensible_act}
