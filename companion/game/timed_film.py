"""Write a film at a constant rate from pictures with times of their own."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import ExitStack, suppress
from pathlib import Path

import cv2
import numpy as np

from companion.files.incomplete import tracked_file
from engine.errors import BadInputError
from vision.capture.opencv import is_complete_film
from vision.capture.video_writer import open_film_writer
from vision.opencv_support import opencv_path
from vision.types import Image

_LONGEST_STILL_S = 60.0
"""Longest time that one picture is repeated, whatever the source's clock says. The rest of a gap is cut."""


class _DiscardedError(Exception):
    """Ends a film that nobody wants."""


class TimedFilm:
    """A film that runs at its source's speed. It gets its name once it is complete.

    A picture is repeated until the next one is due. A picture that comes too early is left out.
    """

    def __init__(self, path: Path, fps: float) -> None:
        """Write nothing before the first picture.

        Raises:
            BadInputError: there is no such folder, or OpenCV cannot use the name.
        """
        if not path.parent.is_dir():
            raise BadInputError("{path}: there is no folder {parent}", path=path, parent=path.parent)
        opencv_path(path)
        self.path, self.fps = path, fps
        self.size = (0, 0)
        """Width and height in pixels; of the first picture."""
        self.frames = 0
        """Number of frames so far."""
        self._writer: cv2.VideoWriter | None = None
        self._part, self._file = path, ExitStack()
        self._since: list[float] = []
        self._began: list[float] = []
        """From each of `_since` on, the source's time at which the film would have begun."""

    def is_due(self, t: float) -> bool:
        """Return whether a picture at `t` seconds of the source would be written."""
        return self._due(t) > 0

    def film_time(self, t: float) -> float:
        """Return the film's time, in seconds, of a time of the source. Before the film it is 0."""
        if not self._began:
            return 0.0
        part = max(0, bisect_right(self._since, t) - 1)
        return max(0.0, t - self._began[part])

    def write(self, picture: Image, t: float) -> None:
        """Write a picture at `t` seconds of the source, if it is due.

        Raises:
            BadInputError: the film cannot be begun.
        """
        due = self._due(t)
        if due < 1:
            return
        if self._writer is None:
            self._writer = self._opened(picture)
            self._since, self._began = [t], [t]
        longest = round(_LONGEST_STILL_S * self.fps)
        if due > longest:
            self._since.append(t)
            self._began.append(self._began[-1] + (due - longest) / self.fps)
            due = longest
        if picture.shape[1::-1] != self.size:
            picture = np.asarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), np.uint8)
        for _ in range(due):
            self._writer.write(picture)
        self.frames += due

    def close(self) -> None:
        """Finish the file.

        Raises:
            BadInputError: the file is incomplete; a full disk is not reported in any other way.
        """
        if self._writer is None:
            return
        with self._file:
            self._writer.release()
            self._writer = None
            if not is_complete_film(self._part, self.frames):
                raise BadInputError("{path}: is incomplete (is the disk full?)", path=self.path)

    def discard(self) -> None:
        """Delete what was written."""
        if self._writer is None:
            return
        self._writer.release()
        self._writer = None
        with suppress(_DiscardedError), self._file:
            raise _DiscardedError

    def _due(self, t: float) -> int:
        """Return how many frames are due by now: more than one after a gap, none for a fast source."""
        return 1 if not self._began else round((t - self._began[-1]) * self.fps) + 1 - self.frames

    def _opened(self, picture: Image) -> cv2.VideoWriter:
        height, width = picture.shape[:2]
        self.size = (width // 2 * 2, height // 2 * 2)
        with ExitStack() as opening:
            self._part = opening.enter_context(tracked_file(self.path))
            writer = open_film_writer(self._part, self.path, self.fps, self.size)
            self._file = opening.pop_all()
        return writer
