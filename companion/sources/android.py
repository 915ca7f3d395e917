"""The phone's own camera: a bridge to Android behind a small interface, and a frame source that uses it.

OpenCV cannot open Android's cameras. Camera4Kivy can (through CameraX), and hands each frame to Python as
RGBA bytes. All use of it is in `Camera4KivyBridge`, which is loaded on a phone only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Protocol

import cv2
import numpy as np

from companion.device import is_granted, on_phone
from engine.errors import BadInputError
from engine.messages import message
from vision.capture.frame_queue import FrameQueue
from vision.capture.sources import (
    FrameResizer,
    ignore_status,
    no_frame_message,
    recovered_message,
    retry_message,
)
from vision.types import Image

_log = logging.getLogger(__name__)
PHONE_CAMERA = "phone"
"""Name of the source that is the phone's own camera."""
FrameCallback = Callable[[bytes, tuple[int, int]], None]
"""Called from any thread with a frame: RGBA bytes, rows from the top, and (width, height)."""
PermissionCallback = Callable[[bool], None]
"""Called from any thread with the user's answer: whether the camera may be used."""


class CameraBridge(Protocol):
    """The interface of a phone's camera."""

    def start(self, arrived: FrameCallback, answered: PermissionCallback) -> None:
        """Ask for permission, report the answer, and send frames if it is granted."""
        ...

    def stop(self) -> None:
        """Stop sending frames and release the camera. It may be started again."""
        ...


class BridgeSource:
    """A bridge's frames as a live source, which keeps the newest ones (`FrameQueue`).

    A camera that falls silent after its first frame is restarted for as long as the source is open.
    """

    live = True
    fps = 15.0
    seconds: float | None = None

    def __init__(
        self,
        bridge: CameraBridge,
        *,
        clock: Callable[[], float] = time.monotonic,
        first_frame_s: float = 15.0,
        lost_after_s: float = 10.0,
        retry_s: float = 30.0,
    ) -> None:
        """Start the bridge.

        Args:
            bridge: The camera.
            clock: Gives the time of the frames, in seconds.
            first_frame_s: Longest wait for the first frame, after the user has allowed the camera.
            lost_after_s: Silence after which the camera is restarted.
            retry_s: Further silence after which it is restarted again.
        """
        self.name: str = message("the phone's camera")
        self.on_status: Callable[[str], None] = ignore_status
        self._same_size = FrameResizer()
        self._bridge, self._clock = bridge, clock
        self._first_frame_s, self._lost_after_s, self._retry_s = first_frame_s, lost_after_s, retry_s
        self._backlog = FrameQueue()
        self._arrived = threading.Condition()
        self._closed = False
        self._allowed: bool | None = None
        """The user's answer; None until it comes."""
        self._began = clock()
        bridge.start(self._take, self._answer)

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield frames as they come. If they come too fast, the oldest are dropped.

        Raises:
            BadInputError: the user refuses the camera, or no first frame comes.
        """
        item = self._first()
        while item is not None:
            yield item
            item = self._next()

    def _first(self) -> tuple[float, Image] | None:
        with self._arrived:
            self._arrived.wait_for(lambda: self._allowed is not None or self._something())
        item = self._await(self._first_frame_s)
        if item is None and not self._closed:
            why = self._same_size.fault_message() or no_frame_message(self._first_frame_s)
            raise BadInputError("{name}: {reason}", name=self.name, reason=why)
        return item

    def _next(self) -> tuple[float, Image] | None:
        """Wait for a frame, and report long silences and their end. Return None once closed."""
        item, silent = self._await(self._lost_after_s), self._lost_after_s
        while item is None and not self._closed:
            fault = self._same_size.fault_message()
            self.on_status(retry_message(self.name, fault, silent))
            if fault is None:
                self._bridge.stop()
                self._bridge.start(self._take, self._answer)
            item, silent = self._await(self._retry_s), silent + self._retry_s
            if item is not None:
                self.on_status(recovered_message(self.name))
        return item

    def _await(self, seconds: float) -> tuple[float, Image] | None:
        with self._arrived:
            self._arrived.wait_for(self._something, seconds)
            if self._allowed is False:
                raise BadInputError(
                    "{name}: the app is not allowed to use it (allow it in the phone's settings)",
                    name=self.name,
                )
            return None if self._closed else self._backlog.pop()

    def close(self) -> None:
        """Release the camera and end the iteration."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._bridge.stop()

    def _something(self) -> bool:
        return len(self._backlog) > 0 or self._closed or self._allowed is False

    def _take(self, rgba: bytes, size: tuple[int, int]) -> None:
        width, height = size
        if len(rgba) != 4 * width * height:
            _log.warning("a picture of %d bytes for %d x %d is left out", len(rgba), width, height)
            return
        pixels = np.frombuffer(rgba, np.uint8).reshape(height, width, 4)
        picture = self._same_size.fit(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGBA2BGR), np.uint8))
        if picture is None:
            return
        with self._arrived:
            self._backlog.put(self._clock() - self._began, picture)
            self._arrived.notify_all()

    def _answer(self, allowed: bool) -> None:
        with self._arrived:
            self._allowed = allowed
            self._arrived.notify_all()


class Camera4KivyBridge:
    """The bridge on a phone. Tests run it with fake Android modules only."""

    def __init__(self) -> None:
        self._preview: Any = None
        self._run = 0
        """Counts starts and stops, so that a late answer or a late main thread does nothing."""

    def start(self, arrived: FrameCallback, answered: PermissionCallback) -> None:
        """Ask for CAMERA, then connect an analysing preview of one pixel. The app draws the frames itself."""
        permissions = import_module("android.permissions")
        self._run += 1
        run = self._run

        def told(_asked: Any, granted: list[bool]) -> None:
            if run != self._run:
                return
            answered(is_granted(granted))
            if is_granted(granted):
                import_module("kivy.clock").mainthread(self._connect)(arrived, run)

        permissions.request_permissions([permissions.Permission.CAMERA], told)

    def _connect(self, arrived: FrameCallback, run: int) -> None:
        if run != self._run:
            return
        preview = import_module("camera4kivy").Preview

        def analyze(_self: Any, pixels: bytes, size: tuple[int, int], *_more: Any) -> None:
            arrived(pixels, size)

        self._preview = type("Eye", (preview,), {"analyze_pixels_callback": analyze})(size=(1, 1))
        self._preview.connect_camera(
            camera_id="back", enable_analyze_pixels=True, analyze_pixels_resolution=1920
        )

    def stop(self) -> None:
        """Disconnect the preview on the main thread, as CameraX requires."""
        self._run += 1
        import_module("kivy.clock").mainthread(self._disconnect)()

    def _disconnect(self) -> None:
        preview, self._preview = self._preview, None
        if preview is not None:
            preview.disconnect_camera()


def open_phone_camera() -> BridgeSource:
    """Return the phone's camera as a source.

    Raises:
        BadInputError: this device is no phone.
    """
    if not on_phone():
        raise BadInputError(
            "phone: this computer is not a phone; give a camera's number or a stream's address"
        )
    return BridgeSource(Camera4KivyBridge())
