"""What several processes of a run need is made by the first of them that asks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import made_once


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path) -> Iterator[None]:
    before = made_once.made_once("what_is_shared", lambda _: None).parent
    made_once.share_in(tmp_path)
    yield
    made_once.share_in(before)


def test_of_several_processes_that_ask_at_once_one_makes_it(tmp_path: Path) -> None:
    calls = tmp_path / "calls"

    def make(folder: Path) -> None:
        with calls.open("a") as file:
            file.write("made\n")
        (folder / "film").write_text("a film")

    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = int(made_once.made_once("film", make).joinpath("film").read_text() != "a film")
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert calls.read_text() == "made\n"


def test_what_could_not_be_made_is_made_by_the_next_that_asks() -> None:
    answers: list[dict[str, int]] = [{"seen": 1}]

    def ask() -> dict[str, int]:
        if len(answers) == 1:
            answers.append({"seen": 2})
            raise ValueError("the window did not open")
        return answers[-1]

    with pytest.raises(ValueError, match="did not open"):
        made_once.answered_once("look", ask)
    assert made_once.answered_once("look", ask) == {"seen": 2}
    answers.append({"seen": 3})
    assert made_once.answered_once("look", ask) == {"seen": 2}
