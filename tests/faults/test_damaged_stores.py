"""Stores whose bytes are not what was written: said in a line, set aside, and what can be read taken over."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.game.history import find_resumable_game, load_history
from companion.game.setup import GameSetup
from companion.game.starting import open_game
from companion.store.event_pictures import read_event_picture
from companion.store.store import Store
from engine.errors import BadInputError

PLAYERS = ("Ann", "Bob")
CHOICE = GameSetup(source=None, players=PLAYERS, dealer="Bob")
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
    _, notice = find_resumable_game(path)
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


def checkpoint(path: Path, how: str) -> None:
    """Have SQLite move what the write-ahead log holds into the file, as any program may."""
    with contextlib.closing(sqlite3.connect(path)) as other:
        busy, logged, moved = other.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
    assert (busy, logged) == (0, moved)


@pytest.mark.parametrize("torn", [0, 1, 5000])
def test_of_a_damaged_store_what_its_log_holds_is_read_too(torn: int, tmp_path: Path, held: Held) -> None:
    """As after a power cut: the file is damaged, and the end of its write-ahead log is torn."""
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy" / "s.sqlite"
    copy.parent.mkdir()
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        for number in range(1, 41):
            store.append({"id": number, "event": "draw", "filler": "x" * 300})
            if number == 20:
                checkpoint(path, "RESTART")
        log = path.with_name("s.sqlite-wal").read_bytes()
        copy.write_bytes(bytes(24) + path.read_bytes()[24:])
        copy.with_name("s.sqlite-wal").write_bytes(log[: len(log) - torn])
    ids = held(copy)[0]
    assert ids == list(range(1, len(ids) + 1))
    assert len(ids) >= (40 if not torn else 38)


@pytest.mark.parametrize("what", ["damaged", "restore"])
def test_killed_at_any_step_of_setting_a_store_aside_nothing_is_lost(what: str, tmp_path: Path) -> None:
    program = Path(__file__).with_name("killing_openings.py")
    run = [sys.executable, str(program), str(tmp_path), what]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


KILLED_AS_IT_READS = """
import os, signal, sys
import companion.store.recovery
from companion.cli.main import main
companion.store.recovery.parse_event_line = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main(["tally", "--store", sys.argv[1]])
"""


@pytest.mark.parametrize("then", ["tally", "erase", "erase everything"])
def test_a_program_killed_while_it_reads_a_damaged_store_leaves_no_copy_of_the_games(
    then: str, whole: bytes, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, passing = tmp_path / "s" / "s.sqlite", tmp_path / "passing"
    for folder in (path.parent, passing):
        folder.mkdir()
    path.write_bytes(bytes(24) + whole[24:])
    monkeypatch.setenv("TMPDIR", str(passing))
    killed = subprocess.run([sys.executable, "-c", KILLED_AS_IT_READS, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(passing.iterdir()) == []
    assert list(home.rglob("*.sqlite*")) == [], "it is read in memory"
    if then == "tally":
        assert main(["tally", "--store", str(path)]) == 0
    else:
        assert main(["erase", "--yes", *([] if "everything" in then else ["--store", str(path)])]) == 0
    assert [left for left in home.rglob("*") if left.is_file() and "log" not in left.name] == []
    assert path.exists() == (then != "erase")


def test_a_damaged_store_to_which_a_game_is_being_written_is_not_set_aside(
    whole: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as playing:
        playing.start_game("winnersh", PLAYERS)
        checkpoint(path, "TRUNCATE")  # what its log holds is not damaged
        spoilt = bytes(100) + path.read_bytes()[100:]
        path.write_bytes(spoilt)
        assert main(["tally", "--store", str(path)]) == 2
        error = capsys.readouterr().err
        assert error == f"shithead tally: the store {path} is damaged, and a game is being played in it\n"
        assert path.read_bytes() == spoilt
        assert list(tmp_path.glob("*.damaged-*")) == []


def test_programs_that_find_one_store_damaged_set_it_aside_once(
    whole: bytes, tmp_path: Path, held: Held
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(bytes(24) + whole[24:])
    code = "import sys; from companion.store.store import Store; Store.open(sys.argv[1]).close()"
    programs = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(3)]
    assert [program.wait() for program in programs] == [0, 0, 0]
    assert held(path) == [list(range(1, 61))] * 3
    assert len(list(tmp_path.iterdir())) == 2


def test_no_game_is_begun_in_a_file_that_was_set_aside_meanwhile(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(whole)
    with Store.open(path) as opened:
        path.write_bytes(bytes(24) + whole[24:])
        Store.open(path).close()
        with pytest.raises(BadInputError, match="was replaced by another program"):
            opened.resume_game(3)
        with pytest.raises(BadInputError, match="was replaced by another program"):
            opened.start_game("winnersh", PLAYERS)
    with Store.open(path) as store:
        assert len(store.games()) == 3


RULING = {
    "verdict": "legal",
    "breaches": [{"rule": "x", "cite": "y", "quote": "z", "says": "no"}],
    "effects": {"burn": False, "left": [], "rituals": ["Sing"], "picks_up": "Ann", "next": "Bob"},
    "notes": [],
}


def altered(**fields: Any) -> dict[str, Any]:
    line = {"id": 7, "event": "play", "player": "Ann", "cards": ["9S"], "decided_at": 2.0, "ruling": RULING}
    return {**line, **fields}


@pytest.mark.parametrize(
    "line",
    [
        altered(ruling={**RULING, "verdict": "legbl"}),
        altered(ruling={**RULING, "effects": [1]}),
        altered(ruling={**RULING, "effects": {"rituals": 5}}),
        altered(ruling={**RULING, "effects": {"left": [{}]}}),
        altered(ruling={**RULING, "breaches": ["x"]}),
        altered(ruling={**RULING, "breaches": 3}),
        altered(ruling={**RULING, "notes": [[]]}),
        altered(ruling="legal"),
        altered(id=[7]),
        altered(id=None),
        altered(decided_at="soon"),
        altered(revise={}),
        altered(event="plby"),
        altered(cards=["9Q"]),
        altered(player="\\ud800"),
    ],
)
def test_an_entry_with_one_damaged_field_is_passed_over_and_the_rest_of_the_game_goes_on(
    line: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS, dealer="Bob")
        store.append(altered(id=1), altered(), altered(id=8))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        text = json.dumps(line).replace("\\\\", "\\")
        # As an older version wrote it: without a checksum, by which a change would be noticed before.
        connection.execute("UPDATE events SET line = ?, checksum = NULL WHERE id = 2", (text,))
        connection.commit()
    history = load_history(replace(CHOICE, store=path, resume=1))
    assert [kept["id"] for kept in history.lines] == [1, 8]
    assert history.notice == f"the store {path} holds entries that cannot be read"
    assert history.watched_until == 2.0
    assert [kept["id"] for kept in open_game(replace(CHOICE, store=path, resume=1), history).lines] == [1, 8]
    assert main(["tally", "--all", "--store", str(path)]) == 0


@pytest.mark.parametrize("started", [-1e300, -1.0, 9e9, 1e300, float("inf"), "then", None])
def test_a_game_without_a_time_that_a_calendar_knows_is_still_a_game(started: Any, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "draw"})
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        with contextlib.suppress(sqlite3.IntegrityError):  # SQLite itself refuses that there be none
            connection.execute("UPDATE games SET started = ?", (started,))
        connection.commit()
    game, _ = find_resumable_game(path)
    assert game is not None
    assert time.localtime(game.started).tm_year >= 1970


@pytest.mark.parametrize(
    "layout", ["{}", '{"seats": [], "width": 1}', '{"seats": 7}', '{"to_table": [NaN]}', "[]", "no"]
)
def test_a_game_whose_kept_places_are_damaged_goes_on_and_they_are_looked_for_anew(
    layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: None)
    monkeypatch.setattr(
        "vision.enrolment.automatic_deck.reader_with_automatic_deck", lambda **_: (object(), None)
    )
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS, dealer="Bob", source="0")
        store.append({"id": 1, "event": "deal", "up": {"Ann": ["4C"], "Bob": ["5C"]}})
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE games SET layout = ?", (layout,))
        connection.commit()
    setup = replace(CHOICE, source="0", store=path, resume=1)
    game = open_game(setup, load_history(setup))
    assert [line["id"] for line in game.lines] == [1]
    assert game.layout is None


def test_a_kept_picture_that_is_damaged_is_a_picture_all_the_same_or_none(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8)
    sound = cv2.imencode(".jpg", noise)[1].tobytes()
    for seed in range(40):
        (tmp_path / "1.jpg").write_bytes(damaged(sound, random.Random(seed)))
        jpeg = read_event_picture(tmp_path, 1)
        assert jpeg is None or (jpeg[:2], jpeg[-2:]) == (b"\xff\xd8", b"\xff\xd9")
    (tmp_path / "1.jpg").write_bytes(b"")
    assert read_event_picture(tmp_path, 1) is None
    (tmp_path / "1.jpg").write_bytes(sound)
    assert read_event_picture(tmp_path, 1) is not None


def test_a_store_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letters.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE letters (text)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(BadInputError, match="belongs to another program"):
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
        "UPDATE games SET rituals_done = '[{\"player\":7}]' WHERE id = 1",
        "UPDATE games SET rituals_done = x'ff00ff' WHERE id = 1",
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
    find_resumable_game(path)
