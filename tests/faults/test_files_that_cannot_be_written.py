"""A file that cannot be written is found before any work, and the line names the file and the cause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.cli import main


@pytest.mark.parametrize(
    "line",
    [
        "watch f.mp4 --headless --save-layout {disk}/l.json",
        "watch f.mp4 --headless --save-layout {disk}/old.json",
        "watch f.mp4 --headless --save {disk}/x.mp4",
        "watch f.mp4 --headless --events {disk}/e.jsonl",
        "film {disk}/x.mp4",
        "film x.mp4 --cards {disk}/c.jsonl",
        "simulate --save {disk}/x.txt",
        "rules jokers --save {disk}/x.toml",
        "tally --png {disk}/x.png",
        "read p.png --save {disk}/x.png",
    ],
)
def test_a_read_only_disk_is_named_before_any_work(
    line: str,
    small_disk: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("began to work")

    for begins in (
        "datasets.films.story.find_story",
        "companion.starting.open_source",
        "vision.reader.reader_for_deck",
        "companion.store.Store.open_to_read",
        "engine.simulate.play_game",
    ):
        monkeypatch.setattr(begins, work)
    monkeypatch.chdir(tmp_path)
    (small_disk.path / "old.json").write_text("{}")
    assert small_disk.mount("remount", "ro")
    arguments = line.format(disk=small_disk.path).split()
    assert main(arguments) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"shithead {arguments[0]}: ")
    assert said.endswith(f"{arguments[-1]}: Read-only file system\n")
