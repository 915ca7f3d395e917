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
from companion.game.setup import Choice
from companion.game.starting import Before, watched_game
from companion.memory import EVERY_SECONDS, FreedMemory


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
    freed = FreedMemory()
    for t in (0.0, EVERY_SECONDS - 1, EVERY_SECONDS, EVERY_SECONDS + 1, 2 * EVERY_SECONDS):
        seconds(t)
        freed.give_back()
    assert given == [0, 0]


def test_a_game_that_has_ended_is_freed_when_the_next_begins() -> None:
    choice = Choice(source="0", players=("Ann", "Bob"))
    game = watched_game(choice, Before())
    game.knows_itself = game  # type: ignore[attr-defined]  # as parts of a game do, once it runs
    ended = weakref.ref(game)
    gc.disable()
    try:
        del game
        assert ended() is not None
        watched_game(choice, Before())
        assert ended() is None
    finally:
        gc.enable()


def test_without_glibc_nothing_is_done(
    seconds: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    freed = FreedMemory()
    seconds(10 * EVERY_SECONDS)
    freed.give_back()
    assert freed_memory._malloc_trim() is None


def test_with_glibc_there_is_something_to_call() -> None:
    glibc = sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "gnu_get_libc_version")
    trim = freed_memory._malloc_trim()
    assert (trim is not None) or not glibc
    assert trim is None or trim(0) in (0, 1)
