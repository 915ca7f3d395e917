"""Index corners found by a network, and the cards they tell of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import BadInputError
from vision.recognition.index_detector import (
    INPUT_CARD_HEIGHT,
    MAX_INPUT_SIDE,
    MIN_CARD_HEIGHT,
    IndexDetector,
    load_calibration,
)

PICTURE = np.zeros((384, 384, 3), np.uint8)
RIGHT, BELOW = (INPUT_CARD_HEIGHT * 63 / 88, 0.0), (0.0, float(INPUT_CARD_HEIGHT))


class Told:
    """A network that reports given indices: (column, row, score) with upright frames."""

    def __init__(
        self,
        *found: tuple[int, int, float],
        right: tuple[float, float] = RIGHT,
        below: tuple[float, float] = BELOW,
    ) -> None:
        self.found, self.right, self.below = found, right, below
        self.inputs: list[NDArray[np.float32]] = []

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        self.inputs.append(inputs)
        output = np.zeros((1, 8, inputs.shape[2] // 4, inputs.shape[3] // 4), np.float32)
        for column, row, score in self.found:
            output[0, :2, row, column] = score
            output[0, 2:, row, column] = (-12, -20, *self.right, *self.below)
        return output


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    (tmp_path / "indices.json").write_text('{"confidence_of_score": [[0, 0], [1, 1]]}')
    return tmp_path / "indices.onnx"


def finder(weights: Path, network: Told) -> IndexDetector:
    return IndexDetector(weights, network=network)


def test_an_index_tells_where_its_whole_card_lies(weights: Path) -> None:
    (index,) = finder(weights, Told((20, 30, 0.9))).detect(PICTURE, INPUT_CARD_HEIGHT)
    assert index.confidence == pytest.approx(0.9, abs=1e-3)
    assert np.allclose(index.quad[0], (20 * 4 + 1.5 - 12, 30 * 4 + 1.5 - 20))
    assert np.allclose(
        index.quad[2] - index.quad[0], (INPUT_CARD_HEIGHT * 63 / 88, INPUT_CARD_HEIGHT), atol=1e-3
    )


def test_cards_of_another_size_are_brought_to_the_size_the_network_knows(weights: Path) -> None:
    network = Told((20, 30, 0.9))
    (index,) = finder(weights, network).detect(np.zeros((768, 768, 3), np.uint8), 2 * INPUT_CARD_HEIGHT)
    assert len(network.inputs) == 1
    assert np.linalg.norm(index.quad[3] - index.quad[0]) == pytest.approx(2 * INPUT_CARD_HEIGHT, rel=1e-3)


def test_a_part_of_the_picture_gives_places_in_the_whole(weights: Path) -> None:
    found = finder(weights, Told((20, 30, 0.9)))
    whole, part = (
        found.detect(np.zeros((900, 900, 3), np.uint8), INPUT_CARD_HEIGHT, region)
        for region in ((0, 0, 384, 384), (100, 200, 484, 584))
    )
    assert np.allclose(part[0].quad - whole[0].quad, (100, 200))


def test_a_large_part_is_looked_at_in_tiles_that_cover_it(weights: Path) -> None:
    network = Told()
    picture = np.zeros((MAX_INPUT_SIDE + 10, 2 * MAX_INPUT_SIDE, 3), np.uint8)
    assert finder(weights, network).detect(picture, INPUT_CARD_HEIGHT) == []
    assert [inputs.shape[2:] for inputs in network.inputs] == 2 * 3 * [(MAX_INPUT_SIDE, MAX_INPUT_SIDE)]


def test_of_cards_too_small_to_be_read_no_index_is_looked_for(weights: Path) -> None:
    network = Told((20, 30, 0.9))
    assert finder(weights, network).detect(PICTURE, MIN_CARD_HEIGHT - 1) == []
    assert network.inputs == []


def test_a_photo_full_of_small_cards_is_not_magnified_beyond_measure(weights: Path) -> None:
    network = Told()
    finder(weights, network).detect(np.zeros((3000, 4000, 3), np.uint8), 40)
    assert sum(inputs.shape[2] * inputs.shape[3] for inputs in network.inputs) < 1.4 * 32e6


def test_a_part_no_larger_than_needed_is_looked_at(weights: Path) -> None:
    network = Told()
    finder(weights, network).detect(np.zeros((100, 250, 3), np.uint8), INPUT_CARD_HEIGHT)
    assert [inputs.shape[2:] for inputs in network.inputs] == [(112, 256)]


def test_two_answers_for_one_index_count_once(weights: Path) -> None:
    found = finder(weights, Told((20, 30, 0.9), (21, 30, 0.8), (28, 30, 0.7))).detect(
        PICTURE, INPUT_CARD_HEIGHT
    )
    assert [round(index.confidence, 1) for index in found] == [0.9, 0.7]


def test_what_could_be_no_card_beside_the_others_is_left_out(weights: Path) -> None:
    tiny = Told((20, 30, 0.9), right=(20.0, 0.0), below=(0.0, 28.0))
    assert finder(weights, tiny).detect(PICTURE, INPUT_CARD_HEIGHT) == []
    mirrored = Told((20, 30, 0.9), right=(-RIGHT[0], 0.0))
    assert finder(weights, mirrored).detect(PICTURE, INPUT_CARD_HEIGHT) == []


def test_a_part_outside_the_picture_holds_nothing(weights: Path) -> None:
    network = Told((20, 30, 0.9))
    assert finder(weights, network).detect(PICTURE, INPUT_CARD_HEIGHT, (900, 900, 1000, 1000)) == []
    assert not network.inputs


def test_weights_of_another_kind_are_named_in_one_line(weights: Path) -> None:
    class Other:
        def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
            return np.zeros((1, 10), np.float32)

    with pytest.raises(BadInputError, match="another version"):
        IndexDetector(weights, network=Other()).detect(PICTURE, INPUT_CARD_HEIGHT)


@pytest.mark.parametrize("text", ["", "{}", '{"confidence_of_score": [[0, 1], [1, 0]]}'])
def test_a_broken_calibration_is_named_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "indices.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match="index network"):
        load_calibration(path)
