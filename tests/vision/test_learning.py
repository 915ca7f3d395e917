"""A deck is learnt from what was read with certainty at several moments, and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art_cards import CARDS
from datasets.art_drawn import DrawnStyle, draw_face
from tests.vision.shown import lay, table
from vision.decks import Deck
from vision.faces import CLASSES, FaceReader
from vision.learning import LEAST_CARDS, MOMENT_LOOKS, DeckLearner, LearningReader, LearntHead
from vision.reading import CardReading, Image

QUAD = np.array([[240, 120], [370, 130], [360, 310], [232, 300]], np.float32)
Picture = NDArray[np.uint8]


@pytest.fixture(scope="module")
def faces() -> FaceReader:
    return FaceReader(threads=1)


def pictured(card: str) -> Picture:
    return lay(table(), draw_face(card, DrawnStyle()), QUAD)


class Script:
    """A reader that gives the readings it was told, whatever it sees."""

    def __init__(self) -> None:
        self.readings: list[CardReading] = []

    def read(self, image: Image, crowded: object = None) -> Sequence[CardReading]:
        return self.readings


def reading(
    card: str, confidence: float = 0.999, outline: float = 0.99, quad: Picture = QUAD, face: str = "up"
) -> CardReading:
    return CardReading(quad, face, outline, card, confidence)  # type: ignore[arg-type]


def learning(faces: FaceReader) -> tuple[LearningReader, Script]:
    script = Script()
    return LearningReader(script, faces), script


def test_what_was_seen_at_two_moments_is_learnt_and_not_what_two_frames_show(faces: FaceReader) -> None:
    reader, script = learning(faces)
    picture, script.readings = pictured("7H"), [reading("7H")]
    for _ in range(MOMENT_LOOKS - 1):
        reader.read(picture)
    assert reader.learner.cards == ()
    for _ in range(2):
        reader.read(picture)
    assert reader.learner.cards == ("7H",)


@pytest.mark.parametrize(
    "readings",
    [
        [reading("7H", confidence=0.98)],
        [reading("7H", outline=0.8)],
        [reading("7H"), reading("2S", quad=QUAD + 20)],
        [reading("7H"), reading("7H", quad=QUAD + 300)],
        [reading("7H", quad=QUAD / 4)],
        [reading("7H", face="down")],
    ],
    ids=["unsure", "outline unsure", "covered", "twice on the table", "small", "face down"],
)
def test_what_is_less_than_certain_teaches_nothing(faces: FaceReader, readings: list[CardReading]) -> None:
    reader, script = learning(faces)
    script.readings = readings
    for _ in range(2 * MOMENT_LOOKS):
        reader.read(pictured("7H"))
    assert "7H" not in reader.learner.cards


def test_what_only_the_learnt_deck_is_sure_of_teaches_nothing(faces: FaceReader) -> None:
    """The reader says a seven of hearts; the networks alone see a two of spades."""
    reader, script = learning(faces)
    script.readings = [reading("7H")]
    for _ in range(2 * MOMENT_LOOKS):
        reader.read(pictured("2S"))
    assert reader.learner.cards == ()


def test_a_card_whose_pictures_disagree_is_left_out(faces: FaceReader) -> None:
    learner = DeckLearner(faces)
    for number, card in enumerate(("2C", "KH", "9D", "QS", "5C")):
        for look in (number, number + 100):
            shown = "JD" if card == "9D" and look >= 100 else card
            learner.add(card, look, pictured(shown), QUAD)
    assert len(learner.cards) == 5
    assert set(learner.deck().cards) == {"2C", "KH", "QS", "5C"}


def test_a_learnt_deck_confirms_and_never_contradicts() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(0, 1, (2, 20)).astype(np.float32)
    cards = tuple(card for card in CARDS for _ in range(2))
    noise = rng.normal(0, 0.05, (len(cards), 20))
    centres = np.repeat(rng.normal(0, 1, (len(CARDS), 20)), 2, axis=0)
    centres[0:2], centres[2:4] = features[0], features[1]
    head = LearntHead(Deck("x", "x", cards, (centres + noise).astype(np.float32)))
    p = np.full((2, len(CLASSES)), 1e-4)
    first, second = CLASSES.index(cards[0]), CLASSES.index(cards[2])
    p[:, first], p[:, second] = 0.6, 0.4
    plain = np.log(p / p.sum(axis=1, keepdims=True))
    confirmed, contradicted = head.refine(plain.copy(), features)
    assert confirmed[first] > plain[0, first]
    assert np.array_equal(contradicted, plain[1])


def test_the_deck_helps_once_enough_cards_are_known(faces: FaceReader) -> None:
    own = FaceReader(threads=1)
    reader, _ = learning(own)
    for number, card in enumerate(CARDS[:LEAST_CARDS]):
        assert not reader.learnt
        for look in (number, number + 100):
            reader.learner.add(card, look, pictured(card), QUAD)
    reader.read(pictured("2C"))
    assert reader.learnt
    (plain,) = faces.read(pictured("3C"), [QUAD])
    (helped,) = own.read(pictured("3C"), [QUAD])
    assert helped.card == plain.card == "3C"
    assert helped.confidence >= plain.confidence - 0.01
