"""Cards that are taken: picked up, burnt, drawn."""

from __future__ import annotations

import pytest

from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, card, down
from vision.following.burn_pile import BurnPile
from vision.following.looks import UnderArm
from vision.following.new_cards import NewCardFilter
from vision.table.layout import BURN, DRAW, PLAY, Place, Zone
from vision.table.observations import Observation


def test_a_pile_that_goes_with_the_hand_is_picked_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("JD", (-57.0, 2.0)))
    script.reach("Cat", (PLAY_AT, 0.5), ((0.0, -200.0), 0.1))
    script.table.clear()
    script.rest()
    assert script.told()[-1] == ("pick_up", "Cat", ("9S", "JD"))


def test_what_is_read_under_a_hand_that_gathers_the_pile_is_no_card_that_somebody_else_holds() -> None:
    script = Script()
    script.play("Ann", card("JD", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.5), ((-300.0, 0.0), 0.1))
    script.table.clear()
    script.rest()
    assert script.told()[-1] == ("pick_up", "Bob", ("JD",))
    script.play("Cat", card("9S", PLAY_AT))
    reach = script.reach("Dan", (PLAY_AT, 0.3))
    for _ in range(3):
        script.look([UnderArm(reach.seat, card("JD", (-50.0, 5.0), 0.98), 0.8, True)], frozenset({PLAY}))
        script.go_on(reach, [PLAY_AT] * 2, over=[PLAY])
    script.go_on(reach, [(100.0, 0.0), (300.0, 0.0)])
    script.table.clear()
    script.rest()
    assert script.told()[-1] == ("pick_up", "Dan", ("9S",))


@pytest.mark.parametrize("burnt", [False, True])
def test_what_is_read_only_under_a_hand_that_takes_the_pile_was_played_if_that_is_burnt(burnt: bool) -> None:
    script = Script()
    script.play("Cat", card("9S", PLAY_AT))
    reach = script.reach("Dan", (PLAY_AT, 0.3))
    for _ in range(3):
        script.look([UnderArm(reach.seat, card("JD", (-50.0, 5.0), 0.98), 0.8, True)], frozenset({PLAY}))
        script.go_on(reach, [PLAY_AT] * 2, over=[PLAY])
    script.go_on(reach, [BURN_AT] * 6 if burnt else [(100.0, 0.0), (300.0, 0.0)])
    script.table = [down(BURN_AT)] if burnt else []
    script.rest(3.0)
    play, burn = ("play", "Dan", ("JD",)), ("burn", "Dan", ("9S", "JD"))
    assert script.told()[2:] == ([play, burn] if burnt else [("pick_up", "Dan", ("9S",))])


def test_a_pile_that_the_hand_takes_to_one_side_is_burnt_and_stays_burnt() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("10D", (-57.0, 2.0)))
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT), down((-190.0, 85.0), 60)]
    script.rest()
    assert script.told()[-1] == ("burn", "Bob", ("9S", "10D"))
    assert script.maker.layout.burn is not None
    script.play("Bob", Observation(*PLAY_AT, 90.0, "up", {"10D": 0.55, "10H": 0.3, "QH": 0.1}))
    assert script.told()[-1] == ("play", "Bob", ("QH",)), "10D is burnt and 10H lies before Cat"


@pytest.mark.parametrize("count", [4, 1])
def test_a_set_that_the_hand_burns_before_it_ever_lay_free_was_played(count: int) -> None:
    """The first cards of the game: until then nobody knows where the play pile is. One may be shown."""
    script = Script(play=None)
    fan = [card(f"3{suit}", (PLAY_AT[0] + 12 * k, 0.0), 0.98) for k, suit in enumerate("CDHS"[:count])]
    reach = script.reach("Bob", (PLAY_AT, 0.5))
    for _ in range(3):
        over = frozenset({PLAY}) if script.maker.layout.play is not None else frozenset[Zone]()
        script.look([UnderArm(reach.seat, held, 0.6, False) for held in fan], over)
        script.go_on(reach, [PLAY_AT] * 3, over=tuple(over))
    script.go_on(reach, [BURN_AT] * 6)
    script.table = [down(BURN_AT)]
    script.rest(3.0)
    names = ("3C", "3D", "3H", "3S")
    told = [(kind, player, tuple(sorted(cards))) for kind, player, cards in script.told()[1:]]
    if count == 4:
        assert told == [("play", "Bob", names), ("burn", "Bob", names)]
    else:
        assert script.maker.layout.play is None
        assert "play" not in [kind for kind, _, _ in told]


