"""Sources of frames: a film, a camera, a stream.

A film is read frame by frame on its own clock, and no frame is dropped. A live source keeps only its latest
frames, so that reading does not fall behind the table.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from engine.errors import BadInputError
from engine.messages import Said, message
from vision.capture.addresses import complete_address, lacks_password, without_password
from vision.capture.frame_queue import FrameQueue
from vision.capture.opencv import (
    CAMERA_SIZE,
    MAX_FRAME_PIXELS,
    Size,
    camera_number,
    frame_rate,
    frame_too_large,
    open_camera,
    open_film,
    open_stream,
)
from vision.capture.prefetch import Prefetcher
from vision.capture.skipped_time import SkippedTime
from vision.capture.stream_probe import StreamProbe, probe_stream
from vision.capture.waits import WAITS
from vision.types import Image

_log = logging.getLogger(__name__)
_EXIT_SECONDS = 6.0
"""How long the end of the program waits for a camera: OpenCV gives up a silent stream after five seconds."""
_MAX_BROKEN_IN_A_ROW = 250
"""A film counts as cut off after this many broken frames in a row."""
_ASPECT_TOLERANCE = 0.02
"""Two frames have the same shape if their aspect ratios differ by less than this share."""
_CUT_OFF_TOLERANCE = 0.01
"""A film counts as cut off if this share of its frames is missing. Containers state the number only
roughly."""
_CUT_OFF_FRAMES, _CUT_OFF_SECONDS = 2.0, 1.0
"""A short film counts as cut off only if more than so many frames, and so many seconds, are missing."""
_CLOCK_JUMP_SECONDS = 60.0
"""Frames of a film that are farther apart mean that the clock of the recorded stream jumped."""
_CLOSE_SECONDS = 2.0
"""How long closing waits for a thread that may be reading a frame."""
_REOPEN_SECONDS = 0.5
"""The pause before a lost source is opened again."""


class FrameSource(Protocol):
    """A sequence of frames with their times."""

    name: str
    """A film's path, a stream's address without its password, or `camera 0`."""
    live: bool
    """Whether frames arrive in real time."""
    fps: float
    """Frames per second; a guess for a live source."""
    seconds: float | None
    """Duration in seconds, if known."""
    on_status: Callable[[str], None]
    """Called in the iterating thread with one line for people.

    The line may say that a live source is lost or back, or that the computer is too slow or keeps up again.
    It may also say that the clock of a film jumps.
    """

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds of the source, image) with strictly increasing times.

        Raises:
            BadInputError: The source broke off, after all frames before that were yielded.
        """
        ...

    def close(self) -> None:
        """Release the source, which ends the iteration."""
        ...


def open_source(spec: str, *, keep_trying: bool = False, camera_size: Size = CAMERA_SIZE) -> FrameSource:
    """Open a film (path), a camera (number) or a stream (URL).

    Args:
        spec: The path, number or URL. A stream's `http://` may be left out.
        keep_trying: Whether to wait without limit for a camera or stream that has shown a frame before.
        camera_size: The frame size (width, height) that a camera is asked for.

    Raises:
        BadInputError: The source does not exist, or yields no frame.
    """
    spec = complete_address(spec)
    number = camera_number(spec)
    if number is not None:
        name = message("camera {number}", number=spec)
        return LiveSource(number, name, keep_trying=keep_trying, camera_size=camera_size)
    if "://" in spec:
        if lacks_password(spec):
            raise BadInputError("{name}: the password was not kept; type the address again", name=spec)
        return LiveSource(spec, without_password(spec), keep_trying=keep_trying)
    return FilmSource(Path(spec))


def ignore_status(_line: str) -> None:
    """Do nothing; the default for `FrameSource.on_status`."""


