"""The measures: what counts as found, right, confidently wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.evaluation import Score, each_by, evaluate_photos, match_quads
from datasets.photos import Label
from vision.reading import CardReading, Image

SQUARE = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)


def reading(shift: float, card: str | None, confidence: float = 0.95, face: str = "up") -> CardReading:
    quad = SQUARE + np.float32([shift, 0])
    return CardReading(quad, face, 0.9, card, confidence)  # type: ignore[arg-type]


def label(shift: float, card: str, kind: str = "quad") -> Label:
    return Label(card, SQUARE + np.float32([shift, 0]), kind)  # type: ignore[arg-type]


def test_each_label_and_each_reading_is_used_once() -> None:
    labels = [label(0, "AS"), label(10, "KS")]
    assert match_quads(labels, [reading(1, "AS")]) == [(0, 0)]
    assert sorted(match_quads(labels, [reading(9, "KS"), reading(1, "AS")])) == [(0, 1), (1, 0)]
    assert match_quads(labels, [reading(100, "AS")]) == []


def test_labels_may_run_either_way_round() -> None:
    backwards = Label("AS", SQUARE[::-1].copy(), "quad")
    assert match_quads([backwards], [reading(0, "AS")]) == [(0, 0)]


class Told:
    """A reader that says what it was told, whatever it sees."""

    def __init__(self, readings: Sequence[CardReading]) -> None:
        self.readings = readings

    def read(self, image: Image, crowded: object = None) -> Sequence[CardReading]:
        return self.readings


def folder_with(tmp_path: Path, name: str, labels: str) -> Path:
    (tmp_path / "classes.txt").write_text("AS\nKS\nQS\nBACK\n")
    for part in ("images", "labels"):
        (tmp_path / name / part).mkdir(parents=True)
    cv2.imwrite(str(tmp_path / name / "images" / "a.png"), np.zeros((100, 200, 3), np.uint8))
    (tmp_path / name / "labels" / "a.txt").write_text(labels)
    return tmp_path


def test_sets_of_cards(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "rf100/valid", "0 0.1 0.1 0.1 0.1\n1 0.5 0.5 0.1 0.1\n")
    told = Told([reading(0, "AS"), reading(70, "QS", 0.97), reading(90, None), reading(0, None, face="down")])
    (score,) = evaluate_photos(each_by(lambda photo: told), ["rf100_valid"], root)
    row = score.to_json()
    assert (row["cards"], row["precision"], row["recall"]) == (2, 0.5, 0.5)
    assert row["confidently_wrong"] == 1
    assert row["photos"] == 1


def test_a_perfect_reader_scores_one_and_a_blind_one_nothing(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "rf100/valid", "0 0.1 0.1 0.1 0.1\n1 0.5 0.5 0.1 0.1\n")
    perfect = evaluate_photos(
        each_by(lambda photo: Told([reading(0, "AS", 1.0), reading(9, "KS", 1.0)])), ["rf100_valid"], root
    )[0]
    assert perfect.to_json()["precision"] == perfect.to_json()["recall"] == 1.0
    assert perfect.calibration_error() == 0
    blind = evaluate_photos(each_by(lambda photo: Told([])), ["rf100_valid"], root)[0].to_json()
    assert blind["recall"] == 0
    assert blind["precision"] is None
    assert blind["calibration_error"] is None


def test_calibration_error_of_known_certainties() -> None:
    score = Score("x", certainty=[(0.8, True)] * 8 + [(0.8, False)] * 2)
    assert score.calibration_error() == pytest.approx(0)
    score = Score("x", certainty=[(0.95, False)] * 10)
    assert score.calibration_error() == pytest.approx(0.95)


def test_a_reader_of_upright_boxes_is_held_against_the_boxes_around_the_cards(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "vpo_table", "")
    (root / "vpo_table" / "labels_quad").mkdir()
    (root / "vpo_table" / "labels_quad" / "a.txt").write_text("0 0.25 0.1 0.45 0.5 0.25 0.9 0.05 0.5\n")
    (root / "vpo_table" / "labels").rename(root / "vpo_table" / "labels_box_with_back")
    upright = np.array(
        [[14, 14], [86, 14], [86, 86], [14, 86]], np.float32
    )  # around a card set on its corner
    higher = CardReading(upright - np.float32([0, 18]), "up", 0.9, "AS", 0.9)
    told = each_by(lambda photo: Told([higher]))
    assert evaluate_photos(told, ["vpo_table"], root, boxes=True)[0].found == 1
    assert evaluate_photos(told, ["vpo_table"], root)[0].found == 0