def test_a_hand_seen_only_from_the_burn_pile_on_has_burnt_the_pile() -> None:
    """It was lost over the play pile where it paused, and on its way back it pauses between the two."""
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT)]
    script.rest()
    script.play("Bob", card("10D", PLAY_AT))
    between = (BURN_AT[0] * 0.6 + PLAY_AT[0] * 0.4, BURN_AT[1] * 0.6 + PLAY_AT[1] * 0.4)
    script.reach("Bob", (PLAY_AT, 0.0), (BURN_AT, 0.3), (between, 0.3))
    script.table = [down(BURN_AT)]
    script.rest()
    assert script.told()[-1] == ("burn", "Bob", ("10D",))


@pytest.mark.parametrize(("by", "kind"), [((-205.0, 85.0), "burn"), ((-60.0, 120.0), "pick_up")])
def test_a_hand_that_goes_home_by_way_of_the_burn_pile_has_burnt_the_pile_though_it_did_not_stop_there(
    by: Place, kind: str
) -> None:
    script = Script()
    script.maker.put_right(script.maker.layout.with_pile(BURN, BURN_AT), script.t)
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("10D", PLAY_AT, angle=20))
    reach = script.reach("Ann", (PLAY_AT, 0.6))
    script.table.clear()
    script.go_on(reach, [by, (-40.0, 240.0), (-20.0, 300.0)], over=[PLAY])
    script.rest(2.0)
    assert script.told()[-1] == (kind, "Ann", ("9S", "10D"))


@pytest.mark.parametrize(("untouched", "kind"), [(False, "burn"), (True, "pick_up")])
def test_a_hand_that_seems_to_pause_at_the_burn_pile_has_burnt_the_pile_only_if_that_looks_otherwise(
    monkeypatch: pytest.MonkeyPatch, untouched: bool, kind: str
) -> None:
    monkeypatch.setattr(BurnPile, "is_untouched", lambda *_: untouched)
    script = Script()
    script.maker.put_right(script.maker.layout.with_pile(BURN, BURN_AT), script.t)
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.4), ((-420.0, 90.0), 0.1))
    script.table.clear()
    script.rest(3.0)
    assert script.told()[-1] == (kind, "Bob", ("9S",))


def test_the_reader_overlooking_the_pile_is_no_pick_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.table.clear()
    script.look()
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",))], "no hand was there"


def test_a_hand_over_the_pile_hides_it() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 3.0))
    script.look([], frozenset({PLAY}))
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_draws_are_counted_by_trips_to_the_draw_pile() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    for _ in range(2):
        script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
        script.rest(0.5)
    script.rest()
    draw = script.events[-1]
    assert (draw.event, draw.player, draw.count) == ("draw", "Ann", 2)


def test_a_draw_is_told_before_the_next_player_s_play() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest(0.35)
    script.play("Bob", card("JD", (-57.0, 2.0)))
    assert [e.event for e in script.events] == ["deal", "play", "draw", "play"]


def test_nobody_draws_from_a_pile_that_is_used_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.draw_pile = False
    for _ in range(5):
        script.t += 0.2
        script.look()
    script.reach("Ann", (DRAW_AT, 0.3))
    script.rest(2.0)
    assert script.told()[-1][0] == "play"


@pytest.mark.parametrize(
    ("pause", "told"),
    [(1.0, [("JC", "9D", "AD")]), (2.0, [("JC", "9D", "AD")]), (6.0, [("JC",), ("9D",), ("AD",)])],
)
def test_up_cards_taken_up_one_after_the_other_are_taken_up_together(
    pause: float, told: list[tuple[str, ...]]
) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    for spot in (1, 0, 2):
        place = script.maker.layout.seats[1].row[spot]
        script.rest(pause)
        script.reach("Bob", (place, 0.3))
        script.rows[Zone("row", 1, spot)] = down(place)
    script.rest(2.5)
    assert [cards for kind, _, cards in script.told() if kind == "take_up"] == told


