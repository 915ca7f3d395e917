"""Pictures of the table at each event, for players who doubt a ruling.

They show only the table. Everything outside the cards' places, where people sit, is painted over, and arms
are blurred, before a picture is stored even in memory. They stay in memory until somebody saves one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.table.layout import Layout
from vision.types import CardReading, Image, Mask

WIDTH = 640
MAX_PICTURES = 400
"""Number of pictures in memory, about 20 MB; older ones are dropped."""
MARGIN_MM = 75.0
"""Margin around the centre of each card's place: room for the card and the fingers on it."""
_OUTSIDE = (24, 24, 24)
_CORNERS = 24
_SKIP = 4
_BLUR_SHARE, _ROUND_SHARE = 40, 60
"""Size of the blur's dots and of the margin around an arm, as fractions of the frame's width."""


def add_event_pictures(
    moments: dict[int, bytes],
    lines: Sequence[Mapping[str, Any]],
    frame: Image,
    layout: Layout | None,
    arms: Mask | None = None,
    readings: Sequence[CardReading] = (),
) -> None:
    """Add the frame to `moments` as JPEG, under the id of each of `lines`.

    `arms`, a mask in a reduced copy of the frame, are blurred. The cards of the lines stay sharp where
    `readings` show them.
    """
    if not lines or layout is None:
        return
    told = {card for line in lines for card in line.get("cards") or ()}
    about = [reading for reading in readings if reading.card in told]
    picture = crop_to_table(frame if arms is None else blur_arms(frame, arms, about), layout)
    if picture is None:
        return
    size = (WIDTH, max(1, round(picture.shape[0] * WIDTH / picture.shape[1])))
    mode = cv2.INTER_AREA if picture.shape[1] > WIDTH else cv2.INTER_LINEAR
    done, jpeg = cv2.imencode(".jpg", cv2.resize(picture, size, interpolation=mode))
    if not done:
        return
    for line in lines:
        moments.setdefault(int(line.get("revise") or line["id"]), jpeg.tobytes())
    for number in sorted(moments)[:-MAX_PICTURES]:
        del moments[number]


def blur_arms(frame: Image, arms: Mask, cards: Sequence[CardReading]) -> Image:
    """Return the frame with arms blurred beyond recognition, except for these cards."""
    height, width = frame.shape[:2]
    reduced = arms.astype(np.uint8)
    mask = np.asarray(cv2.resize(reduced, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)
    around = 2 * (width // _ROUND_SHARE) + 1
    mask = np.asarray(cv2.dilate(mask, np.ones((around, around), np.uint8)), np.uint8)
    for card in cards:
        if np.isfinite(card.quad).all():
            quad = np.round(np.clip(card.quad, -30000, 30000)).astype(np.int32)
            cv2.fillConvexPoly(mask, quad, 0)
    return blur(frame, mask)


def blur(frame: Image, mask: NDArray[np.uint8]) -> Image:
    """Return a copy of the frame that is blurred beyond recognition where `mask` is not 0."""
    height, width = frame.shape[:2]
    dots = (_BLUR_SHARE, max(1, round(_BLUR_SHARE * height / width)))
    # Every fourth pixel is enough for so few dots, and costs a sixteenth.
    small = cv2.resize(frame[::_SKIP, ::_SKIP], dots, interpolation=cv2.INTER_AREA)
    blurred = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    shown = frame.copy()
    cv2.copyTo(blurred, mask, shown)
    return shown


def crop_to_table(frame: Image, layout: Layout) -> Image | None:
    """Return the part of the frame around the cards' places, with the rest painted over, or None."""
    outline = table_outline(layout)
    if outline is None:
        return None
    height, width = frame.shape[:2]
    scale = np.array([width / layout.width, height / layout.height])
    polygon = np.round(np.clip(outline * scale, -30000, 30000)).astype(np.int32)
    left, top = np.maximum(polygon.min(axis=0), 0).tolist()
    right, bottom = np.minimum(polygon.max(axis=0) + 1, (width, height)).tolist()
    if right - left < 2 or bottom - top < 2:
        return None
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, polygon, 1)
    shown = np.where(mask[..., None] > 0, frame, np.array(_OUTSIDE, np.uint8))
    return np.asarray(shown[top:bottom, left:right], np.uint8)


def table_outline(layout: Layout, margin_mm: float = MARGIN_MM) -> NDArray[np.float64] | None:
    """Return the convex hull around all places of cards, N x 2, in pixels of the layout's frame."""
    turns = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    around = margin_mm * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    places = [place for zone in layout.zones() if (place := layout.place_of(zone)) is not None]
    if not places:
        return None
    pixels = layout.plane.to_pixels(np.concatenate([around + place for place in places]))
    if not np.isfinite(pixels).all():
        return None
    return np.asarray(cv2.convexHull(pixels.astype(np.float32))[:, 0], np.float64)
