"""An evening by touch alone, in the real window, through kills.

Here a short one; the twelve games of `tests/benchmarks/test_whole_evening.py` are the same.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from companion.cli import main
from companion.evening import last_word
from companion.store import Store

DRIVER = Path(__file__).parent / "drive_evening.py"
LOSERS = ("Bob", "Ann", "Bob", "Cat", "Bob", "Dan", "Dan", "Ann", "Bob", "Cat", "Ann", "Bob")
"""As `drive_evening.py` plays them."""


def play(store: Path, games: int, *stop_at: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(DRIVER), str(store), str(games), *stop_at],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "LANG": "C"},
        capture_output=True,
        text=True,
        timeout=1500,  # only against a process that hangs
        check=False,
    )


def play_an_evening(path: Path, games: int, kills: tuple[tuple[str, str], ...]) -> list[str]:
    """Play on after each kill; returns what the ledger says in the end."""
    for stop_at in kills:
        killed = play(path, games, *stop_at)
        if "no window can be opened" in killed.stderr:
            pytest.skip("no OpenGL here")
        assert killed.returncode == -signal.SIGKILL, killed.stderr[-3000:]
    done = play(path, games)
    assert done.returncode == 0, done.stderr[-3000:]
    ledger: list[str] = json.loads(done.stdout.splitlines()[-1])["ledger"]
    return ledger


def check_store(path: Path, games: int) -> None:
    """Nothing was lost, and nothing was written twice."""
    with Store.open(path) as store:
        assert store.notice is None
        stored = store.games()
        assert [game.loser for game in stored] == list(LOSERS[:games])
        assert len({game.evening for game in stored}) == 1
        for game in stored:
            lines = last_word(store.events(game.id))
            entered = [(line["event"], line["player"]) for line in lines if line.get("by") == "hand"]
            assert entered[0] == ("play", "Ann")
            assert len(set(entered)) == len(entered) == 4
            assert game.loser not in {player for event, player in entered if event == "out"}


def test_games_by_touch_are_tallied_right_through_two_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed in mid-game after a play, and at the very end of a game."""
    path = tmp_path / "s.sqlite"
    ledger = play_an_evening(path, 3, (("0", "played"), ("1", "over")))
    assert any("3 games played. The Shithead is Bob." in text for text in ledger)
    check_store(path, 3)
    assert main(["tally", "--store", str(path), "--json"]) == 0
    tally = json.loads(capsys.readouterr().out)
    losses = {standing["player"]: standing["losses"] for standing in tally["players"]}
    assert losses == {**dict.fromkeys(("Ann", "Bob", "Cat", "Dan"), 0), **Counter(LOSERS[:3])}
