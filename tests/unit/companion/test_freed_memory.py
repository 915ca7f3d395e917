"""Freed memory is given back once in a while, and not oftener."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from companion import memory as freed_memory
from companion.game.history import GameHistory
from companion.game.setup import GameSetup
from companion.game.starting import open_watched_game
from companion.memory import TRIM_INTERVAL_S, MemoryTrimmer


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock."""
    now = [0.0]
    monkeypatch.setattr(freed_memory, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return lambda t: now.__setitem__(0, t)


def test_it_is_given_back_once_a_minute(
    seconds: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(freed_memory, "_malloc_trim", lambda: given.append)
    freed = MemoryTrimmer()
    for t in (0.0, TRIM_INTERVAL_S - 1, TRIM_INTERVAL_S, TRIM_INTERVAL_S + 1, 2 * TRIM_INTERVAL_S):
        seconds(t)
        freed.trim()
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


def test_without_glibc_nothing_is_done(
    seconds: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    freed = MemoryTrimmer()
    seconds(10 * TRIM_INTERVAL_S)
    freed.trim()
    assert freed_memory._malloc_trim() is None


def test_with_glibc_there_is_something_to_call() -> None:
    glibc = sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")
    trim = freed_memory._malloc_trim()
    assert (trim is not None) or not glibc
    assert trim is None or trim(0) in (0, 1)
