"""Keys of a laptop: what a key stands for, and whether it belongs to a text that is being typed."""

from __future__ import annotations

from collections.abc import Sequence

from kivy.core.window import Window
from kivy.uix.modalview import ModalView
from kivy.uix.textinput import TextInput

from engine.cards import RANKS, SUITS

F11, BACKSPACE, ENTER = 292, 8, (13, 271)
"""Keys by the numbers that Kivy knows them under."""
JOKER_KEY = "x"
_KEYS = {
    **{rank.lower(): rank for rank in RANKS if rank != "10"},
    **{suit.lower(): suit for suit in SUITS},
    "1": "10",
    "0": "10",
    JOKER_KEY: "JOKER",
}


def card_key(key: int) -> str | None:
    """Return the rank, the suit or the joker that a key enters, or None: `7`, `q`, `s`, `0` for a 10."""
    return _KEYS.get(chr(key).lower()) if 0 < key < 0x110000 else None


def is_typing() -> bool:
    """Return whether a field has the keyboard, so that keys are letters."""
    return any(isinstance(w, TextInput) and w.focus for top in Window.children for w in top.walk())


def sheet_is_open() -> bool:
    """Return whether a sheet lies over the screen."""
    return any(isinstance(top, ModalView) for top in Window.children)


def with_control(modifiers: Sequence[str]) -> bool:
    """Return whether the key of commands is held: Ctrl, or Cmd on a Mac."""
    return "ctrl" in modifiers or "meta" in modifiers
