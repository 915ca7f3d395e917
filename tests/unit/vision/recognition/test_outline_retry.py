"""A card that cannot be named in the outline that was found is looked for in slanted ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import cv2
import numpy as np
import pytest

from vision.geometry import polygon_iou
from vision.recognition.classifier import (
    CLASSES,
    CardClassifier,
    Classification,
    Fusion,
    classification_of,
)
from vision.recognition.detector import Detection
from vision.recognition.outline_retry import retry_doubtful_outlines
from vision.types import Image, Quad

SLANTED = np.array([[150, 80], [250, 80], [300, 220], [200, 220]], np.float32)
FOUND = np.array([[175, 80], [275, 80], [275, 220], [175, 220]], np.float32)
"""An upright outline through the middle of the slanted card."""
FUSION = Fusion(1.0, 1.0, 0.01, 0.65)


def picture() -> Image:
    table = np.full((300, 450, 3), 60, np.uint8)
    cv2.fillConvexPoly(table, SLANTED.astype(np.int32), (240, 240, 240))
    return np.asarray(cv2.GaussianBlur(table, (0, 0), 1.0), np.uint8)


def reading(card: str, p: float, blank: float = 0.0) -> Classification:
    rest = np.full(len(CLASSES), (1 - p - blank) / (len(CLASSES) - 2))
    rest[CLASSES.index(card)], rest[-1] = p, max(blank, 1e-9)
    return classification_of(np.log(rest / rest.sum()), FUSION.threshold)


class Faces:
    """Reads a nine where an outline lies on the card, and doubts elsewhere."""

    def __init__(self) -> None:
        self.asked: list[Quad] = []
        self.fusion = FUSION

    def classify(self, image: Image, quads: Sequence[Quad]) -> list[Classification]:
        self.asked += list(quads)
        return [reading("9S", 0.99 if polygon_iou(quad, SLANTED) > 0.9 else 0.3) for quad in quads]


def seen_again(
    names: Sequence[Classification], face: str = "up"
) -> tuple[list[Detection], list[Classification], list[Quad]]:
    faces = Faces()
    outlines = [Detection(FOUND, "up" if face == "up" else "down", 0.9) for _ in names]
    better = retry_doubtful_outlines(picture(), outlines, names, cast(CardClassifier, faces))
    return (*better, faces.asked)


def test_a_slanted_card_is_named_and_its_outline_put_right() -> None:
    assert polygon_iou(FOUND, SLANTED) < 0.8
    (outline,), (name,), _ = seen_again([reading("8S", 0.5)])
    assert name.card == "9S"
    assert polygon_iou(outline.quad, SLANTED) > 0.9
    assert (outline.face, outline.confidence) == ("up", 0.9)


def test_a_name_found_in_another_outline_is_less_sure_than_it_was_read() -> None:
    _, (name,), _ = seen_again([reading("8S", 0.5)])
    assert 0.65 <= name.confidence < 0.8
    assert np.exp(name.log_probabilities).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", [reading("8S", 0.7), reading("8S", 0.35, blank=0.6), reading("8S", 0.2)])
def test_what_is_named_or_shows_nothing_or_anything_is_not_looked_at_again(name: Classification) -> None:
    outlines, names, asked = seen_again([name])
    assert names == [name]
    assert outlines[0].quad is FOUND
    assert asked == []


@pytest.mark.parametrize(("turned", "told"), [(0.95, "9S"), (0.7, None)])
def test_an_outline_that_shows_nothing_is_read_the_other_way_round(turned: float, told: str | None) -> None:
    class Aside(Faces):
        def classify(self, image: Image, quads: Sequence[Quad]) -> list[Classification]:
            self.asked += list(quads)
            return [reading("9S", turned) for _ in quads]

    faces = Aside()
    (outline,), (name,) = retry_doubtful_outlines(
        picture(),
        [Detection(FOUND, "up", 0.9)],
        [reading("8S", 0.01, blank=0.95)],
        cast(CardClassifier, faces),
    )
    assert [quad.tolist() for quad in faces.asked] == [np.roll(FOUND, 1, axis=0).tolist()]
    assert name.card == told
    assert outline.quad.tolist() == (faces.asked[0] if told else FOUND).tolist()


def test_a_back_is_not_looked_at_again() -> None:
    _, _, asked = seen_again([reading("8S", 0.5)], face="down")
    assert asked == []


def test_where_no_slanted_outline_lies_on_plainer_edges_all_stays_as_it_was() -> None:
    faces, name = Faces(), reading("8S", 0.5)
    outline = Detection(SLANTED, "up", 0.9)
    outlines, names = retry_doubtful_outlines(picture(), [outline], [name], cast(CardClassifier, faces))
    assert outlines[0].quad is outline.quad
    assert names == [name]
    assert faces.asked == []


def test_of_many_doubtful_cards_those_nearest_to_a_name_are_looked_at_again() -> None:
    doubtful = [reading("8S", 0.32 + 0.03 * k) for k in range(10)]
    _, names, asked = seen_again(doubtful)
    again = [k for k, (before, after) in enumerate(zip(doubtful, names, strict=True)) if before is not after]
    assert again == list(range(4, 10))
    assert len(asked) <= 18


def test_a_card_whose_suit_alone_is_open_keeps_its_outline() -> None:
    p = np.full(len(CLASSES), 1e-6)
    p[CLASSES.index("8D")], p[CLASSES.index("8H")] = 0.55, 0.42
    name = classification_of(np.log(p / p.sum()), 0.95)
    (outline,), (same,), asked = seen_again([name])
    assert same is name
    assert np.array_equal(outline.quad, FOUND)
    assert asked == []
