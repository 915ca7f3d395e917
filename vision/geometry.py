"""Plane geometry of cards in images: corner order, rectification, overlap. Pixels, x right, y down."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.types import Image, Quad

CARD_WIDTH_MM = 63.0
CARD_HEIGHT_MM = 88.0
"""Poker size, which is the most common. Bridge size is 57 x 88 mm."""
CARD_CORNERS_MM = np.array(
    [[0, 0], [CARD_WIDTH_MM, 0], [CARD_WIDTH_MM, CARD_HEIGHT_MM], [0, CARD_HEIGHT_MM]], np.float32
)
"""The corners of a card (4 x 2 mm), clockwise from its top left."""
_NEXT, _OPPOSITE = np.array([1, 2, 3, 0]), np.array([2, 3, 0, 1])
"""For corners in order: the number of the next corner, and of the opposite one."""


def wrap_angle(angle: float) -> float:
    """Return an angle (radians) wrapped to the range from -pi to pi."""
    return (angle + math.pi) % math.tau - math.pi


def polygon_area(polygon: ArrayLike) -> float:
    """Return the signed area of a polygon (N x 2), positive if it runs clockwise in the image."""
    points = np.asarray(polygon, np.float64)
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(x[:-1] @ y[1:] - x[1:] @ y[:-1] + x[-1] * y[0] - x[0] * y[-1])


def polygon_areas(polygons: ArrayLike) -> NDArray[np.float64]:
    """Return the signed areas (M) of many polygons (M x N x 2), as `polygon_area` does for one."""
    points = np.asarray(polygons, np.float64)
    x, y = points[..., 0], points[..., 1]
    across = (x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1]).sum(axis=1)
    return np.asarray(0.5 * (across + x[:, -1] * y[:, 0] - x[:, 0] * y[:, -1]))


def edge_vectors(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four edge vectors (4 x 2) of a quad (4 x 2), each from a corner to the next one."""
    return np.asarray(quad[_NEXT] - quad)


def is_convex(quad: ArrayLike) -> bool:
    """Return whether four corners run clockwise around a convex shape that is no mere line."""
    return bool(are_convex(np.asarray(quad)[None])[0])


def are_convex(quads: ArrayLike) -> NDArray[np.bool_]:
    """Return for each of many quads (N x 4 x 2) whether it is convex, as `is_convex` does for one."""
    points = np.asarray(quads, np.float64)
    edges = points[:, _NEXT] - points
    following = edges[:, _NEXT]
    turns = edges[..., 0] * following[..., 1] - edges[..., 1] * following[..., 0]
    return np.asarray(np.isfinite(points).all(axis=(1, 2)) & (turns > 1e-6).all(axis=1))


def order_quad(corners: ArrayLike) -> Quad:
    """Return the four corners clockwise in the image, starting at a short edge.

    Two opposite edges are the short ones if their lengths add up to less. Two such starts remain, half a turn
    apart: the result starts with the edge nearer to the top of the image, as in `start_at_top_edge`.
    """
    points = np.asarray(corners, np.float64).reshape(4, 2)
    centre = points.mean(axis=0)
    turn = np.arctan2(points[:, 1] - centre[1], points[:, 0] - centre[0])
    points = points[np.argsort(turn, kind="stable")]
    sides = np.linalg.norm(edge_vectors(points), axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        points = points[_NEXT]
    return start_at_top_edge(points)


def start_at_top_edge(quad: ArrayLike) -> Quad:
    """Return the quad turned by half a turn if needed, so that it starts with its upper short edge.

    The upper edge is the one whose middle is nearer to the top of the image. If both are level, it is the
    left one.
    """
    points = np.asarray(quad, np.float64).reshape(4, 2)
    first, opposite = points[0] + points[1], points[2] + points[3]
    if (opposite[1], opposite[0]) < (first[1], first[0]):
        points = points[_OPPOSITE]
    return points.astype(np.float32)


def image_border(width: float, height: float) -> NDArray[np.float32]:
    """Return the border of a width x height image as a quad (4 x 2), clockwise from the top left.

    Pixel centres lie at whole numbers, so the border runs from -0.5 to width - 0.5.
    """
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def rectangle_corners(left: float, top: float, right: float, bottom: float) -> NDArray[np.float64]:
    """Return the corners (4 x 2) of an upright rectangle, clockwise from the top left."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)


def homography(source: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """Return the homography (3 x 3) that maps four source points to four target points (4 x 2 each)."""
    return np.asarray(
        cv2.getPerspectiveTransform(np.asarray(source, np.float32), np.asarray(target, np.float32)),
        np.float64,
    )


def card_homography(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the homography (3 x 3) from millimetres on a card to pixels.

    The origin is the card's first corner. `quad` is 4 x 2 px, clockwise, a short edge first.
    """
    return homography(CARD_CORNERS_MM, quad)


def transform_points(matrix: NDArray[np.float64], points: ArrayLike) -> NDArray[np.float64]:
    """Return points (N x 2) mapped by a homography (3 x 3)."""
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    moved = np.column_stack([flat, np.ones(len(flat))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def lie_on_card(quad: ArrayLike, places: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
    """Return which points (N x 2 px) lie on a card, or at most `margin` mm beside it, as N booleans."""
    to_card = np.asarray(np.linalg.inv(card_homography(quad)), np.float64)
    at, size = transform_points(to_card, places), np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM])
    return np.asarray(((at > -margin) & (at < size + margin)).all(axis=1))


def up_direction(quad: ArrayLike) -> NDArray[np.float64]:
    """Return the unit vector from the middle of a card's second short edge to the middle of its first one."""
    corners = np.asarray(quad, np.float64)
    way = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-9))


