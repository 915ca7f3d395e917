"""A deck is learnt from what was read with certainty at several moments, and from nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art.cards import CARDS
from datasets.art.drawn import DrawnStyle, draw_face
from tests.support.scripted_reader import ScriptedReader
from tests.support.shown import lay, table
from vision.decks.deck import Deck
from vision.decks.deck_head import DeckHead
from vision.enrolment.online_learning import (
    LOOKS_BETWEEN_MOMENTS,
    MIN_AGREEING_CARDS,
    MIN_DECK_CARDS,
    DeckLearner,
    LearningReader,
    LearntDeckHead,
    known_cards,
)
from vision.recognition.classifier import CLASSES, CardClassifier
from vision.types import CardReading, Face, Quad

QUAD = np.array([[240, 120], [370, 130], [360, 310], [232, 300]], np.float32)
Picture = NDArray[np.uint8]


@pytest.fixture(scope="module")
def faces() -> CardClassifier:
    return CardClassifier(threads=1)


@functools.cache
def pictured(card: str) -> Picture:
    return lay(table(), draw_face(card, DrawnStyle()), QUAD)


def reading(
    card: str, confidence: float = 0.999, outline: float = 0.99, quad: Quad = QUAD, face: Face = "up"
) -> CardReading:
    return CardReading(quad, face, outline, card, confidence)


def learning(
    faces: CardClassifier, before: Deck | None = None, keep: Callable[[Deck], object] | None = None
) -> tuple[LearningReader, ScriptedReader]:
    script = ScriptedReader()
    return LearningReader(script, copy(faces), before, keep), script


def look(reader: LearningReader, picture: Picture, times: int = 1) -> None:
    """Look at a table at which nothing happens between the looks."""
    for _ in range(times):
        reader.read(picture)
        while reader.spare_time():
            pass


@pytest.fixture(scope="module")
def half_a_deck(faces: CardClassifier) -> Deck:
    """What was learnt of a deck in an earlier game."""
    learner = DeckLearner(faces)
    for number, card in enumerate(CARDS[:MIN_DECK_CARDS]):
        for number_of_look in (number, number + 100):
            # Chance varies the views, by the size of the picture.
            picture = pictured(card)[: 380 + number_of_look // 10]
            learner.add(card, number_of_look, learner.features(picture, QUAD))
    return learner.deck()


def test_what_was_seen_at_two_moments_is_learnt_and_not_what_two_frames_show(faces: CardClassifier) -> None:
    reader, script = learning(faces)
    picture, script.readings = pictured("7H"), [reading("7H")]
    look(reader, picture, LOOKS_BETWEEN_MOMENTS - 1)
    two_frames = reader.learner.cards
    look(reader, picture, 2)
    assert (two_frames, reader.learner.cards) == ((), ("7H",))


@pytest.mark.parametrize(
    "readings",
    [
        [reading("7H", confidence=0.98)],
        [reading("7H", outline=0.8)],
        [reading("7H"), reading("2S", quad=QUAD + np.float32(20))],
        [reading("7H"), reading("7H", quad=QUAD + np.float32(300))],
        [reading("7H", quad=QUAD / np.float32(4))],
        [reading("7H", face="down")],
        [reading("7H", quad=QUAD - np.array([240, 0], np.float32))],
    ],
    ids=["unsure", "outline unsure", "covered", "twice on the table", "small", "face down", "cut off"],
)
def test_what_is_less_than_certain_teaches_nothing(
    faces: CardClassifier, readings: list[CardReading]
) -> None:
    reader, script = learning(faces)
    script.readings = readings
    look(reader, pictured("7H"), 2 * LOOKS_BETWEEN_MOMENTS)
    assert "7H" not in reader.learner.cards


def test_what_only_the_learnt_deck_is_sure_of_teaches_nothing(faces: CardClassifier) -> None:
    """The reader says a seven of hearts; the networks alone see a two of spades."""
    reader, script = learning(faces)
    script.readings = [reading("7H")]
    look(reader, pictured("2S"), 2 * LOOKS_BETWEEN_MOMENTS)
    assert reader.learner.cards == ()


def test_a_card_whose_pictures_disagree_is_left_out(faces: CardClassifier) -> None:
    learner = DeckLearner(faces)
    for number, card in enumerate(("2C", "KH", "9D", "QS", "5C")):
        for look in (number, number + 100):
            shown = "JD" if card == "9D" and look >= 100 else card
            learner.add(card, look, learner.features(pictured(shown), QUAD))
    assert len(learner.cards) == 5
    assert set(learner.deck().cards) == {"2C", "KH", "QS", "5C"}


def test_a_learnt_deck_confirms_and_never_contradicts() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(0, 1, (2, 20)).astype(np.float32)
    cards = tuple(card for card in CARDS for _ in range(2))
    noise = rng.normal(0, 0.05, (len(cards), 20))
    centres = np.repeat(rng.normal(0, 1, (len(CARDS), 20)), 2, axis=0)
    centres[0:2], centres[2:4] = features[0], features[1]
    head = LearntDeckHead(Deck("x", "x", cards, (centres + noise).astype(np.float32)))
    p = np.full((2, len(CLASSES)), 1e-4)
    first, second = CLASSES.index(cards[0]), CLASSES.index(cards[2])
    p[:, first], p[:, second] = 0.6, 0.4
    plain = np.log(p / p.sum(axis=1, keepdims=True))
    confirmed, contradicted = head.refine(plain.copy(), features)
    assert confirmed[first] > plain[0, first]
    assert np.array_equal(contradicted, plain[1])


def test_a_learnt_deck_says_no_more_of_lone_indices() -> None:
    """A complete deck is heard about them, too."""
    rng = np.random.default_rng(0)
    index = rng.normal(0, 1, (len(CARDS), 2, 64))  # its two cuts
    corners = np.concatenate([index[:, [0, 0, 1, 1]].reshape(len(CARDS), -1)] * 2)
    corners = (corners + rng.normal(0, 0.05, corners.shape)).astype(np.float32)
    head = LearntDeckHead(Deck("x", "x", (*CARDS, *CARDS), corners))
    first, second = CLASSES.index(CARDS[0]), CLASSES.index(CARDS[1])
    p = np.full((2, len(CLASSES)), 1e-4)
    p[:, first], p[:, second] = 0.6, 0.4
    plain = np.log(p / p.sum(axis=1, keepdims=True))
    indices = index[:2].reshape(2, -1).astype(np.float32)
    assert DeckHead.refine_index(head, plain, indices)[1].argmax() == second
    confirmed, contradicted = head.refine_index(plain.copy(), indices)
    assert confirmed[first] > plain[0, first]
    assert np.array_equal(contradicted, plain[1])


def test_a_look_waits_for_nothing_to_be_learnt(faces: CardClassifier) -> None:
    """A ruling may hang on it: what it shows is learnt when there is time."""
    reader, script = learning(faces)
    script.readings = [reading("7H")]
    for _ in range(3 * LOOKS_BETWEEN_MOMENTS):
        reader.read(pictured("7H"))
    assert reader.learner.wants("7H", 0)
    assert reader.spare_time()
    assert not reader.learner.wants("7H", 1)
    assert not reader.spare_time()


def test_the_deck_helps_once_enough_cards_are_known(faces: CardClassifier, half_a_deck: Deck) -> None:
    own = copy(faces)
    reader = LearningReader(ScriptedReader(), own)
    names = np.array(half_a_deck.cards)
    one_less = names != CARDS[0]
    reader.learner.include_earlier(
        replace(half_a_deck, cards=tuple(names[one_less]), features=half_a_deck.features[one_less])
    )
    look(reader, pictured("2C"))
    before = reader.uses_learnt_deck
    reader.learner.include_earlier(half_a_deck)
    look(reader, pictured("2C"))
    assert (before, reader.uses_learnt_deck) == (False, True)
    (plain,) = faces.classify(pictured("3C"), [QUAD])
    (helped,) = own.classify(pictured("3C"), [QUAD])
    assert helped.card == plain.card == "3C"
    assert helped.confidence >= plain.confidence - 0.01


def test_what_was_collected_is_kept_for_the_next_game_also_of_cards_seen_once(faces: CardClassifier) -> None:
    kept = list[Deck]()
    reader, script = learning(faces, keep=kept.append)
    for card in CARDS[1 : MIN_AGREEING_CARDS + 2]:
        script.readings = [reading(card)]
        look(reader, pictured(card))
    reader.finish()
    assert set(kept[-1].cards) == set(CARDS[1 : MIN_AGREEING_CARDS + 2])
    assert known_cards(kept[-1]) == ()
    later, script = learning(faces, kept[-1])
    for card in CARDS[1 : MIN_AGREEING_CARDS + 2]:
        script.readings = [reading(card)]
        look(later, pictured(card))
    assert set(later.learner.cards) == set(CARDS[1 : MIN_AGREEING_CARDS + 2])


def test_another_deck_takes_the_place_of_the_earlier_only_once_that_is_told(
    faces: CardClassifier, half_a_deck: Deck
) -> None:
    kept = list[Deck]()
    names = {"10C": "9C", "9C": "10C"}
    other = replace(half_a_deck, cards=tuple(names.get(card, card) for card in half_a_deck.cards))
    reader, script = learning(faces, other, kept.append)
    for card in CARDS[1:8]:
        script.readings = [reading(card)]
        look(reader, pictured(card))
    reader.finish()
    assert kept == []
    for card in CARDS[8 : MIN_AGREEING_CARDS + 3]:
        script.readings = [reading(card)]
        look(reader, pictured(card))
    reader.finish()
    assert set(kept[-1].cards) == set(CARDS[1 : MIN_AGREEING_CARDS + 3])


def test_a_deck_that_cannot_be_kept_is_used_all_the_same(faces: CardClassifier, half_a_deck: Deck) -> None:
    def full(_: Deck) -> None:
        raise OSError("No space left on device")

    reader, _ = learning(faces, keep=full)
    reader.learner.include_earlier(half_a_deck)
    look(reader, pictured("2C"))
    reader.finish()
    assert reader.uses_learnt_deck


def test_a_deck_of_an_earlier_game_helps_once_it_agrees(faces: CardClassifier, half_a_deck: Deck) -> None:
    reader, script = learning(faces, half_a_deck)
    shown = 0
    while not reader.uses_learnt_deck:
        assert shown < len(CARDS), "every card of the pack agrees"
        script.readings = [reading(CARDS[shown])]
        look(reader, pictured(CARDS[shown]))
        shown += 1
    assert shown >= MIN_AGREEING_CARDS
    assert set(CARDS[:MIN_DECK_CARDS]) <= set(reader.learner.cards)


def test_a_deck_of_an_earlier_game_that_once_disagrees_is_not_used(
    faces: CardClassifier, half_a_deck: Deck
) -> None:
    names = {"2C": "3C", "3C": "2C"}
    other = replace(half_a_deck, cards=tuple(names.get(card, card) for card in half_a_deck.cards))
    reader, script = learning(faces, other)
    for card in CARDS[1 : MIN_AGREEING_CARDS + 4]:
        script.readings = [reading(card)]
        look(reader, pictured(card))
    assert not reader.uses_learnt_deck
    assert reader.learner.cards == ()


def test_a_deck_of_an_earlier_game_is_dropped_when_a_later_card_disagrees(
    faces: CardClassifier, half_a_deck: Deck
) -> None:
    kept, last = list[Deck](), CARDS[MIN_AGREEING_CARDS + 2]
    names = {last: "KD", "KD": last}
    other = replace(half_a_deck, cards=tuple(names.get(card, card) for card in half_a_deck.cards))
    own, script = copy(faces), ScriptedReader()
    reader = LearningReader(script, own, other, kept.append)
    for card in CARDS[: MIN_AGREEING_CARDS + 2]:
        script.readings = [reading(card)]
        look(reader, pictured(card))
    before = reader.uses_learnt_deck
    script.readings = [reading(last)]
    look(reader, pictured(last))
    assert (before, reader.uses_learnt_deck) == (True, False)
    assert own.deck is None
    reader.finish()
    assert set(kept[-1].cards) <= set(CARDS[: MIN_AGREEING_CARDS + 3])
    assert known_cards(kept[-1]) == ()


def test_nothing_is_learnt_of_a_deck_that_is_known(faces: CardClassifier, half_a_deck: Deck) -> None:
    own = copy(faces)
    script = ScriptedReader()
    reader = LearningReader(script, own)
    script.readings = [reading("7H")]
    reader.read(pictured("7H"))
    own.deck = DeckHead(half_a_deck)
    look(reader, pictured("7H"), 3 * LOOKS_BETWEEN_MOMENTS)
    assert reader.learner.wants("7H", 0)
    assert isinstance(own.deck, DeckHead)
    assert not reader.uses_learnt_deck
