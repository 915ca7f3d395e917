"""OpenCV is silenced whichever one is there: from 4.13 on the functions lie elsewhere than on a phone."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import pytest

from vision import opencv_log


@pytest.mark.parametrize("older", [False, True])
def test_opencv_is_silenced_and_speaks_again(older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    level = [3]
    functions = {"getLogLevel": lambda: level[0], "setLogLevel": lambda new: level.__setitem__(0, new)}
    here = SimpleNamespace(**functions)
    fake = SimpleNamespace(utils=SimpleNamespace(), **functions) if older else SimpleNamespace()
    if not older:
        fake.utils = SimpleNamespace(logging=here)
    monkeypatch.setattr(opencv_log, "cv2", fake)
    before = opencv_log.silence()
    assert (before, level) == (3, [0])
    opencv_log.set_log_level(before)
    assert level == [3]


def test_silent_is_what_opencv_calls_so() -> None:
    assert cv2.utils.logging.LOG_LEVEL_SILENT == opencv_log._SILENT
