"""Finding the table's plane from the cards on it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, polygon_area
from vision.plane import fit_plane


def camera(tilt_degrees: float) -> np.ndarray:
    """A 3 x 3 homography from table mm (y down) to pixels (1920 x 1080), tilted from the vertical."""
    tilt = np.radians(tilt_degrees)
    focal, distance = 1500.0, 900.0
    down = np.array([0, np.cos(tilt), -np.sin(tilt)])
    columns = np.stack([np.array([1.0, 0, 0]), down, np.array([0, 0, distance])], axis=1)
    return np.asarray(np.array([[focal, 0, 960], [0, focal, 540], [0, 0, 1]]) @ columns)


def project(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    mapped = np.c_[points, np.ones(len(points))] @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def card(x: float, y: float, angle: float) -> np.ndarray:
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2]
    turn = np.radians(angle)
    return np.asarray(half @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + [x, y])


PLACES = [(-200, 150, 5), (0, 170, -3), (210, 140, 2), (-250, -20, 90), (240, 10, 80), (0, -180, 176)]


@pytest.mark.parametrize("tilt", [0, 20, 50])
def test_distances_on_the_table_come_out_in_millimetres(tilt: float) -> None:
    matrix = camera(tilt)
    rng = np.random.default_rng(1)
    quads = [project(matrix, card(*place)) + rng.normal(0, 0.7, (4, 2)) for place in PLACES]
    plane = fit_plane([q.astype(np.float32) for q in quads], 1920, 1080)
    assert plane is not None
    ends = plane.table(project(matrix, np.array([[-200.0, 0], [200, 0], [0, -150], [0, 150]])))
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(400, rel=0.03)
    assert np.linalg.norm(ends[2] - ends[3]) == pytest.approx(300, rel=0.03)
    assert ends[1][0] > ends[0][0]
    assert ends[3][1] > ends[2][1]


def test_one_bad_outline_does_not_bend_the_table() -> None:
    matrix = camera(30)
    quads = [project(matrix, card(*place)).astype(np.float32) for place in PLACES]
    quads[2] = quads[2] * np.float32(1.0) + np.array([[0, 0], [40, 0], [40, -30], [0, 0]], np.float32)
    plane = fit_plane(quads, 1920, 1080)
    assert plane is not None
    ends = plane.table(project(matrix, np.array([[-200.0, 0], [200, 0]])))
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(400, rel=0.06)


@pytest.mark.parametrize(("seed", "tilt"), [(32, 44), (41, 44), (12, 48)])
def test_where_the_nearest_and_the_farthest_card_are_outlined_amiss_the_others_tell(
    seed: int, tilt: float
) -> None:
    matrix, rng = camera(tilt), np.random.default_rng(seed)
    around = [(-320, -60, 88), (-320, 40, 92), (320, -70, 93), (330, 20, 88), (-90, -200, 2), (90, -195, 178)]
    quads = [project(matrix, card(*place)) for place in [*PLACES, *around, (180, -200, 1)]]
    order = np.argsort([abs(polygon_area(quad)) for quad in quads])
    for k in (order[0], order[len(order) // 2], order[-1]):
        quads[k] = quads[k] + rng.normal(0, 8, (4, 2))
    plane = fit_plane([quad.astype(np.float32) for quad in quads], 1920, 1080)
    assert plane is not None
    ends = plane.table(project(matrix, np.array([[-200.0, 0], [200, 0]])))
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(400, rel=0.06)


def test_a_table_is_no_mirror_image_whichever_way_round_the_corners_are_told() -> None:
    matrix = camera(20)
    quads = [project(matrix, card(*place))[::-1].astype(np.float32) for place in PLACES]
    plane = fit_plane(quads, 1920, 1080)
    assert plane is not None
    left, right, below = plane.table([(800, 540), (1100, 540), (960, 700)])
    assert left[0] < right[0]
    assert below[1] > 0


def test_pixels_and_back() -> None:
    plane = fit_plane([project(camera(25), card(*p)).astype(np.float32) for p in PLACES], 1920, 1080)
    assert plane is not None
    points = np.array([[100.0, 100], [1800, 900]])
    np.testing.assert_allclose(plane.pixels(plane.table(points)), points, atol=1e-6)


def test_no_cards_no_plane() -> None:
    assert fit_plane([], 1920, 1080) is None
