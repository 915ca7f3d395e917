"""A file that cannot be written is found before any work, and the line names the file and the cause."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.cli.main import main
from companion.cli.recording import FilmWriter
from companion.i18n.messages import REASONS
from datasets.films.rendering import video
from engine.errors import BadInputError
from engine.files.atomic import NO_FOLDER, write_whole
from tests.faults.conftest import Disk
from vision.table.view import TableView


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
    small_disk: Disk,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("began to work")

    for begins in (
        "datasets.films.story.find_story",
        "companion.game.starting.open_source",
        "vision.recognition.reader.reader_for_deck",
        "companion.store.store.Store.open_to_read",
        "engine.simulation.simulate.play_game",
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


@pytest.mark.parametrize("writer", ["annotated", "rendered"])
def test_a_film_that_cannot_be_begun_on_a_full_disk_is_named_with_the_cause(
    writer: str, small_disk: Disk
) -> None:
    small_disk.fill()
    path = small_disk.path / "x.mp4"
    with pytest.raises(BadInputError) as refused:
        begin(writer, path)
    assert str(refused.value) == f"{path}: No space left on device"
    assert [found.name for found in small_disk.path.iterdir()] == ["filler"]


def test_a_device_that_is_always_full_is_named_with_the_cause(tmp_path: Path) -> None:
    link = tmp_path / "x.csv"
    link.symlink_to("/dev/full")
    if not link.exists():
        pytest.skip("no device here that is always full")
    with pytest.raises(OSError, match="No space left on device") as refused:
        write_whole(link, "player,games")
    assert refused.value.filename == str(link)


@pytest.mark.parametrize("writer", ["annotated", "rendered"])
def test_a_film_by_a_name_that_none_can_have_is_told_how_to_end_it(writer: str, tmp_path: Path) -> None:
    path = tmp_path / "z.unknown"
    with pytest.raises(BadInputError) as refused:
        begin(writer, path)
    assert str(refused.value) == f"{path}: no film can be written by that name (end it in .mp4)"
    assert list(tmp_path.iterdir()) == []


def begin(writer: str, path: Path) -> None:
    """Write a film of one picture, by the one writer or the other."""
    picture = np.zeros((48, 64, 3), np.uint8)
    if writer == "rendered":
        with video.FilmWriter(path, 5, (64, 48)) as rendered:
            rendered.write(picture)
        return
    film = FilmWriter(path, 5)
    film.write(picture, 0.0, TableView())
    film.close()


@pytest.mark.parametrize(
    "line",
    [
        "measure g.mp4 --folder {file}",
        "soak g.mp4 --folder {file}/below",
        "watch g.mp4 --headless --players Ann,Bob --store {file}/below/s.sqlite",
        "watch g.mp4 --headless --players Ann,Bob --store {link}/s.sqlite",
    ],
)
def test_what_stands_in_the_place_of_a_folder_is_named(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The system would say of a file that it exists, of a path below it that it is not a directory."""
    monkeypatch.chdir(tmp_path)
    stands = {"file": tmp_path / "letters", "link": tmp_path / "gone"}
    stands["file"].write_text("mine")
    stands["link"].symlink_to(tmp_path / "nowhere")
    with video.FilmWriter(Path("g.mp4"), 5, (64, 48)) as film:
        film.write(np.zeros((48, 64, 3), np.uint8))
    Path("g.truth.jsonl").write_text('{"film": "g.mp4", "rules": "winnersh", "players": ["Ann", "Bob"]}\n')
    arguments = line.format(**stands).split()
    assert main(arguments) == 2
    said = capfd.readouterr().err
    named = stands["link" if "{link}" in line else "file"]
    assert said.count("\n") == 1
    assert said.endswith(f"{named}: {NO_FOLDER}\n")
    assert stands["file"].read_text() == "mine"


def test_why_a_folder_cannot_be_made_is_said_in_german_too() -> None:
    assert NO_FOLDER in REASONS
