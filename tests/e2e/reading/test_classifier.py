"""Cards whose outlines are known are named rightly, and not named where nothing can be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH, CARDS
from datasets.art.drawn import DrawnStyle, draw_back, draw_face
from datasets.photos import load_set, photos_root
from engine.errors import BadInputError
from vision.decks.card_classes import OUTPUTS, RANK_OUTPUTS
from vision.geometry import homography, order_quad
from vision.recognition.classifier import (
    CLASSES,
    SURE_INDEX_P,
    WEIGHTS,
    CardClassifier,
    Classification,
    Fusion,
    class_log_probabilities,
    classification_of,
    fuse_frames,
    fuse_views,
    load_fusion,
)
from vision.recognition.crops import (
    CORNER_HEIGHT,
    CORNER_WIDTH,
    CORNERS,
    WHOLE_HEIGHT,
    WHOLE_WIDTH,
    face_crops,
)

FUSION = Fusion(whole_weight=1.0, corner_weight=0.5, floor=1e-3, threshold=0.6)


@pytest.fixture(scope="module")
def reader() -> CardClassifier:
    return CardClassifier(threads=1)


def on_a_table(face: NDArray[np.uint8], quad: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return a 240 x 240 picture of a green table with a card at a quad."""
    table = np.full((240, 240, 3), (70, 110, 50), np.uint8)
    corners = np.array([[0, 0], [CARD_WIDTH, 0], [CARD_WIDTH, CARD_HEIGHT], [0, CARD_HEIGHT]], np.float32)
    small = cv2.resize(face[:, :, :3], (CARD_WIDTH // 3, CARD_HEIGHT // 3), interpolation=cv2.INTER_AREA)
    matrix = homography(corners / 3, quad)
    cv2.warpPerspective(small, matrix, (240, 240), table, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)
    return table


LEANING = np.array([[70, 40], [168, 52], [160, 196], [58, 180]], np.float32)


def test_a_drawn_deck_is_read_either_way_up(reader: CardClassifier) -> None:
    style = DrawnStyle(stroke=0.11, index_height=0.095, pip=0.12)
    right = 0
    for card in CARDS:
        picture = on_a_table(draw_face(card, style), LEANING)
        upright, turned = reader.classify(picture, [LEANING, np.roll(LEANING, 2, axis=0)])
        right += (upright.card == card) + (turned.card == card)
    assert right >= 100, f"{right} of 104"


def test_many_cards_are_read_as_each_by_itself(reader: CardClassifier) -> None:
    picture = on_a_table(draw_face("9S", DrawnStyle()), LEANING)
    quads = [LEANING + np.float32(3 * k) for k in range(9)]
    together = [*reader.classify(picture, quads), *reader.classify_indices(picture, quads)]
    alone = [
        read(picture, [quad])[0] for read in (reader.classify, reader.classify_indices) for quad in quads
    ]
    for one, other in zip(together, alone, strict=True):
        assert one.card == other.card
        assert np.abs(one.log_probabilities - other.log_probabilities).max() < 1e-3


def test_of_a_doubtful_index_the_upper_end_of_its_card_tells_more(
    reader: CardClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = on_a_table(draw_face("9S", DrawnStyle()), LEANING)
    plain = reader.classify_indices(picture, [LEANING])[0]
    assert (plain.card, plain.confidence > SURE_INDEX_P) == ("9S", True)
    says = np.full((1, len(CLASSES)), np.log(1e-4))
    says[0, CLASSES.index("9C")] = np.log(1.0 - 1e-4 * (len(CLASSES) - 1))
    monkeypatch.setattr(reader, "strip_log_probabilities", lambda strips: np.repeat(says, len(strips), 0))
    assert reader.classify_indices(picture, [LEANING])[0].card == "9S", "it was not doubtful"
    open_ = np.full((1, len(CLASSES)), np.log(1e-4))
    open_[0, [CLASSES.index("9C"), CLASSES.index("9S")]] = np.log((0.4, 0.55))
    monkeypatch.setattr("vision.recognition.classifier.class_log_probabilities", lambda outputs: open_)
    alone, helped = (reader.classify_indices(picture, [LEANING], index_only=way)[0] for way in (True, False))
    assert alone.log_probabilities.argmax() == CLASSES.index("9S")
    assert helped.card == "9C"


def test_a_back_and_an_empty_table_are_not_named(reader: CardClassifier) -> None:
    back = on_a_table(draw_back((150, 60, 30)), LEANING)
    empty = np.full((240, 240, 3), (70, 110, 50), np.uint8)
    for picture in (back, empty):
        (reading,) = reader.classify(picture, [LEANING])
        assert reading.card is None
        assert reading.blank_probability > 0.5


def test_a_card_half_out_of_the_picture_or_far_outside_does_no_harm(reader: CardClassifier) -> None:
    picture = on_a_table(draw_face("9S", DrawnStyle()), LEANING)
    readings = reader.classify(picture, [LEANING - 130, LEANING + 5000])
    assert [reading.card for reading in readings] == [None, None]


def test_no_quads_no_readings(reader: CardClassifier) -> None:
    assert reader.classify(np.zeros((10, 10, 3), np.uint8), []) == []


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_where_the_tilt_hides_which_side_is_long_either_order_of_the_quad_is_read(
    reader: CardClassifier, turn: int
) -> None:
    square = np.array([[60, 60], [160, 60], [160, 165], [60, 165]], np.float32)
    right = 0
    for card in CARDS[::3]:
        picture = on_a_table(draw_face(card, DrawnStyle()), square)
        (reading,) = reader.classify(picture, [np.roll(square, turn, axis=0)])
        right += reading.card == card
    assert right >= 17, f"{right} of 18"


@pytest.mark.skipif(photos_root() is None, reason="the photo folder is missing")
def test_real_cards_of_a_deck_never_seen_are_read(reader: CardClassifier) -> None:
    right = known = 0
    for photo in load_set("vpo_table")[:2]:
        labels = [label for label in photo.labels if label.kind == "quad"]
        readings = reader.classify(photo.image(), [order_quad(label.points) for label in labels])
        named = [(label.card, r.card) for label, r in zip(labels, readings, strict=True) if r.card]
        known += len(labels)
        right += sum(truth == name for truth, name in named)
    assert right >= 0.9 * known


def test_pieces_have_the_size_the_networks_take() -> None:
    crops = face_crops(np.zeros((300, 300, 3), np.uint8), LEANING)
    assert crops.whole.shape == (WHOLE_HEIGHT, WHOLE_WIDTH, 3)
    assert [corner.shape for corner in crops.corners] == [(CORNER_HEIGHT, CORNER_WIDTH, 3)] * CORNERS


def test_the_second_corner_is_the_first_of_the_card_turned_round() -> None:
    picture = on_a_table(draw_face("7C", DrawnStyle()), LEANING)
    upright, turned = (face_crops(picture, np.roll(LEANING, k, axis=0)) for k in (0, 2))
    assert np.abs(upright.corners[1].astype(int) - turned.corners[0]).mean() < 2
    assert np.abs(upright.corners[0].astype(int) - upright.corners[1]).mean() < 25  # both show 7 of clubs


# --- putting looks together ---------------------------------------------------------------------------


def outputs_for(card: str, strength: float) -> NDArray[np.float32]:
    """Return raw network outputs that favour one card."""
    row = np.zeros((1, OUTPUTS), np.float32)
    place = CLASSES.index(card)
    if card in CARDS:
        row[0, place // 4] = strength
        row[0, RANK_OUTPUTS + place % 4] = strength
    else:
        row[0, place - len(CARDS) + 13] = strength
    return row


@given(arrays(np.float32, (3, OUTPUTS), elements=st.floats(-30, 30, width=32)))
def test_probabilities_sum_to_one(outputs: NDArray[np.float32]) -> None:
    log_p = class_log_probabilities(outputs)
    assert log_p.shape == (3, len(CLASSES))
    assert np.allclose(np.exp(log_p).sum(axis=1), 1)
    assert np.allclose(np.exp(fuse_views(log_p, [log_p] * CORNERS, FUSION)).sum(axis=1), 1)


def test_a_corner_that_shows_nothing_says_nothing() -> None:
    whole = class_log_probabilities(outputs_for("9S", 4.0))
    blank = class_log_probabilities(outputs_for("NONE", 30.0))
    with_blanks = fuse_views(whole, [blank] * CORNERS, FUSION)
    alone = fuse_views(whole, [np.zeros_like(whole)] * CORNERS, FUSION)
    assert np.allclose(with_blanks, alone, atol=0.05)


def test_no_look_outvotes_two_others() -> None:
    nine, four = (class_log_probabilities(outputs_for(card, 12.0)) for card in ("9S", "4D"))
    even = Fusion(whole_weight=1.0, corner_weight=1.0, floor=1e-3, threshold=0.6)
    log_p = fuse_views(four, [nine] * CORNERS, even)
    assert CLASSES[int(log_p.argmax())] == "9S"


def test_below_the_threshold_there_is_no_name_but_alternatives() -> None:
    reading = classification_of(class_log_probabilities(outputs_for("9S", 1.0))[0], threshold=0.6)
    assert reading.card is None
    assert reading.alternatives[0][0] == "9S"
    assert reading.alternatives[0][1] == reading.confidence < 0.6


def test_frames_vote() -> None:
    frames = [
        classification_of(class_log_probabilities(outputs_for(c, 4.0))[0], 0.6) for c in ("9S", "8S", "9S")
    ]
    assert fuse_frames(frames).card == "9S"


@given(st.integers(1, 30))
@settings(max_examples=20)
def test_more_of_the_same_frames_make_surer_but_never_change_the_name(count: int) -> None:
    one = classification_of(class_log_probabilities(outputs_for("QH", 3.0))[0], 0.5)
    several = fuse_frames([one] * count)
    assert several.card == one.card
    assert several.confidence >= one.confidence - 1e-9


def test_fusing_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no reading"):
        fuse_frames([])


def test_a_reading_is_unreadable_exactly_as_far_as_it_is_none() -> None:
    log_p = class_log_probabilities(outputs_for("NONE", 5.0))[0]
    reading = Classification(None, 0.0, (), log_p)
    assert reading.blank_probability == pytest.approx(np.exp(log_p[-1]))


# --- weights ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"format": 1}', json.dumps({"format": 1, "whole_weight": "much"})],
)
def test_a_broken_fusion_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "fusion.json"
    path.write_text(content)
    with pytest.raises(BadInputError, match=r"fusion\.json"):
        load_fusion(path)


def test_weights_of_another_format_are_refused(tmp_path: Path) -> None:
    found = json.loads((WEIGHTS / "fusion.json").read_text())
    (tmp_path / "fusion.json").write_text(json.dumps({**found, "format": 99}))
    with pytest.raises(BadInputError, match="format 99"):
        load_fusion(tmp_path / "fusion.json")


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"whole\.onnx: .*missing"):
        CardClassifier(tmp_path)


def test_weights_that_were_mixed_up_are_refused(tmp_path: Path) -> None:
    for name, source in (("whole.onnx", "corner.onnx"), ("corner.onnx", "whole.onnx")):
        shutil.copy(WEIGHTS / source, tmp_path / name)
    shutil.copy(WEIGHTS / "fusion.json", tmp_path / "fusion.json")
    with pytest.raises(BadInputError, match=r"\.onnx: the network does not take"):
        CardClassifier(tmp_path).classify(np.zeros((50, 50, 3), np.uint8), [LEANING / np.float32(5)])


def test_the_weights_are_small() -> None:
    assert sum((WEIGHTS / name).stat().st_size for name in ("whole.onnx", "corner.onnx")) < 4 * 2**20
    assert (WEIGHTS / "strip.onnx").stat().st_size < 2**20
