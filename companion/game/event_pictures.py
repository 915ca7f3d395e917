"""Pictures of the moments at which something was decided, for whoever doubts a ruling.

They show the table and nothing else: what lies outside of the cards' places, where people sit, is painted
over, and arms that reach in are blurred, before a picture is held at all. They are held in memory only, until
somebody keeps one as a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.motion.background import Mask
from vision.table.layout import Layout
from vision.types import CardReading, Image

WIDTH = 640
MAX_PICTURES = 400
"""Pictures held, the newest; about 20 MB."""
MARGIN_MM = 75.0
"""What is shown around the middle of each card's place: the card, and the fingers that let go of it."""
_OUTSIDE = (24, 24, 24)
_CORNERS = 24
_BLUR_SHARE, _ROUND_SHARE = 40, 60
"""An arm is blurred to dots of this part of the picture's width, and so far around it."""


def add_event_pictures(
    moments: dict[int, bytes],
    lines: Sequence[Mapping[str, Any]],
    frame: Image,
    layout: Layout | None,
    arms: Mask | None = None,
    readings: Sequence[CardReading] = (),
) -> None:
    """Put what the camera saw into `moments`, as JPEG by the id of each of `lines`.

    `arms` (in a reduced copy of the frame) are blurred, but for the cards that the lines are about, where
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
    """Return a picture in which arms are blurred beyond recognition, but for these cards."""
    height, width = frame.shape[:2]
    mask = cv2.resize(arms.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
    around = 2 * (width // _ROUND_SHARE) + 1
    mask = cv2.dilate(mask, np.ones((around, around), np.uint8))
    for card in cards:
        if np.isfinite(card.quad).all():
            quad = np.round(np.clip(card.quad, -30000, 30000)).astype(np.int32)
            cv2.fillConvexPoly(mask, quad, 0)
    dots = (_BLUR_SHARE, max(1, round(_BLUR_SHARE * height / width)))
    small = cv2.resize(frame, dots, interpolation=cv2.INTER_AREA)
    blurred = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.where(mask[..., None] > 0, blurred, frame)


def crop_to_table(frame: Image, layout: Layout) -> Image | None:
    """Return the part of a picture in which cards lie, all around it painted over; None if there is none."""
    outline = _outline(layout)
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


def _outline(layout: Layout) -> NDArray[np.float64] | None:
    """Return the convex polygon around all places of cards, N x 2 pixels of the layout's picture."""
    turns = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    around = MARGIN_MM * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    places = [place for zone in layout.zones() if (place := layout.place_of(zone)) is not None]
    if not places:
        return None
    pixels = layout.plane.pixels(np.concatenate([around + place for place in places]))
    if not np.isfinite(pixels).all():
        return None
    return np.asarray(cv2.convexHull(pixels.astype(np.float32))[:, 0], np.float64)
