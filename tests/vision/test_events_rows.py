"""A row of up-cards, look by look."""

from __future__ import annotations

import numpy as np

from vision.events_rows import Rows
from vision.layout import Layout, Seat, Zone
from vision.plane import TablePlane
from vision.slots import Seen

SPOT = Zone("row", 0, 0)


def up(name: str, x: float = 0.0, p: float = 0.97, angle: float = 90.0, **others: float) -> Seen:
    odds = {name: p} | {other.removeprefix("c"): q for other, q in others.items()}
    return Seen(x, 0.0, angle, "up", odds)


def rows() -> Rows:
    layout = Layout(TablePlane(np.eye(3)), 100, 100, (Seat("Ann", ((0, 0), (75, 0), (150, 0)), (0, 1)),))
    return Rows(layout, [["4S", "5C", "6C"]])


def test_after_the_exchange_another_card_over_an_up_card_replaces_nothing() -> None:
    table = rows()
    table.touch(SPOT, 1.0)
    for _ in range(4):
        assert table.look(SPOT, [up("3H")], exchange=False) is None
    assert table.up_of(0) == ["4S", "5C", "6C"]
    assert table.look(SPOT, [up("4S")], exchange=False) is None
    assert table.up_of(0) == ["4S", "5C", "6C"]


def test_an_up_card_that_shows_under_an_arm_lies_there_and_not_on_the_pile() -> None:
    table = rows()
    table.touch(SPOT, 1.0)
    assert table.undisturbed() == ["5C", "6C"]
    table.look_under_arms([(SPOT, up("4S"))], 1.0)
    assert table.undisturbed() == ["4S", "5C", "6C"]
    table.look_under_arms([], 2.0)
    assert table.undisturbed() == ["5C", "6C"]


def test_what_shows_under_an_arm_must_surely_be_the_up_card_to_lie_there() -> None:
    table = rows()
    table.touch(SPOT, 1.0)
    table.look_under_arms([(SPOT, up("4C")), (SPOT, up("4S", p=0.6)), (None, up("4S"))], 1.0)
    assert table.undisturbed() == ["5C", "6C"]
