"""The last seconds before each ruling, in memory, so that players can see what they were ruled on.

Frames are kept as small JPEGs for a few seconds. When something is ruled on, those of its last seconds stay
together with the outlines of its cards. Only the newest clips are kept. A clip reaches the disk only if
somebody asks for it, and then without what is outside the table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion import theme
from companion.files.incomplete import tracked_file
from companion.game.event_pictures import table_outline
from companion.game.interface import EventLine
from companion.game.ruling_views import ruling_of
from engine.errors import BadInputError
from vision.capture.opencv import is_complete_film
from vision.capture.video_writer import open_film_writer
from vision.table.layout import Layout
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
"""Corners of a card or of the table, as fractions of the frame's width and height, from the upper left."""
_OUTSIDE = (24, 24, 24)
_OUTLINE: tuple[int, int, int] = theme.bgr(theme.BRASS)


@dataclass(frozen=True, slots=True)
class Clip:
    """The frames before one ruling."""

    event: int
    """The id of the event that was ruled on."""
    frames: tuple[tuple[float, bytes], ...]
    """(seconds of the source, JPEG), oldest first."""
    outlines: tuple[tuple[str, Outline], ...]
    """The cards of the event with their places when it was ruled on."""
    table: Outline = ()
    """The outline of the table; empty if it was not known."""


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

    def pin(
        self,
        lines: Sequence[EventLine],
        readings: Sequence[CardReading],
        size: tuple[int, int],
        layout: Layout | None = None,
    ) -> None:
        """Keep the clips of those lines that were ruled on.

        Args:
            lines: New event lines.
            readings: The cards that are seen now, in pixels of the source.
            size: Width and height of the source's frames.
            layout: The places of the cards; None if they are not known.
        """
        for line in lines:
            number = int(line.get("revise") or line.get("id") or 0)
            if ruling_of(line) is None or number in self._clips:
                continue
            end = float(line.get("t") or 0.0) + _AFTER_S
            frames = tuple((t, jpeg) for t, jpeg in self._frames if end - CLIP_S <= t <= end)
            if frames:
                outlines = _outlines(line, readings, size)
                self._clips[number] = Clip(number, frames, outlines, _table(layout))
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


def _table(layout: Layout | None) -> Outline:
    outline = None if layout is None else table_outline(layout)
    if layout is None or outline is None:
        return ()
    return tuple((float(x) / layout.width, float(y) / layout.height) for x, y in outline)


def save_clip(clip: Clip, path: Path) -> None:
    """Write a clip as a film, with the cards outlined. Everything outside the table is painted over.

    Raises:
        BadInputError: the table's outline is not known, or no film can be written there.
        OSError: the file cannot be written.
    """
    height, width = _decoded(clip.frames[0][1]).shape[:2]
    table = _pixels(clip.table, (width, height))
    left, top, right, bottom = _box(table, (width, height))
    if right - left < 2 or bottom - top < 2:
        raise BadInputError("not saved: where the table ends is not known, so people could be seen")
    outside = np.ones((height, width), np.uint8)
    cv2.fillConvexPoly(outside, table, 0)
    cards = [_pixels(corners, (width, height)) for _card, corners in clip.outlines]
    count = round((clip.frames[-1][0] - clip.frames[0][0]) / _EVERY_S) + 1
    with tracked_file(path) as part:
        writer = open_film_writer(part, path, 1 / _EVERY_S, (right - left, bottom - top))
        for number in range(count):
            frame = _decoded(_frame_at(clip, clip.frames[0][0] + number * _EVERY_S))
            cv2.polylines(frame, cards, True, _OUTLINE, 2, cv2.LINE_AA)
            frame[outside > 0] = _OUTSIDE
            writer.write(frame[top:bottom, left:right])
        writer.release()
        if not is_complete_film(part, count):
            raise BadInputError("{path}: is incomplete (is the disk full?)", path=path)


def _decoded(jpeg: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _pixels(outline: Outline, size: tuple[int, int]) -> NDArray[np.int32]:
    scaled = np.array(outline, np.float64).reshape(-1, 2) * size
    return np.round(np.clip(scaled, -30000, 30000)).astype(np.int32)


def _box(table: NDArray[np.int32], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return left, top, right, bottom of the table in the frame. Films need even widths and heights."""
    if not len(table):
        return 0, 0, 0, 0
    left, top = np.maximum(table.min(axis=0), 0).tolist()
    right, bottom = np.minimum(table.max(axis=0) + 1, size).tolist()
    return left, top, right - (right - left) % 2, bottom - (bottom - top) % 2


def _frame_at(clip: Clip, t: float) -> bytes:
    """Return the newest frame that is not later than `t`, with half a step of tolerance."""
    return next((jpeg for at, jpeg in reversed(clip.frames) if at <= t + _EVERY_S / 2), clip.frames[0][1])
