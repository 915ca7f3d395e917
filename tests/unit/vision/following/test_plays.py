"""Cards that are put down become plays: whose, which, and whether one or several."""

from __future__ import annotations

import math

import pytest

from tests.support.event_script import (
    BURN_AT,
    DRAW_AT,
    PLAY_AT,
    STEP,
    Script,
    bob_draws,
    card,
    down,
    draw_picture,
    layout,
)
from vision.following.looks import UnderArm
from vision.hands.tracks import HandsFrame
from vision.table.layout import DRAW, PLAY, Zone
from vision.table.observations import Observation


def test_a_card_of_the_set_that_one_look_shows_well_is_waited_for() -> None:
    script = Script()
    script.reach("Ann", (PLAY_AT, 0.4))
    script.end()
    fan, third = [card("3H", PLAY_AT), card("3C", (-60.0, 30.0))], card("3D", (-60.0, -30.0), 0.92)
    for table in ([*fan, third], fan, [*fan, third]):
        script.table = list(table)
        script.look()
        script.t += 0.2
    assert [set(event.cards) for event in script.events[1:]] == [{"3H", "3C", "3D"}]


def test_the_deal_is_told_first() -> None:
    script = Script()
    assert [e.event for e in script.events] == ["deal"]
    assert script.events[0].up["Dan"] == ("KH", "10S", "8H")


def test_a_play_is_told_with_who_did_it_whoever_s_turn_it_is() -> None:
    script = Script()
    script.play("Cat", card("9S", PLAY_AT))
    script.play("Ann", card("JD", (-58.0, 3.0), angle=20))
    assert script.told()[1:] == [("play", "Cat", ("9S",)), ("play", "Ann", ("JD",))]
    assert all(e.source == "hand" for e in script.events[1:])


def test_a_fanned_set_is_one_play() -> None:
    script = Script()
    script.play("Bob", card("7S", (-75.0, 0.0)), card("7D", (-55.0, 2.0)), card("7H", (-35.0, 3.0)))
    (told,) = script.told()[1:]
    assert (told[0], told[1], set(told[2])) == ("play", "Bob", {"7S", "7D", "7H"})


def test_a_set_put_down_singly_becomes_one_play() -> None:
    script = Script()
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.append(card("7S", PLAY_AT))
    script.rest(0.8)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.append(card("7D", (-52.0, 4.0)))
    script.rest()
    assert script.told()[1:] == [("play", "Bob", ("7S", "7D"))]


def test_each_card_of_a_set_put_down_singly_may_take_its_time() -> None:
    script = Script()
    for name, x in (("7S", -75.0), ("7D", -60.0), ("7H", -45.0)):
        script.reach("Bob", (PLAY_AT, 0.3))
        script.table.append(card(name, (x, 0.0)))
        script.rest(2.5)
    assert script.told()[1:] == [("play", "Bob", ("7S", "7D", "7H"))]


def test_a_card_of_the_set_that_shows_late_and_doubtfully_is_waited_for() -> None:
    script = Script()
    script.reach("Bob", (PLAY_AT, 0.3))
    upper, lower = card("7S", PLAY_AT), (-60.0, 16.0)
    script.table = [upper]
    script.look()
    script.t += 0.2
    script.table = [upper, card("7H", lower, p=0.8)]
    script.look()
    script.table = [upper, card("7H", lower, p=0.55)]
    script.rest()
    assert script.told()[1:] == [("play", "Bob", ("7S", "7H"))]


def test_a_pile_that_looks_as_before_a_play_has_had_its_cards_taken_back() -> None:
    """The reader may waver about a card that the taken one had covered. No other card was put there."""
    script = Script()
    script.drawn = {"9S": "9C"}
    lowest, upper = card("9S", (-64.0, -6.0), p=0.5), card("8S", (-58.0, 6.0))
    script.play("Ann", card("9C", (-64.0, -6.0)))
    script.play("Bob", upper)
    script.play("Cat", card("7H", (-61.0, 0.0)))
    script.reach("Cat", (PLAY_AT, 0.4))
    script.table = [lowest, upper]
    script.rest(3.0)
    plays = [told for told in script.told() if told[0] == "play"]
    assert plays == [("play", "Ann", ("9C",)), ("play", "Bob", ("8S",))]


