"""A printed outline is no card; a card is none, whatever its back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.printed_outlines import is_printed_outline

QUAD = np.array([[150, 80], [270, 95], [250, 260], [130, 240]], np.float32)
CLOTH = (50, 90, 40)


def table() -> np.ndarray:
    noise = np.random.default_rng(1).normal(0, 5, (360, 400, 3))
    return np.clip(np.array(CLOTH) + noise, 0, 255).astype(np.uint8)


def test_a_line_around_bare_cloth_is_printed() -> None:
    image = table()
    cv2.polylines(image, [QUAD.astype(np.int32)], True, (240, 240, 240), 3, cv2.LINE_AA)
    cv2.circle(image, (200, 168), 18, (30, 30, 200), -1)
    assert is_printed_outline(image, QUAD)


@pytest.mark.parametrize("back", [(30, 30, 180), (160, 70, 30), (230, 230, 235), (20, 20, 20)])
def test_a_back_covers_the_cloth(back: tuple[int, int, int]) -> None:
    image = table()
    cv2.fillConvexPoly(image, QUAD.astype(np.int32), (235, 240, 240), cv2.LINE_AA)
    inner = (QUAD - QUAD.mean(axis=0)) * 0.93 + QUAD.mean(axis=0)
    cv2.fillConvexPoly(image, inner.astype(np.int32), back, cv2.LINE_AA)
    assert not is_printed_outline(image, QUAD)


def test_a_quad_outside_the_picture_does_no_harm() -> None:
    assert isinstance(is_printed_outline(table(), QUAD + np.float32(2000)), bool)
