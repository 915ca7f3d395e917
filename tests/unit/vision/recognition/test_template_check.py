"""With a deck enrolled, a name stands where the card looks like it; else the card is looked for near by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art.drawn import DrawnStyle, draw_face
from tests.support.shown import HEIGHT, WIDTH, lay, table
from vision.decks.template_search import crop_patch, register_card, template_similarities
from vision.decks.templates import TEMPLATE_HEIGHT, TEMPLATE_WIDTH, CardTemplates, make_template
from vision.geometry import image_border, polygon_iou
from vision.recognition.classifier import (
    CLASSES,
    CardClassifier,
    Classification,
    Fusion,
    classification_of,
)
from vision.recognition.detector import Detection
from vision.recognition.template_check import check_with_templates, correct_with_templates
from vision.types import CardReading, Image, Quad

CARDS = ("9S", "8S", "4H", "5H", "KC")
FUSION = Fusion(1.0, 1.0, 0.01, 0.65)
LIES = np.array([[250, 120], [372, 142], [340, 312], [216, 288]], np.float32)
"""Where the card lies."""
OFF = LIES + np.array([26, -22], np.float32)
"""An outline that is off by about a fifth of the card."""


@cache
def face(card: str) -> Image:
    return np.asarray(draw_face(card, DrawnStyle())[..., :3], np.uint8)


@cache
def pictures() -> CardTemplates:
    whole = [image_border(face(card).shape[1], face(card).shape[0]) for card in CARDS]
    kept = [make_template(face(card), quad) for card, quad in zip(CARDS, whole, strict=True)]
    return CardTemplates.build(CARDS, np.stack(kept))


def seen(card: str = "9S") -> Image:
    """Return a dim picture of a card, with a shadow's edge across it and noise."""
    picture = lay(table(), face(card), LIES).astype(np.float32)
    picture[:, WIDTH // 2 - 30 :] *= 0.55
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    return np.asarray(np.clip(0.8 * picture + noise, 0, 255), np.uint8)


def log_p(card: str, p: float) -> NDArray[np.float64]:
    rest = np.full(len(CLASSES), (1 - p) / (len(CLASSES) - 1))
    rest[CLASSES.index(card)] = p
    return np.asarray(np.log(rest))


def reading(card: str, p: float, alone: float | None = None) -> Classification:
    return classification_of(log_p(card, p), FUSION.threshold, log_p(card, p if alone is None else alone))


class Faces:
    """Reads a nine where an outline lies on the card, and nothing for certain elsewhere."""

    def __init__(self, known: CardTemplates | None) -> None:
        self.fusion, self.deck = FUSION, SimpleNamespace(templates=known)
        self.asked: list[Quad] = []

    def classify(self, image: Image, quads: Sequence[Quad]) -> list[Classification]:
        self.asked += list(quads)
        return [reading("9S", 0.97 if polygon_iou(quad, LIES) > 0.85 else 0.2) for quad in quads]


Confirm = Callable[..., tuple[list[Detection], list[Classification], list[Quad]]]


@pytest.fixture
def confirm() -> Confirm:
    def run(
        *named: tuple[Quad, Classification], known: CardTemplates | None = None, image: Image | None = None
    ) -> tuple[list[Detection], list[Classification], list[Quad]]:
        faces = Faces(known)
        outlines = [Detection(quad, "up", 0.9) for quad, _ in named]
        names = [name for _, name in named]
        picture = seen() if image is None else image
        return (*check_with_templates(picture, outlines, names, cast(CardClassifier, faces)), faces.asked)

    return run


def test_a_card_is_most_like_its_own_picture_whichever_way_up_and_across_a_shadow() -> None:
    for quad in (LIES, np.roll(LIES, 2, axis=0)):
        part = crop_patch(seen(), quad, TEMPLATE_HEIGHT // 2)
        assert part is not None
        for named in CARDS[:2]:
            (alike,) = template_similarities([part], [quad], [named], pictures())
            assert CARDS[int(alike.argmax())] == "9S"
        (alike,) = template_similarities([part], [quad], ["9S"], pictures())
        assert alike[0] > 0.8
        assert alike[CARDS.index("KC")] < 0.5


def test_a_small_picture_is_what_lies_in_the_quad() -> None:
    kept = make_template(lay(table(), face("KC"), LIES), LIES)
    own = cv2.resize(face("KC"), (TEMPLATE_WIDTH, TEMPLATE_HEIGHT), interpolation=cv2.INTER_AREA)
    assert kept.shape == (TEMPLATE_HEIGHT, TEMPLATE_WIDTH)
    assert kept.dtype == np.uint8
    inner = np.s_[4:-4, 4:-4]
    alike = np.corrcoef(kept[inner].ravel(), own[..., :2].mean(axis=2)[inner].ravel())
    assert alike[0, 1] > 0.85


def test_a_card_is_found_beside_an_outline_that_is_off() -> None:
    assert polygon_iou(OFF, LIES) < 0.65
    part = crop_patch(seen(), OFF, TEMPLATE_HEIGHT // 2)
    assert part is not None
    found = register_card(part, OFF, pictures())
    assert polygon_iou(found.quad, LIES) > 0.93
    assert CARDS[int(found.similarities.argmax())] == "9S"


def test_a_quad_outside_the_picture_shows_no_part_of_it() -> None:
    assert (
        crop_patch(seen(), LIES + np.array([3 * WIDTH, 3 * HEIGHT], np.float32), TEMPLATE_HEIGHT // 2) is None
    )


def test_a_name_stands_where_the_card_looks_like_it(confirm: Confirm) -> None:
    (outline,), (name,), asked = confirm((LIES, reading("9S", 0.9, alone=0.3)), known=pictures())
    assert name.card == "9S"
    assert name.confidence >= 0.9
    assert (outline.quad == LIES).all()
    assert not asked


def test_without_pictures_everything_stays_as_it_is(confirm: Confirm) -> None:
    first = reading("4H", 0.99, alone=0.1)
    (outline,), (name,), asked = confirm((OFF, first))
    assert name is first
    assert outline.quad is OFF
    assert not asked


def test_an_outline_that_is_off_is_put_right_and_its_card_named(confirm: Confirm) -> None:
    (outline,), (name,), _ = confirm((OFF, reading("8S", 0.4)), known=pictures())
    assert name.card == "9S"
    assert polygon_iou(outline.quad, LIES) > 0.93


def test_a_name_that_looks_like_no_card_is_sure_only_if_the_networks_alone_are(confirm: Confirm) -> None:
    nothing = table()
    for alone, least, most in ((0.1, 0.5, 0.6), (0.97, 0.95, 0.99)):
        sure = reading("4H", 0.99, alone)
        (outline,), (name,), _ = confirm((LIES, sure), known=pictures(), image=nothing)
        assert least < name.confidence < most
        assert (name.card == "4H") == (alone > 0.9)
        assert outline.quad is LIES


def test_a_card_that_was_never_pictured_is_none_of_the_pictures_business(confirm: Confirm) -> None:
    first = reading("QD", 0.99, alone=0.1)
    (_,), (name,), asked = confirm((LIES, first), known=pictures(), image=table())
    assert name is first
    assert not asked


def test_no_card_is_found_where_another_outline_has_it_already(confirm: Confirm) -> None:
    doubtful = reading("8S", 0.4)
    outlines, names, asked = confirm((LIES, reading("9S", 0.95)), (OFF, doubtful), known=pictures())
    assert [name.card for name in names] == ["9S", None]
    assert outlines[1].quad is OFF
    assert not asked


def test_what_was_found_is_less_sure_than_what_was_read_at_once(confirm: Confirm) -> None:
    (_,), (name,), _ = confirm((OFF, reading("8S", 0.4)), known=pictures())
    assert 0.65 < name.confidence < 0.9


def test_of_a_card_that_lies_under_another_one_the_deck_says_nothing(confirm: Confirm) -> None:
    """It has seen its cards whole; here a part of the upper card lies in the lower one's outline."""
    under = LIES + np.array([40, 10], np.float32)
    first = reading("9S", 0.95, alone=0.9)
    for alone in (0.3, 0.9):
        lower = reading("KC", 0.99, alone=alone)
        _, names, _ = confirm((LIES, first), (under, lower), known=pictures())
        assert names[0].card == "9S"
        assert names[1].confidence == pytest.approx(alone)
        assert (names[1].card is None) == (alone < FUSION.threshold)
    beside = under + np.array([200, 0], np.float32)
    _, names, _ = confirm((LIES, first), (beside, reading("KC", 0.99, alone=0.3)), known=pictures())
    assert names[1].confidence > 0.5, "with the deck and without it, half and half"


def told(quad: Quad, card: str | None, confidence: float) -> CardReading:
    return CardReading(quad, "up", 0.9, card, confidence, (("8S", 0.1),))


def test_a_plain_outline_that_shows_nothing_is_tried_with_its_long_sides_taken_for_the_short_ones() -> None:
    def run(confidence: float) -> tuple[Detection, Classification]:
        nothing = classification_of(np.logaddexp(log_p("NONE", 0.97), log_p("8S", 0.02)), FUSION.threshold)
        turned = Detection(np.roll(LIES, 1, axis=0), "up", confidence)
        faces = cast(CardClassifier, Faces(pictures()))
        (outline,), (name,) = check_with_templates(seen(), [turned], [nothing], faces)
        return outline, name

    outline, name = run(0.7)
    assert name.card == "9S"
    assert polygon_iou(outline.quad, LIES) > 0.93
    assert run(0.4)[1].card is None


def test_a_card_that_an_index_told_without_a_name_is_looked_for_about_it() -> None:
    faces = cast(CardClassifier, Faces(pictures()))
    (card,) = correct_with_templates(seen(), [told(OFF, None, 0.4)], faces)
    assert card.card == "9S"
    assert polygon_iou(card.quad, LIES) > 0.93
    assert card.detection_confidence == 0.9
    sure, other = told(LIES, "9S", 0.95), told(OFF, None, 0.4)
    assert correct_with_templates(seen(), [sure, other], faces) == [sure, other], "somebody else has it"


def test_a_name_that_an_index_told_stands_against_one_that_is_less_sure() -> None:
    faces = cast(CardClassifier, Faces(pictures()))
    named = told(OFF, "8S", 0.89)
    assert correct_with_templates(seen(), [named], faces) == [named]
    (card,) = correct_with_templates(seen(), [told(OFF, "8S", 0.5)], faces)
    assert card.card == "9S"


def test_nothing_is_looked_for_without_pictures_or_without_doubt() -> None:
    for known, card in ((None, told(OFF, None, 0.4)), (pictures(), told(OFF, "8S", 0.95))):
        faces = Faces(known)
        assert correct_with_templates(seen(), [card], cast(CardClassifier, faces)) == [card]
        assert not faces.asked
