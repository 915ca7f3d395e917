"""A photo is never read with a deck that was learnt from it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art_drawn import DrawnStyle, draw_face
from datasets.enrolled import leave_one_out
from datasets.photos import load_set
from tests.vision.shown import lay, quad_at, table
from vision.decks import Deck


def test_each_photo_is_left_out_of_the_deck_it_is_read_with(
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
    monkeypatch.setattr("datasets.enrolled.DeckHead", lambda deck: decks.append(deck))

    readers = leave_one_out("avgustine_quads", tmp_path)
    for photo in load_set("avgustine_quads", tmp_path):
        readers(photo)

    assert [set(deck.cards) for deck in decks] == [
        {"KC", "2S", "7H"},
        {"7H", "2S"},
        {"7H", "KC"},
        {"7H", "KC", "2S"},
    ]
    pictures = [deck.cards.count("7H") / deck.cards.count("2S") for deck in (decks[0], decks[1])]
    assert pictures == [1, 2]
