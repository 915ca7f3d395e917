"""A frame that shows nothing new is told by a glance."""

from __future__ import annotations

import copy
import functools

import cv2
import numpy as np
import pytest

from vision.motion.frame_difference import ChangeDetector

WIDTH, HEIGHT = 960, 540


@functools.cache
def grain() -> np.ndarray:
    """Return a camera's noise of twice a picture's size, from which each picture takes its own part."""
    return np.random.default_rng(0).standard_normal((2 * HEIGHT, 2 * WIDTH, 3), np.float32)


def noisy(seed: int, sigma: float = 3.0, level: int = 90) -> np.ndarray:
    top, left = np.random.default_rng(seed).integers(0, (HEIGHT, WIDTH), endpoint=True)
    seen = cv2.multiply(grain()[top : top + HEIGHT, left : left + WIDTH], np.full(4, sigma))
    return cv2.add(seen, np.full(4, float(level)), dtype=cv2.CV_8U)


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