def half_picked_up_by_dan() -> Script:
    """A pile of three, of which a hand has just taken the upper two."""
    script = Script()
    for player, name, x in (("Ann", "4H", -75.0), ("Bob", "6H", -60.0), ("Cat", "9H", -45.0)):
        script.play(player, card(name, (x, 0.0)))
    script.reach("Dan", (PLAY_AT, 0.4))
    script.table = script.table[:1]
    return script


def test_a_pick_up_in_two_goes_is_one_pick_up() -> None:
    script = half_picked_up_by_dan()
    script.rest(1.0)
    script.reach("Dan", (PLAY_AT, 0.4))
    script.table.clear()
    script.rest()
    told = script.told()[-1]
    assert (told[0], told[1], sorted(told[2])) == ("pick_up", "Dan", ["4H", "6H", "9H"])


def test_the_rest_of_a_pile_belongs_to_the_same_pick_up_though_looks_come_late() -> None:
    script = half_picked_up_by_dan()
    script.rest(1.5)
    script.reach("Dan", (PLAY_AT, 0.6))
    script.table.clear()
    for _ in range(15):  # the reader is behind
        script.pass_frame()
    script.rest()
    assert [(kind, who, sorted(cards)) for kind, who, cards in script.told()[4:]] == [
        ("pick_up", "Dan", ["4H", "6H", "9H"])
    ]


def test_a_draw_is_told_soon_and_goes_on_when_the_hand_is_back_for_more() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest(0.8)
    assert script.events[-1].event == "draw"
    assert script.events[-1].decided_at - script.events[-1].t < 0.7
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest()
    draw = script.events[-1]
    assert (draw.event, draw.count, draw.revise) == ("draw", 2, draw.id - 1)


def test_a_pile_that_was_only_overlooked_lies_there_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script()
    cards = [card("9H", PLAY_AT, angle=20.0), card("KS", (-55.0, 8.0))]
    for put in cards:
        script.play("Ann", put)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.clear()
    while script.maker.pile:  # the hand straightens it; nothing of it is read
        script.t += 0.1
        script.look()
    monkeypatch.setattr(NewCardFilter, "lay_there", lambda self, seen: seen[0] == "KS")
    script.reach("Bob", (PLAY_AT, 0.2))
    script.table = cards
    script.rest(2.0)
    assert script.maker.pile == ["9H", "KS"]
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "play"]


def test_whoever_draws_the_last_card_has_drawn_though_none_is_left() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", (DRAW_AT, 0.3))
    script.draw_pile = False
    for _ in range(5):  # the hand goes home over a bare place
        script.go_on(reach, [(70.0, 250.0)])
        script.look()
    script.rest(2.0)
    assert script.told()[-1][:2] == ("draw", "Ann")


def test_a_hand_that_seemed_to_stay_at_the_card_it_put_down_may_turn_up_at_the_draw_pile() -> None:
    script = Script()
    reach = script.reach("Ann", ((-60.0, 250.0), 0.1), (PLAY_AT, 0.5))
    script.go_on(reach, [*[PLAY_AT] * 6, *[(60.0, 40.0)] * 2], over=(DRAW, PLAY))  # its tip comes loose late
    script.table = [card("9S", PLAY_AT)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "draw"]


def test_a_hand_that_only_passes_the_draw_pile_draws_nothing() -> None:
    script = Script()
    reach = script.reach("Ann", ((-60.0, 250.0), 0.1), (PLAY_AT, 0.5))
    script.go_on(reach, [*[PLAY_AT] * 5, (60.0, 20.0), (130.0, 20.0), (130.0, 20.0)], over=(DRAW, PLAY))
    script.table = [card("9S", PLAY_AT)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play"]


def test_a_reach_that_goes_home_between_two_trips_to_the_draw_pile_draws_twice() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.6))
    script.go_on(reach, [(60.0, 80.0), (65.0, 30.0), (70.0, 5.0), (68.0, 60.0), (70.0, 250.0)])
    script.rest(2.0)
    assert script.events[-1].count == 2


