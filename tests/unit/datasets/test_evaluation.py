"""Scores: which cards count as found, correct and confidently wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.game.scoring import calibration_error
from datasets.measuring.reading.evaluation import ReadPhotos, evaluate_photos
from datasets.measuring.reading.matching import face_up_places, match_quads
from datasets.measuring.reading.photo_sets import photo_sets
from datasets.measuring.reading.scores import Score
from datasets.photos import Label
from engine.errors import BadInputError
from vision.types import CardReading

SQUARE = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)


def reading(shift: float, card: str | None, confidence: float = 0.95, face: str = "up") -> CardReading:
    quad = SQUARE + np.array([shift, 0], np.float32)
    return CardReading(quad, face, 0.9, card, confidence)  # type: ignore[arg-type]


def label(shift: float, card: str, kind: str = "quad") -> Label:
    return Label(card, SQUARE + np.array([shift, 0], np.float32), kind)  # type: ignore[arg-type]


def test_each_label_and_each_reading_is_used_once() -> None:
    labels = [label(0, "AS"), label(10, "KS")]
    assert match_quads(labels, [reading(1, "AS")]) == [(0, 0)]
    assert sorted(match_quads(labels, [reading(9, "KS"), reading(1, "AS")])) == [(0, 1), (1, 0)]
    assert match_quads(labels, [reading(100, "AS")]) == []


def test_a_reading_matches_the_overlapping_label_with_its_name() -> None:
    """The outline contains both cards, and overlaps more with the lower one."""
    labels = [label(0, "AS"), label(14, "KS")]
    assert match_quads(labels, [reading(8, "AS")]) == [(0, 0)]
    assert match_quads(labels, [reading(8, "QS")]) == [(1, 0)]
    assert match_quads([label(0, "A"), label(14, "K")], [reading(8, "AS")]) == [(0, 0)], "a rank will do"


def test_asked_labels_are_matched_before_others_of_the_same_name() -> None:
    """The outline overlaps more with the same card of another pack just below."""
    labels = [label(0, "AS"), label(6, "AS")]
    assert match_quads(labels, [reading(5, "AS")]) == [(1, 0)]
    assert match_quads(labels, [reading(5, "AS")], asked=1) == [(0, 0)]
    assert match_quads([label(0, "KS"), label(6, "AS")], [reading(5, "AS")], asked=1) == [(1, 0)]


def test_a_second_name_on_a_card_is_wrong_unless_that_card_lies_there_too() -> None:
    score = Score("")
    readings = [reading(0, "AS"), reading(5, "QS", 0.97), reading(300, "2D", 0.97)]
    face_up_places(score, [label(0, "AS")], readings)
    assert (score.named_right, score.confidently_wrong) == (1, 1)
    score = Score("")
    labels = [label(0, "BACK"), label(27, "QS")]
    face_up_places(score, labels, [reading(2, "QS", 0.97)])
    assert score.confidently_wrong == 0, "it sticks out from under the back"
    face_up_places(score, labels[:1], [reading(2, "QS", 0.97)])
    assert score.confidently_wrong == 1


def test_labels_may_run_in_either_direction() -> None:
    backwards = Label("AS", SQUARE[::-1].copy(), "quad")
    assert match_quads([backwards], [reading(0, "AS")]) == [(0, 0)]


def always(readings: Sequence[CardReading]) -> ReadPhotos:
    """Return a function that reads the same in every photo."""
    return lambda photos: ((readings, 1.0) for _ in photos)


def folder_with(tmp_path: Path, name: str, labels: str) -> Path:
    (tmp_path / "classes.txt").write_text("AS\nKS\nQS\nBACK\n")
    for part in ("images", "labels"):
        (tmp_path / name / part).mkdir(parents=True)
    cv2.imwrite(str(tmp_path / name / "images" / "a.png"), np.zeros((100, 200, 3), np.uint8))
    (tmp_path / name / "labels" / "a.txt").write_text(labels)
    return tmp_path


def test_a_set_of_cards_is_compared_without_places(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "rf100/valid", "0 0.1 0.1 0.1 0.1\n1 0.5 0.5 0.1 0.1\n")
    told = [reading(0, "AS"), reading(70, "QS", 0.97), reading(90, None), reading(0, None, face="down")]
    (score,) = evaluate_photos(always(told), ["rf100_valid"], root)
    row = score.to_json()
    assert (row["cards"], row["precision"], row["recall"]) == (2, 0.5, 0.5)
    assert row["confidently_wrong"] == 1
    assert row["photos"] == 1


def test_a_perfect_reader_scores_one_and_a_blind_one_zero(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "rf100/valid", "0 0.1 0.1 0.1 0.1\n1 0.5 0.5 0.1 0.1\n")
    perfect = evaluate_photos(always([reading(0, "AS", 1.0), reading(9, "KS", 1.0)]), ["rf100_valid"], root)[
        0
    ]
    assert perfect.to_json()["precision"] == perfect.to_json()["recall"] == 1.0
    assert calibration_error(perfect.certainty) == 0
    blind = evaluate_photos(always([]), ["rf100_valid"], root)[0].to_json()
    assert blind["recall"] == 0
    assert blind["precision"] is None
    assert blind["identity_right"] == blind["confidently_wrong_share"] == 0
    assert blind["calibration_error"] is None


def test_a_name_on_a_back_is_wrong(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "evan_backs", "0 0.15 0.45 0.3 0.9\n")
    told = [reading(3, "AS", 0.95), reading(0, None, face="down")]
    (score,) = evaluate_photos(always(told), ["evan_backs"], root)
    row = score.to_json()
    assert (row["recall"], row["confidently_wrong"], row["confidently_wrong_share"]) == (1, 1, 1)
    assert row["calibration_error"] == pytest.approx(0.95)
    assert row["identity_right"] is None
    unsure, beside = [reading(3, "AS", 0.6)], [reading(70, "AS", 0.95)]
    for told, wrong, names in ((unsure, 0, 1), (beside, 0, 0)):
        (score,) = evaluate_photos(always(told), ["evan_backs"], root)
        assert (score.confidently_wrong, len(score.certainty)) == (wrong, names)


def test_the_name_of_a_card_on_a_back_is_not_wrong() -> None:
    score = Score("x")
    face_up_places(score, [label(0, "BACK"), label(5, "AS")], [reading(4, "AS"), reading(30, "KS", 0.5)])
    assert (score.named_right, score.confidently_wrong, len(score.certainty)) == (1, 0, 1)


def test_any_folder_with_labelled_pictures_is_a_set(tmp_path: Path) -> None:
    folder_with(tmp_path, "a_table", "0 0.0 0.0 0.3 0.0 0.3 0.9 0.0 0.9\n3 0.5 0.5 0.1 0.1\n")
    (tmp_path / "classes.txt").write_text("ace of spades\nKS\nQS\nback\n")
    for name, labels in (("deep/boxes", "1 0.5 0.5 0.1 0.1\n"), ("backs", "3 0.15 0.45 0.3 0.9\n")):
        for part in ("images", "labels"):
            (tmp_path / name / part).mkdir(parents=True)
        cv2.imwrite(str(tmp_path / name / "images" / "a.png"), np.zeros((100, 200, 3), np.uint8))
        (tmp_path / name / "labels" / "a.txt").write_text(labels)
    (tmp_path / "singles" / "10H").mkdir(parents=True)
    cv2.imwrite(str(tmp_path / "singles" / "10H" / "a.jpg"), np.zeros((100, 200, 3), np.uint8))
    (tmp_path / "sealed" / "images").mkdir(parents=True)
    (tmp_path / "sealed" / "labels").mkdir(parents=True)
    sets = photo_sets(tmp_path)
    assert list(sets) == ["a_table", "a_table_down", "backs", "singles", "deep/boxes"]
    told = [reading(0, "AS"), reading(9, "KS", 0.95), reading(0, None, face="down")]
    scores = evaluate_photos(always(told), sets, tmp_path, sets=sets)
    assert [(score.cards, score.found) for score in scores] == [(1, 1), (1, 0), (1, 1), (1, 0), (1, 1)]
    assert list(photo_sets(tmp_path, ["backs", "a_table_down"])) == ["backs", "a_table_down"]
    assert list(photo_sets(tmp_path / "backs")) == ["backs"]
    with pytest.raises(BadInputError, match="moon"):
        photo_sets(tmp_path, ["moon"])


def test_cards_labelled_with_a_rank_alone_need_only_their_rank(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "edje/test", "K 0.15 0.45 0.3 0.9\n9 0.5 0.5 0.1 0.1\n")
    sets = photo_sets(root, ["edje/test"])
    told = [reading(0, "KH"), reading(9, "QD", 0.95)]
    (score,) = evaluate_photos(always(told), ["edje/test"], root, sets=sets)
    assert (score.cards, score.found, score.confidently_wrong) == (2, 1, 1)


def test_the_calibration_error_of_known_confidences() -> None:
    score = Score("x", certainty=[(0.8, True)] * 8 + [(0.8, False)] * 2)
    assert calibration_error(score.certainty) == pytest.approx(0)
    score = Score("x", certainty=[(0.95, False)] * 10)
    assert calibration_error(score.certainty) == pytest.approx(0.95)


def test_upright_readings_are_compared_with_boxes_around_the_cards(tmp_path: Path) -> None:
    root = folder_with(tmp_path, "vpo_table", "")
    (root / "vpo_table" / "labels_quad").mkdir()
    (root / "vpo_table" / "labels_quad" / "a.txt").write_text("0 0.25 0.1 0.45 0.5 0.25 0.9 0.05 0.5\n")
    (root / "vpo_table" / "labels").rename(root / "vpo_table" / "labels_box_with_back")
    upright = np.array(
        [[14, 14], [86, 14], [86, 86], [14, 86]], np.float32
    )  # around a card set on its corner
    higher = CardReading(upright - np.array([0, 18], np.float32), "up", 0.9, "AS", 0.9)
    told = always([higher])
    assert evaluate_photos(told, ["vpo_table"], root, boxes=True)[0].found == 1
    assert evaluate_photos(told, ["vpo_table"], root)[0].found == 0
