"""Tests of work that is done in two halves at the same time."""

from __future__ import annotations

import threading

import pytest

from engine.errors import BadInputError
from vision.parallel import begin, done, run_both


def _name() -> str:
    return threading.current_thread().name


def test_each_half_gives_what_it_found_in_a_thread_of_its_own() -> None:
    begun = threading.Event()

    def other() -> str:
        begun.set()
        return _name()

    one, two = run_both(lambda: begun.wait(10) and _name(), other)
    assert one == _name() != two


def test_what_the_second_thread_cannot_begin_is_done_by_the_first() -> None:
    inner: tuple[str, str] = ("", "")

    def other() -> None:
        nonlocal inner
        inner = run_both(_name, _name)
        begun.set()

    begun = threading.Event()
    run_both(lambda: begun.wait(10), other)
    assert inner[0] == inner[1] != _name()


def test_what_goes_wrong_in_either_half_reaches_the_caller() -> None:
    begun = threading.Event()

    def failing() -> None:
        begun.set()
        raise BadInputError("spoilt")

    with pytest.raises(BadInputError, match="spoilt"):
        run_both(lambda: begun.wait(10), failing)
    with pytest.raises(BadInputError, match="spoilt"):
        run_both(failing, _name)
    assert run_both(lambda: 1, lambda: 2) == (1, 2)


def test_work_goes_on_beside_this_thread_until_its_result_is_wanted() -> None:
    goes_on = threading.Event()
    work = begin(lambda: goes_on.wait(60.0) and _name())
    assert not work.done()
    goes_on.set()
    assert work.result() not in (False, _name())
    assert done("result").result() == "result"
