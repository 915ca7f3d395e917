"""A hand that has drawn goes on moving at home, as many people's do: the draw is told all the same."""

from __future__ import annotations

import pytest

from tests.support.event_script import DRAW_AT, PLAY_AT, Script, card, draw_picture
from vision.table.layout import Place

HOME, OVER_TABLE = (0.0, 250.0), (-20.0, 80.0)
FRAMES = 40


def drawn_by_ann(then: Place) -> tuple[Script, float]:
    """Ann plays and draws; then her hand moves about a place. Return also when it came there."""
    script = Script(by_hands=True)
    script.play("Ann", card("9S", PLAY_AT))
    hand = script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.4))
    came = script.t
    script.go_on(hand, [(then[0] + 8.0 * (k % 3), then[1]) for k in range(FRAMES)])
    return script, came


@pytest.mark.parametrize(("then", "told"), [(HOME, 1), (OVER_TABLE, 0)])
def test_a_draw_waits_for_a_hand_over_the_table_and_not_for_one_at_home(then: Place, told: int) -> None:
    script, came = drawn_by_ann(then)
    draws = [event for event in script.events if event.event == "draw"]
    assert [(event.player, event.count) for event in draws] == [("Ann", 1)] * told
    assert all(event.decided_at - came < 1.5 for event in draws)


def test_a_draw_that_was_told_at_home_is_not_told_again_when_the_hand_leaves() -> None:
    script, _ = drawn_by_ann(HOME)
    script.rest(4.0)
    assert [(event.player, event.count) for event in script.events if event.event == "draw"] == [("Ann", 1)]


def test_a_second_trip_that_only_shows_what_was_told_is_not_waited_for() -> None:
    script = Script(by_hands=True)
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT), card("9H", (PLAY_AT[0] + 20.0, PLAY_AT[1])))
    left = []
    for edge in (16, 12):
        script.end(script.reach("Ann", (HOME, 0.1), (DRAW_AT, 0.4), (HOME, 0.1)))
        script.draw_picture = draw_picture(edge)
        left.append(script.t)
        script.rest(1.4)
    draws = [event for event in script.events if event.event == "draw"]
    assert [event.count for event in draws] == [2, 2], "both are told at once, as they are needed"
    assert draws[1].revise == draws[0].id
    assert all(event.decided_at - at < 1.4 for event, at in zip(draws, left, strict=True))


def test_a_hand_hardly_seen_at_the_pile_has_drawn_if_the_pile_s_picture_changed() -> None:
    """So a second trip is a second draw, and no confirmation of the first."""
    script = Script(by_hands=True)
    script.draw_picture = draw_picture(20)
    script.play("Ann", card("9S", PLAY_AT))
    beside, just_there = (DRAW_AT[0], 95.0), (DRAW_AT[0], 75.0)
    for edge, way in ((16, ((beside, 0.1), (just_there, 0.0), (beside, 0.1))), (12, ((DRAW_AT, 0.4),))):
        script.end(script.reach("Ann", (HOME, 0.1), *way, (HOME, 0.1)))
        script.draw_picture = draw_picture(edge)
        script.rest(3.0)
    assert [event.count for event in script.events if event.event == "draw"] == [1, 2]
