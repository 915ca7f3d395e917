"""From the network's cells to outlines: decoding, merging, letterboxing, closer looks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.errors import BadInputError
from vision.geometry import corner_distance, is_convex, polygon_iou
from vision.recognition.detector import (
    WEIGHTS,
    Candidates,
    CardDetector,
    can_be_another_card,
    decode_quads,
    load_settings,
    merge_candidates,
)
from vision.recognition.runtime import load_network
from vision.types import Quad

QUAD = np.array([[300, 100], [360, 110], [350, 200], [288, 188]], np.float32)


def doubled(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.hypot(*vector)
    angle = 2 * np.arctan2(vector[1], vector[0])
    return np.asarray(length * np.array([np.cos(angle), np.sin(angle)]))


def code_of(quad: Quad) -> NDArray[np.float32]:
    p0, p1, p2, p3 = np.asarray(quad, np.float64)
    long_axis, short_axis = (p0 + p1 - p2 - p3) / 4, (p1 + p2 - p0 - p3) / 4
    skew = (p0 - p1 + p2 - p3) / 4
    return np.concatenate([(p0 + p1 + p2 + p3) / 4, doubled(long_axis), doubled(short_axis), skew]).astype(
        np.float32
    )


@given(st.floats(0, 6.3), st.floats(0.8, 1.3), st.floats(-6, 6))
def test_decoding_gives_the_quad_back_up_to_half_a_turn(angle: float, stretch: float, skew: float) -> None:
    cos, sin = np.cos(angle), np.sin(angle)
    flat = np.array([[-30, -44], [30, -44], [30, 44], [-30, 44]]) * [stretch, 1] + [
        [skew, 0],
        [0, 0],
        [0, 0],
        [0, 0],
    ]
    quad = flat @ np.array([[cos, sin], [-sin, cos]]) + 200
    decoded = decode_quads(code_of(quad)[None])[0]
    assert is_convex(decoded)
    assert corner_distance([decoded], quad)[0] < 0.01


def test_half_a_turn_has_the_same_code() -> None:
    assert code_of(np.roll(QUAD, 2, axis=0)) == pytest.approx(code_of(QUAD), abs=1e-3)


def candidates(*entries: tuple[Quad, float, float]) -> Candidates:
    return Candidates(
        np.array([[up, down] for _, up, down in entries], np.float32),
        np.array([code_of(quad) for quad, _, _ in entries], np.float32),
    )


def test_near_copies_become_one_card_with_averaged_corners() -> None:
    found = candidates((QUAD + 2, 0.8, 0), (QUAD - 2, 0.8, 0), (np.roll(QUAD, 2, axis=0), 0.8, 0))
    merged, support = merge_candidates(found)
    assert len(merged.codes) == 1
    assert support.tolist() == [3]
    assert corner_distance(decode_quads(merged.codes), QUAD)[0] < 0.1


def test_cards_of_a_fan_are_kept_although_they_overlap() -> None:
    fan = [QUAD + np.array([15 * i, 2 * i], np.float32) for i in range(5)]
    assert polygon_iou(fan[0], fan[1]) > 0.5
    merged, _ = merge_candidates(candidates(*((quad, 0.8 - 0.05 * i, 0) for i, quad in enumerate(fan))))
    assert len(merged.codes) == 5


def test_a_weak_echo_beside_a_sure_card_is_dropped() -> None:
    merged, _ = merge_candidates(candidates((QUAD, 0.9, 0), (QUAD + np.array([15, 2], np.float32), 0.2, 0)))
    assert len(merged.codes) == 1


def test_nothing_found_is_nothing() -> None:
    merged, support = merge_candidates(Candidates(np.zeros((0, 2), np.float32), np.zeros((0, 8), np.float32)))
    assert merged.codes.shape == (0, 8)
    assert len(support) == 0


@pytest.mark.parametrize(
    ("quad", "possible"),
    [
        (QUAD + np.array([2, 1], np.float32), False),  # the same card
        (np.roll(QUAD, 2, axis=0), False),  # the same card, half a turn on
        (QUAD + np.array([20, 5], np.float32), True),  # the next card of a fan
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.6) + QUAD.mean(axis=0), False),  # a court card's frame
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.6) + 900, True),  # a card further away
        ((QUAD - QUAD.mean(axis=0)) * np.float32(0.2) + 900, False),  # a key of a keyboard
    ],
)
def test_cards_of_one_table_are_of_one_size(quad: NDArray[np.float32], possible: bool) -> None:
    assert can_be_another_card(quad, [QUAD]) == possible


class ToldNetwork:
    """Stands in for the network: sees one white card drawn in its input, wherever that is."""

    def __init__(self) -> None:
        self.inputs: list[NDArray[np.float32]] = []

    def run(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        self.inputs.append(inputs)
        white = inputs[0].min(axis=0) > 0.9
        rows, columns = np.nonzero(white)
        output = np.zeros((1, 4, 10), np.float32)
        if len(rows) > 4:
            x0, x1, y0, y1 = columns.min(), columns.max() + 1, rows.min(), rows.max() + 1
            quad = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
            output[0, 0] = [0.9, 0.05, *code_of(quad)]
        return output


def drawn(width: int, height: int, card: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    image = np.full((height, width, 3), 60, np.uint8)
    x0, y0, x1, y1 = card
    image[y0:y1, x0:x1] = 255
    return image


@pytest.mark.parametrize(("width", "height"), [(640, 640), (1280, 720), (333, 777), (4000, 3000)])
def test_quads_come_back_in_the_pictures_own_pixels(width: int, height: int) -> None:
    card = (width // 4, height // 4, width // 4 + width // 8, height // 4 + width // 6)
    finder = CardDetector(network=ToldNetwork(), refine_corners=False, use_tiles=False)
    (outline,) = finder.detect(drawn(width, height, card))
    x0, y0, x1, y1 = card
    assert outline.face == "up"
    wanted = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    assert corner_distance([outline.quad], wanted)[0] < max(width, height) / 640 * 1.5


@pytest.mark.parametrize("size", [(640, 640), (640, 384), (384, 640)])
@pytest.mark.parametrize(("width", "height"), [(640, 640), (1280, 720), (333, 777)])
def test_a_network_of_one_size_gets_every_picture_in_that_size(
    tmp_path: Path, size: tuple[int, int], width: int, height: int
) -> None:
    facts = {"input_size": 640, "confidence_of_score": [[0, 0], [1, 1]], "one_size": size}
    (tmp_path / "outlines.json").write_text(json.dumps(facts))
    network = ToldNetwork()
    finder = CardDetector(tmp_path / "outlines.onnx", network=network, refine_corners=False)
    x0, y0, x1, y1 = width // 4, height // 4, width // 4 + width // 8, height // 4 + width // 6
    (outline,) = finder.detect(drawn(width, height, (x0, y0, x1, y1)))
    assert {inputs.shape for inputs in network.inputs} == {(1, 3, size[1], size[0])}
    pixel = max(width / size[0], height / size[1])
    assert corner_distance([outline.quad], [[x0, y0], [x1, y0], [x1, y1], [x0, y1]])[0] < 1.5 * pixel


def test_small_cards_in_a_large_picture_are_looked_at_more_closely() -> None:
    network = ToldNetwork()
    card = (300, 300, 360, 388)
    (outline,) = CardDetector(network=network).detect(drawn(3000, 2000, card))
    assert len(network.inputs) == 5
    assert polygon_iou(outline.quad, [[300, 300], [360, 300], [360, 388], [300, 388]]) > 0.93


@pytest.mark.parametrize("one_size", [(640, 640), (640, 384)])
def test_a_network_of_one_size_looks_at_them_in_tiles(tmp_path: Path, one_size: tuple[int, int]) -> None:
    facts = {"input_size": 640, "confidence_of_score": [[0, 0], [1, 1]], "one_size": one_size}
    (tmp_path / "outlines.json").write_text(json.dumps(facts))
    network = ToldNetwork()
    finder = CardDetector(tmp_path / "outlines.onnx", network=network)
    (outline,) = finder.detect(drawn(3000, 2000, (300, 300, 360, 388)), card_height=88)
    assert len(network.inputs) == 5
    assert polygon_iou(outline.quad, [[300, 300], [360, 300], [360, 388], [300, 388]]) > 0.93


@pytest.mark.parametrize(
    ("tall", "input_widths"), [(88, [640, 1088]), (200, [1088]), (300, [800]), (400, [608]), (800, [320])]
)
def test_where_cards_are_known_not_to_be_small_one_look_is_enough(tall: int, input_widths: list[int]) -> None:
    network = ToldNetwork()
    card = (300, 300, 300 + round(tall / 1.4), 300 + tall)
    CardDetector(network=network).detect(drawn(3000, 2000, card), card_height=tall)
    assert [inputs.shape[3] for inputs in network.inputs] == input_widths


def test_a_picture_of_nothing_and_one_of_no_size() -> None:
    finder = CardDetector(network=ToldNetwork())
    assert finder.detect(np.full((480, 640, 3), 30, np.uint8)) == []
    assert finder.detect(np.zeros((1, 1, 3), np.uint8)) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"input_size": 641, "confidence_of_score": [[0, 0], [1, 1]]}',
        '{"input_size": 640, "confidence_of_score": [[0, 1], [1, 0]]}',
        '{"input_size": 640, "confidence_of_score": [[0, 0], [1, 1]], "one_size": [640]}',
        '{"input_size": 640, "confidence_of_score": [[0, 0], [1, 1]], "one_size": [640, 333]}',
        '{"input_size": 640, "confidence_of_score": [[0, 0], [1, 1]], "one_size": [320, 320]}',
    ],
)
def test_a_broken_description_of_the_weights_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "outlines.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"outlines\.json"):
        load_settings(path)
    with pytest.raises(BadInputError, match="nowhere"):
        load_settings(tmp_path / "nowhere.json")


def shipped_weights() -> Path:
    if not WEIGHTS.exists():
        pytest.skip("the weights are not there")
    return WEIGHTS


def test_both_runtimes_give_the_same_numbers_for_the_shipped_weights() -> None:
    path = shipped_weights()
    inputs = np.random.default_rng(5).random((1, 3, 640, 640), np.float32)
    first, second = (load_network(path, backend, 1).run(inputs) for backend in ("onnxruntime", "opencv"))
    assert first.shape == (1, 8400, 10)
    assert np.abs(first[..., :2] - second[..., :2]).max() < 1e-3
    assert np.abs(first[..., 2:] - second[..., 2:]).max() < 0.05


def test_the_shipped_network_finds_a_drawn_card() -> None:
    """One card of the drawn deck on green cloth: found where it lies, face up."""
    path = shipped_weights()
    import cv2

    from datasets.art.decks import load_deck

    face = load_deck("drawn").faces["7D"]
    image = np.full((720, 960, 3), (60, 100, 40), np.uint8)
    quad = np.array([[400, 200], [560, 230], [520, 460], [355, 425]], np.float32)
    height, width = face.shape[:2]
    matrix = cv2.getPerspectiveTransform(
        np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32), quad
    )
    card = cv2.warpPerspective(face, matrix, (960, 720))
    image = np.where(card[..., 3:] > 127, card[..., :3], image)
    found = CardDetector(path, network=load_network(path, threads=1)).detect(np.asarray(image, np.uint8))
    assert [outline.face for outline in found] == ["up"]
    assert polygon_iou(found[0].quad, quad) > 0.9
