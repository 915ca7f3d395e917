"""Draws of which a part is hidden: hands that are lost from sight, tips that stick to what was put down."""

from __future__ import annotations

from tests.vision.event_script import DRAW_AT, PLAY_AT, Script, card
from vision.layout import DRAW, PLAY

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


def test_a_hand_that_passes_the_draw_pile_on_its_way_home_draws_nothing() -> None:
    script = Script()
    reach = script.reach("Dan", ((350.0, 0.0), 0.1), (PLAY_AT, 0.5))  # the draw pile lies between
    script.go_on(reach, [(60.0, 5.0), (95.0, 0.0), (180.0, 0.0), (350.0, 0.0)], over=(DRAW,))
    script.table = [card("9S", PLAY_AT)]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play"]
