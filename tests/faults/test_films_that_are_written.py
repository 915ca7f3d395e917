"""The annotated film: at its source's pace, of one size, and whole or said not to be."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.recording import FilmWriter
from engine.errors import BadInputError
from tests.faults.conftest import Disk
from vision.table.view import TableView


def write(path: Path, times: list[float], fps: float, sizes: list[tuple[int, int]] | None = None) -> None:
    film, rng = FilmWriter(path, fps), np.random.default_rng(1)
    for number, t in enumerate(times):
        width, height = sizes[number] if sizes else (160, 120)
        film.write(rng.integers(0, 255, (height, width, 3), np.uint8), t, TableView())
    film.close()


def seconds(path: Path) -> float:
    capture = cv2.VideoCapture(str(path))
    return capture.get(cv2.CAP_PROP_FRAME_COUNT) / capture.get(cv2.CAP_PROP_FPS)


@pytest.mark.parametrize("every", [0.01, 1 / 15, 0.2, 0.7])
def test_the_film_takes_as_long_as_the_game_whatever_rate_its_source_claims(
    every: float, tmp_path: Path
) -> None:
    path = tmp_path / "out.mp4"
    write(path, np.arange(0, 6, every).tolist(), 15.0)
    assert seconds(path) == pytest.approx(6, abs=0.8)


def test_every_picture_of_a_film_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "out.mp4"
    write(path, [number / 15 for number in range(200)], 15.0)
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT) == 200


def test_a_clock_that_leaps_ahead_does_not_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "out.mp4"
    write(path, [0.0, 0.1, 500_000.0, 500_000.1], 5.0)
    assert seconds(path) < 70


def test_pictures_of_another_size_are_fitted(tmp_path: Path) -> None:
    path = tmp_path / "out.mp4"
    write(path, [0.0, 0.1, 0.2, 0.3], 10.0, [(160, 120), (320, 240), (80, 60), (160, 120)])
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT) == 4


def test_a_film_that_the_disk_did_not_take_is_said(small_disk: Disk) -> None:
    with pytest.raises(BadInputError, match=r"out\.mp4: is incomplete"):
        write(small_disk.path / "out.mp4", [number / 15 for number in range(400)], 15.0)