def test_a_burn_of_which_only_looks_after_the_hand_has_gone_tell_is_no_pick_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.table = []
    script.reach("Bob", (PLAY_AT, 0.3), ((-150.0, 60.0), 0.5), (DRAW_AT, 0.3), ((-350.0, 0.0), 0.1))
    script.rest(0.2)
    script.table = [down(BURN_AT, 20.0)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[2:]] == ["burn", "draw"]


def test_who_burns_the_card_just_played_may_draw_by_the_same_reach() -> None:
    script = Script()
    reach = script.leave("Cat", card("10D", PLAY_AT))
    assert script.told()[-1] == ("play", "Cat", ("10D",))
    script.go_on(reach, [(-150.0, 60.0), *[BURN_AT] * 8])
    script.table = [down(BURN_AT)]
    for _ in range(4):
        script.look()
    script.go_on(reach, [DRAW_AT] * 6, over=(DRAW,))
    script.go_on(reach, [(0.0, -250.0)])
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "burn", "draw"]


def test_a_slow_second_trip_with_nothing_in_between_belongs_to_the_same_draw() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    for _ in range(2):
        script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
        script.rest(2.5)
    assert [kind for kind, _, _ in script.told()] == ["deal", "play", "draw"]
    assert script.events[-1].count == 2


def test_an_up_card_is_not_taken_up_while_it_may_turn_up_on_the_pile() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    spot, place = Zone("row", 1, 1), script.maker.layout.seats[1].row[1]
    script.reach("Bob", (place, 0.3), (PLAY_AT, 0.3))
    script.rows[spot] = down(place)
    script.table = [card("JC", PLAY_AT, 0.7, 40.0), card("JD", (-40.0, 0.0), 0.5)]
    script.rest(2.5)
    assert script.told()[-1][:2] == ("play", "Bob")
    assert "take_up" not in [kind for kind, _, _ in script.told()]


def test_a_pile_that_seems_to_reach_over_the_draw_pile_as_it_is_gathered_up_is_no_draw() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("10D", PLAY_AT, angle=40))
    reach = script.reach("Bob", (PLAY_AT, 0.3))
    script.go_on(reach, [PLAY_AT] * 6, over=[PLAY, DRAW])
    script.go_on(reach, [PLAY_AT] * 3, over=[PLAY])
    script.table = [down(BURN_AT)]
    script.go_on(reach, [BURN_AT] * 6)
    script.end(reach)
    script.rest(3.0)
    assert script.told()[3:] == [("burn", "Bob", ("9S", "10D"))]


@pytest.mark.parametrize(
    ("taker", "told"),
    [
        ("Bob", [("play", "Ann", ("9S",))]),
        ("Cat", [("play", "Ann", ("9S",)), ("play", "Bob", ("JD",)), ("pick_up", "Cat", ("JD",))]),
    ],
)
def test_what_is_taken_off_the_pile_just_before_the_source_ends_is_told(
    taker: str, told: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("JD", (-40.0, 18.0)))
    script.reach(taker, ((-40.0, 18.0), 0.4))
    script.table.pop()
    script.rest(1.5)
    assert script.told()[-1] == ("play", "Bob", ("JD",)), "the hand may take the rest yet"
    script.events += script.maker.finish(script.t)
    assert script.told()[1:] == told


@pytest.mark.parametrize("by_hands", [False, True])
@pytest.mark.parametrize("aside", [(0.0, 90.0), (-90.0, -70.0)])
def test_a_pile_that_is_pushed_aside_and_played_on_was_only_moved(by_hands: bool, aside: Place) -> None:
    script = Script(by_hands=by_hands)
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("JS", (PLAY_AT[0] + 12.0, PLAY_AT[1] + 20.0)))
    script.rest(2.0)
    place = (PLAY_AT[0] + aside[0], PLAY_AT[1] + aside[1])
    home = (0.0, -250.0)
    script.end(script.reach("Cat", (home, 0.1), (PLAY_AT, 0.3), (place, 0.3), (home, 0.1)))
    script.table = [card("9S", place), card("JS", (place[0] + 12.0, place[1] + 20.0))]
    script.rest(4.0)
    for player, name in (("Cat", "KS"), ("Ann", "AS")):
        script.end(script.reach(player, (place, 0.4)))
        script.table.append(card(name, (place[0] - 12.0, place[1] - 20.0)))
        script.rest(4.0)
    plays = [("Ann", "9S"), ("Bob", "JS"), ("Cat", "KS"), ("Ann", "AS")]
    assert script.told()[1:] == [("play", player, (name,)) for player, name in plays]
    assert script.maker.pile == ["9S", "JS", "KS", "AS"]
    assert all(event.face_up for event in script.events if event.event == "burn")


