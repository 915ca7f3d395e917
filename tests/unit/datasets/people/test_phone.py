"""A phone films badly: light, colour and focus drift, and knocks move the picture."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.films.geometry import Camera, look_at_table
from datasets.films.people.drawing import eye_of, projection
from datasets.films.people.phone import PhoneSensor

SECONDS = 60.0


def chequers() -> NDArray[np.uint8]:
    ys, xs = np.mgrid[0:180, 0:320]
    grey = np.where((xs // 8 + ys // 8) % 2 == 0, 60, 180).astype(np.uint8)
    return np.ascontiguousarray(np.dstack([grey] * 3))


def exposed(sensor: PhoneSensor) -> list[NDArray[np.uint8]]:
    return [sensor.expose(chequers(), t, round(t * 15)) for t in np.arange(0.0, SECONDS, 0.5)]


def test_light_and_colour_drift() -> None:
    frames = exposed(PhoneSensor(320, 180, 0.0, SECONDS, 3))
    levels = np.array([frame.mean(axis=(0, 1)) for frame in frames])
    assert np.ptp(levels.mean(axis=1)) > 8.0
    assert np.ptp(levels[:, 0] / levels[:, 2]) > 0.01


def test_focus_comes_and_goes() -> None:
    frames = exposed(PhoneSensor(320, 180, 0.0, SECONDS, 3))
    sharpness = [float(np.abs(np.diff(frame.astype(float), axis=1)).max()) for frame in frames]
    assert min(sharpness) < 0.8 * max(sharpness)


def test_a_knock_moves_the_picture_and_rings_out() -> None:
    sensor = PhoneSensor(1920, 1080, 0.0, SECONDS, 3)
    moves = [sensor.movement(float(t)) for t in np.arange(0.0, SECONDS + 4.0, 0.02)]
    shifts = [0.0 if move is None else float(np.hypot(move[0, 2], move[1, 2])) for move in moves]
    assert max(shifts) > 3.0
    assert shifts[-1] < 0.5 * max(shifts)


def test_the_same_seed_gives_the_same_faults() -> None:
    first, second = (PhoneSensor(320, 180, 2.0, SECONDS, 3) for _ in range(2))
    assert np.array_equal(first.expose(chequers(), 20.0, 300), second.expose(chequers(), 20.0, 300))


@pytest.mark.parametrize("tilt", [0.0, 12.0, 25.0])
def test_people_are_drawn_where_the_camera_sees_the_table(tilt: float) -> None:
    camera: Camera = look_at_table(640, 360, table=(900.0, 600.0), tilt=tilt, azimuth=15.0)
    matrix = projection(camera)
    for x, y, z in ((0.0, 0.0, 0.0), (300.0, -200.0, 0.0), (-250.0, 180.0, 120.0)):
        clip = matrix @ np.array([x, y, z, 1.0])
        drawn = (clip[:2] / clip[3] + 1.0) / 2.0 * np.array([640.0, 360.0])
        assert drawn == pytest.approx(camera.project(np.array([[x, y]]), z)[0], abs=1e-6)
        assert -1.0 < clip[2] / clip[3] < 1.0


def test_the_eye_is_where_all_lines_of_sight_meet() -> None:
    camera = look_at_table(640, 360, table=(900.0, 600.0), tilt=12.0)
    assert camera.matrix @ np.array([*eye_of(camera), 1.0]) == pytest.approx(np.zeros(3), abs=1e-6)
