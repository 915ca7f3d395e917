"""Draws that the draw pile's own picture tells of: backs are alike, but do not lie exactly on one another."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, bob_draws, card, down, draw_picture
from tests.unit.vision.following.test_draws import HOME, draws
from vision.following.draw_visits import DrawPilePictures, DrawVisit
from vision.following.patches import Patch, changed_share
from vision.hands.tracks import HandsFrame
from vision.table.layout import DRAW, PLAY, Zone
from vision.types import Image


@pytest.mark.parametrize("taken", [False, True])
def test_who_put_nothing_down_has_drawn_only_if_the_draw_pile_looks_otherwise(taken: bool) -> None:
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.look()
    script.reach("Ann", (HOME, 0.1), ((70.0, 35.0), 0.5), (HOME, 0.1))
    if taken:
        script.draw_picture = script.draw_picture.copy()
        script.draw_picture[:, :3] = 160  # the next card lies 3 mm aside
    script.look()
    script.rest(2.0)
    assert draws(script) == ([("Ann", 1)] if taken else [])


@pytest.mark.parametrize(("due", "told"), [(2, 2), (1, 1)])
def test_a_hand_over_the_draw_pile_that_seemed_to_take_none_has_where_the_pile_looks_otherwise(
    due: int, told: int
) -> None:
    script = Script()
    tops = [np.full((26, 26, 3), 90, np.uint8) for _ in range(3)]
    tops[1][:, :3], tops[2][:3] = 160, 160  # the next cards lie 3 mm aside
    script.draw_picture = tops[0]
    script.play("Ann", *(card(name, PLAY_AT) for name in ("9S", "9H")[:due]))
    for top in tops[1:]:
        reach = script.reach("Ann", (HOME, 0.1), ((112.0, 90.0), 0.3))
        script.go_on(reach, [(112.0, 80.0)] * 3, over=(DRAW,))
        script.go_on(reach, [HOME])
        script.draw_picture = top
        script.look()
        script.rest(0.4)
    script.rest(2.0)
    assert draws(script) == [("Ann", told)]


@pytest.mark.parametrize(("moves", "told"), [(9, 2), (1, 3)])
def test_of_more_draws_than_are_due_those_have_not_been_that_the_pile_has_not_shown(
    moves: int, told: int
) -> None:
    """Each card lies so many millimetres beside the one below it: a pile may be too neat to show draws."""
    script = Script()
    script.draw_picture = top = np.full((26, 26, 3), 90, np.uint8)

    def draw(player: str, left: int) -> None:
        script.reach(player, (HOME, 0.1), (DRAW_AT, 0.3), (HOME, 0.1))
        script.draw_picture = top.copy()
        script.draw_picture[:, left : left + moves] = 160
        script.rest(0.2)
        script.look()
        script.rest(2.0)

    for number, name in enumerate(("9S", "7H", "KC")):
        script.play("Ann" if number % 2 else "Cat", card(name, PLAY_AT))
        draw("Ann" if number % 2 else "Cat", number * 9)
    script.play("Ann", card("2S", PLAY_AT), card("2H", (-40.0, 8.0)))
    for left in (18, 9, 0):
        draw("Ann", left)
    assert draws(script)[-1] == ("Ann", told)


@pytest.mark.parametrize("taken", [False, True])
def test_who_burns_and_draws_in_one_reach_has_drawn_if_the_draw_pile_looks_otherwise(taken: bool) -> None:
    """The arm lies over it from the start, and what was burnt is taken for its end."""
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.play("Dan", card("9S", PLAY_AT))
    reach = script.reach("Dan", (PLAY_AT, 0.4))
    script.table.clear()
    script.go_on(reach, [BURN_AT] * 12, over=(DRAW,))
    script.table = [down(BURN_AT)]
    script.go_on(reach, [(350.0, 0.0)])
    if taken:
        script.draw_picture = otherwise(script.draw_picture, 0)
    script.rest(3.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "burn", *(["draw"] if taken else [])]


@pytest.mark.parametrize(("seconds", "changed"), [(0.13, 0), (0.2, 1)])
def test_an_arm_that_only_passes_the_draw_pile_has_not_changed_it(seconds: float, changed: int) -> None:
    """What it put down beside it reaches over its edge."""
    pictures = DrawPilePictures([DrawVisit(1, 1.5, 1.5 + seconds, DRAW_AT, False, open=False)])
    bare = np.full((26, 26, 3), 90, np.uint8)
    pictures.look(1.0, Patch(bare))
    pictures.look(2.0, Patch(otherwise(bare, 0)))
    assert pictures.times_changed(1.2, -math.inf) == changed


def test_pictures_of_a_camera_in_a_hand_and_on_a_stand_show_no_draw_together() -> None:
    """The sway is measured less finely than what is then compared."""
    top = np.full((26, 26, 3), 90, np.uint8)
    visit = DrawVisit(0, 3.5, 3.9, DRAW_AT, False, open=False)
    for held_after, shows in ((True, True), (False, None)):
        pictures = DrawPilePictures([visit])
        for t in (1.0, 2.0, 3.0):
            pictures.look(t, Patch(top, hand_held=True))
        pictures.look(4.2, Patch(otherwise(top, 6), hand_held=held_after))
        assert pictures.show_taking(3.5, 3.9) is shows


def test_a_draw_just_before_is_no_sway_of_the_camera() -> None:
    tops = [otherwise(np.full((26, 26, 3), 90, np.uint8), left) for left in (0, 6, 12)]
    pictures = DrawPilePictures(
        [DrawVisit(number, at, at + 0.4, DRAW_AT, False, open=False) for number, at in enumerate((1.5, 3.5))]
    )
    for t, top in ((1.0, tops[0]), (2.0, tops[1]), (2.3, tops[1])):
        pictures.look(t, Patch(top))
    pictures.look(4.0, Patch(tops[2]))
    assert pictures.times_changed(3.0, -math.inf) == 1


@pytest.mark.parametrize(("last_drawn", "changed"), [(0.5, 0), (1.2, 1)])
def test_a_pile_that_looks_again_as_after_the_last_draw_lost_none(last_drawn: float, changed: int) -> None:
    """An arm that rested beside it, and was taken for the table, was in its picture meanwhile."""
    top = np.full((26, 26, 3), 90, np.uint8)
    visits = [
        DrawVisit(number, at, at + 0.4, DRAW_AT, False, open=False) for number, at in enumerate((1.5, 2.5))
    ]
    pictures = DrawPilePictures(visits)
    for t, picture in ((1.0, top), (2.2, otherwise(top, 0)), (3.2, top)):
        pictures.look(t, Patch(picture))
    assert pictures.times_changed(2.4, last_drawn) == changed


@pytest.mark.parametrize(("taken", "told"), [(False, []), (True, [("Ann", 1)])])
def test_who_put_cards_down_before_others_did_is_due_none_where_the_draw_pile_looks_as_before(
    taken: bool, told: list[tuple[str, int]]
) -> None:
    """The tip rests past the pile, and a card of some turns ago was not drawn for."""
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("QS", PLAY_AT))
    bob_draws(script, 1)
    script.look()
    script.reach("Ann", (HOME, 0.1), ((70.0, -25.0), 0.5), (HOME, 0.1))
    if taken:
        script.draw_picture = script.draw_picture.copy()
        script.draw_picture[:, :3] = 160
    script.look()
    script.rest(2.0)
    assert draws(script) == [("Bob", 1), *told]


def past_the_pile(script: Script, player: str, picture: Image | None = None) -> None:
    """A hand rests just behind the draw pile, which then looks like that (None: as before)."""
    script.reach(player, (HOME, 0.1), ((70.0, -25.0), 0.5), (HOME, 0.1))
    script.draw_picture = script.draw_picture if picture is None else picture
    script.look()
    script.rest(2.0)


def otherwise(top: Image, left: int) -> Image:
    """The pile with a next card that lies 3 mm aside."""
    changed = top.copy()
    changed[:, left : left + 3] = 160
    return changed


def three_draws_seen() -> tuple[Script, Image]:
    """Cat draws three times, which the draw pile's picture shows; returns how that looked at first, too."""
    script = Script()
    script.draw_picture = top = np.full((26, 26, 3), 90, np.uint8)
    past_the_pile(script, "Ann")  # of this, no draw, nothing is learnt
    for number, name in enumerate(("9S", "7H", "KC")):
        script.play("Cat", card(name, PLAY_AT))
        script.reach("Cat", (DRAW_AT, 0.3), ((70.0, -250.0), 0.1))
        script.draw_picture = otherwise(top, 3 * number)
        script.look()
        script.rest(2.0)
    assert draws(script) == [("Cat", 1)] * 3
    return script, top


