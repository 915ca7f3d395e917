"""Cameras that are unplugged, stay away, come back otherwise, or grant other pictures than were asked for."""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
import pytest

from companion.game.starting import open_game_source
from companion.settings import settings_path
from engine.errors import BadInputError
from vision.capture import sources
from vision.capture.sources import FrameResizer, LiveSource, open_source
from vision.capture.waits import WAITS
from vision.types import Image


class Unplugged:
    """Stands in for cv2.VideoCapture over a camera: each opening gives the pictures of one plugging-in."""

    def __init__(self, *pluggings: list[Image]) -> None:
        self._pluggings = list(pluggings)
        self._now: list[Image] = []
        self.opened = self.released = 0

    def open(self) -> Unplugged:
        self.opened += 1
        self._now = self._pluggings.pop(0) if self._pluggings else []
        return self

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def get(self, _: int) -> float:
        return 1e9  # a camera that lies about its rate

    def set(self, _what: int, _value: float) -> bool:
        return False

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.01)
        return (True, self._now.pop(0)) if self._now else (False, None)

    def release(self) -> None:
        self.released += 1


def grey(width: int, height: int, level: int = 90) -> Image:
    return np.full((height, width, 3), level, np.uint8)


def plugged(
    monkeypatch: pytest.MonkeyPatch, camera: Unplugged, *, keep_trying: bool = False
) -> tuple[LiveSource, list[str]]:
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: camera.open())
    source = LiveSource(0, "camera 0", keep_trying=keep_trying)
    said: list[str] = []
    source.on_status = said.append
    return source, said


