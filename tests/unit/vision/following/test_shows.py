"""Cards that are held out over the table: shown, and answered."""

from __future__ import annotations

import math

import pytest

from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, STEP, Script, card, down
from vision.following.looks import UnderArm
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.table.layout import BURN, PLAY, Place, Zone
from vision.table.observations import Observation


def held_out_by_dan(script: Script, shown: Observation) -> ArmTrack:
    """Dan's arm stays over a card that eight looks read; returns the reach, which goes on."""
    dan = script.reach("Dan", ((-150.0, 20.0), 0.2))
    for _ in range(8):
        script.go_on(dan, [(-150.0, 20.0)])
        script.look([UnderArm(dan.seat, shown, 0.6, False)])
    return dan


def test_a_card_held_out_and_put_aside_is_shown() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    three = card("3H", (-190.0, 20.0))
    dan = script.reach("Dan", ((-150.0, 20.0), 1.0), held=three)
    dan.update((-180.0, 85.0), script.t + STEP)
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.to) == ("show", "Dan", ("3H",), "Bob")


def test_a_show_is_told_before_the_pick_up_that_follows_at_once() -> None:
    """Else the player who has to pick up is accused of doing so out of turn."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    dan = script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    dan.update((-180.0, 85.0), script.t + STEP)
    script.table.append(down(BURN_AT))
    script.rest(0.4)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [seen for seen in script.table if seen.best[0] != "9S"]
    script.rest(4.0)
    assert [event.event for event in script.events[2:]] == ["show", "pick_up"]


@pytest.mark.parametrize(
    ("tip", "rests"), [((120.0, 110.0), True), ((148.0, 130.0), True), ((120.0, 110.0), False)]
)
def test_a_card_held_out_by_an_arm_that_is_taken_for_the_table_is_shown(tip: Place, rests: bool) -> None:
    """It seems to lie free then, where the hand was seen last; one that the hand has left lies there."""
    script = Script()
    script.maker.put_right(script.maker.layout.with_pile(BURN, BURN_AT), script.t)
    script.play("Ann", card("9S", PLAY_AT))
    three = card("3H", (100.0, 120.0))
    dan = script.reach("Dan", (tip, 0.2))
    for _ in range(2):
        script.go_on(dan, [tip] * 2)
        script.look([UnderArm(dan.seat, three, 0.6, False)])
    script.table.append(three)
    script.go_on(dan, [tip if rests else (180.0, 110.0)] * 4)
    script.look()
    script.table.remove(three)
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    assert [event.event for event in script.events[2:]] == (["show"] if rests else [])


@pytest.mark.parametrize(("x", "shown"), [(-190.0, True), (-400.0, False)])
def test_a_card_in_the_fan_of_the_player_next_to_it_is_shown_by_nobody(x: float, shown: bool) -> None:
    """The arm over it seems to be another player's."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    dan = script.reach("Dan", ((x + 40.0, 20.0), 1.0), held=card("3H", (x, 20.0)))
    dan.update((-180.0, 85.0), script.t + STEP)
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    assert any(event.event == "show" for event in script.events) is shown


def test_a_card_held_over_the_bare_table_and_taken_home_again_is_shown_to_nobody() -> None:
    """Before the first play it is not known where the pile will be: one may think better of beginning so."""
    script = Script(play=None)
    reach = script.reach("Dan", ((-60.0, 10.0), 0.2))
    for _ in range(6):
        script.go_on(reach, [(-60.0, 10.0)] * 2)
        script.look([UnderArm(reach.seat, card("4C", (-90.0, 10.0)), 0.6, False)])
    script.go_on(reach, [(x, 15.0) for x in (0.0, 80.0, 160.0, 240.0)])
    script.rest(2.0)
    assert script.told()[1:] == []