def rectify(image: Image, quad: ArrayLike, width: int, height: int) -> Image:
    """Return the card in a quad, rectified to a height x width x 3 image, its first corner at the top left.

    Parts outside the image are black. A card that shrinks more than twofold is first reduced by area
    averaging, which keeps thin strokes whole.
    """
    corners = np.asarray(quad, np.float32).reshape(4, 2)
    low = np.floor(corners.min(axis=0)).astype(int) - 2
    high = np.ceil(corners.max(axis=0)).astype(int) + 3
    low, high = np.maximum(low, 0), np.minimum(high, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return np.zeros((height, width, 3), np.uint8)
    region = image[low[1] : high[1], low[0] : high[0]]
    corners = corners - low.astype(np.float32)
    shrink = min(quad_size(corners)[0] / width, quad_size(corners)[1] / height)
    if shrink > 2:
        factor = 1.0 / float(int(shrink))
        size = (max(1, round(region.shape[1] * factor)), max(1, round(region.shape[0] * factor)))
        scale = np.array([size[0] / region.shape[1], size[1] / region.shape[0]], np.float32)
        region = np.asarray(cv2.resize(region, size, interpolation=cv2.INTER_AREA), np.uint8)
        corners = (corners + np.float32(0.5)) * scale - np.float32(0.5)
    matrix = homography(corners, image_border(width, height))
    return np.asarray(cv2.warpPerspective(region, matrix, (width, height), flags=cv2.INTER_LINEAR), np.uint8)


def upright_card_height(quad: ArrayLike) -> float:
    """Return the height in pixels of a card with the same area as the quad, seen from straight above."""
    return float(np.sqrt(max(polygon_area(quad), 0.0) * CARD_HEIGHT_MM / CARD_WIDTH_MM))


def quad_size(quad: ArrayLike) -> tuple[float, float]:
    """Return the mean width and the mean height of a quad in pixels.

    The width is the mean length of edges 0-1 and 2-3, the height that of edges 1-2 and 3-0.
    """
    points = np.asarray(quad, np.float64)
    along = edge_vectors(points)
    sides = np.hypot(along[:, 0], along[:, 1])
    return float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2


def intersection_area(first: ArrayLike, second: ArrayLike) -> float:
    """Return the area of the intersection of two convex polygons (N x 2), in square pixels."""
    area, _ = cv2.intersectConvexConvex(np.asarray(first, np.float32), np.asarray(second, np.float32))
    return float(area)


def intersection_over_smaller(first: ArrayLike, second: ArrayLike) -> float:
    """Return the intersection of two convex polygons (N x 2) as a share of the smaller one, 0..1."""
    smaller = min(abs(polygon_area(first)), abs(polygon_area(second)))
    return intersection_area(first, second) / smaller if smaller > 0 else 0.0


def polygon_iou(first: ArrayLike, second: ArrayLike) -> float:
    """Return the intersection over union of two convex polygons (N x 2), 0..1."""
    shared = intersection_area(first, second)
    union = abs(polygon_area(first)) + abs(polygon_area(second)) - shared
    return shared / union if union > 0 else 0.0


def clip_to_image(quad: ArrayLike, width: int, height: int) -> NDArray[np.float32]:
    """Return the part (N x 2, possibly empty) of a convex quad inside a width x height image."""
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, part = cv2.intersectConvexConvex(np.asarray(quad, np.float32), frame)
    # OpenCV 5 returns a meaningless point where nothing intersects.
    if part is None or area <= 0:
        return np.zeros((0, 2), np.float32)
    return np.asarray(part, np.float32).reshape(-1, 2)


def corner_distance(quads: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """Return the mean distance in pixels (N) of each quad's corners to those of `other` (4 x 2).

    `quads` is N x 4 x 2, each clockwise from a short edge. Half a turn does not count: the smaller of the two
    distances is returned.
    """
    many, one = np.asarray(quads, np.float64), np.asarray(other, np.float64)
    straight = np.linalg.norm(many - one, axis=-1).mean(axis=-1)
    turned = np.linalg.norm(many - one[_OPPOSITE], axis=-1).mean(axis=-1)
    return np.asarray(np.minimum(straight, turned))


def bounding_box(
    points: Sequence[Sequence[float]] | NDArray[np.floating],
) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of points (N x 2)."""
    array = np.asarray(points, np.float64)
    (left, top), (right, bottom) = array.min(axis=0), array.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
