"""A deck that somebody shares: found, taken under another name, refused where it is not what it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.cli.main import main
from vision.decks.deck import Deck, load_deck, save_deck
from vision.recognition.classifier import weights_fingerprint

CARDS = ("9S", "KD")
DECK = Deck(
    "mine",
    weights_fingerprint(),
    tuple(card for card in CARDS for _ in range(6)),
    np.random.default_rng(3).normal(0, 1, (12, 24)).astype(np.float32),
    np.ones((2, 5), np.float32),
)


def at_home(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be at somebody's home, with the decks that are kept there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))


def test_a_deck_file_is_named_with_its_size_and_taken_at_another_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home("ann", tmp_path, monkeypatch)
    kept = save_deck(DECK)
    assert main(["deck", "show", "mine"]) == 0
    assert f"file: {kept} ({round(kept.stat().st_size / 1024)} KiB)" in capsys.readouterr().out
    at_home("bob", tmp_path, monkeypatch)
    assert main(["deck", "enrol", "anns", str(kept)]) == 0
    assert capsys.readouterr().out.startswith("deck anns: 2 cards enrolled, and the back")
    taken = load_deck("anns")
    assert taken.name == "anns"
    assert taken.cards == DECK.cards
    assert np.array_equal(taken.features, DECK.features.astype(np.float16))
    assert np.array_equal(taken.backs, DECK.backs)


def test_a_deck_of_other_networks_or_a_file_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home("ann", tmp_path, monkeypatch)
    other = save_deck(replace(DECK, weights="older"))
    broken = tmp_path / "broken.npz"
    broken.write_bytes(other.read_bytes()[:-40])
    at_home("bob", tmp_path, monkeypatch)
    for file, why in ((other, "other network"), (broken, "not a deck"), (tmp_path / "no.npz", "no such")):
        assert main(["deck", "enrol", "anns", str(file)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert why in said
    assert main(["deck", "list"]) == 0
    assert "no deck is enrolled" in capsys.readouterr().out


def test_an_enrolled_deck_is_not_overwritten_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home("ann", tmp_path, monkeypatch)
    kept = save_deck(replace(DECK, name="shared"))
    save_deck(replace(DECK, cards=("2C",) * 6 + ("3C",) * 6))
    assert main(["deck", "enrol", "mine", str(kept)]) == 2
    assert "--replace" in capsys.readouterr().err
    assert set(load_deck("mine").cards) == {"2C", "3C"}
    assert main(["deck", "enrol", "mine", str(kept), "--replace"]) == 0
    assert set(load_deck("mine").cards) == set(CARDS)