@pytest.mark.parametrize("put_away", [True, False])
def test_a_card_put_face_down_on_the_burn_pile_on_the_way_home_was_shown(
    put_away: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A back upon backs is no new card, but the burn pile looks otherwise."""
    monkeypatch.setattr("vision.following.burn_pile.BurnPile.looks_otherwise", lambda *_: put_away)
    script = Script()
    reach = script.reach("Dan", ((-150.0, 90.0), 0.2))
    for _ in range(6):
        script.go_on(reach, [(-150.0, 90.0)] * 2)
        script.look([UnderArm(reach.seat, card("3H", (-190.0, 90.0)), 0.6, False)])
    script.go_on(reach, [(x, 75.0 - x / 5) for x in (-50.0, 80.0, 160.0, 240.0)])
    script.rest(2.0)
    assert script.told()[1:] == ([("show", "Dan", ("3H",))] if put_away else [])


def test_where_a_shown_card_was_put_is_the_burn_pile_though_it_is_seen_there_late() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    dan = script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    dan.update((-180.0, 85.0), script.t + STEP)
    script.rest(1.2)
    assert (script.events[-1].event, script.maker.layout.burn) == ("show", None)
    script.table.append(down(BURN_AT))
    for _ in range(2):
        script.look()
        script.t += 0.2
    assert script.maker.layout.burn == BURN_AT


def test_a_card_that_is_held_out_by_an_arm_which_is_lost_from_sight_is_not_burnt_there() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    three = card("3H", (-190.0, 20.0))
    dan = held_out_by_dan(script, three)
    script.table.append(three)
    for _ in range(2):
        script.look()
        script.t += 0.2
    assert script.maker.layout.burn is None
    script.table.remove(three)
    script.look()
    script.go_on(dan, [(-160.0, 50.0), (-180.0, 85.0)])
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    assert script.told()[-1] == ("show", "Dan", ("3H",))
    assert script.maker.layout.burn == BURN_AT


def test_an_up_card_held_out_under_anothers_arm_is_shown_by_its_owner() -> None:
    """Dan shows a card to Bob, who answers with one of his row; their arms cross and are taken for one."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    spot = Zone("row", 1, 0)
    own = script.maker.rows.spots[spot].up
    assert own is not None
    reach = script.reach("Dan", ((-150.0, 20.0), 0.2))
    script.rows[spot] = down(script.maker.layout.seats[1].row[0])
    held = [card("3H", (-190.0, 20.0)), card(own, (190.0, 20.0), p=0.99)]
    for _ in range(8):
        script.go_on(reach, [(-150.0, 20.0)], over=[spot])
        script.look([UnderArm(reach.seat, seen, 0.6, False) for seen in held], frozenset({spot}))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.to) == ("show", "Dan", ("3H",), "Bob")
    assert (show.answers, show.answered_from) == ((("Bob", "Dan"),), "up")


@pytest.mark.parametrize(
    "place", [(190.0, 20.0), (350.0, 0.0)], ids=["over the table", "over the other's row"]
)
def test_of_two_cards_far_apart_under_arms_that_cross_each_player_holds_one(place: Place) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    shown, answer = card("3H", (-190.0, 20.0)), card("3C", place)
    dan = held_out_by_dan(script, shown)
    bob = ArmTrack.begin(50, 1, script.t)
    for _ in range(8):
        script.t += STEP
        for reach, tip in ((dan, (-150.0, 20.0)), (bob, (150.0, 20.0))):
            reach.update(tip, script.t)
        script.events += script.maker.on_hands(HandsFrame(script.t, (dan, bob), (), {}))
        script.look([UnderArm(dan.seat, seen, 0.6, False) for seen in (shown, answer)])
    script.end(dan, bob)
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.to) == ("show", "Dan", ("3H",), "Bob")
    assert show.answers == (("Bob", "Dan"),)


