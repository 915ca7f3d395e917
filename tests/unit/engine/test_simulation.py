"""Simulated players and games: what a sensible player prefers, and when a game is given up as a draw."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.ruleset import load_ruleset
from engine.simulation.cheating import find_cheat
from engine.simulation.choices import interruptions, longest_chain, may_come_back
from engine.simulation.play import CompiledRules
from engine.simulation.policies import random_act, sensible_act, sensible_exchange
from engine.simulation.simulate import SimulatedGame, play_game, play_out
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, Act, Table

PLAYERS = ("Ann", "Bob", "Cat")
ANN, BOB, CAT = range(3)
LARGE = "4C 4D 5C 5D 6C 6D 7C 7D 8C 8D"


def bits_of(game: CompiledRules, text: str) -> int:
    """Return the cards named in a text as the simulation holds them."""
    return sum(1 << game.pack.codes.index(code) for code in text.split())


def anns_turn(
    hand: str,
    pile: str = "",
    *,
    others: tuple[str, str] = ("JC JD JS JH", "QC QD QS QH"),
    down: str = "",
    rules: str = "winnersh",
    option: str = "",
) -> tuple[CompiledRules, Table]:
    """Return a table on which Cat has played the uppermost card of the pile, and Ann is to act."""
    game = CompiledRules(load_ruleset(rules, [option] if option else []), 3)
    *below, top = pile.split() or [""]
    deck = () if down else (game.pack.codes.index("KC"),)
    table = game.deal(Random(1))._replace(
        deck=deck,
        hands=(bits_of(game, hand), bits_of(game, others[0]), bits_of(game, f"{others[1]} {top}")),
        ups=(0, 0, 0),
        downs=(bits_of(game, down), 0, 0),
        turn=CAT,
        acts=9,
    )
    if pile:
        table = game.apply(table, Act(PLAY, CAT, hand=bits_of(game, top)))
        covered = tuple(game.pack.codes.index(code) for code in below)
        table = table._replace(pile=(*covered, *table.pile), sets=(1,) * len(pile.split()))
    return game, table._replace(turn=ANN)


def ann_does(hand: str, pile: str = "", **more: Any) -> tuple[Act, str]:
    """Return what Ann does, and with which cards."""
    game, table = anns_turn(hand, pile, **more)
    act = sensible_act(game, table, Random(1))
    return act, " ".join(game.pack.text(act.hand | act.up))


def test_a_sensible_player_lays_the_lowest_cards_and_all_of_their_rank() -> None:
    assert ann_does("6D 9S 4C")[1] == "4C"
    assert ann_does("4D 9S 4C")[1] == "4C 4D"


@pytest.mark.parametrize("special", ["2H", "10H"])
def test_a_sensible_player_keeps_special_cards_for_late(special: str) -> None:
    assert ann_does(f"{special} KD")[1] == "KD"


def test_a_sensible_player_picks_up_only_if_nothing_goes_however_large_the_pile_is() -> None:
    act, cards = ann_does("2H", f"{LARGE} 9C 9D 9S 6S 6H AC AD AS KH KS 7H 7S")
    assert (act.kind, cards) == (PLAY, "2H")
    assert ann_does("4H", "KH")[0].kind == PICK_UP


def test_a_sensible_player_turns_over_a_card_rather_than_pick_up_a_small_pile() -> None:
    act, _ = ann_does("", "KH", down="4H 5H", rules="backpacker", option="down-pick-up")
    assert act.kind == FLIP


def test_a_random_player_without_a_hand_picks_up_only_if_nothing_else_is_left() -> None:
    game, table = anns_turn("", "KH", down="4H 5H", rules="backpacker", option="down-pick-up")
    assert {random_act(game, table, Random(seed)).kind for seed in range(9)} == {FLIP}


def test_a_sensible_player_shows_a_card_to_the_right_where_the_pile_is_large() -> None:
    act, _ = ann_does("3H 9S", LARGE)
    assert (act.kind, act.to) == (SHOW, CAT)
    assert ann_does("3H 9S", "8C 8D")[0].kind == PLAY


@pytest.mark.parametrize("bobs", ["JC JD 3D", "JC JD"])
def test_a_sensible_player_is_answered_whenever_who_is_shown_the_card_can_answer(bobs: str) -> None:
    act, _ = ann_does("3H 5S", LARGE, others=(bobs, "QC QD 3C"))
    assert (act.kind, act.to, act.answers) == (SHOW, CAT, 1)


@pytest.mark.parametrize(("ups", "answers"), [("3D", 1), ("3D 3C", 1), ("9D", 0)])
def test_a_player_without_a_hand_answers_with_one_of_the_face_up_cards(ups: str, answers: int) -> None:
    game, table = anns_turn("3H 9S", LARGE, others=("", "QC QD"))
    table = table._replace(ups=(0, bits_of(game, ups), 0))
    assert longest_chain(game, table, ANN, BOB) == answers


@pytest.mark.parametrize(("answers", "picker"), [(0, BOB), (1, ANN), (2, BOB), (3, ANN)])
def test_after_a_show_and_its_answers_the_last_who_was_shown_a_card_picks_up(
    answers: int, picker: int
) -> None:
    game, table = anns_turn("3H 3C 9S", "8C 8D", others=("3D 3S JD", "QC QD"))
    table = game.apply(table, Act(SHOW, ANN, hand=bits_of(game, "3H"), to=BOB, answers=answers))
    pile = bits_of(game, "8C 8D")
    assert [table.hands[seat] & pile == pile for seat in (ANN, BOB)] == [picker == ANN, picker == BOB]
    assert len(game.pack.text(table.burned)) == 1 + answers


def test_after_a_show_the_player_after_the_picker_goes_on() -> None:
    """Cat shows Bob a card: after her Ann would be next, but Bob picks up, and after him it is Cat."""
    game, table = anns_turn("9S 9C", "8C 8D", others=("JC JD", "3H QD QS"))
    table = game.apply(table._replace(turn=CAT), Act(SHOW, CAT, hand=bits_of(game, "3H"), to=BOB))
    assert table.hands[BOB] & bits_of(game, "8D")
    assert table.turn == CAT


@pytest.mark.parametrize("played_since", [False, True])
def test_who_has_left_comes_back_until_the_player_to_the_right_has_played(played_since: bool) -> None:
    """Here that player is Ann: play goes clockwise, and Bob sits to her left."""
    game, table = anns_turn("3H 9S", LARGE)
    table = table._replace(out=1 << BOB, since=(0, (1 << ANN) * played_since, 0))
    assert may_come_back(game, table, BOB) is not played_since


def test_sensible_players_put_their_best_cards_face_up_first_of_all_one_to_show() -> None:
    game = CompiledRules(load_ruleset("winnersh"), 3)
    table = game.deal(Random(1))._replace(
        hands=(bits_of(game, "3H 2C KH"), 0, 0), ups=(bits_of(game, "2D 10D 5C"), 0, 0)
    )
    given, taken = sensible_exchange(game, table, ANN)
    left = table.ups[ANN] & ~taken | given
    assert set(game.pack.text(left)) > {"3H"}
    assert not left & bits_of(game, "5C KH")


def test_a_game_is_a_draw_after_so_many_acts_without_a_burned_card() -> None:
    game = play_game("winnersh", PLAYERS, 0, quiet_acts=4)
    assert [step.event.event for step in game].count("play") == 4
    assert game.loser is None, "nobody loses a draw"
    rules = CompiledRules(load_ruleset("winnersh"), 3)
    assert play_out(rules, Random(0), sensible_act, quiet_acts=4).acts == 4


def test_a_burned_card_begins_the_count_anew() -> None:
    rules = CompiledRules(load_ruleset("winnersh"), 3)
    last = play_out(rules, Random(1), sensible_act, quiet_acts=4)
    assert last.burned
    assert last.acts == 8


def acts_before_cheats(game: SimulatedGame) -> list[int]:
    """Return for each cheat how many acts came before it. The pick-up that a show brings is no act."""
    acts = [
        step
        for before, step in zip(game.steps, game.steps[1:], strict=False)
        if step.event.event in ("play", "flip", "show")
        or (step.event.event == "pick_up" and before.event.event != "show")
    ]
    return [number for number, step in enumerate(acts) if not step.legal]


def test_cheats_come_early_enough_for_a_short_film() -> None:
    times = [acts_before_cheats(play_game("winnersh", PLAYERS, seed, cheats=2)) for seed in range(60)]
    assert all(len(of_game) == 2 for of_game in times)
    assert {time for of_game in times for time in of_game} == set(range(3, 19))


def test_a_joker_that_is_burned_makes_the_next_player_pick_up_the_rest() -> None:
    games = [play_game("shed", PLAYERS, seed, options=["bastard-card"]) for seed in range(6)]
    acts = [step.event for game in games for step in game.steps]
    after = [later for act, later in pairwise(acts) if act.event == "burn" and act.cards == ("JOKER",)]
    assert "pick_up" in {later.event for later in after}, "where the joker lay on other cards"


def test_before_the_deal_all_cards_lie_on_the_draw_pile_as_they_are_dealt() -> None:
    deal = play_game("winnersh", PLAYERS, 3).steps[0]
    lay, rest = deal.before.draw_pile, deal.after.draw_pile
    assert lay[-len(rest) :] == rest
    rows = [[places[name] for name in PLAYERS] for places in (deal.after.down, deal.after.up)]
    dealt = [card for row in (*rows, deal.after.hands.values()) for cards in row for card in cards]
    assert list(lay[: -len(rest)]) == dealt


def test_each_step_says_whose_turn_it_was() -> None:
    steps = play_game("winnersh", PLAYERS, 3).steps
    acts = [step for step in steps if step.event.event in ("play", "flip", "show")]
    assert {step.event.player for step in acts} == set(PLAYERS)
    assert all(step.before.turn == step.event.player for step in acts)


@pytest.mark.parametrize(("hand", "cheats"), [("4H 5H", True), ("4H", False)])
def test_whoever_cheats_has_a_choice_of_cards(hand: str, cheats: bool) -> None:
    game, table = anns_turn(hand, "KH")
    act, rule = find_cheat(game, table, PLAYERS, Random(1))
    assert (act is not None, rule is not None) == (cheats, cheats)


@pytest.mark.parametrize(("bobs", "cheats"), [("AC AS", True), ("AC", False)])
def test_whoever_plays_out_of_turn_has_a_choice_of_cards(bobs: str, cheats: bool) -> None:
    game, table = anns_turn("AH AD", "KH", others=(bobs, "4C 4D 4S"))
    act, _ = find_cheat(game, table, PLAYERS, Random(1))
    assert (act is not None and act.player == BOB) == cheats


def test_the_fourth_of_a_kind_comes_from_the_hand_also_if_it_is_the_lowest_card_of_all() -> None:
    game, table = anns_turn("AH AD", "2D 2H 2S", others=("2C", "4C 4D 4S"), rules="jokers")
    assert interruptions(game, table) == [Act(PLAY, BOB, hand=bits_of(game, "2C"))]


@pytest.mark.parametrize("dealer", range(3))
def test_of_players_with_equal_cards_the_first_after_the_dealer_starts(dealer: int) -> None:
    game = CompiledRules(load_ruleset("backpacker", ["computer-start"]), 3)
    hands = [bits_of(game, "5C KC")] * 3
    for after, card in ((1, "4C"), (2, "4S")):
        hands[(dealer + after) % 3] = bits_of(game, f"{card} KD")
    table = game.deal(Random(1))._replace(hands=tuple(hands))
    assert game.starters(table, dealer) == [(dealer + 1) % 3]


@pytest.mark.parametrize("loser", range(3))
def test_the_last_loser_starts_by_the_rules_with_jokers(loser: int) -> None:
    game = CompiledRules(load_ruleset("jokers"), 3)
    assert game.starters(game.deal(Random(1)), ANN, loser) == [loser]
