"""The choices of a player: every legal act on a table with nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.judging.questions import starting_cards
from engine.simulation.play import CompiledRules
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, TAKE_DOWN, TAKE_UP, Act, Table, cards_of


def legal_acts(game: CompiledRules, table: Table) -> list[Act]:
    """Return every legal act of the player whose turn it is; empty after the game.

    Acts that differ only in suits are all listed, even if suits do not matter.
    """
    seat = table.turn
    if seat < 0:
        return []
    hand, up, down = table.hands[seat], table.ups[seat], table.downs[seat]
    deck_empty = table.drawn == len(table.deck)
    if not hand and game.mechanics.up_enters_hand and deck_empty and (up or down):
        return _takes(game, seat, up, down)
    acts = [Act(PLAY, seat, hand=cards) for cards in _sets(game, table, hand)]
    if game.mechanics.start_card_played and table.acts == 0:
        due = starting_cards(game.mechanics, game.pack.text(hand))
        return [act for act in acts if set(due) & set(game.pack.text(act.hand))] or acts
    table_stage = deck_empty or not game.mechanics.up_needs_empty_deck
    if not hand and table_stage:
        acts += [Act(PLAY, seat, up=cards) for cards in _sets(game, table, up)]
        if not up:
            acts += [Act(FLIP, seat, down=card) for card in cards_of(down)]
    if hand and game.mechanics.mixed and deck_empty:
        acts += _mixed(game, table, seat, hand, up)
    acts += _shows(game, table, seat, hand)
    if _may_pick_up(game, table, acts, hand, up, down):
        acts.append(Act(PICK_UP, seat))
    return acts or _stuck(seat, up) or [Act(PICK_UP, seat)]


def _takes(game: CompiledRules, seat: int, up: int, down: int) -> list[Act]:
    """Return the acts that take up-cards, or a down-card, into an empty hand at the start of a turn."""
    if up:
        return [Act(TAKE_UP, seat, up=cards) for cards in _same_rank_sets(game, up)]
    return [Act(TAKE_DOWN, seat, down=card) for card in cards_of(down)]


def _stuck(seat: int, up: int) -> list[Act]:
    """Return the acts that place an up-card first: nothing may be played, and the pile not yet picked up."""
    return [Act(PLAY, seat, up=1 << card) for card in cards_of(up)]


def _same_rank_sets(game: CompiledRules, cards: int) -> Iterator[int]:
    for bits in game.rank_bits.values():
        yield from _subsets(cards & bits, game.mechanics.max_set)


def _sets(game: CompiledRules, table: Table, cards: int) -> Iterator[int]:
    """Yield the sets among `cards` (bits) that may be played on the pile."""
    if game.plain:
        yield from _same_rank_sets(game, cards & game.playable[table.demand])
        return
    demand = game.demands[table.demand]
    for chosen in _same_rank_sets(game, cards):
        if game.set_goes(demand, chosen):
            yield chosen


def _mixed(game: CompiledRules, table: Table, seat: int, hand: int, up: int) -> list[Act]:
    """Return the plays of the whole hand, of one rank, together with up-cards of that rank."""
    same = game.rank_bits[game.pack.ranks[hand.bit_length() - 1]]
    if hand & ~same or not up & same:
        return []
    demand = game.demands[table.demand]
    return [
        Act(PLAY, seat, hand=hand, up=cards)
        for cards in _subsets(up & same, game.mechanics.max_set)
        if game.set_goes(demand, hand | cards)
    ]


def _shows(game: CompiledRules, table: Table, seat: int, hand: int) -> list[Act]:
    """Return the shows of one card to each possible player, with each possible number of answers."""
    card = hand & game.shown_bits
    card &= -card
    if not card:
        return []
    return [
        Act(SHOW, seat, hand=card, to=to, answers=answers)
        for to in range(game.seats)
        if to != seat and (not table.out >> to & 1 or may_come_back(game, table, to))
        for answers in range(longest_chain(game, table, seat, to) + 1)
    ]


def longest_chain(game: CompiledRules, table: Table, seat: int, to: int) -> int:
    """Return how often a show from `seat` to `to` can be answered, in turns."""
    have = [(table.hands[to] & game.shown_bits).bit_count(), 0]
    if not table.hands[to]:
        have[0] += (table.ups[to] & game.shown_bits).bit_count() > 0
    have[1] = (table.hands[seat] & game.shown_bits).bit_count() - 1
    answers = 0
    while have[answers % 2] > answers // 2:
        answers += 1
    return answers


def may_come_back(game: CompiledRules, table: Table, seat: int) -> bool:
    """Return whether a player who has left may still be shown back into the game."""
    if not game.mechanics.back_in or not table.out >> seat & 1:
        return False
    for distance in range(1, game.seats):
        right = (seat - distance) % game.seats
        if table.since[seat] >> right & 1:
            return False
        if not table.out >> right & 1:
            return True
    return False


def _may_pick_up(
    game: CompiledRules, table: Table, acts: Sequence[Act], hand: int, up: int, down: int
) -> bool:
    m = game.mechanics
    if not table.pile and not m.pick_up_empty:
        return False
    if m.must_play and acts:
        return False
    if not hand and not up and down and m.must_flip:
        return False
    return not (m.up_place_first and not hand and up and not acts)


def interruptions(game: CompiledRules, table: Table) -> list[Act]:
    """Return the plays that other players may make out of turn: those that complete four of a kind."""
    if not game.mechanics.out_of_turn_four or not table.pile or table.turn < 0:
        return []
    rank = game.pack.ranks[table.pile[-1]]
    same, missing = game.rank_bits[rank], game.mechanics.four - game.run_of(table.pile, rank)
    acts = []
    for seat in range(game.seats):
        if seat == table.turn or table.out >> seat & 1:
            continue
        from_hand = table.hands[seat] > 0
        cards = (table.hands[seat] or table.ups[seat]) & same
        for chosen in _subsets(cards, 0):
            if chosen.bit_count() >= missing:
                hand, up = (chosen, 0) if from_hand else (0, chosen)
                acts.append(Act(PLAY, seat, hand=hand, up=up))
    return acts


def _subsets(cards: int, most: int) -> Iterator[int]:
    """Yield every non-empty subset of the cards (bits) with at most `most` cards (0: of any size)."""
    if not cards:
        return
    if cards & (cards - 1) == 0:
        yield cards
        return
    single = [1 << card for card in cards_of(cards)]
    for size in range(1, min(most or len(single), len(single)) + 1):
        for chosen in combinations(single, size):
            yield sum(chosen)
