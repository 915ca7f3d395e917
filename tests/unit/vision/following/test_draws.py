"""Draws of which a part is hidden: hands that are lost from sight, tips that stick to what was put down."""

from __future__ import annotations

import pytest

from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, card, down, layout
from vision.following.draws import Draws
from vision.following.reported_events import ReportedEvents
from vision.following.scene import Scene
from vision.table.layout import DRAW, PLAY

HOME = (70.0, 260.0)


def draws(script: Script) -> list[tuple[str | None, int]]:
    last = {event.revise or event.id: event for event in script.events if event.event == "draw"}
    return [(event.player, event.count or 1) for event in last.values()]


def test_a_hand_lost_from_sight_at_the_draw_pile_and_seen_there_again_draws_once() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.2))
    script.rest(0.4)
    script.reach("Ann", (DRAW_AT, 0.2), (HOME, 0.1))
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]


def test_a_hand_that_was_seen_to_leave_in_between_draws_twice() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.2), (HOME, 0.1))
    script.rest(0.4)
    script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.2), (HOME, 0.1))
    script.rest(2.0)
    assert draws(script) == [("Ann", 2)]


def test_a_hand_that_takes_a_card_back_past_the_draw_pile_draws_none() -> None:
    script = Script()
    script.play("Bob", card("KS", PLAY_AT))
    script.play("Ann", card("9S", (-40.0, 18.0), angle=30))
    script.reach("Ann", ((-40.0, 18.0), 0.4), (DRAW_AT, 0.3), (HOME, 0.1))
    script.table.pop()
    script.rest(4.0)
    assert draws(script) == []


def test_a_hand_seen_apart_from_the_stump_of_its_arm_is_still_at_the_draw_pile() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", (HOME, 0.1), ((70.0, 120.0), 0.05))
    script.go_on(reach, [HOME] * 3, over=(DRAW,), apart=True)
    script.go_on(reach, [(68.0, 25.0)], over=(DRAW,))
    script.go_on(reach, [HOME])
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]


def test_a_tip_that_stuck_elsewhere_and_then_turns_up_at_the_draw_pile_has_gone_there() -> None:
    script = Script()
    reach = script.reach("Ann", ((-60.0, 250.0), 0.1), (PLAY_AT, 0.5))
    script.go_on(reach, [(-40.0, 60.0)] * 4, over=(DRAW, PLAY))
    script.go_on(
        reach, [(40.0, 8.0), (52.0, 6.0), (62.0, 30.0), (70.0, 60.0), (70.0, 160.0), HOME], over=(DRAW,)
    )
    script.table = [card("9S", PLAY_AT)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "draw"]
    assert draws(script) == [("Ann", 1)]


def test_what_was_drawn_after_a_card_was_put_down_is_told_after_it() -> None:
    script, drawing = Script(), Draws(Scene(layout()), lambda *_: None)
    reach = script.reach("Ann", (HOME, 0.1), ((70.0, 20.0), 0.4), (HOME, 0.1))
    put_down = script.t - 0.5
    assert not drawing.may_follow(0, put_down), "nobody has been at the draw pile"
    drawing.reach_ended(reach, script.t)
    assert drawing.may_follow(0, put_down)
    assert drawing.may_follow(0, script.t), "it is for nothing else, and the play may be dated too late"
    assert not drawing.may_follow(1, put_down)


def test_a_hand_that_passes_the_draw_pile_on_its_way_home_draws_nothing() -> None:
    script = Script()
    reach = script.reach("Dan", ((350.0, 0.0), 0.1), (PLAY_AT, 0.5))  # the draw pile lies between
    script.go_on(reach, [(60.0, 5.0), (95.0, 0.0), (180.0, 0.0), (350.0, 0.0)], over=(DRAW,))
    script.table = [card("9S", PLAY_AT)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play"]


def test_a_hand_that_turns_at_the_draw_pile_on_its_way_home_draws_for_the_card_it_put_down() -> None:
    script, nine = Script(), card("9S", PLAY_AT)
    reach = script.leave("Dan", nine)  # the draw pile lies between
    script.table = [nine]
    there = [(96.0, 9.0), (82.0, 24.0), (66.0, -5.0), (74.0, 0.0), (92.0, 0.0)]
    script.go_on(reach, [(20.0, 10.0), *there, (180.0, 0.0), (350.0, 0.0)], over=(DRAW,))
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "draw"]
    assert draws(script) == [("Dan", 1)]


