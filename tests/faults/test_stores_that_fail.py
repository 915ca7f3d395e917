"""Full, read-only, locked and damaged: what was decided is kept, or goes on being held until it can be."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from companion.cli.event_writer import EventWriter
from companion.cli.main import main
from companion.cli.recording import RecordedGames
from companion.game.evening import apply_revisions
from companion.game.history import find_resumable_game
from companion.game.recorder import GameRecorder
from companion.game.refereeing import WatchedGame
from companion.game.session import Session
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.store import opening, outbox, schema
from companion.store.outbox import Outbox
from companion.store.store import Store
from engine.errors import BadInputError
from engine.events import Event
from tests.faults.conftest import Disk
from tests.support.waiting import until

PLAYERS = ("Ann", "Bob")
Filled = Callable[..., None]
Held = Callable[[Path], list[list[Any]]]


def requests_done(count: int, session: Session) -> Callable[[], bool]:
    return lambda: session.snapshot.requests_done == count


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The connections of stores that were opened to be written, the newest last."""
    opened: list[sqlite3.Connection] = []

    def connect_and_note(path: Path) -> sqlite3.Connection:
        opened.append(schema.connect(path))
        return opened[-1]

    monkeypatch.setattr(opening, "connect", connect_and_note)
    return opened


def one_line(text: str) -> bool:
    return text.count("\n") == 1 and "Traceback" not in text


# --- a disk that is full ------------------------------------------------------------------------------


def test_while_the_disk_is_full_the_game_goes_on_and_is_kept_afterwards(
    small_disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "RETRY_S", 0.05)
    path = small_disk.path / "s.sqlite"
    session = make_session(GameSetup(source=None, players=PLAYERS, dealer="Bob", store=path))
    session.start()
    until(lambda: session.snapshot.phase == "watching")
    session.enter(Event(id=0, event="play", player="Ann", cards=("9S",), source="hand"))
    until(requests_done(1, session))
    filler = small_disk.fill()
    said: set[str] = set()
    for count in range(1, 40):
        session.enter(Event(id=0, event="pick_up", player=PLAYERS[count % 2]))
        until(requests_done(count + 1, session))
        said.add(session.snapshot.says)
    assert any("disk is full" in line and "goes on" in line for line in said)
    assert all("\n" not in line for line in said)
    filler.unlink()
    until(lambda: session.snapshot.says == "the game is being stored again")
    session.undo()
    until(lambda: session.snapshot.says.startswith("Undone"))
    session.stop()
    with Store.open(path) as store:
        assert store.notice is None
        kept = sorted(line["id"] for line in apply_revisions(store.events(1)))
    assert kept == sorted(line["id"] for line in session.snapshot.lines)


WITH_SMALL_FILES = """
import json, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
from companion.store.outbox import Outbox
from companion.store.store import Store
said = []
box = Outbox(Store.open(sys.argv[1]), said.append, clock=iter(range(0, 10**6, 100)).__next__)
box.put(lambda store: store.start_game("winnersh", ["Ann", "Bob"]))
for number in range(1, 301):
    line = {"id": number, "event": "draw", "filler": "x" * 2000}
    box.put(lambda store, line=line: store.append(line))
waiting = box.waiting
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
box.close()
print(json.dumps([waiting, said]))
"""