def test_a_pile_that_shows_its_draws_and_looks_as_before_tells_that_a_hand_behind_it_took_none() -> None:
    script, top = three_draws_seen()
    script.play("Ann", card("2S", PLAY_AT))
    past_the_pile(script, "Ann")
    assert draws(script) == [("Cat", 1)] * 3
    past_the_pile(script, "Ann", otherwise(top, 12))
    assert draws(script)[3:] == [("Ann", 1)]


@pytest.mark.parametrize("due", [True, False])
def test_a_picture_that_changed_by_little_tells_of_no_draw_only_where_none_is_due(due: bool) -> None:
    """The next card may lie nearly as the one above it did; but so little may a shadow change, too."""
    script, _ = three_draws_seen()
    assert script.draw_picture is not None
    nearly = script.draw_picture.copy()
    nearly[:20, 20] = 160
    if due:
        script.play("Ann", card("2S", PLAY_AT))
    past_the_pile(script, "Ann", nearly)
    assert draws(script)[3:] == [("Ann", 1)] * due


def test_whoever_comes_to_the_draw_pile_alone_after_a_play_has_drawn_though_it_looks_as_before() -> None:
    """The next card may lie just as the one above it did."""
    script = Script()
    script.draw_picture = top = np.full((26, 26, 3), 90, np.uint8)
    for number, name in enumerate(("9S", "7H", "KC", "2S")):
        script.play("Cat", card(name, PLAY_AT))
        aside = 0.0 if name != "2S" else 34.0
        script.reach("Cat", ((DRAW_AT[0] + aside, -20.0), 0.4), ((70.0, -250.0), 0.1))
        script.draw_picture = script.draw_picture if aside else otherwise(top, 3 * number)
        script.look()
        script.rest(2.0)
    assert draws(script) == [("Cat", 1)] * 4