def test_a_hand_that_is_lost_from_sight_at_the_draw_pile_on_its_way_home_and_still_there_draws() -> None:
    """Meanwhile the near end of its arm is seen alone, which seems to rest."""
    script, nine = Script(), card("9S", PLAY_AT)
    reach = script.leave("Dan", nine)
    script.table = [nine]
    script.go_on(reach, [(66.0, -5.0)], over=(DRAW,))
    script.go_on(reach, [(260.0, 0.0)] * 5)
    script.go_on(reach, [(82.0, 4.0)], over=(DRAW,))
    script.go_on(reach, [(180.0, 0.0), (350.0, 0.0)])
    script.rest(2.0)
    assert draws(script) == [("Dan", 1)]


@pytest.mark.parametrize(("farthest", "drawn"), [(-46.0, [("Ann", 1)]), (-90.0, [])])
def test_a_card_that_is_dragged_off_may_make_the_hand_seem_to_go_past_the_draw_pile(
    farthest: float, drawn: list[tuple[str, int]]
) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", (HOME, 0.1))
    way = [
        (70.0, 60.0),
        (68.0, 20.0),
        (66.0, 18.0),
        (85.0, -10.0),
        (72.0, farthest),
        (69.0, 10.0),
        (60.0, 90.0),
    ]
    script.go_on(reach, [*way, HOME], over=(DRAW,))
    script.rest(2.0)
    assert draws(script) == drawn


def test_who_put_nothing_down_draws_only_where_a_hand_takes_cards() -> None:
    beyond = (70.0, -20.0)  # Ann sits on the other side
    script = Script()
    script.reach("Ann", (HOME, 0.1), (beyond, 0.5), (HOME, 0.1))
    script.rest(2.0)
    assert draws(script) == []
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (HOME, 0.1), (beyond, 0.5), (HOME, 0.1))
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]
    script.rest(6.0)
    script.reach("Ann", (HOME, 0.1), ((70.0, 35.0), 0.5), (HOME, 0.1))  # too many, but plain to see
    script.rest(2.0)
    assert sum(count for _, count in draws(script)) == 2


def short_of_the_pile(script: Script) -> None:
    reach = script.reach("Ann", (HOME, 0.1), ((70.0, 160.0), 0.05))
    script.go_on(reach, [(66.0, 84.0)] * 6, over=(DRAW,))
    script.go_on(reach, [HOME])
    script.rest(2.0)


def test_a_tip_short_of_the_pile_draws_where_the_arm_lies_over_it_and_a_card_was_put_down() -> None:
    script = Script()
    short_of_the_pile(script)
    assert draws(script) == []
    script.play("Ann", card("9S", PLAY_AT))
    short_of_the_pile(script)
    assert draws(script) == [("Ann", 1)]
    script.rest(4.0)
    short_of_the_pile(script)
    assert draws(script) == [("Ann", 1)]


@pytest.mark.parametrize("beyond", [False, True])
def test_an_arm_that_goes_from_its_card_to_the_draw_pile_and_not_beyond_draws(beyond: bool) -> None:
    script = Script()
    reach = script.reach("Ann", ((-60.0, 250.0), 0.1), (PLAY_AT, 0.4))
    script.table = [card("9S", PLAY_AT)]
    for _ in range(8):
        script.go_on(reach, [(-55.0, 0.0)], over=(PLAY,))
        script.look()
    assert [kind for kind, _, _ in script.told()[1:]] == ["play"]
    script.go_on(reach, [(230.0, 60.0) if beyond else (-10.0, 80.0)] * 9, over=(DRAW,))
    script.go_on(reach, [HOME])
    script.rest(2.0)
    assert draws(script) == ([] if beyond else [("Ann", 1)])


def test_a_quick_trip_that_seems_to_pause_elsewhere_on_its_way_draws_once() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    there = [(68.0, 40.0), (72.0, 15.0), (70.0, 12.0), (66.0, 40.0)]
    reach = script.reach("Ann", (HOME, 0.1))
    script.go_on(reach, [*there, *[(110.0, 100.0)] * 4, *there, HOME])
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]


def test_as_many_draws_are_believed_as_cards_were_put_down() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT), card("9H", (-30.0, 5.0)))
    for drawn in (1, 2, 2):
        script.reach("Ann", (HOME, 0.1), ((70.0, -20.0), 0.5), (HOME, 0.1))  # beyond the pile's middle
        script.rest(1.5)
        assert draws(script) == [("Ann", drawn)]


def test_cards_that_were_told_late_are_drawn_for_too() -> None:
    log = ReportedEvents()
    play = log.add("play", 1.0, 1.2, player="Ann", cards=("9S",))
    draw = log.add("draw", 3.0, 3.5, player="Ann", count=1)
    assert not log.put_down
    log.revise(play, 4.0, cards=("9S", "9H", "9C"))
    assert log.put_down["Ann"].count == 2
    log.revise(draw, 5.0, count=2)
    assert log.put_down["Ann"].count == 1


