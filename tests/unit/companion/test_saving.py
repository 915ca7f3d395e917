"""What is saved under a name is there whole, or what was there before is; the line names the file."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.cli.outputs import check_outputs
from companion.cli.recording import FilmWriter
from companion.settings import Settings, load_settings, save_settings
from companion.store.backup import back_up
from companion.store.store import Store
from datasets.films.rendering import video
from engine.errors import BadInputError
from engine.files.atomic import whole_file, write_whole
from vision.decks.deck import Deck
from vision.decks.deck_files import load_deck, save_deck
from vision.table.view import TableView

SQLITES_OWN = 33_000
"""What SQLite needs beside a store to read it at all."""
NOBODY = 65534
OLD = b"of an evening that was good"


@contextlib.contextmanager
def no_room(left: int = 8) -> Iterator[None]:
    """No file may grow beyond so many bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (left, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with Store.open(Path("s.sqlite")) as store:
        store.start_game("winnersh", ["Ann", "Bob"])
        store.append(*({"id": number, "event": "draw", "filler": "x" * 900} for number in range(1, 60)))
        store.finish("Ann")
    cv2.imwrite("p.png", np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8))
    Path("measured").mkdir()
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="no limit can be set")
@pytest.mark.parametrize(
    "line",
    [
        "simulate --force --save old.txt",
        "rules backpacker --force --save old.toml",
        "tally --store s.sqlite --force --png old.png",
        "results --folder measured --out old.md",
        "read p.png --save old.png",
        "read p.png --save old.jpg",
    ],
)
def test_on_a_full_disk_the_older_file_stays_and_the_line_names_it(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = Path(line.split()[-1])
    old.write_bytes(OLD)
    names = sorted(os.listdir(folder))
    with no_room(SQLITES_OWN if "--store" in line else 8):
        status = main(line.split())
    said = capsys.readouterr().err
    assert status == 2
    assert said == f"shithead {line.split()[0]}: {old}: File too large\n"
    assert old.read_bytes() == OLD
    assert sorted(os.listdir(folder)) == names


def noise(film: FilmWriter) -> None:
    rng = np.random.default_rng(1)
    for number in range(30):
        film.write(rng.integers(0, 255, (120, 160, 3), np.uint8), number / 10, TableView())


def test_an_annotated_film_takes_the_older_ones_place_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "old.mp4"
    path.write_bytes(OLD)
    film = FilmWriter(path, 10)
    noise(film)
    assert path.read_bytes() == OLD
    film.close()
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT) == 30
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit can be set")
def test_an_annotated_film_that_has_no_room_leaves_the_older_one(tmp_path: Path) -> None:
    path = tmp_path / "old.mp4"
    path.write_bytes(OLD)
    film = FilmWriter(path, 10)
    with no_room(50_000):
        noise(film)
        with pytest.raises(BadInputError, match=r"old\.mp4: is incomplete"):
            film.close()
    assert path.read_bytes() == OLD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit can be set")
def test_a_rendered_film_that_has_no_room_leaves_the_older_one(tmp_path: Path) -> None:
    path, rng = tmp_path / "old.mp4", np.random.default_rng(1)
    path.write_bytes(OLD)

    def render() -> None:
        with video.FilmWriter(path, 10, (160, 120)) as film:
            for _ in range(30):
                film.write(rng.integers(0, 255, (120, 160, 3), np.uint8))

    with no_room(50_000), pytest.raises(BadInputError, match=r"old\.mp4: could not be written whole"):
        render()
    assert path.read_bytes() == OLD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit can be set")
def test_decks_settings_and_backups_are_whole_or_as_they_were(
    folder: Path,
) -> None:
    deck, settings = Deck("mine", "w", ("9S", "KH"), np.zeros((2, 4), np.float32)), folder / "settings.json"
    save_deck(deck, folder)
    save_settings(Settings(speak=True), settings)
    names = sorted(os.listdir(folder))
    with no_room():
        with pytest.raises(OSError, match=r"mine\.npz"):
            save_deck(Deck("mine", "w", ("2C",), np.ones((1, 4), np.float32)), folder)
        with pytest.raises(OSError, match=r"settings\.json"):
            save_settings(Settings(), settings)
    with no_room(SQLITES_OWN), pytest.raises(BadInputError, match=r"cannot be copied to new\.sqlite: "):
        back_up(Path("new.sqlite"), Path("s.sqlite"))
    assert load_deck("mine", folder).cards == ("9S", "KH")
    assert load_settings(settings).speak
    assert sorted(os.listdir(folder)) == names


def test_a_name_may_be_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250 + ".txt")
    write_whole(path, "cards")
    assert [found.read_text() for found in tmp_path.iterdir()] == ["cards"]


def test_a_link_stays_a_link_and_a_file_that_was_private_stays_private(tmp_path: Path) -> None:
    path, link = tmp_path / "real.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


@contextlib.contextmanager
def as_nobody() -> Iterator[Path]:
    """Yield a folder of somebody for whom permissions count, as they do not for root."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)


def test_a_write_protected_file_is_not_replaced() -> None:
    with as_nobody() as folder:
        path = folder / "k.toml"
        path.write_bytes(OLD)
        path.chmod(0o444)
        with pytest.raises(PermissionError) as failed:
            write_whole(path, "new")
        assert failed.value.filename == str(path)
        assert path.read_bytes() == OLD
        assert list(folder.iterdir()) == [path]


def test_event_lines_may_go_on_in_a_file_whose_folder_takes_no_new_ones() -> None:
    with as_nobody() as folder:
        path = folder / "e.jsonl"
        path.write_bytes(OLD)
        folder.chmod(0o555)
        check_outputs({"--events": path})
        with pytest.raises(BadInputError, match=r"--save .*e\.jsonl: Permission denied"):
            check_outputs({"--save": path})
        folder.chmod(0o755)


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no such devices")
def test_a_record_may_be_saved_to_a_device(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--save", "/dev/null"]) == 0
    assert not Path("/dev/null").is_file()
    assert capfd.readouterr().out == ""


def test_an_error_of_another_file_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as failed, whole_file(tmp_path / "out.txt"):
        (tmp_path / "input.txt").read_text()
    assert failed.value.filename == str(tmp_path / "input.txt")
    with pytest.raises(FileNotFoundError) as failed:
        write_whole(tmp_path / "none" / "out.txt", json.dumps({}))
    assert failed.value.filename == str(tmp_path / "none" / "out.txt")
