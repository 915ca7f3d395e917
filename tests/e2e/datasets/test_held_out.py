"""Held-out decks in whole frames: which cards must be named, and which readings count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from datasets.art.decks import load_deck
from datasets.measuring.reading import held_out
from datasets.photos import Label
from datasets.scenes.scene import Scene, SceneCard
from vision.types import CardReading, Image

CARD = np.array([[100, 100], [163, 100], [163, 188], [100, 188]], np.float32)


FEW = "three_of_the_drawn"


@pytest.fixture(autouse=True)
def drawn_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cards of the drawn deck, which needs no registry, replace the held-out decks.

    No other test has a deck of this name. So what was kept of decks is not used, and what is kept is not
    used elsewhere.
    """
    deck = load_deck("drawn")
    few = replace(deck, faces={card: deck.faces[card] for card in ("7C", "KH", "AS")})
    monkeypatch.setattr(held_out, "deck_names", lambda split: (FEW,))
    monkeypatch.setattr(held_out, "load_deck", lambda name: few)


def label(right: float, card: str = "7C") -> Label:
    return Label(card, CARD + np.array([right, 0], np.float32), "quad")


def reading(right: float, card: str | None, confidence: float = 0.95, face: str = "up") -> CardReading:
    return CardReading(CARD + np.array([right, 0], np.float32), face, 0.9, card, confidence)  # type: ignore[arg-type]


def test_uncovered_cards_that_are_large_enough_must_be_named() -> None:
    small = (CARD - 100) * np.float32(0.5) + 100
    scene = Scene(
        np.zeros((400, 800, 3), np.uint8),
        (
            SceneCard("7C", True, CARD, 1.0),
            SceneCard("8C", True, CARD + np.array([100, 0], np.float32), 0.7),
            SceneCard("9C", True, small + np.array([200, 0], np.float32), 1.0),
            SceneCard("JOKER", True, CARD + np.array([300, 0], np.float32), 1.0),
            SceneCard("BACK", False, CARD + np.array([400, 0], np.float32), 1.0),
            SceneCard("10C", True, CARD + np.array([670, 0], np.float32), 1.0),
        ),
        np.zeros((400, 800), np.uint8),
    )
    asked, others = held_out.split_labels(scene)
    assert [one.card for one in asked] == ["7C", "JOKER"]
    assert [one.card for one in others] == ["8C", "9C", "BACK", "10C"]


def test_a_card_that_is_not_found_or_not_named_is_not_right() -> None:
    asked = [label(0), label(100), label(200), label(300)]
    readings = [reading(1, "7C"), reading(101, None), reading(202, "8C", 0.97)]
    score, _ = held_out.score_frame(asked, [], readings)
    assert (score.cards, score.found, score.named_right, score.confidently_wrong) == (4, 3, 1, 1)
    assert score.to_json()["identity_right"] == 0.25


def test_readings_of_other_cards_do_not_count() -> None:
    readings = [reading(1, "7C"), reading(100, "2D"), reading(400, "3D"), reading(500, None, face="down")]
    score, _ = held_out.score_frame([label(0)], [label(100, "8C")], readings)
    assert (score.cards, score.found, score.confidently_wrong) == (1, 1, 0)
    assert score.to_json()["precision"] is None


def test_a_name_on_a_back_is_wrong() -> None:
    score, _ = held_out.score_frame([label(0)], [label(100, "BACK")], [reading(1, "7C"), reading(101, "2D")])
    assert (score.found, score.named_right, score.confidently_wrong) == (1, 1, 1)


def test_jokers_count_separately() -> None:
    asked = [label(0), label(100, "JOKER"), label(200, "JOKER")]
    cards, jokers = held_out.score_frame(asked, [], [reading(0, "7C"), reading(100, "JOKER")])
    assert (cards.cards, cards.found) == (1, 1)
    assert (jokers.cards, jokers.found, jokers.named_right) == (2, 1, 1)


def test_a_detector_is_compared_with_boxes_around_the_cards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Boxes:
        """A detector that sees the box around each card of the frame."""

        def read(self, image: Image, crowded: object = None, ignored: object = None) -> Sequence[CardReading]:
            asked, _ = held_out.split_labels(frame.scene())
            boxes = [np.concatenate([one.points.min(axis=0), one.points.max(axis=0)]) for one in asked]
            quads = [np.array([[a, b], [c, b], [c, d], [a, d]], np.float32) for a, b, c, d in boxes]
            return [CardReading(quad, "up", 0.9, "7C", 0.9) for quad in quads]

    monkeypatch.setattr(held_out, "detector", lambda weights: Boxes())
    one = next(frame for frame in held_out.frames(20) if held_out.split_labels(frame.scene())[0])
    frame = one
    monkeypatch.setattr(held_out, "frames", lambda count: [one])
    score, jokers = held_out.evaluate_held_out(weights=Path("weights.onnx"))
    assert (score.name, jokers.name) == ("held_out+one-stage", "held_out_jokers+one-stage")
    assert score.found == score.cards > 0


class Blind:
    """A reader that sees nothing."""

    def read(self, image: Image, crowded: object = None, ignored: object = None) -> Sequence[CardReading]:
        return []


def test_every_frame_of_every_deck_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "default_reader", Blind)
    told: list[tuple[float, float]] = []
    score, jokers = held_out.evaluate_held_out(count=3, progress=lambda *counts: told.append(counts))
    assert (score.name, score.photos, score.found) == ("held_out", 3, 0)
    assert score.cards > 0
    assert score.to_json()["identity_right"] == 0
    assert (jokers.name, jokers.photos) == ("held_out_jokers", 3)
    assert told == [(1, 3), (2, 3), (3, 3)]
    again, _ = held_out.evaluate_held_out(count=3)
    assert again.cards == score.cards


def test_a_deck_is_enrolled_from_pictures_of_each_card_alone() -> None:
    deck = held_out.enrolled_classifier(FEW).deck
    assert deck is not None
    assert set(deck.enrolled) == {"7C", "KH", "AS"}
