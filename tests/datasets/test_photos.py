"""Label files of the photo sets, on a small made-up folder and on the real one where it is there."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.photos import BACK, load_set, photos_root, surfaces
from engine.errors import BadInputError

LABELS = "1 0.5 0.5 0.2 0.4\n2 0.1 0.2 0.3 0.2 0.3 0.6 0.1 0.6\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "classes.txt").write_text("10C\n10D\nAS\nBACK\n")
    for name in ("rf100/valid", "mix55/other"):
        for part in ("images", "labels"):
            (tmp_path / name / part).mkdir(parents=True)
        cv2.imwrite(str(tmp_path / name / "images" / "a.png"), np.zeros((50, 100, 3), np.uint8))
        (tmp_path / name / "labels" / "a.txt").write_text(
            "1 0.5 0.5 0.2 0.4\n2 0.1 0.2 0.3 0.2 0.3 0.6 0.1 0.6\n"
        )
    return tmp_path


def test_boxes_and_quads_in_pixels(folder: Path) -> None:
    (photo,) = load_set("rf100/valid", folder)
    box, quad = photo.labels
    assert (box.card, box.kind) == ("10D", "box")
    assert box.points == pytest.approx(np.array([[40, 15], [60, 15], [60, 35], [40, 35]]))
    assert (quad.card, quad.kind) == ("AS", "quad")
    assert quad.points == pytest.approx(np.array([[10, 10], [30, 10], [30, 30], [10, 30]]))


def test_boxes_of_index_corners_are_not_taken_for_cards(folder: Path) -> None:
    (photo,) = load_set("mix55/other", folder)
    assert photo.labels[0].kind == "corner"


def test_a_missing_set_and_a_broken_line_are_named(folder: Path) -> None:
    with pytest.raises(BadInputError, match="edje"):
        load_set("edje/train", folder)
    (folder / "rf100/valid/labels/a.txt").write_text("1 0.5 0.5\n")
    with pytest.raises(BadInputError, match=r"a\.txt:1"):
        load_set("rf100/valid", folder)


def test_surfaces_exist_without_any_photos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHITHEAD_PHOTOS", str(tmp_path / "nowhere"))
    found = surfaces.__wrapped__(drawn=5)
    assert len(found) == 5
    assert all(texture.dtype == np.uint8 and texture.ndim == 3 for texture in found)


@pytest.mark.skipif(photos_root() is None, reason="the photo folder is not here")
@pytest.mark.parametrize(("name", "photos"), [("vpo_table", 6), ("avgustine_quads", 108), ("bidly_fans", 1)])
def test_the_real_sets_load_with_labels_inside_their_pictures(name: str, photos: int) -> None:
    found = load_set(name)
    assert len(found) == photos
    for photo in found[:6]:
        height, width = photo.image().shape[:2]
        points = np.concatenate([label.points for label in photo.labels])
        assert points.min() >= -2
        assert (points <= np.array([width + 2, height + 2])).all()


@pytest.mark.skipif(photos_root() is None, reason="the photo folder is not here")
def test_vpo_table_has_its_face_down_piles() -> None:
    backs = [label for photo in load_set("vpo_table") for label in photo.labels if label.card == BACK]
    assert len(backs) == 4
    assert {label.kind for label in backs} == {"box"}
