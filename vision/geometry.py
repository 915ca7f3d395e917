"""Plane geometry of cards in pictures: corners in order, flattening, overlap. Pixels, x right, y down."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.types import Image, Quad

CARD_WIDTH_MM = 63.0
CARD_HEIGHT_MM = 88.0
"""Poker size, the commonest; bridge size is 57 x 88 mm."""
CARD_MM = np.array(
    [[0, 0], [CARD_WIDTH_MM, 0], [CARD_WIDTH_MM, CARD_HEIGHT_MM], [0, CARD_HEIGHT_MM]], np.float32
)
"""A card's corners, clockwise from its top left."""
_NEXT, _OPPOSITE = np.array([1, 2, 3, 0]), np.array([2, 3, 0, 1])
"""Of four corners in order, the number of each one's next and of the one opposite."""


def within_half_a_turn(angle: float) -> float:
    """Return an angle (radians) as the same one from -pi to pi."""
    return (angle + math.pi) % math.tau - math.pi


def polygon_area(polygon: ArrayLike) -> float:
    """Return the signed area of a polygon (N x 2): positive when it runs clockwise in the picture."""
    points = np.asarray(polygon, np.float64)
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(x[:-1] @ y[1:] - x[1:] @ y[:-1] + x[-1] * y[0] - x[0] * y[-1])


def polygon_areas(polygons: ArrayLike) -> NDArray[np.float64]:
    """Return the signed area of each of many polygons (M x N x 2), see `polygon_area`."""
    points = np.asarray(polygons, np.float64)
    x, y = points[..., 0], points[..., 1]
    across = (x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1]).sum(axis=1)
    return np.asarray(0.5 * (across + x[:, -1] * y[:, 0] - x[:, 0] * y[:, -1]))


