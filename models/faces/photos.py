"""Photographed cards to train on. The photos are labelled with boxes; contours give the quads.

Only quads that fit well are kept, so few of the cards are covered. Training adds the covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from datasets.photos import LabelledPhoto, load_set, photos_root
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, order_quad, polygon_area, quad_sides
from vision.types import Image, Quad

_MARGIN = 0.06
"""Margin around the box that is searched too, as a share of the size of the box."""


def _corners_of(contour: NDArray[np.int32]) -> NDArray[np.float32] | None:
    """Return the four corners of a contour that is nearly a quadrilateral, else None."""
    hull = cv2.convexHull(contour)
    length = cv2.arcLength(hull, True)
    for share in (0.02, 0.03, 0.045, 0.06):
        corners = cv2.approxPolyDP(hull, share * length, True).reshape(-1, 2)
        if len(corners) == 4:
            return _from_sides(hull.reshape(-1, 2).astype(np.float32), corners.astype(np.float32))
    return None


def _from_sides(hull: NDArray[np.float32], corners: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Return the quad of four lines fitted to the hull, because the corners of a card are round."""
    lines = []
    dense = _dense(hull)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-6)
        offset = dense - a
        position = offset @ along / max(float(np.linalg.norm(b - a)), 1e-6)
        distance = np.abs(offset[:, 0] * along[1] - offset[:, 1] * along[0])
        near = dense[(position > 0.12) & (position < 0.88) & (distance < 0.03 * np.linalg.norm(b - a) + 2)]
        if len(near) < 5:
            return None
        vx, vy, x, y = cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append((np.array([x, y]), np.array([vx, vy])))
    quad = []
    for (p, u), (q, v) in zip(lines, [*lines[1:], lines[0]], strict=True):
        crossing = u[0] * v[1] - u[1] * v[0]
        if abs(crossing) < 0.2:
            return None
        t = ((q - p)[0] * v[1] - (q - p)[1] * v[0]) / crossing
        quad.append(p + t * u)
    return np.asarray(quad, np.float32)


