"""Decks of card faces for rendering scenes, films and training pictures.

`load_deck("drawn")` always works. `bidly` needs the photo folder (see `datasets.photos`). The others are
fetched from package registries and rendered once (see `datasets.art.sources`), and kept in the cache of the
user. Every face is upright, CARD_HEIGHT x CARD_WIDTH x 4 (BGRA), and never mirrored.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from platformdirs import user_cache_dir

from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH, CARDS, RANKS, SUITS, Bgra, Deck, with_rounded_corners
from datasets.art.drawn import DrawnStyle, draw_back, draw_deck
from datasets.art.sources import SOURCES, render_deck
from datasets.photos import photos_root, read_image
from engine.errors import BadInputError

__all__ = ["CARDS", "CARD_HEIGHT", "CARD_WIDTH", "RANKS", "SUITS", "Deck", "deck_names", "load_deck"]

VALID_DECKS = ("anglo_poker", "bonded", "kde_standard")
"""Decks that no network is trained on. They look like common decks, and have courts of their own."""

_COLUMNS = 13
_BACK_COLOURS = ((150, 60, 30), (40, 30, 160), (60, 110, 40), (40, 40, 40))


def deck_names(split: Literal["train", "valid", "all"] = "all") -> tuple[str, ...]:
    """Return the names of the training decks, of the held-out decks, or of all."""
    names = ("drawn", "bidly", *SOURCES)
    if split == "all":
        return names
    return tuple(name for name in names if (name in VALID_DECKS) == (split == "valid"))


def _drawn_backs() -> list[Bgra]:
    return [draw_back(colour, pattern) for pattern, colour in enumerate(_BACK_COLOURS)]


def _drawn() -> Deck:
    return Deck("drawn", "AGPL-3.0-or-later", draw_deck(DrawnStyle()), _drawn_backs())


def _bidly() -> Deck:
    """Return the 52 photographed faces of one real deck, with drawn backs, because the set has none."""
    root = photos_root()
    if root is None:
        raise BadInputError("deck bidly: the photo folder is missing (set SHITHEAD_PHOTOS)")
    faces = {card: with_rounded_corners(read_image(root / "bidly_deck" / f"{card}.jpg")) for card in CARDS}
    return Deck("bidly", "MIT", faces, _drawn_backs()[:2])


_MAKERS: dict[str, Callable[[], Deck]] = {"drawn": _drawn, "bidly": _bidly}


def cache_folder() -> Path:
    """Return the folder in which fetched and rendered art is kept."""
    return Path(user_cache_dir("shithead")) / "art"


def _save_sheet(deck: Deck, path: Path) -> None:
    """Save faces and backs as one picture: a row for each suit, then the joker and the backs."""
    blank = np.zeros((CARD_HEIGHT, CARD_WIDTH, 4), np.uint8)
    last = [deck.faces.get("JOKER", blank), *deck.backs[: _COLUMNS - 1]]
    rows = [[deck.faces[rank + suit] for rank in RANKS] for suit in SUITS]
    rows.append(last + [blank] * (_COLUMNS - len(last)))
    sheet = np.vstack([np.hstack(row) for row in rows])
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(suffix=".png", dir=path.parent)
    os.close(handle)
    cv2.imwrite(scratch, sheet, [cv2.IMWRITE_PNG_COMPRESSION, 3])
    # Renaming is one step, so another process never reads half a sheet.
    Path(scratch).replace(path)


def _load_sheet(name: str, path: Path) -> Deck | None:
    """Return the deck of a saved sheet, or None if the file is no sheet."""
    sheet = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    if sheet is None or sheet.shape != (5 * CARD_HEIGHT, _COLUMNS * CARD_WIDTH, 4):
        return None
    cells = sheet.reshape(5, CARD_HEIGHT, _COLUMNS, CARD_WIDTH, 4).swapaxes(1, 2)
    faces = {
        rank + suit: np.ascontiguousarray(cells[row, column])
        for row, suit in enumerate(SUITS)
        for column, rank in enumerate(RANKS)
    }
    last = [np.ascontiguousarray(cell) for cell in cells[4]]
    if last[0].any():
        faces["JOKER"] = last[0]
    return Deck(name, SOURCES[name].licence, faces, [back for back in last[1:] if back.any()])


@lru_cache(maxsize=64)
def load_deck(name: str) -> Deck:
    """Return the deck `name`. The first call may fetch it from a registry, which takes a while.

    Raises:
        BadInputError: there is no such deck, or its source is not available.
    """
    if name in _MAKERS:
        return _MAKERS[name]()
    if name not in SOURCES:
        raise BadInputError(f"deck {name}: there is no such deck (there are {', '.join(deck_names())})")
    path = cache_folder() / f"{name}.png"
    deck = _load_sheet(name, path) if path.is_file() else None
    if deck is None:
        deck = render_deck(name, cache_folder())
        _save_sheet(deck, path)
    # Some packages have no backs.
    return deck if deck.backs else replace(deck, backs=_drawn_backs())
