"""The plane of the table: a homography from pixels to millimetres, fitted to the cards that lie on it.

Every card is a rectangle of known size, so a few of them show how the camera looks at the table. This needs
no calibration and no marks on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import (
    CARD_CORNERS_MM,
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    homography,
    polygon_area,
    transform_points,
)
from vision.types import Quad

Matrix = NDArray[np.float64]
"""A homography, 3 x 3."""
Points = NDArray[np.float64]
"""N x 2 points."""

_CORNER_PAIRS = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))
"""The pairs of corners whose distance is known: four sides, two diagonals."""
_DIAGONAL_MM = float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM))
_PAIR_LENGTHS_MM = np.array(
    [CARD_WIDTH_MM, CARD_HEIGHT_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM, _DIAGONAL_MM, _DIAGONAL_MM]
)
_MAX_STEPS = 30
"""Levenberg-Marquardt steps, at most. The fit ends earlier once a step gains almost nothing."""
_OUTLIER_MM = 6.0
"""Errors above this count less (Huber's loss). A fit whose median error is larger is rejected."""


@dataclass(frozen=True, eq=False)
class TablePlane:
    """Maps pixels to millimetres on the table and back.

    In millimetres, x runs right in the image, y runs down, and the origin is the middle of the image.
    """

    to_table: Matrix
    """The homography (3 x 3) from pixels to millimetres."""

    def to_mm(self, pixels: ArrayLike) -> Points:
        """Return points (N x 2 px) in millimetres (N x 2)."""
        return transform_points(self.to_table, pixels)

    def to_pixels(self, millimetres: ArrayLike) -> Points:
        """Return points (N x 2 mm) in pixels (N x 2)."""
        return transform_points(np.asarray(np.linalg.inv(self.to_table), np.float64), millimetres)


def fit_plane(quads: Sequence[Quad], width: int, height: int) -> TablePlane | None:
    """Return the plane in which all `quads` (4 x 2 px each) are cards of poker size.

    It minimises the errors of all sides and diagonals in millimetres by the Levenberg-Marquardt method with
    Huber's weights. The result is None if there are no quads, or if the median error stays above 6 mm.

    Args:
        quads: The cards, 4 x 2 px each, clockwise, a short edge first.
        width: Of the image, pixels.
        height: Of the image, pixels.
    """
    if not quads:
        return None
    cards = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    best: tuple[float, Matrix] | None = None
    # A tilted camera sees each card differently, so the fit starts from a near, a middling and a far card. If
    # their outlines are wrong, it starts from the others.
    by_area = [int(k) for k in np.argsort([abs(polygon_area(quad)) for quad in cards])]
    first = {by_area[0], by_area[len(by_area) // 2], by_area[-1]}
    for number, index in enumerate([*first, *(k for k in by_area if k not in first)]):
        if number >= len(first) and best is not None and best[0] <= _OUTLIER_MM:
            break
        fitted = _minimise(homography(cards[index], CARD_CORNERS_MM), cards, max(width, height))
        error = float(np.median(np.abs(_residuals(fitted, cards))))
        if np.isfinite(error) and (best is None or error < best[0]):
            best = error, fitted
    if best is None or best[0] > _OUTLIER_MM:
        return None
    return TablePlane(_aligned_with_image(best[1], width, height))


def _minimise(start: Matrix, cards: Points, size: float) -> Matrix:
    """Return `start` improved by the Levenberg-Marquardt method over its eight free entries.

    `cards` is N x 4 x 2 px, and `size` the longer side of the image in pixels.
    """
    # With pixels scaled to about 1, all entries of the matrix have a similar effect.
    scale = np.diag([size, size, 1.0])
    matrix = start @ scale
    matrix /= matrix[2, 2]
    cards = cards / size
    damping = 1e-2
    errors = _residuals(matrix, cards)
    for _ in range(_MAX_STEPS):
        weights = np.minimum(1.0, _OUTLIER_MM / np.maximum(np.abs(errors), 1e-9))
        jacobian = _jacobian(matrix, cards, errors)
        normal = jacobian.T @ (weights[:, None] * jacobian)
        step = np.linalg.solve(
            normal + damping * (np.diag(np.diag(normal)) + 1e-9 * np.eye(8)), -jacobian.T @ (weights * errors)
        )
        candidate = matrix + np.append(step, 0.0).reshape(3, 3)
        after = _residuals(candidate, cards)
        if _huber_cost(after) < _huber_cost(errors):
            gain = _huber_cost(errors) - _huber_cost(after)
            matrix, errors, damping = candidate, after, damping / 4
            if gain < 1e-6:
                break
        else:
            damping *= 4
    return np.asarray(matrix @ np.linalg.inv(scale), np.float64)


def _huber_cost(errors: Points) -> float:
    """Return the sum of Huber's loss over all errors (mm); infinite if any error is not finite."""
    size = np.abs(errors)
    huber = np.where(size < _OUTLIER_MM, 0.5 * size**2, _OUTLIER_MM * (size - 0.5 * _OUTLIER_MM))
    return float(np.sum(huber)) if np.isfinite(huber).all() else float("inf")


def _jacobian(matrix: Matrix, cards: Points, errors: Points) -> Matrix:
    """Return the derivatives of all residuals by the eight free entries (residuals x 8), by differences."""
    columns = []
    for entry in range(8):
        shifted = matrix.copy()
        step = 1e-5 * max(1.0, abs(shifted.flat[entry]))
        shifted.flat[entry] += step
        columns.append((_residuals(shifted, cards) - errors) / step)
    return np.stack(columns, axis=1)


def _residuals(matrix: Matrix, cards: Points) -> Points:
    """Return the error in mm of every side and diagonal of every card: 6 per card."""
    points = transform_points(matrix, cards.reshape(-1, 2)).reshape(-1, 4, 2)
    lengths = np.stack(
        [np.linalg.norm(points[:, a] - points[:, b], axis=1) for a, b in _CORNER_PAIRS], axis=1
    )
    return np.asarray((lengths - _PAIR_LENGTHS_MM).ravel(), np.float64)


def _aligned_with_image(matrix: Matrix, width: int, height: int) -> Matrix:
    """Return the homography shifted and turned so that the image's middle is the origin and y runs down."""
    centre, step = np.array([width / 2, height / 2]), height / 100
    around = [centre, centre + np.array([0, step]), centre + np.array([step, 0])]
    origin, below, beside = transform_points(matrix, around)
    down = (below - origin) / np.linalg.norm(below - origin)
    turn = np.array([[down[1], -down[0], 0], [down[0], down[1], 0], [0, 0, 1]])
    shift = np.array([[1, 0, -origin[0]], [0, 1, -origin[1]], [0, 0, 1]])
    # The fitted lengths are the same in a mirror image, but a camera sees the table from above.
    right = turn[0, :2] @ (beside - origin)
    mirror = np.diag([-1.0 if right < 0 else 1.0, 1.0, 1.0])
    moved = mirror @ turn @ shift @ matrix
    return np.asarray(moved / moved[2, 2], np.float64)