def test_a_card_read_only_after_the_player_reached_over_the_pile_again_came_with_the_play() -> None:
    """The pile looks the same before and after that reach. So the hand put nothing down."""
    script = Script(by_hands=True)
    script.drawn = {}
    script.play("Ann", card("4C", PLAY_AT))
    lower, upper = card("6S", (-60.0, 2.0)), card("6H", (-48.0, 4.0))
    reach = script.reach("Bob", (PLAY_AT, 0.4))
    script.table, script.unread = [*script.table, lower, upper], [lower]
    for _ in range(2):
        script.look([UnderArm(reach.seat, upper, 0.2, False)], frozenset({PLAY}))
    script.go_on(reach, [DRAW_AT] * 4, over=(DRAW,))
    script.go_on(reach, [(-390.0, 0.0)] * 2)
    script.end(reach)
    script.rest(0.5)
    script.reach("Bob", (DRAW_AT, 0.2), (PLAY_AT, 0.1), ((-390.0, 0.0), 0.1))
    script.unread = []
    script.rest()
    plays = [told for told in script.told() if told[0] == "play"]
    assert plays == [("play", "Ann", ("4C",)), ("play", "Bob", ("6S", "6H"))]


@pytest.mark.parametrize(("trips", "cards"), [(1, ("7S",)), (2, ("7H", "7S")), (3, ("7S",))])
def test_a_card_of_the_set_that_was_half_seen_lies_there_if_its_player_draws_for_it(
    trips: int, cards: tuple[str, ...]
) -> None:
    """Its readings agree too little to tell it by themselves."""
    script = Script()
    script.reach("Bob", (PLAY_AT, 0.3))
    upper = card("7S", PLAY_AT)
    script.table = [upper]
    for dx, dy in ((-3.0, 14.0), (12.0, -18.0)):
        script.t += 0.1
        script.table = [upper, card("7H", (PLAY_AT[0] + dx, dy), p=0.5)]
        script.look()
    script.table = [upper]
    script.rest()
    assert script.told()[1:] == [("play", "Bob", ("7S",))]
    bob_draws(script, trips)
    assert script.told()[1:] == [("play", "Bob", cards), ("draw", "Bob", ())]
    assert [event.event for event in script.events[1:]] == ["play", *["play"] * (trips == 2), "draw"]


@pytest.mark.parametrize(("trips", "cards"), [(1, ("7H",)), (2, ("7D", "7H"))])
def test_a_card_of_unclear_rank_is_one_of_the_set_if_its_player_draws_for_it(
    trips: int, cards: tuple[str, ...]
) -> None:
    """The second draw may come later than the first one was reported."""
    script = Script()
    script.drawn = {}
    script.play("Ann", card("6S", PLAY_AT))
    lower, upper = (-66.0, 18.0), card("7H", (-48.0, 4.0))
    unclear = Observation(*lower, 90.0, "up", {"3D": 0.42, "7D": 0.33})
    script.play("Bob", unclear, upper)
    assert script.told()[2:] == [("play", "Bob", ("7H",))]
    for _ in range(trips):
        bob_draws(script, 1)
        script.rest()
    plays = [told for told in script.told() if told[0] == "play"]
    assert plays == [("play", "Ann", ("6S",)), ("play", "Bob", cards)]


