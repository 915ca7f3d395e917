"""An observer that may miss something accuses nobody of what a missed act would explain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from engine.referee.outcome import Outcome
from engine.ruleset import RULESET_NAMES
from tests.unit.engine.conftest import UPS, Followed, Halfway, Start, Told
from tests.unit.engine.missed import tally
from tests.unit.engine.outcomes import broken, kinds, notes, verdict

ANN, BOB, CAT = "Ann", "Bob", "Cat"


def unsure(game: Followed) -> None:
    """Let the observer be less than certain once."""
    game.tell("unclear", confidence=0.97)


def needs(outcome: Outcome) -> str:
    assert outcome.ruling is not None
    return "; ".join(outcome.ruling["needs"])


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_an_observer_that_misses_nothing_loses_no_breach_by_being_unsure(rules: str) -> None:
    result = tally(3, rulesets=[rules])
    assert (result.false_alarms, result.false_late) == (0, 0)
    assert result.found == result.breaches > 0


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_few_false_alarms_when_events_are_missed(rules: str) -> None:
    result = tally(6, missed=0.07, rulesets=[rules])
    assert result.false_alarms <= 0.07 * result.legal
    assert result.found + result.left_open >= 0.97 * result.breaches


def test_replenish_to_three_a_draw_shows_that_a_play_was_missed(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H", draws=1)
    draw = game.tell("draw", CAT, count=1)  # Cat's play was not seen
    assert verdict(draw) == "unproven"
    assert "Cat" in needs(draw)
    assert game.table.hands[CAT].size == 3
    assert game.table.pile == ["4H", "??"]
    assert verdict(game.play(ANN, "8H", draws=1)) == "unproven"  # on a card that nobody saw
    assert verdict(game.play(BOB, "9H", draws=1)) == "legal"


@pytest.mark.parametrize(("sure", "ruled"), [(False, "unproven"), (True, "illegal")])
def test_play_equal_or_higher_the_order_of_two_ranks_put_down_at_once_is_not_seen(
    start: Start, sure: bool, ruled: str
) -> None:
    game = start()
    if not sure:
        unsure(game)
    assert verdict(game.play(BOB, "4H JH", draws=2)) == "illegal"
    assert verdict(game.play(CAT, "6H", draws=1)) == ruled, "the 4 may lie on the jack"
    assert verdict(game.play(ANN, "3H", draws=1)) == "illegal", "it goes on no rank of the last play"


def test_pickup_must_play_a_card_that_goes_on_one_of_two_ranks_proves_nothing(start: Start) -> None:
    game = start("rulebook")
    unsure(game)
    game.play(BOB, "JH 4H", draws=2)
    assert verdict(game.tell("pick_up", CAT, "JH 4H")) == "unproven"
    game.play(ANN, "4S", draws=1)
    game.play(BOB, "5H", draws=1)
    late = game.play(CAT, "7D", draws=1)
    assert kinds(late) == [], "it would have gone on the 4, but not on the jack"


def test_replenish_to_three_certain_observers_are_taken_at_their_word(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    assert broken(game.tell("draw", CAT, count=1)) == ["replenish.to-three"]


def test_replenish_to_three_an_overlooked_card_of_a_set_explains_one_more_draw(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H")
    draw = game.tell("draw", BOB, count=2)
    assert verdict(draw) == "unproven"
    assert game.table.hands[BOB].size == 3
    assert game.table.pile == ["??", "4H"]
    assert game.table.to_draw == {}


def test_replenish_to_three_a_draw_that_no_play_explains_is_a_breach(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H", draws=1)
    assert broken(game.tell("draw", ANN, count=1)) == ["replenish.to-three"]


def test_turn_order_is_called_until_something_has_been_missed(midway: Halfway) -> None:
    game = midway("shed", draw_pile=1)
    unsure(game)
    game.play(BOB, "4H", draws=1)  # nobody draws any more: no second sign of a play
    assert broken(game.play(ANN, "5H")) == ["turn.order"]
    assert game.table.turn == BOB
    # A card that lay on the pile is played again: somebody picked it up unseen.
    assert verdict(game.play(BOB, "5H")) == "unproven"
    outcome = game.play(ANN, "9H")
    assert verdict(outcome) == "unproven"
    assert needs(outcome) == "whether Cat acted without being seen"


def test_turn_order_holds_where_a_draw_would_have_been_missed_too(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(CAT, "JH", draws=1)
    game.play(ANN, "9H")  # a hole in the record
    assert broken(game.play(CAT, "QH")) == ["turn.order"]


def test_burn_out_of_play_not_after_a_pick_up_that_may_have_been_missed(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(ANN, "4H", draws=1)  # out of turn and too low: Cat has picked up unseen
    game.play(BOB, "10H", draws=1)
    assert game.table.burned == ["9H", "4H", "10H"]
    game.play(BOB, "5H", draws=1)
    outcome = game.play(CAT, "9H")
    assert verdict(outcome) == "legal"
    assert "9H" not in game.table.burned


def test_burn_out_of_play_where_the_burn_was_seen(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "10H", draws=1)
    game.tell("burn", BOB, "9H 4H 10H")
    game.play(BOB, "5H", draws=1)
    assert broken(game.play(CAT, "9H")) == ["burn.out-of-play"]


def test_burn_ten_a_burnt_card_that_nobody_saw_played(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    burn = game.tell("burn", CAT, "9H 10H")
    assert verdict(burn) == "unproven"
    assert (game.table.pile, game.table.turn, game.table.to_draw) == ([], CAT, {CAT: 1})
    assert verdict(game.tell("draw", CAT, count=1)) == "legal"
    assert verdict(game.play(CAT, "4H", draws=1)) == "legal"


def test_burn_ten_a_ten_that_was_misread(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(CAT, "KH", draws=1)
    assert verdict(game.tell("burn", CAT, "9H 10H")) == "unproven"
    assert (game.table.turn, game.table.hands[CAT].size) == (CAT, 3)


def test_burn_without_cause_is_still_a_breach(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    assert verdict(game.tell("burn", CAT, "9H")) == "illegal"


def test_turn_order_a_pile_with_more_cards_than_were_played(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    outcome = game.tell("pick_up", ANN, "9H JH")  # Cat's jack was not seen
    assert verdict(outcome) == "legal"
    assert game.table.hands[ANN].known == ("9H", "JH")


def test_end_left_who_plays_a_card_was_not_out(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.tell("out", CAT)
    outcome = game.play(CAT, "JH")
    assert verdict(outcome) == "legal"
    assert "Cat was counted as out, but is not." in notes(outcome)


def test_up_only_when_hand_empty_not_proven_of_who_was_passed_over(midway: Halfway) -> None:
    game = midway("rulebook", dealer=ANN, hands=dict.fromkeys((ANN, BOB, CAT), "??"))
    unsure(game)
    assert broken(game.play(CAT, "4D")) == ["start.dealers-left"]  # Bob played unseen
    game.play(CAT, "4D")  # the same card again: the record has a hole
    game.play(ANN, "5D")
    outcome = game.play(BOB, "7H", source="up")
    assert verdict(outcome) == "unproven"
    assert needs(outcome) == "what Bob did earlier without being seen"
    assert game.table.hands[BOB].size == 0


def test_must_play_not_proven_late_of_who_was_passed_over(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    game.play(ANN, "6H", draws=1)  # Cat may have played and drawn
    game.play(BOB, "6S", draws=1)
    assert kinds(game.play(CAT, "QH")) == []


@pytest.mark.parametrize(("confidence", "ruled"), [(1.0, "illegal"), (0.97, "unproven")])
def test_who_draws_more_than_there_seems_to_be_shows_that_the_draw_pile_was_counted_wrongly(
    midway: Halfway, confidence: float, ruled: str
) -> None:
    game = midway(draw_pile=2)
    game.tell("unclear", confidence=confidence)
    game.play(BOB, "4H", draws=1)
    outcome = game.tell("draw", BOB, count=2)
    assert verdict(outcome) == ruled
    if ruled == "unproven":
        assert needs(outcome) == "how many cards were left on the draw pile"
        assert game.table.draw_pile == 0


def test_replenish_to_three_several_overlooked_cards_are_counted(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H")
    draw = game.tell("draw", BOB, count=4)  # the most that four of a kind explains
    assert needs(draw) == "whether Bob played 3 cards that nobody saw"
    assert game.table.pile == ["??", "??", "??", "4H"]
    assert game.table.hands[BOB].size == 3


def test_replenish_to_three_a_set_of_five_explains_no_draw(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H 4S")
    assert broken(game.tell("draw", BOB, count=5)) == ["replenish.to-three"]


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [("jokers", ["??"]), ("winnersh", ["??", "??"])],
    ids=["one is drawn for each card played", "cards are drawn up to three"],
)
def test_an_overlooked_card_is_counted_by_what_the_rules_draw(
    start: Start, rules: str, hidden: list[str]
) -> None:
    game = start(rules, dealer=ANN)
    unsure(game)
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "5H", draws=1)
    game.tell("pick_up", ANN, "4H 5H")
    game.play(BOB, "8H", draws=1)
    game.play(CAT, "9H", draws=1)
    game.play(ANN, "JH", draws=1 if rules == "jokers" else 0)  # of five cards
    game.tell("draw", ANN, count=1)
    assert game.table.pile == ["8H", "9H", *hidden, "JH"]


@pytest.mark.parametrize(("verb", "source"), [("flip", None), ("play", "down"), ("play", "up")])
def test_end_left_who_uses_a_card_of_the_table_had_that_card_alone(
    midway: Halfway, verb: Literal["flip", "play"], source: Literal["down", "up"] | None
) -> None:
    game = midway(draw_pile=0)
    unsure(game)
    game.play(BOB, "9H")
    game.tell("out", CAT)
    outcome = game.tell(verb, CAT, "JH", source=source)
    assert "Cat was counted as out, but is not." in notes(outcome)
    assert (game.table.hands[CAT].size, game.table.up[CAT], game.table.down[CAT]) == (0, [], 0)
    assert game.table.left == [CAT], "and that was the last one"


def test_burn_four_the_player_to_move_may_have_added_two_of_four(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "JC", draws=1)
    game.play(CAT, "JD", draws=1)
    burn = game.tell("burn", ANN, "JC JD")
    assert verdict(burn) == "unproven"
    assert (game.table.pile, game.table.turn, game.table.to_draw) == ([], ANN, {ANN: 2})
    assert game.table.burned == ["JC", "JD", "??", "??"]


def test_burn_four_only_who_played_last_may_have_laid_three_more(start: Start) -> None:
    for player, ruled in ((BOB, "unproven"), (CAT, "illegal")):
        game = start()
        unsure(game)
        game.play(BOB, "JC", draws=1)
        assert verdict(game.tell("burn", player, "JC")) == ruled


@pytest.mark.parametrize("player", [BOB, CAT])
def test_burn_four_not_with_cards_that_lie_open_elsewhere(start: Start, player: str) -> None:
    game = start()
    unsure(game)
    game.play(ANN, "7C", draws=1)
    game.play(player, "7D", draws=1)  # the 7 of hearts and of spades lie before Bob
    assert verdict(game.tell("burn", player, "7C 7D")) == "illegal"


def test_pick_up_of_more_cards_than_were_seen_played(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H", count=3)
    assert (game.table.hands[CAT].size, game.table.hands[CAT].known) == (6, ("9H",))
    assert game.table.pile == []


@pytest.mark.parametrize(("seen", "held"), [("9H KH", ("9H", "KH")), ("KH", ("9H", "JH", "KH"))])
def test_a_pick_up_corrects_the_pile_and_a_part_of_it_adds_to_it(
    start: Start, seen: str, held: tuple[str, ...]
) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(CAT, "JH", draws=1)
    game.tell("pick_up", ANN, seen)
    assert game.table.hands[ANN].known == held
    assert game.table.hands[ANN].size == 3 + len(held)


def test_pick_up_of_fewer_cards_where_the_lower_ones_may_have_been_taken_before(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.play(ANN, "4H", draws=1)  # out of turn and too low: Cat has picked up unseen
    game.play(BOB, "5H", draws=1)
    game.tell("pick_up", CAT, "4H 5H", count=2)
    assert (game.table.hands[CAT].known, game.table.pile) == (("4H", "5H"), [])
    assert game.table.hands[CAT].size == 5


def test_a_hidden_play_of_a_card_that_the_next_player_holds_accuses_nobody_else(start: Start) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "5H", draws=1)
    game.play(BOB, "6H", draws=1)
    assert game.table.turn == CAT
    outcome = game.tell("play", ANN, "9H", source="hand", unseen=True)
    assert outcome.ruling is not None
    assert outcome.ruling["verdict"] == "unproven"


def burned_by_bob(
    start: Start, picked_up: str, top: tuple[str, str, str], ups: Mapping[str, tuple[str, ...]]
) -> Outcome:
    """Cat picks a card up, plays a queen, Ann and Bob play one each, and Bob burns the pile."""
    game = start(ups=ups)
    unsure(game)
    game.play(BOB, picked_up, draws=1)
    game.tell("pick_up", CAT, picked_up)
    game.play(ANN, "4S", draws=1)
    game.play(BOB, "5S", draws=1)
    game.play(CAT, top[0])
    game.play(ANN, top[1], draws=1)
    game.play(BOB, top[2], draws=1)
    burn = game.tell("burn", BOB, " ".join(game.table.pile))
    assert game.table.pile == []
    return burn


@pytest.mark.parametrize("picked_up", ["QD", "JD"])
def test_four_a_card_under_anothers_set_may_have_completed_it(start: Start, picked_up: str) -> None:
    """The fourth queen is one that Cat is known to hold, or one that nobody has seen."""
    burn = burned_by_bob(start, picked_up, ("QH", "QS", "QC"), UPS)
    assert verdict(burn) == "unproven"
    assert "Bob" in needs(burn)


def test_four_a_card_that_lies_elsewhere_was_not_under_a_set(start: Start) -> None:
    burn = burned_by_bob(start, "JD", ("QH", "QS", "QC"), {**UPS, ANN: ("QD", "9S", "KD")})
    assert broken(burn)


@pytest.mark.parametrize(("unseen", "ruled"), [(True, "unproven"), (False, "illegal")])
def test_turn_order_nobody_is_accused_if_a_body_hid_what_the_skipped_player_may_have_done(
    start: Start, unseen: bool, ruled: str
) -> None:
    game = start()
    unsure(game)
    game.play(BOB, "4H", draws=1)
    outcome = game.tell("play", ANN, "9H", source="hand", confidence=0.97, unseen=unseen)
    assert verdict(outcome) == ruled
    if unseen:
        assert needs(outcome) == "whether Cat acted without being seen"


def acted_again_unseen(start: Start, card: str) -> tuple[Told, Outcome]:
    """Bob and Cat play, and then Cat again while a body hides who acts: it is Ann's turn."""
    game = start()
    unsure(game)
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "8H", draws=1)
    return game, game.tell("play", CAT, card, source="hand", confidence=0.97, unseen=True)


