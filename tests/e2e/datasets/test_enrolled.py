"""A photo is never read with a deck that was enrolled from it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.drawn import DrawnStyle, draw_face
from datasets.measuring.reading.enrolled import with_own_deck
from datasets.photos import load_set
from tests.support.shown import lay, quad_at, table
from vision.decks.deck import Deck


def test_a_deck_is_enrolled_without_the_photo_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "avgustine_quads"
    (folder / "images").mkdir(parents=True)
    entries = []
    for number, card in enumerate(("7H", "KC", "2S", "7H")):
        quad = quad_at(np.random.default_rng(number))
        name = f"{number}.png"
        cv2.imwrite(str(folder / "images" / name), lay(table(), draw_face(card, DrawnStyle()), quad))
        entries.append({"image": name, "card": card, "quad": quad.tolist()})
    (folder / "quads.json").write_text(json.dumps(entries))
    decks: list[Deck] = []
    monkeypatch.setattr("datasets.measuring.reading.enrolled.DeckHead", lambda deck: decks.append(deck))
    monkeypatch.setattr("datasets.measuring.reading.enrolled.timed", lambda reader, photo: ([], 1.0))

    photos = load_set("avgustine_quads", tmp_path)
    assert list(with_own_deck("avgustine_quads", tmp_path)(photos)) == [([], 1.0)] * 4

    assert [set(deck.cards) for deck in decks] == [
        {"KC", "2S", "7H"},
        {"7H", "2S"},
        {"7H", "KC"},
        {"7H", "KC", "2S"},
    ]
    pictures = [deck.cards.count("7H") / deck.cards.count("2S") for deck in (decks[0], decks[1])]
    assert pictures == [1, 2]


def test_the_deck_of_the_fans_is_enrolled_from_pictures_of_single_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("images", "labels"):
        (tmp_path / "bidly_fans" / part).mkdir(parents=True)
    cv2.imwrite(str(tmp_path / "bidly_fans/images/a.png"), np.zeros((50, 50, 3), np.uint8))
    (tmp_path / "bidly_fans/labels/a.txt").write_text("7H 0.5 0.5 0.2 0.2\n")
    (tmp_path / "bidly_deck").mkdir()
    for card in ("7H", "KC"):
        cv2.imwrite(str(tmp_path / f"bidly_deck/{card}.png"), draw_face(card, DrawnStyle())[..., :3])
    decks: list[Deck] = []
    monkeypatch.setattr("datasets.measuring.reading.enrolled.DeckHead", lambda deck: decks.append(deck))
    monkeypatch.setattr("datasets.measuring.reading.enrolled.timed", lambda reader, photo: ([], 1.0))
    assert list(with_own_deck("bidly_fans", tmp_path)(load_set("bidly_fans", tmp_path))) == [([], 1.0)]
    assert [set(deck.cards) for deck in decks] == [{"7H", "KC"}]


def test_enrolled_readings_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    for card in ("7H", "KC"):
        (tmp_path / "yuchenrao_single" / card).mkdir(parents=True)
        for number in range(2):
            quad = quad_at(np.random.default_rng(number))
            picture = lay(table(), draw_face(card, DrawnStyle()), quad)
            cv2.imwrite(str(tmp_path / "yuchenrao_single" / card / f"{number}.png"), picture)
    photos = load_set("yuchenrao_single", tmp_path)
    told = []
    for jobs in (1, 2):
        read = list(with_own_deck("yuchenrao_single", tmp_path, jobs)(photos))
        told.append([[(one.card, round(one.confidence, 6)) for one in readings] for readings, _ in read])
    assert told[0] == told[1]
    assert [[card for card, _ in readings] for readings in told[0]] == [["7H"], ["7H"], ["KC"], ["KC"]]
