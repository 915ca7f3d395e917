"""A store that is only read is neither begun nor set aside, and a file that never was one stays as it is."""

from __future__ import annotations

import functools
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import companion
from companion.cli.doctor import check_store
from companion.cli.main import main
from companion.game.history import find_last_finished, find_resumable_game
from companion.store.damage import was_database
from companion.store.store import Store, default_path
from engine.errors import BadInputError
from tests.support.old_store import make_older

FILM = Path(companion.__file__).parent / "assets" / "sample.mp4"
STRANGE = {
    "a letter": b"Dear Ann,\n\nthe cards are on the table.\n" * 400,
    "one line": b"milk, eggs",
    "event lines": b'{"id": 1, "event": "draw", "player": "Ann"}\n' * 900,
    "a film": FILM.read_bytes()[: 1 << 19],
    "noise": random.Random(4).randbytes(1 << 18),
    "line feeds": b"\n" * 20_000,
    "UTF-16": ("\na a" * 9000).encode("utf-16-le"),
}


def filled(path: Path) -> bytes:
    path.write_bytes(_filled())
    return _filled()


@functools.cache
def _filled() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "filled.sqlite"
        with Store.open(path) as store:
            for loser in ("Ann", "Bob"):
                store.start_game("winnersh", ["Ann", "Bob"])
                for number in range(1, 30):
                    store.append({"id": number, "event": "draw", "player": "Ann", "filler": "x" * 400})
                store.finish(loser)
        return path.read_bytes()


def begun_anew(_: bytes) -> bytes:
    return b""


def without_its_first_page(data: bytes) -> bytes:
    return bytes(4096) + data[4096:]


def with_a_bad_header(data: bytes) -> bytes:
    return b"QSLite" + data[6:]


def zeros(data: bytes) -> bytes:
    return bytes(len(data))


def cut_off(data: bytes) -> bytes:
    return data[:11]


def torn(data: bytes) -> bytes:
    return random.Random(1).randbytes(5000) + data[5000:20_000]


DAMAGES = [begun_anew, without_its_first_page, with_a_bad_header, zeros, cut_off, torn]


@pytest.mark.parametrize("command", ["tally", "watch", "backup", "restore", "erase", "resume"])
@pytest.mark.parametrize("kind", list(STRANGE))
def test_a_file_that_never_was_a_store_is_named_in_a_line_and_left_as_it_is(
    command: str, kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "notes.txt", tmp_path / "copy.sqlite"
    path.write_bytes(STRANGE[kind])
    filled(copy)
    lines = {
        "tally": ["tally", "--store", str(path)],
        "watch": ["watch", str(FILM), "--headless", "--players", "Ann,Bob", "--store", str(path)],
        "resume": ["watch", str(FILM), "--headless", "--resume", "--store", str(path)],
        "backup": ["backup", str(tmp_path / "new.sqlite"), "--store", str(path)],
        "restore": ["restore", str(copy), "--store", str(path)],
        "erase": ["erase", "--yes", "--store", str(path)],
    }
    assert main(lines[command]) == 2
    told = capfd.readouterr()
    said = [line for line in (told.out + told.err).splitlines() if "not a store of this program" in line]
    assert len(said) == 1
    assert str(path) in said[0]
    assert told.err.count("\n") <= 1
    assert not check_store(path).works
    assert path.read_bytes() == STRANGE[kind]
    assert sorted(tmp_path.iterdir()) == [copy, path]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_read_where_it_lies_and_set_aside_once_it_is_written(
    damage: Callable[[bytes], bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(damage(filled(tmp_path / "whole.sqlite")))
    (tmp_path / "whole.sqlite").unlink()
    before = path.read_bytes()
    assert main(["tally", "--all", "--store", str(path)]) == 0
    told = capsys.readouterr()
    assert ("is damaged; only part of it can be read" in told.err) == bool(before)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with Store.open(path) as store:
        assert bool(store.notice) == bool(before)
        read = len(store.games())
    if before:
        (aside,) = tmp_path.glob("s.damaged-*.sqlite")
        assert aside.read_bytes() == before
    assert ("Ann" in told.out) == bool(read)


def test_at_the_programs_own_place_whatever_lies_there_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    default_path().parent.mkdir()
    default_path().write_bytes(STRANGE["a letter"])
    with Store.open() as store:
        assert "set aside" in (store.notice or "")
        aside = default_path().with_name((store.notice or "").split("set aside as ")[1].split()[0])
    assert aside.read_bytes() == STRANGE["a letter"]


def test_reading_a_store_that_is_not_there_begins_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    path = tmp_path / "typo" / "deep" / "x.sqlite"
    assert main(["tally", "--store", str(path)]) == 2
    assert capsys.readouterr().err == f"shithead tally: {path}: no such file\n"
    assert main(["tally"]) == 0
    assert "No game has been played yet" in capsys.readouterr().out
    assert main(["watch", str(FILM), "--headless", "--resume", "--store", str(path)]) == 2
    assert find_resumable_game(path) == find_resumable_game(None) == (None, None)
    assert find_last_finished(path) is None
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == []
    assert not path.parent.parent.exists()


def test_what_is_read_is_the_store_as_it_is_now_and_cannot_be_written_to(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as playing:
        playing.start_game("winnersh", ["Ann", "Bob"])
        playing.append({"id": 1, "event": "draw"})  # lies in the write-ahead log
        with Store.open_to_read(path) as read:
            assert read.events(1) == [{"id": 1, "event": "draw"}]
            with pytest.raises(BadInputError, match="cannot be written"):
                read.start_game("winnersh", ["Cat", "Dan"])
        playing.append({"id": 2, "event": "draw"})
    with Store.open_to_read(path) as read:
        assert len(read.events(1)) == 2


def test_a_store_of_an_older_version_is_read_and_stays_of_that_version(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    filled(path)
    make_older(path, 1)
    with Store.open_to_read(path) as store:
        assert [game.loser for game in store.games()] == ["Ann", "Bob"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


def test_what_is_left_of_a_store_is_told_from_everything_else(tmp_path: Path) -> None:
    path, whole = tmp_path / "x", filled(tmp_path / "s.sqlite")
    for damage in DAMAGES:
        path.write_bytes(damage(whole))
        assert was_database(path), damage.__name__
    for kind, data in STRANGE.items():
        path.write_bytes(data)
        assert not was_database(path), kind
