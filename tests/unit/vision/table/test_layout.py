"""Seats and piles, found from a finished deal or read from a file."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInputError
from vision.hands.ownership import ArmOwnership
from vision.plane import TablePlane
from vision.table.layout import BURN, DRAW, PLAY, Layout, Seat, Zone, find_layout, load_layout
from vision.table.observations import Observation

PLANE = TablePlane(np.array([[1.0, 0, -500], [0, 1, -300], [0, 0, 1]]))
"""1 pixel = 1 mm, origin in the middle of a 1000 x 600 picture."""
BOTTOM, LEFT, TOP, RIGHT = (0, 1), (-1, 0), (0, -1), (1, 0)


def row(facing: tuple[int, int], along: float = 0.0, count: int = 3) -> list[Observation]:
    fx, fy = facing
    x, y = 360 * fx + along * fy, 210 * fy - along * fx
    angle = 90.0 if fx == 0 else 0.0
    steps = [75 * (k - (count - 1) / 2) for k in range(count)]
    return [Observation(x + s * fy, y - s * fx, angle, "up", {"9S": 0.9}) for s in steps]


def deal(*facings: tuple[int, int]) -> list[Observation]:
    return [*(card for facing in facings for card in row(facing)), Observation(50, 10, 80, "down")]


def find(cards: list[Observation], players: tuple[str, ...] | None = None) -> Layout | None:
    return find_layout(cards, PLANE, 1000, 600, players)


def test_players_sit_clockwise_from_the_bottom_edge() -> None:
    layout = find(deal(TOP, RIGHT, BOTTOM, LEFT), ("Ann", "Bob", "Cat", "Dan"))
    assert layout is not None
    assert [seat.player for seat in layout.seats] == ["Ann", "Bob", "Cat", "Dan"]
    assert [tuple(map(round, seat.facing)) for seat in layout.seats] == [BOTTOM, LEFT, TOP, RIGHT]
    assert layout.draw == (50, 10)


def test_a_row_runs_from_left_to_right_as_its_player_sees_it() -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    bottom, left, top, _ = layout.seats
    assert bottom.row[0][0] < bottom.row[2][0]
    assert left.row[0][1] < left.row[2][1]
    assert top.row[0][0] > top.row[2][0]


@pytest.mark.parametrize("spots", [(0,), (1,), (2,), (0, 2)])
def test_cards_whose_sides_were_taken_for_one_another_lie_in_their_row(spots: tuple[int, ...]) -> None:
    cards = deal(BOTTOM, TOP, LEFT)
    for spot in spots:
        cards[spot] = replace(cards[spot], angle=0.0)
    layout = find(cards, ("Ann", "Bob", "Cat"))
    assert layout is not None
    assert layout.seats[0].row == ((-75.0, 210.0), (0.0, 210.0), (75.0, 210.0))
    assert layout.seats[0].facing == pytest.approx(BOTTOM)


@pytest.mark.parametrize("aside", [-12.0, 0.0, 12.0])
def test_of_two_players_at_the_bottom_edge_the_right_one_is_the_first(aside: float) -> None:
    six = find(
        [
            *(row(LEFT) + row(TOP, 165) + row(TOP, -165) + deal(RIGHT)),
            *(row(BOTTOM, -165 + aside) + row(BOTTOM, 165 + aside)),
        ]
    )
    assert six is not None
    places = [(round(seat.centre[0] / 100), round(seat.centre[1] / 100)) for seat in six.seats]
    assert places == [(2, 2), (-2, 2), (-4, 0), (-2, -2), (2, -2), (4, 0)]


def test_two_three_and_five_players() -> None:
    two = find(deal(BOTTOM, TOP))
    three = find(deal(BOTTOM, LEFT, RIGHT))
    five = find([*deal(BOTTOM, LEFT, RIGHT), *row(TOP, 165), *row(TOP, -165)])
    assert [len(layout.seats) if layout else 0 for layout in (two, three, five)] == [2, 3, 5]
    assert five is not None
    xs = [seat.centre[0] for seat in five.seats]
    assert xs[1] < xs[2] < xs[3] < xs[4], "left, top left, top right, right"


def test_who_sits_side_by_side_looks_straight_across_the_edge() -> None:
    leaning = [replace(card, angle=card.angle + 9) for card in row(TOP, 165)]
    five = find([*deal(BOTTOM, LEFT, RIGHT), *leaning, *row(TOP, -165)])
    assert five is not None
    degrees = [math.degrees(math.atan2(seat.facing[1], seat.facing[0])) % 360 for seat in five.seats]
    assert degrees == pytest.approx([90, 180, 273, 273, 0], abs=0.1)
    alone = find([*deal(BOTTOM, LEFT, RIGHT), *(replace(card, angle=card.angle + 9) for card in row(TOP))])
    assert alone is not None
    assert math.degrees(math.atan2(*alone.seats[2].facing[::-1])) == pytest.approx(-81)


@pytest.mark.parametrize(
    "cards",
    [
        [],
        deal(BOTTOM),
        deal(BOTTOM, LEFT, TOP)[:-1],
        deal(BOTTOM, TOP)[1:],
        [Observation(80.0 * i, 40.0 * i, 30.0 * i, "up", {"9S": 0.9}) for i in range(8)],
    ],
    ids=["nothing", "one row", "no draw pile", "a row with a card missing", "cards lying about"],
)
def test_a_table_that_is_not_set_for_the_game_has_no_layout(cards: list[Observation]) -> None:
    assert find(cards) is None


def test_a_draw_pile_may_lie_far_to_one_side() -> None:
    rows = [card for aside in (-220, 220) for card in row(TOP, aside)]
    cards = [*rows, *row(LEFT), *row(RIGHT), *row(BOTTOM, -120), Observation(-200, -60, 80, "down")]
    layout = find(cards, ("Ann", "Bob", "Cat", "Dan", "Eve"))
    assert layout is not None, "seen from the pile the row at the top right faces aside"
    assert [tuple(map(round, seat.facing)) for seat in layout.seats] == [BOTTOM, LEFT, TOP, TOP, RIGHT]
    assert layout.draw == (-200, -60)


def test_where_the_whole_pack_is_dealt_out_no_draw_pile_is_awaited() -> None:
    cards = deal(BOTTOM, LEFT, TOP, RIGHT)[:-1]
    layout = find_layout(cards, PLANE, 1000, 600, ("Ann", "Bob", "Cat", "Dan"), draw_pile=False)
    assert layout is not None
    assert (layout.draw, [seat.player for seat in layout.seats]) == (None, ["Ann", "Bob", "Cat", "Dan"])


def test_as_many_rows_as_players_are_awaited() -> None:
    assert find(deal(BOTTOM, LEFT, TOP), ("Ann", "Bob", "Cat", "Dan")) is None
    assert find(deal(BOTTOM, LEFT, TOP, RIGHT), ("Ann", "Bob", "Cat", "Dan")) is not None


@pytest.mark.parametrize(
    "fan",
    [
        [(-165.0, 245.0, 100.0)],
        [(165.0, 235.0, 90.0)],
        [(-165.0, 245.0, 100.0), (-148.0, 240.0, 80.0), (-135.0, 238.0, 70.0)],
        [(-80.0, 330.0, 90.0), (0.0, 330.0, 90.0), (80.0, 330.0, 90.0)],
        [(-460.0, 60.0, 0.0), (-450.0, 100.0, 0.0)],
    ],
    ids=["beside a row", "on its other side", "overlapping", "behind a row", "behind another row"],
)
def test_a_fan_that_a_player_holds_in_sight_is_no_part_of_the_deal(
    fan: list[tuple[float, float, float]],
) -> None:
    players, held = ("Ann", "Bob", "Cat"), [Observation(*at, "up", {"KD": 0.99}) for at in fan]
    plain, beside = (
        find_layout(cards, PLANE, 1000, 600, players, 3)
        for cards in (deal(BOTTOM, LEFT, TOP), [*held, *deal(BOTTOM, LEFT, TOP)])
    )
    assert plain is not None
    assert beside is not None
    assert beside.seats == plain.seats


def test_cards_in_a_row_that_point_along_the_table_s_edge_are_no_seat() -> None:
    sideways = [Observation(c.x, c.y, 0.0, "up", c.probabilities) for c in row(BOTTOM)]
    assert find([*sideways, *row(TOP), Observation(50, 10, 80, "down")]) is None


def test_an_arm_belongs_to_the_seat_whose_edge_it_crosses() -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    places = [(90, 300), (-500, 60), (-80, -300), (500, -70)]
    assert [ArmOwnership().owner_of(layout, place, place)[0] for place in places] == [0, 1, 2, 3]


@pytest.mark.parametrize("shower", range(4))
def test_a_card_held_out_half_way_to_a_seat_is_shown_to_it(shower: int) -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    for to, seat in enumerate(layout.seats):
        if to != shower:
            place = (0.6 * seat.centre[0], 0.6 * seat.centre[1])
            assert layout.seat_pointed_at(shower, place) == to


def test_a_card_held_out_before_a_neighbour_is_shown_to_them_and_not_to_whom_the_arm_points_at() -> None:
    rows = {"Ann": (16, 202), "Bob": (-372, -7), "Cat": (-184, -199), "Dan": (164, -199), "Eve": (374, 7)}
    seats = tuple(
        Seat(name, ((float(x), float(y)),), (float(np.sign(x)) if abs(x) > 200 else 0.0, 0.0))
        for name, (x, y) in rows.items()
    )
    layout = Layout(PLANE, 1000, 600, seats)
    assert layout.seat_pointed_at(3, (-89.0, -83.0)) == 2
    assert layout.seat_pointed_at(3, (-230.0, 10.0)) == 1
    assert layout.seat_pointed_at(0, (-70.0, -110.0)) == 2


def test_zones() -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    assert layout.place_of(PLAY) is None
    layout = layout.with_pile(PLAY, (-60, 0)).with_pile(BURN, (-200, 80))
    assert layout.zone_at(60, 20) == DRAW
    assert layout.zone_at(-70, 10) == PLAY
    assert layout.zone_at(-190, 90) == BURN
    assert layout.zone_at(10, 215) == Zone("row", 0, 1)
    assert layout.zone_at(250, -150) is None


def test_a_saved_layout_comes_back(tmp_path: Path) -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    file = tmp_path / "layout.json"
    file.write_text(json.dumps(layout.with_pile(PLAY, (-60, 0)).to_json()))
    loaded = load_layout(file)
    assert loaded.seats == layout.seats
    assert loaded.play == (-60.0, 0.0)
    assert loaded.burn is None
    np.testing.assert_allclose(loaded.plane.to_table, PLANE.to_table)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"width": 1}',
        '{"width": 1, "height": 1, "to_table": [[1,0],[0,1]], "seats": []}',
        json.dumps({"width": 9, "height": 9, "to_table": np.eye(3).tolist(), "seats": []}),
        json.dumps({"width": 9, "height": 9, "to_table": np.zeros((3, 3)).tolist(), "seats": [{}]}),
    ],
)
def test_a_bad_layout_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "layout.json"
    file.write_text(text)
    with pytest.raises(BadInputError, match=r"layout\.json: not a layout"):
        load_layout(file)


def test_the_door_of_a_seat_lies_on_the_picture_s_border() -> None:
    layout = find(deal(BOTTOM, LEFT, TOP, RIGHT))
    assert layout is not None
    assert math.dist(layout.border_point(layout.seats[0]), (0, 300)) < 1
    assert math.dist(layout.border_point(layout.seats[3]), (500, 0)) < 1
