"""Outlines and names joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from vision.recognition.classifier import CLASSES, CardClassifier, Classification
from vision.recognition.detector import CardDetector, Detection
from vision.recognition.index_detector import IndexDetection
from vision.recognition.reader import TableReader
from vision.types import CardReading, Image, Quad, average_names

CARD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
PICTURE = np.zeros((200, 400, 3), np.uint8)
NOTHING = np.full(len(CLASSES), -5.0)


class Outlines:
    def __init__(self, *outlines: Detection) -> None:
        self.outlines = outlines

    def detect(self, image: Image, card_height: float | None = None) -> list[Detection]:
        return list(self.outlines)

    def detect_filling(self, image: Image) -> list[Detection]:
        return []


class Faces:
    """Names cards in the order they are asked for, and remembers where they were."""

    def __init__(self, *names: tuple[str | None, float]) -> None:
        self.names = names
        self.asked: list[Quad] = []
        self.log_probabilities = NOTHING
        self.deck = None

    def classify(self, image: Image, quads: Sequence[Quad]) -> list[Classification]:
        self.asked = list(quads)
        names = self.names[: len(quads)]
        return [Classification(card, p, (("2C", 0.01),), self.log_probabilities) for card, p in names]


def reader(outlines: Outlines, faces: Faces, **options: Any) -> TableReader:
    return TableReader(cast(CardDetector, outlines), cast(CardClassifier, faces), **options)


def at(shift: float, face: str = "up", confidence: float = 0.98) -> Detection:
    return Detection(CARD + np.array([shift, 0], np.float32), face, confidence)  # type: ignore[arg-type]


def test_a_panorama_longer_than_opencv_can_look_at_is_read_in_a_smaller_copy() -> None:
    class Smaller(Outlines):
        def detect(self, image: Image, card_height: float | None = None) -> list[Detection]:
            assert image.shape[:2] == (90, 30_000)
            assert card_height == 60
            return super().detect(image)

    wide = np.zeros((99, 33_000, 3), np.uint8)
    (card,) = reader(Smaller(at(20_000)), Faces(("9S", 0.99))).read(wide, [(0, 0, 10, 10)], card_height=66.0)
    assert card.card == "9S"
    assert np.allclose(card.quad, (CARD + (20_000, 0) + 0.5) * 1.1 - 0.5, atol=0.01)


def test_only_face_up_cards_have_a_name() -> None:
    faces = Faces((None, 0.3), ("9S", 0.99))
    found = reader(Outlines(at(0, "down", 0.97), at(100)), faces).read(PICTURE)
    down = next(r for r in found if r.face == "down")
    assert (down.card, down.confidence) == (None, 0.97)
    up = next(r for r in found if r.face == "up")
    assert up.card == "9S"
    assert up.confidence == 0.99
    assert up.detection_confidence == 0.98


def test_what_surely_shows_a_face_is_no_back() -> None:
    downs = Outlines(at(0, "down", 0.97), at(100, "down", 0.97))
    sure, unsure = reader(downs, Faces(("KS", 0.99), ("KS", 0.9))).read(PICTURE)
    assert (sure.face, sure.card) == ("up", "KS")
    assert (unsure.face, unsure.card) == ("down", None)


def test_a_doubtful_outline_counts_when_a_card_is_read_in_it() -> None:
    doubtful = Outlines(at(0, confidence=0.3), at(100, confidence=0.3), at(200, "down", 0.3))
    (found,) = reader(doubtful, Faces(("9S", 0.97), ("8D", 0.6), (None, 0.3))).read(PICTURE)
    assert found.card == "9S"


def test_a_sure_outline_counts_even_when_nothing_can_be_read_in_it() -> None:
    (found,) = reader(Outlines(at(0)), Faces((None, 0.3))).read(PICTURE)
    assert found.card is None
    assert found.alternatives == (("2C", 0.01),)


def test_what_looks_blank_must_be_outlined_surely() -> None:
    blank = NOTHING.copy()
    blank[-1] = np.log(0.95)  # NONE: nothing that can be read
    faces = Faces((None, 0.03), (None, 0.03))
    faces.log_probabilities = blank
    (found,) = reader(Outlines(at(0, confidence=0.6), at(100, confidence=0.97)), faces).read(PICTURE)
    assert found.quad[0, 0] == 100


def test_one_card_outlined_twice_is_reported_once() -> None:
    found = reader(Outlines(at(0), at(9)), Faces(("9S", 0.9), ("9S", 0.99))).read(PICTURE)
    assert len(found) == 1
    assert found[0].quad[0, 0] == 9


def test_a_card_that_looks_square_and_is_outlined_both_ways_is_reported_once() -> None:
    square = np.array([[0, 0], [80, 0], [80, 82], [0, 82]], np.float32)
    turned = np.roll(square * np.float32(0.95), 1, axis=0)
    outlines = Outlines(Detection(square, "up", 0.6), Detection(turned, "up", 0.53))
    (card,) = reader(outlines, Faces(("AC", 0.99), ("AS", 0.999))).read(PICTURE)
    assert card.card == "AS"


def test_a_card_across_another_is_reported_beside_it() -> None:
    across = np.array([[88, 0], [88, 63], [0, 63], [0, 0]], np.float32)
    outlines = Outlines(Detection(CARD, "up", 0.9), Detection(across, "up", 0.9))
    found = reader(outlines, Faces(("AC", 0.99), ("AS", 0.999))).read(PICTURE)
    assert {card.card for card in found} == {"AC", "AS"}


def test_of_a_card_outlined_twice_the_longer_outline_tells_what_sticks_out_from_under_it() -> None:
    class Covered:
        def resolve(
            self, image: Image, known: Any, regions: Any, packs: int, ends: list[IndexDetection], inks: object
        ) -> list[IndexDetection]:
            return ends

    longer = CARD.copy()
    longer[2:, 1] += 20
    outlines = Outlines(at(0), Detection(longer, "up", 0.8))
    for names, ends in (
        ([("QH", 0.99), ("QH", 0.7)], 1),
        ([("QH", 0.99), ("QC", 0.7)], 0),
        ([(None, 0.4), (None, 0.4)], 0),
    ):
        told = reader(outlines, Faces(*names), occlusion=Covered()).read(PICTURE)
        assert len(told) == ends, names
        for index in cast(list[IndexDetection], told):
            assert index.confidence == 0.8
            assert np.allclose(index.quad[0], (63, 108)), "the corner that shows comes first"


def test_the_same_name_far_apart_and_other_names_near_are_kept() -> None:
    found = reader(Outlines(at(0), at(9), at(200)), Faces(("9S", 0.9), ("8S", 0.9), ("9S", 0.9))).read(
        PICTURE
    )
    assert len(found) == 3


def test_a_face_down_card_cut_by_the_border_may_be_outlined_less_surely() -> None:
    cut, whole = at(-40, "down", 0.35), at(100, "down", 0.35)
    (found,) = reader(Outlines(cut, whole), Faces((None, 0.3), (None, 0.3))).read(PICTURE)
    assert found.quad[0, 0] == -40


def test_two_opinions_of_one_card_count_alike() -> None:
    one = CardReading(CARD, "up", 0.3, "JD", 0.7, (("JH", 0.2),))
    both = average_names(one, CardReading(CARD + 9, "up", 0.9, "JH", 0.9, (("JD", 0.1),)))
    assert (both.card, round(both.confidence, 2), both.detection_confidence) == ("JH", 0.55, 0.3)
    assert [(name, round(p, 2)) for name, p in both.alternatives] == [("JD", 0.4)]
