"""An enrolled deck is taken up where its back is seen, its faces agree, and no other pack lies there."""

from __future__ import annotations

import functools
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art.cards import CARDS
from datasets.art.drawn import DrawnStyle, draw_back, draw_face
from tests.support.scripted_reader import ScriptedReader
from tests.support.shown import lay, table
from vision.decks.backs import back_features, stack_back_features
from vision.decks.deck import Deck
from vision.decks.deck_files import save_deck
from vision.enrolment.examples import augmented_features
from vision.enrolment.known_backs import BackMatchingReader, decks_with_backs
from vision.enrolment.online_learning import MIN_AGREEING_CARDS, LearntDeckHead
from vision.recognition.classifier import CardClassifier
from vision.types import CardReading

Picture = NDArray[np.uint8]
BLUE, RED = draw_back((150, 60, 30)), draw_back((40, 30, 160), 1)
BACK = np.array([[40, 60], [140, 64], [136, 204], [36, 200]], np.float32)
OTHER = BACK + np.array([130, 20], np.float32)
FACE = np.array([[420, 120], [550, 130], [540, 310], [412, 300]], np.float32)
CARDS_SHOWN = CARDS[1 : MIN_AGREEING_CARDS + 5]


@functools.cache
def face_up(card: str) -> Picture:
    """Return the table with one card on it."""
    return lay(table(), draw_face(card, DrawnStyle()), FACE)


class Table:
    """A reader of a table on which cards are put, and what it said of them."""

    def __init__(self, faces: CardClassifier, *decks: Deck) -> None:
        self.faces, self.script, self.said = copy(faces), ScriptedReader(), list[str]()
        self.reader = BackMatchingReader(self.script, self.faces, decks, self.said.append)

    def show(self, card: str, *backs: Picture, times: int = 1) -> None:
        """Look so often at a card beside one or two backs."""
        picture = face_up(card)
        self.script.readings = [CardReading(FACE, "up", 0.99, card, 0.999)]
        for back, quad in zip(backs, (BACK, OTHER), strict=False):
            picture = lay(picture, back, quad)
            self.script.readings.append(CardReading(quad, "down", 0.99, None, 0.99))
        for _ in range(times):
            self.reader.read(picture)

    def show_all(self, *backs: Picture) -> None:
        """Look often at each of a number of cards."""
        for card in CARDS_SHOWN:
            self.show(card, *backs, times=3)


@pytest.fixture(scope="module")
def faces() -> CardClassifier:
    return CardClassifier(threads=1)


@pytest.fixture(scope="module")
def pub(faces: CardClassifier) -> Deck:
    """A deck that was enrolled with its blue back."""
    parts = [augmented_features(face_up(card), FACE, faces, 4) for card in CARDS_SHOWN]
    cards = tuple(card for card in CARDS_SHOWN for _ in range(4))
    backs = stack_back_features([back_features(lay(table(), BLUE, BACK), BACK)])
    return Deck("pub", faces.fingerprint, cards, np.concatenate(parts), backs)


def test_the_deck_whose_back_lies_there_is_used_and_said_once(faces: CardClassifier, pub: Deck) -> None:
    seen = Table(faces, pub)
    seen.show_all(BLUE)
    assert isinstance(seen.faces.deck, LearntDeckHead)
    assert seen.faces.deck.name == "pub"
    assert seen.said == ["deck pub: known by its back, and used"]


@pytest.mark.parametrize(("back", "name"), [(BLUE, "pub"), (RED, "home")], ids=["blue", "red"])
def test_of_two_enrolled_decks_that_one_is_used_whose_back_lies_there(
    faces: CardClassifier, pub: Deck, back: Picture, name: str
) -> None:
    backs = stack_back_features([back_features(lay(table(), RED, BACK), BACK)])
    seen = Table(faces, pub, replace(pub, name="home", backs=backs))
    seen.show_all(back)
    assert isinstance(seen.faces.deck, LearntDeckHead)
    assert seen.faces.deck.name == name
    assert seen.said == [f"deck {name}: known by its back, and used"]


@pytest.mark.parametrize(
    "backs", [(), (RED,), (BLUE, RED)], ids=["no back", "another back", "a second pack beside it"]
)
def test_any_other_table_is_read_as_before(
    faces: CardClassifier, pub: Deck, backs: tuple[Picture, ...]
) -> None:
    seen = Table(faces, pub)
    seen.show_all(*backs)
    assert seen.faces.deck is None
    assert seen.said == []


def test_two_decks_with_one_back_are_not_named_at_random(faces: CardClassifier, pub: Deck) -> None:
    seen = Table(faces, pub, replace(pub, name="home"))
    seen.show_all(BLUE)
    assert seen.faces.deck is None


def test_a_deck_with_that_back_but_other_faces_is_not_used(faces: CardClassifier, pub: Deck) -> None:
    swapped = dict(zip(CARDS_SHOWN[::2], CARDS_SHOWN[1::2], strict=False))
    swapped |= {other: card for card, other in swapped.items()}
    other = replace(pub, cards=tuple(swapped.get(card, card) for card in pub.cards))
    seen = Table(faces, other)
    seen.show_all(BLUE)
    assert seen.faces.deck is None
    assert seen.said == []


def test_a_back_under_another_card_tells_nothing(faces: CardClassifier, pub: Deck) -> None:
    seen = Table(faces, pub)
    picture = lay(table(), BLUE, BACK)
    covering = CardReading(BACK + 30, "up", 0.9, None, 0.1)
    seen.script.readings = [CardReading(BACK, "down", 0.99, None, 0.99), covering]
    for _ in range(30):
        seen.reader.read(picture)
    assert not seen.reader.recognised
    seen.script.readings = seen.script.readings[:1]
    for _ in range(30):
        seen.reader.read(picture)
    assert seen.reader.recognised


def test_decks_without_a_back_of_other_weights_or_damaged_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pub: Deck
) -> None:
    monkeypatch.setattr("vision.decks.deck_files.user_data_dir", lambda _name: str(tmp_path))
    save_deck(pub)
    save_deck(replace(pub, name="backless", backs=stack_back_features([])))
    save_deck(replace(pub, name="older", weights_fingerprint="other"))
    (tmp_path / "decks" / "broken.npz").write_bytes(b"no deck")
    assert [deck.name for deck in decks_with_backs(pub.weights_fingerprint)] == ["pub"]