@pytest.mark.parametrize(("trips", "cards"), [(1, ("JD",)), (2, ("9C", "JD")), (3, ("JD",))])
def test_a_card_of_another_rank_lies_below_if_its_player_draws_for_it(
    trips: int, cards: tuple[str, ...]
) -> None:
    script = Script()
    script.play("Ann", card("3S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [card("JD", (PLAY_AT[0] + 4.0, PLAY_AT[1] + 12.0)), card("9C", PLAY_AT, p=0.8)]
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("JD",))]
    bob_draws(script, trips)
    assert script.told()[2:] == [("play", "Bob", cards), ("draw", "Bob", ())]


def test_a_card_of_another_rank_that_was_in_sight_before_the_play_is_not_drawn_for() -> None:
    """The corner of another card is read as a nine before and after. The second card lies under the jack."""
    script = Script()
    script.drawn = {}
    misread = card("9C", (PLAY_AT[0] - 16.0, PLAY_AT[1] + 3.0), p=0.93)
    script.table, script.unread = [misread], [misread]
    script.play("Ann", card("7S", PLAY_AT))
    script.unread = []
    for _ in range(3):
        script.rest(1.0)
        script.look()
    script.play("Bob", card("JD", (PLAY_AT[0] + 4.0, PLAY_AT[1] + 12.0)))
    bob_draws(script, 2)
    plays = [(player, cards) for kind, player, cards in script.told() if kind == "play"]
    assert plays == [("Ann", ("7S",)), ("Bob", ("JD",))]