class FrameResizer:
    """Resizes a source's frames to the size of its first one, to which all positions refer.

    A camera may return with another resolution after it was lost. A camera that was turned on its side shows
    another part of the table, so frames of another shape are rejected.
    """

    def __init__(self) -> None:
        self.size: tuple[int, int] | None = None
        """Width and height of the first frame."""
        self.rejected_size: tuple[int, int] | None = None
        """Width and height of the last frame if it was rejected."""

    def fit(self, frame: Image) -> Image | None:
        """Return a frame resized to the size of the first one; None if it has another shape."""
        size = (int(frame.shape[1]), int(frame.shape[0]))
        self.size = self.size or size
        self.rejected_size = None
        if size == self.size:
            return frame
        if abs(size[0] * self.size[1] / (size[1] * self.size[0]) - 1) > _ASPECT_TOLERANCE:
            self.rejected_size = size
            return None
        mode = cv2.INTER_AREA if size[0] > self.size[0] else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(frame, self.size, interpolation=mode), np.uint8)

    def fault_message(self) -> str | None:
        """Return in one line why frames are rejected; None if they are not."""
        if self.size is None or self.rejected_size is None:
            return None
        now, first = (f"{width} x {height}" for width, height in (self.rejected_size, self.size))
        return message(
            "the picture is {now} now, it was {first}: put the camera back as it was", now=now, first=first
        )


def no_frame_message(seconds: float) -> Said:
    """Return the message that a source has sent no frame for so many seconds."""
    return message("no picture for {seconds:.0f} s", seconds=seconds)


def retry_message(name: str, fault: str | None, seconds: float) -> Said:
    """Return the message that a silent source is being retried, or why its frames are rejected (`fault`)."""
    again = message("no picture for {seconds:.0f} s; it is tried again", seconds=seconds)
    return message("{name}: {reason}", name=name, reason=fault or again)


def recovered_message(name: str) -> Said:
    """Return the message that a silent source shows frames again."""
    return message("{name}: the picture is back", name=name)


class FilmClock:
    """The times of a film's frames by their stamps, which may be missing, or jump with a stream's clock."""

    def __init__(self, fps: float) -> None:
        self._fps, self._count, self._t, self._offset = fps, 0, -1.0, 0.0
        self.jump = 0.0
        """By how many seconds the clock jumped before the last frame; 0 if it did not."""

    def time_of(self, stamp: float) -> float:
        """Return the time of the next frame in seconds, later than all before, by its stamp in seconds.

        In a file without usable stamps, the frame's number gives its time.
        """
        following = self._t + 1 / self._fps
        self.jump = 0.0
        if np.isfinite(stamp) and self._count and abs(stamp + self._offset - self._t) > _CLOCK_JUMP_SECONDS:
            self.jump = stamp + self._offset - self._t
            self._offset = following - stamp
        usable = np.isfinite(stamp) and stamp + self._offset > self._t
        self._t = stamp + self._offset if usable else max(following, self._count / self._fps)
        self._count += 1
        return self._t


