"""Pictures made smaller."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.images import downscale, resize


@pytest.mark.parametrize("size", [(3, 500), (480, 848), (1080, 1920), (4000, 3000)])
def test_the_longer_side_gets_the_length_asked_for(size: tuple[int, int]) -> None:
    small, scale = downscale(np.zeros((*size, 3), np.uint8), 320)
    assert max(small.shape[:2]) == 320
    assert scale == pytest.approx(320 / max(size))


def test_a_small_picture_stays_as_it_is() -> None:
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    small, scale = downscale(picture, 320)
    assert scale == 1
    assert (small == picture).all()


def test_fine_stripes_become_grey() -> None:
    stripes = np.zeros((512, 1024, 3), np.uint8)
    stripes[:, ::2] = 200
    small, _ = downscale(stripes, 256)
    assert (np.abs(small.astype(int) - 100) <= 1).all()


@pytest.mark.parametrize("size", [(1080, 1920), (2160, 3840), (1088, 1920), (3000, 4000)])
def test_a_large_picture_made_smaller_by_two_threads_is_the_one_that_one_makes(size: tuple[int, int]) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (*size, 3), np.uint8)
    small = resize(picture, (640, 360), cv2.INTER_AREA)
    assert np.array_equal(small, cv2.resize(picture, (640, 360), interpolation=cv2.INTER_AREA))