def test_of_two_pauses_at_a_pile_that_shows_its_draws_one_was_a_draw_where_it_shows_one() -> None:
    script = Script()
    script.draw_picture = top = np.full((26, 26, 3), 90, np.uint8)
    for number, name in enumerate(("9S", "7H", "KC", "2S")):
        script.play("Cat", card(name, PLAY_AT))
        behind = [((70.0, 25.0), 0.4), ((70.0, -250.0), 0.1)] if name == "2S" else []
        script.reach("Cat", (DRAW_AT, 0.3), ((70.0, -250.0), 0.1), *behind)
        script.draw_picture = otherwise(top, 3 * number)
        script.look()
        script.rest(2.0)
    assert draws(script) == [("Cat", 1)] * 4


def test_who_put_nothing_down_has_drawn_where_a_hand_rested_at_the_pile_and_that_looks_otherwise() -> None:
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.look()
    past_the_pile(script, "Ann", otherwise(script.draw_picture, 3))
    assert draws(script) == [("Ann", 1)]


def test_a_draw_pile_over_which_played_cards_lie_tells_nothing() -> None:
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.look()
    script.draw_picture = otherwise(script.draw_picture, 3)
    reach = script.reach("Ann", (HOME, 0.1), (PLAY_AT, 0.3))
    script.table.append(card("9S", (0.0, 0.0), angle=0.0))  # it ends 26 mm from the draw pile's middle
    script.go_on(reach, [(112.0, 80.0)] * 3, over=(DRAW,))
    script.go_on(reach, [HOME])
    script.look()
    script.rest(2.0)
    assert [event.event for event in script.events[1:]] == ["play"]


def test_a_draw_of_which_a_picture_alone_tells_is_none_where_more_are_seen_than_are_due() -> None:
    script = Script()
    tops = [np.full((26, 26, 3), 90, np.uint8) for _ in range(4)]
    for number, top in enumerate(tops[1:]):
        top[:, 3 * number : 3 * number + 3] = 160
    script.draw_picture = tops[0]
    script.play("Ann", card("9S", PLAY_AT), card("9H", (-40.0, 8.0)))
    reach = script.reach("Ann", (HOME, 0.1), ((112.0, 90.0), 0.3))
    script.go_on(reach, [(112.0, 80.0)] * 3, over=(DRAW,))
    script.go_on(reach, [HOME])
    script.draw_picture = tops[1]  # a shadow
    script.look()
    script.rest(1.5)
    assert draws(script) == [("Ann", 1)]
    for top in tops[2:]:
        script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.3), (HOME, 0.1))
        script.draw_picture = top
        script.rest(0.2)
        script.look()
        script.rest(1.2)
    assert draws(script) == [("Ann", 2)]


