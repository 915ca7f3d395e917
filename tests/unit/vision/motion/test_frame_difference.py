"""A frame that shows nothing new is told by a glance."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest

from tests.support.grain import grainy
from vision.motion.frame_difference import ChangeDetector

WIDTH, HEIGHT = 960, 540


def noisy(seed: int, sigma: float = 3.0, level: int = 90) -> np.ndarray:
    return grainy(np.full((HEIGHT, WIDTH, 3), level, np.uint8), sigma, seed)


def used_to(sigma: float) -> ChangeDetector:
    """A glance that has seen a camera's noise for a few seconds."""
    return copy.deepcopy(_used_to(sigma))


@functools.cache
def _used_to(sigma: float) -> ChangeDetector:
    glance = ChangeDetector()
    for seed in range(60):
        glance.is_new(noisy(seed, sigma))
        glance.set_reference(still=True)
    return glance


def test_the_first_frame_and_one_of_another_size_are_new() -> None:
    glance = ChangeDetector()
    assert glance.is_new(noisy(1))
    glance.set_reference(still=True)
    assert not glance.is_new(noisy(1))
    assert glance.is_new(np.zeros((20, 10, 3), np.uint8))


@pytest.mark.parametrize("sigma", [0.0, 2.0, 5.0])
def test_noise_alone_is_nothing_new(sigma: float) -> None:
    glance = used_to(sigma)
    new = sum(glance.is_new(noisy(1000 + seed, sigma)) for seed in range(100))
    assert new <= 2


@pytest.mark.parametrize("sigma", [0.0, 2.0, 5.0])
def test_a_finger_s_breadth_of_something_else_is_new(sigma: float) -> None:
    glance, frame = used_to(sigma), noisy(5000, sigma)
    frame[200:215, 400:415] = np.clip(frame[200:215, 400:415].astype(int) + 40, 0, 255)
    assert glance.is_new(frame)


def test_light_that_changes_slowly_is_noticed_in_the_end() -> None:
    glance = used_to(0.0)
    new = [glance.is_new(noisy(1, 0.0, 90 + step)) for step in range(20)]
    assert not new[0]
    assert new[-1]
