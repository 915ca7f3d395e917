"""A row of up-cards, look by look."""

from __future__ import annotations

import numpy as np
import pytest

from vision.following.patches import Patch
from vision.following.rows import Rows
from vision.table.layout import Zone
from vision.table.observations import Observation

SPOT = Zone("row", 0, 0)


def up(name: str, x: float = 0.0, p: float = 0.97, angle: float = 90.0, **others: float) -> Observation:
    odds = {name: p} | {other.removeprefix("c"): q for other, q in others.items()}
    return Observation(x, 0.0, angle, "up", odds)


def rows() -> Rows:
    return Rows([["4S", "5C", "6C"]], 1, 0.0)


def test_an_untouched_spot_does_not_change_though_the_reader_errs() -> None:
    row = rows()
    for _ in range(4):
        assert row.look(SPOT, []) is None
        assert row.look(SPOT, [up("9D")]) is None
    assert row.up_of(0) == ["4S", "5C", "6C"]


def test_a_touched_spot_is_judged_by_two_looks() -> None:
    row = rows()
    row.touch(SPOT, 3.0)
    assert row.undisturbed() == ["5C", "6C"]
    assert row.look(SPOT, [up("QS")]) is None
    change = row.look(SPOT, [up("QS")])
    assert change is not None
    assert (change.before, change.after, change.down_gone, change.t) == ("4S", "QS", False, 3.0)
    assert row.owners("QS") == [SPOT]


def test_a_card_taken_off_leaves_the_face_down_one() -> None:
    row = rows()
    row.touch(SPOT, 3.0)
    down = Observation(0, 0, 90, "down")
    assert [row.look(SPOT, [down]) for _ in range(2)] == [None, None], "a card is overlooked now and then"
    change = row.look(SPOT, [down])
    assert change is not None
    assert (change.after, change.down_gone) == (None, False)
    assert row.down_of(0) == 3


def test_an_up_card_and_the_one_below_it_do_not_go_at_once_something_lies_over_them() -> None:
    row = rows()
    row.touch(SPOT, 3.0)
    assert [row.look(SPOT, []) for _ in range(6)] == [None] * 6
    assert row.look(SPOT, [up("4S")]) is None
    assert (row.up_of(0), row.down_of(0)) == (["4S", "5C", "6C"], 3)


def test_a_bare_spot_takes_a_look_less_where_its_picture_has_changed() -> None:
    back, table, light = (np.full((26, 26, 3), level, np.uint8) for level in (60, 60, 63))
    back[4:20, 6:18] = 120
    for picture, looks in ((Patch(table), 3), (None, 4)):
        row = rows()
        row.spots[SPOT].up = None
        row.look(SPOT, [Observation(0, 0, 90, "down")], Patch(back))
        row.touch(SPOT, 3.0)
        assert [row.look(SPOT, [], picture) for _ in range(looks - 1)] == [None] * (looks - 1)
        change = row.look(SPOT, [], picture)
        assert change is not None
        assert (change.down_gone, row.down_of(0)) == (True, 2)
    row = rows()
    row.spots[SPOT].up = None
    row.look(SPOT, [Observation(0, 0, 90, "down")], Patch(table))
    row.touch(SPOT, 3.0)
    assert [row.look(SPOT, [], Patch(light)) for _ in range(5)] == [None] * 5, "a card was overlooked"


@pytest.mark.parametrize(("rows_changed", "down"), [(3, True), (20, False)])
def test_a_back_that_one_look_shows_lies_where_hardly_more_than_the_edge_of_its_place_has_changed(
    rows_changed: int, down: bool
) -> None:
    """A neighbour that has gone lay over the edge."""
    back = np.full((26, 26, 3), 60, np.uint8)
    later = back.copy()
    later[:rows_changed] = 120
    row = rows()
    row.spots[SPOT].up = None
    row.look(SPOT, [Observation(0, 0, 90, "down")], Patch(back))
    row.touch(SPOT, 3.0)
    for cards in ([Observation(0, 0, 90, "down")], [], [], [], []):
        row.look(SPOT, cards, Patch(later))
    assert row.spots[SPOT].down is down


