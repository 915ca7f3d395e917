"""Label files of the photo sets, in a small invented folder and in the real one if it exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
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


def test_boxes_and_quads_are_in_pixels(folder: Path) -> None:
    (photo,) = load_set("rf100/valid", folder)
    box, quad = photo.labels
    assert (box.card, box.kind) == ("10D", "box")
    assert box.points == pytest.approx(np.array([[40, 15], [60, 15], [60, 35], [40, 35]]))
    assert (quad.card, quad.kind) == ("AS", "quad")
    assert quad.points == pytest.approx(np.array([[10, 10], [30, 10], [30, 30], [10, 30]]))


def test_boxes_around_indices_are_not_boxes_around_cards(folder: Path) -> None:
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


@pytest.mark.parametrize("file", ["classes.txt", "rf100/valid/labels/a.txt"])
def test_labels_and_classes_that_are_no_text_give_one_line_that_names_the_file(
    file: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / file).write_bytes(b"\xff\xfe1\x000\x00")
    assert main(["evaluate", "--photos", str(folder), "--sets", "rf100_valid"]) == 2
    assert f"{folder / file}: not UTF-8 text" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("file", ["classes.txt", "rf100/valid/labels/a.txt", "quads/quads.json"])
def test_a_file_of_labels_that_is_too_large_gives_one_line_that_names_it(
    file: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "quads").mkdir()
    monkeypatch.setattr("engine.files.bounded.MOST_BYTES", 1 << 20)
    (folder / file).write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(BadInputError, match=rf"{Path(file).name}: is too large"):
        load_set("quads" if "quads" in file else "rf100/valid", folder)


@pytest.mark.parametrize("place", ["nan", "inf", "-inf", "1e400", "1e30", "x"])
def test_a_coordinate_that_is_no_finite_number_is_refused_by_file_and_line(place: str, folder: Path) -> None:
    path = folder / "rf100/valid/labels/a.txt"
    path.write_text(f"{LABELS}1 0.5 {place} 0.2 0.4\n")
    with pytest.raises(BadInputError, match=r"a\.txt:3: a coordinate is not a number"):
        load_set("rf100/valid", folder)


def test_a_class_of_five_thousand_digits_is_a_name(folder: Path) -> None:
    (folder / "rf100/valid/labels/a.txt").write_text(f"{'9' * 5000} 0.5 0.5 0.2 0.4\n")
    (photo,) = load_set("rf100/valid", folder)
    assert photo.labels[0].card == "9" * 5000


def test_classes_may_begin_with_a_byte_order_mark(folder: Path) -> None:
    classes = folder / "classes.txt"
    classes.write_bytes(b"\xef\xbb\xbf" + b"BACK\n" + classes.read_bytes())
    (folder / "rf100/valid/labels/a.txt").write_text("0 0.5 0.5 0.2 0.4\n")
    assert load_set("rf100/valid", folder)[0].labels[0].card == BACK


SOUND = {"image": "a.png", "card": "AS", "quad": [[1, 2], [3, 2], [3, 9], [1, 9]]}


def test_listed_quads_are_in_pixels(folder: Path) -> None:
    (folder / "quads").mkdir()
    (folder / "quads" / "quads.json").write_text(json.dumps([SOUND]))
    (photo,) = load_set("quads", folder)
    assert photo.path == folder / "quads" / "images" / "a.png"
    assert photo.labels[0].points.tolist() == SOUND["quad"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"quad": [[1, 2], [3, 2], [3, 9], [1, float("nan")]]},
        {"quad": [[1, 2], [3, 2], [3, 9], [1, 10**9]]},
        {"quad": [[1, 2], [3, 2], [3, 9]]},
        {"quad": [1, 2, 3, 4]},
        {"quad": None},
        {"card": ""},
        {"card": 9},
        {"image": "../../a.png"},
        {"image": "/etc/passwd"},
        {"image": None},
    ],
)
def test_a_wrong_listed_quad_is_refused_by_file_and_number(wrong: dict[str, Any], folder: Path) -> None:
    (folder / "quads").mkdir()
    (folder / "quads" / "quads.json").write_text(json.dumps([SOUND, SOUND | wrong]))
    with pytest.raises(BadInputError, match=r"quads\.json: entry 2 does not give"):
        load_set("quads", folder)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"{}", b"[1]", b"[" * 3000])
def test_a_wrong_list_of_quads_gives_one_line(content: bytes, folder: Path) -> None:
    (folder / "quads").mkdir()
    (folder / "quads" / "quads.json").write_bytes(content)
    with pytest.raises(BadInputError, match=r"quads\.json: (not JSON|not a list|entry 1)"):
        load_set("quads", folder)