def test_a_card_of_the_rank_and_colour_that_lay_there_is_not_drawn_for() -> None:
    """It is most likely that card, half covered. The second card may lie exactly under the first."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [card("JD", (PLAY_AT[0] + 4.0, PLAY_AT[1] + 12.0)), card("9C", PLAY_AT, p=0.8)]
    script.rest()
    bob_draws(script, 2)
    assert script.told()[2:] == [("play", "Bob", ("JD",)), ("draw", "Bob", ())]


def test_a_card_that_is_drawn_for_once_the_pile_is_burnt_was_burnt_with_it() -> None:
    script = Script()
    script.play("Ann", card("3S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [card("10D", (PLAY_AT[0] + 4.0, PLAY_AT[1] + 12.0)), card("9C", PLAY_AT, p=0.8)]
    script.rest()
    script.table = [down(BURN_AT)]
    script.reach("Bob", (PLAY_AT, 0.5), (BURN_AT, 0.3))
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("10D",)), ("burn", "Bob", ("3S", "10D"))]
    bob_draws(script, 2)
    both = ("9C", "10D")
    assert script.told()[2:] == [("play", "Bob", both), ("burn", "Bob", ("3S", *both)), ("draw", "Bob", ())]


def test_an_up_card_played_before_hides_no_card_that_is_drawn_for() -> None:
    script = Script()
    place = script.maker.layout.seats[1].row[1]
    script.reach("Bob", (place, 0.3), (PLAY_AT, 0.3))
    script.rows[Zone("row", 1, 1)] = down(place)
    script.table = [card("JC", PLAY_AT)]
    script.rest()
    assert (script.events[-1].cards, script.events[-1].source) == (("JC",), "up")
    script.rest(4.0)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [card("KD", (PLAY_AT[0] + 4.0, PLAY_AT[1] + 12.0)), card("9S", PLAY_AT, p=0.8)]
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("KD",))]
    bob_draws(script, 2)
    assert script.told()[2:] == [("play", "Bob", ("9S", "KD")), ("draw", "Bob", ())]


def test_what_one_reach_puts_down_is_one_play_though_a_part_is_seen_late() -> None:
    script = Script()
    reach = script.reach("Bob", (PLAY_AT, 0.5))
    top = card("7C", PLAY_AT)
    script.table = [top]
    script.look([UnderArm(1, top, 0.2, False)], frozenset({PLAY}))
    script.look([UnderArm(1, top, 0.2, False)], frozenset({PLAY}))
    while script.t < reach.start + 3.0:  # the hand stays
        script.t += STEP
        reach.update(PLAY_AT, script.t)
        script.events += script.maker.on_hands(HandsFrame(script.t, (reach,), (), {PLAY: frozenset({1})}))
    script.table = [card("KC", (-44.0, 8.0)), top]
    script.rest()
    assert [(kind, player, set(cards)) for kind, player, cards in script.told()[1:]] == [
        ("play", "Bob", {"7C", "KC"})
    ]


@pytest.mark.parametrize(("place", "plays"), [((-60.0, 250.0), 2), ((-60.0, 120.0), 1)])
def test_a_hand_that_is_back_at_once_has_been_home_only_if_it_was_last_seen_behind_its_row(
    place: tuple[float, float], plays: int
) -> None:
    script = Script()
    reach = script.leave("Ann", card("2D", PLAY_AT))
    script.table = [card("2D", PLAY_AT)]
    script.go_on(reach, [place])
    script.rest(0.5)
    five = card("5D", (-90.0, 0.0))
    reach = script.reach("Ann", (place, 0.4), (PLAY_AT, 0.5))
    for _ in range(2):
        script.look([UnderArm(reach.seat, five, 0.2, False)], frozenset({PLAY}))
    script.table.append(five)
    script.go_on(reach, [place])
    script.rest()
    assert len([kind for kind, _, _ in script.told() if kind == "play"]) == plays


def test_one_card_outlined_as_two_beside_a_hand_is_played_once() -> None:
    script = Script()
    reach = script.reach("Bob", (PLAY_AT, 0.5))
    queen, echo = card("QS", PLAY_AT, p=0.999), card("JS", (-54.0, -6.0), p=0.94, angle=99.0)
    script.table = [queen]
    for _ in range(3):
        script.look([UnderArm(reach.seat, seen, 0.4, False) for seen in (queen, echo)], frozenset({PLAY}))
    script.rest()
    assert [event.cards for event in script.events if event.event != "deal"] == [("QS",)]


def test_the_same_rank_by_another_player_is_another_play() -> None:
    script = Script()
    script.play("Bob", card("7S", PLAY_AT))
    script.play("Cat", card("7D", (-52.0, 4.0)))
    assert script.told()[1:] == [("play", "Bob", ("7S",)), ("play", "Cat", ("7D",))]


def test_an_up_card_on_the_pile_came_from_the_table() -> None:
    script = Script()
    spot = Zone("row", 3, 0)
    script.reach("Dan", (script.maker.layout.seats[3].row[0], 0.3), (PLAY_AT, 0.4))
    script.rows[spot] = down(script.maker.layout.seats[3].row[0])
    script.table.append(card("KH", PLAY_AT))
    script.rest(2.5)
    play = next(e for e in script.events if e.event == "play")
    assert (play.player, play.cards, play.source) == ("Dan", ("KH",), "up")
    assert not any(e.event == "take_up" for e in script.events)


def test_a_player_who_lays_a_second_card_exactly_on_the_first_has_played_twice() -> None:
    script = Script()
    script.play("Ann", card("2S", PLAY_AT))
    script.reach("Ann", (PLAY_AT, 0.4))
    script.table = [card("AC", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("2S",)), ("play", "Ann", ("AC",))]


def test_a_card_that_another_player_lays_exactly_on_the_last_one_is_a_play() -> None:
    script = Script()
    script.play("Ann", card("3D", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("8D", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("3D",)), ("play", "Bob", ("8D",))]


def test_the_play_pile_is_found_where_the_first_card_comes_to_rest() -> None:
    script = Script(play=None)
    script.play("Ann", card("9S", PLAY_AT))
    assert script.told()[1:] == [("play", "Ann", ("9S",))]
    assert script.maker.layout.play is not None
    assert math.dist(script.maker.layout.play, PLAY_AT) < 5


def test_cards_that_show_in_a_fan_begin_no_pile_before_hands_are_followed() -> None:
    script = Script(play=None)
    held = (150.0, 245.0)
    script.reach("Cat", ((0.0, -100.0), 0.5))
    script.table.append(card("KS", held))
    for _ in range(3):
        script.look()
        script.rest(0.3)
    assert [kind for kind, _, _ in script.told()] == ["deal"]
    assert script.maker.layout.play is None


def test_the_first_play_happened_when_its_hand_paused_there_though_the_arm_stayed_to_draw() -> None:
    script = Script(play=None)
    put_down = script.t
    script.reach("Ann", (PLAY_AT, 0.6), (DRAW_AT, 2.5))
    script.table.append(card("9S", PLAY_AT))
    script.rest()
    play = next(event for event in script.events if event.event == "play")
    assert play.t == pytest.approx(put_down, abs=0.3)
    assert play.decided_at > put_down + 3.0


def test_a_first_card_that_came_by_no_seen_hand_came_since_the_table_was_last_seen_without_it() -> None:
    script = Script(play=None)
    script.reach("Ann", ((70.0, -250.0), 0.3))
    script.end()
    script.rest(1.0)
    script.t += 500.0
    script.look()
    script.rest(2.0)
    script.table.append(card("7H", PLAY_AT))
    for _ in range(8):
        script.look()
        script.rest(0.3)
    play = next(event for event in script.events if event.event == "play")
    assert play.t > 500.0, "not when a hand was seen minutes ago"


def bob_takes_his_card_back() -> Script:
    """Bob plays on Ann's king, and takes his card up again."""
    script = Script()
    script.play("Ann", card("KS", PLAY_AT))
    script.play("Bob", card("4D", (-40.0, 18.0), angle=30))
    script.reach("Bob", ((-40.0, 18.0), 0.4))
    script.table.pop()
    return script


