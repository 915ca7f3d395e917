"""A game for which no deck was named begins with the networks alone, and leaves behind what it collected."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck
from vision.decks.deck_files import learnt_folder, load_learnt_deck, save_deck
from vision.enrolment.automatic_deck import reader_with_automatic_deck
from vision.enrolment.known_backs import BackMatchingReader
from vision.enrolment.online_learning import MIN_AGREEING_CARDS, MIN_DECK_CARDS, MIN_MOMENTS
from vision.recognition import incremental as rereading
from vision.recognition.classifier import CardClassifier


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep decks where nobody else does."""
    monkeypatch.setattr("vision.decks.deck_files.user_data_dir", lambda _name: str(tmp_path))
    return tmp_path


@cache
def own_weights() -> str:
    return CardClassifier().fingerprint


def collection(cards: int = MIN_AGREEING_CARDS, weights: str | None = None) -> Deck:
    fingerprint = weights or own_weights()
    features = np.random.default_rng(1).normal(0, 1, (8 * cards, 592)).astype(np.float32)
    return Deck("learnt", fingerprint, tuple(card for card in CARDS[:cards] for _ in range(8)), features)


def kept_cards() -> set[str]:
    """Return the cards that the collection for the next game holds."""
    kept = load_learnt_deck()
    assert kept is not None
    return set(kept.cards)


def test_without_learning_and_enrolled_decks_the_usual_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = object()
    monkeypatch.setattr(rereading, "game_reader", lambda name: usual)
    assert reader_with_automatic_deck() == (usual, None)
    assert reader_with_automatic_deck(tell=print) == (usual, None)


def test_each_game_begins_with_the_networks_alone() -> None:
    for _ in range(2):
        reader, learning = reader_with_automatic_deck(learn=True)
        assert reader is learning
        assert learning is not None
        assert not learning.uses_learnt_deck
        for _ in range(MIN_MOMENTS):
            learning.learner.include_earlier(collection(MIN_DECK_CARDS))
        assert learning.spare_time(), "with another deck in use there is nothing to learn"
        assert learning.uses_learnt_deck


def test_what_one_game_collects_the_next_one_begins_with() -> None:
    _, learning = reader_with_automatic_deck(learn=True)
    assert learning is not None
    learning.learner.include_earlier(collection())
    learning.finish()
    assert kept_cards() == set(CARDS[:MIN_AGREEING_CARDS])
    _, later = reader_with_automatic_deck(learn=True)
    assert later is not None
    later.learner.include_earlier(collection(MIN_DECK_CARDS))
    later.finish()
    assert kept_cards() == set(CARDS[:MIN_AGREEING_CARDS]), "it is not known yet whether it is the same deck"


@pytest.mark.parametrize(
    "kept",
    [collection(weights="other"), collection(MIN_AGREEING_CARDS - 1, "any")],
    ids=["other weights", "too few"],
)
def test_what_is_of_no_use_is_passed_over(kept: Deck) -> None:
    if len(set(kept.cards)) < MIN_AGREEING_CARDS:
        kept = replace(kept, weights_fingerprint=own_weights())
    save_deck(kept, learnt_folder())
    _, learning = reader_with_automatic_deck(learn=True)
    assert learning is not None
    learning.learner.include_earlier(collection(MIN_DECK_CARDS))
    learning.finish()
    assert kept_cards() == set(CARDS[:MIN_DECK_CARDS]), "it is replaced at once"


def test_a_damaged_collection_is_passed_over_and_replaced() -> None:
    learnt_folder().mkdir()
    (learnt_folder() / "learnt.npz").write_bytes(b"no deck")
    _, learning = reader_with_automatic_deck(learn=True)
    assert learning is not None
    learning.learner.include_earlier(collection())
    learning.finish()
    assert load_learnt_deck() is not None


def test_an_enrolled_deck_is_looked_for_by_its_back_without_learning() -> None:
    back = np.ones((1, 39), np.float32)
    save_deck(replace(collection(), name="pub", backs=back))
    reader, learning = reader_with_automatic_deck(tell=print)
    assert isinstance(reader, BackMatchingReader)
    assert learning is None
