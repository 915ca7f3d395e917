"""What waits of a live source: in order, not for long, and not without bound."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.capture.frame_queue import FrameQueue

_PICTURE = np.zeros((10, 10, 3), np.uint8)


def test_pictures_are_taken_in_the_order_in_which_they_came() -> None:
    backlog = FrameQueue(seconds=1.0)
    dropped = [backlog.put(number / 10, _PICTURE) for number in range(3)]
    taken = [backlog.pop() for _ in range(4)]
    assert dropped == [0, 0, 0]
    assert [item[0] if item else None for item in taken] == [0.0, 0.1, 0.2, None]


def test_what_has_waited_too_long_is_dropped_when_the_next_comes() -> None:
    backlog = FrameQueue(seconds=0.25)
    dropped = [backlog.put(t, _PICTURE) for t in (0.0, 0.1, 0.2, 0.3, 5.0)]
    assert dropped == [0, 0, 0, 1, 3]
    assert len(backlog) == 1


def test_a_picture_that_is_larger_than_all_that_may_wait_waits_alone() -> None:
    backlog = FrameQueue(most_bytes=10)
    assert [backlog.put(t, _PICTURE) for t in (0.0, 0.01)] == [0, 1]
    item = backlog.pop()
    assert item is not None
    assert item[0] == 0.01


@given(
    steps=st.lists(st.tuples(st.floats(0.001, 0.2), st.integers(1, 60), st.integers(0, 2)), max_size=60),
    seconds=st.floats(0.0, 1.0),
)
def test_nothing_is_lost_uncounted_and_the_newest_always_waits(
    steps: list[tuple[float, int, int]], seconds: float
) -> None:
    backlog, t, put, dropped, taken = FrameQueue(seconds, most_bytes=3000), 0.0, 0, 0, []
    for wait, width, takes in steps:
        t += wait
        put += 1
        dropped += backlog.put(t, np.zeros((4, width, 3), np.uint8))
        for _ in range(takes):
            item = backlog.pop()
            if item is not None:
                assert t - item[0] <= seconds or item[0] == t
                taken.append(item[0])
    assert put == dropped + len(taken) + len(backlog)
    assert taken == sorted(set(taken))