def test_a_play_that_is_taken_back_is_withdrawn() -> None:
    script = bob_takes_his_card_back()
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("KS",))]


def test_who_takes_a_card_back_and_plays_another_at_once_changed_their_mind() -> None:
    script = bob_takes_his_card_back()
    script.rest(0.5)
    script.play("Bob", card("AH", (-70.0, 10.0), angle=60))
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("KS",)), ("play", "Bob", ("AH",))]
    assert script.maker.log.put_down["Bob"].count == 1


def test_who_takes_a_card_back_and_picks_up_the_pile_has_not_played_it() -> None:
    script = bob_takes_his_card_back()
    script.rest(0.5)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table.clear()
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("KS",)), ("pick_up", "Bob", ("KS",))]


@pytest.mark.parametrize("shown", [False, True])
def test_a_play_taken_back_after_a_draw_is_withdrawn_with_a_draw_that_nothing_showed(shown: bool) -> None:
    """The hand passed the draw pile on its way home, which looks as before. Or it did draw."""
    script = Script(by_hands=True)
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("4H", PLAY_AT))
    script.rest(4.0)
    script.play("Bob", card("9S", PLAY_AT))
    script.draw_picture = draw_picture(14 if shown else 20)
    script.reach("Bob", (DRAW_AT, 0.3), ((-390.0, 0.0), 0.1))
    script.rest(3.0)
    assert ("draw", "Bob", ()) in script.told()
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table.pop()
    script.rest(6.0)
    kinds = [kind for kind, player, _ in script.told() if player == "Bob"]
    assert kinds == (["draw"] if shown else [])


def test_who_takes_back_the_only_card_on_the_pile_has_not_picked_it_up() -> None:
    script = Script()
    script.play("Bob", card("4D", (-40.0, 18.0), angle=30))
    script.reach("Bob", ((-40.0, 18.0), 0.4))
    script.table.pop()
    script.rest(4.0)
    assert script.told()[1:] == []


def test_who_takes_back_the_first_card_of_the_game_has_not_burnt_it() -> None:
    script = Script(play=None)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("4D", PLAY_AT)]
    script.rest(1.0)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.pop()
    script.rest(4.0)
    assert script.told()[1:] == []


