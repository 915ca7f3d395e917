"""How fast the engine is on one core. Run: `pytest -m benchmark -s tests/benchmarks/test_engine_speed.py`.

Times are processor time, and what is asserted is a ratio to a plain loop timed in the same run (one round of
`total += number & 3`), so that a slow machine does not decide. One round takes some 28 ns where the targets
(300 games/s, 100,000 acts/s, 50 us a ruling) stand; a faster machine has to be faster at both.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time

import pytest

from engine.judging.judge import judge
from engine.ruleset import load_ruleset
from engine.simulation.cheating import situation_of
from engine.simulation.play import CompiledRules
from engine.simulation.policies import random_act
from engine.simulation.simulate import play_out
from engine.simulation.table import Act, Table

pytestmark = pytest.mark.benchmark

ROUND_SECONDS = 28e-9
"""One round of the plain loop on the machine for which the targets stand."""


def seconds_of(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of several runs: the others were disturbed."""
    times = []
    for _ in range(repeats):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


def plain_loop() -> None:
    total = 0
    for number in range(1_000_000):
        total += number & 3


@pytest.fixture(scope="module")
def round_seconds() -> float:
    return seconds_of(plain_loop, repeats=5) / 1_000_000


def report(name: str, seconds: float, target: float, round_seconds: float) -> None:
    rounds, allowed = seconds / round_seconds, target / ROUND_SECONDS
    print(
        f"{name}: {seconds * 1e6:.1f} us ({1 / seconds:,.0f}/s),"
        f" {rounds:,.0f} rounds of at most {allowed:,.0f}"
    )
    assert rounds <= allowed


Measured = Callable[[str, float], None]


@pytest.fixture(scope="module")
def game() -> CompiledRules:
    return CompiledRules(load_ruleset("winnersh"), 4)


def test_random_games(game: CompiledRules, round_seconds: float, measured: Measured) -> None:
    rng = Random(1)
    games = 300
    seconds = seconds_of(lambda: [play_out(game, rng, random_act) for _ in range(games)])
    measured("random_games_per_s", games / seconds)
    report("a four-player random Winnersh game", seconds / games, 1 / 300, round_seconds)


def recorded_steps(game: CompiledRules, count: int) -> list[tuple[Table, Act]]:
    rng = Random(2)
    steps: list[tuple[Table, Act]] = []
    while len(steps) < count:
        table = game.deal(rng)._replace(turn=0)
        while table.turn >= 0 and len(steps) < count:
            act = random_act(game, table, rng)
            steps.append((table, act))
            table = game.apply(table, act)
    return steps


def test_applied_acts(game: CompiledRules, round_seconds: float, measured: Measured) -> None:
    steps = recorded_steps(game, 50_000)
    apply = game.apply
    seconds = seconds_of(lambda: [apply(table, act) for table, act in steps])
    measured("acts_per_s", len(steps) / seconds)
    report("an applied act", seconds / len(steps), 1 / 100_000, round_seconds)


def test_rulings(game: CompiledRules, round_seconds: float, measured: Measured) -> None:
    players = ("P1", "P2", "P3", "P4")
    situations = [situation_of(game, table, players, act) for table, act in recorded_steps(game, 3000)]
    seconds = seconds_of(lambda: [judge(situation) for situation in situations])
    measured("ruling_us", 1e6 * seconds / len(situations))
    report("a ruling on a whole table", seconds / len(situations), 50e-6, round_seconds)
