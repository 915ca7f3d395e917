"""A table that rests is looked at now and then: quickly at first, then more closely."""

from __future__ import annotations

from vision.motion.resting_looks import RestingLooks


def test_looks_are_quick_then_closer_then_rare() -> None:
    resting = RestingLooks()
    resting.note_motion(1.0)
    assert not resting.is_due(1.1, 0.0)
    assert resting.is_due(1.25, 0.0)
    for number in range(6):
        assert resting.occlusion_regions == ([] if number < 3 else None)
        assert resting.closely_read is False
        resting.add([], 2.0 + number)
    assert resting.closely_read
    assert not resting.is_due(9.0, 7.5)
    assert resting.is_due(9.6, 7.5)


def test_what_moves_makes_what_was_read_before_past() -> None:
    resting = RestingLooks()
    assert resting.rest_start == 0.0
    assert [resting.add([], t) for t in (1.0, 1.1, 1.2)] == [False, False, True]
    resting.note_motion(2.0)
    assert (resting.amid_motion, resting.rest_start) == (True, 2.0)


def test_only_the_latest_looks_are_kept() -> None:
    resting = RestingLooks()
    for t in range(30):
        resting.add([], float(t))
    assert (len(resting.readings), len(resting.over_time)) == (10, 10)


def test_a_table_that_never_rests_is_looked_at_amid_motion() -> None:
    resting = RestingLooks()
    assert [resting.is_due_amid_motion(t, last=2.0) for t in (2.5, 3.0, 9.0)] == [False, True, True]
    assert [resting.add_amid_motion([], float(t)) for t in range(5)] == [False, False, False, False, True]
    resting.note_motion(8.0)
    assert len(resting.readings) == 5, "the motion has been there all the time"
    assert resting.closely_read


def test_looks_amid_motion_do_not_delay_the_looks_at_rest() -> None:
    resting = RestingLooks()
    for t in range(7):
        resting.add_amid_motion([], float(t))
    resting.note_motion(10.0)
    assert resting.is_due(10.25, last=10.0)


def test_looks_at_rest_count_before_those_over_time_and_join_them() -> None:
    resting = RestingLooks()
    for t in range(4):
        resting.add_amid_motion([], float(t))
    assert resting.over_time == [], "too few"
    assert resting.add([], 5.0) is False
    assert (resting.amid_motion, len(resting.readings), len(resting.over_time)) == (False, 1, 5)
    assert [resting.add([], t) for t in (5.2, 5.4)] == [False, True]
    assert len(resting.over_time) == 5, "one look a second"
    resting.note_motion(5.6)
    assert (resting.amid_motion, len(resting.readings)) == (True, 5)
    resting.clear()
    assert (resting.readings, resting.over_time) == ([], [])
