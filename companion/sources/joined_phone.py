"""Frames from a phone that joined over the local network: a source in this process, beside cameras and films.

The server puts each JPEG here as it arrives, and the source decodes it when it is wanted. Only the newest one
waits, so a slow machine skips frames and never falls behind.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from engine.errors import BadInputError
from engine.messages import Said, message
from vision.capture.skipped_time import SkippedTime
from vision.capture.sources import (
    FrameResizer,
    ignore_status,
    recovered_message,
    retry_message,
)
from vision.capture.waits import WAITS
from vision.opencv_support import silence_opencv
from vision.types import Image

JOINED_PHONE = "joined-phone"
"""The source that stands for a phone that joins."""
MAX_JPEG_BYTES = 4 << 20
MAX_JPEG_PIXELS = 4096 * 2304
"""Largest picture of a phone. A page sends 1920 x 1080 at most."""
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that state the size of the picture (ITU-T T.81, table B.1)."""


@dataclass(frozen=True, slots=True)
class PhoneFrame:
    """One picture as it arrived."""

    jpeg: bytes
    t: float
    """When the phone took it, in seconds of this program's clock."""
    serial: int


class PhoneFrames:
    """Holds the newest frame of the phone that films, and the picture size that it is asked for."""

    def __init__(self) -> None:
        """Start without a frame."""
        self.latest: PhoneFrame | None = None
        self.fault: Said | str | None = None
        """Why frames are refused, for the person with the phone; None if they are not."""
        self._changed = threading.Condition()
        self._count = 0

    def put(self, jpeg: bytes, t: float) -> None:
        """Replace the waiting frame by a newer one, taken at `t` seconds.

        Raises:
            BadInputError: this is no JPEG picture of a reasonable size.
        """
        check_jpeg(jpeg)
        with self._changed:
            self._count += 1
            self.latest = PhoneFrame(jpeg, t, self._count)
            self._changed.notify_all()

    def wait(self, after: int, seconds: float, ended: Callable[[], bool]) -> PhoneFrame | None:
        """Return a frame newer than number `after`, or None if none comes in time or `ended` says so."""

        def is_newer() -> bool:
            return self.latest is not None and self.latest.serial > after

        with self._changed:
            self._changed.wait_for(lambda: is_newer() or ended(), seconds)
            return self.latest if is_newer() and not ended() else None

    def wake(self) -> None:
        """Let every waiting thread look again whether it has ended."""
        with self._changed:
            self._changed.notify_all()


_frames = PhoneFrames()


def phone_frames() -> PhoneFrames:
    """Return this process's frames of the phone that films."""
    return _frames


class PhoneSource:
    """The frames of the phone that films. It waits without limit, because phones come and go."""

    live = True
    seconds: float | None = None
    fps = 12.0

    def __init__(self, frames: PhoneFrames | None = None) -> None:
        """Read from `frames`; None: from those of this process."""
        self.name: str = message("the phone that films")
        self.on_status: Callable[[str], None] = ignore_status
        self._frames = frames or phone_frames()
        self._closed = False
        self._resizer = FrameResizer()
        self._serial = self._frames.latest.serial if self._frames.latest is not None else 0
        """Number of the last frame seen. Frames from before the opening are old."""
        self.began: float | None = None
        """When the first frame was taken, in seconds of this program's clock."""
        self._t = -1.0
        self._skipped = SkippedTime()

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds since the first frame, image). Frames that came too late are left out."""
        while (frame := self._next()) is not None:
            image = self._resizer.fit(frame)
            self._frames.fault = self._resizer.fault_message()
            if image is not None:
                yield self._t, image

    def _next(self) -> Image | None:
        """Return the next frame that can be decoded; None once the source is closed."""
        silent, lost = 0.0, False
        while not self._closed:
            patience = WAITS.silence if silent < WAITS.silence else WAITS.remind
            frame = self._frames.wait(self._serial, patience, lambda: self._closed)
            if frame is None:
                silent += patience
                if not self._closed:
                    self._say_silent(silent)
                    lost = True
                continue
            dropped, self._serial = frame.serial - self._serial - 1, frame.serial
            began = frame.t if self.began is None else self.began
            image = decode_jpeg(frame.jpeg)
            if image is None or frame.t - began <= self._t:
                continue
            self.began, self._t = began, frame.t - began
            if lost and self._resizer.size is not None:
                self.on_status(recovered_message(self.name))
            line = self._skipped.note(self._t, dropped)
            if line is not None:
                self.on_status(line)
            return image
        return None

    def _say_silent(self, silent: float) -> None:
        if self._resizer.size is None:
            self.on_status(message("waiting for a phone to film the table"))
        else:
            self.on_status(retry_message(self.name, self._resizer.fault_message(), silent))

    def close(self) -> None:
        """End the iteration."""
        self._closed = True
        self._frames.wake()


def check_jpeg(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels that a JPEG file states, without decoding it.

    Raises:
        BadInputError: it is no JPEG file, or larger than `MAX_JPEG_BYTES` or `MAX_JPEG_PIXELS`.
    """
    if len(data) > MAX_JPEG_BYTES:
        raise BadInputError("picture: {size} bytes are too many", size=len(data))
    size = _stated_size(data)
    if size is None or min(size) < 16:
        raise BadInputError("picture: not a JPEG file")
    if size[0] * size[1] > MAX_JPEG_PIXELS:
        raise BadInputError("picture: {width} x {height} pixels are too many", width=size[0], height=size[1])
    return size


def _stated_size(data: bytes) -> tuple[int, int] | None:
    """Return (width, height) from the first frame header; None if there is none."""
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = struct.unpack_from(">BH", data, at + 1)
        if marker in _FRAME_HEADERS:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if length < 2:
            return None
        at += 2 + length
    return None


def decode_jpeg(data: bytes) -> Image | None:
    """Return a picture (height x width x 3, BGR, 8 bit); None if it cannot be decoded."""
    silence_opencv()
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)