class FilmSource:
    """A video file, frame by frame, each at the size of the first.

    Frames of another shape show another table. They are left out, and an error at the end reports them.
    """

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.on_status: Callable[[str], None] = ignore_status
        self._ahead: Prefetcher[tuple[float, Image]] | None = None
        self._said: deque[Said] = deque()
        """Lines for `on_status` that the decoding thread leaves behind."""
        self._capture = open_film(path)
        self.fps = frame_rate(self._capture)
        count = self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self.frame_count = int(count) if np.isfinite(count) and count > 0 else None
        self.seconds = None if self.frame_count is None else self.frame_count / self.fps
        ok, first = self._capture.read()
        if not ok:
            self.close()
            raise BadInputError("{path}: holds no picture that can be decoded", path=path)
        self._first: Image | None = np.asarray(first, np.uint8)
        self._first_ms = self._capture.get(cv2.CAP_PROP_POS_MSEC)

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield every frame. A film that was cut off, or is one picture, raises BadInputError at its end."""
        if self._first is None:
            raise RuntimeError("a film can be walked through only once")
        first, self._first = self._first, None
        self._ahead = Prefetcher(self._frames(first))
        try:
            for item in self._ahead:
                while self._said:
                    self.on_status(self._said.popleft())
                yield item
        finally:
            self._ahead.close()

    def _frames(self, frame: Image) -> Iterator[tuple[float, Image]]:
        """Decode frame by frame, starting with one that is already decoded."""
        stamp, same_size, clock = self._first_ms, FrameResizer(), FilmClock(self.fps)
        count, strange, t, gap = 0, 0, 0.0, (0.0, 0.0)
        while True:
            before, t = t, clock.time_of(stamp / 1000)
            gap = max(gap, (before, t), key=lambda ends: ends[1] - ends[0])
            if clock.jump:
                self._said.append(
                    message(
                        "{name}: its clock jumps by {jump:.0f} s at {t:.1f} s; the times go on without it",
                        name=self.name,
                        jump=clock.jump,
                        t=t,
                    )
                )
            fitted = same_size.fit(frame)
            if fitted is not None:
                yield t, fitted
            strange += fitted is None
            count += 1
            following = self._read_on()
            if following is None:
                break
            frame, stamp = following, self._capture.get(cv2.CAP_PROP_POS_MSEC)
        if self._capture.isOpened():
            self._raise_if_cut_off(count, t, gap)
            if count == 1:
                raise BadInputError(
                    "{name}: holds a single picture, in which no game can be followed", name=self.name
                )
        if strange:
            raise BadInputError(
                "{name}: {strange} of its {count} pictures have another shape than the first; "
                "what was seen is kept",
                name=self.name,
                strange=strange,
                count=count,
            )

    def _read_on(self) -> Image | None:
        """Return the next frame that can be decoded; None at the end, or after too many broken ones."""
        for _ in range(1 + _MAX_BROKEN_IN_A_ROW):
            ok, frame = self._capture.read()
            if ok:
                return np.asarray(frame, np.uint8)
        return None

    def _raise_if_cut_off(self, count: int, t: float, gap: tuple[float, float]) -> None:
        """Raise BadInputError if frames are missing.

        Args:
            count: How many there were.
            t: Time of the last one, in seconds.
            gap: The longest time without a frame, from and to, in seconds.
        """
        if self.frame_count is None:
            return
        if count >= self.frame_count - max(_CUT_OFF_FRAMES, _CUT_OFF_TOLERANCE * self.frame_count):
            return
        stated = self.frame_count / self.fps
        if t > stated - max(_CUT_OFF_SECONDS, _CUT_OFF_TOLERANCE * stated):
            lost = self.frame_count - count
            raise BadInputError(
                "{name}: {lost} of its {frame_count} pictures are broken, most in a row from {start:.1f} to "
                "{end:.1f} s; what was seen is kept",
                name=self.name,
                lost=lost,
                frame_count=self.frame_count,
                start=gap[0],
                end=gap[1],
            )
        raise BadInputError(
            "{name}: breaks off after {t:.1f} s of {stated:.1f} s; what was seen is kept",
            name=self.name,
            t=t,
            stated=stated,
        )

    def close(self) -> None:
        """Close the file."""
        if self._ahead is not None:
            self._ahead.close()
        self._capture.release()


class LiveSource:
    """A camera or stream. A thread takes every frame from it and keeps the latest ones (`FrameQueue`).

    A lost source is reopened for up to `Waits.reconnect` seconds. With `keep_trying`, it is reopened without
    limit once it has shown a frame.
    """

    live = True
    seconds: float | None = None

    def __init__(
        self,
        address: int | str,
        name: str,
        *,
        keep_trying: bool = False,
        camera_size: Size = CAMERA_SIZE,
    ) -> None:
        self.name = name
        self._keep_trying, self._camera_size = keep_trying, camera_size
        self._use_default_size = False
        self._error: BadInputError | None = None
        """The error that ended the source."""
        self._resizer = FrameResizer()
        self.on_status: Callable[[str], None] = ignore_status
        self._address = address
        self._has_bare_jpegs = False
        self._capture = self._open()
        if not self._capture.isOpened():
            self._open_otherwise()
        self.fps = frame_rate(self._capture, live=True)
        self._queue = FrameQueue()
        self._dropped = 0
        """Frames that the queue dropped since the last one that was taken from it."""
        self._skipped = SkippedTime()
        self._arrived = threading.Condition()
        self._closed = False
        self._start = time.monotonic()
        self._thread = threading.Thread(target=self._capture_loop, name=f"capture {name}", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield frames as they arrive. If they arrive faster than they are used, the oldest are dropped."""
        patience = WAITS.first_frame
        while (item := self._next(patience)) is not None:
            patience = WAITS.reconnect
            yield item

    def _next(self, patience: float) -> tuple[float, Image] | None:
        """Wait for a frame, and report if that takes long; None once the source is closed.

        `patience`: seconds after which the source has failed, unless it is waited for without limit.
        """
        silent, lost = min(WAITS.silence, patience), False
        item = self._await(silent)
        while item is None and not self._closed:
            if self._error is not None:
                raise self._error
            if silent >= patience and not self._waits_forever():
                raise BadInputError(
                    "{name}: {reason}",
                    name=self.name,
                    reason=self._resizer.fault_message() or no_frame_message(patience),
                )
            self.on_status(retry_message(self.name, self._resizer.fault_message(), silent))
            lost = True
            more = WAITS.remind if silent >= patience else patience - silent
            item, silent = self._await(more), max(patience, silent + more)
        if item is not None:
            if lost:
                self.on_status(recovered_message(self.name))
            line = self._skipped.note(item[0], self._take_dropped())
            if line is not None:
                self.on_status(line)
        return item

    def _take_dropped(self) -> int:
        with self._arrived:
            dropped, self._dropped = self._dropped, 0
        return dropped

    def _waits_forever(self) -> bool:
        """Return whether to wait for a frame without limit."""
        return self._keep_trying and self._resizer.size is not None

    def _await(self, seconds: float) -> tuple[float, Image] | None:
        """Return the next frame, waiting for up to `seconds`; None if there is none."""
        with self._arrived:
            self._arrived.wait_for(
                lambda: len(self._queue) > 0 or self._closed or self._error is not None, seconds
            )
            return None if self._closed else self._queue.pop()

    def close(self) -> None:
        """Stop the thread, which releases the camera as soon as it can."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        # The thread may be waiting for a frame. Releasing the capture at that moment would crash the program.
        self._thread.join(timeout=_CLOSE_SECONDS)
        if self._thread.is_alive():  # so would an end of the program while OpenCV is at work
            atexit.register(self._thread.join, _EXIT_SECONDS)

    def _open(self) -> cv2.VideoCapture:
        if isinstance(self._address, str):
            return open_stream(self._address, bare_jpegs=self._has_bare_jpegs)
        return open_camera(self._address, None if self._use_default_size else self._camera_size)

    def _open_otherwise(self) -> None:
        """Ask a stream why it did not open. If it sends bare JPEGs, open it as such.

        Raises:
            BadInputError: The camera or stream cannot be opened; the line says why.
        """
        probe = StreamProbe(message("no such camera or stream"))
        if isinstance(self._address, str):
            probe = probe_stream(self._address)
        self._has_bare_jpegs = probe.has_bare_jpegs
        if probe.has_bare_jpegs:
            self._capture = self._open()
        if not self._capture.isOpened():
            raise BadInputError("{name}: cannot be opened ({reason})", name=self.name, reason=probe.fault)

    def _capture_loop(self) -> None:
        try:
            while not self._closed:
                ok, frame = self._capture.read()
                if not ok:
                    self._reopen()
                    continue
                height, width = frame.shape[:2]
                if width * height > MAX_FRAME_PIXELS:
                    raise frame_too_large(self.name, width, height)
                picture = self._resizer.fit(np.asarray(frame, np.uint8))
                if picture is None:
                    continue
                with self._arrived:
                    self._dropped += self._queue.put(time.monotonic() - self._start, picture)
                    self._arrived.notify_all()
        except BadInputError as error:
            self._end_with(error)
        except Exception as error:
            # A driver may raise anything, and the reader must not wait for ever.
            _log.exception("%s: no more pictures", self.name)
            self._end_with(BadInputError("{name}: {reason}", name=self.name, reason=error))
        finally:
            self._capture.release()

    def _end_with(self, error: BadInputError) -> None:
        """Let the reader end with an error after the waiting frames."""
        with self._arrived:
            self._error = error
            self._arrived.notify_all()

    def _reopen(self) -> None:
        # A camera that is released at once keeps its number when it is plugged in again.
        self._capture.release()
        # A camera that gives no frame of the requested size is then asked for its default size.
        self._use_default_size = self._resizer.size is None and not self._use_default_size
        time.sleep(_REOPEN_SECONDS)
        if not self._closed:
            self._capture = self._open()
