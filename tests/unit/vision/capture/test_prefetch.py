"""Items come in their order, an error comes where it arose, and nothing is fetched after the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from vision.capture.prefetch import Prefetcher


def counted(fetched: list[int], most: int = 1000) -> Iterator[int]:
    """Yield numbers from 0, and note them."""
    for number in range(most):
        fetched.append(number)
        yield number


def test_everything_comes_in_its_order() -> None:
    assert list(Prefetcher(iter(range(100)), depth=3)) == list(range(100))


def test_nothing_comes_of_nothing() -> None:
    assert list(Prefetcher(iter([]))) == []


def test_only_so_many_are_fetched_ahead() -> None:
    fetched: list[int] = []
    ahead = Prefetcher(counted(fetched), depth=3)
    time.sleep(0.1)
    assert 1 <= len(fetched) <= 4  # three wait, and the thread holds one more
    ahead.close()


def test_an_error_comes_after_what_was_before_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("broken off")

    seen: list[int] = []
    with pytest.raises(ValueError, match="broken off"):
        seen.extend(Prefetcher(broken()))  # `extend` keeps what came before the error
    assert seen == [1, 2]


def test_after_close_nothing_is_fetched_and_no_thread_is_left() -> None:
    fetched: list[int] = []
    before = threading.active_count()
    ahead = Prefetcher(counted(fetched), depth=2)
    taken = iter(ahead)
    assert next(taken) == 0
    ahead.close()
    so_many = len(fetched)
    assert list(taken) == []
    assert len(fetched) == so_many < 10
    assert threading.active_count() == before


def test_it_may_be_closed_twice_and_after_its_end() -> None:
    ahead = Prefetcher(iter([1]))
    assert list(ahead) == [1]
    ahead.close()
    ahead.close()
