"""The phone's own camera: a bridge to Android behind a small interface, and a source of pictures over it.

OpenCV cannot open an Android camera. Camera4Kivy can (CameraX beneath it); it hands each picture to Python as
RGBA bytes. Everything of it that is used is in `Camera4KivyBridge`, which is loaded on a phone only.
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

from companion.device import on_phone
from engine.errors import BadInputError
from engine.said import message
from vision.backlog import Backlog
from vision.reading import Image
from vision.sources import SameSize, no_picture, tell_nobody

_log = logging.getLogger(__name__)
PHONE_CAMERA = "phone"
"""The source that is the camera of the phone on which the app runs."""
_FIRST_PICTURE_S = 15.0
_LOST_AFTER_S = 10.0
Arrived = Callable[[bytes, tuple[int, int]], None]
"""Called from any thread with a picture: RGBA bytes, rows from the top, and (width, height)."""


class CameraBridge(Protocol):
    """What is needed of a phone's camera."""

    def start(self, arrived: Arrived, refused: Callable[[], None]) -> None:
        """Ask for leave, then send pictures; `refused` is called where the user says no."""
        ...

    def stop(self) -> None:
        """Send no more pictures and let go of the camera."""
        ...


class BridgeSource:
    """The pictures of a bridge as a live source: the last are kept (`Backlog`)."""

    live = True
    fps = 15.0

    def __init__(self, bridge: CameraBridge, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the bridge."""
        self.name: str = message("the phone's camera")
        self.tell: Callable[[str], None] = tell_nobody
        self._same_size = SameSize()
        self._bridge, self._clock = bridge, clock
        self._backlog = Backlog()
        self._arrived = threading.Condition()
        self._closed = self._refused = False
        self._began = clock()
        bridge.start(self._take, self._refuse)

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield pictures as they come; of those that came meanwhile the oldest are dropped.

        Raises:
            BadInputError: the user does not allow it, or no picture comes.
        """
        patience = _FIRST_PICTURE_S
        while True:
            with self._arrived:
                ready = self._arrived.wait_for(self._something, patience)
                if self._refused:
                    raise BadInputError(
                        "{name}: may not be used (allow it in the phone's settings)", name=self.name
                    )
                if self._closed:
                    return
                item = self._backlog.take() if ready else None
                if item is None:
                    why = self._same_size.fault() or no_picture(patience)
                    raise BadInputError("{name}: {reason}", name=self.name, reason=why)
            patience = _LOST_AFTER_S
            yield item

    def close(self) -> None:
        """Let go of the camera; iteration ends."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._bridge.stop()

    def _something(self) -> bool:
        return len(self._backlog) > 0 or self._closed or self._refused

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

    def _refuse(self) -> None:
        with self._arrived:
            self._refused = True
            self._arrived.notify_all()


class Camera4KivyBridge:
    """The bridge on a phone. Not run by any test: it needs the device."""

    def __init__(self) -> None:
        self._preview: Any = None

    def start(self, arrived: Arrived, refused: Callable[[], None]) -> None:
        """Ask for CAMERA, then connect an analysing preview of one pixel, which the app draws itself."""
        permissions = import_module("android.permissions")

        def answered(_asked: Any, granted: list[bool]) -> None:
            if not all(granted):
                refused()
                return
            import_module("kivy.clock").mainthread(self._connect)(arrived)

        permissions.request_permissions([permissions.Permission.CAMERA], answered)

    def _connect(self, arrived: Arrived) -> None:
        preview = import_module("camera4kivy").Preview

        def analyze(_self: Any, pixels: bytes, size: tuple[int, int], *_more: Any) -> None:
            arrived(pixels, size)

        self._preview = type("Eye", (preview,), {"analyze_pixels_callback": analyze})(size=(1, 1))
        self._preview.connect_camera(
            camera_id="back", enable_analyze_pixels=True, analyze_pixels_resolution=1920
        )

    def stop(self) -> None:
        """Disconnect the preview, on the main thread, where CameraX wants it."""
        preview, self._preview = self._preview, None
        if preview is not None:
            import_module("kivy.clock").mainthread(preview.disconnect_camera)()


def open_phone_camera() -> BridgeSource:
    """Return the phone's camera as a source.

    Raises:
        BadInputError: this is no phone.
    """
    if not on_phone():
        raise BadInputError("phone: this computer is no phone; name a camera's number or a stream's address")
    return BridgeSource(Camera4KivyBridge())
