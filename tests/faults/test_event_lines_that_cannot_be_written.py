"""`watch --events FILE` on a disk that is full, and where a game goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.main import main
from engine.errors import BadInputError
from tests.faults.conftest import Disk


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def line(number: int) -> dict[str, Any]:
    return {"id": number, "event": "draw", "player": "Ann\u2028", "filler": "x" * 500}


def read(path: Path) -> list[int]:
    return [json.loads(text)["id"] for text in path.read_text().split("\n") if text]


def test_on_a_full_disk_lines_are_held_back_and_said_once_and_written_in_order(small_disk: Disk) -> None:
    path, clock = small_disk.path / "events.jsonl", Clock()
    said: list[str] = []
    writer = EventWriter(str(path), said.append, clock=clock)
    writer.write([line(1)])
    filler = small_disk.fill()
    for number in range(2, 30):
        writer.write([line(number)])
        clock.now += 6.0
    assert said == [
        f"{path}: No space left on device; the game goes on, and its lines are written as soon as possible"
    ]
    filler.unlink()
    writer.write([])
    assert said[1:] == [f"{path}: the lines are being written again"]
    writer.write([line(30)])
    writer.close()
    assert read(path) == list(range(1, 31))


def test_lines_that_could_never_be_written_are_counted_in_the_last_line(small_disk: Disk) -> None:
    path = small_disk.path / "events.jsonl"
    writer = EventWriter(str(path))
    small_disk.fill()
    writer.write([line(1), line(2), line(3)])
    with pytest.raises(
        BadInputError, match=r"events.jsonl: No space left.*; the last [23] lines were not written$"
    ):
        writer.close()


@pytest.mark.parametrize("left", ["", '{"id": 1}\n', '{"id": 1}\n{"id": 2', '{"id'])
def test_a_game_that_goes_on_keeps_the_lines_that_are_there_and_drops_half_a_one(
    left: str, tmp_path: Path
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(left)
    writer = EventWriter(str(path), append=True)
    writer.write([line(7)])
    writer.close()
    assert read(path) == [*([1] if left.startswith('{"id": 1}') else []), 7]


def test_a_fresh_game_begins_its_file_anew(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"id": 1}\n')
    EventWriter(str(path)).close()
    assert path.read_text() == ""


def test_a_file_that_cannot_be_opened_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(tmp_path / "no.mp4"), "--headless", "--events", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
