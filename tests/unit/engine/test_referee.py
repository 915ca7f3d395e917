"""The referee follows a game from what is seen of it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.events import Event
from engine.referee.referee import Referee
from tests.unit.engine.conftest import Halfway, Midway, Start
from tests.unit.engine.outcomes import broken, effects, kinds, notes, rule_of, verdict

ANN, BOB, CAT = PLAYERS = ("Ann", "Bob", "Cat")


def test_what_is_known_after_the_deal(start: Start) -> None:
    table = start().table
    assert table.turn is None
    assert table.draw_pile == 52 - 27
    assert {player: view.size for player, view in table.hands.items()} == dict.fromkeys(PLAYERS, 3)
    assert table.up[ANN] == ["4C", "9S", "KD"]
    assert table.down == dict.fromkeys(PLAYERS, 3)
    assert table.demand_in_words == "anything"
    assert "3" not in table.playable_ranks


def test_a_turn_moves_cards_and_the_turn(start: Start) -> None:
    game = start()
    assert verdict(game.play(BOB, "4H", draws=1)) == "legal"
    table = game.table
    assert (table.turn, table.pile, table.draw_pile) == (CAT, ["4H"], 24)
    assert (table.hands[BOB].size, table.to_draw) == (3, {})
    assert table.demand_in_words == "4 or higher"
    assert table.playable_ranks[:3] == ["2", "4", "5"]


def test_seven_or_lower_in_words(start: Start) -> None:
    game = start()
    game.play(BOB, "7D", draws=1)
    assert game.table.demand_in_words == "7 or lower"
    assert game.table.playable_ranks == ["2", "4", "5", "6", "7"]


def test_an_illegal_play_that_stands_is_recorded_and_play_goes_on(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    assert broken(game.play(CAT, "4H", draws=1)) == ["play.equal-or-higher"]
    assert verdict(game.play(ANN, "5H", draws=1)) == "legal"  # on the 4 that stands
    assert game.table.pile == ["9H", "4H", "5H"]


def test_out_of_turn(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    assert broken(game.play(ANN, "5H", draws=1)) == ["turn.order"]
    assert game.table.turn == BOB


def test_a_play_taken_back_is_withdrawn(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    wrong = game.tell("play", CAT, "4H", source="hand")
    assert broken(wrong)
    game.tell("play", CAT, revise=game.number, withdrawn=True)
    assert game.table.pile == ["9H"]
    assert game.table.turn == CAT
    assert game.table.hands[CAT].size == 3


def test_a_burn_is_entered_at_once_and_then_confirmed(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    assert effects(game.play(CAT, "10H", draws=1))["burn"]
    assert (game.table.pile, game.table.burned, game.table.turn) == ([], ["4H", "10H"], CAT)
    confirmed = game.tell("burn", CAT, "4H 10H")
    assert confirmed.confirms
    assert confirmed.ruling is None
    assert game.table.burned == ["4H", "10H"]


def test_a_burn_without_cause_is_a_breach(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    outcome = game.tell("burn", CAT, "4H")
    assert verdict(outcome) == "illegal"
    assert game.table.burned == ["4H"]


def test_a_burn_settles_what_an_unidentified_card_left_open(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    assert effects(game.play(CAT, "??", draws=1))["burn"] is None
    assert game.tell("burn", CAT, "9H ??").confirms
    assert (game.table.pile, game.table.turn) == ([], CAT)


def test_a_burnt_card_seen_again(start: Start) -> None:
    game = start()
    game.play(BOB, "10H", draws=1)
    game.play(BOB, "4H", draws=1)
    assert broken(game.play(CAT, "10H", draws=1)) == ["burn.out-of-play"]


def test_picked_up_cards_are_known_until_they_are_seen_again(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("pick_up", CAT, "4H")
    assert game.table.hands[CAT].size == 4
    assert game.table.hands[CAT].known == ("4H",)
    assert game.table.turn == ANN
    game.play(ANN, "5H", draws=1)
    game.play(BOB, "6H", draws=1)
    game.play(CAT, "4H")
    assert game.table.hands[CAT].known == ()


def test_a_shown_three_and_the_pick_up_it_brings(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    show = game.tell("show", CAT, "3H", to=BOB)
    assert effects(show)["picks_up"] == BOB
    assert game.tell("pick_up", BOB, "4H").confirms
    table = game.table
    assert (table.turn, table.burned, table.hands[BOB].known) == (CAT, ["3H"], ("4H",))
    assert (table.hands[BOB].size, table.hands[CAT].size) == (4, 2)


def test_a_backfire(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=BOB, answers=((BOB, CAT),))
    table = game.table
    assert table.turn == ANN
    assert table.hands[CAT].known == ("4H",)
    assert len(table.burned) == 2


def test_somebody_else_picks_up_after_a_show(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=BOB)
    assert verdict(game.tell("pick_up", ANN, "4H")) == "illegal"
    assert game.table.hands[ANN].known == ("4H",)


def test_draws_are_compared_with_what_is_due(start: Start) -> None:
    game = start()
    game.tell("play", BOB, "4H 4S", source="hand")
    assert game.table.to_draw == {BOB: 2}
    first = game.tell("draw", BOB, count=1)
    assert (verdict(first), game.table.to_draw) == ("legal", {BOB: 1})
    assert verdict(game.tell("draw", BOB, count=1)) == "legal"
    assert broken(game.tell("draw", BOB, count=1)) == ["replenish.to-three"]


def test_a_draw_not_seen_is_noted_when_the_next_player_acts(start: Start) -> None:
    game = start()
    game.tell("play", BOB, "4H", source="hand")
    outcome = game.play(CAT, "5H", draws=1)
    assert verdict(outcome) == "legal"
    assert notes(outcome) == ["Nobody saw Bob draw a card."]


def test_a_draw_not_seen_before_an_extra_turn_is_noted_not_called(start: Start) -> None:
    game = start()
    game.play(BOB, "2H")
    outcome = game.play(BOB, "9H")
    assert verdict(outcome) == "legal"
    assert notes(outcome) == ["Nobody saw Bob draw a card."]


def test_exchange_makes_cards_known(start: Start) -> None:
    game = start()
    outcome = game.tell("exchange", ANN, count=1, up={ANN: ("4C", "9S", "AH")})
    assert verdict(outcome) == "legal"
    assert game.table.up[ANN] == ["4C", "9S", "AH"]
    assert game.table.hands[ANN].known == ("KD",)


def test_exchange_after_play_began(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    outcome = game.tell("exchange", ANN, count=1, up={ANN: ("4C", "9S", "AH")})
    assert broken(outcome) == ["setup.exchange-before"]


def test_wrong_starter_proven_at_once_by_a_card_taken_into_the_hand(start: Start) -> None:
    game = start()
    game.tell("exchange", ANN, count=1, up={ANN: ("AH", "9S", "KD")})  # takes the 4 of clubs in
    assert broken(game.play(BOB, "5H", draws=1)) == ["start.weakest-card"]


def test_wrong_starter_proven_late(start: Start) -> None:
    game = start(ups={})
    first = game.play(BOB, "5H", draws=1)
    assert verdict(first) == "legal"
    late = game.play(CAT, "4C", draws=1)
    (breach,) = [event for event in late.follow_ups if event.event == "late_breach"]
    assert (breach.player, breach.concerns) == (BOB, 2)
    assert rule_of(breach) == "start.weakest-card"


def test_wrong_starter_proven_late_by_the_weakest_card_that_does_not_lie_face_up(start: Start) -> None:
    game = start()  # the 4 of clubs lies in front of Ann
    game.play(BOB, "5H", draws=1)
    late = game.play(CAT, "4S", draws=1)
    assert kinds(late) == ["late_breach"]
    assert late.follow_ups[0].concerns == 2


def test_a_start_card_drawn_meanwhile_proves_nothing(start: Start) -> None:
    game = start(ups={})
    game.play(BOB, "5H", draws=1)
    game.play(CAT, "6C", draws=1)
    game.play(ANN, "6H", draws=1)
    game.play(BOB, "6D", draws=1)
    assert kinds(game.play(CAT, "4C")) == []


def test_must_play_proven_late(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    pick_up = game.tell("pick_up", CAT, "9H")
    assert verdict(pick_up) == "unproven"
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    late = game.play(CAT, "QH", draws=0)
    (breach,) = [event for event in late.follow_ups if event.event == "late_breach"]
    assert (breach.player, breach.concerns, rule_of(breach)) == (CAT, 4, "pickup.must-play")
    assert "queen of hearts" in str(breach.says)


@pytest.mark.parametrize(("confidence", "late", "proven"), [(1.0, "9D", 1), (0.95, "9D", 0), (0.95, "QH", 1)])
def test_a_card_of_a_rank_that_was_picked_up_may_have_been_overlooked_in_the_pile(
    start: Start, confidence: float, late: str, proven: int
) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    assert verdict(game.tell("pick_up", CAT, "9H", confidence=confidence)) == "unproven"
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    assert kinds(game.play(CAT, late, draws=0)).count("late_breach") == proven


def test_must_play_not_proven_by_a_card_drawn_since(start: Start) -> None:
    game = start("jokers", loser=BOB)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    assert kinds(game.play(CAT, "6H", draws=1)) == []  # could not have been played on the 9
    game.play(ANN, "6S", draws=1)
    game.play(BOB, "6D", draws=1)
    assert kinds(game.play(CAT, "QH", draws=1)) == []  # may be the card just drawn
    game.play(ANN, "QS", draws=1)
    game.play(BOB, "QD", draws=1)
    assert kinds(game.play(CAT, "KH")) == []  # two drawn, two such cards seen
    later: Any = "withdrawn"  # a kind that another version may write, passed over
    assert game.tell(later).ruling is None


def test_must_play_proven_by_known_cards_at_once(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "QH", draws=1)
    game.tell("pick_up", CAT, "QH")
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    assert broken(game.tell("pick_up", CAT, "4H 5H")) == ["pickup.must-play"]


def test_up_card_with_a_card_in_hand_proven_late(midway: Halfway) -> None:
    game = midway("rulebook", dealer=ANN, hands={BOB: ""})
    assert verdict(game.play(BOB, "7H", source="up")) == "legal"
    game.play(CAT, "7D")
    game.play(ANN, "7C")
    late = game.play(BOB, "5S")
    assert kinds(late)[:1] == ["late_breach"]
    assert rule_of(late.follow_ups[0]) == "up.only-when-hand-empty"


def _with_a_last_card_each(midway: Halfway, **given: Any) -> Midway:
    """Bob and Cat have one card left each, and nothing on the table."""
    both = (BOB, CAT)
    hands, ups = dict.fromkeys(both, "??"), dict.fromkeys(both, "")
    return midway(hands=hands, ups=ups, downs=dict.fromkeys(both, 0), **given)


def test_last_card_out_and_game_over_come_by_themselves(midway: Halfway) -> None:
    game = _with_a_last_card_each(midway)
    first = game.play(BOB, "KH")
    assert kinds(first) == ["out"]
    assert game.tell("out", BOB).confirms
    assert game.table.turn == CAT
    second = game.play(CAT, "AH")
    assert kinds(second) == ["out", "game_over"]
    assert second.follow_ups[1].loser == ANN
    assert game.tell("game_over", loser=ANN).confirms
    end = game.table
    assert (end.left, end.loser, end.turn) == ([BOB, CAT], ANN, None)


def test_the_third_loss_is_sung(midway: Halfway) -> None:
    game = _with_a_last_card_each(midway, losses={ANN: 2})
    game.play(BOB, "KH")
    rituals = effects(game.play(CAT, "AH"))["rituals"]
    assert rituals == ["Once, Twice, Three Times A Shithead"]


def test_the_third_loss_is_sung_where_it_was_said_who_is_out(start: Start) -> None:
    game = start(losses={ANN: 2})
    assert game.tell("out", BOB).ruling is None
    outcome = game.tell("out", CAT)
    assert kinds(outcome) == ["game_over"]
    ending = effects(outcome)
    assert (ending["shithead"], ending["left"], ending["next"]) == (ANN, [CAT], None)
    assert ending["rituals"] == ["Once, Twice, Three Times A Shithead"]
    assert outcome.ruling is not None
    assert (outcome.ruling["verdict"], outcome.ruling["basis"][0]["cite"]) == ("legal", "Winnersh §4.2")


def test_library_boy_once(start: Start) -> None:
    game = start()
    cards = ["4H", "4S", "5H", "5S", "6H", "6S", "8H", "8S", "9H"]
    for player, card in zip([BOB, CAT, ANN] * 3, cards, strict=True):
        game.play(player, card, draws=1)
    outcome = game.tell("pick_up", BOB, " ".join(cards))
    assert effects(outcome)["rituals"] == ["Library Boy"]
    game.play(CAT, "9D", draws=1)
    game.play(ANN, "9C", draws=1)
    again = game.tell("pick_up", BOB, "9D 9C")
    assert effects(again)["rituals"] == []


def test_a_card_that_cannot_be_shown_brings_nothing_about(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    before = game.table
    assert broken(game.tell("show", CAT, "5H", to=ANN)) == ["three.show"]
    assert game.table == before


def test_a_joker_stays_burned_when_the_other_joker_is_played(start: Start) -> None:
    game = start("shed", options=("bastard-card",))
    game.play(BOB, "JOKER")
    game.tell("pick_up", CAT)
    game.play(BOB, "JOKER")
    assert game.table.burned == ["JOKER", "JOKER"]


def test_three_recipient_picks_up_and_nobody_else(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=ANN)
    assert broken(game.tell("pick_up", BOB, "4H")) == ["three.recipient-picks-up"]


def test_three_backfire_picks_up_and_nobody_else(start: Start) -> None:
    game = start()
    game.play(BOB, "4H", draws=1)
    game.tell("show", CAT, "3H", to=ANN, answers=((ANN, CAT),))
    assert broken(game.tell("pick_up", ANN, "4H")) == ["three.backfire"]


def test_extreme_joker_picks_up_and_nobody_else(start: Start) -> None:
    game = start("shed", options=("bastard-card",))
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "JOKER", draws=1)
    assert broken(game.tell("pick_up", BOB, "4H")) == ["extreme.joker"]


# Cards that nobody read


def test_eight_reverses_perhaps_where_nobody_read_the_card(start: Start) -> None:
    game = start("shed")
    game.play(BOB, "3D", draws=1)
    game.play(CAT, "??", draws=1)  # an 8 would turn the direction round
    game.play(BOB, "KH", draws=1)  # it was one
    assert (game.table.turn, game.table.direction) == (ANN, "anticlockwise")
    assert verdict(game.play(ANN, "KS", draws=1)) == "legal"


def test_eight_reverses_not_where_the_next_player_goes_on(start: Start) -> None:
    game = start("shed")
    game.play(BOB, "3D", draws=1)
    game.play(CAT, "??", draws=1)
    game.play(ANN, "KH", draws=1)
    assert (game.table.turn, game.table.direction) == (BOB, "clockwise")


def test_four_out_of_turn_tells_nothing_of_the_direction(start: Start) -> None:
    game = start("jokers", options=("q-reverse",))
    game.play(BOB, "4H", draws=1)
    game.play(CAT, "??", draws=1)
    game.play(BOB, "QH QS QD", draws=3)  # on a queen: four of a kind, out of turn or not
    assert "illegal" not in [
        outcome.ruling["verdict"] for outcome in game.referee.outcomes.values() if outcome.ruling
    ]
    assert verdict(game.play(BOB, "KH")) != "illegal"
    assert verdict(game.play(ANN, "AH")) != "illegal"


def test_down_fail_perhaps_on_a_card_that_nobody_read(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "??", draws=1)
    game.tell("flip", CAT, "5D")  # whether it goes is not known: it does not
    assert game.tell("pick_up", CAT).confirms
    assert (game.table.turn, game.table.pile, game.table.hands[CAT].size) == (ANN, [], 5)


def test_extreme_joker_that_nobody_read_is_known_once_it_is_burned(start: Start) -> None:
    game = start("shed", options=("bastard-card",))
    game.play(BOB, "3D", draws=1)
    game.play(CAT, "??", draws=1)
    assert game.tell("burn", CAT, "JOKER").confirms
    assert (game.table.pile, game.table.burned, game.table.turn) == ([], ["JOKER"], ANN)
    assert game.tell("pick_up", ANN).confirms


def test_up_cards_are_not_known_after_one_of_them_left_unread(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "??", source="up")
    assert game.table.up[BOB] == ["??", "??"]


def test_start_any_3_not_accused_late_where_the_first_card_was_not_read(start: Start) -> None:
    game = start("shed")
    game.play(BOB, "??", draws=1)
    assert not game.play(CAT, "3S").follow_ups


def test_burn_out_of_play_not_of_a_3_that_need_not_be_the_answer(start: Start) -> None:
    ups = {"Ann": ("4C", "9S", "KD"), "Bob": ("2C", "7H", "3S"), "Cat": ("5C", "6C", "8C")}
    game = start(ups=ups)
    game.tell("exchange", BOB, up={BOB: ("2C", "7H", "KC")})  # the 3 of spades enters Bob's hand
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    game.tell("show", CAT, "3H", to=BOB, answers=((BOB, CAT),))  # with another 3, nobody saw which
    game.play(ANN, "6H", draws=1)
    assert verdict(game.tell("show", BOB, "3S", to=CAT)) == "legal"


def test_must_play_proven_late_after_a_card_was_played_that_all_had_seen(start: Start) -> None:
    game = start("rulebook", dealer=ANN)
    game.play(BOB, "9H", draws=1)
    game.tell("pick_up", CAT, "9H")
    game.play(ANN, "4H", draws=1)
    game.play(BOB, "5H", draws=1)
    assert kinds(game.play(CAT, "9H")) == []
    game.play(ANN, "JH", draws=1)
    game.play(BOB, "JS", draws=1)
    assert kinds(game.play(CAT, "QH")) == ["late_breach"]


def test_down_a_card_that_goes_leaves_one_less(midway: Halfway) -> None:
    game = midway(hands={CAT: ""}, ups={CAT: ""})
    game.play(BOB, "9H")
    assert verdict(game.play(CAT, "JH", source="down")) == "legal"
    assert (game.table.down[CAT], game.table.pile) == (2, ["9H", "JH"])


def test_down_fail_nobody_else_picks_up_a_card_that_does_not_go(midway: Halfway) -> None:
    game = midway(hands={CAT: ""}, ups={CAT: ""})
    game.play(BOB, "9H")
    game.play(CAT, "4H", source="down")
    assert (game.table.hands[CAT].known, game.table.down[CAT]) == (("4H", "9H"), 2)
    rule = game.rules.find_rule("down_fail")
    assert rule is not None
    assert broken(game.tell("pick_up", ANN, "9H 4H")) == [rule.id]


def test_a_down_card_taken_without_a_count_is_one(start: Start) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.tell("take_down", CAT)
    assert (game.table.down[CAT], game.table.hands[CAT].size) == (2, 4)


@pytest.mark.parametrize(("choice", "pile"), [("picked_up", []), ("stands", ["9H", "4H"])])
def test_after_a_breach_the_pile_moves_only_if_it_is_picked_up(
    start: Start, choice: str, pile: list[str]
) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    assert verdict(game.play(CAT, "4H", draws=1)) == "illegal"
    game.tell("consequence", CAT, says=choice)
    assert game.table.pile == pile
    assert game.table.hands[CAT].size == 5 - len(pile)


@pytest.mark.parametrize(("player", "count"), [(BOB, 2), (BOB, None), (None, 2)])
def test_a_draw_without_a_player_or_a_count_is_the_one_that_is_due(
    start: Start, player: str | None, count: int | None
) -> None:
    game = start()
    game.play(BOB, "4H 4S")
    assert game.table.to_draw == {BOB: 2}
    outcome = game.tell("draw", player, count=count)
    assert (verdict(outcome), notes(outcome), game.table.to_draw) == ("legal", [], {})


@pytest.mark.parametrize(("player", "turn"), [(CAT, ANN), (ANN, CAT)])
def test_who_is_out_has_no_cards_and_no_turn(start: Start, player: str, turn: str) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.tell("out", player)
    table = game.table
    assert (table.hands[player].size, table.up[player], table.down[player]) == (0, [], 0)
    assert (table.turn, table.left) == (turn, [player])


@pytest.mark.parametrize(
    ("source", "sizes"), [(None, (5, 3, 3)), ("hand", (5, 3, 3)), ("up", (3, 5, 3)), ("down", (3, 3, 5))]
)
def test_more_cards_than_were_counted_are_added_where_they_were_missed(
    start: Start, source: Any, sizes: tuple[int, int, int]
) -> None:
    game = start()
    game.tell("recount", CAT, source=source, count=1)
    game.tell("recount", CAT, source=source)
    table = game.table
    assert (table.hands[CAT].size, len(table.up[CAT]), table.down[CAT]) == sizes


@pytest.mark.parametrize(
    ("count", "pile", "known"), [(1, ["9H"], ("JH",)), (2, [], ("9H", "JH")), (9, [], ("9H", "JH"))]
)
def test_a_part_of_the_pile_is_its_top(
    start: Start, count: int, pile: list[str], known: tuple[str, ...]
) -> None:
    game = start()
    game.play(BOB, "9H", draws=1)
    game.play(CAT, "JH", draws=1)
    game.tell("pick_up", ANN, count=count)
    assert (game.table.pile, game.table.hands[ANN].known) == (pile, known)
    assert game.table.hands[ANN].size == 3 + len(known)


def test_without_a_deal_for_so_many_nothing_is_known_of_the_cards() -> None:
    table = Referee("winnersh", tuple("ABCDEF")).table
    assert [hand.size for hand in table.hands.values()] == [0] * 6
    assert (list(table.up.values()), list(table.down.values())) == ([[]] * 6, [0] * 6)
    assert table.draw_pile is None


@pytest.mark.parametrize(
    ("lay", "played", "left", "noted"),
    [
        ("5C 6C 8C", "8H", ["5C", "6C"], True),
        ("5C 6C 8C", "KS", ["6C", "8C"], True),
        ("5C ?? 8C", "KS", ["5C", "8C"], False),
        ("5C 6C 8C", "6C", ["5C", "8C"], False),
    ],
    ids=["one of its rank was misread", "any was misread", "the unread one", "the card itself"],
)
def test_an_up_card_that_did_not_lie_there_had_been_misread(
    midway: Halfway, lay: str, played: str, left: list[str], noted: bool
) -> None:
    game = midway(hands={CAT: ""}, ups={CAT: lay})
    game.play(BOB, "4H")
    outcome = game.play(CAT, played, source="up")
    assert verdict(outcome) == "legal"
    assert game.table.up[CAT] == left
    assert ("A face-up card had been misread as another card." in notes(outcome)) == noted


@pytest.mark.parametrize(("up", "left"), [("", (0, 2)), ("3S 8C", (1, 3))])
def test_an_answer_leaves_the_place_it_came_from(midway: Halfway, up: str, left: tuple[int, int]) -> None:
    game = midway(hands={ANN: ""}, ups={ANN: up})
    game.play(BOB, "4H")
    source: Any = "up" if up else "down"
    outcome = game.tell("show", CAT, "3H", to=ANN, answers=((ANN, CAT),), answered_from=source)
    assert effects(outcome)["picks_up"] == CAT
    assert (len(game.table.up[ANN]), game.table.down[ANN]) == left


@pytest.mark.parametrize(
    ("starter", "holder", "late"),
    [(CAT, BOB, True), (CAT, ANN, False), (BOB, CAT, False)],
    ids=["sits before the starter", "sits after the starter", "after who starts first"],
)
def test_start_of_two_equal_cards_the_one_nearer_to_the_dealers_left_starts(
    start: Start, starter: str, holder: str, late: bool
) -> None:
    threes = {ANN: ("3C", "3S", "9S"), BOB: ("3D", "7H", "7S"), CAT: ("3H", "6C", "8C")}
    game = start("backpacker", ups=threes, dealer=ANN, options=("computer-start",))
    game.play(starter, "4S", draws=1)
    assert ("late_breach" in kinds(game.play(holder, "4C"))) == late


JOINED_UP: dict[str, tuple[str, ...]] = {
    ANN: ("4C", "9S", "KD"),
    BOB: ("5C", "6S", "7D"),
    CAT: ("8C", "8S", "8D"),
}
"""The face-up cards of a game that was going on when it was first seen."""


def test_a_game_that_is_joined_accuses_nobody_of_what_was_not_seen() -> None:
    referee = Referee("winnersh", PLAYERS, dealer=CAT)
    deal = Event(id=1, event="deal", up=JOINED_UP, cards=("9H", "QH"), under_way=True, confidence=0.9)
    referee.observe(deal)
    assert (referee.table.turn, referee.table.draw_pile) == (None, None)
    assert referee.table.pile == ["??", "??"], "in which order they lie was not seen"
    play = Event(id=2, event="play", player=BOB, cards=("5H",), source="hand", confidence=0.9)
    assert verdict(referee.observe(play)) == "unproven"


def test_the_pile_of_a_joined_game_counts_if_its_order_does_not_matter() -> None:
    referee = Referee("winnersh", PLAYERS, dealer=CAT)
    referee.observe(Event(id=1, event="deal", cards=("QH", "QS"), under_way=True))
    assert referee.table.pile == ["QH", "QS"]
    play = Event(id=2, event="play", player=BOB, cards=("5H",), source="hand")
    assert broken(referee.observe(play)) == ["play.equal-or-higher"]


def test_replenish_to_three_in_a_joined_game_a_play_may_have_been_missed() -> None:
    """Cat drew two without a play that was seen, so the next draw may be due as well."""
    referee = Referee("winnersh", PLAYERS, dealer=ANN)
    referee.observe(Event(id=1, event="deal", up=JOINED_UP, under_way=True, confidence=0.9))
    referee.observe(Event(id=2, event="draw", player=CAT, count=2, confidence=0.9))
    referee.observe(Event(id=3, event="play", player=CAT, cards=("QC",), source="hand", confidence=0.97))
    drawn = referee.observe(Event(id=4, event="draw", player=CAT, count=1, confidence=0.9))
    assert verdict(drawn) == "unproven"
