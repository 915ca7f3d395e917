"""A timeline becomes poses: hands stay over the table, fans face their players, cards tilt and turn."""

from __future__ import annotations

import random

import numpy as np
import pytest

from datasets.films.choreography.layout import Layout, make_layout
from datasets.films.geometry import ArmPose, Pose, look_at_table, rotated
from datasets.films.people.acting import Held, Lean, seated
from datasets.films.people.hands import GRIPS, blended
from datasets.films.people.levels import LEVELS
from datasets.films.people.poses import Cast
from datasets.films.timeline import ArmMove, ArmName, CardMove, Timeline

PLAYERS = ("Ann", "Bob", "Cat", "Dan")
TABLE = (900.0, 600.0)


def table() -> Layout:
    return seated(make_layout(PLAYERS, 3, TABLE, look_at_table(640, 360, table=TABLE), random.Random(2)))


def cast(
    layout: Layout,
    moves: tuple[ArmMove, ...] = (),
    held: tuple[Held, ...] = (),
    leans: tuple[Lean, ...] = (),
) -> Cast:
    homes: dict[ArmName, ArmPose] = {}
    for seat in layout.seats:
        for hand, aside in (("main", 120.0), ("other", -170.0)):
            spot = seat.edge.shifted(aside, -10.0)
            grip = "rest" if hand == "main" else "fan"
            homes[seat.player, hand] = ArmPose(spot.x, spot.y, 60.0, seat.angle - 90.0, grip)  # type: ignore[arg-type]
    timeline = Timeline((), moves, (), 60.0)
    return Cast(layout, timeline, LEVELS[1], homes, held, leans, random.Random(1))


@pytest.mark.parametrize("player", PLAYERS)
def test_the_faces_of_a_fan_look_at_their_player_and_a_little_up(player: str) -> None:
    layout = table()
    held = tuple(Held(player, 0.0, 60.0, card) for card in ("KH", "2C", "9D"))
    fan = cast(layout, held=held).fan(player, 1.0)
    assert [card for card, _ in fan] == ["KH", "2C", "9D"]
    towards = np.array([*rotated(0.0, 1.0, layout.seat(player).angle), 0.0])
    for _, corners in fan:
        normal = np.cross(corners[1] - corners[0], corners[3] - corners[0])
        normal = normal / np.linalg.norm(normal)
        assert float(normal @ towards) > 0.5
        assert normal[2] > 0.3


def test_nobody_holds_a_fan_without_cards() -> None:
    assert cast(table()).fan("Ann", 1.0) == []


def test_a_hand_that_goes_home_into_the_lap_never_passes_through_the_table() -> None:
    layout = table()
    seat = layout.seat("Ann")
    spot, lap = seat.edge.shifted(60.0, -200.0), seat.edge.shifted(90.0, 95.0)
    home = ArmPose(lap.x, lap.y, -70.0, -90.0, "away")
    move = ArmMove(("Ann", "main"), 1.0, 2.0, ArmPose(spot.x, spot.y, 5.0, -90.0, "hold"), home, 26.0)
    people = cast(layout, (move,))
    for t in np.linspace(0.0, 3.0, 61):
        pose = people.pose("Ann", float(t))
        for hand in (pose.left, pose.right):
            if hand.point[1] < pose.edge:
                assert hand.point[2] >= 3.0
    away = people.pose("Ann", 3.0)
    assert min(away.left.point[2], away.right.point[2]) < -40.0


def test_who_leans_bends_further_forward_and_comes_back() -> None:
    people = cast(table(), leans=(Lean("Bob", 10.0, 14.0, 40.0, 0.0),))
    before, during, after = (people.pose("Bob", t).lean for t in (9.0, 12.0, 20.0))
    assert during == pytest.approx(40.0, abs=1.0)
    assert before < 15.0
    assert after < 15.0
    assert people.pose("Ann", 12.0).lean < 15.0


def test_a_card_that_leaves_a_fan_is_tilted_and_lands_flat() -> None:
    start, end = Pose(0.0, 280.0, 0.0, 105.0), Pose(20.0, 0.0, 5.0, 0.3)
    move = CardMove(1, "KH", 0.0, 1.0, start, end, True, True, 20.0, False, ("Ann", "main"))
    people = cast(table())
    face_up, first = people.in_air(move, 0.0)
    assert face_up
    assert np.ptp(first[:, 2]) > 40.0
    _, last = people.in_air(move, 1.0)
    assert np.ptp(last[:, 2]) == pytest.approx(0.0, abs=1e-6)
    assert last[:, :2] == pytest.approx(end.corners(), abs=1e-6)


def test_a_card_that_is_turned_over_stands_on_edge_half_way() -> None:
    flat = Pose(0.0, 0.0, 30.0, 0.3)
    move = CardMove(1, "KH", 0.0, 1.0, flat, flat, False, True, 0.0, False, ("Ann", "main"))
    people = cast(table())
    assert [people.in_air(move, t)[0] for t in (0.0, 1.0)] == [False, True]
    assert np.ptp(people.in_air(move, 0.5)[1][:, 2]) == pytest.approx(63.0, abs=0.5)
    _, end = people.in_air(move, 1.0)
    assert end[:, :2] == pytest.approx(flat.corners(), abs=1e-6)


def test_grips_blend_from_one_to_the_other() -> None:
    half = blended(GRIPS["rest"], GRIPS["hold"], 0.5)
    assert half.pitch == pytest.approx((GRIPS["rest"].pitch + GRIPS["hold"].pitch) / 2.0)
    assert blended(GRIPS["rest"], GRIPS["hold"], 0.0) == GRIPS["rest"]
    assert blended(GRIPS["rest"], GRIPS["hold"], 1.0) == GRIPS["hold"]
