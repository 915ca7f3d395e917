"""Where pictures come from: a film, a camera, a stream.

A film is read frame by frame on its own clock and nothing is left out. From a live source only the newest
picture is kept, so that reading never falls behind what happens on the table.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from engine.errors import BadInputError
from vision.reading import Image

# FFmpeg's and OpenCV's own complaints about a broken film would stand beside our one clear line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

RECONNECT_SECONDS = 30.0
"""How long a lost live source is tried again before it is given up."""
_FIRST_FRAME_SECONDS = 10.0
_CUT_OFF_TOLERANCE = 0.01
"""Containers state the number of frames only about; a film shorter by more than this share is cut off."""


class FrameSource(Protocol):
    """A sequence of pictures with their times."""

    name: str
    live: bool
    fps: float
    """Frames a second; for a live source a guess."""

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield (seconds of the source, picture), times strictly increasing.

        Raises:
            BadInputError: the source broke off; every picture before that has been yielded.
        """
        ...

    def close(self) -> None:
        """Let go of the source; iteration ends."""
        ...


def open_source(spec: str) -> FrameSource:
    """Open a film (path), a camera (its number) or a stream (URL).

    Raises:
        BadInputError: there is no such thing, or it yields no picture.
    """
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    if spec.isdecimal():
        return LiveSource(int(spec), f"camera {spec}")
    if "://" in spec:
        return LiveSource(spec, spec)
    return FilmSource(Path(spec))


class FilmSource:
    """A video file, frame after frame."""

    live = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._capture = _open_film(path)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = float(fps) if np.isfinite(fps) and 1 <= fps <= 1000 else 25.0
        count = self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self.frame_count = int(count) if np.isfinite(count) and count > 0 else None
        ok, first = self._capture.read()
        if not ok:
            self.close()
            raise BadInputError(f"{path}: holds no picture that can be decoded")
        self._first: Image | None = np.asarray(first, np.uint8)
        self._first_ms = self._capture.get(cv2.CAP_PROP_POS_MSEC)

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield every frame; raises BadInputError at the end of a film that was cut off."""
        if self._first is None:
            raise RuntimeError("a film can be walked through only once")
        frame, stamp = self._first, self._first_ms
        self._first = None
        count, t = 0, -1.0
        while True:
            # Some files carry no usable time stamps: then the frame's number is its time.
            t = stamp / 1000 if stamp / 1000 > t else max(t + 1 / self.fps, count / self.fps)
            yield t, frame
            count += 1
            ok, following = self._capture.read()
            if not ok:
                break
            frame, stamp = np.asarray(following, np.uint8), self._capture.get(cv2.CAP_PROP_POS_MSEC)
        if self._capture.isOpened():
            self._raise_if_cut_off(count, t)

    def _raise_if_cut_off(self, count: int, t: float) -> None:
        if self.frame_count is None:
            return
        if count >= self.frame_count - max(2, _CUT_OFF_TOLERANCE * self.frame_count):
            return
        stated = self.frame_count / self.fps
        raise BadInputError(
            f"{self.name}: breaks off after {t:.1f} s of {stated:.1f} s; what was seen is kept"
        )

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class LiveSource:
    """A camera or stream. A thread takes every picture from it and keeps only the newest.

    When the source is lost it is opened again until `RECONNECT_SECONDS` have passed in vain.
    """

    live = True

    def __init__(self, address: int | str, name: str) -> None:
        self.name = name
        self._address = address
        self._capture = cv2.VideoCapture(address)
        if not self._capture.isOpened():
            raise BadInputError(f"{name}: cannot be opened (no such camera or stream)")
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = float(fps) if np.isfinite(fps) and 1 <= fps <= 240 else 15.0
        self._newest: tuple[float, Image] | None = None
        self._arrived = threading.Condition()
        self._closed = False
        self._lost_since: float | None = None
        self._start = time.monotonic()
        self._thread = threading.Thread(target=self._capture_loop, name=f"capture {name}", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> bool:
        """Whether no picture comes at the moment."""
        return self._lost_since is not None

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        """Yield the newest picture again and again; pictures that came meanwhile are dropped."""
        patience = _FIRST_FRAME_SECONDS
        while True:
            with self._arrived:
                if not self._arrived.wait_for(lambda: self._newest is not None or self._closed, patience):
                    raise BadInputError(f"{self.name}: no picture for {patience:.0f} s")
                if self._newest is None:
                    return
                item, self._newest = self._newest, None
            patience = RECONNECT_SECONDS
            yield item

    def close(self) -> None:
        """Stop the thread and let go of the camera."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._thread.join(timeout=2)
        self._capture.release()

    def _capture_loop(self) -> None:
        while not self._closed:
            ok, frame = self._capture.read()
            if not ok:
                self._reopen()
                continue
            self._lost_since = None
            with self._arrived:
                self._newest = (time.monotonic() - self._start, np.asarray(frame, np.uint8))
                self._arrived.notify_all()

    def _reopen(self) -> None:
        if self._lost_since is None:
            self._lost_since = time.monotonic()
        time.sleep(0.5)
        if not self._closed:
            self._capture.open(self._address)


def _open_film(path: Path) -> cv2.VideoCapture:
    if not path.exists():
        raise BadInputError(f"{path}: no such file")
    if not path.is_file():
        raise BadInputError(f"{path}: not a file")
    if path.stat().st_size == 0:
        raise BadInputError(f"{path}: the file is empty")
    with path.open("rb"):  # an unreadable file says so itself
        pass
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise BadInputError(f"{path}: not a film that can be read (wrong format, or cut off)")
    return capture
