"""Any picture of a film, forwards and backwards, for people who look through it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from engine.errors import BadInputError
from vision.capture.opencv import frame_rate, open_film
from vision.types import Image

_READ_ON_S = 2.0
"""A place that is not farther ahead is reached by decoding on, which is faster than a jump."""


class FilmPlayer:
    """A film with a current picture. Times are seconds from the first picture."""

    def __init__(self, path: Path) -> None:
        """Open at the first picture.

        Raises:
            BadInputError: it is no film, or holds no picture.
        """
        self._capture = open_film(path)
        self.fps = frame_rate(self._capture)
        """Pictures per second."""
        count = self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        read, picture = self._capture.read()
        if not read:
            self._capture.release()
            raise BadInputError("{path}: holds no picture that can be decoded", path=path)
        self._first_ms = self._capture.get(cv2.CAP_PROP_POS_MSEC)
        self.picture: Image = np.asarray(picture, np.uint8)
        """The current picture."""
        self.t = 0.0
        """Its time."""
        self.seconds = max(0.0, (count - 1) / self.fps) if np.isfinite(count) else 0.0
        """The time of the last picture."""

    def go_to(self, t: float) -> bool:
        """Show the first picture that is not before `t`, or the last one. Return whether it is another."""
        before, t = self.t, min(max(0.0, t), self.seconds) - 0.5 / self.fps
        if not self.t - 1 / self.fps < t <= self.t + _READ_ON_S:
            self._capture.set(cv2.CAP_PROP_POS_MSEC, self._first_ms + max(0.0, t) * 1000)
            self._read()
        while self.t < t and self._capture.grab():
            self.t = self._time()
            if self.t >= t or self.t >= self.seconds - 0.5 / self.fps:
                self._retrieve()
        return self.t != before

    def close(self) -> None:
        """Close the film."""
        self._capture.release()

    def _read(self) -> None:
        if self._capture.grab():
            self.t = self._time()
            self._retrieve()

    def _retrieve(self) -> None:
        read, picture = self._capture.retrieve()
        if read:
            self.picture = np.asarray(picture, np.uint8)

    def _time(self) -> float:
        return float(self._capture.get(cv2.CAP_PROP_POS_MSEC) - self._first_ms) / 1000
