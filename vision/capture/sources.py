"""Where pictures come from: a film, a camera, a stream.

A film is read frame by frame on its own clock and nothing is left out. From a live source only the last
pictures are kept, so that reading never falls behind what happens on the table.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from engine.errors import BadInputError
from engine.messages import Said, message
from vision.capture.frame_queue import Backlog
from vision.capture.opencv import (
    CAMERA_SIZE,
    MOST_PIXELS,
    Size,
    camera_number,
    open_camera,
    open_film,
    open_stream,
    too_large,
)
from vision.capture.prefetch import Ahead
from vision.types import Image

_log = logging.getLogger(__name__)
RECONNECT_SECONDS = 30.0
"""How long a lost live source is tried again before it is given up, or how often it is said that it is."""
_FIRST_FRAME_SECONDS = 10.0
_SILENCE_SECONDS = 3.0
"""After so long without a picture somebody should hear of it."""
_BROKEN_IN_A_ROW = 250
"""So many pictures of a film may be broken before it counts as cut off."""
_SAME_SHAPE = 0.02
"""Two pictures are of one shape whose ratios of width to height differ by less than this share."""
_CUT_OFF_TOLERANCE = 0.01
"""Containers state the number of frames only about; a film shorter by more than this share is cut off."""


class FrameSource(Protocol):
    """A sequence of pictures with their times."""

    name: str
    live: bool
    fps: float
    """Frames a second; for a live source a guess."""
    seconds: float | None
    """How long it lasts, if that is known."""
    tell: Callable[[str], None]
    """Called, in the thread that iterates, with one line when a live source is lost and when it is back."""

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds of the source, picture), times strictly increasing.

        Raises:
            BadInputError: the source broke off; every picture before that has been yielded.
        """
        ...

    def close(self) -> None:
        """Let go of the source; iteration ends."""
        ...


def open_source(spec: str, *, tries_on: bool = False, camera_size: Size = CAMERA_SIZE) -> FrameSource:
    """Open a film (path), a camera (its number) or a stream (URL).

    Args:
        spec: Which.
        tries_on: Whether a camera or stream that showed a picture is waited for however long it stays away.
        camera_size: Width and height of picture that a camera is asked for.

    Raises:
        BadInputError: there is no such thing, or it yields no picture.
    """
    number = camera_number(spec)
    if number is not None:
        name = message("camera {number}", number=spec)
        return LiveSource(number, name, tries_on=tries_on, camera_size=camera_size)
    if "://" in spec:
        return LiveSource(spec, spec, tries_on=tries_on)
    return FilmSource(Path(spec))


def tell_nobody(_line: str) -> None:
    """Say nothing: what a source does with its lines until somebody wants them."""


class SameSize:
    """Keeps a source's pictures at the size of its first one, in which all places are told.

    A camera that was lost may come back with another resolution; one that was turned shows another table.
    """

    def __init__(self) -> None:
        self.size: tuple[int, int] | None = None
        """Width and height of the first picture."""
        self.strange: tuple[int, int] | None = None
        """Width and height of the last picture if it could not be fitted."""

    def fit(self, frame: Image) -> Image | None:
        """Return the picture at the first one's size, or None for one of another shape."""
        size = (int(frame.shape[1]), int(frame.shape[0]))
        self.size = self.size or size
        self.strange = None
        if size == self.size:
            return frame
        if abs(size[0] * self.size[1] / (size[1] * self.size[0]) - 1) > _SAME_SHAPE:
            self.strange = size
            return None
        mode = cv2.INTER_AREA if size[0] > self.size[0] else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(frame, self.size, interpolation=mode), np.uint8)

    def fault(self) -> str | None:
        """Return in a few words why pictures are left out, or None."""
        if self.size is None or self.strange is None:
            return None
        now, first = (f"{width} x {height}" for width, height in (self.strange, self.size))
        return message(
            "the picture is {now} now, it was {first}: put the camera back as it was", now=now, first=first
        )


def no_picture(seconds: float) -> Said:
    """Return the words for a source that has been silent for so long."""
    return message("no picture for {seconds:.0f} s", seconds=seconds)


def tried_again(name: str, fault: str | None, seconds: float) -> Said:
    """Return the line on a source that has been silent for so long; `fault`: of its pictures."""
    again = message("no picture for {seconds:.0f} s; it is tried again", seconds=seconds)
    return message("{name}: {reason}", name=name, reason=fault or again)


def picture_back(name: str) -> Said:
    """Return the line on a source that was silent and shows pictures again."""
    return message("{name}: the picture is back", name=name)


