"""Half a film shows people, half a backup holds games: of a killed program they go by `erase`, and before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import pytest

from companion.cli.main import main
from companion.files.incomplete import incomplete_files, notes_folder, remove_incomplete_files, tracked_file
from tests.faults.conftest import PictureServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signals or locks")

PATIENCE_S = 60.0
DIGITS = "0123456789ab"
HALF = f".game.{DIGITS}.part.mp4"


@contextmanager
def watching(server: PictureServer, film: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A program that has begun to write a film, and is killed at the end."""
    arguments = ["watch", f"{server.address}/video", "--headless", "--no-learn", "--save", str(film)]
    with subprocess.Popen([sys.executable, "-m", "companion.cli", *arguments], env=env) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not any(part.stat().st_size for part in halves(film.parent)):
                assert process.poll() is None, "it has ended"
                assert time.monotonic() < deadline, "no film was begun"
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


def halves(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.part.mp4"))


def noted(said: bytes, digits: str = DIGITS) -> Path:
    """What a killed program leaves of a note: no lock is held any more."""
    note = notes_folder() / f"{digits}.note"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(said)
    return note


@pytest.mark.parametrize("next_command", [["watch", "no-such-film.mp4"], ["erase", "--yes"]])
def test_what_a_killed_program_left_half_written_goes(
    server: PictureServer,
    tmp_path: Path,
    as_program: dict[str, str],
    next_command: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    film = tmp_path / "game.mp4"
    film.write_bytes(b"an older film")
    with watching(server, film, as_program):
        pass
    (half,) = halves(tmp_path)
    main(next_command)
    assert list(tmp_path.iterdir()) == [film]
    assert film.read_bytes() == b"an older film"
    assert list(notes_folder().parent.rglob("*.note")) == []
    assert (str(half) in capfd.readouterr().out) == (next_command[0] == "erase"), "erase says what it takes"


def test_a_film_that_is_being_written_stays_whoever_starts_or_erases(
    server: PictureServer, tmp_path: Path, as_program: dict[str, str]
) -> None:
    film = tmp_path / "game.mp4"
    with watching(server, film, as_program) as process:
        before = halves(tmp_path)
        assert main(["watch", "no-such-film.mp4"]) == 2
        assert main(["erase", "--yes"]) == 0
        assert halves(tmp_path) == before != []
        assert len(list(notes_folder().glob("*.note"))) == 1, "if it is killed, the half film is still known"
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
    assert list(tmp_path.iterdir()) == [film]
    assert cv2.VideoCapture(str(film)).read()[0]
    assert list(notes_folder().iterdir()) == []


KILLED_IN_A_BACKUP = """
import os, signal, sqlite3, sys
from companion.cli.main import main
from companion.store import store as keeping
from companion.store.store import Store

with Store.open(None) as store:
    store.start_game("winnersh", ["Ann", "Bob"])

def copy_until_killed(rows, target, source, called):
    with sqlite3.connect(target, isolation_level=None) as half:
        half.execute("CREATE TABLE begun (x)")
        half.execute("BEGIN")
        half.execute("INSERT INTO begun VALUES (1)")
        os.kill(os.getpid(), signal.SIGKILL)

keeping.write_copy = copy_until_killed
main(["backup", sys.argv[1]])
"""


@pytest.mark.parametrize(
    "next_command", [["watch", "no-such-film.mp4"], ["backup", "again.sqlite"], ["erase", "--yes"]]
)
def test_what_a_killed_backup_left_goes_with_what_sqlite_put_beside_it(
    next_command: list[str], tmp_path: Path, as_program: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_A_BACKUP, str(folder / "copy.sqlite")], env=as_program, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    half = sorted(path.name.rpartition(".part")[2] for path in folder.iterdir())
    assert half == [".sqlite", ".sqlite-journal"]
    monkeypatch.chdir(tmp_path)
    main(next_command)
    assert list(folder.iterdir()) == []
    assert list(notes_folder().parent.rglob("*.note")) == []


@pytest.mark.parametrize(
    "begun", ["letters.txt", ".letters.txt", f".game.{'9' * 12}.part.mp4", f".game.{DIGITS}.mp4"]
)
def test_a_note_takes_nothing_but_the_half_film_of_its_own_digits(begun: str, tmp_path: Path) -> None:
    mine = tmp_path / begun
    mine.write_text("mine")
    noted(os.fsencode(mine))
    assert incomplete_files() == []
    remove_incomplete_files()
    assert main(["erase", "--yes"]) == 0
    assert mine.read_text() == "mine"


def test_a_note_takes_no_link_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / HALF).symlink_to(tmp_path / "mine")
    folder = tmp_path / ".game.aaaaaaaaaaaa.part.mp4"
    folder.mkdir()
    noted(os.fsencode(tmp_path / HALF))
    noted(os.fsencode(folder), "a" * 12)
    remove_incomplete_files()
    assert (tmp_path / HALF).is_symlink()
    assert folder.is_dir()
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\xff\xfe\x00",
        HALF.encode(),
        b"/a\0b/" + HALF.encode(),
        b"/" + b"x" * 300 + b"/" + HALF.encode(),
        bytes(1 << 20),
    ],
    ids=["empty", "no text", "no folder", "a zero byte", "too long a name", "a megabyte"],
)
def test_a_damaged_note_counts_for_nothing(
    said: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / HALF).write_text("nobody's")
    noted(said)
    (notes_folder() / "folder.note").mkdir()
    os.mkfifo(notes_folder() / "pipe.note")
    remove_incomplete_files()
    assert main(["erase", "--yes"]) == 0
    assert (tmp_path / HALF).exists()
    assert not list(notes_folder().glob(f"{DIGITS}.*")), "nor does it stay"


def test_a_half_film_on_a_disk_that_is_not_there_stays_noted(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    note = noted(os.fsencode(disk / HALF))
    remove_incomplete_files()
    assert note.exists()
    disk.mkdir()
    (disk / HALF).touch()
    remove_incomplete_files()
    assert list(disk.iterdir()) == []
    assert not note.exists()


def test_a_half_film_that_cannot_be_removed_is_named_after_all_else_is_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    half = tmp_path / HALF
    half.touch()
    noted(os.fsencode(half))
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == half:
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    remove_incomplete_files()
    assert incomplete_files() == [half], "it stays noted"
    assert main(["erase", "--yes"]) == 2
    assert f"{half}: Permission denied" in capfd.readouterr().err
    assert not notes_folder().parent.exists()


def test_where_nothing_can_be_noted_the_film_is_written_all_the_same(tmp_path: Path) -> None:
    notes_folder().parent.mkdir(parents=True)
    notes_folder().write_text("no folder")
    with tracked_file(tmp_path / "game.mp4") as part:
        part.write_bytes(b"film")
    assert (tmp_path / "game.mp4").read_bytes() == b"film"


def test_a_device_is_written_to_without_a_note(tmp_path: Path) -> None:
    with tracked_file(Path(os.devnull)) as part:
        assert part == Path(os.devnull)
        assert not notes_folder().exists()
