"""The last seconds before a ruling: shared only when asked, and without what is outside the table."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.clips import Clip, ClipBuffer, save_clip
from engine.errors import BadInputError
from tests.support.scripted import LINES, READINGS
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat
from vision.types import Image

SIZE = (960, 540)
SEATS = tuple(Seat(name, ((480.0, y),), (0.0, 1.0)) for name, y in (("Ann", 400.0), ("Cat", 200.0)))
LAYOUT = Layout(TablePlane(np.eye(3)), *SIZE, SEATS)
RED = (0, 0, 255)


def clip_of(layout: Layout | None) -> Clip:
    """Return five seconds of a green table with red people around it."""
    frame: Image = np.full((SIZE[1], SIZE[0], 3), RED, np.uint8)
    frame[110:490, 390:570] = (0, 128, 0)
    clips = ClipBuffer()
    for number in range(60):
        clips.add(frame, 55.0 + number * 0.125)
    clips.pin(LINES, READINGS, SIZE, layout)
    clip = clips.clip(8)
    assert clip is not None
    return clip


def frames_of(film: Path) -> list[Image]:
    capture, frames = cv2.VideoCapture(str(film)), []
    while (read := capture.read())[0]:
        frames.append(np.asarray(read[1], np.uint8))
    return frames


def test_a_kept_clip_is_a_film_of_five_seconds(tmp_path: Path) -> None:
    film = tmp_path / "clip.mp4"
    save_clip(clip_of(LAYOUT), film)
    capture = cv2.VideoCapture(str(film))
    seconds = capture.get(cv2.CAP_PROP_FRAME_COUNT) / capture.get(cv2.CAP_PROP_FPS)
    assert seconds == pytest.approx(5.0, abs=0.2)
    assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"]


def test_nothing_outside_the_table_is_in_a_kept_clip(tmp_path: Path) -> None:
    film = tmp_path / "clip.mp4"
    save_clip(clip_of(LAYOUT), film)
    frames = frames_of(film)
    assert frames
    for frame in frames:
        red = (frame[..., 2].astype(int) - frame[..., 1] > 100) & (frame[..., 1] < 60)
        assert red.mean() < 0.001
    green = frames[0][..., 1].astype(int) - frames[0][..., 2] > 60
    assert green.mean() > 0.5, "the table is shown"


def test_without_a_known_table_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="people could be seen"):
        save_clip(clip_of(None), tmp_path / "clip.mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="No such file"):
        save_clip(clip_of(LAYOUT), tmp_path / "none" / "clip.mp4")
    assert list(tmp_path.iterdir()) == []
