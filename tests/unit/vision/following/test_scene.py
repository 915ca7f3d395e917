"""Which hand came nearest to a place."""

from __future__ import annotations

from tests.support.event_script import PLAY_AT, layout
from vision.following.scene import Scene
from vision.hands.tracks import ArmTrack


def scene_with_hands(*ways: tuple[int, float, float]) -> Scene:
    """Return a scene in which hands came near to the play pile: seat, seconds, and how near (mm)."""
    scene = Scene(layout())
    for number, (seat, t, mm) in enumerate(ways):
        reach = ArmTrack.begin(number, seat, t)
        reach.update((PLAY_AT[0] + mm, PLAY_AT[1]), t)
        scene.remember(reach)
    return scene


def test_of_two_hands_about_as_near_the_last_one_counts_and_the_other_is_its_rival() -> None:
    hand = scene_with_hands((0, 1.0, 5.0), (1, 2.0, 30.0)).nearest_hand(PLAY_AT, 0.0)
    assert hand is not None
    assert (hand.seat, set(hand.rivals)) == (1, {0})


def test_a_hand_much_farther_away_than_the_nearest_one_does_not_count_though_it_was_last() -> None:
    """However many came between: each is compared with the nearest one."""
    hand = scene_with_hands((0, 1.0, 0.0), (1, 2.0, 39.0), (2, 3.0, 78.0)).nearest_hand(PLAY_AT, 0.0)
    assert hand is not None
    assert (hand.seat, set(hand.rivals)) == (1, {0})


def test_no_hand_came_near() -> None:
    assert scene_with_hands((0, 1.0, 400.0)).nearest_hand(PLAY_AT, 0.0) is None