def sides_of(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four sides of a quad (4 x 2), each from its corner to the next one."""
    return np.asarray(quad[_NEXT] - quad)


def is_convex(quad: ArrayLike) -> bool:
    """Tell whether four corners run clockwise around a convex shape of some size."""
    return bool(are_convex(np.asarray(quad)[None])[0])


def are_convex(quads: ArrayLike) -> NDArray[np.bool_]:
    """Tell of each of many quads (N x 4 x 2) what `is_convex` tells of one."""
    points = np.asarray(quads, np.float64)
    edges = points[:, _NEXT] - points
    following = edges[:, _NEXT]
    turns = edges[..., 0] * following[..., 1] - edges[..., 1] * following[..., 0]
    return np.asarray(np.isfinite(points).all(axis=(1, 2)) & (turns > 1e-6).all(axis=1))


def order_quad(corners: ArrayLike) -> Quad:
    """Return the four corners clockwise in the picture, starting so that the first two end a short edge.

    Which edges are short is told by the lengths of opposite sides taken together. Of the two starts that are
    left, half a turn apart, the one nearer the picture's top is taken (the left one where both are level).
    """
    points = np.asarray(corners, np.float64).reshape(4, 2)
    centre = points.mean(axis=0)
    turn = np.arctan2(points[:, 1] - centre[1], points[:, 0] - centre[0])
    points = points[np.argsort(turn, kind="stable")]
    sides = np.linalg.norm(sides_of(points), axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        points = points[_NEXT]
    return start_at_top(points)


def start_at_top(quad: ArrayLike) -> Quad:
    """Return the quad starting at its first or its third corner, whichever begins the upper short edge.

    Half a turn leaves a card's outline as it is; this settles which of its two short edges comes first: the
    one nearer the picture's top, the left one where both are level.
    """
    points = np.asarray(quad, np.float64).reshape(4, 2)
    first, opposite = points[0] + points[1], points[2] + points[3]
    if (opposite[1], opposite[0]) < (first[1], first[0]):
        points = points[_OPPOSITE]
    return points.astype(np.float32)


def upright_rectangle(width: float, height: float) -> NDArray[np.float32]:
    """Return a rectangle's outline, clockwise from the top left, in pixels of a width x height picture.

    Pixel centres lie at whole numbers, so the rectangle runs from -0.5 to width - 0.5.
    """
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def rectangle(left: float, top: float, right: float, bottom: float) -> NDArray[np.float64]:
    """Return an upright rectangle's corners, clockwise from the top left: 4 x 2."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)


def homography(source: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """Return the 3 x 3 projective map that takes four source points to four target points (4 x 2 each)."""
    return np.asarray(
        cv2.getPerspectiveTransform(np.asarray(source, np.float32), np.asarray(target, np.float32)),
        np.float64,
    )


def card_plane(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the homography (3 x 3) from a card's millimetres, measured from its first corner, to pixels.

    `quad` is 4 x 2 px, clockwise, a short edge first.
    """
    return homography(CARD_MM, quad)


def transform(matrix: NDArray[np.float64], points: ArrayLike) -> NDArray[np.float64]:
    """Return points (N x 2) moved by a 3 x 3 projective map."""
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    moved = np.column_stack([flat, np.ones(len(flat))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def on_card(quad: ArrayLike, places: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
    """Return which places (N x 2, pixels) lie on a card, or no further from it than `margin` (mm): N."""
    to_card = np.asarray(np.linalg.inv(card_plane(quad)), np.float64)
    at, size = transform(to_card, places), np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM])
    return np.asarray(((at > -margin) & (at < size + margin)).all(axis=1))


def upwards(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the unit vector from the middle of a card's last two corners to that of its first two."""
    corners = np.asarray(quad, np.float64)
    way = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-9))


def rectify(image: Image, quad: ArrayLike, width: int, height: int) -> Image:
    """Return the quad flattened to a height x width x 3 picture, its first corner at the top left.

    Parts outside the picture are black. When the card is shrunk more than twofold, the picture's region is
    reduced by area first, so that thin strokes do not break up.
    """
    corners = np.asarray(quad, np.float32).reshape(4, 2)
    low = np.floor(corners.min(axis=0)).astype(int) - 2
    high = np.ceil(corners.max(axis=0)).astype(int) + 3
    low, high = np.maximum(low, 0), np.minimum(high, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return np.zeros((height, width, 3), np.uint8)
    region = image[low[1] : high[1], low[0] : high[0]]
    corners = corners - low.astype(np.float32)
    shrink = min(quad_sides(corners)[0] / width, quad_sides(corners)[1] / height)
    if shrink > 2:
        factor = 1.0 / float(int(shrink))
        size = (max(1, round(region.shape[1] * factor)), max(1, round(region.shape[0] * factor)))
        scale = np.array([size[0] / region.shape[1], size[1] / region.shape[0]], np.float32)
        region = np.asarray(cv2.resize(region, size, interpolation=cv2.INTER_AREA), np.uint8)
        corners = (corners + np.float32(0.5)) * scale - np.float32(0.5)
    matrix = homography(corners, upright_rectangle(width, height))
    return np.asarray(cv2.warpPerspective(region, matrix, (width, height), flags=cv2.INTER_LINEAR), np.uint8)


def upright_height(quad: ArrayLike) -> float:
    """Return how tall a card of a quad's area is when it is seen from straight above, pixels."""
    return float(np.sqrt(max(polygon_area(quad), 0.0) * CARD_HEIGHT_MM / CARD_WIDTH_MM))


def quad_sides(quad: ArrayLike) -> tuple[float, float]:
    """Return the mean lengths (width, height) of the sides 0-1 and 2-3, and of the sides 1-2 and 3-0."""
    points = np.asarray(quad, np.float64)
    along = sides_of(points)
    sides = np.hypot(along[:, 0], along[:, 1])
    return float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2


def polygon_overlap(first: ArrayLike, second: ArrayLike) -> float:
    """Return the area that two convex polygons (N x 2) share, in square pixels."""
    area, _ = cv2.intersectConvexConvex(np.asarray(first, np.float32), np.asarray(second, np.float32))
    return float(area)


def share_of_smaller(first: ArrayLike, second: ArrayLike) -> float:
    """Return how much of the smaller of two convex polygons (N x 2) lies on the other, 0..1."""
    smaller = min(abs(polygon_area(first)), abs(polygon_area(second)))
    return polygon_overlap(first, second) / smaller if smaller > 0 else 0.0


def polygon_iou(first: ArrayLike, second: ArrayLike) -> float:
    """Return the intersection over union of two convex polygons (N x 2), 0..1."""
    shared = polygon_overlap(first, second)
    union = abs(polygon_area(first)) + abs(polygon_area(second)) - shared
    return shared / union if union > 0 else 0.0


def clip_to_picture(quad: ArrayLike, width: int, height: int) -> NDArray[np.float32]:
    """Return the part (N x 2, possibly empty) of a convex quad that lies inside a width x height picture."""
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, part = cv2.intersectConvexConvex(np.asarray(quad, np.float32), frame)
    # OpenCV 5 gives a meaningless point where nothing is shared.
    if part is None or area <= 0:
        return np.zeros((0, 2), np.float32)
    return np.asarray(part, np.float32).reshape(-1, 2)


def corner_distance(quads: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """Return each quad's mean corner distance (N) to `other` (4 x 2), the better of two half-turned orders.

    `quads` is N x 4 x 2, all clockwise from a short edge; the distance is in pixels.
    """
    many, one = np.asarray(quads, np.float64), np.asarray(other, np.float64)
    straight = np.linalg.norm(many - one, axis=-1).mean(axis=-1)
    turned = np.linalg.norm(many - one[_OPPOSITE], axis=-1).mean(axis=-1)
    return np.asarray(np.minimum(straight, turned))


def bounding_box(
    points: Sequence[Sequence[float]] | NDArray[np.floating],
) -> tuple[float, float, float, float]:
    """Return (left, top, right, bottom) of points (N x 2)."""
    array = np.asarray(points, np.float64)
    (left, top), (right, bottom) = array.min(axis=0), array.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