@pytest.mark.parametrize(
    ("card", "ruled"), [("9H", "unproven"), ("4C", "illegal")], ids=["fits", "too low for both"]
)
def test_turn_order_if_a_body_hid_who_acted_it_may_have_been_the_players_whose_turn_it_was(
    start: Start, card: str, ruled: str
) -> None:
    _, outcome = acted_again_unseen(start, card)
    assert verdict(outcome) == ruled
    if ruled == "unproven":
        assert needs(outcome) == "whether it was Ann who acted, and not Cat"


@pytest.mark.parametrize("follower", [BOB, ANN])
def test_turn_order_after_an_act_that_a_body_hid_either_player_may_follow(
    start: Start, follower: str
) -> None:
    """Ann or Cat has acted, so it is Bob's turn or Ann's."""
    game, _ = acted_again_unseen(start, "9H")
    assert not broken(game.tell("play", follower, "10H", source="hand", confidence=0.97))


@pytest.mark.parametrize("unseen", [True, False])
def test_three_backfire_if_a_body_hid_the_show_the_other_player_may_have_answered(
    start: Start, unseen: bool
) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=BOB, unseen=unseen)
    picked_up = game.tell("pick_up", CAT, "4H")
    assert game.table.hands[CAT].known == ("4H",)
    if unseen:
        assert picked_up.confirms
        assert (game.table.turn, game.table.hands[BOB].size) == (ANN, 2)  # Bob's 3 is gone
        assert len(game.table.burned) == 2
    else:
        assert verdict(picked_up) == "illegal"
        assert game.table.hands[BOB].size == 3


def test_three_backfire_who_was_shown_a_three_still_picks_up_if_nobody_answered(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=BOB, unseen=True)
    assert game.tell("pick_up", BOB, "4H").confirms
    assert (game.table.turn, len(game.table.burned)) == (CAT, 1)


def test_three_backfire_who_cannot_have_answered_is_not_believed_to_have_done_so(midway: Halfway) -> None:
    game = midway(hands={BOB: "4H 5H 6H"})
    game.play(BOB, "4H")
    game.tell("show", CAT, "3H", to=BOB, unseen=True)
    assert verdict(game.tell("pick_up", CAT, "4H")) == "illegal"
