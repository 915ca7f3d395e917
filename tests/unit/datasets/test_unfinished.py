"""Two runs may make the same file at once, and no incomplete file stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.films.rendering.video import FilmWriter
from engine.files.atomic import part_of, whole_file, write_whole


def shown(path: Path) -> list[int]:
    """Return the brightness of each frame of a film."""
    film, seen = cv2.VideoCapture(str(path)), []
    while (read := film.read())[0]:
        seen.append(round(float(read[1].mean()) / 10) * 10)
    film.release()
    return seen


def test_two_writers_of_one_film_each_write_a_complete_one(tmp_path: Path) -> None:
    film = tmp_path / "game.mp4"
    with FilmWriter(film, 5, (64, 48)) as one:
        one.write(np.full((48, 64, 3), 50, np.uint8))
        with FilmWriter(film, 5, (64, 48)) as other:
            assert len(list(tmp_path.iterdir())) == 2
            for _ in range(3):
                other.write(np.full((48, 64, 3), 200, np.uint8))
        assert shown(film) == [200, 200, 200]
        one.write(np.full((48, 64, 3), 50, np.uint8))
    assert shown(film) == [50, 50]
    assert list(tmp_path.iterdir()) == [film]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_file_leaves_nothing(tmp_path: Path, interruption: type[BaseException]) -> None:
    def half_a_film() -> None:
        with FilmWriter(tmp_path / "game.mp4", 5, (64, 48)) as film:
            film.write(np.zeros((48, 64, 3), np.uint8))
            raise interruption

    def half_a_text() -> None:
        with whole_file(tmp_path / "game.jsonl") as part:
            part.write_text("half")
            raise interruption

    for work in (half_a_film, half_a_text):
        with pytest.raises(interruption):
            work()
    assert list(tmp_path.iterdir()) == []


def test_the_next_writer_removes_the_remains_of_a_killed_one(tmp_path: Path) -> None:
    film, other = tmp_path / "game [1].mp4", tmp_path / "game 1.mp4"
    left, fresh, others = part_of(film), part_of(film), part_of(other)
    for part in (left, fresh, others):
        part.write_bytes(b"unfinished")
    long_ago = time.time() - 2 * 3600
    for part in (left, others):
        os.utime(part, (long_ago, long_ago))
    assert part_of(film) not in (left, fresh)
    assert sorted(tmp_path.iterdir()) == sorted([fresh, others])


def test_a_file_of_the_user_is_not_removed(tmp_path: Path) -> None:
    draft, older = tmp_path / ".game.my-draft.part.txt", tmp_path / ".game.2024.part.txt"
    long_ago = time.time() - 2 * 3600
    for own in (draft, older):
        own.write_text("mine")
        os.utime(own, (long_ago, long_ago))
    write_whole(tmp_path / "game.txt", "cards")
    assert sorted(tmp_path.iterdir()) == sorted([older, draft, tmp_path / "game.txt"])
