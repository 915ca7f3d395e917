"""The table's plane: from pixels to millimetres, found from the cards that lie on it.

Every card is a rectangle of known size, so a handful of them fixes how the camera looks at the table. No
calibration, no marks on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import CARD_HEIGHT_MM, CARD_MM, CARD_WIDTH_MM, homography, polygon_area, transform
from vision.types import Quad

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]

_PAIRS = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))
_DIAGONAL = float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM))
_LENGTHS = np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM, _DIAGONAL, _DIAGONAL])
_STEPS = 30
_OUTLIER_MM = 6.0


@dataclass(frozen=True, eq=False)
class TablePlane:
    """Pixels to table millimetres and back. x runs right in the picture, y down, origin in its middle."""

    to_table: Matrix
    """3 x 3 homography: pixels to millimetres."""

    def table(self, pixels: ArrayLike) -> Points:
        """Return N x 2 millimetres for N x 2 pixels."""
        return transform(self.to_table, pixels)

    def pixels(self, millimetres: ArrayLike) -> Points:
        """Return N x 2 pixels for N x 2 millimetres."""
        return transform(np.asarray(np.linalg.inv(self.to_table), np.float64), millimetres)


def fit_plane(quads: Sequence[Quad], width: int, height: int) -> TablePlane | None:
    """Fit the plane in which all `quads` (4 x 2 pixels each) are cards of poker size.

    Minimises the error of every side and diagonal (mm) by Levenberg-Marquardt, with outliers weighed down
    (Huber's weights). Returns None without quads or when no sensible plane comes out.
    """
    if not quads:
        return None
    cards = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    best: tuple[float, Matrix] | None = None
    # A tilted camera sees each card differently: try a near, a middling and a far one to start from. From one
    # that is outlined amiss nothing sensible is reached: then the others are tried.
    by_area = [int(k) for k in np.argsort([abs(polygon_area(quad)) for quad in cards])]
    first = {by_area[0], by_area[len(by_area) // 2], by_area[-1]}
    for number, index in enumerate([*first, *(k for k in by_area if k not in first)]):
        if number >= len(first) and best is not None and best[0] <= _OUTLIER_MM:
            break
        fitted = _refine(homography(cards[index], CARD_MM), cards, max(width, height))
        error = float(np.median(np.abs(_residuals(fitted, cards))))
        if np.isfinite(error) and (best is None or error < best[0]):
            best = error, fitted
    if best is None or best[0] > _OUTLIER_MM:
        return None
    return TablePlane(_upright(best[1], width, height))


def _refine(start: Matrix, cards: Points, size: float) -> Matrix:
    """Return `start` after Levenberg-Marquardt over its eight free entries."""
    # With pixels scaled to about 1 all entries of the matrix matter alike.
    scale = np.diag([size, size, 1.0])
    matrix = start @ scale
    matrix /= matrix[2, 2]
    cards = cards / size
    damping = 1e-2
    errors = _residuals(matrix, cards)
    for _ in range(_STEPS):
        weights = np.minimum(1.0, _OUTLIER_MM / np.maximum(np.abs(errors), 1e-9))
        jacobian = _jacobian(matrix, cards, errors)
        normal = jacobian.T @ (weights[:, None] * jacobian)
        step = np.linalg.solve(
            normal + damping * (np.diag(np.diag(normal)) + 1e-9 * np.eye(8)), -jacobian.T @ (weights * errors)
        )
        candidate = matrix + np.append(step, 0.0).reshape(3, 3)
        after = _residuals(candidate, cards)
        if _cost(after) < _cost(errors):
            gain = _cost(errors) - _cost(after)
            matrix, errors, damping = candidate, after, damping / 4
            if gain < 1e-6:
                break
        else:
            damping *= 4
    return np.asarray(matrix @ np.linalg.inv(scale), np.float64)


def _cost(errors: Points) -> float:
    size = np.abs(errors)
    huber = np.where(size < _OUTLIER_MM, 0.5 * size**2, _OUTLIER_MM * (size - 0.5 * _OUTLIER_MM))
    return float(np.sum(huber)) if np.isfinite(huber).all() else float("inf")


def _jacobian(matrix: Matrix, cards: Points, errors: Points) -> Matrix:
    columns = []
    for entry in range(8):
        shifted = matrix.copy()
        step = 1e-5 * max(1.0, abs(shifted.flat[entry]))
        shifted.flat[entry] += step
        columns.append((_residuals(shifted, cards) - errors) / step)
    return np.stack(columns, axis=1)


def _residuals(matrix: Matrix, cards: Points) -> Points:
    """Return how far every side and diagonal of every card is from its true length, mm (6 a card)."""
    points = transform(matrix, cards.reshape(-1, 2)).reshape(-1, 4, 2)
    lengths = np.stack([np.linalg.norm(points[:, a] - points[:, b], axis=1) for a, b in _PAIRS], axis=1)
    return np.asarray((lengths - _LENGTHS).ravel(), np.float64)


def _upright(matrix: Matrix, width: int, height: int) -> Matrix:
    """Turn and shift the plane so that the picture's middle is the origin and y runs down the picture."""
    centre, step = np.array([width / 2, height / 2]), height / 100
    around = [centre, centre + np.array([0, step]), centre + np.array([step, 0])]
    origin, below, beside = transform(matrix, around)
    down = (below - origin) / np.linalg.norm(below - origin)
    turn = np.array([[down[1], -down[0], 0], [down[0], down[1], 0], [0, 0, 1]])
    shift = np.array([[1, 0, -origin[0]], [0, 1, -origin[1]], [0, 0, 1]])
    # The lengths by which it was fitted are the same in a mirror, but a table is seen from above.
    right = turn[0, :2] @ (beside - origin)
    mirror = np.diag([-1.0 if right < 0 else 1.0, 1.0, 1.0])
    moved = mirror @ turn @ shift @ matrix
    return np.asarray(moved / moved[2, 2], np.float64)
