"""Whose arm crosses the border, where people sit side by side."""

from __future__ import annotations

import numpy as np
import pytest

from vision.hands.ownership import ArmOwnership
from vision.plane import TablePlane
from vision.table.layout import Layout, Place, Seat

PILE = (0.0, 0.0)
ANN, BOB, CAT = range(3)


@pytest.fixture
def layout() -> Layout:
    """Ann sits below; Bob and Cat sit above, side by side: their doors are at x = -180 and 180, y = -300."""
    plane = TablePlane(np.array([[1.0, 0, -500], [0, 1.0, -300], [0, 0, 1]]))
    return Layout(
        plane,
        1000,
        600,
        (
            Seat("Ann", ((0.0, 220.0),), (0.0, 1.0)),
            Seat("Bob", ((-180.0, -220.0),), (0.0, -1.0)),
            Seat("Cat", ((180.0, -220.0),), (0.0, -1.0)),
        ),
    )


def crossing(shoulder: Place, hand: Place = PILE) -> Place:
    """Return where a straight arm from a shoulder above the table crosses the border at y = -300."""
    share = (hand[1] + 300) / (hand[1] - shoulder[1])
    return hand[0] + (shoulder[0] - hand[0]) * share, -300.0


def test_an_arm_that_just_appears_is_that_of_the_nearest_seat(layout: Layout) -> None:
    for x, seat in ((-300, BOB), (-30, BOB), (30, CAT), (250, CAT)):
        assert ArmOwnership().owner_of(layout, (x, -300.0), (x, -298.0))[0] == seat


def test_a_right_arm_that_reaches_past_its_neighbour_is_still_its_owner_s(layout: Layout) -> None:
    far = (-250.0, 60.0)  # who sits above, facing down, has the right hand at smaller x
    contact = crossing((180.0 - 130.0, -650.0), far)
    assert contact[0] < 0, "it comes in before the neighbour"
    assert ArmOwnership().owner_of(layout, contact, far)[0] == CAT


def test_which_hand_somebody_uses_is_learnt(layout: Layout) -> None:
    shoulders = ArmOwnership()
    left_handed = crossing((-180.0 + 190.0, -650.0))
    assert shoulders.owner_of(layout, left_handed, PILE)[0] == CAT, "it might be Cat's right hand"
    shoulders.learn(layout, CAT, crossing((180.0 + 120.0, -650.0)), PILE)
    assert shoulders.owner_of(layout, left_handed, PILE) == (BOB, True)


def test_nothing_is_learnt_from_a_hand_that_is_not_over_the_table(layout: Layout) -> None:
    shoulders = ArmOwnership()
    shoulders.learn(layout, CAT, (0.0, -300.0), (0.0, -320.0))
    assert shoulders == ArmOwnership()


def test_an_arm_stays_its_owner_s_where_another_one_fits_hardly_better(layout: Layout) -> None:
    shoulders = ArmOwnership()
    for contact in ((x, -300.0) for x in np.linspace(-60.0, 60.0, 121)):
        nearer = shoulders.owner_of(layout, contact, PILE)[0]
        kept = [shoulders.owner_of(layout, contact, PILE, owner)[0] for owner in (BOB, CAT)]
        assert nearer in kept
        assert kept in ([BOB, CAT], [nearer, nearer])
    between = [x for x in np.linspace(-60.0, 60.0, 121) if _stays(shoulders, layout, (x, -300.0))]
    assert 4 <= len(between) <= 20
    assert shoulders.owner_of(layout, (250.0, -300.0), PILE, BOB)[0] == CAT


def _stays(shoulders: ArmOwnership, layout: Layout, contact: Place) -> bool:
    return [shoulders.owner_of(layout, contact, PILE, owner)[0] for owner in (BOB, CAT)] == [BOB, CAT]


RED, BLUE = np.array([30.0, 160.0, 145.0]), np.array([15.0, 128.0, 110.0])


def test_of_neighbours_whose_arms_would_cross_alike_the_sleeve_tells(layout: Layout) -> None:
    shoulders, between = ArmOwnership(), (0.0, -300.0)
    sides = {seat: crossing((x, -650.0)) for seat, x in ((BOB, -180.0), (CAT, 180.0))}
    for seat, sleeve in ((BOB, RED), (CAT, BLUE)):
        shoulders.learn(layout, seat, sides[seat], PILE, sleeve)
    for seat, sleeve in ((BOB, RED), (CAT, BLUE)):
        assert shoulders.owner_of(layout, between, PILE, sleeve=sleeve) == (seat, True)
        assert shoulders.owner_of(layout, sides[seat], PILE, sleeve=sleeve + 6) == (seat, True), (
            "in other light"
        )
        assert not shoulders.owner_of(layout, between, PILE, sleeve=(RED + BLUE) / 2)[1]
    assert shoulders.owner_of(layout, (-240.0, -300.0), (-240.0, 0.0), sleeve=BLUE)[0] == BOB, (
        "Cat sits too far"
    )


def test_an_unknown_sleeve_is_sooner_that_of_somebody_who_has_not_reached_in(layout: Layout) -> None:
    shoulders = ArmOwnership()
    straight = crossing((-180.0 - 130.0, -650.0))
    for _ in range(2):
        shoulders.learn(layout, BOB, straight, PILE, RED)
    between = (-65.0, -300.0)
    assert shoulders.owner_of(layout, between, PILE, sleeve=RED)[0] == BOB
    assert shoulders.owner_of(layout, between, PILE, sleeve=BLUE)[0] == CAT
