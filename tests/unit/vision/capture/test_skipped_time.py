"""A computer that is too slow to look at every frame says so once, and once when it keeps up again."""

from __future__ import annotations

import numpy as np

from vision.capture.skipped_time import SkippedTime


def _said(*parts: tuple[float, float, int]) -> list[str]:
    """The lines that are said about parts of (seconds, time between frames, frames dropped in between)."""
    skipped, t, said = SkippedTime(), 0.0, []
    for seconds, step, dropped in parts:
        for _ in np.arange(0, seconds, step):
            line = skipped.note(t, dropped)
            said += [line] if line is not None else []
            t += step
    return [str(line) for line in said]


def test_frames_that_are_all_looked_at_are_not_mentioned() -> None:
    assert _said((60, 1 / 15, 0)) == []


def test_a_camera_that_is_slow_by_itself_is_not_the_computers_fault() -> None:
    assert _said((60, 0.5, 0)) == []


def test_every_second_frame_of_a_fast_camera_is_enough() -> None:
    assert _said((60, 1 / 15, 1)) == []


def test_long_gaps_are_said_once_and_their_end_too() -> None:
    said = _said((20, 1 / 15, 0), (40, 0.6, 8), (40, 1 / 15, 0), (30, 0.6, 8))
    assert len(said) == 3
    assert said[0].startswith("the computer is too slow: ")
    assert said[1] == "the computer keeps up again"
    assert said[2].startswith("the computer is too slow: ")