def test_a_card_on_the_bare_pile_that_the_same_hand_takes_on_to_the_burn_pile_is_burnt() -> None:
    """The play is told under the hand; then the pile looks as before it."""
    script = Script()
    script.drawn = {}
    script.rest(1.0)
    script.look()
    reach = script.leave("Ann", card("9S", PLAY_AT))
    script.go_on(reach, [PLAY_AT] * 2, over=(PLAY,))
    script.go_on(reach, [BURN_AT] * 5)
    script.table = [down(BURN_AT)]
    script.end(reach)
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("burn", "Ann", ("9S",))]


def test_an_unreadable_card_that_is_taken_back_was_not_picked_up() -> None:
    """The question about it is nothing that has happened since."""
    script = Script()
    script.play("Ann", card("KS", PLAY_AT))
    script.play("Bob", Observation(-40.0, 30.0, 30.0, "up", {"4D": 0.2, "4H": 0.2}))
    assert [kind for kind, _, _ in script.told()[2:]] == ["play", "unclear"]
    script.reach("Bob", ((-40.0, 30.0), 0.4))
    script.table.pop()
    script.rest(4.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "unclear"]


def test_cards_that_two_looks_place_differently_have_not_been_taken_away() -> None:
    """Beside a hand that is just going outlines are rough."""
    script = Script()
    script.play("Ann", card("4H", PLAY_AT))
    script.reach("Cat", (PLAY_AT, 0.4))
    for seconds, nine in (
        (0.0, card("9S", (-50.0, 1.0), angle=75)),
        (0.15, card("9S", (-75.0, 9.0), angle=160)),
    ):
        script.t += seconds
        script.table = [nine]
        script.look()
    script.table = [card("9S", (-50.0, 1.0), angle=75)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("4H",)), ("play", "Cat", ("9S",))]


def test_what_is_open_at_the_end_is_still_told() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.5), ((-300.0, 0.0), 0.1))
    script.table.clear()
    script.rest(0.35)
    script.events += script.maker.finish(script.t)
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))


@pytest.mark.parametrize("zone", [DRAW, PLAY])
def test_zones_are_told_by_place(zone: Zone) -> None:
    place = layout().place_of(zone)
    assert place is not None
    assert layout().zone_at(place[0] + 20, place[1] - 15) == zone
    assert layout().zone_at(place[0], place[1] + 150) is None


def test_with_two_packs_a_card_of_which_one_lies_before_a_player_can_be_played() -> None:
    script = Script(packs=2)
    script.play("Bob", Observation(*PLAY_AT, 90.0, "up", {"10H": 0.9, "10D": 0.1}))
    assert script.told()[1:] == [("play", "Bob", ("10H",))], "another 10H lies before Cat"
    alone = Script()
    alone.play("Bob", Observation(*PLAY_AT, 90.0, "up", {"10H": 0.9, "10D": 0.1}))
    assert alone.told()[1:] == [("play", "Bob", ("10D",))], "there is no other 10H"


def test_a_play_that_is_told_is_looked_at_a_few_times_more() -> None:
    script = Script()
    script.reach("Ann", (PLAY_AT, 0.4))
    script.table = [card("9S", PLAY_AT)]
    while not script.told()[1:]:
        script.rest(STEP)
    told_after = script.looks
    script.rest(1.6)
    assert 3 <= script.looks - told_after <= 8
    looks = script.looks
    script.rest(3.0)
    assert script.looks == looks, "and then no more"


def test_a_card_of_a_fan_that_only_the_latest_looks_show_belongs_to_it() -> None:
    script = Script()
    script.play("Bob", card("5S", PLAY_AT), card("5D", (-60.0, 22.0)))
    half_covered = Observation(-60.0, 44.0, 90.0, "up", {"5H": 0.85, "5D": 0.1})
    for shows in (True, False, True, True):
        script.table = [*script.table[:2], *([half_covered] if shows else [])]
        script.t += 0.2
        script.look()
    (play,) = [cards for kind, _, cards in script.told() if kind == "play"]
    assert sorted(play) == ["5D", "5H", "5S"]
