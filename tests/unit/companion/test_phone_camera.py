"""The app as a phone has it: its camera behind a bridge, and without what phones lack."""

from __future__ import annotations

import runpy
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from companion.sources.android import (
    BridgeSource,
    Camera4KivyBridge,
    FrameCallback,
    PermissionCallback,
    open_phone_camera,
)
from companion.sources.cameras import find_cameras
from engine.errors import BadInputError

ROOT = Path(__file__).parents[3]


class FakeBridge:
    """Stands in for the phone: sends what it is told to, from a thread of its own, as CameraX does."""

    def __init__(self, *pictures: tuple[bytes, tuple[int, int]], allowed: bool = True) -> None:
        self.pictures, self.allowed, self.stopped = pictures, allowed, False

    def start(
        self, arrived: Callable[[bytes, tuple[int, int]], None], answered: Callable[[bool], None]
    ) -> None:
        def send() -> None:
            answered(self.allowed)
            for picture in self.pictures:
                arrived(*picture)

        threading.Thread(target=send).start()

    def stop(self) -> None:
        self.stopped = True


def rgba(red: int, green: int, blue: int, width: int = 4, height: int = 3) -> tuple[bytes, tuple[int, int]]:
    return bytes((red, green, blue, 255)) * (width * height), (width, height)


def test_a_picture_of_the_phone_arrives_as_vision_wants_it() -> None:
    bridge = FakeBridge(rgba(200, 100, 50))
    source = BridgeSource(bridge)
    t, picture = next(iter(source))
    assert source.live
    assert t >= 0
    assert picture.shape == (3, 4, 3)
    assert picture.dtype == np.uint8
    assert tuple(picture[0, 0]) == (50, 100, 200)
    source.close()
    assert bridge.stopped
    assert list(source) == []


def test_a_torn_picture_is_left_out() -> None:
    source = BridgeSource(FakeBridge((b"\0" * 7, (4, 3)), rgba(1, 2, 3)))
    assert tuple(next(iter(source))[1][0, 0]) == (3, 2, 1)
    source.close()


def test_a_user_who_says_no_is_told_what_follows() -> None:
    source = BridgeSource(FakeBridge(allowed=False))
    with pytest.raises(BadInputError, match="the app is not allowed to use it"):
        next(iter(source))
    source.close()


def test_the_users_reading_of_the_question_costs_no_patience() -> None:
    class Reading(FakeBridge):
        def start(self, arrived: FrameCallback, answered: PermissionCallback) -> None:
            threading.Timer(0.5, lambda: answered(True)).start()
            threading.Timer(0.6, lambda: arrived(*rgba(1, 2, 3))).start()

    source = BridgeSource(Reading(), first_frame_s=0.3)
    assert next(iter(source))[1].shape == (3, 4, 3)
    source.close()


def test_a_camera_that_never_shows_anything_is_given_up() -> None:
    source = BridgeSource(FakeBridge(), first_frame_s=0.05)
    with pytest.raises(BadInputError, match="no picture for"):
        next(iter(source))
    source.close()


def test_a_camera_that_falls_silent_in_mid_game_is_begun_again_until_it_is_back() -> None:
    class Silent(FakeBridge):
        starts = 0

        def start(self, arrived: FrameCallback, answered: PermissionCallback) -> None:
            self.starts += 1
            self.pictures = (rgba(self.starts, 0, 0),) if self.starts in (1, 4) else ()
            super().start(arrived, answered)

    told: list[str] = []
    source = BridgeSource(Silent(), lost_after_s=0.05, retry_s=0.1)
    source.on_status = told.append
    pictures = iter(source)
    assert [next(pictures)[1][0, 0, 2] for _ in range(2)] == [1, 4]
    source.close()
    assert len(told) == 4
    assert "it is tried again" in told[2]
    assert told[3] == "the phone's camera: the picture is back"


class Android:
    """Stands in for Android's own modules; the answer comes when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cameras: list[str] = []
        self.answer: Callable[[list[str], list[bool]], None] = lambda _asked, _granted: None
        android = self

        class Preview:
            def __init__(self, size: tuple[int, int]) -> None:
                pass

            def connect_camera(self, **_how: object) -> None:
                android.cameras.append("connected")

            def disconnect_camera(self) -> None:
                android.cameras.append("let go")

        def ask(_permissions: list[str], told: Callable[[list[str], list[bool]], None]) -> None:
            self.answer = told

        permissions = SimpleNamespace(request_permissions=ask, Permission=SimpleNamespace(CAMERA="camera"))
        for name, module in (
            ("android", SimpleNamespace()),
            ("android.permissions", permissions),
            ("camera4kivy", SimpleNamespace(Preview=Preview)),
            ("kivy.clock", SimpleNamespace(mainthread=lambda work: work)),
        ):
            monkeypatch.setitem(sys.modules, name, module)


def test_a_camera_that_is_allowed_is_connected_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    android = Android(monkeypatch)
    answers: list[bool] = []
    bridge = Camera4KivyBridge()
    bridge.start(lambda *_: None, answers.append)
    android.answer([], [True])
    bridge.stop()
    assert (answers, android.cameras) == ([True], ["connected", "let go"])


@pytest.mark.parametrize("granted", [[False], []], ids=["refused", "broken off"])
def test_a_camera_that_is_not_allowed_is_not_connected(
    monkeypatch: pytest.MonkeyPatch, granted: list[bool]
) -> None:
    android = Android(monkeypatch)
    answers: list[bool] = []
    Camera4KivyBridge().start(lambda *_: None, answers.append)
    android.answer([], granted)
    assert (answers, android.cameras) == ([False], [])


def test_leave_that_is_given_after_the_game_was_left_connects_no_camera(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    android = Android(monkeypatch)
    answers: list[bool] = []
    bridge = Camera4KivyBridge()
    bridge.start(lambda *_: None, answers.append)
    bridge.stop()
    android.answer([], [True])
    assert (answers, android.cameras) == ([], [])


def test_no_numbered_camera_is_looked_for_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "android")
    monkeypatch.setattr(sys, "getandroidapilevel", lambda: 33, raising=False)
    monkeypatch.setattr("companion.sources.cameras.cv2.VideoCapture", lambda _number: pytest.fail("opened"))
    assert find_cameras() == []


def test_on_a_phone_what_goes_wrong_is_logged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []
    monkeypatch.setattr("companion.files.logs.begin_logging", lambda: begun.append("log"))
    monkeypatch.setattr("companion.app.window.run_window", lambda setup: begun.append(setup.source))
    runpy.run_path(str(ROOT / "main.py"), run_name="__main__")
    assert begun == ["log", "phone"]


def test_on_a_computer_the_phones_camera_is_not_there() -> None:
    with pytest.raises(BadInputError, match="is not a phone"):
        open_phone_camera()
