"""Twelve games by touch, all but one played out, through three kills, and a film through one, in the window.

Run: `pytest -m benchmark -s tests/benchmarks/test_whole_evening.py`. It takes a quarter of an hour.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.game.evening import apply_revisions
from companion.game.scoring import compare, read_truth
from companion.store.store import Store
from tests.e2e.windows.test_whole_evening import check_store, play_an_evening
from tests.support.planned_evening import LOSERS
from tests.support.polite_film import polite_film

WINDOW = Path(__file__).parents[1] / "e2e" / "windows" / "drive_film.py"
KILLS = (("2", "half"), ("7", "half"), ("10", "over"))


@pytest.mark.benchmark
def test_twelve_games_by_touch_through_three_kills(
    tmp_path: Path, measured: Callable[[str, float], None]
) -> None:
    began = time.monotonic()
    ledger = play_an_evening(tmp_path / "s.sqlite", 12, KILLS)
    print(f"12 games, 3 kills: {time.monotonic() - began:.0f} s")
    with Store.open(tmp_path / "s.sqlite") as store:
        losers = [game.loser for game in store.games()]
    measured(
        "touch_evening_games_tallied",
        sum(loser == truly for loser, truly in zip(losers, LOSERS, strict=False)),
    )
    assert any("12 games played. The Shithead is Bob." in text for text in ledger)
    check_store(tmp_path / "s.sqlite", 12)


@pytest.mark.benchmark
def test_a_film_through_one_kill_is_told_as_well_as_without(tmp_path: Path) -> None:
    truth = read_truth(polite_film().path.with_suffix(".truth.jsonl"))
    scores = {}
    for name, kills in (("whole", ()), ("killed", ("25",))):
        path, shown = tmp_path / f"{name}.sqlite", []
        for stop_at in kills:
            killed = watch(path, stop_at)
            assert killed.returncode == -signal.SIGKILL
            shown += json.loads(killed.stdout.splitlines()[-1])
            assert len(shown) >= int(stop_at)
        done = watch(path)
        assert done.returncode == 0, done.stderr[-3000:]
        with Store.open(path) as store:
            (game,) = store.games()
            held = store.events(game.id)
        kept = [as_shown(line) for line in held]
        assert [line for line in shown if as_shown(line) not in kept] == [], "what was shown is never lost"
        scores[name] = compare([dict(line) for line in apply_revisions(held)], truth)
        overall = scores[name].to_json()["overall"]
        print(name, overall, "loser", game.loser)
        assert overall["f1"] >= 0.98, "the true events are told"
    assert scores["killed"].corrections <= scores["whole"].corrections + 2


def as_shown(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line without what differs where it revises one: that is shown in the place of the other."""
    return {name: value for name, value in line.items() if name not in ("id", "revise", "decided_at")}


def watch(store: Path, *stop_at: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(WINDOW), str(store), *stop_at],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "LANG": "C"},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