@pytest.mark.parametrize(("seen", "times"), [(True, 1), (False, 0)])
def test_what_changed_under_an_arm_before_tells_nothing_of_a_later_one(seen: bool, times: int) -> None:
    """The pile is looked at once somebody has been there: else the change seems to be the next player's."""
    visits = [DrawVisit(1, 10.0, 11.0, DRAW_AT, stuck=False, open=False)]
    pictures = DrawPilePictures(visits)
    before, after = np.full((26, 26, 3), 90, np.uint8), np.full((26, 26, 3), 90, np.uint8)
    after[:, :5] = 160
    pictures.look(9.0, Patch(before))
    assert pictures.is_stale
    if seen:
        pictures.look(11.5, Patch(before))
        assert not pictures.is_stale
    visits.append(DrawVisit(2, 13.0, 13.4, DRAW_AT, stuck=False, open=False))
    pictures.look(14.0, Patch(after))
    assert pictures.times_changed(12.5, -math.inf) == times


@pytest.mark.parametrize(("back", "times"), [(5.3, 1), (5.6, 2)])
def test_a_hand_that_is_back_at_once_has_taken_nothing_meanwhile(back: float, times: int) -> None:
    """What the pile looks like until then may be the hand's shadow."""
    tops = [np.full((26, 26, 3), 90, np.uint8) for _ in range(3)]
    tops[1][:, :3], tops[2][:] = 160, 30
    visits: list[DrawVisit] = []
    pictures = DrawPilePictures(visits)
    pictures.look(4.0, Patch(tops[0]))
    for start, end, top in ((4.8, 5.0, tops[1]), (back, back + 0.3, tops[2])):
        visits.append(DrawVisit(1, start, end, (0.0, 0.0), stuck=False, open=False))
        pictures.look(end + 0.1, Patch(top))
    assert pictures.times_changed(4.5, -math.inf) == times


def test_a_draw_pile_is_looked_at_once_somebody_has_been_there() -> None:
    script = Script()
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.play("Ann", card("9S", PLAY_AT))
    reach = script.reach("Ann", (HOME, 0.1), ((70.0, 60.0), 0.05))
    script.go_on(reach, [DRAW_AT] * 4, over=(DRAW,))
    script.go_on(reach, [HOME])
    script.maker.rows.spots[Zone("row", 0, 2)].touched = None  # that is not what it is looked at for
    assert script.maker.look_interval(HandsFrame(script.t, (), (), {})) < 1
    script.look()
    assert script.maker.look_interval(HandsFrame(script.t, (), (), {})) == math.inf


@pytest.mark.parametrize(("rows", "times"), [(8, 1), (3, 0)])
def test_what_changes_much_less_than_draws_do_may_be_what_was_put_beside_the_pile(
    rows: int, times: int
) -> None:
    visits: list[DrawVisit] = []
    pictures = DrawPilePictures(visits)
    top = np.full((26, 26, 3), 90, np.uint8)
    for number in range(4):
        before = top.copy()
        before[:, : 8 * (number % 2)] = 160  # each draw changes 0.3 of it
        pictures.look(10.0 * number, Patch(before))
        if number:
            pictures.learn(10.0 * number - 5, 10.0 * number - 1)
    for t in (38.0, 39.0, 40.0):
        pictures.look(t, Patch(before))
    visits.append(DrawVisit(1, 41.0, 41.4, DRAW_AT, stuck=False, open=False))
    after = before.copy()
    after[:rows] = 20
    pictures.look(42.0, Patch(after))
    assert pictures.times_changed(40.5, -math.inf) == times


