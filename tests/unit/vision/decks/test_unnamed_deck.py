"""A game for which no deck was named begins with the networks alone, and leaves behind what it collected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck, DeckHead, learnt_folder, load_learnt, save_deck
from vision.enrolment import unnamed_deck
from vision.enrolment.online_learning import AGREED
from vision.enrolment.unnamed_deck import unnamed_reader
from vision.recognition import incremental as rereading


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep decks where nobody else does."""
    monkeypatch.setattr("vision.decks.deck.user_data_dir", lambda _name: str(tmp_path))
    return tmp_path


def collection(cards: int = AGREED, weights: str | None = None) -> Deck:
    fingerprint = weights or unnamed_deck._networks()[1].fingerprint
    features = np.random.default_rng(1).normal(0, 1, (8 * cards, 592)).astype(np.float32)
    return Deck("learnt", fingerprint, tuple(card for card in CARDS[:cards] for _ in range(8)), features)


def test_without_learning_and_enrolled_decks_the_usual_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = object()
    monkeypatch.setattr(rereading, "game_reader", lambda name: usual)
    assert unnamed_reader() == (usual, None)
    assert unnamed_reader(tell=print) == (usual, None)


def test_each_game_begins_with_the_networks_alone() -> None:
    reader, learning = unnamed_reader(learn=True)
    assert reader is learning
    _, faces = unnamed_deck._networks()
    faces.deck = DeckHead(collection())
    unnamed_reader(learn=True)
    assert faces.deck is None


def test_what_one_game_collects_the_next_one_begins_with() -> None:
    _, learning = unnamed_reader(learn=True)
    assert learning is not None
    assert learning._before is None
    learning.learner.include(collection())
    learning.finish()
    kept = load_learnt()
    assert kept is not None
    assert set(kept.cards) == set(CARDS[:AGREED])
    _, later = unnamed_reader(learn=True)
    assert later is not None
    assert later._before is not None


@pytest.mark.parametrize(
    "kept", [collection(weights="other"), collection(AGREED - 1, "any")], ids=["other weights", "too few"]
)
def test_what_is_of_no_use_is_passed_over(kept: Deck) -> None:
    if len(set(kept.cards)) < AGREED:
        kept = replace(kept, weights=unnamed_deck._networks()[1].fingerprint)
    save_deck(kept, learnt_folder())
    _, learning = unnamed_reader(learn=True)
    assert learning is not None
    assert learning._before is None


def test_a_damaged_collection_is_passed_over_and_replaced() -> None:
    learnt_folder().mkdir()
    (learnt_folder() / "learnt.npz").write_bytes(b"no deck")
    _, learning = unnamed_reader(learn=True)
    assert learning is not None
    learning.learner.include(collection())
    learning.finish()
    assert load_learnt() is not None


def test_an_enrolled_deck_is_looked_for_by_its_back_without_learning() -> None:
    back = np.ones((1, 39), np.float32)
    save_deck(replace(collection(), name="pub", backs=back))
    reader, learning = unnamed_reader(tell=print)
    assert type(reader).__name__ == "DeckByBack"
    assert learning is None
