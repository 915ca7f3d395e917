"""An evening by touch alone, in the real window, through kills.

Here a short one, one game of it played out; `tests/benchmarks/test_whole_evening.py` plays all twelve.
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

from companion.cli.main import main
from companion.game.evening import apply_revisions
from companion.game.ruling_views import is_inferred
from companion.store.store import Store
from tests.support.planned_evening import EVENING, LOSERS, PLAYERS
from tests.support.touched import illegal, touches

DRIVER = Path(__file__).parent / "drive_evening.py"


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
        for game, planned in zip(stored, EVENING, strict=False):
            lines = [dict(line) for line in apply_revisions(store.events(game.id))]
            by_hand = [line for line in lines if line.get("by") == "hand"]
            assert game.players == planned.players
            if planned.seed is None:
                entered = [(line["event"], line["player"]) for line in by_hand]
                assert entered[0] == ("play", "Ann")
                assert len(set(entered)) == len(entered) == 4
                assert game.loser not in {player for event, player in entered if event == "out"}
                continue
            truth = planned.truth()
            assert game.loser == truth.loser
            assert [is_inferred(line) for line in lines if line["event"] == "game_over"] == [True]
            assert len(by_hand) == sum(touch.button != "answer" for touch in touches(truth))
            assert illegal(lines) == []


def test_the_games_played_out_have_everything_that_is_entered_by_touch() -> None:
    games = [planned.truth() for planned in EVENING if planned.seed is not None]
    events = [step.event for game in games for step in game]
    assert {len(event.cards) for event in events if event.event == "play"} == {1, 2, 3, 4}
    assert {event.source for event in events if event.event in ("play", "flip")} == {
        "hand",
        "up",
        "hand+up",
        "down",
    }
    kinds = {event.event for event in events}
    assert kinds >= {"deal", "exchange", "burn", "pick_up", "show", "take_up", "take_down", "draw"}
    assert any(event.answers for event in events)
    assert {len(game.players) for game in games} == {2, 3, 4}


def test_games_by_touch_are_tallied_right_through_two_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed after a play, and in the middle of a game that is played out."""
    path = tmp_path / "s.sqlite"
    ledger = play_an_evening(path, 2, (("0", "played"), ("1", "half")))
    assert any("2 games played. The Shithead is Ann." in text for text in ledger)
    check_store(path, 2)
    assert main(["tally", "--store", str(path), "--json"]) == 0
    tally = json.loads(capsys.readouterr().out)
    losses = {standing["player"]: standing["losses"] for standing in tally["players"]}
    assert losses == {**dict.fromkeys(PLAYERS, 0), **Counter(LOSERS[:2])}
