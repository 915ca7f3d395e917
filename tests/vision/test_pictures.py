"""Pictures made smaller."""

from __future__ import annotations

import numpy as np
import pytest

from vision.pictures import reduced


@pytest.mark.parametrize("size", [(3, 500), (480, 848), (1080, 1920), (4000, 3000)])
def test_the_longer_side_gets_the_length_asked_for(size: tuple[int, int]) -> None:
    small, scale = reduced(np.zeros((*size, 3), np.uint8), 320)
    assert max(small.shape[:2]) == 320
    assert scale == pytest.approx(320 / max(size))


def test_a_small_picture_stays_as_it_is() -> None:
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    small, scale = reduced(picture, 320)
    assert scale == 1
    assert (small == picture).all()


def test_fine_stripes_become_grey() -> None:
    stripes = np.zeros((512, 1024, 3), np.uint8)
    stripes[:, ::2] = 200
    small, _ = reduced(stripes, 256)
    assert (np.abs(small.astype(int) - 100) <= 1).all()
