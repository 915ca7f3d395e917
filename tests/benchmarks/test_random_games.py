"""100,000 random four-player games of each ruleset: every one ends, or hits the cap on quiet acts.

Run: `pytest -m benchmark -s tests/benchmarks/test_random_games.py`. It takes some forty minutes of one
processor core; SHITHEAD_RANDOM_GAMES=1000 plays fewer of each ruleset.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from random import Random

import pytest

from engine.ruleset import load_ruleset
from engine.simulation.play import CompiledRules
from engine.simulation.policies import random_act
from engine.simulation.simulate import QUIET_ACTS, play_out
from engine.simulation.table import Table

RULESETS = sorted(
    path.name.removesuffix(".toml")
    for path in files("engine.rulesets").iterdir()
    if path.name.endswith(".toml")
)
PLAYERS = 4
GAMES = int(os.environ.get("SHITHEAD_RANDOM_GAMES", "100000"))
BLOCK = 1000
"""Games with a seed of their own, so that one that goes wrong is found again without those before it."""


def how_it_stopped(game: CompiledRules, end: Table) -> str:
    """Say how a game came to its last table: `ended`, `capped`, or what is wrong with it."""
    if sorted(game.everywhere(end)) != list(range(len(game.pack.codes))):
        return "with a card lost or twice"
    if end.turn >= 0:
        return "capped" if end.loser < 0 and end.acts >= QUIET_ACTS else "broken off"
    everybody = (1 << PLAYERS) - 1
    if end.loser < 0 or end.out | 1 << end.loser != everybody or end.out >> end.loser & 1:
        return "without one Shithead"
    return "ended"


@pytest.mark.benchmark
def test_every_random_game_ends_or_hits_the_cap(
    capsys: pytest.CaptureFixture[str], measured: Callable[[str, float], None]
) -> None:
    assert len(RULESETS) == 5
    stopped: Counter[str] = Counter()
    for name in RULESETS:
        of_ruleset: Counter[str] = Counter()
        game, began, longest = CompiledRules(load_ruleset(name), PLAYERS), time.monotonic(), 0
        for first in range(0, GAMES, BLOCK):
            rng = Random(f"{name} {first}")
            for _ in range(min(BLOCK, GAMES - first)):
                end = play_out(game, rng, random_act)
                of_ruleset[how_it_stopped(game, end)] += 1
                longest = max(longest, end.acts)
        with capsys.disabled():
            seconds = time.monotonic() - began
            print(
                f"{name}: {dict(of_ruleset)}, {longest} acts at most, {seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        stopped += of_ruleset
    right = stopped["ended"] + stopped["capped"]
    measured("random_games_ended_or_capped", right)
    measured("random_games_capped", stopped["capped"])
    assert right == stopped.total() == GAMES * len(RULESETS), stopped