def test_files_that_may_not_grow_are_as_a_full_disk(tmp_path: Path, held: Held) -> None:
    """The limit on a process's files stands in for the disk where nobody may make a small one."""
    path = tmp_path / "s.sqlite"
    run = [sys.executable, "-c", WITH_SMALL_FILES, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    waiting, said = json.loads(done.stdout)
    assert waiting > 10
    assert len(said) == 2
    assert "the game goes on" in said[0]
    assert held(path) == [list(range(1, 301))]


def test_what_cannot_be_kept_to_the_end_is_one_line(
    small_disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = GameRecorder(Store.open(small_disk.path / "s.sqlite"), GameSetup("film.mp4", ()))
    small_disk.fill()
    events = tmp_path / "events.jsonl"

    class Game:
        table, layout, lines = type("Table", (), {"players": PLAYERS}), None, ()

        def feed(self, frame: Any, t: float) -> list[dict[str, Any]]:
            return [{"id": 1, "event": "draw", "player": "Ann", "t": t}]

    game = RecordedGames(cast(WatchedGame, Game()), EventWriter(str(events)), None, recorder)
    game.feed(np.zeros((4, 4, 3), np.uint8), 1.0)
    with pytest.raises(BadInputError, match=r"disk.*; the last 2 entries were not stored$"):
        game.close()
    assert json.loads(events.read_text())["id"] == 1, "the lines were written, whatever becomes of the store"


@pytest.mark.parametrize(
    "arguments",
    [
        ["tally", "--all"],
        ["rules", "--compare", "winnersh", "shed"],
        ["simulate", "--seed", "1"],
        ["judge", "{situation}"],
        ["tally", "--json", "--png", "{folder}/tally.png"],
    ],
)
def test_output_that_cannot_be_written_is_one_line(
    arguments: list[str], tmp_path: Path, as_program: dict[str, str]
) -> None:
    """/dev/full is a disk that is always full."""
    situation = tmp_path / "situation.json"
    situation.write_text('{"players": ["A", "B"], "action": {"type": "draw", "player": "A"}}')
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "companion.cli",
                *(a.format(situation=situation, folder=tmp_path) for a in arguments),
            ],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=as_program,
            check=False,
        )
    assert done.returncode == 2, done.stderr
    assert one_line(done.stderr), done.stderr


# --- a disk that is read-only, a store that is locked -------------------------------------------------


def test_a_sound_store_on_a_read_only_disk_is_read_and_copied(
    small_disk: Disk, tmp_path: Path, capsys: pytest.CaptureFixture[str], held: Held, filled: Filled
) -> None:
    path, copy, again = small_disk.path / "s.sqlite", tmp_path / "copy.sqlite", tmp_path / "again.sqlite"
    filled(path, 5, 2)
    assert small_disk.mount("remount", "ro")
    assert main(["tally", "--csv", "--store", str(path)]) == 0
    assert main(["backup", str(copy), "--store", str(path)]) == 0
    assert main(["restore", str(path), "--store", str(again)]) == 0
    said = capsys.readouterr()
    assert "Bob,1,1,1" in said.out
    assert said.err == ""
    assert held(copy) == held(again) == [[1, 2, 3, 4, 5]] * 2


def test_of_a_store_on_a_read_only_disk_no_entry_is_passed_over_in_silence(
    small_disk: Disk, capsys: pytest.CaptureFixture[str], held: Held, filled: Filled
) -> None:
    """A killed program leaves entries beside the file, which SQLite cannot take in there."""
    path = small_disk.path / "s.sqlite"
    filled(path, 5, 1)
    log = small_disk.path / "s.sqlite-wal"
    log.write_bytes(b"of a killed program")
    assert small_disk.mount("remount", "ro")
    assert main(["tally", "--store", str(path)]) == 2
    error = capsys.readouterr().err
    assert one_line(error)
    assert "read-only disk, and its last entries are still in s.sqlite-wal" in error
    assert small_disk.mount("remount", "rw")
    log.unlink()
    assert held(path) == [[1, 2, 3, 4, 5]]


def test_a_store_on_a_read_only_disk_that_is_to_be_written_is_one_line(
    small_disk: Disk, capsys: pytest.CaptureFixture[str], filled: Filled
) -> None:
    path = small_disk.path / "s.sqlite"
    filled(path, 5, 1)
    assert small_disk.mount("remount", "ro")
    for store in (path, small_disk.path / "new" / "s.sqlite"):
        assert main(["watch", "film.mp4", "--store", str(store), "--headless"]) == 2
        error = capsys.readouterr().err
        assert one_line(error)
        assert f"the store {store} cannot be used" in error
        assert "read-only" in error.lower()
    game, notice = find_resumable_game(path)
    assert game is None
    assert "read-only" in str(notice)


def test_a_disk_that_becomes_read_only_in_mid_game_does_not_end_it(
    small_disk: Disk, held: Held, connections: list[sqlite3.Connection]
) -> None:
    said: list[str] = []
    box = Outbox(Store.open(small_disk.path / "s.sqlite"), said.append)
    box.put(lambda store: store.start_game("winnersh", PLAYERS))
    box.put(lambda store: store.append({"id": 1, "event": "draw"}))
    # A file that is open for writing keeps a disk from being remounted: SQLite is told so instead.
    (connection,) = connections
    connection.execute("PRAGMA query_only = ON")
    box.put(lambda store: store.append({"id": 2, "event": "draw"}))
    assert "readonly" in said[0]
    connection.execute("PRAGMA query_only = OFF")
    box.close()
    assert held(small_disk.path / "s.sqlite") == [[1, 2]]


