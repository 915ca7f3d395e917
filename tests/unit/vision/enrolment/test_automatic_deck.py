"""A game for which no deck was named begins with the networks alone, and leaves behind what it collected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck
from vision.decks.deck_files import learnt_folder, load_learnt_deck, save_deck
from vision.decks.deck_head import DeckHead
from vision.enrolment import automatic_deck
from vision.enrolment.automatic_deck import reader_with_automatic_deck
from vision.enrolment.known_backs import BackMatchingReader
from vision.enrolment.online_learning import MIN_AGREEING_CARDS
from vision.recognition import incremental as rereading


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep decks where nobody else does."""
    monkeypatch.setattr("vision.decks.deck_files.user_data_dir", lambda _name: str(tmp_path))
    return tmp_path


def collection(cards: int = MIN_AGREEING_CARDS, weights: str | None = None) -> Deck:
    fingerprint = weights or automatic_deck._networks()[1].fingerprint
    features = np.random.default_rng(1).normal(0, 1, (8 * cards, 592)).astype(np.float32)
    return Deck("learnt", fingerprint, tuple(card for card in CARDS[:cards] for _ in range(8)), features)


def test_without_learning_and_enrolled_decks_the_usual_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = object()
    monkeypatch.setattr(rereading, "game_reader", lambda name: usual)
    assert reader_with_automatic_deck() == (usual, None)
    assert reader_with_automatic_deck(tell=print) == (usual, None)


def test_each_game_begins_with_the_networks_alone() -> None:
    reader, learning = reader_with_automatic_deck(learn=True)
    assert reader is learning
    _, faces = automatic_deck._networks()
    faces.deck = DeckHead(collection())
    reader_with_automatic_deck(learn=True)
    assert faces.deck is None


def test_what_one_game_collects_the_next_one_begins_with() -> None:
    _, learning = reader_with_automatic_deck(learn=True)
    assert learning is not None
    assert learning._earlier is None
    learning.learner.include_earlier(collection())
    learning.finish()
    kept = load_learnt_deck()
    assert kept is not None
    assert set(kept.cards) == set(CARDS[:MIN_AGREEING_CARDS])
    _, later = reader_with_automatic_deck(learn=True)
    assert later is not None
    assert later._earlier is not None


@pytest.mark.parametrize(
    "kept",
    [collection(weights="other"), collection(MIN_AGREEING_CARDS - 1, "any")],
    ids=["other weights", "too few"],
)
def test_what_is_of_no_use_is_passed_over(kept: Deck) -> None:
    if len(set(kept.cards)) < MIN_AGREEING_CARDS:
        kept = replace(kept, weights_fingerprint=automatic_deck._networks()[1].fingerprint)
    save_deck(kept, learnt_folder())
    _, learning = reader_with_automatic_deck(learn=True)
    assert learning is not None
    assert learning._earlier is None


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
