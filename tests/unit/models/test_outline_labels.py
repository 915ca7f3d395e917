"""Pseudo-labels for photos that have only boxes, and the calibration of scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxslim")

from datasets.photos import Label, LabelledPhoto
from engine.errors import BadInputError
from models.outlines.photos import confirm_boxes, confirm_corners, owner_map
from models.shared.calibration import isotonic_curve
from vision.recognition.detector import Outline

CARD = np.array([[100, 50], [226, 50], [226, 226], [100, 226]], np.float32)


def found(shift: float = 0.0, face: str = "up", confidence: float = 0.9) -> Outline:
    return Outline(CARD + np.array([shift, 0], np.float32), face, confidence)  # type: ignore[arg-type]


def box(card: str, left: float, top: float, right: float, bottom: float, kind: str = "box") -> Label:
    points = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return Label(card, points, kind)  # type: ignore[arg-type]


def photo(*labels: Label) -> LabelledPhoto:
    return LabelledPhoto(Path("photo.jpg"), labels)


def test_a_box_confirms_only_an_outline_that_fills_it() -> None:
    label = box("AS", 101, 49, 227, 225)
    confirmed, missed = confirm_boxes(photo(label), [found(40), found(1)])
    assert [outline.quad[0, 0] for outline in confirmed] == [101]
    assert missed == []
    confirmed, missed = confirm_boxes(photo(label), [found(40)])
    assert confirmed == []
    assert missed == [label]


def test_the_label_says_which_face_is_up() -> None:
    confirmed, _ = confirm_boxes(photo(box("BACK", 100, 50, 226, 226)), [found(face="up")])
    assert [outline.face for outline in confirmed] == ["down"]


def index(card: str, x: float, y: float) -> Label:
    return box(card, x - 8, y - 18, x + 8, y + 18, "corner")


def test_two_indices_of_a_card_in_its_corners_confirm_it() -> None:
    pair = (index("AS", 114, 76), index("AS", 212, 200))
    confirmed, missed = confirm_corners(photo(*pair), [found(confidence=0.35)])
    assert len(confirmed) == 1
    assert missed == []


def test_an_index_in_the_middle_of_an_outline_confirms_nothing() -> None:
    label = index("AS", 163, 138)
    confirmed, missed = confirm_corners(photo(label), [found()])
    assert confirmed == []
    assert missed == [label]


def test_one_index_confirms_only_a_confident_outline() -> None:
    label = index("AS", 114, 76)
    assert len(confirm_corners(photo(label), [found(confidence=0.9)])[0]) == 1
    assert len(confirm_corners(photo(label), [found(confidence=0.4)])[0]) == 0


def test_the_overlap_of_two_confirmed_cards_is_ignored() -> None:
    owner = owner_map((300, 400), [found(0), found(60)], [box("KS", 300, 200, 340, 240).points])
    assert owner[100, 120] == 1
    assert owner[100, 270] == 2
    assert owner[100, 200] == 255
    assert owner[220, 320] == 255
    assert owner[10, 10] == 0


def test_the_calibration_curve_rises_and_follows_the_truth() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0, 1, 4000)
    right = rng.random(4000) < scores**2
    curve = isotonic_curve(scores, right)
    assert (np.diff(np.array(curve), axis=0) >= 0).all()
    told = np.interp([0.3, 0.6, 0.9], [s for s, _ in curve], [p for _, p in curve])
    assert told == pytest.approx([0.09, 0.36, 0.81], abs=0.08)


def test_a_network_that_finds_nothing_cannot_be_calibrated() -> None:
    with pytest.raises(BadInputError, match="train it longer"):
        isotonic_curve(np.zeros(0), np.zeros(0, np.bool_))