@pytest.mark.parametrize("by_hands", [False, True])
def test_a_pile_that_is_pushed_aside_and_taken_from_there_is_picked_up(by_hands: bool) -> None:
    script = Script(by_hands=by_hands)
    home, place = (0.0, -250.0), (PLAY_AT[0], PLAY_AT[1] + 90.0)
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(2.0)
    script.end(script.reach("Cat", (home, 0.1), (PLAY_AT, 0.3), (place, 0.3), (home, 0.1)))
    script.table = [card("9S", place)]
    script.rest(4.0)
    assert script.told()[-1] == ("burn", "Cat", ("9S",))
    bob = (-390.0, 0.0)
    script.end(script.reach("Bob", (bob, 0.1), (place, 0.5), (bob, 0.1)))
    script.table = []
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("pick_up", "Bob", ("9S",))]
    script.play("Ann", card("KS", PLAY_AT))
    assert script.told()[-1] == ("play", "Ann", ("KS",))


def test_a_burnt_pile_that_a_hand_hides_for_a_while_stays_burnt() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.end(script.reach("Bob", (PLAY_AT, 0.3), (BURN_AT, 0.4)))
    script.table = [card("9S", BURN_AT)]
    script.rest(4.0)
    reach = script.reach("Cat", (BURN_AT, 0.5))
    script.table = []
    for _ in range(6):
        script.go_on(reach, [BURN_AT] * 3, over=[BURN])
        script.look(hidden=frozenset({BURN}))
    script.end(reach)
    script.table = [card("9S", BURN_AT)]
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("burn", "Bob", ("9S",))]


def test_a_card_that_is_put_on_cards_that_were_burnt_before_is_no_play() -> None:
    script = Script()
    for name in ("9S", "JS"):
        script.play("Ann", card(name, PLAY_AT))
        script.end(script.reach("Bob", (PLAY_AT, 0.3), (BURN_AT, 0.4)))
        script.table = [*script.table[:-1], card(name, BURN_AT)]
        script.rest(4.0)
    script.end(script.reach("Bob", (BURN_AT, 0.4)))
    script.table.append(card("3D", BURN_AT))
    script.rest(4.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "burn", "play", "burn"]


def test_who_draws_after_touching_a_pile_that_was_only_overlooked_has_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Script()
    cards = [card("9H", PLAY_AT, angle=20.0), card("KS", (-55.0, 8.0))]
    for put in cards:
        script.play("Bob", put)
    reach = script.reach("Bob", (PLAY_AT, 0.3))
    script.table.clear()
    while script.maker.pile:  # the hand straightens it; nothing of it is read
        script.t += 0.1
        script.look()
    monkeypatch.setattr(NewCardFilter, "lay_there", lambda self, seen: seen[0] == "KS")
    script.go_on(reach, [DRAW_AT] * 6)
    script.end(reach, script.reach("Cat", (PLAY_AT, 0.2)))
    script.table = cards
    script.rest(2.0)
    assert sorted(script.maker.pile) == ["9H", "KS"]
    assert script.told()[-1][:2] == ("draw", "Bob")


def test_who_takes_a_play_back_and_then_the_pile_in_two_goes_has_not_played_it() -> None:
    script = Script()
    lower = [card(name, (PLAY_AT[0] + 12.0 * k, PLAY_AT[1])) for k, name in enumerate(("7H", "7S", "KC"))]
    for player, put in zip(("Cat", "Dan", "Ann"), lower, strict=True):
        script.play(player, put)
    script.play("Bob", card("3C", (PLAY_AT[0] + 36.0, PLAY_AT[1])))
    for left in (3, 1, 0):  # the three, two cards, and the last one
        script.reach("Bob", (PLAY_AT, 0.3))
        script.table = lower[:left]
        script.rest(0.7)
    script.rest(4.0)
    assert [told for told in script.told() if told[1] == "Bob"] == [("pick_up", "Bob", ("7H", "7S", "KC"))]
