"""The one-stage detector: labels from scenes, and readings from the output of a network."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.scenes.store import StoredScene, read_scene, write_scene_parts
from engine.errors import BadInputError
from models.onestage.data import label_scenes, scene_rows, write_data
from models.onestage.reader import CLASSES, OneStageReader, letterboxed

TILTED = np.array([[50, 10], [90, 50], [50, 90], [10, 50]], np.float32)
OVER_THE_EDGE = np.array([[160, 60], [220, 60], [220, 140], [160, 140]], np.float32)


def scene(
    cards: tuple[str, ...] | None = ("10H", "JOKER"), up: tuple[bool, ...] = (True, True)
) -> StoredScene:
    image = np.full((100, 200, 3), 90, np.uint8)
    quads = np.array([TILTED, OVER_THE_EDGE])
    return StoredScene(image, quads, np.array(up), np.zeros((100, 200), np.uint8), cards)


def stored(path: Path, cards: tuple[str, ...] | None) -> Path:
    made = scene(cards)
    write_scene_parts(path, made.image, made.quads, made.face_up, made.owner, cards=made.cards)
    return path


def test_a_label_is_the_class_and_the_upright_box_within_the_picture() -> None:
    rows = scene_rows(scene())
    assert rows is not None
    numbers, boxes = zip(*((int(row.split()[0]), row.split()[1:]) for row in rows), strict=True)
    assert [CLASSES[number] for number in numbers] == ["10H", "JOKER"]
    assert np.allclose(np.array(boxes, float), [[0.25, 0.5, 0.4, 0.8], [0.9, 0.8, 0.2, 0.4]])


def test_face_down_cards_have_no_label_and_scenes_with_invented_faces_are_left_out() -> None:
    rows = scene_rows(scene(("10H", "BACK"), (True, False)))
    assert rows is not None
    assert len(rows) == 1
    assert scene_rows(scene(("10H", "??"))) is None


def test_scenes_stored_without_names_are_refused_in_one_line(tmp_path: Path) -> None:
    assert read_scene(stored(tmp_path / "000000.jpg", None)).cards is None
    with pytest.raises(BadInputError, match="have no names"):
        label_scenes([tmp_path / "000000.jpg"])


def test_scenes_are_labelled_where_ultralytics_looks(tmp_path: Path) -> None:
    pictures = [stored(tmp_path / "000000.jpg", ("10H", "AS")), stored(tmp_path / "000001.jpg", ("??", "AS"))]
    assert label_scenes(pictures) == label_scenes(pictures) == pictures[:1]
    assert len((tmp_path / "000000.txt").read_text().splitlines()) == 2
    data = write_data(pictures[:1], [], tmp_path / "run").read_text()
    assert "  0: 'AC'" in data
    assert "  52: 'JOKER'" in data
    assert (tmp_path / "run" / "train.txt").read_text() == f"{pictures[0].resolve()}\n"


class Fake:
    """A network with a fixed answer that remembers its input."""

    def __init__(self, boxes: list[list[float]]) -> None:
        self.output = np.array([boxes], np.float32)

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        self.inputs = inputs
        return self.output


def reader(network: Fake) -> OneStageReader:
    return OneStageReader(Path("none.onnx"), network, size=320)


def test_boxes_are_in_pixels_of_the_picture_and_the_most_confident_comes_first() -> None:
    number = CLASSES.index("QS")
    network = Fake([[8, 16, 40, 64, 0.5, number], [0, 0, 32, 32, 0.9, 52], [0, 0, 9, 9, 0.2, 3]])
    joker, queen = reader(network).read(np.zeros((480, 640, 3), np.uint8))
    assert network.inputs.shape == (1, 3, 320, 320)
    assert (joker.card, queen.card) == ("JOKER", "QS")
    assert queen.face == "up"
    assert queen.confidence == queen.outline_confidence == pytest.approx(0.5)
    assert np.allclose(queen.quad, [[16, 32], [80, 32], [80, 128], [16, 128]])


def test_the_picture_lies_at_the_top_left_in_red_green_blue() -> None:
    image = np.zeros((50, 100, 3), np.uint8)
    image[:] = (255, 0, 51)
    inputs, scale = letterboxed(image, 64)
    assert scale == pytest.approx(0.64)
    assert np.allclose(inputs[0, :, 5, 5], [0.2, 0.0, 1.0])
    assert np.allclose(inputs[0, :, 60, 5], 114 / 255)


@pytest.mark.parametrize("boxes", [[[0, 0, 9, 9, 0.9]], [[0, 0, 9, 9, 0.9, 79]]])
def test_another_kind_of_network_is_refused_in_one_line(boxes: list[list[float]]) -> None:
    with pytest.raises(BadInputError, match=r"none\.onnx: "):
        reader(Fake(boxes)).read(np.zeros((32, 32, 3), np.uint8))


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="weights are missing"):
        OneStageReader(tmp_path / "none.onnx")


def test_a_stored_scene_keeps_the_names_of_its_cards(tmp_path: Path) -> None:
    path = stored(tmp_path / "000000.jpg", ("10H", "JOKER"))
    assert read_scene(path).cards == ("10H", "JOKER")
    picture = cv2.imread(str(path))
    assert picture is not None
    assert picture.shape == (100, 200, 3)
