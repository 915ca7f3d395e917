"""The last seconds before each ruling, in memory only, so that players can see what they were ruled on.

Frames are kept as small JPEGs for a few seconds. When something is ruled on, those of its last seconds stay
together with the outlines of its cards. Only the newest clips are kept, and nothing reaches the disk.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.game.interface import EventLine
from companion.game.ruling_views import ruling_of
from vision.types import CardReading, Image

CLIP_S = 5.0
"""Length of a clip in seconds of the source."""
_AFTER_S = 0.6
"""Part of it after the cards came to rest, so that they are seen lying."""
_ROLLING_S = 12.0
"""How long frames are kept: a ruling may come some seconds after its event."""
_EVERY_S = 0.125
_WIDTH = 640
_QUALITY = 75
MAX_CLIPS = 8
"""Number of clips in memory: about 2 MB each."""

Outline = tuple[tuple[float, float], ...]
"""Corners of a card, as fractions of the frame's width and height, from its upper left corner."""


@dataclass(frozen=True, slots=True)
class Clip:
    """The frames before one ruling."""

    event: int
    """The id of the event that was ruled on."""
    frames: tuple[tuple[float, bytes], ...]
    """(seconds of the source, JPEG), oldest first."""
    outlines: tuple[tuple[str, Outline], ...]
    """The cards of the event with their places when it was ruled on."""


class ClipBuffer:
    """Keeps the newest frames, and the clips of the newest rulings. Use it in one thread."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, bytes]] = deque()
        self._clips: dict[int, Clip] = {}

    def add(self, frame: Image, t: float) -> None:
        """Keep a frame at `t` seconds, unless the one before is too close."""
        if self._frames and t < self._frames[-1][0]:  # another film's clock
            self._frames.clear()
        if self._frames and t - self._frames[-1][0] < _EVERY_S:
            return
        height, width = frame.shape[:2]
        size = (min(_WIDTH, width), max(1, round(height * min(_WIDTH, width) / width)))
        done, jpeg = cv2.imencode(
            ".jpg",
            cv2.resize(frame, size, interpolation=cv2.INTER_AREA),
            (cv2.IMWRITE_JPEG_QUALITY, _QUALITY),
        )
        if not done:
            return
        self._frames.append((t, jpeg.tobytes()))
        while t - self._frames[0][0] > _ROLLING_S:
            self._frames.popleft()

    def pin(self, lines: Sequence[EventLine], readings: Sequence[CardReading], size: tuple[int, int]) -> None:
        """Keep the clips of those lines that were ruled on.

        Args:
            lines: New event lines.
            readings: The cards that are seen now, in pixels of the source.
            size: Width and height of the source's frames.
        """
        for line in lines:
            number = int(line.get("revise") or line.get("id") or 0)
            if ruling_of(line) is None or number in self._clips:
                continue
            end = float(line.get("t") or 0.0) + _AFTER_S
            frames = tuple((t, jpeg) for t, jpeg in self._frames if end - CLIP_S <= t <= end)
            if frames:
                self._clips[number] = Clip(number, frames, _outlines(line, readings, size))
        while len(self._clips) > MAX_CLIPS:
            del self._clips[next(iter(self._clips))]

    def clip(self, event_id: int) -> Clip | None:
        """Return the clip of an event, or None. Any thread may ask."""
        return self._clips.get(event_id)

    def clear(self) -> None:
        """Forget all clips, because another game has begun."""
        self._clips = {}


def _outlines(
    line: EventLine, readings: Sequence[CardReading], size: tuple[int, int]
) -> tuple[tuple[str, Outline], ...]:
    told = set(line.get("cards") or ())
    found = []
    for reading in readings:
        if reading.card in told and np.isfinite(reading.quad).all():
            corners = tuple((float(x) / size[0], float(y) / size[1]) for x, y in reading.quad)
            found.append((str(reading.card), corners))
    return tuple(found)
