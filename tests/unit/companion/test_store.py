"""The store: nothing decided is lost, nothing damaged is overwritten."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companion.game.history import load_history
from companion.game.setup import GameSetup
from companion.store.rows import to_json
from companion.store.schema import SCHEMA_VERSION
from companion.store.store import CLOCK_SET_BACK_S, NEW_EVENING_AFTER_S, Store
from engine.errors import BadInputError
from tests.support.old_store import make_older

PLAYERS = ("Ann", "Bob")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "evenings.sqlite"


def test_a_game_comes_back_as_it_was_written(path: Path) -> None:
    line = {"id": 1, "event": "play", "player": "Ann", "cards": ["9S"], "says": "Ж \" '"}
    with Store.open(path) as store:
        game = store.start_game("winnersh", PLAYERS, options=("x",), dealer="Bob", source="a.mp4")
        store.append(line)
        store.correct(1, {**line, "cards": ["9D"]})
        store.correct(1, None)
        store.finish("Bob")
    with Store.open(path) as store:
        (found,) = store.games()
        assert (found.id, found.rules, found.options, found.players) == (game, "winnersh", ("x",), PLAYERS)
        assert (found.dealer, found.loser, found.source) == ("Bob", "Bob", "a.mp4")
        assert found.finished is not None
        assert store.events(game) == [line]
        assert store.corrections(game) == [(1, {**line, "cards": ["9D"]}), (1, None)]


def test_a_game_after_a_long_pause_begins_a_new_evening(path: Path) -> None:
    clock = Clock()
    with Store.open(path, clock=clock) as store:
        store.start_game("winnersh", PLAYERS)
        clock.now += NEW_EVENING_AFTER_S - 1
        store.append({"id": 1, "event": "draw"})  # still playing: the evening goes on from here
        clock.now += NEW_EVENING_AFTER_S - 1
        store.start_game("winnersh", PLAYERS)
        clock.now += NEW_EVENING_AFTER_S
        store.start_game("winnersh", PLAYERS)
        assert [game.evening for game in store.games()] == [1, 1, 2]
        assert [game.id for game in store.games(evening=2)] == [3]
        assert store.last_evening() == 2


def test_a_clock_that_is_set_back_does_not_break_the_evening_in_two(path: Path) -> None:
    clock = Clock()
    with Store.open(path, clock=clock) as store:
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "draw"})
        clock.now -= CLOCK_SET_BACK_S - 1
        store.append({"id": 2, "event": "draw"})
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "draw"})
        assert {game.evening for game in store.games()} == {1}
        assert [line["id"] for line in store.events(1)] == [1, 2]
        store.close()
        with Store.open(path, clock=clock) as again:
            game = again.resumable_game()
            assert game is not None
            assert game.id == 2


def test_a_game_that_was_broken_off_names_the_time_of_its_last_event(path: Path) -> None:
    clock = Clock()
    with Store.open(path, clock=clock) as store:
        store.start_game("winnersh", PLAYERS)
        clock.now += 1800
        store.append({"id": 1, "event": "draw"})
        last = clock.now
    clock.now += 60
    with Store.open(path, clock=clock) as store:
        game = store.resumable_game()
    assert game is not None
    assert (game.started, game.last_event) == (last - 1800, last)


def test_an_evening_of_a_wrong_clock_does_not_take_in_those_that_follow(path: Path) -> None:
    clock = Clock()
    clock.now += 365 * 24 * 3600  # somebody played with a clock a year ahead
    with Store.open(path, clock=clock) as store:
        store.start_game("winnersh", PLAYERS)
    clock.now -= 365 * 24 * 3600
    with Store.open(path, clock=clock) as store:
        store.start_game("winnersh", PLAYERS)
        assert [game.evening for game in store.games()] == [1, 2]


WRITER = """
import sys
from companion.store.store import Store
store = Store.open(sys.argv[1])
store.start_game("winnersh", ["Ann", "Bob"])
number = 0
while True:
    number += 1
    store.append({"id": number, "event": "draw", "player": "Ann"})
    print(number, flush=True)