def test_up_cards_are_not_drawn_for() -> None:
    log = ReportedEvents()
    log.add("play", 1.0, 1.2, player="Ann", cards=("9S",), source="up")
    assert not log.put_down
    log.add("play", 2.0, 2.2, player="Ann", cards=("9H", "9C"), source="hand")
    log.add("play", 3.0, 3.2, player="Ann", cards=("9D",), source="up")
    assert log.put_down["Ann"].count == 2


@pytest.mark.parametrize("seen_again", [True, False])
def test_a_draw_pile_that_is_seen_again_was_only_overlooked(seen_again: bool) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.draw_pile = False
    for _ in range(6):
        script.look()
    script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.3), (HOME, 0.1))
    script.draw_pile = seen_again
    script.look()
    script.rest(2.0)
    assert draws(script) == ([("Ann", 1)] if seen_again else [])


def test_who_shows_a_card_or_answers_with_one_has_put_one_down() -> None:
    log = ReportedEvents()
    show = log.add("show", 4.0, 4.5, player="Ann", cards=("3S",), to="Bob", answers=(("Bob", "Cat"),))
    assert {player: put.count for player, put in log.put_down.items()} == {"Ann": 1, "Bob": 1}
    log.add("draw", 5.0, 5.5, player="Ann", count=1)
    log.revise(show, 6.0, answers=(("Bob", "Cat"), ("Cat", "Ann")))
    assert {player: put.count for player, put in log.put_down.items()} == {"Bob": 1, "Cat": 1}


def test_a_tip_that_seems_to_stay_at_its_card_until_another_is_dragged_off_the_draw_pile_has_drawn() -> None:
    script = Script()
    reach = script.reach("Ann", (PLAY_AT, 0.4))
    script.table.append(card("9S", PLAY_AT))
    script.go_on(reach, [PLAY_AT] * 10, over=[PLAY, DRAW])
    script.go_on(reach, [(84.0, -46.0), (79.0, -27.0)], over=[DRAW])  # 48 and 28 mm past the draw pile
    script.go_on(reach, [(50.0, 60.0), (20.0, 150.0), (0.0, 300.0)])
    script.end(reach)
    script.rest(3.0)
    assert draws(script) == [("Ann", 1)]


def test_a_tip_that_seems_to_stay_at_its_card_while_the_arm_comes_over_the_draw_pile_has_drawn() -> None:
    """The card is as long as the tip moves on it; on the second trip the tip is seen where it is."""
    script = Script()
    reach = script.reach("Ann", ((-75.0, -30.0), 0.5))
    script.table = [card("9S", PLAY_AT), card("9D", (-40.0, 0.0))]
    script.go_on(reach, [(-40.0, 16.0), (-31.0, 16.0)], over=[PLAY])
    script.go_on(reach, [(-28.0, 15.0)] * 9, over=[PLAY, DRAW])
    script.go_on(reach, [(65.0, 90.0), (48.0, 175.0), *[(64.0, 328.0)] * 4, (49.0, 196.0), (60.0, 46.0)])
    script.go_on(reach, [(70.0, 20.0)] * 5, over=[DRAW])
    script.go_on(reach, [(64.0, 68.0), (51.0, 150.0), HOME])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == [("Ann", 2)]


def test_a_quick_hand_that_paused_nearer_home_on_its_way_from_the_play_pile_has_drawn() -> None:
    script = Script()
    reach = script.reach("Ann", (PLAY_AT, 0.5))
    script.table = [card("9S", PLAY_AT)]
    script.go_on(reach, [(-20.0, -20.0), (-5.0, -10.0), *[(-10.0, 186.0)] * 4, (30.0, 179.0)])
    script.go_on(reach, [(60.0, 20.0), (58.0, 40.0)], over=[DRAW])
    script.go_on(reach, [(40.0, 130.0), (30.0, 180.0), HOME])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]


def test_a_hand_that_moves_a_little_as_it_puts_a_card_down_before_the_draw_pile_draws_not_twice() -> None:
    """Seen from Bob the play pile lies before the draw pile, and his hand goes from there to that."""
    script = Script()
    reach = script.reach("Bob", ((-14.0, 0.0), 0.5))
    script.table = [card("9S", PLAY_AT, angle=0.0)]
    script.go_on(reach, [(-8.0, 0.0), (7.0, 2.0)], over=[PLAY])
    script.go_on(reach, [(40.0, 0.0)] * 5, over=[DRAW])
    script.go_on(reach, [(10.0 - 90.0 * k, 0.0) for k in range(5)])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == [("Bob", 1)]


