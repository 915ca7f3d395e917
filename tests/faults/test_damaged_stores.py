"""Stores whose bytes are not what was written: said in a line, set aside, and what can be read taken over."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.starting import broken_off
from companion.store import Store
from engine.errors import BadInputError

PLAYERS = ("Ann", "Bob")
Filled = Callable[..., None]
Held = Callable[[Path], list[list[Any]]]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return data as a failing disk gives it back: some bytes, or a whole stretch, are others."""
    spoilt = bytearray(data)
    kind = rng.choice(("bytes", "stretch", "zeros", "cut"))
    start = rng.randrange(len(spoilt))
    if kind == "bytes":
        for _ in range(rng.choice((1, 1, 3, 30))):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
    elif kind == "cut":
        del spoilt[start:]
    else:
        size = min(rng.choice((16, 512, 4096)), len(spoilt) - start)
        spoilt[start : start + size] = bytes(size) if kind == "zeros" else rng.randbytes(size)
    return bytes(spoilt)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, filled: Filled) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "s.sqlite"
    filled(path)
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(int(os.environ.get("SHITHEAD_DAMAGES", "24"))))
def test_a_store_with_random_damage_is_said_in_a_line_and_nothing_readable_is_lost(
    seed: int, whole: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, spoilt = tmp_path / "s.sqlite", damaged(whole, random.Random(seed))
    path.write_bytes(spoilt)
    status = main(["tally", "--all", "--json", "--store", str(path)])
    told = capsys.readouterr()
    assert status in (0, 2)
    assert told.err.count("\n") == (1 if status == 2 else told.err.count("\n"))
    assert told.err.count("\n") <= 1
    assert "Traceback" not in told.err
    asides = list(tmp_path.glob("*.damaged-*.sqlite"))
    if status == 2:  # left as it is: a newer version's, to all appearance, or another program's
        assert path.read_bytes() == spoilt
        return
    if asides:
        assert asides[0].read_bytes() == spoilt, "what is set aside is never written to"
        assert "damaged" in told.err
    _, notice = broken_off(path)
    assert notice is None or "\n" not in notice
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "draw"})
        assert store.events(store.games()[-1].id) == [{"id": 1, "event": "draw"}]


def test_of_a_store_with_one_bad_page_nearly_everything_is_taken_over(
    whole: bytes, tmp_path: Path, held: Held
) -> None:
    path, lost = tmp_path / "s.sqlite", []
    pages = len(whole) // 4096
    for page in range(2, pages, 3):
        path.write_bytes(whole[: page * 4096] + bytes(4096) + whole[(page + 1) * 4096 :])
        lost.append(180 - sum(len(game) for game in held(path)))
        for file in tmp_path.iterdir():
            file.unlink()
    # A page holds about ten events. One in some dozens holds where the others are.
    assert sorted(lost)[len(lost) * 8 // 10] <= 12


@pytest.mark.parametrize("place", [0, 5, 16, 18, 21, 44, 56])
def test_damage_to_the_first_bytes_loses_nothing(
    place: int, whole: bytes, tmp_path: Path, held: Held
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
    assert held(path) == [list(range(1, 61))] * 3


def test_damage_to_the_log_beside_the_store_loses_no_more_than_what_it_held(
    tmp_path: Path, held: Held
) -> None:
    """As after a power cut: the file and its write-ahead log, the log damaged."""
    path = tmp_path / "s.sqlite"
    store = Store.open(path)
    store.start_game("winnersh", PLAYERS)
    for number in range(1, 41):
        store.append({"id": number, "event": "draw"})
    parts = {suffix: path.with_name(path.name + suffix).read_bytes() for suffix in ("", "-wal")}
    store.close()
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "s.sqlite").write_bytes(parts[""])
        (folder / "s.sqlite-wal").write_bytes(damaged(parts["-wal"], random.Random(seed)))
        for ids in held(folder / "s.sqlite"):
            assert ids == list(range(1, len(ids) + 1))


def test_a_store_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letters.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE letters (text)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(BadInputError, match="of another program"):
        Store.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET line = 'no line' WHERE id = 7",
        "UPDATE events SET line = x'ff00ff' WHERE id = 7",
        "UPDATE events SET written = 'yesterday'",
        "UPDATE games SET players = '{}' WHERE id = 1",
        "UPDATE games SET started = 'then'",
        "UPDATE games SET rules = 5 WHERE id = 2",
        "UPDATE games SET options = '[1]' WHERE id = 3",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -7",
    ],
)
def test_entries_that_make_no_sense_are_passed_over_and_said(
    change: str, whole: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(whole)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    assert main(["tally", "--all", "--json", "--store", str(path)]) == 0
    told = capsys.readouterr()
    assert told.err.count("\n") <= 1
    assert len(json.loads(told.out)["losers"]) >= 1
    broken_off(path)