@pytest.mark.parametrize(("changed", "told"), [(4, []), (9, [("Ann", 1)])])
def test_a_hand_that_paused_once_to_put_cards_down_has_drawn_only_if_the_pile_changed_as_with_draws(
    changed: int, told: list[tuple[str, int]]
) -> None:
    """It seems to pause at the draw pile: of its arm no more is seen than up to there."""
    script = Script()
    top = np.full((26, 26, 3), 90, np.uint8)
    script.draw_picture = top
    for number, name in enumerate(("3S", "4H", "5S")):
        script.play("Bob", card(name, PLAY_AT))
        script.draw_picture = top = top.copy()
        top[:, :8] = 90 + 70 * (number % 2 == 0)  # each draw changes 0.3 of it
        bob_draws(script, trips=1)
    before = len(draws(script))
    reach = script.reach("Ann", (HOME, 0.05))
    script.go_on(reach, [(60.0, 20.0)] * 6, over=[PLAY, DRAW])
    script.table += [card("9S", (-60.0, 4.0)), card("9H", (-44.0, 4.0))]
    script.draw_picture = top = top.copy()
    top[:changed] = 20
    script.go_on(reach, [HOME])
    script.end(reach)
    script.rest(2.0)
    assert draws(script)[before:] == told


@pytest.mark.parametrize(("near", "times"), [(40.0, 0), (48.0, 0), (55.0, 1)])
def test_what_changes_where_a_card_was_put_near_the_draw_pile_tells_of_no_draw(
    near: float, times: int
) -> None:
    visits: list[DrawVisit] = []
    pictures = DrawPilePictures(visits)
    before, after = np.full((26, 26, 3), 90, np.uint8), np.full((26, 26, 3), 90, np.uint8)
    after[:, :5] = 200
    for t in (1.0, 2.0, 3.0):
        pictures.look(t, Patch(before))
    visits.append(DrawVisit(1, 4.0, 4.4, DRAW_AT, stuck=False, open=False))
    pictures.look(5.0, Patch(after), near)
    assert pictures.times_changed(3.5, -math.inf) == times


@pytest.mark.parametrize("taken", [False, True])
def test_a_shadow_in_the_latest_picture_before_is_no_draw_that_nobody_saw(taken: bool) -> None:
    pictures = DrawPilePictures([DrawVisit(1, 1.5, 1.6, DRAW_AT, False, open=False)])
    top = np.full((26, 26, 3), 90, np.uint8)
    pictures.look(1.0, Patch(top))
    pictures.look(1.4, Patch(otherwise(top, 20)))
    pictures.look(2.0, Patch(otherwise(top, 0) if taken else top))
    assert pictures.show_taking(1.5, 1.6, surely=True) is taken


def test_who_draws_the_last_card_though_two_are_due_has_drawn_one() -> None:
    script = Script(by_hands=True)
    script.draw_picture = np.full((26, 26, 3), 90, np.uint8)
    script.play("Ann", card("9S", PLAY_AT), card("9H", (-40.0, 8.0)))
    script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.4), (HOME, 0.1))
    script.draw_pile, script.draw_picture = False, np.full((26, 26, 3), 20, np.uint8)
    script.rest(3.0)
    assert draws(script) == [("Ann", 1)]


def test_who_comes_back_for_a_second_card_that_was_not_due_has_drawn_two() -> None:
    """One of the cards put down may lie hidden below the other."""
    script = Script(by_hands=True)
    script.draw_picture = top = np.full((26, 26, 3), 90, np.uint8)
    script.play("Ann", card("9S", PLAY_AT))
    for number in range(2):
        script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.4), (HOME, 0.1))
        script.draw_picture = otherwise(top, 3 * number)
        script.rest(0.8)
    script.rest(3.0)
    assert draws(script)[-1] == ("Ann", 2)


@pytest.mark.parametrize("taken", [False, True])
def test_a_knock_by_a_part_of_a_pixel_is_no_draw_that_nobody_needs(taken: bool) -> None:
    pictures = DrawPilePictures([DrawVisit(1, 1.5, 1.6, DRAW_AT, False, open=False)])
    top = draw_picture(20)
    knock = np.array([[1, 0, 0.2], [0, 1, 0.15]])
    knocked = np.asarray(cv2.warpAffine(top, knock, (26, 26), borderValue=(70, 70, 70)), np.uint8)
    assert changed_share(Patch(top), Patch(knocked)) > 0.08, "the card's edges look different"
    pictures.look(1.0, Patch(top))
    pictures.look(1.4, Patch(top))
    pictures.look(2.0, Patch(otherwise(knocked, 0) if taken else knocked))
    assert pictures.show_taking(1.5, 1.6, plainly=True) is taken