def test_a_camera_that_is_unplugged_and_comes_back_goes_on_and_says_so(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = Unplugged([grey(64, 48, 10)] * 3, [grey(64, 48, 20)] * 100)
    source, said = plugged(monkeypatch, camera)
    times = []
    for t, frame in source:
        times.append(t)
        if frame[0, 0, 0] == 20:
            break
    source.close()
    assert said == ["camera 0: no picture for 0 s; it is tried again", "camera 0: the picture is back"]
    assert times == sorted(set(times))
    assert camera.released >= 1, "a camera that is held on to comes back under another number"
    assert source.fps == 15.0


def test_a_camera_that_stays_away_is_waited_for_in_a_game_and_that_is_said_again_and_again(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WAITS, "reconnect", 0.4)
    monkeypatch.setattr(WAITS, "remind", 0.4)
    monkeypatch.setattr(WAITS, "first_frame", 0.4)
    away: list[list[Image]] = [[]] * 3  # each time it is opened anew, after half a second
    camera = Unplugged([grey(64, 48, 10)] * 3, *away, [grey(64, 48, 20)] * 100)
    source, said = plugged(monkeypatch, camera, keep_trying=True)
    assert any(frame[0, 0, 0] == 20 for _, frame in source)
    source.close()
    assert said[0] == "camera 0: no picture for 0 s; it is tried again"
    assert said[1] == "camera 0: no picture for 0 s; it is tried again"
    assert "camera 0: no picture for 1 s; it is tried again" in said
    assert said[-1] == "camera 0: the picture is back"


def test_a_camera_that_never_shows_anything_is_not_waited_for_without_an_end(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = plugged(monkeypatch, Unplugged(), keep_trying=True)
    with pytest.raises(BadInputError, match=r"^camera 0: no picture for 1 s$"):
        next(iter(source))
    source.close()


def test_a_driver_that_fails_is_one_line_after_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Unplugged):
        def read(self) -> tuple[bool, Any]:
            if not self._now:
                raise cv2.error("OpenCV(5.0.0) /io/cap.cpp:1:\nerror: (-2) in function 'grab'\n")
            return super().read()

    source, _ = plugged(monkeypatch, Failing([grey(64, 48)] * 2), keep_trying=True)
    seen: list[tuple[float, Image]] = []
    with pytest.raises(BadInputError, match=r"^camera 0: OpenCV.* in function 'grab'$"):
        seen.extend(source)
    source.close()
    assert seen


def test_pictures_too_large_for_a_table_end_a_stream_in_one_line(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_FRAME_PIXELS", 64 * 48)
    source, _ = plugged(monkeypatch, Unplugged([grey(64, 48)] * 2 + [grey(65, 48)] * 9), keep_trying=True)
    with pytest.raises(BadInputError, match=r"^camera 0: pictures of 65 x 48 are too large$"):
        list(source)
    source.close()


class Webcam(Unplugged):
    """A camera of 640 x 480 that grants more where it is asked for, if it can."""

    def __init__(self, most: tuple[int, int], *pluggings: list[Image]) -> None:
        super().__init__(*pluggings)
        self.most = most
        self.asked: list[tuple[int, int]] = []
        self.size = [640, 480]

    def set(self, what: int, value: float) -> bool:
        self.asked.append((what, int(value)))
        for side, name in enumerate((cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)):
            if what == name:
                self.size[side] = min(self.most[side], int(value))
        return True

    def get(self, what: int) -> float:
        return {cv2.CAP_PROP_FRAME_WIDTH: self.size[0], cv2.CAP_PROP_FRAME_HEIGHT: self.size[1]}.get(what, 30)

    def read(self) -> tuple[bool, Any]:
        if self._now and (self._now[0].shape[1], self._now[0].shape[0]) != tuple(self.size):
            return False, None
        return super().read()


@pytest.mark.parametrize(
    ("asked", "most", "granted"),
    [
        (None, (1920, 1080), (1920, 1080)),
        (None, (1280, 720), (1280, 720)),
        ((3840, 2160), (3840, 2160), (3840, 2160)),
    ],
)
def test_a_camera_is_asked_for_pictures_in_which_cards_can_be_read_and_what_it_grants_is_kept(
    asked: tuple[int, int] | None,
    most: tuple[int, int],
    granted: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    camera = Webcam(most, [grey(*granted)] * 50)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: camera.open())
    with caplog.at_level("INFO"):
        source = open_source("0") if asked is None else open_source("0", camera_size=asked)
    frame = next(iter(source))[1]
    source.close()
    assert (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")) == camera.asked[0]
    assert frame.shape == (granted[1], granted[0], 3)
    assert f"granted {granted[0]} x {granted[1]}" in caplog.text


@pytest.mark.parametrize(
    ("stored", "size"),
    [
        ("{}", (1920, 1080)),
        ('{"camera_height": 2160}', (3840, 2160)),
        ('{"camera_height": 99999}', (1920, 1080)),
        ('{"camera_height": "2160"}', (1920, 1080)),
    ],
)
def test_a_setting_says_what_a_camera_is_asked_for(
    stored: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text(stored)
    camera = Webcam((4000, 3000), [grey(*size)])
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: camera.open())
    open_game_source("0").close()
    assert tuple(camera.size) == size


def test_a_camera_that_gives_nothing_at_the_size_asked_for_is_opened_plainly(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = Webcam((1920, 1080), [grey(640, 480)], [grey(640, 480)] * 50)
    opened = []

    def open_it(*_: object) -> Unplugged:
        camera.size = [640, 480]
        opened.append(camera.asked)
        return camera.open()

    monkeypatch.setattr(cv2, "VideoCapture", open_it)
    source = open_source("0")
    assert next(iter(source))[1].shape == (480, 640, 3)
    source.close()
    assert len(opened) == 2


def test_a_camera_that_stays_away_is_one_line_after_what_it_showed(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, said = plugged(monkeypatch, Unplugged([grey(64, 48)] * 3))
    seen: list[tuple[float, Image]] = []
    with pytest.raises(BadInputError, match=r"^camera 0: no picture for 1 s$"):
        seen.extend(source)
    source.close()
    assert seen
    assert len(said) == 1


def test_a_camera_that_comes_back_with_another_resolution_is_read_at_the_old_one(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, _ = plugged(monkeypatch, Unplugged([grey(64, 48, 10)] * 3, [grey(128, 96, 20)] * 100))
    shapes = set()
    for _, frame in source:
        shapes.add(frame.shape)
        if frame[0, 0, 0] == 20:
            break
    source.close()
    assert shapes == {(48, 64, 3)}


def test_a_camera_that_comes_back_turned_is_left_out_and_said(
    hasty: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, said = plugged(monkeypatch, Unplugged([grey(64, 48)] * 3, [grey(48, 64)] * 500))
    with pytest.raises(BadInputError, match="put the camera back"):
        assert {frame.shape for _, frame in source} == {(48, 64, 3)}
    source.close()
    assert len(said) == 1


def test_pictures_of_one_shape_are_fitted_and_others_are_not() -> None:
    same = FrameResizer()
    assert same.fit(grey(1920, 1080)) is not None
    assert (same.fit(grey(1280, 720)), same.fault_message())[1] is None
    fitted = same.fit(grey(1280, 720))
    assert fitted is not None
    assert fitted.shape == (1080, 1920, 3)
    assert same.fit(grey(1080, 1920)) is None
    assert (
        same.fault_message()
        == "the picture is 1080 x 1920 now, it was 1920 x 1080: put the camera back as it was"
    )
