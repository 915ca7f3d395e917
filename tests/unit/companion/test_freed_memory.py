"""Freed memory is given back once in a while, and not oftener."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref

import pytest

from companion.game.history import GameHistory
from companion.game.setup import GameSetup
from companion.game.starting import open_watched_game
from companion.memory import TRIM_INTERVAL_S, MemoryTrimmer, malloc_trim


def test_it_is_given_back_once_a_minute() -> None:
    given: list[int] = []
    now = iter((0.0, 0.0, TRIM_INTERVAL_S - 1, TRIM_INTERVAL_S, TRIM_INTERVAL_S + 1, 2 * TRIM_INTERVAL_S))

    def give_back(pad: int) -> int:
        given.append(pad)
        return 1

    memory = MemoryTrimmer(give_back, clock=now.__next__)
    for _ in range(5):
        memory.trim()
    assert given == [0, 0]


def test_a_game_that_has_ended_is_freed_when_the_next_begins() -> None:
    setup = GameSetup(source="0", players=("Ann", "Bob"))
    game = open_watched_game(setup, GameHistory())
    game.knows_itself = game  # type: ignore[attr-defined]  # as parts of a game do, once it runs
    ended = weakref.ref(game)
    gc.disable()
    try:
        del game
        assert ended() is not None
        open_watched_game(setup, GameHistory())
        assert ended() is None
    finally:
        gc.enable()


def test_without_glibc_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert malloc_trim() is None
    now = iter((0.0, 10 * TRIM_INTERVAL_S))
    MemoryTrimmer(clock=now.__next__).trim()


def test_with_glibc_there_is_something_to_call() -> None:
    glibc = sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")
    trim = malloc_trim()
    assert (trim is not None) or not glibc
    assert trim is None or trim(0) in (0, 1)