"""


def test_killed_in_mid_game_no_decided_event_is_lost(path: Path) -> None:
    """SIGKILL gives no chance to tidy up: what was reported as written must be there afterwards."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(40):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    reported = 40 + sum(1 for line in writer.stdout if line.endswith("\n"))
    assert writer.wait() == -signal.SIGKILL
    with Store.open(path) as store:
        assert store.notice is None
        (game,) = store.games()
        assert game.finished is None
        numbers = [line["id"] for line in store.events(game.id)]
        # One more may be on disk than was reported: the kill fell between the write and the report.
        assert numbers == list(range(1, len(numbers) + 1))
        assert reported <= len(numbers) <= reported + 1
        store.resume_game(game.id)
        store.append({"id": len(numbers) + 1, "event": "draw"})
        assert len(store.events(game.id)) == len(numbers) + 1


def full_store(path: Path) -> bytes:
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        for number in range(40):
            store.append({"id": number, "event": "play", "cards": ["9S"], "filler": "x" * 1000})
    return path.read_bytes()


def torn(data: bytes) -> bytes:
    return data[: len(data) // 2 + 13]


def scribbled(data: bytes) -> bytes:
    return data[:8192] + b"\xa5" * 8192 + data[16384:]


def no_database(_: bytes) -> bytes:
    return b"SQLite format 3\0, and below it a shopping list\n" * 50


@pytest.mark.parametrize("damage", [torn, scribbled, no_database])
def test_a_damaged_file_is_set_aside_and_kept(path: Path, damage: Callable[[bytes], bytes]) -> None:
    damaged = damage(full_store(path))
    path.write_bytes(damaged)
    with Store.open(path) as store:
        assert store.notice is not None
        assert "\n" not in store.notice
        assert str(path) in store.notice
        saved = [line["id"] for game in store.games() for line in store.events(game.id)]
        assert saved == sorted(set(saved))
        assert len(saved) < 40
        assert ("that could still be read" in store.notice) == bool(saved)
        store.start_game("winnersh", PLAYERS)
    (aside,) = path.parent.glob("*.damaged-*.sqlite")
    assert aside.name in store.notice
    assert aside.read_bytes() == damaged


def test_two_damaged_files_in_one_second_are_both_kept(path: Path) -> None:
    for number in range(2):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"SQLite format 3\0 %d" % number * 100)
        Store.open(path).close()
        assert len(list(path.parent.glob("*.damaged-*.sqlite"))) == number + 1


def test_a_file_of_a_newer_program_is_left_alone(path: Path) -> None:
    full_store(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(BadInputError, match="newer version"):
        Store.open(path)
    assert path.read_bytes() == before
    assert list(path.parent.glob("*damaged*")) == []


def test_a_place_that_cannot_be_used_gives_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match=r"^the store .* cannot be used: [^\n]+$"):
        Store.open(tmp_path / "file" / "evenings.sqlite")
    with pytest.raises(BadInputError, match=r"^the store .* cannot be used: [^\n]+$"):
        Store.open(tmp_path)


def test_a_write_is_all_or_nothing(path: Path) -> None:
    with Store.open(path) as store:
        game = store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "draw"})
        with pytest.raises(TypeError):
            store.append({"id": 2, "cards": object()})
        store.append({"id": 3, "event": "draw"})
        assert [line["id"] for line in store.events(game)] == [1, 3]


def test_lines_are_plain_json_in_the_file(path: Path) -> None:
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append({"event": "draw"})
    with sqlite3.connect(path) as connection:
        (line,) = connection.execute("SELECT line FROM events").fetchone()
    connection.close()
    assert json.loads(line) == {"event": "draw"}


def test_without_a_running_game_nothing_is_written(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(RuntimeError, match="start_game"):
        store.append({"id": 1, "event": "draw"})


@pytest.mark.parametrize("place", [1, 2, 3])
def test_an_event_that_was_changed_on_the_disk_is_named_and_the_game_goes_on_without_it(
    place: int, path: Path
) -> None:
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        for number, card in enumerate(("4C", "5C", "6C"), start=1):
            store.append({"id": number, "event": "play", "player": "Ann", "cards": [card], "t": number})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE events SET line = replace(line, 'C\"', 'S\"') WHERE id = {place}")
    with Store.open(path) as store:
        lines = store.events(1)
        notice = str(store.notice)
    assert [line["id"] for line in lines] == [number for number in (1, 2, 3) if number != place]
    assert f"event {place} of game 1 was changed on the disk" in notice
    setup = GameSetup(source=None, players=PLAYERS, store=path, resume=1)
    history = load_history(setup)
    assert len(history.lines) == 2
    assert history.notice == notice


def test_an_event_that_was_moved_to_another_game_is_noticed(path: Path) -> None:
    with Store.open(path) as store:
        for _ in range(2):
            store.start_game("winnersh", PLAYERS)
            store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"]})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET game = 1 WHERE game = 2")
    with Store.open(path) as store:
        assert len(store.events(1)) == 1
        assert "event 2 of game 1" in str(store.notice)