def test_a_user_without_a_writable_folder_gets_one_line(small_disk: Disk, as_program: dict[str, str]) -> None:
    assert small_disk.mount("remount", "ro")
    kinds = ("DATA", "CONFIG", "CACHE", "STATE")
    nowhere = {f"XDG_{kind}_HOME": str(small_disk.path / kind.lower()) for kind in kinds}
    kept = ["watch", "none.mp4", "--headless", "--store"]
    for arguments, status in ((["tally"], 0), (["rules"], 0), (kept[:-1], 2), (kept, 2)):
        done = subprocess.run(
            [sys.executable, "-m", "companion.cli", *arguments],
            capture_output=True,
            text=True,
            env=as_program | nowhere,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert done.stderr.count("\n") == (1 if status else 0)


def test_a_log_that_cannot_be_written_prints_nothing_of_its_own(
    home: Path, as_program: dict[str, str]
) -> None:
    """The log's place is taken by a folder; a mistake of the program is then one line all the same."""
    code = (
        "import sys; from companion.cli.main import main; from companion.files import logs;"
        "logs.log_path().mkdir(parents=True);"
        "from companion.cli import rules; rules.run = lambda _: 1 / 0; sys.exit(main(['rules']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=as_program, check=False
    )
    assert done.returncode == 1
    assert one_line(done.stderr), done.stderr
    assert "ZeroDivisionError" in done.stderr


HOLDER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another program hold the store."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        yield holder
    finally:
        holder.communicate("")


def test_a_store_that_another_program_holds_delays_the_keeping_and_not_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: Held, connections: list[sqlite3.Connection]
) -> None:
    monkeypatch.setattr(outbox, "RETRY_S", 0.1)
    path = tmp_path / "s.sqlite"
    session = make_session(GameSetup(source=None, players=PLAYERS, dealer="Bob", store=path))
    session.start()
    until(lambda: session.snapshot.phase == "watching")
    connections[-1].execute("PRAGMA busy_timeout = 50")
    with locked(path):
        for count in range(5):
            session.enter(Event(id=0, event="pick_up", player="Ann"))
            until(requests_done(count + 1, session))
        until(lambda: "database is locked; the game goes on" in session.snapshot.says)
        assert held(path) == [[]]
    until(lambda: session.snapshot.says == "the game is being stored again")
    session.stop()
    assert held(path) == [[line["id"] for line in session.snapshot.lines]]


# --- two programs on one store ------------------------------------------------------------------------


def test_a_store_that_another_program_is_just_beginning_is_waited_for(tmp_path: Path) -> None:
    """To turn a new file to WAL, SQLite reads it first, and then does not wait for who is writing to it."""
    path = tmp_path / "s.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, other.close)
    done.start()
    with Store.open(path) as store:
        assert store.start_game("winnersh", PLAYERS) == 1
    done.join()


WRITER = """
import sys
from companion.store.store import Store
with Store.open(sys.argv[1]) as store:
    store.start_game("winnersh", ["Ann", sys.argv[2]])
    sys.stdin.readline()
    for number in range(1, 81):
        store.append({"id": number, "event": "draw", "player": sys.argv[2]})
    print("done", flush=True)
    sys.stdin.readline()
"""


def writers(path: Path, names: tuple[str, ...]) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]


def test_two_programs_on_one_store_keep_a_game_each_and_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    both = writers(path, ("Bob", "Cat"))
    for one in both:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "done\n"
    # Both still run: neither game was broken off, and neither may be written to by anybody else.
    assert find_resumable_game(path) == (None, None)
    with Store.open(path) as store, pytest.raises(BadInputError, match="being played in another window"):
        store.resume_game(1)
    assert main(["erase", "--yes", "--store", str(path)]) == 2
    assert "a game is being played" in capsys.readouterr().err
    both[1].kill()
    both[0].communicate("end\n")
    both[1].wait()
    with Store.open(path) as store:
        games = store.games()
        for game in games:
            lines = store.events(game.id)
            assert [line["id"] for line in lines] == list(range(1, 81))
            assert {line["player"] for line in lines} == {game.players[1]}
        found = store.resumable_game()
    assert sorted(game.players[1] for game in games) == ["Bob", "Cat"]
    assert found is not None
    assert found.id == 2, "once its program is gone, a game may go on"
    assert list(tmp_path.glob("*.lock")) == []