def _dense(hull: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return points along a closed polygon, about a pixel apart."""
    parts = []
    for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        count = max(1, int(np.linalg.norm(b - a)))
        parts.append(a + (b - a) * np.linspace(0, 1, count, endpoint=False)[:, None])
    return np.concatenate(parts).astype(np.float32)


def _plausible(quad: NDArray[np.float32], contour_area: float) -> bool:
    width, height = quad_sides(quad)
    area = abs(polygon_area(quad))
    ratio = height / max(width, 1e-6)
    standard = CARD_HEIGHT_MM / CARD_WIDTH_MM
    return 0.93 < contour_area / max(area, 1e-6) < 1.03 and 0.72 * standard < ratio < 1.35 * standard


def _paper_masks(region: Image) -> list[NDArray[np.uint8]]:
    """Return masks of what may be the paper of a card, bright and with little colour, at three thresholds."""
    darkest = region.min(axis=2)
    smooth = cv2.GaussianBlur(darkest, (0, 0), 1.0)
    level, _ = cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return [
        np.asarray(cv2.threshold(smooth, min(level * k, 250), 255, cv2.THRESH_BINARY)[1], np.uint8)
        for k in (1.0, 1.2, 0.8)
    ]


def quad_in_box(image: Image, box: ArrayLike) -> Quad | None:
    """Return the quad of the one uncovered card that fills a box (4 x 2 pixels), or None if unclear."""
    corners = np.asarray(box, np.float64)
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = (high - low) * _MARGIN + 3
    size = np.array([image.shape[1], image.shape[0]])
    x0, y0 = np.maximum(low - margin, 0).astype(int)
    x1, y1 = np.minimum(high + margin + 1, size).astype(int)
    region = image[y0:y1, x0:x1]
    if region.shape[0] < 20 or region.shape[1] < 20:
        return None
    for mask in _paper_masks(region):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        if not contours:
            continue
        contour = np.asarray(max(contours, key=cv2.contourArea), np.int32)
        quad = _corners_of(contour)
        if quad is None or not _plausible(order_quad(quad), float(cv2.contourArea(contour))):
            continue
        placed = quad + np.array([x0, y0], np.float32)
        off = np.maximum(np.abs(placed.min(axis=0) - low), np.abs(placed.max(axis=0) - high))
        if (off < 0.05 * (high - low) + 3).all():
            return order_quad(placed)
    return None


def quad_of_single_card(image: Image) -> Quad | None:
    """Return the quad of the only card in a photo, on a darker ground, or None if unclear."""
    smooth = cv2.GaussianBlur(image.min(axis=2), (0, 0), 1.5)
    height, width = smooth.shape
    for share in (98, 95, 92, 88, 84, 80, 75, 70, 60, 50):
        mask = (smooth > 0.9 * np.percentile(smooth, share)).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        contour = np.asarray(max(contours, key=cv2.contourArea), np.int32)
        x, y, w, h = cv2.boundingRect(contour)
        if x == 0 or y == 0 or x + w == width or y + h == height or w * h < 0.01 * width * height:
            continue
        quad = _corners_of(contour)
        if quad is not None and _plausible(order_quad(quad), float(cv2.contourArea(contour))):
            return order_quad(quad)
    return None


# --- the training set ---------------------------------------------------------------------------------

BOXED_SETS = ("rf100/train", "edje/train")
"""Photo sets with labels around whole cards. Their licences allow training."""
SINGLE_SETS = ("mix55/phone_single", "mix55/black_deck_phone")
"""Photo sets with labels around the indices; most photos show one card. Their licences allow training."""
_PATCH_HEIGHT = 230.0
"""Card height to which photos are reduced, pixels. The networks see fewer."""


@dataclass(frozen=True)
class RealCard:
    """A card in a piece of a photo."""

    picture: Image
    """Square with the card in its middle; its side is 1.5 times the height of the card."""
    quad: NDArray[np.float64]
    card: str
    """`9S`, or a rank alone if the set gives no suit."""


def _patch(image: Image, quad: Quad, card: str) -> RealCard:
    scale = min(1.0, _PATCH_HEIGHT / quad_sides(quad)[1])
    height = quad_sides(quad)[1] * scale
    size = int(np.ceil(height * 1.5))
    small = image
    if scale < 1:
        target = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        small = np.asarray(cv2.resize(image, target, interpolation=cv2.INTER_AREA), np.uint8)
    moved = np.asarray(quad, np.float64) * (np.array(small.shape[1::-1]) / image.shape[1::-1])
    shift = size / 2 - moved.mean(axis=0)
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    picture = cv2.warpAffine(small, matrix, (size, size), borderMode=cv2.BORDER_REFLECT)
    return RealCard(np.asarray(picture, np.uint8), moved + shift, card)


def _boxed_cards(photo: LabelledPhoto) -> list[RealCard]:
    image = photo.image()
    found = ((label.card, quad_in_box(image, label.points)) for label in photo.labels)
    return [_patch(image, quad, card) for card, quad in found if quad is not None]


def _single_cards(photo: LabelledPhoto) -> list[RealCard]:
    """Return the only card of a photo, if its quad is found and contains the labelled indices."""
    cards = {label.card for label in photo.labels}
    if len(cards) != 1:
        return []
    image = photo.image()
    negative = np.asarray(255 - image, np.uint8)  # for a black deck on a light table
    quad = next((q for q in map(quad_of_single_card, (image, negative)) if q is not None), None)
    if quad is None:
        return []
    centres = [label.points.mean(axis=0).tolist() for label in photo.labels]
    if any(cv2.pointPolygonTest(quad, centre, measureDist=False) < 0 for centre in centres):
        return []
    return [_patch(image, quad, cards.pop())]


def real_cards() -> list[RealCard]:
    """Return the cards of these sets whose quads were found, or none without the photo folder."""
    if photos_root() is None:
        return []
    boxed = [card for name in BOXED_SETS for photo in load_set(name) for card in _boxed_cards(photo)]
    single = [card for name in SINGLE_SETS for photo in load_set(name) for card in _single_cards(photo)]
    return [*boxed, *single]