def test_a_card_of_the_shown_rank_held_out_over_the_pile_under_that_arm_answers_and_is_not_played() -> None:
    """Seen from aside both arms are one, and what Bob holds out seems to lie beside the pile under Dan's."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    x, y = PLAY_AT
    shown, answer = card("3H", (-190.0, 20.0)), card("3C", (x + 45.0, y), 0.99)
    dan = held_out_by_dan(script, shown)
    bob = ArmTrack.begin(50, 1, script.t)
    bob.update((150.0, 20.0), script.t)
    script.events += script.maker.on_hands(HandsFrame(script.t, (dan, bob), (), {PLAY: frozenset({3, 1})}))
    for look in range(18):
        script.go_on(dan, [(-150.0, 20.0)], over=[PLAY])
        script.look([UnderArm(dan.seat, seen, 0.2, False) for seen in (shown, answer)], frozenset({PLAY}))
        if look == 8:  # Bob's arm, now and then seen beside the other one, is lost again
            script.events += script.maker.on_hands(
                HandsFrame(script.t, (dan,), (bob,), {PLAY: frozenset({3})})
            )
    script.end(dan, bob)
    script.rest(2.0)
    assert [event.event for event in script.events] == ["deal", "play", "show"]
    show = script.events[-1]
    assert (show.player, show.cards, show.to, show.answers) == ("Dan", ("3H",), "Bob", (("Bob", "Dan"),))


def test_who_is_shown_a_card_answers_though_their_arm_is_seen_only_as_it_puts_that_away() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    shown, answer = card("3H", (-190.0, 20.0)), card("3C", (350.0, 0.0), 0.99)
    dan = held_out_by_dan(script, shown)
    for _ in range(3):
        script.go_on(dan, [(-150.0, 20.0)] * 5)
        script.look([UnderArm(dan.seat, seen, 0.6, False) for seen in (shown, answer)])
    script.go_on(dan, [(100.0 * k - 150.0, 20.0) for k in range(6)])
    script.end(dan)
    script.rest(0.3)
    script.reach("Bob", (BURN_AT, 0.8))
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.answers) == ("show", "Dan", ("3H",), (("Bob", "Dan"),))


def test_a_card_held_out_by_a_hand_that_is_lost_under_another_arm_is_no_card_left_there() -> None:
    """Bob's arm is seen as it comes in, and then as one with Dan's, whose own card is not read meanwhile."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    shown, answer = card("3H", (-190.0, 20.0)), card("3C", (190.0, 20.0))
    dan = held_out_by_dan(script, shown)
    bob = ArmTrack.begin(50, 1, script.t)
    bob.update((250.0, 20.0), script.t)
    script.events += script.maker.on_hands(HandsFrame(script.t, (dan, bob), (), {}))
    script.go_on(dan, [(-150.0, 20.0)] * 10)
    for _ in range(6):
        script.go_on(dan, [(-150.0, 20.0)] * 5)
        script.look([UnderArm(dan.seat, answer, 0.6, False)])
    assert script.maker.layout.burn is None
    script.end(dan, bob)
    script.rest(0.2)
    script.events += script.maker.on_hands(HandsFrame(script.t, (), (bob,), {}))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.answers) == ("show", "Dan", ("3H",), (("Bob", "Dan"),))


def test_where_the_shown_cards_are_put_away_in_the_end_none_is_held_out() -> None:
    """Bob's hand rests longer where it gathers both than it has held out its own."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    script.rest(0.4)
    reach = script.reach("Bob", ((150.0, 20.0), 0.2))
    for _ in range(5):
        script.go_on(reach, [(150.0, 20.0)] * 2)
        script.look([UnderArm(reach.seat, card("3C", (190.0, 20.0)), 0.6, False)])
    for k in range(12):
        script.go_on(reach, [(-160.0, 90.0)] * 2)
        script.look([UnderArm(reach.seat, card("3H" if k % 2 else "3C", BURN_AT), 0.6, False)])
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.answers) == ("show", "Dan", ("3H",), (("Bob", "Dan"),))


def test_a_card_of_its_rank_held_out_soon_after_answers_a_shown_one() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    script.rest(1.5)
    script.reach("Bob", ((150.0, 20.0), 1.0), held=card("3C", (190.0, 20.0)))
    script.rest(2.0)
    first, last = (event for event in script.events if event.event == "show")
    assert (first.player, first.to, first.answers) == ("Dan", "Bob", ())
    assert (last.revise, last.cards, last.answers) == (first.id, ("3H",), (("Bob", "Dan"),))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("4H", (-190.0, 20.0)))
    script.rest(2.0)
    assert (script.events[-1].event, script.events[-1].revise) == ("show", None), "a 4 answers no 3"


def held_over_the_burn_pile_and_left_there(script: Script, held: Observation) -> None:
    """Dan's hand goes straight home then: that it has put the card down is seen once it has gone."""
    reach = script.reach("Dan", ((-150.0, 60.0), 0.2))
    for _ in range(6):
        script.go_on(reach, [(-150.0, 60.0)] * 2)
        script.look([UnderArm(reach.seat, held, 0.6, False)])
    script.table.append(held)
    script.go_on(reach, [(x, 60.0) for x in (0.0, 80.0, 160.0, 240.0)])
    script.rest(2.0)


def test_a_card_held_out_over_the_burn_pile_and_left_there_is_shown() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    held_over_the_burn_pile_and_left_there(script, card("3H", (-190.0, 60.0)))
    assert script.told()[-1] == ("show", "Dan", ("3H",))


