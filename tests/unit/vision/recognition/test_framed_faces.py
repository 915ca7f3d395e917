"""An outline around the frame inside a face is moved to the card's edge; other outlines stay."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.art.drawn import DrawnStyle, draw_face
from vision.geometry import polygon_iou, rectangle_corners
from vision.recognition.classifier import CardClassifier
from vision.recognition.detector import Detection
from vision.recognition.framed_faces import enlarge_framed_outlines
from vision.types import Image, Quad

CARD, FRAME = (100.0, 80.0, 352.0, 432.0), (164.0, 154.0, 288.0, 358.0)
"""Left, top, right and bottom of the card and of the frame inside its face."""


def _quad(left: float, top: float, right: float, bottom: float) -> Quad:
    return np.asarray(rectangle_corners(left, top, right, bottom), np.float32)


def _framed(card: str) -> Image:
    """A card on a dark table whose pips stand in a frame, with large indices outside of it."""
    face = draw_face(card, DrawnStyle())[..., :3]
    high, wide = face.shape[:2]
    left, top, right, bottom = (int(side) for side in CARD)
    table = np.full((512, 452, 3), (30, 25, 25), np.uint8)
    table[top:bottom, left:right] = 250
    x0, y0, x1, y1 = (int(side) for side in FRAME)
    pips = face[round(0.08 * high) : round(0.92 * high), round(0.17 * wide) : round(0.83 * wide)]
    table[y0:y1, x0:x1] = cv2.resize(pips, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
    cv2.rectangle(table, (x0, y0), (x1, y1), (160, 60, 30), 2)
    corner = face[round(0.02 * high) : round(0.22 * high), round(0.02 * wide) : round(0.14 * wide)]
    index = cv2.resize(corner, (54, 110), interpolation=cv2.INTER_LINEAR)
    table[top + 8 : top + 118, left + 6 : left + 60] = index
    table[bottom - 118 : bottom - 8, right - 60 : right - 6] = index[::-1, ::-1]
    return np.asarray(cv2.GaussianBlur(table, (0, 0), 0.7), np.uint8)


@pytest.mark.parametrize("card", ["10H", "9S"])
def test_the_outline_of_a_frame_becomes_that_of_its_card(card: str) -> None:
    image, classifier = _framed(card), CardClassifier()
    outline = Detection(_quad(*FRAME), "up", 0.9)
    names = classifier.classify(image, [outline.quad])
    assert names[0].card == card
    (moved,), (name,) = enlarge_framed_outlines(image, [outline], names, classifier)
    assert polygon_iou(moved.quad, _quad(*CARD)) > 0.95
    assert name.card == card


def test_a_ghost_over_such_a_card_is_left_out_and_a_sound_outline_stays() -> None:
    image, classifier = _framed("9S"), CardClassifier()
    ghost = _quad(*FRAME) + np.array([[9, -14], [-6, 8], [12, 10], [-9, -8]], np.float32)
    for others in ([Detection(ghost, "up", 0.8)], []):
        outlines = [Detection(_quad(*FRAME), "up", 0.9), *others]
        names = classifier.classify(image, [outline.quad for outline in outlines])
        kept, _names = enlarge_framed_outlines(image, outlines, names, classifier)
        assert len(kept) == 1
    sound = Detection(_quad(*CARD), "up", 0.9)
    names = classifier.classify(image, [sound.quad])
    (same,), _names = enlarge_framed_outlines(image, [sound], names, classifier)
    assert same is sound
    assert enlarge_framed_outlines(image, [], [], classifier) == ([], [])