def test_every_changed_byte_of_an_event_is_noticed(path: Path) -> None:
    line = {"id": 1, "event": "play", "player": "Zoë", "cards": ["4C", "10H"], "t": 1.5, "source": "hand"}
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append(line)
    with closing(sqlite3.connect(path)) as connection:
        (text,) = connection.execute("SELECT line FROM events").fetchone()
        raw = text.encode()
        for place in range(len(raw)):
            changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
            with connection:
                connection.execute("UPDATE events SET line = CAST(? AS TEXT)", (changed,))
            with Store.open_to_read(path) as store:
                assert store.events(1) == []
                assert store.notice


@pytest.mark.parametrize("to", [{"id": 2, "event": "play", "player": "Zoë", "cards": ["10H"]}, None])
def test_every_changed_byte_of_a_correction_is_noticed_and_the_correction_left_out(
    to: dict[str, Any] | None, path: Path
) -> None:
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        for line in (to, to):
            store.correct(2, line)
    with closing(sqlite3.connect(path)) as connection:
        for place in range(len(to_json(to).encode()) if to else 0):
            with connection:
                connection.execute("UPDATE corrections SET line = ? WHERE id = 2", (flipped(to, place),))
            with Store.open_to_read(path) as store:
                assert store.corrections(1) == [(2, to)]
                assert "correction 2 of game 1 was changed on the disk" in str(store.notice)
        with connection:
            connection.execute("UPDATE corrections SET line = ?, event = 3 WHERE id = 2", (None,))
    with Store.open_to_read(path) as store:
        assert store.corrections(1) == [(2, to)]
        assert "correction 2 of game 1" in str(store.notice)


def flipped(line: Any, place: int) -> str:
    raw = to_json(line).encode()
    return (raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]).decode("utf-8", "replace")


@pytest.mark.parametrize(
    "change",
    [
        "players = replace(players, 'Ann', 'Amn')",
        "rules = 'rulebook'",
        "dealer = 'Ann'",
        "loser = 'Ann'",
        "started = started + 1",
        "layout = '{}'",
        "rituals_done = '[]'",
    ],
)
def test_a_game_whose_row_was_changed_on_the_disk_is_named_whatever_is_written_later(
    change: str, path: Path
) -> None:
    with Store.open(path) as store:
        for _ in range(2):
            store.start_game("winnersh", PLAYERS, dealer="Bob")
            store.append({"id": 1, "event": "draw"})
            store.save_layout({"seats": []})
            store.finish("Bob")
            store.reopen()
            store.mark_ritual(store.game, "Bob", "Shithead", 1, done=True)
        assert [game.id for game in store.games()] == [1, 2]
        assert store.notice is None
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE games SET {change} WHERE id = 2")
    with Store.open(path) as store:
        store.resume_game(2)
        store.finish("Bob")
    with Store.open(path) as store:
        assert [game.id for game in store.games()] == [1, 2]
        assert "result of game 2 were changed on the disk" in str(store.notice)
        assert len(store.events(2)) == 1


def test_rows_of_an_older_version_are_read_without_a_checksum_and_sealed_when_they_change(path: Path) -> None:
    with Store.open(path) as store:
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"]})
        store.correct(1, None)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET checksum = NULL")
    make_older(path, 4)
    with Store.open(path) as store:
        assert [line["cards"] for line in store.events(1)] == [["4C"]]
        assert store.corrections(1) == [(1, None)]
        assert [game.players for game in store.games()] == [PLAYERS]
        assert store.notice is None
        store.resume_game(1)
        store.finish("Ann")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET loser = 'Bob'")
    with Store.open(path) as store:
        assert len(store.games()) == 1
        assert "game 1" in str(store.notice)