def test_a_quick_hand_of_which_the_near_end_of_the_arm_alone_is_seen_for_a_moment_draws_once() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", ((70.0, 250.0), 0.05))
    script.go_on(reach, [(70.0, 200.0), (70.0, 150.0), (70.0, 100.0), (70.0, 60.0), (70.0, 30.0)])
    script.go_on(reach, [(40.0, 262.0)] * 5)
    script.go_on(reach, [(75.0, 10.0), (70.0, 24.0), (70.0, 90.0)])
    script.go_on(reach, [(70.0, 150.0), (70.0, 200.0), (70.0, 260.0)])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == [("Ann", 1)]


@pytest.mark.parametrize(("aside", "drawn"), [(0.0, [("Ann", 1)]), (-120.0, [])])
def test_a_hand_over_the_draw_pile_that_is_seen_apart_from_its_arm_draws_if_the_arm_leads_there(
    aside: float, drawn: list[tuple[str | None, int]]
) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    stump = (40.0 + aside, 190.0)
    reach = script.reach("Ann", ((10.0 + aside, 250.0), 0.05), (stump, 0.05))
    script.go_on(reach, [stump], over=[DRAW], apart=True)
    script.go_on(reach, [stump] * 4)
    script.go_on(reach, [stump] * 2, over=[DRAW], apart=True)
    script.go_on(reach, [(10.0 + aside, 250.0)])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == drawn


@pytest.mark.parametrize(("there", "count"), [(3, 1), (9, 2)])
def test_a_hand_whose_tip_is_seen_nearer_home_for_a_moment_while_it_draws_draws_once(
    there: int, count: int
) -> None:
    """One that was away for longer has been home with a card."""
    script = Script()
    script.play("Bob", card("9S", PLAY_AT))
    near = (-30.0, 0.0)
    reach = script.reach("Bob", ((-200.0, 0.0), 0.05), (near, 0.05))
    script.go_on(reach, [(44.0, 0.0)] * 4, over=[DRAW])
    script.go_on(reach, [near] * there, over=[DRAW])
    script.go_on(reach, [(80.0, 2.0), (60.0, 0.0), (30.0, 0.0), (-20.0, 0.0)], over=[DRAW])
    script.go_on(reach, [(-100.0, 0.0), (-190.0, 0.0), (-280.0, 0.0)])
    script.end(reach)
    script.rest(2.0)
    assert draws(script) == [("Bob", count)]


@pytest.mark.parametrize("by_hands", [False, True])
def test_a_draw_pile_that_is_moved_is_drawn_from_at_its_new_place(by_hands: bool) -> None:
    script = Script(by_hands=by_hands)
    home, place = (0.0, -250.0), (150.0, -60.0)
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(3.0)
    script.draw_pile = False
    script.table.append(down(place))
    script.end(script.reach("Ann", ((0.0, 250.0), 0.1), (DRAW_AT, 0.3), (place, 0.3), ((0.0, 250.0), 0.1)))
    script.rest(4.0)
    assert script.maker.layout.draw == place
    script.end(script.reach("Cat", (home, 0.1), (PLAY_AT, 0.4), (home, 0.1)))
    script.table.append(card("QS", (PLAY_AT[0] - 5.0, PLAY_AT[1] + 12.0)))
    script.rest(4.0)
    script.end(script.reach("Cat", (home, 0.1), (place, 0.4), (home, 0.1)))
    script.rest(3.0)
    assert script.told()[-2:] == [("play", "Cat", ("QS",)), ("draw", "Cat", ())]


def test_a_pile_that_is_burnt_face_down_after_the_last_draw_is_no_draw_pile() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Ann", (DRAW_AT, 0.4)))
    script.draw_pile = False
    script.rest(3.0)
    script.end(script.reach("Bob", (PLAY_AT, 0.3), (BURN_AT, 0.4)))
    script.table = [down(BURN_AT)]
    script.rest(4.0)
    assert script.told()[-1] == ("burn", "Bob", ("9S",))
    assert script.maker.layout.draw == DRAW_AT


def test_a_hand_that_pauses_at_the_draw_pile_on_its_way_to_the_play_pile_draws_nothing_there() -> None:
    """Neither the pictures nor a pause where hands take cards show a second card."""
    script = Script()
    beyond, short = (DRAW_AT[0] - 5.0, 0.0), (DRAW_AT[0] + 35.0, 0.0)
    script.reach("Dan", (beyond, 0.2), (PLAY_AT, 0.4), (short, 0.3), ((330.0, 0.0), 0.1))
    script.table.append(card("9S", PLAY_AT))
    script.rest(3.0)
    assert [(e.player, e.count) for e in script.events if e.event == "draw"] == [("Dan", 1)]