class FilmSource:
    """A video file, frame after frame, each at the size of the first.

    Pictures of another shape show another table; they are left out, and at the end that is said.
    """

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.tell: Callable[[str], None] = tell_nobody
        self._ahead: Ahead[tuple[float, Image]] | None = None
        self._capture = open_film(path)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = float(fps) if np.isfinite(fps) and 1 <= fps <= 1000 else 25.0
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
        """Yield every frame; raises BadInputError at the end of a film that was cut off."""
        if self._first is None:
            raise RuntimeError("a film can be walked through only once")
        first, self._first = self._first, None
        self._ahead = Ahead(self._frames(first))
        try:
            yield from self._ahead
        finally:
            self._ahead.close()

    def _frames(self, frame: Image) -> Iterator[tuple[float, Image]]:
        """Decode one frame after another, beginning with one that is decoded already."""
        stamp, same_size = self._first_ms, SameSize()
        count, strange, t = 0, 0, -1.0
        while True:
            # Some files carry no usable time stamps: then the frame's number is its time.
            usable = np.isfinite(stamp) and stamp / 1000 > t
            t = stamp / 1000 if usable else max(t + 1 / self.fps, count / self.fps)
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
            self._raise_if_cut_off(count, t)
        if strange:
            raise BadInputError(
                "{name}: {strange} of its {count} pictures have another shape than the first; "
                "what was seen is kept",
                name=self.name,
                strange=strange,
                count=count,
            )

    def _read_on(self) -> Image | None:
        """Return the next picture that can be decoded; None at the end, or after too many broken ones."""
        for _ in range(1 + _BROKEN_IN_A_ROW):
            ok, frame = self._capture.read()
            if ok:
                return np.asarray(frame, np.uint8)
        return None

    def _raise_if_cut_off(self, count: int, t: float) -> None:
        if self.frame_count is None:
            return
        if count >= self.frame_count - max(2, _CUT_OFF_TOLERANCE * self.frame_count):
            return
        stated = self.frame_count / self.fps
        if t > stated - max(1.0, _CUT_OFF_TOLERANCE * stated):
            lost = self.frame_count - count
            raise BadInputError(
                "{name}: {lost} of its {frame_count} pictures are broken; what was seen is kept",
                name=self.name,
                lost=lost,
                frame_count=self.frame_count,
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
    """A camera or stream. A thread takes every picture from it and keeps the last (`Backlog`).

    When the source is lost it is opened again until `RECONNECT_SECONDS` have passed in vain; with `tries_on`
    for as long as it takes, once it has shown a picture.
    """

    live = True
    seconds: float | None = None

    def __init__(
        self,
        address: int | str,
        name: str,
        *,
        tries_on: bool = False,
        camera_size: Size = CAMERA_SIZE,
    ) -> None:
        self.name = name
        self._tries_on, self._camera_size = tries_on, camera_size
        self._plainly = False
        self._error: BadInputError | None = None
        """Why there will be no more pictures."""
        self._same_size = SameSize()
        self.tell: Callable[[str], None] = tell_nobody
        self._address = address
        self._capture = self._open()
        if not self._capture.isOpened():
            raise BadInputError("{name}: cannot be opened (no such camera or stream)", name=name)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = float(fps) if np.isfinite(fps) and 1 <= fps <= 240 else 15.0
        self._backlog = Backlog()
        self._arrived = threading.Condition()
        self._closed = False
        self._start = time.monotonic()
        self._thread = threading.Thread(target=self._capture_loop, name=f"capture {name}", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield pictures as they come; of those that came meanwhile the oldest are dropped."""
        patience = _FIRST_FRAME_SECONDS
        while (item := self._next(patience)) is not None:
            patience = RECONNECT_SECONDS
            yield item

    def _next(self, patience: float) -> tuple[float, Image] | None:
        """Wait for a picture, and say so where it takes long; None once the source is closed."""
        silent, lost = min(_SILENCE_SECONDS, patience), False
        item = self._await(silent)
        while item is None and not self._closed:
            if self._error is not None:
                raise self._error
            if silent >= patience and not self._waits():
                raise BadInputError(
                    "{name}: {reason}", name=self.name, reason=self._same_size.fault() or no_picture(patience)
                )
            self.tell(tried_again(self.name, self._same_size.fault(), silent))
            lost = True
            more = RECONNECT_SECONDS if silent >= patience else patience - silent
            item, silent = self._await(more), max(patience, silent + more)
        if item is not None and lost:
            self.tell(picture_back(self.name))
        return item

    def _waits(self) -> bool:
        """Tell whether a picture is waited for without an end."""
        return self._tries_on and self._same_size.size is not None

    def _await(self, seconds: float) -> tuple[float, Image] | None:
        with self._arrived:
            self._arrived.wait_for(
                lambda: len(self._backlog) > 0 or self._closed or self._error is not None, seconds
            )
            return None if self._closed else self._backlog.take()

    def close(self) -> None:
        """Stop the thread, which lets go of the camera as soon as it can."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        # It may be waiting for a picture: to release a capture under its feet would crash the program.
        self._thread.join(timeout=2)

    def _open(self) -> cv2.VideoCapture:
        if isinstance(self._address, str):
            return open_stream(self._address)
        return open_camera(self._address, None if self._plainly else self._camera_size)

    def _capture_loop(self) -> None:
        try:
            while not self._closed:
                ok, frame = self._capture.read()
                if not ok:
                    self._reopen()
                    continue
                height, width = frame.shape[:2]
                if width * height > MOST_PIXELS:
                    raise too_large(self.name, width, height)
                picture = self._same_size.fit(np.asarray(frame, np.uint8))
                if picture is None:
                    continue
                with self._arrived:
                    self._backlog.put(time.monotonic() - self._start, picture)
                    self._arrived.notify_all()
        except BadInputError as error:
            self._end(error)
        except Exception as error:
            # A driver may raise anything: whoever reads must hear of it, and not wait for ever.
            _log.exception("%s: no more pictures", self.name)
            self._end(BadInputError("{name}: {reason}", name=self.name, reason=error))
        finally:
            self._capture.release()

    def _end(self, error: BadInputError) -> None:
        """Let the reader end with an error, after the pictures that wait."""
        with self._arrived:
            self._error = error
            self._arrived.notify_all()

    def _reopen(self) -> None:
        # A camera that is let go of at once keeps its number when it is plugged in again.
        self._capture.release()
        # One that gives no picture of the size it was asked for is next asked for none.
        self._plainly = self._same_size.size is None and not self._plainly
        time.sleep(0.5)
        if not self._closed:
            self._capture = self._open()
