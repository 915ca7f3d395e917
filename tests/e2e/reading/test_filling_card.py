"""A card that nearly fills the picture is found, and none of its pips is taken for a card."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.art.drawn import DrawnStyle, draw_back, draw_face
from vision.geometry import polygon_iou
from vision.recognition.reader import default_reader
from vision.types import Image, Quad

LARGE_DIAMONDS = DrawnStyle(pip=0.16, diamond_width=0.95, diamond_curve=0.0, index_height=0.11)
_SURELY = 0.6
"""On some processors a doubtful outline is seen beside the card, by differences in the last digits."""


def _near(face: Image, share: float, height: int) -> tuple[Image, Quad]:
    """A 3:4 picture whose width a card fills by this share, a little askew on dark wood; and its quad."""
    rng = np.random.default_rng(4)
    width = height * 3 // 4
    across, down = width * share, min(width * share * 88 / 63, 0.985 * height)
    askew = np.array([[0.01, 0.0], [-0.005, 0.01], [0.0, -0.01], [-0.01, 0.0]]) * across
    middle = np.array([[-across, -down], [across, -down], [across, down], [-across, down]]) / 2
    quad = (middle + askew + np.array([width, height]) / 2).astype(np.float32)
    corners = np.array([[0, 0], [face.shape[1], 0], face.shape[1::-1], [0, face.shape[0]]], np.float32)
    plane = cv2.getPerspectiveTransform(corners, quad)
    wood = np.full((height, width, 3), (40, 60, 80), np.float32)
    lies = cv2.warpPerspective(np.full(face.shape[:2], 255, np.uint8), plane, (width, height)) > 127
    flat = np.asarray(cv2.warpPerspective(face, plane, (width, height), flags=cv2.INTER_AREA), np.float32)
    seen = cv2.GaussianBlur(np.where(lies[..., None], flat, wood), (0, 0), 0.7)
    return np.clip(seen + rng.normal(0, 3, seen.shape), 0, 255).astype(np.uint8), quad


@pytest.mark.parametrize("share", [0.65, 0.8, 0.97])
@pytest.mark.parametrize("card", ["4D", "5D", "10D", "8S"])
@pytest.mark.parametrize("height", [360, 1440])
def test_the_card_is_found_and_no_pip(card: str, share: float, height: int) -> None:
    picture, quad = _near(draw_face(card, LARGE_DIAMONDS)[..., :3], share, height)
    readings = default_reader().read(picture)
    (seen,) = (reading for reading in readings if reading.detection_confidence >= _SURELY)
    assert (seen.face, seen.card) == ("up", card)
    assert polygon_iou(seen.quad, quad) > 0.85
    assert all(other.face == "up" and other.card is None for other in readings if other is not seen)


def test_a_back_that_fills_the_picture_is_no_named_card() -> None:
    picture, _quad = _near(draw_back((150, 60, 40))[..., :3], 0.9, 720)
    assert all(seen.card is None for seen in default_reader().read(picture))
