"""Garbage is collected in one thread, and freed memory is given back once in a while."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from companion.game.history import GameHistory
from companion.game.setup import GameSetup
from companion.game.starting import open_watched_game
from companion.memory import (
    COLLECT_INTERVAL_S,
    TRIM_INTERVAL_S,
    GarbageCollector,
    MemoryTrimmer,
    malloc_trim,
)


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


class _Knot:
    """An object that refers to itself, so that only the garbage collector frees it."""

    def __init__(self) -> None:
        self.itself = self


def _is_freed(knot: weakref.ref[_Knot]) -> bool:
    return knot() is None


def _in_another_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.fixture
def seconds() -> list[float]:
    """The time by the collector's clock, to be set."""
    return [0.0]


@pytest.fixture
def collector(seconds: list[float]) -> Iterator[GarbageCollector]:
    """A collector that has begun in this thread."""
    gc.collect()
    collector = GarbageCollector(clock=lambda: seconds[0])
    collector.begin()
    yield collector
    collector.end()
    assert gc.isenabled()


def test_another_thread_collects_nothing_while_a_window_is_open(collector: GarbageCollector) -> None:
    collected_in: list[int] = []
    kept: list[weakref.ref[_Knot]] = []

    def make_garbage() -> None:
        for _ in range(5_000):
            kept.append(weakref.ref(_Knot(), lambda _: collected_in.append(threading.get_ident())))

    _in_another_thread(make_garbage)
    _in_another_thread(collector.collect)
    assert collected_in == []
    collector.step()
    assert collected_in == [threading.get_ident()] * 5_000


def test_a_step_collects_what_is_due(collector: GarbageCollector) -> None:
    knots = [_Knot() for _ in range(gc.get_threshold()[0] + 100)]
    last = weakref.ref(knots[-1])
    knots.clear()
    collector.step()
    assert _is_freed(last)


def test_a_step_collects_what_has_become_old_once_a_minute(
    collector: GarbageCollector, seconds: list[float]
) -> None:
    knot = _Knot()
    old = weakref.ref(knot)
    for generation in (0, 1):
        gc.collect(generation)
    del knot
    seconds[0] = COLLECT_INTERVAL_S - 1
    collector.step()
    assert not _is_freed(old)
    seconds[0] = COLLECT_INTERVAL_S
    collector.step()
    assert _is_freed(old)


def test_without_a_window_every_thread_collects() -> None:
    knot = weakref.ref(_Knot())
    _in_another_thread(GarbageCollector().collect)
    assert _is_freed(knot)


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