def test_many_looks_that_agree_correct_a_name() -> None:
    row = rows()
    for _ in range(5):
        row.look(SPOT, [up("4C", p=0.9)])
    assert row.better_names() == [(SPOT, "4C")]
    assert row.better_names() == []


def test_no_name_is_corrected_to_that_of_a_card_that_went_into_a_hand() -> None:
    """The 5 of clubs was exchanged. It cannot lie where no hand has been, however often it is read there."""
    row, other = rows(), Zone("row", 0, 1)
    row.touch(other, 3.0)
    for _ in range(2):
        row.look(other, [up("2D")])
    assert row.up_of(0) == ["4S", "2D", "6C"]
    for _ in range(5):
        row.look(SPOT, [up("5C", p=0.9)])
        row.look_beside_hand(SPOT, up("5C", p=0.98), 5.0)
    assert row.better_names() == []
    assert row.up_of(0) == ["4S", "2D", "6C"]


def test_a_card_held_out_beside_an_up_card_corrects_no_name() -> None:
    row = rows()
    for _ in range(5):
        row.look(SPOT, [up("3D", x=4.0, angle=60.0, p=0.99), up("4S", p=0.95)])
    assert row.better_names() == []


def test_names_are_corrected_by_looks_that_are_surer_only() -> None:
    row = Rows([["4S", "5C", "6C"]], 1, 0.93)
    for _ in range(5):
        row.look(SPOT, [up("4C", p=0.9)])
    assert row.better_names() == []
    for _ in range(8):
        row.look(SPOT, [up("4C", p=0.97)])
    assert row.better_names() == [(SPOT, "4C")]


@pytest.mark.parametrize(
    ("rows_changed", "read", "there"), [(3, 0.8, "4S"), (3, 0.97, "4C"), (20, 0.8, "4C")]
)
def test_a_card_that_may_be_the_one_that_lay_there_is_that_one_where_its_picture_has_hardly_changed(
    rows_changed: int, read: float, there: str
) -> None:
    before = np.full((26, 26, 3), 60, np.uint8)
    later = before.copy()
    later[:rows_changed] = 120
    row = rows()
    row.look(SPOT, [up("4S")], Patch(before))
    row.touch(SPOT, 3.0)
    for _ in range(3):
        row.look(SPOT, [up("4C", p=read, c4S=0.98 - read)], Patch(later))
    assert row.spots[SPOT].up == there


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


def test_which_of_two_that_are_alike_shows_under_an_arm_the_other_tells_that_lies_free() -> None:
    table = rows()
    table.touch(SPOT, 1.0)
    half_covered = up("4S", p=0.5, c5C=0.48)
    table.look_under_arms([(SPOT, half_covered)], 1.0)
    assert table.undisturbed() == ["4S", "5C", "6C"], "the 5C lies where no arm is"
    table.touch(Zone("row", 0, 1), 2.0)
    table.look_under_arms([(SPOT, half_covered)], 2.0)
    assert table.undisturbed() == ["6C"]


def test_a_card_that_is_half_read_is_none_that_surely_lies_elsewhere() -> None:
    """A head hides half of a card, and its rank looks like that of a card in another row."""
    half_read = up("5C", p=0.55, c4S=0.25)
    for shows in (True, False):
        row, other = rows(), Zone("row", 0, 1)
        row.touch(SPOT, 3.0)
        row.touch(other, 3.0)
        if shows:
            row.look(other, [up("5C")])
        changes = [row.look(SPOT, [half_read]) for _ in range(2)]
        assert [change.after for change in changes if change] == ([] if shows else ["5C"])


def test_nothing_seems_to_have_gone_from_a_row_that_somebody_puts_right() -> None:
    """Its spots look bare because they are elsewhere."""
    row = rows()
    row.spots[SPOT].up = None
    back, table = (np.full((26, 26, 3), level, np.uint8) for level in (160, 60))
    row.look(SPOT, [], Patch(back))
    row.touch(SPOT, 3.0)
    for _ in range(2):
        assert row.look(SPOT, [], Patch(table)) is None
    row.put_right(0, 4.0)
    assert row.spots[SPOT].down