@pytest.mark.parametrize("lies_there", [down((-190.0, 60.0)), card("3D", (-190.0, 60.0), 0.99)])
def test_it_is_shown_though_it_is_put_just_where_another_card_lay(lies_there: Observation) -> None:
    script = Script()
    script.table.append(lies_there)
    for _ in range(3):
        script.look()
        script.t += 0.2
    script.rest(1.0)
    script.play("Ann", card("9S", PLAY_AT))
    script.table.remove(lies_there)
    held_over_the_burn_pile_and_left_there(script, card("3H", (-190.0, 60.0), 0.99))
    assert script.told()[-1] == ("show", "Dan", ("3H",))


def test_who_shows_a_second_card_has_not_answered_the_first() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    for three in ("3H", "3S"):
        script.reach("Dan", ((-150.0, 20.0), 1.0), held=card(three, (-190.0, 20.0)))
        script.rest(1.5)
    assert script.told()[-2:] == [("show", "Dan", ("3H",)), ("show", "Dan", ("3S",))]


def test_a_card_held_over_the_pile_and_then_played_is_not_shown() -> None:
    script = Script()
    nine = card("9S", PLAY_AT)
    script.reach("Dan", (PLAY_AT, 1.0), held=nine)
    script.table.append(nine)
    script.rest(2.0)
    assert script.told()[1:] == [("play", "Dan", ("9S",))]


def test_a_hand_on_the_bare_place_picks_up_nothing_but_in_answer_to_a_shown_card() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.5), ((0.0, -200.0), 0.1))
    script.table.clear()
    script.rest()
    script.reach("Cat", (PLAY_AT, 0.4))
    script.rest()
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",)), "Cat only pointed"
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    script.rest(2.0)
    assert script.events[-1].to == "Bob"
    script.reach("Bob", (PLAY_AT, 0.4))
    script.rest()
    assert script.told()[-1] == ("pick_up", "Bob", ())


def test_a_card_held_out_that_is_read_as_two_in_one_place_is_the_surer_one() -> None:
    script = Script()
    held, phantom = card("3H", (-190.0, 20.0), 0.99), card("5H", (-180.0, 16.0), 0.97)
    reach = script.reach("Dan", ((-150.0, 20.0), 0.4))
    for _ in range(6):
        script.go_on(reach, [(-150.0, 20.0)] * 3)
        script.look([UnderArm(3, seen, 0.6, False) for seen in (phantom, held)])
    script.rest(2.0)
    assert script.told()[-1] == ("show", "Dan", ("3H",))


@pytest.mark.parametrize("read", [{"4H": 0.99}, {"4D": 0.65, "4H": 0.27}], ids=["rightly", "wrongly"])
def test_a_pile_held_at_the_burn_pile_is_shown_to_nobody(read: dict[str, float]) -> None:
    script = Script(packs=2)
    pile = [card("4H", PLAY_AT), card("4S", (-55.0, 8.0))]
    for put in pile:
        script.play("Ann", put)
    script.reach("Ann", (PLAY_AT, 0.4))
    script.table.clear()
    for _ in range(4):
        script.look()
        script.t += 0.1
    reach = script.reach("Ann", (PLAY_AT, 0.1), ((-120.0, 60.0), 0.3))
    held = Observation(-150.0, 70.0, 90.0, "up", read)
    for _ in range(6):
        script.go_on(reach, [(-120.0, 60.0)] * 3)
        script.look([UnderArm(0, held, 0.97, False)])
    script.table = [card("4H", (-150.0, 70.0))]
    script.rest(2.5)
    assert "show" not in [kind for kind, _, _ in script.told()]


def test_a_card_held_out_where_the_draw_pile_was_is_looked_at() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Dan", (DRAW_AT, 0.6))
    hands = HandsFrame(script.t, (reach,), (), {})
    assert script.maker.look_interval(hands) == math.inf, "it draws, most likely"
    script.draw_pile = False
    for _ in range(5):
        script.look()
    assert script.maker.look_interval(hands) < 1


def test_a_hand_that_stays_at_the_draw_pile_longer_than_one_draws_may_hold_a_card_out_there() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Dan", (DRAW_AT, 1.0))
    assert script.maker.look_interval(HandsFrame(script.t, (reach,), (), {})) < 1
